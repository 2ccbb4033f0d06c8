/* The library's report at a program's end on the repairs that it made; docs/use/repairs.md, "The log". */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_REPAIR_LOG_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_REPAIR_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* The log of one or more runs; zeroed: of no run. */
struct xs_repair_log {
    size_t runs;              /* number of runs with a readable log */
    uint64_t differs;         /* calls that moved something else than the plan says, over all runs */
    uint64_t wrong;           /* copies that would have got other contents, over all runs */
    uint64_t checked;         /* copies whose contents were compared, right or wrong, over all runs */
    uint64_t applied;         /* in the run that applied least */
    uint64_t bytes;           /* in that run */
    struct xs_string refused; /* "contents differ 3, capturing 1", from the last run; empty: nothing */
    struct xs_string off;     /* "gather is off: why", from the first one; escaped; empty: all could start */
};

/* Adds the log at `path` and deletes it, with the log of a second process. Returns what is wrong, as static text
 * within a sentence, or NULL. */
const char *xs_repair_log_take(struct xs_repair_log *log, const char *path);
void xs_repair_log_free(struct xs_repair_log *log);

#endif
