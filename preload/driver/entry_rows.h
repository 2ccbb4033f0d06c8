/* Defines the rows of the table of entry points (entry_points.def) as an enumeration. A row's number is entry_point.id
 * in the trace. */
#ifndef XFERSPY_PRELOAD_DRIVER_ENTRY_ROWS_H
#define XFERSPY_PRELOAD_DRIVER_ENTRY_ROWS_H

#include <stdbool.h>

#include "preload/core/compiler.h"
#include "schema/format/kinds.h"

enum xs_entry_row {
#define XS_ENTRY(symbol, ...) XS_ROW_##symbol,
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
    XS_ROW_COUNT
};

/* The functions of the driver that are not recorded (gated_points.def), as an enumeration. */
enum xs_gated {
#define XS_GATED(symbol, ...) XS_GATED_##symbol,
#include "preload/driver/gated_points.def"
#undef XS_GATED
    XS_GATED_COUNT
};

/* True if the function belongs to process checkpointing (cuda-checkpoint). While a process is locked (from
 * cuCheckpointProcessLock until cuCheckpointProcessUnlock), all other driver calls of the process block. The comparison
 * works because the enumeration is sorted by name. */
XS_HOT bool xs_is_of_checkpoints(enum xs_gated row) {
    return row >= XS_GATED_cuCheckpointProcessCheckpoint && row <= XS_GATED_cuCheckpointProcessUnlock;
}

/* The repairs number the functions of both tables: an enum xs_entry_row is used as it is, and XS_ROW_COUNT is added to
 * an enum xs_gated. XS_ROW_NONE, the next number after these, means a function that is in neither table. */
enum { XS_ROW_NONE = (int)XS_ROW_COUNT + (int)XS_GATED_COUNT };

struct xs_row_info {
    const char *name;
    enum xs_category category;
    void *wrapper; /* this library's export of that name (intercept/wrappers.c) */
};
extern const struct xs_row_info xs_rows[XS_ROW_COUNT]; /* a constant table, defined in real.c */

#endif
