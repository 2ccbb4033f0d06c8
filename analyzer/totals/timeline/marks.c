/* Findings by row; see marks.h. */
#include "analyzer/totals/timeline/marks.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"

static void take_run(struct xs_marks *marks, struct xs_mark_run run) {
    xs_grow(&marks->runs, marks->run_count, &marks->run_capacity, sizeof *marks->runs);
    marks->runs[marks->run_count++] = run;
}

void xs_marks_take(void *data, unsigned detector, const struct xs_instance *instance) {
    struct xs_marks *marks = data;
    if (!instance->evidence_count)
        return;
    uint64_t ns = xs_times_rank_ns(&instance->removable);
    const struct xs_evidence *row = &instance->evidence[0];
    if (xs_instance_is_run(instance)) {
        take_run(marks, (struct xs_mark_run){.first = row->row,
                                             .last = instance->evidence[1].row,
                                             .ns = ns / instance->transfers,
                                             .transfers = instance->transfers,
                                             .site = instance->site,
                                             .detector = (uint8_t)detector,
                                             .verdict = (uint8_t)instance->verdict});
        return;
    }
    xs_grow(&marks->items, marks->count, &marks->capacity, sizeof *marks->items);
    marks->items[marks->count++] = (struct xs_mark){.row = row->row,
                                                    .ns = ns,
                                                    .site = instance->site,
                                                    .table = (uint8_t)row->table,
                                                    .detector = (uint8_t)detector,
                                                    .verdict = (uint8_t)instance->verdict};
}

static int by_row(const void *a, const void *b) {
    const struct xs_mark *x = a, *y = b;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return x->row != y->row ? xs_compare(x->row, y->row) : xs_compare(x->site, y->site);
}

static int by_site(const void *a, const void *b) {
    const struct xs_mark_run *x = a, *y = b;
    return x->site != y->site ? xs_compare(x->site, y->site) : xs_compare(x->first, y->first);
}

static uint64_t kind_key(unsigned detector, unsigned verdict) { return (uint64_t)detector << 8 | verdict; }

void xs_marks_seal(struct xs_marks *marks, const struct xs_diagnosis *diagnosis, size_t limit) {
    struct xs_hash index = {0};
    size_t kept = 0;
    for (size_t i = 0; i < diagnosis->count && i < limit; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
            if (xs_finding_has_verdict(f, verdict))
                *xs_hash_put(&index, f->site, kind_key(f->detector, verdict)) = i + 1;
    }
    for (size_t i = 0; i < marks->count; i++) {
        struct xs_mark mark = marks->items[i];
        const uint64_t *finding = xs_hash_find(&index, mark.site, kind_key(mark.detector, mark.verdict));
        if (!finding)
            continue;
        mark.site = (uint32_t)(*finding - 1);
        mark.ns =
            xs_finding_leads(diagnosis, mark.site) ? xs_finding_share_ns(&diagnosis->items[mark.site], mark.ns) : 0;
        marks->items[kept++] = mark;
    }
    marks->count = kept;
    kept = 0;
    for (size_t i = 0; i < marks->run_count; i++) {
        struct xs_mark_run run = marks->runs[i];
        const uint64_t *finding = xs_hash_find(&index, run.site, kind_key(run.detector, run.verdict));
        if (!finding)
            continue;
        run.finding = (uint32_t)(*finding - 1);
        run.ns = xs_finding_leads(diagnosis, run.finding)
                     ? xs_finding_share_ns(&diagnosis->items[run.finding], run.ns * run.transfers) / run.transfers
                     : 0;
        marks->runs[kept++] = run;
    }
    marks->run_count = kept;
    xs_hash_free(&index);
    if (marks->count)
        qsort(marks->items, marks->count, sizeof *marks->items, by_row);
    if (marks->run_count)
        qsort(marks->runs, marks->run_count, sizeof *marks->runs, by_site);
}

static void add(struct xs_marked *marked, uint32_t finding, uint64_t ns) {
    marked->saves_ns = ns > marked->saves_ns ? ns : marked->saves_ns;
    for (unsigned i = 0; i < marked->count; i++)
        if (marked->findings[i] == finding)
            return;
    if (marked->count < XS_MARKED_MOST)
        marked->findings[marked->count++] = finding;
}

/* Adds the findings whose runs contain the row. Runs of one site and detector do not overlap, and few detectors have
 * runs, so a run that contains the row is close before the first run after the row. */
static void runs_of(const struct xs_marks *marks, int64_t row, uint32_t site, struct xs_marked *marked) {
    enum { NEAR = 8 };
    size_t low = 0, high = marks->run_count;
    while (low < high) { /* the first run after (site, row) */
        size_t middle = low + (high - low) / 2;
        const struct xs_mark_run *run = &marks->runs[middle];
        if (run->site < site || (run->site == site && run->first <= row))
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low, looked = 0; i-- > 0 && looked < NEAR && marks->runs[i].site == site; looked++)
        if (row <= marks->runs[i].last)
            add(marked, marks->runs[i].finding, marks->runs[i].ns);
}

void xs_marks_of(const struct xs_marks *marks, enum xs_evidence_table table, int64_t row, uint32_t site,
                 struct xs_marked *marked) {
    struct xs_mark wanted = {.row = row, .table = (uint8_t)table};
    size_t low = 0, high = marks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_row(&marks->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < marks->count && marks->items[low].row == row && marks->items[low].table == table; low++)
        add(marked, marks->items[low].site, marks->items[low].ns);
    if (table == XS_EVIDENCE_TRANSFER && marks->run_count)
        runs_of(marks, row, site, marked);
}

void xs_marks_free(struct xs_marks *marks) {
    free(marks->items);
    free(marks->runs);
    *marks = (struct xs_marks){0};
}
