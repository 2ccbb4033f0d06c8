/* These functions write numbers in a form for people. Each function writes into the buffer and returns the buffer,
 * except xs_format_two_ns, which writes into two buffers. */
#ifndef XFERSPY_ANALYZER_BASE_UNITS_H
#define XFERSPY_ANALYZER_BASE_UNITS_H

#include <stdint.h>

#define XS_UNIT_BYTES 40 /* size of every buffer below */

char *xs_format_count(char *buffer, uint64_t count);                   /* 1,234,567 */
char *xs_format_bytes(char *buffer, uint64_t bytes);                   /* 512 B, 1.50 GiB */
char *xs_format_ns(char *buffer, uint64_t ns);                         /* 850 ns, 12.3 ms, 3 min 20 s */
void xs_format_two_ns(char *a, uint64_t a_ns, char *b, uint64_t b_ns); /* writes what xs_format_ns writes, with more
                                                                          digits if different times would have the same
                                                                          text: 126.4 ms, 125.8 ms */
char *xs_format_rate(char *buffer, uint64_t bytes, uint64_t ns); /* 24.1 GB/s, decimal as link rates are; "" for 0 ns */
char *xs_format_share(char *buffer, uint64_t part, uint64_t whole); /* 12 %, 0.4 %, <0.1 %; "" for whole 0 */
char *xs_format_unix_ns(char *buffer, int64_t unix_ns);             /* 2026-01-31 12:00:00 UTC; "" where out of range */

/* Each macro returns the text that the function of its name writes, but the caller needs no buffer. The text stays
 * valid until the end of the block that contains the macro. The statement after an `if` or `for` is such a block, too.
 */
#define XS_UNIT_BUFFER ((char[XS_UNIT_BYTES]){""})
#define XS_COUNT_TEXT(count) xs_format_count(XS_UNIT_BUFFER, count)
#define XS_BYTES_TEXT(bytes) xs_format_bytes(XS_UNIT_BUFFER, bytes)
#define XS_NS_TEXT(ns) xs_format_ns(XS_UNIT_BUFFER, ns)
#define XS_RATE_TEXT(bytes, ns) xs_format_rate(XS_UNIT_BUFFER, bytes, ns)
#define XS_SHARE_TEXT(part, whole) xs_format_share(XS_UNIT_BUFFER, part, whole)
#define XS_UNIX_NS_TEXT(unix_ns) xs_format_unix_ns(XS_UNIT_BUFFER, unix_ns)

#endif
