/* Everything that reads a trace, over a trace that a fuzzer made. */
#ifndef XFERSPY_TESTS_FUZZ_READ_ALL_H
#define XFERSPY_TESTS_FUZZ_READ_ALL_H

#include <stddef.h>

/* A file of this process, gone when it ends; every call names the same. */
const char *fuzz_trace_path(void);

/* Replaces a file's bytes. */
void fuzz_write(const char *path, const void *bytes, size_t count);

/* Opens the trace, analyses it and prints report, JSON and totals into nothing. A trace that cannot be read is no
 * failure; crashes, sanitizers' reports, and errors without a message are. */
void fuzz_read_all(const char *path);

#endif
