/* Finds whether waits pay; see waits_paid.h. */
#include "analyzer/savings/idle/waits_paid.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/intervals.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/savings/replay/replay.h"
#include "analyzer/trace/scan.h"

enum { LEAST_PAY = 1000 /* a saving below one in so many parts of the run counts as nothing */ };

/* These changes remove the wait from a call in the replay. A call whose only purpose is to wait is not made. Any other
 * call returns after XS_ASYNC_CALL_NS, or after its measured time if that is less. The time is rounded down to units of
 * UNIT_NS. */
enum { NOT_MADE, SHORT_CALLS, UNIT_NS = 500, CHANGES = SHORT_CALLS + XS_ASYNC_CALL_NS / UNIT_NS + 1 };

struct place {
    struct xs_wait_row row;
    bool waits_not;     /* in the replay, its calls return at once */
    size_t idle_behind; /* index plus 1 of the busy time before the idle time that was added last */
};

struct places {
    const struct xs_model *model;
    struct place *items;
    size_t count, capacity;
    uint32_t *place_of;  /* by call: the index of its place plus 1; 0: it did not wait */
    uint32_t *change_of; /* of the replay */
    struct xs_call_change changes[CHANGES];
    struct place **order;
    struct xs_intervals *busy; /* by device: the times in which it was busy */
    int64_t run_ns;
    int64_t least_ns; /* the least time of the run, which the device's work takes */
};

bool xs_model_waits(const struct xs_model_call *call) {
    if (call->kind == XS_MODEL_SYNC)
        return true;
    if (call->wait == XS_WAITS_NOT || call->is_of_batch)
        return false;
    return call->kind == XS_MODEL_TRANSFER ? !call->is_async || call->waited : call->waited;
}

static struct place *place_of(struct places *places, struct xs_hash *known, uint32_t call) {
    const struct xs_model_call *c = &places->model->calls[call];
    uint64_t *number = xs_hash_put(known, c->site, c->direction);
    if (!*number) {
        xs_grow(&places->items, places->count, &places->capacity, sizeof *places->items);
        places->items[places->count] = (struct place){.row = {.call = xs_idle_call_of(places->model, call)}};
        *number = ++places->count;
    }
    places->place_of[call] = (uint32_t)*number;
    return &places->items[*number - 1];
}

/* --- how long the device was idle then --- */

/* Stores when each device was busy. Whatever the host does, the run does not end before the busiest device has done its
 * work, which begins no earlier than the first operation of the run. */
static void find_busy(struct places *places) {
    const struct xs_model *model = places->model;
    int64_t first_ns = model->run_ns;
    uint64_t most_ns = 0;
    places->busy = xs_zeroed((size_t)model->devices + 1, sizeof *places->busy);
    for (uint32_t i = 0; i < model->operation_count; i++) {
        const struct xs_model_operation *operation = &model->operations[i];
        xs_intervals_add(&places->busy[operation->device], operation->start_ns, operation->end_ns);
        first_ns = operation->start_ns < first_ns ? operation->start_ns : first_ns;
    }
    for (int32_t i = 0; i < model->devices; i++) {
        uint64_t busy_ns = xs_intervals_unite(&places->busy[i]);
        most_ns = busy_ns > most_ns ? busy_ns : most_ns;
    }
    places->least_ns = first_ns + xs_model_length(most_ns);
}

static bool begins_by(const void *item, const void *key) {
    const struct xs_interval *busy = item;
    return busy->start <= *(const int64_t *)key;
}

/* Adds the part of the call in which its device was busy. */
static void add_busy(const struct places *places, struct place *place, const struct xs_model_call *call) {
    const struct xs_intervals *busy = &places->busy[call->device];
    size_t next = xs_search(busy->items, busy->count, sizeof *busy->items, begins_by, &call->return_ns);
    while (next && busy->items[next - 1].end > call->enter_ns) {
        const struct xs_interval *work = &busy->items[--next];
        int64_t ns = xs_earlier(work->end, call->return_ns) - xs_later(work->start, call->enter_ns);
        place->row.busy_ns = xs_sum(place->row.busy_ns, (uint64_t)ns);
    }
}

/* Adds the idle time in which the call returned. If several calls of a place returned in it, it is added once. The time
 * after the device's last work is not idle time, because the program had no more work for it. */
static void add_idle(const struct places *places, struct place *place, const struct xs_model_call *call) {
    const struct xs_intervals *busy = &places->busy[call->device];
    size_t next = xs_search(busy->items, busy->count, sizeof *busy->items, begins_by, &call->return_ns);
    if (!next || next == busy->count || busy->items[next - 1].end > call->return_ns || place->idle_behind == next)
        return;
    place->idle_behind = next;
    place->row.idle_ns = xs_sum(place->row.idle_ns, (uint64_t)(busy->items[next].start - busy->items[next - 1].end));
}

/* --- places --- */

static void find_places(struct places *places) {
    const struct xs_model *model = places->model;
    struct xs_hash known = {0};
    find_busy(places);
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (!xs_model_waits(call))
            continue;
        struct place *place = place_of(places, &known, i);
        place->row.count++;
        place->row.waited_ns = xs_sum(place->row.waited_ns, (uint64_t)(call->return_ns - call->enter_ns));
        add_busy(places, place, call);
        add_idle(places, place, call);
    }
    for (int32_t i = 0; i < model->devices; i++)
        xs_intervals_free(&places->busy[i]);
    free(places->busy);
    xs_hash_free(&known);
}

