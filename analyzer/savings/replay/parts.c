/* Chooses the parts of a long run; see parts.h. */
#include "analyzer/savings/replay/parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/savings/replay/model.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

/* The times of about this many rows, evenly spread over each table, show where the rows are in the run. */
enum { LOOKED_AT_ROWS = 1 << 16 };

/* The tables of the model's rows, and the column that has a row's time. */
static const struct {
    const char *name, *time;
} tables[] = {
    {"transfer", "enter_ns"},        {"memset", "enter_ns"},        {"allocation", "enter_ns"},
    {"launch", "enter_ns"},          {"sync", "enter_ns"},          {"api_call", "enter_ns"},
    {"device_copy", "start_ns"},     {"device_memset", "start_ns"}, {"device_kernel", "start_ns"},
    {"allocation", "free_enter_ns"},
};

/* A moment at which one part ends and the next one begins. */
struct xs_part_cut {
    int64_t at_ns;
    int64_t good_ns;     /* the best moment for it that was found so far */
    int64_t distance_ns; /* how bad this moment is; INT64_MAX: none was found */
    int64_t most_ns;     /* a moment is not good if it is at least this bad */
};

struct cuts {
    struct xs_part_cut *items;
    size_t count;
};

/* --- where the rows are --- */

static int count_rows(const struct xs_trace *trace, int64_t *rows, char *message) {
    int status = XS_OK;
    *rows = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status >= 0; i++) {
        char sql[96];
        int64_t last = 0;
        snprintf(sql, sizeof sql, "SELECT max(id) FROM %s", tables[i].name);
        status = xs_scan_one(trace, sql, &last, message);
        *rows += xs_later(0, xs_earlier(last, XS_SCAN_LATEST_NS >> 8));
    }
    return status;
}

/* Reads the time of each row whose id is a multiple of `stride`. */
static int read_times(const struct xs_trace *trace, int64_t stride, int64_t **times, size_t *count, char *message) {
    size_t capacity = 0;
    int status = XS_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status >= 0; i++) {
        struct xs_scan scan;
        xs_scan_format(&scan, trace, message, NULL, "SELECT %s, %s FROM %s WHERE id %% %lld = 0 AND %s IS NOT NULL",
                       tables[i].time, tables[i].time, tables[i].name, (long long)stride, tables[i].time);
        while (xs_scan_row(&scan)) {
            int64_t at_ns, end_ns;
            if (!xs_scan_times(&scan, 0, 1, &at_ns, &end_ns))
                continue;
            xs_grow(times, *count, &capacity, sizeof **times);
            (*times)[(*count)++] = at_ns;
        }
        status = xs_scan_end(&scan);
    }
    xs_sort(*times, *count, sizeof **times, xs_ascending_int64);
    return status;
}

/* --- where the parts begin --- */

/* Makes cuts so that about the same number of rows lies between them. */
static struct cuts cut_evenly(const int64_t *times, size_t count, size_t parts) {
    struct cuts cuts = {.items = xs_realloc(NULL, (parts + 1) * sizeof *cuts.items)};
    for (size_t i = 1; i < parts; i++) {
        int64_t at_ns = times[(size_t)((double)count * (double)i / (double)parts)];
        int64_t before_ns = cuts.count ? cuts.items[cuts.count - 1].at_ns : times[0];
        if (at_ns > before_ns)
            cuts.items[cuts.count++] = (struct xs_part_cut){at_ns, at_ns, INT64_MAX, 0};
    }
    /* No cut moves by half of a part, so no two cuts meet. */
    for (size_t i = 0; i < cuts.count; i++) {
        int64_t before_ns = i ? cuts.items[i - 1].at_ns : times[0];
        int64_t after_ns = i + 1 < cuts.count ? cuts.items[i + 1].at_ns : times[count - 1];
        cuts.items[i].most_ns = xs_earlier(cuts.items[i].at_ns - before_ns, after_ns - cuts.items[i].at_ns) / 2;
    }
    return cuts;
}

static bool cut_is_before(const void *item, const void *ns) {
    return ((const struct xs_part_cut *)item)->at_ns < *(int64_t *)ns;
}

/* Moves the nearest cut before a moment, and the nearest one after it, to this moment if it is better than the moment
 * found so far. It counts as `times` times as far from the cut as it is. */
