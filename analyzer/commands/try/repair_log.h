/* Reads the log that the library writes at a program's end, about the repairs that it made; see docs/use/repairs.md,
 * "The log". */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_REPAIR_LOG_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_REPAIR_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* The sums of the logs of one or more runs. A zeroed struct has no run. */
struct xs_repair_log {
    size_t runs;              /* number of runs with a readable log */
    uint64_t differs;         /* calls that did not copy what the plan says, over all runs */
    uint64_t wrong;           /* copies that would have got wrong contents, over all runs */
    uint64_t checked;         /* copies whose contents were compared, right or wrong, over all runs */
    uint64_t accessed;        /* places that the program accessed although a download into them was left out */
    uint64_t unsure;          /* such places of which nobody can say whether the program accessed them */
    uint64_t applied;         /* number of repairs in the run that made the fewest repairs */
    uint64_t bytes;           /* bytes of the repairs in the run that made the fewest repairs */
    struct xs_string refused; /* refused repairs by reason, from the last run: "contents differ 3, capturing 1"; empty:
                                 none */
    struct xs_string off;     /* "gather is off: why", from the first run that has it; escaped; empty: all repairs could
                                 start */
};

/* Adds the log at `path`, and deletes the file. If a second process also wrote a log, deletes both logs and adds
 * nothing. Returns NULL, or what is wrong with the log, as static text for a part of a sentence. */
const char *xs_repair_log_take(struct xs_repair_log *log, const char *path);
void xs_repair_log_free(struct xs_repair_log *log);

#endif
