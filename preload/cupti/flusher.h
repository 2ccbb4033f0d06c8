/* The flusher is a thread that makes CUPTI hand over complete records every second, and more often while page
 * migrations are recorded. The drain thread cannot do this, because CUPTI may call the driver, and only a thread with
 * the application's file descriptors may call the driver. */
#ifndef XFERSPY_PRELOAD_CUPTI_FLUSHER_H
#define XFERSPY_PRELOAD_CUPTI_FLUSHER_H

/* Starts the thread. This function is called once per session, after xs_cupti_start. If the thread cannot be created,
 * there is no flusher, and the other functions do nothing. */
void xs_flusher_start(void);

/* Makes the flusher request all records from CUPTI, complete or not, and waits at most `timeout_ms` until this is done.
 * Takes no lock, because the calling thread may hold one of CUPTI's locks, or be in a signal handler. */
void xs_flusher_now(unsigned timeout_ms);

/* Runs after managed memory was allocated: from then on the flusher watches the page migrations. Any thread. */
void xs_flusher_managed_memory(void);

/* Runs when a window was opened or closed. If CUPTI must therefore be attached or detached, wakes the flusher. If the
 * flusher can do this at once, an application thread also waits for it, for at most 50 ms, because the device may be
 * waiting for this thread. Other threads do not wait. */
void xs_flusher_window_asked(void);

/* Makes the flusher check now whether CUPTI has to be attached or detached. Does not wait for the result. Any
 * thread. */
void xs_flusher_look(void);

/* Runs when the process ends: the flusher makes no further call of CUPTI, which may soon be unloaded. Does not wait
 * for a call that has already begun; xs_cupti_end does. */
void xs_flusher_still(void);

#endif
