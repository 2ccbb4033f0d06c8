/* Reads the managed memory of a trace: allocations, kernels that used them, gaps between calls, and migrations of their
 * pages. */
#include <sqlite3.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/lifetimes.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/savings/plan/managed_internal.h"
#include "analyzer/savings/replay/parts.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/trait_sql.h"
#include "schema/format/kinds.h"

#define KIND(n, id, name) MIGRATION_##id = (n),
enum { XS_MIGRATION_KINDS(KIND) };
#undef KIND

/* Migrations belong to one streak if at most this time lies between them. A host that works on a block of 2 MiB before
 * it touches the next one needs less time. */
#define STREAK_GAP_NS INT64_C(1000000)

/* The number of spans that are looked at for one migration. A device runs at most 128 kernels at once. */
enum { TRIED = 128 };

struct reading {
    struct xs_managed *m;
    const struct xs_plan *plan;
    const struct xs_trace *trace;
    char *message;
    struct xs_hash launches; /* maps launch.id to the call's index plus 1 */
    bool *threads;           /* by thread: it launches kernels that use managed memory */
    struct streak {
        int64_t start_ns, end_ns; /* both 0: no streak yet */
        const struct xs_recorded_window *window;
    } up, down;
    int64_t fault_ns;        /* start of the host's last fault whose pages have not come; 0: none */
    double bytes, moving_ns; /* sums over all migrations */
    struct xs_life *lives;   /* lives of the memories */
    size_t lives_capacity;
    struct xs_lives living;
};

/* --- allocations --- */

/* All times here are times of the model (parts.h). */
static int64_t model_ns(const struct reading *r, int64_t ns) {
    return xs_parts_model_ns(r->plan->model->parts, ns, NULL);
}

static int read_memories(struct reading *r) {
    struct xs_managed *m = r->m;
    struct xs_scan scan;
    xs_scan_begin(&scan, r->trace,
                  "SELECT id, address, bytes, coalesce(return_ns, 0), free_enter_ns FROM allocation"
                  " WHERE kind = ?1 AND bytes > 0 AND address IS NOT NULL ORDER BY address, 4",
                  r->message, NULL);
    sqlite3_bind_int64(scan.statement, 1, XS_MEM_MANAGED);
    while (xs_scan_row(&scan)) {
        xs_grow(&m->memories, m->memory_count, &m->memory_capacity, sizeof *m->memories);
        struct xs_managed_memory memory = {
            .id = xs_scan_int(&scan, 0),
            .address = (uint64_t)xs_scan_int(&scan, 1),
            .bytes = xs_scan_count(&scan, 2),
            .start_ns = model_ns(r, xs_scan_int(&scan, 3)),
            .end_ns = xs_scan_null(&scan, 4) ? INT64_MAX : model_ns(r, xs_scan_int(&scan, 4)),
            .first_kernel_ns = INT64_MAX,
            .remote_ns = INT64_MAX,
            .went_ns = INT64_MAX,
        };
        xs_grow(&r->lives, m->memory_count, &r->lives_capacity, sizeof *r->lives);
        r->lives[m->memory_count] =
            (struct xs_life){memory.address, xs_sum(memory.address, memory.bytes), memory.start_ns, memory.end_ns};
        m->memories[m->memory_count] = memory;
        *xs_hash_put(&m->memory_of, (uint64_t)memory.id, 0) = ++m->memory_count;
    }
    return xs_scan_end(&scan);
}

/* Returns the memory that exists at the address at `ns`; NULL: none. Calls must come in order of `ns`. */
static struct xs_managed_memory *memory_at(struct reading *r, uint64_t address, int64_t ns) {
    size_t number = xs_lives_at(&r->living, address, ns);
    return number ? &r->m->memories[number - 1] : NULL;
}

static void begin_living(struct reading *r) {
    xs_lives_end(&r->living);
    xs_lives_begin(&r->living, r->lives, r->m->memory_count);
}

