/* The rows that findings are about; see marks.h. */
#include "analyzer/html/marks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/html/grow.h"

static uint64_t key_of(enum xs_evidence_table table, int64_t row) { return (uint64_t)table << 56 | (uint64_t)row; }

static uint64_t kind_key(unsigned detector, unsigned verdict) { return (uint64_t)detector << 32 | verdict; }

/* As in the report's totals: a run names its first and its last transfer. */
static bool is_run(const struct xs_instance *instance) {
    const struct xs_evidence *rows = instance->evidence;
    return instance->transfers > 1 && instance->evidence_count > 1 && rows[0].table == XS_EVIDENCE_TRANSFER &&
           rows[1].table == XS_EVIDENCE_TRANSFER && rows[0].row < rows[1].row;
}

void xs_html_mark(struct xs_html_marks *marks, unsigned detector, const struct xs_instance *instance) {
    uint64_t *number = xs_hash_put(&marks->kinds, kind_key(detector, instance->verdict), instance->site);
    if (!*number)
        *number = marks->kinds.count;
    uint32_t finding = (uint32_t)*number;
    if (!instance->evidence_count || instance->evidence[0].row <= 0)
        return;
    if (is_run(instance)) {
        xs_html_grow(&marks->runs, marks->run_count, &marks->run_capacity, sizeof *marks->runs);
        marks->runs[marks->run_count++] = (struct xs_html_run){.first = instance->evidence[0].row,
                                                               .last = instance->evidence[1].row,
                                                               .site = instance->site,
                                                               .finding = finding};
        return;
    }
    xs_html_grow(&marks->items, marks->count, &marks->capacity, sizeof *marks->items);
    marks->items[marks->count++] =
        (struct xs_html_mark){key_of(instance->evidence[0].table, instance->evidence[0].row), finding};
}

static int compare_marks(const void *a, const void *b) {
    const struct xs_html_mark *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->finding > y->finding) - (x->finding < y->finding);
}

static int compare_runs(const void *a, const void *b) {
    const struct xs_html_run *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

void xs_html_marks_finish(struct xs_html_marks *marks, const struct xs_findings *findings, size_t limit) {
    size_t kinds = marks->kinds.count + 1, kept = 0;
    uint32_t *index = xs_realloc(NULL, kinds * sizeof *index);
    for (size_t i = 0; i < kinds; i++)
        index[i] = UINT32_MAX;
    for (size_t i = 0; i < findings->count && i < limit; i++) {
        const struct xs_finding *f = &findings->items[i];
        const uint64_t *number = xs_hash_find(&marks->kinds, kind_key(f->detector, f->verdict), f->site);
        if (number)
            index[*number] = (uint32_t)i;
    }
    for (size_t i = 0; i < marks->count; i++) {
        struct xs_html_mark mark = {marks->items[i].key, index[marks->items[i].finding]};
        if (mark.finding != UINT32_MAX)
            marks->items[kept++] = mark;
    }
    marks->count = kept;
    kept = 0;
    for (size_t i = 0; i < marks->run_count; i++) {
        struct xs_html_run run = marks->runs[i];
        run.finding = index[run.finding];
        if (run.finding != UINT32_MAX)
            marks->runs[kept++] = run;
    }
    marks->run_count = kept;
    free(index);
    if (marks->count)
        qsort(marks->items, marks->count, sizeof *marks->items, compare_marks);
    if (marks->run_count)
        qsort(marks->runs, marks->run_count, sizeof *marks->runs, compare_runs);
}

/* The last run of the site that begins at or before the row: runs of one site follow each other. */
static const struct xs_html_run *run_of(const struct xs_html_marks *marks, int64_t row, uint32_t site) {
    size_t low = 0, high = marks->run_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xs_html_run *run = &marks->runs[middle];
        if (run->site < site || (run->site == site && run->first <= row))
            low = middle + 1;
        else
            high = middle;
    }
    const struct xs_html_run *run = low ? &marks->runs[low - 1] : NULL;
    return run && run->site == site && run->last >= row ? run : NULL;
}

size_t xs_html_marks_of(const struct xs_html_marks *marks, enum xs_evidence_table table, int64_t row, uint32_t site,
                        uint32_t *findings, size_t limit) {
    uint64_t key = key_of(table, row);
    size_t low = 0, high = marks->count, count = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < marks->count && marks->items[low].key == key && count < limit; low++)
        if (!count || findings[count - 1] != marks->items[low].finding)
            findings[count++] = marks->items[low].finding;
    const struct xs_html_run *run = table == XS_EVIDENCE_TRANSFER ? run_of(marks, row, site) : NULL;
    if (run && count < limit)
        findings[count++] = run->finding;
    return count;
}

void xs_html_marks_free(struct xs_html_marks *marks) {
    xs_hash_free(&marks->kinds);
    free(marks->items);
    free(marks->runs);
    *marks = (struct xs_html_marks){0};
}
