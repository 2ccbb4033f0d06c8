/* The instances of an analysis, as far as their repairs need them: kept while the analysis runs, because the model of
 * the run is read after it. Memory use grows with the number of instances. */
#ifndef XFERSPY_ANALYZER_CAUSES_INSTANCES_H
#define XFERSPY_ANALYZER_CAUSES_INSTANCES_H

#include "analyzer/findings/engine/findings.h"

/* An instance whose finding has a repair. */
struct xs_repairable {
    int64_t rows[2];    /* the first two of its evidence; 0: there is none */
    uint64_t device_ns; /* of its removable */
    uint32_t site;      /* of its finding, as the next two */
    uint8_t detector, verdict;
    uint8_t table; /* of the first row; enum xs_evidence_table */
};

struct xs_repairables {
    struct xs_repairable *items;
    size_t count, capacity;
};

void xs_repairables_add(struct xs_repairables *all, unsigned detector, const struct xs_instance *instance);

/* Puts the instances of one finding behind each other, each finding's in their order. */
void xs_repairables_sort(struct xs_repairables *all);

/* Those of a finding: the index of the first, and how many. To be sorted. */
size_t xs_repairables_of(const struct xs_repairables *all, const struct xs_finding *finding, size_t *count);

void xs_repairables_free(struct xs_repairables *all);

#endif