static int read_prefetches(struct reading *r) {
    struct xs_scan scan;
    xs_scan_begin(&scan, r->trace,
                  "SELECT address, enter_ns, object FROM api_call WHERE entry_point" XS_PREFETCHES " ORDER BY enter_ns",
                  r->message, NULL);
    begin_living(r);
    while (xs_scan_row(&scan)) {
        struct xs_managed_memory *memory =
            memory_at(r, (uint64_t)xs_scan_int(&scan, 0), model_ns(r, xs_scan_int(&scan, 1)));
        if (memory)
            memory->is_prefetched = true;
        if (xs_scan_int(&scan, 2) > 1) /* a batch of ranges; the trace has only the first */
            r->m->all_prefetched = true;
    }
    return xs_scan_end(&scan);
}

/* --- spans --- */

static uint32_t group_of(struct xs_managed_spans *spans, uint64_t low, uint64_t high) {
    uint64_t *number = xs_hash_put(&spans->group_of, low, high);
    if (!*number) {
        xs_grow(&spans->groups, spans->group_count, &spans->group_capacity, sizeof *spans->groups);
        spans->groups[spans->group_count] = (struct xs_managed_group){0};
        *number = ++spans->group_count;
    }
    return (uint32_t)*number - 1;
}

static void find_launches(struct reading *r) {
    const struct xs_model *model = r->plan->model;
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].kind == XS_MODEL_LAUNCH && model->calls[i].operations == 1)
            *xs_hash_put(&r->launches, (uint64_t)model->calls[i].row, 0) = (uint64_t)i + 1;
}

static void add_kernel(struct reading *r, uint32_t call, size_t first_given, uint64_t function) {
    struct xs_managed *m = r->m;
    const struct xs_model *model = r->plan->model;
    const struct xs_model_operation *o = &model->operations[model->calls[call].operation];
    uint64_t bytes = 0;
    if (o->end_ns <= o->start_ns) { /* such a record says nothing about the time of this kernel or of others */
        m->given_count = first_given;
        return;
    }
    for (size_t i = first_given; i < m->given_count; i++)
        bytes += m->memories[m->given[i]].bytes;
    struct xs_managed_spans *spans = &m->kernels;
    xs_grow(&spans->items, spans->count, &spans->capacity, sizeof *spans->items);
    struct xs_managed_span span = {.call = call,
                                   .group = group_of(spans, function, bytes),
                                   .first_given = (uint32_t)first_given,
                                   .given = (uint32_t)(m->given_count - first_given),
                                   .start_ns = o->start_ns,
                                   .end_ns = o->end_ns};
    for (size_t i = first_given; i < m->given_count; i++) {
        struct xs_managed_memory *memory = &m->memories[m->given[i]];
        span.is_first |= memory->first_kernel_ns == INT64_MAX;
        if (span.start_ns < memory->first_kernel_ns) {
            memory->first_kernel_ns = span.start_ns;
            memory->first_kernel = call;
        }
    }
    spans->items[spans->count++] = span;
    r->threads[model->calls[call].thread] = true;
}

/* Reads the launches whose arguments point into managed memory, with these allocations. */
static int read_kernels(struct reading *r) {
    struct xs_managed *m = r->m;
    struct xs_scan scan;
    uint32_t call = XS_PLAN_NONE;
    uint64_t function = 0;
    size_t first = 0;
    find_launches(r);
    xs_scan_begin(&scan, r->trace,
                  "SELECT l.id, l.function, a.allocation FROM launch l JOIN argument a ON a.argument_set = l.arguments"
                  " WHERE a.allocation IN (SELECT id FROM allocation WHERE kind = ?1) ORDER BY l.id",
                  r->message, NULL);
    sqlite3_bind_int64(scan.statement, 1, XS_MEM_MANAGED);
    while (xs_scan_row(&scan)) {
        const uint64_t *found = xs_hash_find(&r->launches, (uint64_t)xs_scan_int(&scan, 0), 0);
        const uint64_t *memory = xs_hash_find(&m->memory_of, (uint64_t)xs_scan_int(&scan, 2), 0);
        if (!found || !memory)
            continue;
        if (call != (uint32_t)*found - 1) {
            if (call != XS_PLAN_NONE)
                add_kernel(r, call, first, function);
            call = (uint32_t)*found - 1;
            function = (uint64_t)xs_scan_int(&scan, 1);
            first = m->given_count;
        }
        xs_grow(&m->given, m->given_count, &m->given_capacity, sizeof *m->given);
        m->given[m->given_count++] = (uint32_t)*memory - 1;
    }
    if (call != XS_PLAN_NONE)
        add_kernel(r, call, first, function);
    return xs_scan_end(&scan);
}

