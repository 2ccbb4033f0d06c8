#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vmsplice, O_DIRECT */
#endif
#include "hostreads/hostreads_unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile char sum;

void stay_on_one_processor(void) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    assert_int_equal(sched_setaffinity(0, sizeof here, &here), 0);
}

char *make_memory(enum memory_kind kind, size_t bytes) {
    int sharing = kind == MEMORY_SHARED ? MAP_SHARED : MAP_PRIVATE;
    /* The pages around it keep it apart from other mappings. */
    char *around = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(around, MAP_FAILED);
    char *memory = mmap(around + PAGE, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(memory, around + PAGE);
    (void)madvise(memory, bytes, MADV_NOHUGEPAGE); /* fails in kernels without huge pages */
    memset(memory, 1, bytes);
    return memory;
}

void drop_memory(char *memory, size_t bytes) { assert_int_equal(munmap(memory - PAGE, bytes + 2 * PAGE), 0); }

struct part {
    char *memory;
    size_t bytes;
};

static void *load(void *argument) {
    const struct part *part = argument;
    for (size_t at = 0; at < part->bytes; at += PAGE)
        sum = (char)(sum + part->memory[at + 17]);
    return NULL;
}

static void write_to_file(char *memory, size_t bytes, int flags) {
    char path[] = "/var/tmp/xferspy-reads-XXXXXX";
    int file = mkostemp(path, flags);
    if (file < 0) /* no O_DIRECT here */
        file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, memory, bytes), bytes);
    close(file);
    unlink(path);
}

/* A pipe holds 16 pages. */
static void write_to_pipe(char *memory, size_t bytes, bool splices) {
    int ends[2], null = open("/dev/null", O_WRONLY);
    assert_int_equal(pipe(ends), 0);
    for (size_t at = 0; at < bytes; at += PAGE) {
        struct iovec page = {memory + at, PAGE};
        assert_int_equal(splices ? vmsplice(ends[1], &page, 1, 0) : write(ends[1], memory + at, PAGE), PAGE);
        assert_int_equal(splice(ends[0], NULL, null, NULL, PAGE, 0), PAGE);
    }
    close(ends[0]);
    close(ends[1]);
    close(null);
}

void read_pages(enum way way, char *memory, size_t bytes) {
    struct part part = {memory, bytes};
    pthread_t thread;
    char copy[PAGE];
    switch (way) {
    case WAY_LOAD:
        load(&part);
        break;
    case WAY_MEMCPY:
        for (size_t at = 0; at < bytes; at += PAGE) {
            memcpy(copy, memory + at, PAGE);
            sum = (char)(sum + copy[at % 91]);
        }
        break;
    case WAY_WRITE:
    case WAY_DIRECT:
        write_to_file(memory, bytes, way == WAY_DIRECT ? O_DIRECT : 0);
        break;
    case WAY_WRITE_PIPE:
    case WAY_SPLICE:
        write_to_pipe(memory, bytes, way == WAY_SPLICE);
        break;
    case WAY_THREAD:
        assert_int_equal(pthread_create(&thread, NULL, load, &part), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        break;
    case WAY_STORE:
        for (size_t at = 0; at < bytes; at += PAGE)
            *(volatile char *)(memory + at) = 2;
        break;
    case WAYS:
        break;
    }
}
