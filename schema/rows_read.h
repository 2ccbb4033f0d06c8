/* Counts the rows that the command has read, so that a long command can show its progress. */
#ifndef XFERSPY_SCHEMA_ROWS_READ_H
#define XFERSPY_SCHEMA_ROWS_READ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint64_t xs_rows_read;

/* True in a thread whose rows are not counted, because it reads beside the thread that the progress line is about. Such
 * a thread has a count of its own. */
extern _Thread_local bool xs_rows_uncounted;
extern _Thread_local uint64_t xs_rows_read_beside;

/* Counts more rows. Only one thread counts, so no atomic addition is needed, which would cost more for each row. */
static inline void xs_rows_add(uint64_t more) {
    uint64_t rows = atomic_load_explicit(&xs_rows_read, memory_order_relaxed);
    atomic_store_explicit(&xs_rows_read, rows + more, memory_order_relaxed);
}

/* Counts one more row. */
static inline void xs_row_read(void) {
    if (xs_rows_uncounted)
        xs_rows_read_beside++;
    else
        xs_rows_add(1);
}

#endif
