/* Gives each call site a small number. A site consists of an entry point and, if the call's stack was recorded, the
 * place that called it (the source line, see callsites.h). A site without a place has the number of its entry point.
 * Sites with a place get the next numbers, in the order in which they first occur. The number of sites with a place is
 * about the number of the program's lines that call an entry point. */
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
    uint32_t place; /* number of xs_callsites_place; 0: not known */
    int64_t stack;  /* stack.id of a stack with this place; 0: not known */
};

struct xs_sites {
    struct xs_entry_point *entry_points; /* by number of the site without a place; 0 is the unknown entry point */
    uint32_t count;
    struct xs_hash by_id;
    uint32_t near[1024]; /* maps a small entry_point.id to the site; capture gives entry points only small ids */

    struct xs_callsites *callsites; /* NULL: the trace has neither stacks nor ranges */
    uint32_t *places;               /* place by stack number, for numbers below stack_limit */
    int64_t stack_limit;
    struct xs_site *placed; /* sites with a place; the number of a site is its index + count */
    uint32_t placed_count;
    size_t placed_capacity;
    struct xs_site_hint {
        uint32_t entry, site; /* the place's latest site, which is usually its only one; site 0: none yet */
    } * hints;                /* by number of the place */
    uint32_t place_count;
    struct xs_hash by_place; /* maps entry point and place to the site */
    struct xs_hash looked;   /* see looked_stacks.h */

    char *cwd;                          /* working directory of the run; "": not known */
    struct xs_source_text *source_text; /* NULL: the trace has no text of lines */
};

/* Negative status: the message is set. Call xs_sites_free even then. */
int xs_sites_read(struct xs_sites *sites, const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_sites_free(struct xs_sites *sites);

/* Returns the site of a call; 0: unknown. `stack` is stack.id; 0: not recorded. */
uint32_t xs_site_of(struct xs_sites *sites, int64_t entry_point, int64_t stack);

/* Returns the entry point and place of a site; an unknown number is treated as 0. */
struct xs_site xs_site_parts(const struct xs_sites *sites, uint32_t site);
static inline const struct xs_entry_point *xs_site_entry(const struct xs_sites *sites, uint32_t site) {
    return &sites->entry_points[xs_site_parts(sites, site).entry];
}

/* Returns the user's frame of the site; NULL: not known. */
const struct xs_frame *xs_site_place_frame(const struct xs_sites *sites, uint32_t site);

/* Returns the framework that the user's frame calls. If there are several frameworks between that frame and the driver,
 * the result is the framework nearest to the user's frame. */
enum xs_framework xs_site_framework(const struct xs_sites *sites, uint32_t site);

/* Returns the place of a stack; 0: not known. */
uint32_t xs_sites_place(const struct xs_sites *sites, int64_t stack);

#endif
