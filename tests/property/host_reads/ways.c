/* Known ways in which host code reads memory; see ways.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* vmsplice, O_DIRECT */
#endif
#include "ways.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/e2e/programs/check.h"

enum { PAGE = 4096 };

const char *const way_names[WAYS] = {"load",   "memcpy",   "store",  "write", "direct",  "pipe",
                                     "splice", "sendfile", "thread", "fork",  "io_uring"};

static volatile unsigned char sum;
static bool has_io_uring;

bool way_has_io_uring(void) { return has_io_uring; }

struct part {
    unsigned char *memory;
    size_t bytes;
};

static void *load(void *argument) {
    const struct part *part = argument;
    for (size_t at = 0; at < part->bytes; at += PAGE)
        sum = (unsigned char)(sum + part->memory[at + 17]);
    return NULL;
}

static int temporary(int flags) {
    char path[] = "/var/tmp/xferspy-reads-XXXXXX";
    int file = mkostemp(path, flags);
    if (file < 0) /* no O_DIRECT here */
        file = mkstemp(path);
    REQUIRE(file >= 0);
    unlink(path);
    return file;
}

/* O_DIRECT takes whole pages only. */
static void write_to_file(const struct part *part, int flags) {
    bool is_aligned = (uintptr_t)part->memory % PAGE == 0;
    int file = temporary(is_aligned ? flags : 0);
    REQUIRE(write(file, part->memory, part->bytes) == (ssize_t)part->bytes);
    close(file);
}

static void write_to_pipe(const struct part *part, bool splices) {
    int ends[2], null = open("/dev/null", O_WRONLY);
    REQUIRE(null >= 0 && pipe(ends) == 0);
    for (size_t at = 0; at < part->bytes; at += PAGE) {
        struct iovec page = {part->memory + at, PAGE};
        ssize_t in = splices ? vmsplice(ends[1], &page, 1, 0) : write(ends[1], part->memory + at, PAGE);
        REQUIRE(in == PAGE && splice(ends[0], NULL, null, NULL, PAGE, 0) == PAGE);
    }
    close(ends[0]);
    close(ends[1]);
    close(null);
}

static void send_file(const struct part *part, int file, size_t offset) {
    int null = open("/dev/null", O_WRONLY);
    off_t from = (off_t)offset;
    REQUIRE(null >= 0 && sendfile(null, file, &from, part->bytes) == (ssize_t)part->bytes);
    close(null);
}

static void read_in_thread(struct part *part) {
    pthread_t thread;
    OK(pthread_create(&thread, NULL, load, part));
    OK(pthread_join(thread, NULL));
}

static void read_in_child(struct part *part) {
    pid_t child = fork();
    if (child == 0) {
        load(part);
        _exit(0);
    }
    REQUIRE(child > 0 && waitpid(child, NULL, 0) == child);
}

struct ring {
    int fd;
    struct io_uring_params params;
    unsigned char *submissions, *entries;
    size_t submissions_bytes, entries_bytes;
};

static bool open_ring(struct ring *ring) {
    *ring = (struct ring){0};
    ring->fd = (int)syscall(SYS_io_uring_setup, 1, &ring->params);
    if (ring->fd < 0)
        return false;
    const struct io_uring_params *p = &ring->params;
    ring->submissions_bytes = p->sq_off.array + p->sq_entries * sizeof(unsigned);
    ring->entries_bytes = p->sq_entries * sizeof(struct io_uring_sqe);
    ring->submissions = mmap(NULL, ring->submissions_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
                             IORING_OFF_SQ_RING);
    ring->entries =
        mmap(NULL, ring->entries_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd, IORING_OFF_SQES);
    REQUIRE(ring->submissions != MAP_FAILED && ring->entries != MAP_FAILED);
    return true;
}

static void write_by_io_uring(const struct part *part) {
    struct ring ring;
    if (!open_ring(&ring)) {
        write_to_file(part, 0);
        return;
    }
    int file = temporary(0);
    struct io_uring_sqe *entry = (struct io_uring_sqe *)(void *)ring.entries;
    *entry = (struct io_uring_sqe){
        .opcode = IORING_OP_WRITE, .fd = file, .addr = (uintptr_t)part->memory, .len = (unsigned)part->bytes};
    *(unsigned *)(void *)(ring.submissions + ring.params.sq_off.array) = 0;
    __atomic_fetch_add((unsigned *)(void *)(ring.submissions + ring.params.sq_off.tail), 1, __ATOMIC_RELEASE);
    REQUIRE(syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) == 1);
    REQUIRE(lseek(file, 0, SEEK_END) == (off_t)part->bytes);
    munmap(ring.submissions, ring.submissions_bytes);
    munmap(ring.entries, ring.entries_bytes);
    close(ring.fd);
    close(file);
    has_io_uring = true;
}

void way_read(enum way way, unsigned char *memory, size_t bytes, int file, size_t offset) {
    struct part part = {memory, bytes};
    unsigned char copy[PAGE];
    switch (way) {
    case WAY_LOAD:
        load(&part);
        break;
    case WAY_MEMCPY:
        for (size_t at = 0; at < bytes; at += PAGE) {
            memcpy(copy, memory + at, PAGE);
            sum = (unsigned char)(sum + copy[at % 91]);
        }
        break;
    case WAY_STORE:
        for (size_t at = 0; at < bytes; at += PAGE)
            *(volatile unsigned char *)(memory + at) = 2;
        break;
    case WAY_WRITE:
    case WAY_DIRECT:
        write_to_file(&part, way == WAY_DIRECT ? O_DIRECT : 0);
        break;
    case WAY_PIPE:
    case WAY_SPLICE:
        write_to_pipe(&part, way == WAY_SPLICE);
        break;
    case WAY_SENDFILE:
        if (file >= 0)
            send_file(&part, file, offset);
        else
            write_to_pipe(&part, true);
        break;
    case WAY_THREAD:
        read_in_thread(&part);
        break;
    case WAY_FORK:
        read_in_child(&part);
        break;
    case WAY_IO_URING:
        write_by_io_uring(&part);
        break;
    case WAYS:
        break;
    }
}
