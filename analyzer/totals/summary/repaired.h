/* Describes a run that xferspy repaired while it recorded it (XFERSPY_REPAIR): which repairs were on, and how often
 * each repair was made. A trace does not say whether a repair left out a particular call. The counts and findings of
 * such a trace are therefore about all calls that the program made, including calls that a repair left out. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_REPAIRED_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_REPAIRED_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "schema/read/trace.h"

enum xs_repaired_by {
#define XS_REPAIR(id, symbol, name, what) XS_REPAIRED_##id,
#include "schema/repairs.def"
#undef XS_REPAIR
    XS_REPAIRS
};

struct xs_repaired {
    bool asked; /* XFERSPY_REPAIR was set */
    bool known; /* the trace says which repairs were made; false if the process was killed early */
    bool ended; /* the counts are of the whole run; false: they are from some time before its end, because the process
                   was killed or still runs */
    struct {
        bool on;
        uint64_t made, bytes;
    } of[XS_REPAIRS];
    unsigned on;   /* number of repairs that were on */
    uint64_t made; /* sum over all repairs */
};

void xs_repaired_read(struct xs_repaired *repaired, const struct xs_trace *trace);

/* True if calls of the run were left out or changed, or may have been. */
bool xs_repaired_any(const struct xs_repaired *repaired);

/* Writes "Recorded with repairs (XFERSPY_REPAIR): drop-uploads (uploads left out: 49, 3.06 GiB)." and, if any repair
 * was or may have been made, what this means for the numbers of the report. If the counts do not cover the whole run,
 * the words in parentheses are "uploads left out: at least 49, 3.06 GiB" or "uploads left out: how many is not known".
 * Writes nothing if no repair was on. */
void xs_repaired_say(struct xs_string *text, const struct xs_repaired *repaired);

/* Writes the value of the key `repairs`: null if no repair was on. */
void xs_repaired_json(const struct xs_repaired *repaired, struct xs_json *json);

#endif
