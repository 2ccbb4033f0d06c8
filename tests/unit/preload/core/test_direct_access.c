/* Which libraries and devices let others reach memory without a call of CUDA. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/core/direct_access.h"
#include "preload/core/loader_list.h"

static char folder[] = "/tmp/xferspy-direct-XXXXXX";

static const char *at(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) && mkdir(at("infiniband"), 0700) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(at("infiniband")) || rmdir(folder);
}

static void libraries_are_told_by_their_names(void **state) {
    (void)state;
    assert_int_equal(xs_direct_access_needs("/usr/lib/libibverbs.so.1"), XS_DIRECT_NETWORK);
    assert_int_equal(xs_direct_access_needs("libibverbs.so"), XS_DIRECT_NETWORK);
    assert_int_equal(xs_direct_access_needs("/a/libucp-0a1b2c3d.so.0"), XS_DIRECT_NETWORK);
    assert_int_equal(xs_direct_access_needs("/a/libnccl-net-ofi.so"), XS_DIRECT_NETWORK);
    assert_int_equal(xs_direct_access_needs("/a/libcufile_rdma.so.1"), XS_DIRECT_STORAGE);
    assert_int_equal(xs_direct_access_needs("/a/libgdrapi.so.2"), XS_DIRECT_WINDOW);
    assert_int_equal(xs_direct_access_needs("/a/libnccl.so.2"), 0);
    assert_int_equal(xs_direct_access_needs("/a/libfabricate.so"), 0);
    assert_int_equal(xs_direct_access_needs("/libibverbs.so/libother.so"), 0);
    assert_int_equal(xs_direct_access_needs(""), 0);
}

/* The device is a link to one that every machine has. */
static void expect_device(const char *name, unsigned allows) {
    char path[256];
    snprintf(path, sizeof path, "%s", at(name));
    assert_int_equal(xs_direct_access_devices(folder), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(xs_direct_access_devices(folder), allows);
    assert_int_equal(unlink(path), 0);
}

static void devices_are_found(void **state) {
    (void)state;
    expect_device("infiniband/uverbs12", XS_DIRECT_NETWORK);
    expect_device("cxi0", XS_DIRECT_NETWORK);
    expect_device("hfi1_0", XS_DIRECT_NETWORK);
    expect_device("nvidia-fs3", XS_DIRECT_STORAGE);
    expect_device("gdrdrv", XS_DIRECT_WINDOW);
    /* The administration of a network card's port, and the GPU. */
    expect_device("infiniband/umad0", 0);
    expect_device("nvidia0", 0);
}

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_file_is_no_device(void **state) {
    (void)state;
    write_file("infiniband/uverbs0", "");
    assert_int_equal(xs_direct_access_devices(folder), 0);
    assert_int_equal(unlink(at("infiniband/uverbs0")), 0);
    assert_int_equal(xs_direct_access_devices("/nonexistent"), 0);
}

/* More entries than one call of the kernel's gives. */
static void a_device_is_found_among_many(void **state) {
    (void)state;
    char name[64];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "another-device-of-some-length-%d", i);
        write_file(name, "");
    }
    expect_device("gdrdrv", XS_DIRECT_WINDOW);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "another-device-of-some-length-%d", i);
        assert_int_equal(unlink(at(name)), 0);
    }
}

static void expect_asked(const char *text, bool asked) {
    write_file("cufile.json", text);
    assert_int_equal(xs_direct_access_asked(at("cufile.json")), asked);
    assert_int_equal(unlink(at("cufile.json")), 0);
}

static void the_configuration_is_read(void **state) {
    (void)state;
    expect_asked("{\"properties\": {\"use_pci_p2pdma\": true}}", true);
    expect_asked("{\n// off by default\n\"properties\": {\n  \"use_pci_p2pdma\"\t:\n true,", true);
    expect_asked("{\"dir\": \"http://a/\\\"b\", \"use_pci_p2pdma\":true}", true);
    expect_asked("{\"use_pci_p2pdma\": false}", false);
    expect_asked("{ // \"use_pci_p2pdma\": true\n \"use_poll_mode\": true}", false);
    expect_asked("{\"use_pci_p2pdma\" // true\n : false}", false);
    expect_asked("", false);
    assert_false(xs_direct_access_asked(at("cufile.json")));
}

/* The environment can name any file: a FIFO would block the program, and a device might have no end. */
static void only_a_file_is_read(void **state) {
    (void)state;
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    assert_false(xs_direct_access_asked(at("fifo")));
    assert_int_equal(unlink(at("fifo")), 0);
    assert_false(xs_direct_access_asked("/dev/zero"));
    assert_false(xs_direct_access_asked(folder));
}

static void errno_stays(void **state) {
    (void)state;
    errno = EILSEQ;
    xs_direct_access_is_possible();
    assert_int_equal(errno, EILSEQ);
}

static atomic_bool stop;

static void *look_again_and_again(void *argument) {
    while (!atomic_load(&stop))
        xs_direct_access_is_possible();
    return argument;
}

static int walk(struct dl_phdr_info *library, size_t bytes, void *argument) {
    (void)library;
    (void)bytes;
    return argument != NULL;
}

/* A child that finds the loader's lock taken would wait for ever. */
static void a_forked_child_can_use_the_loader(void **state) {
    enum { FORKS = 300 };
    pthread_t thread;
    (void)state;
    pthread_atfork(xs_loader_before_fork, xs_loader_after_fork, xs_loader_forget);
    assert_int_equal(pthread_create(&thread, NULL, look_again_and_again, NULL), 0);
    for (int i = 0; i < FORKS; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            dl_iterate_phdr(walk, NULL);
            xs_direct_access_is_possible();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libraries_are_told_by_their_names),
        cmocka_unit_test(devices_are_found),
        cmocka_unit_test(a_file_is_no_device),
        cmocka_unit_test(a_device_is_found_among_many),
        cmocka_unit_test(the_configuration_is_read),
        cmocka_unit_test(only_a_file_is_read),
        cmocka_unit_test(errno_stays),
        cmocka_unit_test(a_forked_child_can_use_the_loader),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
