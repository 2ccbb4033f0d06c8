/* Where in the program a call was made, as a small number: the driver's entry point, and, where the call's stack was
 * recorded, the place that it was called from (callsites.h). Sites of calls without a stack have the numbers of their
 * entry points; the others get theirs as they are met, as many as there are lines of the program that call an entry
 * point. */
#ifndef XFERSPY_ANALYZER_TRACE_SITE_H
#define XFERSPY_ANALYZER_TRACE_SITE_H

#include "analyzer/base/hash.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/source_text.h"
#include "analyzer/trace/trace_event.h"
#include "schema/format/entry_traits.h"
#include "schema/read/trace.h"
#include "schema/source/library.h"

struct xs_entry_point {
    int64_t id;
    char *name; /* "unknown" for number 0 */
    enum xs_category category;
    unsigned traits; /* enum xs_entry_trait */
};

struct xs_site {
    uint32_t entry; /* index in entry_points */
    uint32_t place; /* of xs_callsites_place; 0: not known */
    int64_t stack;  /* one that has this place; 0: not known */
};

struct xs_sites {
    struct xs_entry_point *entry_points; /* by site number; 0 is the unknown one */
    uint32_t count;
    struct xs_hash by_id;
    uint32_t near[1024]; /* sites of small ids, which is all that capture hands out */

    struct xs_callsites *callsites; /* NULL: the trace has neither stacks nor ranges */
    uint32_t *places;               /* by stack number, for all that are less than stack_limit */
    int64_t stack_limit;
    struct xs_site *placed; /* sites with a place; the number is the index + count */
    uint32_t placed_count, placed_capacity;
    struct xs_site_hint {
        uint32_t entry, site; /* the latest site of a place, which mostly is its only one; site 0: none yet */
    } * hints;                /* by place */
    uint32_t place_count;
    struct xs_hash by_place; /* entry and place to site */

    char *cwd;                          /* of the run, "" where not known */
    struct xs_source_text *source_text; /* NULL: there are no lines */
};

/* Negative status: the message is set. Always to be freed. */
int xs_sites_read(struct xs_sites *sites, const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_sites_free(struct xs_sites *sites);

/* The site of a call, 0: unknown. `stack` is stack.id, 0: not recorded. */
uint32_t xs_site_of(struct xs_sites *sites, int64_t entry_point, int64_t stack);

/* What a site is made of, a number that there is none of taken as 0. */
struct xs_site xs_site_parts(const struct xs_sites *sites, uint32_t site);
static inline const struct xs_entry_point *xs_site_entry(const struct xs_sites *sites, uint32_t site) {
    return &sites->entry_points[xs_site_parts(sites, site).entry];
}

/* The user's frame there, NULL: not known. */
const struct xs_frame *xs_site_place_frame(const struct xs_sites *sites, uint32_t site);

/* The framework that the user's frame calls there: of those between it and the driver the one next to it. */
enum xs_framework xs_site_framework(const struct xs_sites *sites, uint32_t site);

/* The place of a stack, 0: not known. */
uint32_t xs_sites_place(const struct xs_sites *sites, int64_t stack);

#endif
