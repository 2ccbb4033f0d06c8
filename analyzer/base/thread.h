/* Starts threads that work beside the command's main thread. */
#ifndef XFERSPY_ANALYZER_BASE_THREAD_H
#define XFERSPY_ANALYZER_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* True if a second thread makes the reading of a trace with this number of rows faster: if the trace is not small, and
 * if this process may use two processors. With XFERSPY_TEST_THREADS=1 it is always false, and with
 * XFERSPY_TEST_THREADS=2 always true. */
bool xs_thread_is_worth(uint64_t rows);

/* Starts a thread. It gets no signals, so they all come to the main thread. False: it could not be started. */
bool xs_thread_begin(pthread_t *thread, void *(*run)(void *data), void *data);

#endif
