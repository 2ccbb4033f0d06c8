/* Groups the NVTX ranges of a trace by kind. Two ranges are of one kind if their names differ only in digits, as "step
 * 1" and "step 2" do, and the ranges around them are of one kind. */
#ifndef XFERSPY_ANALYZER_FINDINGS_STEPS_STEP_RANGES_H
#define XFERSPY_ANALYZER_FINDINGS_STEPS_STEP_RANGES_H

#include <stdbool.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"
#include "schema/read/trace.h"

enum {
    XS_STEP_RANGES_DEEP = 8, /* number of levels of nested ranges that are distinguished; a deeper range counts as the
                              * range of the last level around it */
    XS_STEP_RANGE_NAME = 256 /* size of a name in bytes; no name that capture records is longer */
};

struct xs_step_ranges { /* zeroed: none */
    struct xs_step_range {
        uint32_t parent; /* index of the range around it, 0: none */
        uint32_t kind;   /* index in `kinds` */
        uint32_t depth;  /* number of ranges around it, plus 1 */
    } * items;           /* item 0 means no range */
    size_t count, capacity;
    struct xs_step_range_kind {
        const char *name; /* has # instead of each number */
        uint32_t depth;
        bool in_domain;  /* the range is not in the default domain, in which programs mark their steps */
        bool of_library; /* a library made the ranges for itself */
    } * kinds;
    size_t kind_count, kind_capacity;
    struct xs_texts names;
    struct xs_hash by_id, by_kind;
};

/* Reads the table of ranges. Negative status: the message is set. Always call xs_step_ranges_free. */
int xs_step_ranges_read(struct xs_step_ranges *ranges, const struct xs_trace *trace, char *message);
void xs_step_ranges_free(struct xs_step_ranges *ranges);

/* Writes the part that all names of one kind have in common: "step # of #" for "step 12 of 100". */
void xs_step_range_kind_name(const char *name, char kind[XS_STEP_RANGE_NAME]);

/* Returns the index of a range by nvtx_range.id; 0: `id` is no range, or the trace does not have it. */
uint32_t xs_step_range_of(const struct xs_step_ranges *ranges, int64_t id);

/* Returns the innermost range that contains both ranges, which may be one of the two; 0: none. */
uint32_t xs_step_ranges_common(const struct xs_step_ranges *ranges, uint32_t a, uint32_t b);

#endif
