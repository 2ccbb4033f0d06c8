/* Where in the program a call was made, as a small number. For now that is the entry point of the driver; real call sites
 * will come in here. */
#ifndef XFERSPY_ANALYZER_MODEL_SITE_H
#define XFERSPY_ANALYZER_MODEL_SITE_H

#include "analyzer/model/hash.h"
#include "analyzer/model/trace_event.h"
#include "schema/trace.h"

struct xs_entry_point {
    int64_t id;
    char *name; /* "unknown" for number 0 */
    enum xs_category category;
    enum xs_api_role role;
};

struct xs_sites {
    struct xs_entry_point *entry_points; /* by site number; 0 is the unknown one */
    uint32_t count;
    struct xs_hash by_id;
    uint32_t near[1024]; /* sites of small ids, which is all that capture hands out */
};

/* Negative status: the message is set. Always to be freed. */
int xs_sites_read(struct xs_sites *sites, const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_sites_free(struct xs_sites *sites);

/* The site of a call, 0: unknown. */
uint32_t xs_site_of(const struct xs_sites *sites, int64_t entry_point);

#endif