static void make_changes(struct places *places) {
    places->changes[NOT_MADE].dropped = true;
    for (int64_t i = SHORT_CALLS; i < CHANGES; i++)
        places->changes[i] =
            (struct xs_call_change){.returns = XS_RETURNS_AT_ONCE, .host_ns = (i - SHORT_CALLS) * UNIT_NS};
}

/* Returns the index of the change that takes the wait out of a call. */
static uint32_t change_of(const struct xs_model_call *call) {
    if (call->kind == XS_MODEL_SYNC)
        return NOT_MADE;
    int64_t took_ns = call->return_ns - call->enter_ns;
    return SHORT_CALLS + (uint32_t)((took_ns < XS_ASYNC_CALL_NS ? took_ns : XS_ASYNC_CALL_NS) / UNIT_NS);
}

/* Returns what the run saves if the calls of the places with `waits_not` do not wait. */
static uint64_t saved(struct places *places) {
    for (uint32_t i = 0; i < places->model->call_count; i++) {
        bool waits_not = places->place_of[i] && places->items[places->place_of[i] - 1].waits_not;
        places->change_of[i] = waits_not ? change_of(&places->model->calls[i]) + 1 : 0;
    }
    int64_t left_ns =
        xs_later(places->least_ns, xs_replay_run(places->model, places->change_of, places->changes, NULL));
    return left_ns < places->run_ns ? (uint64_t)(places->run_ns - left_ns) : 0;
}

/* --- the order of rows --- */

static int by_waited(const void *a, const void *b) {
    struct place *const *x = a, *const *y = b;
    return xs_compare_uint64((*y)->row.waited_ns, (*x)->row.waited_ns) ?: (*x > *y) - (*x < *y);
}

static int by_saving(const void *a, const void *b) {
    struct place *const *x = a, *const *y = b;
    return xs_compare_uint64((*y)->row.saves_ns, (*x)->row.saves_ns) ?: by_waited(a, b);
}

/* Replays the first `count` places of the order, each of them alone. Then replays them together, and adds one place
 * after another, beginning with the place that saves most. The sum never falls, because a program can keep a wait whose
 * removal saves nothing. */
static void replay(struct places *places, size_t count) {
    uint64_t together_ns = 0;
    make_changes(places);
    for (size_t i = 0; i < count; i++) {
        struct place *place = places->order[i];
        place->waits_not = true;
        place->row.saves_ns = saved(places);
        place->waits_not = false;
    }
    xs_sort(places->order, count, sizeof *places->order, by_saving);
    for (size_t i = 0; i < count; i++) {
        struct place *place = places->order[i];
        place->waits_not = true;
        uint64_t all_ns = i ? saved(places) : place->row.saves_ns;
        place->row.together_ns = together_ns = all_ns > together_ns ? all_ns : together_ns;
    }
}

bool xs_wait_pays(const struct xs_wait_row *row, uint64_t run_ns) { return row->saves_ns > run_ns / LEAST_PAY; }

void xs_waits_paid_find(struct xs_waits_paid *waits, const struct xs_model *model, int64_t run_ns, size_t most_rows) {
    struct places places = {.model = model, .run_ns = run_ns};
    size_t calls = (size_t)model->call_count + 1;
    *waits = (struct xs_waits_paid){0};
    places.place_of = xs_zeroed(calls, sizeof *places.place_of);
    places.change_of = xs_realloc(NULL, calls * sizeof *places.change_of);
    find_places(&places);
    places.order = xs_realloc(NULL, (places.count + 1) * sizeof *places.order);
    for (size_t i = 0; i < places.count; i++)
        places.order[i] = &places.items[i];
    xs_sort(places.order, places.count, sizeof *places.order, by_waited);
    waits->count = places.count < most_rows ? places.count : most_rows;
    waits->left_out = places.count - waits->count;
    for (size_t i = waits->count; i < places.count; i++)
        waits->left_out_ns = xs_sum(waits->left_out_ns, places.order[i]->row.waited_ns);
    replay(&places, waits->count);
    waits->rows = xs_realloc(NULL, (waits->count + 1) * sizeof *waits->rows);
    for (size_t i = 0; i < waits->count; i++)
        waits->rows[i] = places.order[i]->row;
    free(places.items);
    free(places.place_of);
    free(places.change_of);
    free(places.order);
}

/* Returns the row of a blocking download; NULL: there is none. */
static struct xs_wait_row *row_of(struct xs_waits_paid *waits, const struct xs_model_call *call) {
    for (size_t i = 0; i < waits->count; i++) {
        const struct xs_idle_call *of = &waits->rows[i].call;
        if (of->kind == XS_MODEL_TRANSFER && of->site == call->site && of->direction == call->direction)
            return &waits->rows[i];
    }
    return NULL;
}

void xs_waits_paid_count_unread(struct xs_waits_paid *waits, const struct xs_model *model,
                                const struct xs_downloads_read *reads) {
    for (uint32_t i = 0; reads->downloads.count && i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        bool is_download = call->kind == XS_MODEL_TRANSFER && call->direction == XS_DIR_D2H;
        struct xs_wait_row *row = is_download && xs_model_waits(call) ? row_of(waits, call) : NULL;
        if (row)
            xs_unread_count(reads, call->row, &row->unread);
    }
}

void xs_waits_paid_free(struct xs_waits_paid *waits) {
    for (size_t i = 0; i < waits->count; i++)
        for (size_t k = 0; k < waits->rows[i].work_count; k++)
            free(waits->rows[i].work[k].name);
    free(waits->rows);
    *waits = (struct xs_waits_paid){0};
}
