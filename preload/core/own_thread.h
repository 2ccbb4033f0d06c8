/* The library's own threads: the drain thread and the flusher. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_THREAD_H
#define XFERSPY_PRELOAD_CORE_OWN_THREAD_H

/* Starts a detached thread that gets none of the application's signals. `body` raises the guard (guard.h) before it
 * calls anything that has a wrapper, and ends by returning. If the program has ThreadSanitizer, the thread then stays.
 * Returns 0, or pthread_create's errno. */
int xs_own_thread(void *(*body)(void *));

/* Moves the calling thread, one of the library's own, into the background: when it wakes up, it does not preempt a
 * thread of the program. It drops a real-time priority inherited from its creator, but keeps SCHED_IDLE, which is
 * further back. */
void xs_own_thread_stand_back(void);

#endif
