/* Watches downloads: finds out whether the host read the bytes of a download before another copy overwrote them, their
 * memory was freed, or the program ended.
 *
 * The drain thread does the work that takes long (host_reads.h): it divides a region into mappings, and reads their
 * accessed bits; this reading is called a look. The region must be ready before the copy that is watched, because a
 * thread may read the bytes as soon as the copy is done. Therefore in mode `auto` the drain thread makes the region of
 * a copy ready after this copy, and the next copy of the same size to the same address is watched, whichever call makes
 * it.
 *
 * - The driver copies into pageable memory with the processor, which sets all bits. So the thread that made the copy
 *   clears them when the call has returned. A thread that is about to copy to the same address again first asks the
 *   drain thread to look, and waits for the answer. In mode `auto`, at most one region of pageable memory is watched at
 *   a time, and none while the last look took 10 ms or more. No thread then waits longer than 20 ms; if there is no
 *   answer by then, nobody can say what was read.
 * - A DMA sets no bit. So a region of page-locked memory need not be cleared after the copy, and the look may come
 *   after the next copy: what is unread then was unread before that copy, too. In mode `auto`, a thread waits for a
 *   look at such memory only before it frees the memory. (In mode `all`, the thread also clears it after a synchronous
 *   copy, which the processor may have made.)
 *
 * In mode `auto`, the budget decides when the drain thread looks (host_reads_budget.h), unless a thread waits for it.
 * One look reads all watched regions, and makes others ready, which are chosen fairly among call stacks and sizes of
 * copies. In mode `all`, every download that can be watched is watched, as long as fewer than 48 others are, and
 * threads wait up to two seconds until its region is ready, and for each look. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_WATCHER_H
#define XFERSPY_PRELOAD_HOSTREADS_WATCHER_H

#include <stdatomic.h>

#include "preload/core/compiler.h"
#include "schema/format/event.h"
#include "schema/write/store.h"

enum xs_host_watch_mode { XS_HOST_WATCH_OFF, XS_HOST_WATCH_AUTO, XS_HOST_WATCH_ALL };

extern _Atomic int xs_host_watch_mode; /* enum xs_host_watch_mode */

/* Starts watching. `mode` is the option's value ("off", "auto" or "all"). `per_million` is the part of the run's time,
 * in millionths, that looks may take in mode `auto`. Only the drain thread calls this function. It also calls the next
 * functions, unless their comments say something else. */
void xs_host_watch_start(const char *mode, unsigned per_million);

/* Says whether a call that copies into pageable memory always returns after its copy
 * (xs_fingerprint_pageable_is_staged). Until this function was called with true, asynchronous copies into such memory
 * are not watched. Any thread, before capture begins. */
void xs_host_watch_staged(bool is_staged);

/* Looks if the budget permits a look now, or if a thread waits for a look. If the next look is due in less than
 * *wait_ms, sets *wait_ms to the time until then. */
void xs_host_watch_look(unsigned *wait_ms);

/* Runs when the program ends: looks at all watched regions for the last time, and ends all watches. */
void xs_host_watch_end(void);

/* Writes what became of the watches since the last call, and the cost so far, inside the caller's batch. Returns 0 or
 * an error of the store. */
int xs_host_watch_write(struct xs_store *store);

/* These functions run in wrappers, on threads of the program: before the real call of a copy or of a free, and after
 * the real call of a copy. The last one must run after the fingerprint of the copy was taken, because reading the bytes
 * for it sets bits. `stack` is the number of the calling thread's own stack (xs_callsite_number). */
void xs_host_watch_before_copy(struct xs_event *e, uint32_t stack);
void xs_host_watch_before_free(const struct xs_event *e);
void xs_host_watch_after_copy(bool succeeded);

extern XS_TLS unsigned xs_host_watch_own; /* index of the watch of the copy that this thread makes now, plus 1; 0: the
                                           * copy is not watched */

XS_HOT void xs_host_watch_copies(struct xs_event *e, uint32_t stack) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_host_watch_mode, memory_order_relaxed) != XS_HOST_WATCH_OFF))
        xs_host_watch_before_copy(e, stack);
}
XS_HOT void xs_host_watch_frees(const struct xs_event *e) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_host_watch_mode, memory_order_relaxed) != XS_HOST_WATCH_OFF))
        xs_host_watch_before_free(e);
}
XS_HOT void xs_host_watch_copied(bool succeeded) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_host_watch_mode, memory_order_relaxed) != XS_HOST_WATCH_OFF) &&
        xs_host_watch_own)
        xs_host_watch_after_copy(succeeded);
}

#endif
