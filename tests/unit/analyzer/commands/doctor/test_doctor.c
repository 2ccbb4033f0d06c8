/* Tests what doctor reads in the system's files: which libraries are preloaded for everybody, and who may read
 * counters. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/commands/doctor/doctor.h"

static char root[64];

static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof root, "/tmp/xferspy-doctor.XXXXXX");
    unsetenv("LD_PRELOAD");
    return mkdtemp(root) ? 0 : -1;
}

static int delete_root(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void write_file(const char *folders, const char *path, const char *text) {
    char name[256], command[256];
    snprintf(command, sizeof command, "mkdir -p '%s/%s'", root, folders);
    assert_int_equal(system(command), 0);
    snprintf(name, sizeof name, "%s/%s", root, path);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char params[] = "proc/driver/nvidia/params";

/* Returns the text of the only result; "" if there is no result. */
static const char *counters(bool privileged) {
    static char text[1024];
    struct xs_doctor_results results = {0};
    xs_doctor_counters(&results, root, privileged);
    assert_true(results.count <= 1);
    snprintf(text, sizeof text, "%s", results.count ? results.items[0].text : "");
    assert_true(!results.count || results.items[0].level == XS_DOCTOR_NOTE);
    xs_doctor_results_free(&results);
    return text;
}

static void counters_of_the_administrator(void **state) {
    static const char restricted[] = "the GPU's hardware counters are for administrators only";
    (void)state;
    assert_string_equal(counters(false), ""); /* no driver */
    write_file("proc/driver/nvidia", params, "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\nEnableMSI: 1\n");
    assert_string_equal(counters(false), restricted);
    assert_string_equal(counters(true), "");
    write_file("proc/driver/nvidia", params, "ModifyDeviceFiles: 1\nRmProfilingAdminOnly: 0\nEnableMSI: 1\n");
    assert_string_equal(counters(false), "");
    write_file("proc/driver/nvidia", params, "RestrictProfilingToAdminUsers: 1");
    assert_string_equal(counters(false), restricted);
    write_file("proc/driver/nvidia", params, "RmProfilingAdminOnly: 10\n");
    assert_string_equal(counters(false), "");
}

static void memory_that_cards_reach(void **state) {
    struct xs_doctor_results results = {0};
    (void)state;
    unsetenv("XFERSPY_DIRECT_ACCESS");
    xs_doctor_direct_access(&results, root);
    assert_int_equal(results.count, 0);
    write_file("dev", "dev/gdrdrv", "");
    xs_doctor_direct_access(&results, root);
    write_file("dev/infiniband", "dev/infiniband/uverbs0", "");
    xs_doctor_direct_access(&results, root);
    setenv("XFERSPY_DIRECT_ACCESS", "no", 1);
    xs_doctor_direct_access(&results, root);
    unsetenv("XFERSPY_DIRECT_ACCESS");
    assert_int_equal(results.count, 2);
    assert_non_null(strstr(results.items[0].text, "/dev/gdrdrv: once a program"));
    assert_non_null(strstr(results.items[1].text, "/dev/infiniband/uverbs0 and others: once a program"));
    assert_non_null(strstr(results.items[1].remedy, "XFERSPY_DIRECT_ACCESS=no"));
    xs_doctor_results_free(&results);
}

static void preloaded_for_everybody(void **state) {
    struct xs_doctor_results results = {0};
    (void)state;
    xs_doctor_shims(&results, root);
    assert_int_equal(results.count, 0);
    write_file("etc", "etc/ld.so.preload", "/usr/local/vgpu/libvgpu.so\n/opt/libxferspy.so /lib/libjemalloc.so.2\n");
    xs_doctor_shims(&results, root);
    assert_int_equal(results.count, 1);
    assert_non_null(
        strstr(results.items[0].text, "/usr/local/vgpu/libvgpu.so (/etc/ld.so.preload), known as HAMi-core,"));
    assert_non_null(strstr(results.items[0].text, "its file was not found"));
    xs_doctor_results_free(&results);
}

/* If a file is cut off anywhere, or is no library, nothing or only some of it is found in it, and nothing crashes. */
static void libraries_that_are_damaged(void **state) {
    static char library[1 << 18];
    char name[256];
    (void)state;
    FILE *self = fopen("/proc/self/exe", "r");
    assert_non_null(self);
    size_t bytes = fread(library, 1, sizeof library, self);
    fclose(self);
    assert_true(bytes > 4096);
    write_file("etc", "etc/ld.so.preload", "/lib/libother.so");
    write_file("lib", "lib/libother.so", "");
    snprintf(name, sizeof name, "%s/lib/libother.so", root);
    for (size_t cut = 0; cut <= bytes; cut += cut < 64 ? 1 : cut / 2) {
        struct xs_doctor_results results = {0};
        FILE *file = fopen(name, "w");
        assert_int_equal(fwrite(library, 1, cut, file), cut);
        fclose(file);
        for (size_t at = 0x28; at < 0x40 && at < cut; at++) { /* the place and the number of its sections */
            char kept = library[at];
            library[at] = (char)0xff;
            file = fopen(name, "w");
            assert_int_equal(fwrite(library, 1, cut, file), cut);
            fclose(file);
            library[at] = kept;
            xs_doctor_shims(&results, root);
        }
        xs_doctor_shims(&results, root);
        assert_int_equal(results.count, 0); /* this program has no function of the driver */
        xs_doctor_results_free(&results);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(counters_of_the_administrator, make_root, delete_root),
        cmocka_unit_test_setup_teardown(memory_that_cards_reach, make_root, delete_root),
        cmocka_unit_test_setup_teardown(preloaded_for_everybody, make_root, delete_root),
        cmocka_unit_test_setup_teardown(libraries_that_are_damaged, make_root, delete_root),
    };
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
