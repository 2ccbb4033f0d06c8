/* Waits for a change of a word in memory, by the futex system call of Linux. The two functions are async-signal-safe,
 * and neither is a cancellation point. */
#ifndef XFERSPY_PRELOAD_CORE_FUTEX_H
#define XFERSPY_PRELOAD_CORE_FUTEX_H

#include <stdint.h>

/* Sleeps while `*word` equals `while_it_is`, but at most `timeout_ms` milliseconds. May return early, so the caller
 * must check the word again. */
void xs_futex_wait(_Atomic uint32_t *word, uint32_t while_it_is, unsigned timeout_ms);

/* Wakes all threads that wait for the word. */
void xs_futex_wake(_Atomic uint32_t *word);

#endif
