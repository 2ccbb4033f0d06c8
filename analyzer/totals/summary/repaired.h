/* A trace of a run that was repaired while it was recorded (XFERSPY_REPAIR): which repairs were on, and how often each
 * was made. A trace does not say of a single call whether a repair left it out, so its counts and what is found are of
 * the calls that the program made. */
#ifndef XFERSPY_ANALYZER_SUMMARY_REPAIRED_H
#define XFERSPY_ANALYZER_SUMMARY_REPAIRED_H

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

#define XS_RUN_WAS_REPAIRED "the run was repaired while it was recorded"

struct xs_repaired {
    bool asked; /* XFERSPY_REPAIR was set */
    bool known; /* the trace says what became of it; that of a process that was killed early does not */
    bool ended; /* the counts are of the whole run; those of a process that was killed, or runs, are of some time ago */
    struct {
        bool on;
        uint64_t made, bytes;
    } of[XS_REPAIRS];
    unsigned on;   /* how many were */
    uint64_t made; /* by all of them */
};

void xs_repaired_read(struct xs_repaired *repaired, const struct xs_trace *trace);

/* Whether calls of the run were not made as the program asked for, or may have been. */
bool xs_repaired_any(const struct xs_repaired *repaired);

/* "Recorded with repairs (XFERSPY_REPAIR): drop-uploads (uploads left out: 49, 3.06 GiB)." and, where any was made,
 * what that means for the numbers. Where the counts are not of the whole run: "uploads left out: at least 49, 3.06
 * GiB", "uploads left out: how many is not known". Nothing where none was on. */
void xs_repaired_say(struct xs_string *text, const struct xs_repaired *repaired);

/* The value of the key `repairs`: null where none was on. */
void xs_repaired_json(const struct xs_repaired *repaired, struct xs_json *json);

#endif
