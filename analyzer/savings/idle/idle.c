/* Makes the account of idle time; see idle.h. */
#include "analyzer/savings/idle/idle.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/looked_stacks.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/shared_frame.h"

/* How much of one idle time was charged to a row so far. */
struct part {
    uint64_t idle_time; /* its number, from 1 */
    uint64_t ns;
};

/* The calls that a row is about; XS_NO_CALL: none. */
struct ends {
    uint32_t before, after, line_before, line_after;
};

struct account {
    const struct xs_model *model;
    const struct xs_sites *sites; /* NULL: each known site counts as a line */
    struct xs_idle *idle;
    const struct xs_pause_samples *samples; /* NULL: none */
    const struct xs_capture_ranges *ranges; /* NULL: the whole run is recorded */
    uint32_t *line_before, *line_after;     /* by call: the nearest call of its thread that has a line, which may be the
                                             * call itself; XS_NO_CALL: none */
    struct xs_hash pairs;                   /* maps the places of two calls to a number of the pair, from 1 */
    struct xs_hash rows;                    /* maps reason, device and two pairs to the index of a row plus 1 */
    struct xs_hash sampled;                 /* maps the index of a row and a place to the time of its samples */
    struct xs_hash stacked;                 /* maps the index of a row and the stacks of both its calls to a time */
    struct part *parts;                     /* by row: the part of the latest idle time that was charged to the row */
    size_t part_capacity;
    uint64_t idle_times; /* number of idle times so far, also of other devices */
    int32_t *counted;    /* by sample: number of the last device that counted it, plus 1 */
    size_t capacity;
    struct {
        struct ends ends;
        uint64_t row;          /* index of the row plus 1; 0: none yet */
    } latest[XS_IDLE_REASONS]; /* of this device */
    int32_t device;            /* number of the model */
    int64_t id;                /* its device.id */
};

/* --- lines --- */

static bool has_line(const struct account *account, uint32_t call) {
    uint32_t site = account->model->calls[call].site;
    const struct xs_frame *frame = account->sites ? xs_site_place_frame(account->sites, site) : NULL;
    return account->sites ? frame && !frame->library : site != 0;
}

static void find_lines(struct account *account) {
    const struct xs_model *model = account->model;
    uint32_t count = model->call_count;
    account->line_before = xs_realloc(NULL, (count + (size_t)1) * sizeof *account->line_before);
    account->line_after = xs_realloc(NULL, (count + (size_t)1) * sizeof *account->line_after);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t before = model->calls[i].previous;
        uint32_t line = before < i ? account->line_before[before] : XS_NO_CALL;
        account->line_before[i] = has_line(account, i) ? i : line;
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t after = model->calls[i].next;
        uint32_t line = after > i && after < count ? account->line_after[after] : XS_NO_CALL;
        account->line_after[i] = account->line_before[i] == i ? i : line;
    }
}

/* Returns the ends of a time between two calls. Each of them may be XS_NO_CALL. */
static struct ends between(const struct account *account, uint32_t before, uint32_t after) {
    struct ends ends = {before, after, before == XS_NO_CALL ? XS_NO_CALL : account->line_before[before],
                        after == XS_NO_CALL ? XS_NO_CALL : account->line_after[after]};
    bool has_own =
        (before != XS_NO_CALL && ends.line_before == before) || (after != XS_NO_CALL && ends.line_after == after);
    if (has_own)
        ends.line_before = ends.line_after = XS_NO_CALL;
    return ends;
}

/* Returns the ends of a time inside a call. */
static struct ends inside(const struct account *account, uint32_t call) {
    struct ends ends = between(account, call, call);
    ends.after = XS_NO_CALL;
    return ends;
}

/* Returns the ends of a time for which only the lines matter. A call without a line is left out. */
static struct ends around(const struct account *account, uint32_t before, uint32_t after) {
    bool has_own = before == after && account->line_before[before] == before;
    if (has_own)
        return (struct ends){before, XS_NO_CALL, XS_NO_CALL, XS_NO_CALL};
    return (struct ends){XS_NO_CALL, XS_NO_CALL, account->line_before[before], account->line_after[after]};
}

/* --- charging --- */

