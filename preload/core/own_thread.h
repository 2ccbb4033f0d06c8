/* The library's own threads, such as the drain thread and the flusher. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_THREAD_H
#define XFERSPY_PRELOAD_CORE_OWN_THREAD_H

/* Starts a detached thread that runs `body`. It is named xferspy, gets none of the application's signals, and has the
 * guard raised (guard.h), because its calls are not the application's. If the program has ThreadSanitizer, the thread
 * does not end after `body` returns. Returns 0, or pthread_create's errno. */
int xs_own_thread(void (*body)(void));

/* Makes the calling thread, one of the library's own, a background thread: when it wakes up, it does not preempt
 * threads of the program. A real-time priority inherited from its creator is dropped. SCHED_IDLE is kept, because its
 * priority is even lower. */
void xs_own_thread_stand_back(void);

#endif
