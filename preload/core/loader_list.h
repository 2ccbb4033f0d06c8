/* Walks through the loader's list of libraries, safely beside forks. dl_iterate_phdr holds a lock of the loader, which
 * a child that is forked meanwhile by another thread would find taken for good. So every walk of this library, and
 * every fork, takes the lock below first. */
#ifndef XFERSPY_PRELOAD_CORE_LOADER_LIST_H
#define XFERSPY_PRELOAD_CORE_LOADER_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct dl_phdr_info;

/* Calls `visit` for each library, as dl_iterate_phdr does, with signals blocked: a handler that jumped away would keep
 * the loader's lock. Returns false, without a call, if another thread kept the lock for a tenth of a second. Any thread
 * that does not hold the lock; errno is kept. */
bool xs_loader_walk(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument);

/* The lock alone, for a holder that walks more than once. Its holder waits only for the loader, but may have been
 * preempted, or stopped by a debugger: xs_loader_lock returns false after a tenth of a second. Async-signal-safe; errno
 * is kept. */
bool xs_loader_lock(void);
void xs_loader_unlock(void);

/* Around a fork. The first two are called in the parent, by the thread that forks; the third in the child. */
void xs_loader_before_fork(void);
void xs_loader_after_fork(void);
void xs_loader_forget(void);

#endif