struct xs_idle_call xs_idle_call_of(const struct xs_model *model, uint32_t call) {
    if (call == XS_NO_CALL)
        return (struct xs_idle_call){0};
    const struct xs_model_call *c = &model->calls[call];
    bool is_memory = c->kind == XS_MODEL_ALLOCATION || c->kind == XS_MODEL_FREE;
    return (struct xs_idle_call){.known = true,
                                 .kind = c->kind,
                                 .direction = c->direction,
                                 .memory_kind = is_memory ? c->memory_kind : 0,
                                 .site = c->site};
}

/* Returns a number for what the account says of a call (struct xs_idle_call); 0: there is no call. */
static uint64_t place_of(const struct account *account, uint32_t call) {
    struct xs_idle_call c = xs_idle_call_of(account->model, call);
    return c.known ? ((uint64_t)c.site + 1) | (uint64_t)c.direction << 40 | (uint64_t)c.memory_kind << 48 : 0;
}

static uint64_t pair_of(struct account *account, uint32_t before, uint32_t after) {
    uint64_t *number = xs_hash_put(&account->pairs, place_of(account, before), place_of(account, after));
    if (!*number)
        *number = account->pairs.count;
    return *number;
}

static bool is_same(const struct ends *a, const struct ends *b) {
    return a->before == b->before && a->after == b->after && a->line_before == b->line_before &&
           a->line_after == b->line_after;
}

/* Returns the row of this device. If it does not exist yet, adds it, or returns NULL. */
static struct xs_idle_row *row_of(struct account *account, enum xs_idle_reason reason, struct ends ends, bool adds) {
    struct xs_idle *idle = account->idle;
    if (account->latest[reason].row && is_same(&account->latest[reason].ends, &ends))
        return &idle->rows[account->latest[reason].row - 1];
    uint64_t calls = pair_of(account, ends.before, ends.after);
    uint64_t low = calls | pair_of(account, ends.line_before, ends.line_after) << 32;
    uint64_t high = (uint64_t)(uint32_t)account->device << 8 | reason;
    uint64_t *found = adds ? xs_hash_put(&account->rows, low, high) : xs_hash_find(&account->rows, low, high);
    if (!found)
        return NULL;
    if (!*found) {
        xs_grow(&idle->rows, idle->count, &account->capacity, sizeof *idle->rows);
        xs_grow(&account->parts, idle->count, &account->part_capacity, sizeof *account->parts);
        account->parts[idle->count] = (struct part){0};
        idle->rows[idle->count++] =
            (struct xs_idle_row){.reason = reason,
                                 .device = account->id,
                                 .before = xs_idle_call_of(account->model, ends.before),
                                 .after = xs_idle_call_of(account->model, ends.after),
                                 .line_before = xs_idle_call_of(account->model, ends.line_before),
                                 .line_after = xs_idle_call_of(account->model, ends.line_after)};
        *found = idle->count;
    }
    account->latest[reason].ends = ends;
    account->latest[reason].row = *found;
    return &idle->rows[*found - 1];
}

/* True if the thread has samples at all; a thread without Python code has none. */
static bool is_sampled(const struct xs_pause_samples *samples, int64_t thread) {
    size_t first = xs_pause_samples_from(samples, thread, INT64_MIN);
    return first < samples->count && samples->items[first].thread == thread;
}

/* Adds the samples of the thread that made the call, or of the main thread if that thread has none. */
static void add_samples(struct account *account, struct xs_idle_row *row, uint32_t of_call, int64_t start_ns,
                        int64_t end_ns) {
    const struct xs_pause_samples *samples = account->samples;
    if (!samples || !samples->count || !account->model->thread_ids)
        return;
    int64_t thread = account->model->thread_ids[account->model->calls[of_call].thread];
    bool is_main = !is_sampled(samples, thread);
    thread = is_main ? samples->main_thread : thread;
    for (size_t i = xs_pause_samples_from(samples, thread, start_ns); i < samples->count; i++) {
        const struct xs_pause_sample *sample = &samples->items[i];
        if (sample->thread != thread || sample->at_ns > end_ns)
            break;
        if (account->counted[i] == account->device + 1) /* times before late launches can overlap (is_late) */
            continue;
        account->counted[i] = account->device + 1;
        uint64_t *ns = xs_hash_put(&account->sampled, (uint64_t)(row - account->idle->rows), sample->place);
        *ns = xs_sum(*ns, sample->ns);
        row->sampled_ns = xs_sum(row->sampled_ns, sample->ns);
        row->is_main |= is_main;
    }
}