/* Finds the gaps between calls of the threads that launch such kernels, after the first such kernel. All gaps after
 * calls of one kind, entry point and site form a group. */
static void find_gaps(struct reading *r) {
    const struct xs_model *model = r->plan->model;
    struct xs_managed_spans *spans = &r->m->gaps;
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < r->m->memory_count; i++)
        first = r->m->memories[i].first_kernel_ns < first ? r->m->memories[i].first_kernel_ns : first;
    for (uint32_t i = 0; i < model->call_count; i++) {
        uint32_t before = r->plan->model->calls[i].previous;
        if (before == XS_PLAN_NONE || !r->threads[model->calls[i].thread])
            continue;
        const struct xs_model_call *last = &model->calls[before];
        if (last->return_ns < first || model->calls[i].enter_ns <= last->return_ns)
            continue;
        xs_grow(&spans->items, spans->count, &spans->capacity, sizeof *spans->items);
        uint64_t place = (uint64_t)last->kind << 32 | (uint32_t)last->entry_point;
        spans->items[spans->count++] = (struct xs_managed_span){.call = i,
                                                                .group = group_of(spans, place, last->site),
                                                                .start_ns = last->return_ns,
                                                                .end_ns = model->calls[i].enter_ns};
    }
}

static int by_start(const void *a, const void *b) {
    const struct xs_managed_span *x = a, *y = b;
    return xs_compare(x->start_ns, y->start_ns) ?: xs_compare(x->call, y->call);
}

static void sort_spans(struct xs_managed_spans *spans) {
    xs_sort(spans->items, spans->count, sizeof *spans->items, by_start);
}

static bool begins_by(const void *span, const void *ns) {
    return ((const struct xs_managed_span *)span)->start_ns <= *(const int64_t *)ns;
}

/* --- migrations --- */

/* Returns the number of spans that begin at `ns` or earlier. */
static size_t begun_at(const struct xs_managed_spans *spans, int64_t ns) {
    return xs_search(spans->items, spans->count, sizeof *spans->items, begins_by, &ns);
}

/* Returns the latest of the first `count` spans that contains the time `ns`. Spans that begin later but ended before
 * `ns` are skipped. */
static struct xs_managed_span *span_at(const struct xs_managed_spans *spans, size_t count, int64_t ns) {
    for (size_t tried = 0; count-- > 0 && tried < TRIED; tried++)
        if (ns < spans->items[count].end_ns)
            return &spans->items[count];
    return NULL;
}

/* Adds moved bytes, or a fault if there are none, to the span's group. A fault weighs as much as one byte, so faults
 * decide only where no bytes move. No bytes move if the pages are new. */
static void note_moved(const struct xs_managed *m, struct xs_managed_spans *spans, size_t memory, int64_t ns,
                       uint64_t bytes) {
    const struct xs_managed_span *span = span_at(spans, begun_at(spans, ns), ns);
    if (!span || (!m->windows[spans->way].whole && !xs_migration_window_at(&m->windows[spans->way], ns)))
        return;
    uint64_t weight = bytes ? bytes : 1;
    uint64_t *moved = xs_hash_put(&spans->moved, span->group, memory);
    *moved = xs_sum(*moved ? *moved : 1, weight);
    struct xs_managed_group *group = &spans->groups[span->group];
    group->weight += (double)weight;
    group->bytes += (double)bytes;
    group->faults += !bytes;
}

/* Ends the streak. If its window is a sample, and the first or last migration is close to the window's begin or end,
 * extends the streak to there. */
static void end_streak(struct streak *streak, struct xs_managed_spans *spans) {
    if (!streak->end_ns)
        return;
    const struct xs_recorded_window *window = streak->window;
    if (window && window->is_sample && streak->start_ns - window->start_ns <= STREAK_GAP_NS)
        streak->start_ns = window->start_ns;
    if (window && window->is_sample && window->end_ns - streak->end_ns <= STREAK_GAP_NS)
        streak->end_ns = window->end_ns;
    xs_intervals_add(&spans->streaks, streak->start_ns, streak->end_ns);
    *streak = (struct streak){0};
}

