/* Starts the library's own threads, such as the drain thread and the flusher. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_THREAD_H
#define XFERSPY_PRELOAD_CORE_OWN_THREAD_H

/* Starts a detached thread that runs `body`. The thread is named xferspy and gets none of the application's signals.
 * Its guard is raised (guard.h), because its calls are not calls of the application. If the program has
 * ThreadSanitizer, the thread does not end after `body` has returned. Returns 0, or pthread_create's errno. */
int xs_own_thread(void (*body)(void));

/* Makes the calling thread a background thread, so that it does not preempt threads of the program when it wakes up.
 * The calling thread must be one of the library's own. Drops a real-time priority that the thread has inherited from
 * its creator. Keeps the policy SCHED_IDLE, because its priority is even lower. */
void xs_own_thread_stand_back(void);

#endif
