/* Walks through the loader's list of libraries, safely even if another thread forks at the same time. dl_iterate_phdr
 * holds a lock of the loader; in a child that is forked during the walk this lock would stay locked for ever. Therefore
 * every walk of this library, and every fork, first takes the lock declared below. */
#ifndef XFERSPY_PRELOAD_CORE_LOADER_LIST_H
#define XFERSPY_PRELOAD_CORE_LOADER_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct dl_phdr_info;

/* Calls `visit` for each library, as dl_iterate_phdr does, with signals blocked, because a handler that jumped away
 * would leave the loader's lock locked. Returns false, without calling `visit`, if another thread kept the lock for a
 * tenth of a second. Any thread that does not hold the lock; errno is kept. */
bool xs_loader_walk(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument);

/* These take and release the lock alone, for a caller that walks more than once. The holder waits only for the loader,
 * but may have been preempted, or stopped by a debugger. So xs_loader_lock returns false if it does not get the lock
 * within a tenth of a second. Async-signal-safe; errno is kept. */
bool xs_loader_lock(void);
void xs_loader_unlock(void);

/* Called around a fork: the first two in the parent, by the thread that forks, and the third in the child. */
void xs_loader_before_fork(void);
void xs_loader_after_fork(void);
void xs_loader_forget(void);

#endif
