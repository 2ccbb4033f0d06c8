/* Collects the data of the page's flame graph: totals by call stack and entry point. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_FLAME_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_FLAME_H

#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"
#include "analyzer/savings/causes/diagnosis.h"

enum { XS_HTML_LEAVES = 2000, XS_HTML_LEAF_FRAMES = 64 };

/* All calls of one entry point with one stack. */
struct xs_html_leaf {
    int64_t entry_point, stack;                    /* 0: none recorded */
    uint32_t site;                                 /* number in struct xs_sites */
    int32_t index;                                 /* index of the site's row in "sites"; -1: not shown */
    uint64_t transfers, bytes, device_ns, host_ns; /* totals of copies */
    uint64_t calls_ns; /* time in calls of any kind; the savings at a site are divided among the leaves of the site in
                          proportion to this time */
};

struct xs_html_flame { /* zeroed: empty */
    struct xs_html_leaf *leaves;
    size_t count, capacity;
    struct xs_hash by_key; /* maps an entry point and a stack to the index of the leaf + 1 */
};

/* Returns the index of the leaf for a call, and adds the leaf if it is new. `index` and `site` are results of
 * xs_html_site_index. */
uint32_t xs_html_flame_leaf(struct xs_html_flame *flame, int64_t entry_point, int64_t stack, int32_t index,
                            uint32_t site);
void xs_html_flame_free(struct xs_html_flame *flame);

/* Writes "flame": {...} into the open object: the distinct frames, and for each leaf the numbers of its frames,
 * outermost first. If there are too many leaves, those with the least time are left out. Changes the order of the
 * leaves. */
void xs_html_flame_json(struct xs_html_flame *flame, const struct xs_diagnosis *diagnosis, struct xs_json *json);

#endif
