/* Walks through the loader's list of libraries, safely even if another thread forks at the same time. dl_iterate_phdr
 * holds a lock of the loader; in a child that another thread forks during the walk, this lock would stay locked for
 * ever. Therefore every walk by xferspy, and every fork, first takes the lock declared below. */
#ifndef XFERSPY_PRELOAD_CORE_LOADER_LIST_H
#define XFERSPY_PRELOAD_CORE_LOADER_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct dl_phdr_info;

/* Calls `visit` for each library, as dl_iterate_phdr does, with signals blocked, because a handler that jumped away
 * would leave the loader's lock locked. Returns false, without calling `visit`, if another thread kept the lock for a
 * tenth of a second. The calling thread must not hold the lock. Keeps errno. */
bool xs_loader_walk(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument);

/* These functions only take and release the lock, for a caller that walks more than once. A thread that holds the lock
 * may have been preempted, or stopped by a debugger. Therefore xs_loader_lock returns false if it does not get the lock
 * within a tenth of a second. Both are async-signal-safe and keep errno. */
bool xs_loader_lock(void);
void xs_loader_unlock(void);

/* These functions are called around a fork. The thread that forks calls the first function before the fork, and the
 * second one after it in the parent. The child calls the third one. */
void xs_loader_before_fork(void);
void xs_loader_after_fork(void);
void xs_loader_forget(void);

#endif
