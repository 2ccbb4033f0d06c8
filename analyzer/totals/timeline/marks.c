/* Finds the findings of a row; see marks.h. */
#include "analyzer/totals/timeline/marks.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"

void xs_marks_take(void *data, unsigned detector, const struct xs_instance *instance) {
    struct xs_marks *marks = data;
    if (!instance->evidence_count)
        return;
    uint64_t ns = xs_times_rank_ns(&instance->removable);
    const struct xs_evidence *row = &instance->evidence[0];
    if (xs_instance_is_run(instance)) {
        xs_grow(&marks->runs, marks->run_count, &marks->run_capacity, sizeof *marks->runs);
        marks->runs[marks->run_count++] = (struct xs_mark_run){.first = row->row,
                                                               .last = instance->evidence[1].row,
                                                               .transfers = instance->transfers,
                                                               .ns = ns,
                                                               .site = instance->site,
                                                               .detector = (uint8_t)detector,
                                                               .verdict = (uint8_t)instance->verdict};
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
    return xs_compare(x->table, y->table) ?: xs_compare(x->row, y->row) ?: xs_compare(x->site, y->site);
}

int xs_mark_runs_by_site(const void *a, const void *b) {
    const struct xs_mark_run *x = a, *y = b;
    return x->site != y->site ? xs_compare(x->site, y->site) : xs_compare(x->first, y->first);
}

static uint64_t kind_key(unsigned detector, unsigned verdict) { return (uint64_t)detector << 8 | verdict; }

void xs_findings_index(struct xs_hash *index, const struct xs_diagnosis *diagnosis, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
            if (xs_finding_has_verdict(f, verdict))
                *xs_hash_put(index, f->site, kind_key(f->detector, verdict)) = i + 1;
    }
}

const uint64_t *xs_findings_find(const struct xs_hash *index, unsigned detector, unsigned verdict, uint32_t site) {
    return xs_hash_find(index, site, kind_key(detector, verdict));
}

void xs_marks_seal(struct xs_marks *marks, const struct xs_diagnosis *diagnosis, size_t limit) {
    XS_SCOPED_HASH index = {0};
    size_t kept = 0;
    xs_findings_index(&index, diagnosis, diagnosis->count < limit ? diagnosis->count : limit);
    for (size_t i = 0; i < marks->count; i++) {
        struct xs_mark mark = marks->items[i];
        const uint64_t *finding = xs_findings_find(&index, mark.detector, mark.verdict, mark.site);
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
        const uint64_t *finding = xs_findings_find(&index, run.detector, run.verdict, run.site);
        if (!finding)
            continue;
        run.finding = (uint32_t)(*finding - 1);
        run.ns /= run.transfers;
        run.ns = xs_finding_leads(diagnosis, run.finding)
                     ? xs_finding_share_ns(&diagnosis->items[run.finding], run.ns * run.transfers) / run.transfers
                     : 0;
        marks->runs[kept++] = run;
    }
    marks->run_count = kept;
    xs_sort(marks->items, marks->count, sizeof *marks->items, by_row);
    xs_sort(marks->runs, marks->run_count, sizeof *marks->runs, xs_mark_runs_by_site);
}

static void add(struct xs_marked *marked, uint32_t finding, uint64_t ns) {
    marked->saves_ns = ns > marked->saves_ns ? ns : marked->saves_ns;
    for (unsigned i = 0; i < marked->count; i++)
        if (marked->findings[i] == finding)
            return;
    if (marked->count < XS_MARKED_MOST)
        marked->findings[marked->count++] = finding;
}

static bool has_begun(const void *run, const void *wanted) { return xs_mark_runs_by_site(run, wanted) <= 0; }

/* Adds the findings whose runs contain the row. Runs of one site and detector do not overlap, and few detectors have
 * runs, so a run that contains the row is close before the first run after the row. */
static void runs_of(const struct xs_marks *marks, int64_t row, uint32_t site, struct xs_marked *marked) {
    enum { NEAR = 8 };
    const struct xs_mark_run wanted = {.first = row, .site = site};
    size_t after = xs_search(marks->runs, marks->run_count, sizeof wanted, has_begun, &wanted);
    for (size_t i = after, looked = 0; i-- > 0 && looked < NEAR && marks->runs[i].site == site; looked++)
        if (row <= marks->runs[i].last)
            add(marked, marks->runs[i].finding, marks->runs[i].ns);
}

static bool is_before(const void *mark, const void *wanted) { return by_row(mark, wanted) < 0; }

void xs_marks_of(const struct xs_marks *marks, enum xs_evidence_table table, int64_t row, uint32_t site,
                 struct xs_marked *marked) {
    const struct xs_mark wanted = {.row = row, .table = (uint8_t)table};
    size_t i = xs_search(marks->items, marks->count, sizeof wanted, is_before, &wanted);
    for (; i < marks->count && marks->items[i].row == row && marks->items[i].table == table; i++)
        add(marked, marks->items[i].site, marks->items[i].ns);
    if (table == XS_EVIDENCE_TRANSFER && marks->run_count)
        runs_of(marks, row, site, marked);
}

void xs_marks_free(struct xs_marks *marks) {
    free(marks->items);
    free(marks->runs);
    *marks = (struct xs_marks){0};
}
