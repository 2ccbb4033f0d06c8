/* Counts the rows that the command has read, so that a long command can show its progress. */
#ifndef XFERSPY_SCHEMA_ROWS_READ_H
#define XFERSPY_SCHEMA_ROWS_READ_H

#include <stdatomic.h>
#include <stdint.h>

extern _Atomic uint64_t xs_rows_read;

/* Counts one more row. If two threads count at the same time, a row may be lost. That does not matter for a progress
 * line, and an atomic addition would cost more for each row. */
static inline void xs_row_read(void) {
    uint64_t rows = atomic_load_explicit(&xs_rows_read, memory_order_relaxed);
    atomic_store_explicit(&xs_rows_read, rows + 1, memory_order_relaxed);
}

#endif
