/* Runs all code that reads traces on a trace that a fuzzer made. */
#ifndef XFERSPY_TESTS_FUZZ_READ_ALL_H
#define XFERSPY_TESTS_FUZZ_READ_ALL_H

#include <stddef.h>

/* Returns the path of a file of this process, which is deleted when the process ends. Every call returns the same
 * path. */
const char *fuzz_trace_path(void);

/* Replaces the content of a file. */
void fuzz_write(const char *path, const void *bytes, size_t count);

/* Opens the trace, analyses it, prints report, JSON and totals, and discards this output. It is no failure if the trace
 * cannot be read. Failures are crashes, reports of sanitizers, and errors without a message. */
void fuzz_read_all(const char *path);

#endif
