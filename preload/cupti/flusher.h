/* The flusher: a thread that has CUPTI hand over complete records every second, and more often while page migrations
 * are recorded. It is not the drain thread, because CUPTI may call the driver for that, and only a thread with the
 * application's file descriptors may. */
#ifndef XFERSPY_PRELOAD_CUPTI_FLUSHER_H
#define XFERSPY_PRELOAD_CUPTI_FLUSHER_H

/* Starts the thread; once a session, after xs_cupti_start. Where no thread can be made there is no flusher, and the
 * other calls do nothing. */
void xs_flusher_start(void);

/* Has the flusher ask CUPTI for all records, complete or not, and waits until it has, at most `timeout_ms`. Takes no
 * lock: the calling thread may hold one of CUPTI's, or be in a signal handler. */
void xs_flusher_now(unsigned timeout_ms);

/* Managed memory was allocated: the flusher watches its migrations from now on. Any thread. */
void xs_flusher_managed_memory(void);

/* The calling thread, one of the application's, has opened or closed a window. Where such windows are asked for, it
 * waits for the flusher to attach CUPTI or to detach it, but not for long: the device may be waiting for this thread.
 */
void xs_flusher_window_asked(void);

/* The process ends: the flusher makes no further call of CUPTI, which may be gone any moment. Does not wait for one
 * that is under way; xs_cupti_end does. */
void xs_flusher_still(void);

#endif