static void extend_streak(const struct reading *r, struct streak *streak, struct xs_managed_spans *spans,
                          int64_t start_ns, int64_t end_ns) {
    const struct xs_recorded_window *window = xs_migration_window_at(&r->m->windows[spans->way], start_ns);
    struct xs_managed_span *span;
    size_t at = begun_at(spans, start_ns);
    for (size_t marked = 0; marked < TRIED && (span = span_at(spans, at, start_ns)); marked++) {
        span->has_pages = true;
        at = (size_t)(span - spans->items);
    }
    if (streak->end_ns && (window != streak->window || start_ns - streak->end_ns > STREAK_GAP_NS))
        end_streak(streak, spans);
    if (!streak->end_ns) {
        streak->start_ns = start_ns;
        streak->window = window;
    }
    streak->end_ns = end_ns > streak->end_ns ? end_ns : streak->end_ns;
}

/* Handles pages that came to the host. The host waited for them since its latest fault. A fault that was long ago does
 * not count, because it had another reason or brought no pages. */
static void end_wait(struct reading *r, int64_t start_ns, int64_t end_ns) {
    bool is_of_fault = r->fault_ns && start_ns >= r->fault_ns && start_ns - r->fault_ns <= STREAK_GAP_NS;
    xs_intervals_add(&r->m->gaps.waits, is_of_fault ? r->fault_ns : start_ns, end_ns);
    r->fault_ns = 0;
}

static void take_migration(struct reading *r, struct xs_scan *scan) {
    struct xs_managed *m = r->m;
    int64_t kind = xs_scan_int(scan, 0), start_ns, end_ns;
    uint64_t bytes = xs_scan_count_or_null(scan, 2);
    bool is_in_part;
    if (!xs_scan_times(scan, 3, 4, &start_ns, &end_ns))
        return;
    int64_t lasted_ns = end_ns - start_ns;
    start_ns = xs_parts_model_ns(r->plan->model->parts, start_ns, &is_in_part);
    end_ns = start_ns + lasted_ns;
    if (!is_in_part)
        return;
    struct xs_managed_memory *memory = memory_at(r, (uint64_t)xs_scan_int(scan, 1), start_ns);
    if (!memory || start_ns < memory->first_kernel_ns) /* the memory was not on the device yet */
        return;
    size_t index = (size_t)(memory - m->memories);
    /* while a prefetch moves pages, nothing waits */
    bool is_prefetched = memory->is_prefetched || m->all_prefetched;
    if (kind == MIGRATION_HTOD || kind == MIGRATION_DTOH) {
        r->bytes += (double)bytes;
        r->moving_ns += (double)(end_ns - start_ns);
    }
    if (kind == MIGRATION_HTOD)
        memory->came_bytes = xs_sum(memory->came_bytes, bytes);
    memory->faults += kind == MIGRATION_GPU_FAULT;
    if (kind == MIGRATION_HTOD && bytes)
        note_moved(m, &m->kernels, index, start_ns, bytes);
    if (kind == MIGRATION_GPU_FAULT)
        note_moved(m, &m->kernels, index, start_ns, 0);
    if (kind == MIGRATION_DTOH && bytes) {
        note_moved(m, &m->gaps, index, start_ns, bytes);
        memory->went_ns = start_ns < memory->went_ns ? start_ns : memory->went_ns;
        memory->went_bytes = xs_sum(memory->went_bytes, bytes);
    }
    if (kind == MIGRATION_REMOTE_MAP && memory->remote_ns == INT64_MAX)
        memory->remote_ns = start_ns;
    if (kind == MIGRATION_REMOTE_MAP && m->remote_ns == INT64_MAX)
        m->remote_ns = start_ns;
    if (kind == MIGRATION_GPU_FAULT || (kind == MIGRATION_HTOD && !is_prefetched))
        extend_streak(r, &r->up, &m->kernels, start_ns, end_ns);
    else if (kind == MIGRATION_CPU_FAULT || (kind == MIGRATION_DTOH && !is_prefetched))
        extend_streak(r, &r->down, &m->gaps, start_ns, end_ns);
    if (kind == MIGRATION_CPU_FAULT)
        r->fault_ns = start_ns;
    else if (kind == MIGRATION_DTOH && !is_prefetched)
        end_wait(r, start_ns, end_ns);
}