static void offer(struct cuts *cuts, int64_t ns, int64_t times) {
    size_t after = xs_search(cuts->items, cuts->count, sizeof *cuts->items, cut_is_before, &ns);
    for (size_t i = after ? after - 1 : 0; i <= after && i < cuts->count; i++) {
        struct xs_part_cut *cut = &cuts->items[i];
        int64_t distance_ns = llabs(cut->at_ns - ns);
        if (distance_ns >= cut->most_ns || distance_ns >= cut->distance_ns / times)
            continue;
        cut->distance_ns = distance_ns * times;
        cut->good_ns = ns;
    }
}

/* Moves the cuts to the ends of waits, where the device has done its work. A wait for the whole device is better. */
static int offer_waits(struct cuts *cuts, const struct xs_trace *trace, char *message) {
    enum { WAIT_FOR_PART = 4 };
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT enter_ns, return_ns, scope FROM sync WHERE enter_ns IS NOT NULL", message,
                  NULL);
    while (xs_scan_row(&scan)) {
        int64_t enter_ns, return_ns;
        if (xs_scan_times(&scan, 0, 1, &enter_ns, &return_ns))
            offer(cuts, return_ns, xs_scan_int(&scan, 2) == XS_SYNC_CONTEXT ? 1 : WAIT_FOR_PART);
    }
    return xs_scan_end(&scan);
}

static int move_cuts(struct cuts *cuts, const struct xs_trace *trace, const struct xs_steps *steps, char *message) {
    bool all_are_moved = steps && steps->count > 0;
    for (size_t i = 0; steps && steps->count && i <= steps->count; i++)
        offer(cuts, steps->items[i].begin_ns, 1);
    for (size_t i = 0; i < cuts->count; i++)
        all_are_moved &= cuts->items[i].distance_ns < INT64_MAX;
    return all_are_moved ? XS_OK : offer_waits(cuts, trace, message);
}

/* --- which parts are replayed --- */

/* Sets the begin and the end of a part, by its number. The first part also has what is before the first cut, and the
 * last part what is after the last cut, even if these times are damaged. */
static void place(struct xs_run_part *part, const struct cuts *cuts) {
    part->begin_ns = part->number ? cuts->items[part->number - 1].good_ns : INT64_MIN;
    part->end_ns = part->number < cuts->count ? cuts->items[part->number].good_ns : INT64_MAX;
}

static void choose(struct xs_parts *parts, size_t all) {
    size_t between = XS_PARTS_REPLAYED - 2;
    parts->items = xs_zeroed(XS_PARTS_REPLAYED, sizeof *parts->items);
    parts->of = all;
    parts->items[parts->count++].number = 0;
    for (size_t i = 0; i < between; i++) {
        size_t first = 1 + i * (all - 2) / between, end = 1 + (i + 1) * (all - 2) / between;
        parts->items[parts->count++].number = first + (size_t)(xs_mix(i + 1) % (end - first));
    }
    parts->items[parts->count++].number = all - 1;
}

int xs_parts_choose(struct xs_parts *parts, const struct xs_trace *trace, unsigned whole_rows, char *message) {
    int64_t most = whole_rows ? whole_rows : XS_PARTS_WHOLE_ROWS, rows;
    XS_SCOPED int64_t *times = NULL;
    size_t count = 0;
    *parts = (struct xs_parts){0};
    int status = count_rows(trace, &rows, message);
    if (status < 0 || rows <= most)
        return status;
    int64_t stride = xs_later(1, rows / LOOKED_AT_ROWS);
    status = read_times(trace, stride, &times, &count, message);
    rows = (int64_t)count * stride; /* ids may have gaps */
    if (status < 0 || rows <= most)
        return status;
    struct cuts cuts = cut_evenly(times, count, (size_t)((rows * XS_PARTS_REPLAYED + most - 1) / most));
    if (cuts.count >= XS_PARTS_REPLAYED) {
        choose(parts, cuts.count + 1);
        parts->cuts = cuts.items;
    } else {
        free(cuts.items);
    }
    return status;
}

void xs_parts_possible_times(const struct xs_parts *parts, struct xs_intervals *times) {
    *times = (struct xs_intervals){0};
    for (size_t k = 0; k < parts->count; k++) {
        size_t number = parts->items[k].number;
        const struct xs_part_cut *end = &parts->cuts[number], *begin = end - 1;
        xs_intervals_add(times, number ? begin->at_ns - begin->most_ns : INT64_MIN,
                         number + 1 < parts->of ? end->at_ns + end->most_ns : INT64_MAX);
    }
    xs_intervals_unite(times);
}