/* Adds the stacks of the two calls between which the program ran its own code. */
static void add_stacks(struct account *account, size_t row, const struct ends *ends, uint64_t ns) {
    if (!account->sites || !account->sites->callsites || ends->before == XS_NO_CALL || ends->after == XS_NO_CALL)
        return;
    const struct xs_hash *looked = &account->sites->looked;
    uint64_t before = (uint64_t)xs_looked_stack(looked, account->model->calls[ends->before].stack),
             after = (uint64_t)xs_looked_stack(looked, account->model->calls[ends->after].stack);
    uint64_t *sum = before && after ? xs_hash_put(&account->stacked, row, before << 32 | (uint32_t)after) : NULL;
    if (sum)
        *sum = xs_sum(*sum, ns);
}

/* Charges a time in which the thread that made the call `of_call` gave the device its next work. */
static void charge(struct account *account, enum xs_idle_reason reason, struct ends ends, uint32_t of_call,
                   int64_t start_ns, int64_t end_ns) {
    if (start_ns >= end_ns)
        return;
    struct xs_idle_row *row = row_of(account, reason, ends, true);
    struct part *part = &account->parts[row - account->idle->rows];
    uint64_t ns = (uint64_t)(end_ns - start_ns);
    if (part->idle_time != account->idle_times) {
        *part = (struct part){.idle_time = account->idle_times};
        row->count++;
    }
    row->ns += ns;
    part->ns += ns;
    if (part->ns > row->longest_ns) {
        row->longest_ns = part->ns;
        row->longest_at_ns = start_ns; /* an idle time is charged from its end to its start */
    }
    if (reason == XS_IDLE_HOST)
        add_stacks(account, (size_t)(row - account->idle->rows), &ends, ns);
    add_samples(account, row, of_call, start_ns, end_ns);
}

static bool is_of_library(const struct account *account, uint32_t place) {
    const struct xs_frame *frame =
        account->sites && account->sites->callsites ? xs_callsites_place_frame(account->sites->callsites, place) : NULL;
    return frame && frame->library;
}

/* Sets the place of each row at which most of its samples are. A line of a library counts only if there are no samples
 * at lines of the program: outer frames of deep stacks are missing, and with them the program's line. */
static void find_places(struct account *account) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&account->sampled, entry));) {
        struct xs_idle_row *row = &account->idle->rows[entry->low];
        uint32_t place = (uint32_t)entry->high;
        int order = !row->place ? 1
                                : (is_of_library(account, row->place) - is_of_library(account, place))
                                      ?: xs_compare_uint64(entry->value, row->most_ns) ?: xs_compare(row->place, place);
        if (place && order > 0) {
            row->place = place;
            row->most_ns = entry->value;
        }
    }
}

/* --- the function that the calls around the program's own code share --- */

static const struct xs_frame *shared(const struct account *account, int64_t before, int64_t after) {
    return before ? xs_shared_frame(account->sites->callsites, before, after) : NULL;
}

/* Sets the stacks of each row to two that share the line that most of its time shares. Each other line takes its time
 * from the weight of the candidate, so a line with more than half of the time remains. */
static void find_shared(struct account *account) {
    struct xs_idle_row *rows = account->idle->rows;
    size_t count = account->idle->count;
    XS_SCOPED uint64_t *weights = xs_zeroed(count, sizeof *weights), *agreed = xs_zeroed(count, sizeof *agreed);
    for (int pass = 0; pass < 2; pass++)
        for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&account->stacked, entry));) {
            struct xs_idle_row *row = &rows[entry->low];
            uint64_t *weight = &weights[entry->low];
            int64_t before = (int64_t)(entry->high >> 32), after = (uint32_t)entry->high;
            const struct xs_frame *frame = shared(account, before, after),
                                  *candidate = shared(account, row->stack_before, row->stack_after);
            bool agrees = frame && candidate && xs_is_same_place(frame, candidate);
            if (pass) {
                agreed[entry->low] = xs_sum(agreed[entry->low], agrees ? entry->value : 0);
            } else if (agrees || *weight >= entry->value) {
                *weight = agrees ? xs_sum(*weight, entry->value) : *weight - entry->value;
            } else {
                *weight = entry->value - *weight;
                row->stack_before = before;
                row->stack_after = after;
            }
        }
    for (size_t i = 0; i < count; i++)
        if (agreed[i] <= rows[i].ns / 2)
            rows[i].stack_before = rows[i].stack_after = 0;
}

