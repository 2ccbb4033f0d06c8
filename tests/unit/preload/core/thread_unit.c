/* A thread with a spool, and calls as wrappers make them; see thread_unit.h. */
#define _GNU_SOURCE
#include "core/thread_unit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/core/thread.h"

int thread_unit_open(void) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/xferspy-thread.%ld.spool", (long)getpid());
    unlink(path);
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    int status = xs_spool_create(path, XS_SPOOL_HEADER_BYTES + CHUNKS * XS_SPOOL_CHUNK_BYTES, CHUNKS, &xs_spool);
    unlink(path);
    return status;
}

int thread_unit_close(void) {
    xs_thread_forget();
    xs_spool_unmap(&xs_spool);
    return 0;
}

unsigned committed(void) {
    unsigned bytes = 0;
    for (unsigned i = 0; i < CHUNKS; i++)
        bytes += atomic_load(&xs_spool_chunk(&xs_spool, i)->header.committed_bytes);
    return bytes / (unsigned)sizeof(struct xs_event);
}

void record_one(void) {
    struct xs_guard_note note;
    struct xs_event *e = xs_begin(ROW, &note);
    assert_non_null(e);
    xs_end(e, 0);
}

void nothing(void) {}

__attribute__((noinline, noclone)) bool wrapper(void (*real)(void)) {
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
    real();
    if (e)
        xs_end(e, 0);
    return e != NULL;
}

__attribute__((noinline, noclone)) void overwrite_the_stack(void) {
    volatile unsigned char much[8192];
    for (size_t i = 0; i < sizeof much; i++)
        much[i] = (unsigned char)i;
}

__attribute__((noinline, noclone)) bool call_in_a_frame_of(size_t bytes) {
    // cppcheck-suppress allocaCalled ; the place on the stack is what counts
    volatile unsigned char *unused = __builtin_alloca(bytes);
    unused[0] = 0;
    return wrapper(nothing);
}