static int read_migrations(struct reading *r) {
    static const int64_t kinds[] = {MIGRATION_HTOD, MIGRATION_DTOH, MIGRATION_CPU_FAULT, MIGRATION_GPU_FAULT,
                                    MIGRATION_REMOTE_MAP};
    struct xs_scan scan;
    xs_scan_begin(&scan, r->trace,
                  "SELECT kind, address, bytes, start_ns, end_ns FROM device_migration WHERE start_ns IS NOT NULL"
                  " AND kind IN (?1, ?2, ?3, ?4, ?5) ORDER BY start_ns",
                  r->message, NULL);
    begin_living(r);
    for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++)
        sqlite3_bind_int64(scan.statement, i + 1, kinds[i]);
    while (xs_scan_row(&scan))
        take_migration(r, &scan);
    int ended = xs_scan_end(&scan);
    end_streak(&r->up, &r->m->kernels);
    end_streak(&r->down, &r->m->gaps);
    xs_intervals_unite(&r->m->kernels.streaks);
    xs_intervals_unite(&r->m->gaps.streaks);
    xs_intervals_unite(&r->m->gaps.waits);
    r->m->ns_per_byte = r->bytes > 0 ? r->moving_ns / r->bytes : 0;
    return ended;
}

/* --- all --- */

static int any_migration(const struct xs_trace *trace, char *message, bool *any) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT 1 FROM device_migration LIMIT 1", message, NULL);
    *any = xs_scan_row(&scan);
    return xs_scan_end(&scan);
}

static void move_windows(struct reading *r, struct xs_migration_windows *windows) {
    for (size_t i = 0; i < windows->count; i++) {
        struct xs_recorded_window *window = &windows->items[i];
        window->start_ns = model_ns(r, window->start_ns);
        window->end_ns = model_ns(r, window->end_ns);
        window->last_ns = model_ns(r, window->last_ns);
    }
}

static int read_all(struct reading *r) {
    int status = XS_OK;
    for (enum xs_migration_way way = 0; way < XS_MIGRATION_WAYS && status >= 0; way++)
        status = xs_migration_windows_read(&r->m->windows[way], way, r->trace, r->message, NULL);
    for (enum xs_migration_way way = 0; way < XS_MIGRATION_WAYS && status >= 0; way++)
        move_windows(r, &r->m->windows[way]);
    status = status < 0 ? status : read_memories(r);
    status = status < 0 ? status : read_prefetches(r);
    status = status < 0 ? status : read_kernels(r);
    if (status < 0)
        return status;
    find_gaps(r);
    sort_spans(&r->m->kernels);
    sort_spans(&r->m->gaps);
    status = read_migrations(r);
    xs_managed_measure(r->m);
    return status;
}

int xs_managed_read(struct xs_managed **managed, const struct xs_plan *plan, const struct xs_trace *trace,
                    char *message) {
    bool any = false;
    *managed = NULL;
    int status = plan->model->call_count ? any_migration(trace, message, &any) : XS_OK;
    if (status < 0 || !any)
        return status;
    struct reading r = {.plan = plan, .trace = trace, .message = message};
    r.m = *managed = xs_realloc(NULL, sizeof *r.m);
    *r.m = (struct xs_managed){.kernels.way = XS_MIGRATIONS_UP, .gaps.way = XS_MIGRATIONS_DOWN, .remote_ns = INT64_MAX};
    r.threads = xs_zeroed((size_t)plan->model->threads, sizeof *r.threads);
    status = read_all(&r);
    xs_hash_free(&r.launches);
    xs_lives_end(&r.living);
    free(r.lives);
    free(r.threads);
    return status;
}

static void free_spans(struct xs_managed_spans *spans) {
    free(spans->items);
    free(spans->groups);
    xs_hash_free(&spans->group_of);
    xs_hash_free(&spans->moved);
    xs_intervals_free(&spans->streaks);
    xs_intervals_free(&spans->waits);
}

void xs_managed_free(struct xs_managed *m) {
    if (!m)
        return;
    for (unsigned way = 0; way < XS_MIGRATION_WAYS; way++)
        xs_migration_windows_free(&m->windows[way]);
    xs_hash_free(&m->memory_of);
    free(m->memories);
    free(m->given);
    free_spans(&m->kernels);
    free_spans(&m->gaps);
    free(m);
}