/* --- one idle time --- */

static bool gives_work_only(const struct xs_model_call *call) {
    return call->wait == XS_WAITS_NOT &&
           (call->kind == XS_MODEL_LAUNCH || call->is_async || call->kind == XS_MODEL_MEMSET);
}

static void charge_pause(struct account *account, uint32_t before, uint32_t after, int64_t start_ns, int64_t end_ns) {
    const struct xs_model_call *calls = account->model->calls;
    bool is_short = calls[after].enter_ns - calls[before].return_ns < XS_IDLE_HOST_NS;
    bool launches = is_short && gives_work_only(&calls[before]) && gives_work_only(&calls[after]);
    if (launches)
        charge(account, XS_IDLE_LAUNCHING, around(account, before, after), after, start_ns, end_ns);
    else
        charge(account, XS_IDLE_HOST, between(account, before, after), after, start_ns, end_ns);
}

/* Charges the time from `start_ns` to the enter of the call, by going back from call to call. If the thread paused
 * until another thread's call returned, goes on with that thread's calls. */
static void charge_calls_before(struct account *account, uint32_t call, int64_t start_ns, int64_t end_ns) {
    const struct xs_model_call *calls = account->model->calls;
    while (end_ns > start_ns) {
        uint32_t before = calls[call].handed_by ? calls[call].handed_by - 1 : calls[call].previous;
        if (before == XS_NO_CALL || before >= call) {
            struct ends ends = {XS_NO_CALL, XS_NO_CALL, XS_NO_CALL, account->line_after[call]};
            charge(account, XS_IDLE_START, ends, call, start_ns, end_ns);
            return;
        }
        int64_t returned_ns = xs_earlier(xs_later(calls[before].return_ns, start_ns), end_ns);
        charge_pause(account, before, call, returned_ns, end_ns);
        int64_t entered_ns = xs_earlier(xs_later(calls[before].enter_ns, start_ns), returned_ns);
        charge(account, XS_IDLE_CALL, inside(account, before), before, entered_ns, returned_ns);
        end_ns = entered_ns;
        call = before;
    }
}

/* True if a launch right after another launch came too late to keep the device busy. In this case, the device became
 * idle before the kernel could have begun, and the kernel began about as early as it could. The kernel then did not
 * wait for the work before it, although that work had not ended when the kernel was launched. */
static bool is_late(const struct account *account, const struct xs_model_operation *operation, int64_t idle_ns) {
    enum { TIMES = 2 }; /* latencies vary by so much */
    const struct xs_model_call *calls = account->model->calls, *call = &calls[operation->call];
    bool is_run =
        call->kind == XS_MODEL_LAUNCH && call->previous != XS_NO_CALL && calls[call->previous].kind == XS_MODEL_LAUNCH;
    return is_run && idle_ns <= call->enter_ns + operation->latency_ns &&
           operation->start_ns <= call->enter_ns + operation->latency_ns * TIMES;
}

/* Charges an idle time that ended when the operation began. */
static void charge_until(struct account *account, const struct xs_model_operation *operation, int64_t start_ns,
                         int64_t end_ns) {
    const struct xs_model_call *call = &account->model->calls[operation->call];
    bool is_early = call->enter_ns < start_ns && call->return_ns <= start_ns;
    if (is_early && is_late(account, operation, start_ns)) {
        charge_calls_before(account, operation->call, call->enter_ns - (end_ns - start_ns), call->enter_ns);
        return;
    }
    if (is_early ||
        call->enter_ns > operation->start_ns) { /* an operation begins before its call in a damaged trace only */
        charge(account, XS_IDLE_QUEUED, around(account, operation->call, operation->call), operation->call, start_ns,
               end_ns);
        return;
    }
    int64_t entered_ns = xs_earlier(xs_later(call->enter_ns, start_ns), end_ns);
    if (gives_work_only(call))
        charge(account, XS_IDLE_LAUNCHING, around(account, operation->call, operation->call), operation->call,
               entered_ns, end_ns);
    else
        charge(account, XS_IDLE_CALL, inside(account, operation->call), operation->call, entered_ns, end_ns);
    charge_calls_before(account, operation->call, start_ns, entered_ns);
}

