/* Site numbers; see site.h. */
#include "analyzer/model/site.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/memory.h"
#include "analyzer/model/scan.h"

static bool begins_with(const char *name, const char *start) { return strncmp(name, start, strlen(start)) == 0; }

static enum xs_api_role role_of(const char *name, enum xs_category category) {
    if (begins_with(name, "cuEventRecord"))
        return XS_API_RECORDS_EVENT;
    static const char *const sharing[] = {"cuIpcGetMemHandle", "cuMemExportToShareableHandle", "cuMemPoolExportPointer",
                                          "cuMemGetHandleForAddressRange", "cuPointerSetAttribute"};
    for (size_t i = 0; i < sizeof sharing / sizeof *sharing; i++)
        if (!strcmp(name, sharing[i]))
            return XS_API_SHARES;
    return category == XS_CAT_STREAM_MEMOP || begins_with(name, "cuStreamWaitEvent") ? XS_API_WAITS : XS_API_OTHER;
}

static void add(struct xs_sites *sites, int64_t id, const char *name, enum xs_category category) {
    sites->entry_points = xs_realloc(sites->entry_points, (sites->count + 1) * sizeof *sites->entry_points);
    sites->entry_points[sites->count] = (struct xs_entry_point){id, xs_strdup(name), category, role_of(name, category)};
    if (sites->count)
        *xs_hash_put(&sites->by_id, (uint64_t)id, 0) = sites->count;
    if (id > 0 && id < (int64_t)(sizeof sites->near / sizeof *sites->near))
        sites->near[id] = sites->count;
    sites->count++;
}

int xs_sites_read(struct xs_sites *sites, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct xs_scan scan;
    *sites = (struct xs_sites){0};
    add(sites, 0, "unknown", XS_CAT_TRANSFER);
    xs_scan_begin(&scan, trace, "SELECT id, name, category FROM entry_point", message, damaged);
    while (xs_scan_row(&scan))
        add(sites, xs_scan_int(&scan, 0), xs_scan_text(&scan, 1),
            (enum xs_category)xs_scan_kind(&scan, 2, XS_CAT_LOOKUP + 1));
    return xs_scan_end(&scan);
}

void xs_sites_free(struct xs_sites *sites) {
    for (uint32_t i = 0; i < sites->count; i++)
        free(sites->entry_points[i].name);
    free(sites->entry_points);
    xs_hash_free(&sites->by_id);
    *sites = (struct xs_sites){0};
}

uint32_t xs_site_of(const struct xs_sites *sites, int64_t entry_point) {
    if (entry_point >= 0 && entry_point < (int64_t)(sizeof sites->near / sizeof *sites->near))
        return sites->near[entry_point];
    const uint64_t *site = xs_hash_find(&sites->by_id, (uint64_t)entry_point, 0);
    return site ? (uint32_t)*site : 0;
}
