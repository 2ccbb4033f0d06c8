/* Finds the origin of the trace; see signing.h. */
#include "preload/session/signing.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "preload/core/drain_bell.h"
#include "preload/core/futex.h"
#include "preload/core/guard.h"
#include "preload/core/own_thread.h"
#include "schema/clock.h"
#include "schema/read/origin.h"

/* SIGNED: the origin exists, but is not yet in the trace. */
enum { IDLE, WORKING, SIGNED, OVER };

static struct {
    _Atomic uint32_t phase; /* futex */
    struct xs_origin_place place;
    char path[XS_PATH_BYTES];
    char origin[XS_ORIGIN_BYTES];
} signing;

void xs_signing_prepare(void) { xs_origin_find_place(&signing.place); }

static void *sign(void *arg) {
    (void)arg;
    xs_guard_own_thread();
    prctl(PR_SET_NAME, "xferspy");
    bool is_signed = xs_origin_sign_at(signing.path, &signing.place, signing.origin);
    atomic_store(&signing.phase, is_signed ? SIGNED : OVER);
    xs_futex_wake(&signing.phase);
    xs_drain_wake();
    return NULL;
}

void xs_signing_start(const char *path) {
    snprintf(signing.path, sizeof signing.path, "%s", path);
    atomic_store(&signing.phase, WORKING);
    if (xs_own_thread(sign) != 0)
        atomic_store(&signing.phase, OVER); /* without it, reports show no source text */
}

void xs_signing_write(struct xs_store *store, unsigned patience_ms) {
    uint64_t deadline = xs_monotonic_ns() + (uint64_t)patience_ms * 1000000;
    while (atomic_load(&signing.phase) == WORKING && xs_monotonic_ns() < deadline)
        xs_futex_wait(&signing.phase, WORKING, patience_ms);
    uint32_t is_signed = SIGNED;
    if (atomic_compare_exchange_strong(&signing.phase, &is_signed, OVER))
        xs_store_meta_text(store, "origin", signing.origin);
}