/* --- launches back to back --- */

/* Counts the launches of the device that came close behind another launch of their thread, in the rows for the time
 * between their lines. */
static void count_launches(struct account *account) {
    const struct xs_model *model = account->model;
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        const struct xs_model_call *before = call->previous == XS_NO_CALL ? NULL : &model->calls[call->previous];
        bool is_next = call->kind == XS_MODEL_LAUNCH && before && before->kind == XS_MODEL_LAUNCH;
        if (!is_next || call->device != account->device || call->enter_ns - before->return_ns >= XS_IDLE_HOST_NS ||
            before->enter_ns < account->idle->start_ns || call->enter_ns > account->idle->end_ns)
            continue;
        struct xs_idle_row *row = row_of(account, XS_IDLE_LAUNCHING, around(account, call->previous, i), false);
        if (row) {
            row->launches++;
            row->apart_ns = xs_sum(row->apart_ns, (uint64_t)(call->enter_ns - before->enter_ns));
        }
    }
}

/* --- one device --- */

static int compare_operations(const void *a, const void *b) {
    const struct xs_model_operation *const *x = a, *const *y = b;
    return xs_compare((*x)->device, (*y)->device)
               ?: xs_compare((*x)->start_ns, (*y)->start_ns) ?: (*x > *y) - (*x < *y);
}

/* Charges the idle time before an operation. Without an operation, the device got no more work after the call `last`.
 */
static void charge_piece(struct account *account, const struct xs_model_operation *operation, uint32_t last,
                         int64_t start_ns, int64_t end_ns) {
    struct ends ends = {XS_NO_CALL, XS_NO_CALL, account->line_before[last], XS_NO_CALL};
    account->idle->devices[account->idle->device_count - 1].idle_ns += (uint64_t)(end_ns - start_ns);
    account->idle_times++;
    if (operation)
        charge_until(account, operation, start_ns, end_ns);
    else
        charge(account, XS_IDLE_END, ends, last, start_ns, end_ns);
}

/* Charges what is recorded of an idle time. Only in the last piece is it known which work ended it. */
static void charge_idle(struct account *account, const struct xs_model_operation *operation, uint32_t last,
                        int64_t start_ns, int64_t end_ns) {
    const struct xs_capture_ranges *ranges = account->ranges;
    if (!ranges) {
        charge_piece(account, operation, last, start_ns, end_ns);
        return;
    }
    for (size_t i = 0; i < ranges->count; i++) {
        int64_t from = xs_later(start_ns, ranges->items[i].start_ns), to = xs_earlier(end_ns, ranges->items[i].end_ns);
        if (from < to)
            charge_piece(account, to == end_ns ? operation : NULL, last, from, to);
    }
}

/* Accounts for the idle time of one device. `operations` has its operations in the order of their starts. */
static void account_device(struct account *account, const struct xs_model_operation **operations, size_t count) {
    struct xs_idle *idle = account->idle;
    int64_t all_end_ns = account->idle->end_ns, busy_until_ns = account->idle->start_ns;
    uint32_t last = operations[0]->call; /* the call of the work that ended last */
    struct xs_idle_device *device = &idle->devices[idle->device_count++];
    memset(account->latest, 0, sizeof account->latest);
    *device = (struct xs_idle_device){.device = account->id};
    for (size_t i = 0; i < count; i++) {
        int64_t start_ns = xs_earlier(xs_later(operations[i]->start_ns, account->idle->start_ns), all_end_ns);
        int64_t end_ns = xs_earlier(xs_later(operations[i]->end_ns, start_ns), all_end_ns);
        if (start_ns > busy_until_ns)
            charge_idle(account, operations[i], last, busy_until_ns, start_ns);
        device->busy_ns += (uint64_t)(end_ns - xs_earlier(xs_later(start_ns, busy_until_ns), end_ns));
        last = end_ns >= busy_until_ns ? operations[i]->call : last;
        busy_until_ns = xs_later(busy_until_ns, end_ns);
    }
    if (all_end_ns > busy_until_ns)
        charge_idle(account, NULL, last, busy_until_ns, all_end_ns);
    count_launches(account);
}

