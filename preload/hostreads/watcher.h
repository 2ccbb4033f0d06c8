/* Watches downloads: decides whether the host read what a copy brought, before the memory was written again by a copy,
 * freed, or the program ended.
 *
 * The drain thread does the work that takes long (host_reads.h): it makes mappings of a region, and reads their
 * accessed bits. A region is made ready before the copy that is watched, because a thread may read the bytes as soon as
 * the copy is done. So the next copy into the same memory is watched, by whatever call.
 *
 * - The driver copies into pageable memory with the processor, which sets all bits. So the thread that made the copy
 *   clears them when the call has returned. Right before the next copy into that memory it asks the drain thread to
 *   look, and waits. In mode `auto`, at most one such region is watched at a time, only where a look takes less than
 *   10 ms, and no thread waits longer than 20 ms.
 * - A DMA sets no bit. So a region of page-locked memory needs no clearing, and it may be looked at after it was
 * written again: what nobody read until then, nobody read before. A thread waits for a look only when such memory is
 * freed.
 *
 * In mode `auto`, the budget decides when the drain thread looks (host_reads_budget.h). One look reads all regions, and
 * makes others ready. They are chosen fairly among call stacks and sizes of copies. In mode `all`, every download is
 * watched, and its thread waits for each look, whatever that costs. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_WATCHER_H
#define XFERSPY_PRELOAD_HOSTREADS_WATCHER_H

#include <stdatomic.h>

#include "preload/core/compiler.h"
#include "schema/format/event.h"
#include "schema/write/store.h"

enum xs_host_watch_mode { XS_HOST_WATCH_OFF, XS_HOST_WATCH_AUTO, XS_HOST_WATCH_ALL };

extern _Atomic int xs_host_watch_mode; /* enum xs_host_watch_mode */

/* Starts watching. `mode` is the option's value ("off", "auto" or "all"). `per_million` is the part of the run's time
 * that looks may take in mode `auto`. Drain thread only, like the functions below without another remark. */
void xs_host_watch_start(const char *mode, unsigned per_million);

/* Says whether a call that copies into pageable memory always returns after its copy. Without this call, asynchronous
 * copies into such memory are not watched. Any thread, before capture begins. */
void xs_host_watch_staged(bool is_staged);

/* Makes the looks that are due or that threads wait for. If the next call is due in less than *wait_ms, sets *wait_ms
 * to the time until that call. */
void xs_host_watch_look(unsigned *wait_ms);

/* Looks at all regions for the last time, when the program ends. */
void xs_host_watch_end(void);

/* Writes what was found since the last call, and the cost, inside the caller's batch. */
int xs_host_watch_write(struct xs_store *store);

/* The functions below run in wrappers, on threads of the program: right before the real call of a copy or a free, and
 * after the real call of a copy, when fingerprints have read what they read. `stack`: number of the calling thread's
 * own stack. */
void xs_host_watch_before_copy(struct xs_event *e, uint32_t stack);
void xs_host_watch_before_free(const struct xs_event *e);
void xs_host_watch_after_copy(bool succeeded);

extern XS_TLS unsigned xs_host_watch_own; /* the watch of the copy that this thread makes, plus 1; 0: none */

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
