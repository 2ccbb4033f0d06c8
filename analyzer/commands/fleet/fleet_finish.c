/* Sorts the rows of the answer, and finds what is new and what is gone; see fleet.h. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/sort.h"
#include "analyzer/commands/fleet/fleet.h"

/* --- what has changed --- */

/* Runs of one program follow each other, in the order of time. */
static int by_program_and_time(const void *a, const void *b) {
    const struct xs_fleet_run *x = *(const struct xs_fleet_run *const *)a, *y = *(const struct xs_fleet_run *const *)b;
    if (x->program != y->program)
        return (uintptr_t)x->program < (uintptr_t)y->program ? -1 : 1;
    return x->start_us < y->start_us ? -1 : x->start_us > y->start_us;
}

/* Returns the first run of a program that began after a time; NULL: there is none. */
static const struct xs_fleet_run *first_after(const struct xs_fleet_run *const *runs, size_t count, const char *program,
                                              int64_t after_us) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xs_fleet_run *run = runs[middle];
        bool is_before =
            run->program != program ? (uintptr_t)run->program < (uintptr_t)program : run->start_us <= after_us;
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && runs[low]->program == program ? runs[low] : NULL;
}

/* A place is new if no run before that time has it, although its program ran before. It is gone if no run since then
 * has it, although its program has run since then. Rows that are no places belong to no single program, so every run
 * that is counted takes the place of the program's runs. */
static void find_changes(struct xs_fleet *fleet) {
    int64_t at_us = fleet->question->changed_us;
    bool is_by_place = fleet->question->by == XS_FLEET_BY_PLACE;
    XS_SCOPED const struct xs_fleet_run **runs = xs_realloc(NULL, (fleet->run_count + 1) * sizeof *runs);
    size_t count = 0;
    for (size_t i = 0; i < fleet->run_count; i++)
        if (!fleet->runs[i].is_left_out)
            runs[count++] = &fleet->runs[i];
    xs_sort(runs, count, sizeof *runs, by_program_and_time);
    for (size_t i = 0; i < fleet->row_count; i++) {
        struct xs_fleet_row *row = fleet->rows[i];
        const struct xs_fleet_run *first =
            is_by_place ? first_after(runs, count, row->program, INT64_MIN) : NULL; /* the program's first run */
        int64_t first_us = is_by_place ? first ? first->start_us : INT64_MAX : fleet->first_us;
        const struct xs_fleet_run *later = is_by_place ? first_after(runs, count, row->program, row->last_us) : NULL;
        const struct xs_fleet_run *since = is_by_place ? first_after(runs, count, row->program, at_us - 1) : NULL;
        row->is_new = row->first_us >= at_us && first_us < at_us;
        row->is_gone = row->last_us < at_us && (is_by_place ? since != NULL : fleet->last_us >= at_us);
        if (row->is_new)
            row->changed_commit = row->first_commit;
        else if (row->is_gone && later)
            row->changed_commit = later->commit;
    }
}

/* --- order --- */

static double share_of(const struct xs_fleet_row *row) {
    return row->gpu_ns ? (double)row->wasted_ns / (double)row->gpu_ns : 0;
}

static int more_first(double x, double y) { return x > y ? -1 : x < y; }

static int compare_names(const struct xs_fleet_row *x, const struct xs_fleet_row *y) {
    const char *const of_x[] = {x->name, x->program, x->place, x->finding};
    const char *const of_y[] = {y->name, y->program, y->place, y->finding};
    for (size_t i = 0; i < sizeof of_x / sizeof *of_x; i++) {
        int order = strcmp(of_x[i] ? of_x[i] : "", of_y[i] ? of_y[i] : "");
        if (order)
            return order;
    }
    return 0;
}

/* Equal rows are in the order of their names, so that the output does not depend on the order of files. */
#define ROWS_OF_COMPARISON                                                                                             \
    const struct xs_fleet_row *x = *(const struct xs_fleet_row *const *)a;                                             \
    const struct xs_fleet_row *y = *(const struct xs_fleet_row *const *)b

static int by_name(const void *a, const void *b) {
    ROWS_OF_COMPARISON;
    return compare_names(x, y);
}
static int by_wasted(const void *a, const void *b) {
    ROWS_OF_COMPARISON;
    return x->wasted_ns != y->wasted_ns ? (x->wasted_ns > y->wasted_ns ? -1 : 1) : compare_names(x, y);
}
static int by_share(const void *a, const void *b) {
    ROWS_OF_COMPARISON;
    int order = more_first(share_of(x), share_of(y));
    return order ? order : compare_names(x, y);
}
static int by_runs(const void *a, const void *b) {
    ROWS_OF_COMPARISON;
    return x->runs != y->runs ? (x->runs > y->runs ? -1 : 1) : compare_names(x, y);
}
static int by_last(const void *a, const void *b) {
    ROWS_OF_COMPARISON;
    return x->last_us != y->last_us ? (x->last_us > y->last_us ? -1 : 1) : compare_names(x, y);
}

static int by_day(const void *a, const void *b) {
    const struct xs_fleet_day *x = a, *y = b;
    return x->day < y->day ? -1 : x->day > y->day;
}

void xs_fleet_finish(struct xs_fleet *fleet) {
    static int (*const orders[])(const void *, const void *) = {[XS_FLEET_SORT_WASTED] = by_wasted,
                                                                [XS_FLEET_SORT_SHARE] = by_share,
                                                                [XS_FLEET_SORT_RUNS] = by_runs,
                                                                [XS_FLEET_SORT_LAST] = by_last,
                                                                [XS_FLEET_SORT_NAME] = by_name};
    fleet->rows = xs_realloc(NULL, fleet->row_of.count * sizeof(struct xs_fleet_row *));
    for (const struct xs_hash_entry *e = NULL; (e = xs_hash_next(&fleet->row_of, e));)
        fleet->rows[fleet->row_count++] = (struct xs_fleet_row *)(uintptr_t)e->value;
    for (size_t i = 0; i < fleet->row_count; i++)
        xs_sort(fleet->rows[i]->days, fleet->rows[i]->day_count, sizeof *fleet->rows[i]->days, by_day);
    if (fleet->question->changed_us != INT64_MIN)
        find_changes(fleet);
    xs_sort(fleet->rows, fleet->row_count, sizeof(struct xs_fleet_row *), orders[fleet->question->sort]);
}