/* --- the run --- */

static int compare_calls(const struct xs_idle_call *a, const struct xs_idle_call *b) {
    return xs_compare(a->site, b->site)
               ?: xs_compare(a->direction, b->direction) ?: xs_compare(a->memory_kind, b->memory_kind);
}

static int compare_rows(const void *a, const void *b) {
    const struct xs_idle_row *x = a, *y = b;
    return xs_compare_uint64(y->ns, x->ns)
               ?: xs_compare(x->reason, y->reason)
               ?: xs_compare(x->device, y->device)
               ?: compare_calls(&x->before, &y->before)
               ?: compare_calls(&x->after, &y->after)
               ?: compare_calls(&x->line_before, &y->line_before) ?: compare_calls(&x->line_after, &y->line_after);
}

/* Returns the part of the time that is recorded. */
static uint64_t length_of(int64_t start_ns, int64_t end_ns, const struct xs_capture_ranges *ranges) {
    uint64_t ns = 0;
    if (!ranges)
        return end_ns > start_ns ? (uint64_t)(end_ns - start_ns) : 0;
    for (size_t i = 0; i < ranges->count; i++) {
        int64_t from = xs_later(start_ns, ranges->items[i].start_ns), to = xs_earlier(end_ns, ranges->items[i].end_ns);
        ns += from < to ? (uint64_t)(to - from) : 0;
    }
    return ns;
}

void xs_idle_account(struct xs_idle *idle, const struct xs_model *model, const struct xs_sites *sites,
                     const struct xs_pause_samples *samples, int64_t start_ns, int64_t end_ns) {
    xs_idle_account_in(idle, model, sites, samples, start_ns, end_ns, NULL);
}

void xs_idle_account_in(struct xs_idle *idle, const struct xs_model *model, const struct xs_sites *sites,
                        const struct xs_pause_samples *samples, int64_t start_ns, int64_t end_ns,
                        const struct xs_capture_ranges *ranges) {
    *idle = (struct xs_idle){.start_ns = start_ns, .end_ns = end_ns, .ns = length_of(start_ns, end_ns, ranges)};
    struct account account = {.model = model, .sites = sites, .idle = idle, .samples = samples, .ranges = ranges};
    size_t count = model->operation_count;
    const struct xs_model_operation **operations = xs_realloc(NULL, count * sizeof *operations);
    idle->devices = xs_zeroed(XS_IDLE_MOST_DEVICES, sizeof *idle->devices);
    account.counted = xs_zeroed(samples ? samples->count : 0, sizeof *account.counted);
    for (size_t i = 0; i < count; i++)
        operations[i] = &model->operations[i];
    xs_sort(operations, count, sizeof *operations, compare_operations);
    find_lines(&account);
    for (size_t i = 0, last = 0; i < count && idle->device_count < XS_IDLE_MOST_DEVICES; i = last) {
        account.device = operations[i]->device;
        account.id = model->device_ids ? model->device_ids[account.device] : account.device;
        while (last < count && operations[last]->device == account.device)
            last++;
        account_device(&account, &operations[i], last - i);
    }
    find_places(&account);
    find_shared(&account);
    xs_sort(idle->rows, idle->count, sizeof *idle->rows, compare_rows);
    xs_hash_free(&account.pairs);
    xs_hash_free(&account.rows);
    xs_hash_free(&account.sampled);
    xs_hash_free(&account.stacked);
    free(account.parts);
    free(account.line_before);
    free(account.line_after);
    free(account.counted);
    free(operations);
}

void xs_idle_free(struct xs_idle *idle) {
    free(idle->rows);
    free(idle->devices);
    *idle = (struct xs_idle){0};
}