int xs_parts_place(struct xs_parts *parts, const struct xs_trace *trace, const struct xs_steps *steps, char *message) {
    if (!parts->count)
        return XS_OK;
    struct cuts cuts = {parts->cuts, parts->of - 1};
    int status = move_cuts(&cuts, trace, steps, message);
    for (size_t k = 0; k < parts->count; k++)
        place(&parts->items[k], &cuts);
    free(parts->cuts);
    parts->cuts = NULL;
    return status;
}

void xs_parts_free(struct xs_parts *parts) {
    free(parts->items);
    free(parts->cuts);
    *parts = (struct xs_parts){0};
}

/* --- times --- */

static bool begins_by(const void *item, const void *ns) {
    return ((const struct xs_run_part *)item)->begin_ns <= *(const int64_t *)ns;
}

/* Returns the index of the part that has this time of the trace, or after which it is. */
static size_t part_before(const struct xs_parts *parts, int64_t ns) {
    return xs_search(parts->items, parts->count, sizeof *parts->items, begins_by, &ns) - 1;
}

bool xs_parts_have(const struct xs_parts *parts, int64_t ns) {
    return !parts || !parts->count || ns < parts->items[part_before(parts, ns)].end_ns;
}

int64_t xs_parts_model_ns(const struct xs_parts *parts, int64_t ns, bool *is_in_part) {
    if (is_in_part)
        *is_in_part = true;
    if (!parts || !parts->count)
        return ns;
    size_t at = part_before(parts, ns);
    const struct xs_run_part *part = &parts->items[at];
    int64_t model_ns = ns - part->left_out_ns;
    if (at + 1 < parts->count && model_ns > part->model_end_ns) {
        model_ns = part->model_end_ns;
        if (is_in_part)
            *is_in_part = false;
    }
    return model_ns;
}

int64_t xs_parts_trace_ns(const struct xs_parts *parts, int64_t model_ns) {
    size_t at = 0;
    if (!parts || !parts->count)
        return model_ns;
    while (at + 1 < parts->count && model_ns >= parts->items[at].model_end_ns)
        at++;
    return model_ns + parts->items[at].left_out_ns;
}

double xs_parts_scale(const struct xs_parts *parts) {
    return parts && parts->count && parts->replayed_ns > 0 ? (double)parts->run_ns / (double)parts->replayed_ns : 1;
}

static int64_t end_of(const struct xs_model *model, const struct xs_model_call *call) {
    int64_t end_ns = call->return_ns;
    for (uint32_t k = 0; k < call->operations; k++)
        end_ns = xs_later(end_ns, model->operations[call->operation + k].end_ns);
    return end_ns;
}

static void move(struct xs_model *model, struct xs_model_call *call, int64_t by_ns) {
    call->enter_ns -= by_ns;
    call->return_ns -= by_ns;
    for (uint32_t k = 0; k < call->operations; k++) {
        model->operations[call->operation + k].start_ns -= by_ns;
        model->operations[call->operation + k].end_ns -= by_ns;
    }
}

/* A part ends in the model when all of its calls have returned and the device has done their work. */
void xs_parts_close_up(struct xs_parts *parts, struct xs_model *model) {
    int64_t left_out_ns = 0;
    uint32_t i = 0;
    if (!parts || !parts->count)
        return;
    parts->run_ns = model->run_ns;
    for (size_t k = 0; k < parts->count; k++) {
        struct xs_run_part *part = &parts->items[k];
        bool is_last = k + 1 == parts->count;
        int64_t end_ns = is_last ? model->run_ns : part->end_ns;
        part->first_call = i;
        part->left_out_ns = left_out_ns;
        for (; i < model->call_count && (is_last || model->calls[i].enter_ns < part[1].begin_ns); i++) {
            end_ns = xs_later(end_ns, end_of(model, &model->calls[i]));
            move(model, &model->calls[i], left_out_ns);
        }
        part->model_end_ns = end_ns - left_out_ns;
        if (!is_last)
            left_out_ns += xs_later(0, part[1].begin_ns - end_ns);
    }
    model->run_ns -= left_out_ns;
    parts->replayed_ns = model->run_ns;
}
