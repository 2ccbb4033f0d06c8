/* Keeps the instances that have a repair, in few bytes each, grouped by finding. Memory use grows with the number of
 * instances that are kept. Of a long run, most of the kept instances are in the parts of the run that are replayed. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_INSTANCES_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/intervals.h"

struct xs_finding;
struct xs_instance;

/* An instance whose finding has a repair. */
struct xs_repairable {
    int64_t rows[2];    /* the first two rows of its evidence; 0: none */
    uint64_t device_ns; /* the removable time on the device; for XS_REPAIR_PREPARE_ON_DEVICE, the removable time of the
                           host */
    uint32_t site;      /* site of the finding */
    uint8_t detector, verdict;
    uint8_t table;   /* table of the first row; enum xs_evidence_table */
    bool held : 1;   /* as in struct xs_instance */
    bool is_run : 1; /* xs_instance_is_run */
};

struct xs_repairables {
    struct xs_repairable *items;
    size_t count, capacity;
    struct xs_hash last; /* for each finding and verdict, the last instance that is not in `items`; xs_repairables_sort
                          * empties this table */
};

/* Keeps an instance that has a repair, if its call begins in one of the intervals of `only`, which are disjoint and in
 * ascending order; `only` NULL: in any case. Instances about managed memory are always kept. So is, for each finding
 * and verdict, the last instance outside of `only`, so that no finding is without an instance. */
void xs_repairables_add(struct xs_repairables *all, unsigned detector, const struct xs_instance *instance,
                        const struct xs_intervals *only);

/* True if the repair changes the whole run, no matter which of its instances are known. */
bool xs_repairable_is_of_run(const struct xs_repairable *item);

/* Groups the instances by finding. The instances of a finding are then in the order of their first rows. Must be called
 * after the last xs_repairables_add. */
void xs_repairables_sort(struct xs_repairables *all);

/* Returns the index of a finding's first instance. Sets `*count` to the number of the finding's instances. Requires
 * xs_repairables_sort. */
size_t xs_repairables_of(const struct xs_repairables *all, const struct xs_finding *finding, size_t *count);

void xs_repairables_free(struct xs_repairables *all);

#endif
