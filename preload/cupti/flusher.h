/* The flusher is a thread that makes CUPTI hand over complete records every second, and more often while page
 * migrations are recorded. The drain thread cannot do it: CUPTI may call the driver, and only a thread with the
 * application's file descriptors may do that. */
#ifndef XFERSPY_PRELOAD_CUPTI_FLUSHER_H
#define XFERSPY_PRELOAD_CUPTI_FLUSHER_H

/* Starts the thread. Called once a session, after xs_cupti_start. If no thread can be created there is no flusher, and
 * the other functions do nothing. */
void xs_flusher_start(void);

/* Makes the flusher ask CUPTI for all records, complete or not, and waits at most `timeout_ms` for it. Takes no lock:
 * the calling thread may hold one of CUPTI's locks, or be in a signal handler. */
void xs_flusher_now(unsigned timeout_ms);

/* Called after managed memory was allocated: the flusher watches its migrations from then on. Any thread. */
void xs_flusher_managed_memory(void);

/* Called by a thread of the application that has opened or closed a window. If the user asked for such windows, waits
 * briefly for the flusher to attach or detach CUPTI. The wait is short because the device may be waiting for this
 * thread. */
void xs_flusher_window_asked(void);

/* Called when the process ends: the flusher makes no further call of CUPTI, which may be gone any moment. Does not wait
 * for a call that is under way; xs_cupti_end does. */
void xs_flusher_still(void);

#endif
