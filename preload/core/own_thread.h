/* The library's own threads: the drain thread and the flusher. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_THREAD_H
#define XFERSPY_PRELOAD_CORE_OWN_THREAD_H

/* Starts a detached thread that gets none of the application's signals. `body` raises the guard (guard.h) before it
 * calls anything that has a wrapper, and ends by returning. In a program with ThreadSanitizer the thread then stays.
 * Returns 0, or pthread_create's errno. */
int xs_own_thread(void *(*body)(void *));

/* The calling thread, one of the library's own, works in the background: it does not push a thread of the program off
 * its processor when it wakes up. It keeps no real-time priority of the thread that created it, but stays behind all
 * others (SCHED_IDLE) where that one was. */
void xs_own_thread_stand_back(void);

#endif
