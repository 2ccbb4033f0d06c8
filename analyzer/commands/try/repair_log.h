/* What the library says at a program's end of the repairs that it made; docs/use/repairs.md, "The log". */
#ifndef XFERSPY_ANALYZER_TRY_REPAIR_LOG_H
#define XFERSPY_ANALYZER_TRY_REPAIR_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* Of one or more runs; zeroed: of none. */
struct xs_repair_log {
    size_t runs;              /* that left a log that can be read */
    uint64_t differs;         /* calls that moved something else than the plan says; of all runs */
    uint64_t wrong;           /* copies that would have got other contents; of all runs */
    uint64_t checked;         /* copies whose contents were compared, right or wrong; of all runs */
    uint64_t applied;         /* of the run that applied least */
    uint64_t bytes;           /* of that run */
    struct xs_string refused; /* "contents differ 3, capturing 1", of the last run; empty: nothing */
    struct xs_string off;     /* "gather is off: why", the first that was; escaped; empty: all could start */
};

/* Adds the log at `path` and deletes it, with that of a second process. What is wrong, within a sentence, or NULL;
 * static. */
const char *xs_repair_log_take(struct xs_repair_log *log, const char *path);
void xs_repair_log_free(struct xs_repair_log *log);

#endif
