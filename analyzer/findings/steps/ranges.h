/* The NVTX ranges of a trace by kind: ranges whose names differ in digits alone, within ranges of one kind, are of one
 * kind, as "step 1" and "step 2" are. */
#ifndef XFERSPY_ANALYZER_STEPS_RANGES_H
#define XFERSPY_ANALYZER_STEPS_RANGES_H

#include <stdbool.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"
#include "schema/read/trace.h"

enum {
    XS_STEP_RANGES_DEEP = 8, /* ranges within each other that are told apart; those inside count as the last */
    XS_STEP_RANGE_NAME = 256 /* bytes; capture keeps no longer names */
};

struct xs_step_ranges { /* zeroed: none */
    struct xs_step_range {
        uint32_t parent; /* its index, 0: none is around it */
        uint32_t kind;   /* index in `kinds` */
        uint32_t depth;  /* ranges around it, and itself */
    } * items;           /* from 1 on; 0 stands for no range */
    size_t count, capacity;
    struct xs_step_range_kind {
        const char *name; /* each number in it as # */
        uint32_t depth;
        bool in_domain;  /* of a domain: not of the default one, in which programs mark their steps */
        bool of_library; /* a library made them for itself */
    } * kinds;
    size_t kind_count, kind_capacity;
    struct xs_texts names;
    struct xs_hash by_id, by_kind;
};

/* Reads the table of ranges. Negative status: the message is set. Always to be freed. */
int xs_step_ranges_read(struct xs_step_ranges *ranges, const struct xs_trace *trace, char *message);
void xs_step_ranges_free(struct xs_step_ranges *ranges);

/* What names of one kind have in common: of "step 12 of 100" it is "step # of #". */
void xs_step_range_kind_name(const char *name, char kind[XS_STEP_RANGE_NAME]);

/* The index of a range by nvtx_range.id; 0: no range, or none that the trace has. */
uint32_t xs_step_range_of(const struct xs_step_ranges *ranges, int64_t id);

/* The innermost range that two have around them, or are; 0: none. */
uint32_t xs_step_ranges_common(const struct xs_step_ranges *ranges, uint32_t a, uint32_t b);

#endif
