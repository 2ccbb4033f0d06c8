/* The rows of the table of entry points (entry_points.def) as an enumeration. A row's number is entry_point.id in the
 * trace. */
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

/* Functions that are not recorded (gated_points.def). */
enum xs_gated {
#define XS_GATED(symbol, ...) XS_GATED_##symbol,
#include "preload/driver/gated_points.def"
#undef XS_GATED
    XS_GATED_COUNT
};

/* True if the function belongs to process checkpointing (cuda-checkpoint). From cuCheckpointProcessLock until
 * cuCheckpointProcessUnlock every other driver call blocks. The rows are sorted by name. */
XS_HOT bool xs_is_of_checkpoints(enum xs_gated row) {
    return row >= XS_GATED_cuCheckpointProcessCheckpoint && row <= XS_GATED_cuCheckpointProcessUnlock;
}

/* The row number that repairs use for a function that is in neither table. The numbers from XS_ROW_COUNT up to this one
 * are XS_ROW_COUNT plus an enum xs_gated. */
enum { XS_ROW_NONE = (int)XS_ROW_COUNT + (int)XS_GATED_COUNT };

struct xs_row_info {
    const char *name;
    enum xs_category category;
    void *wrapper; /* this library's export of that name (intercept/wrappers.c) */
};
extern const struct xs_row_info xs_rows[XS_ROW_COUNT]; /* constant; in real.c */

#endif
