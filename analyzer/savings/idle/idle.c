/* The account of idle time; see idle.h. */
#include "analyzer/savings/idle/idle.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/scan.h"

struct account {
    const struct xs_model *model;
    struct xs_idle *idle;
    const struct xs_pause_samples *samples; /* NULL: none */
    struct xs_hash rows;    /* maps reason, device and the two calls' places to the index of a row plus 1 */
    struct xs_hash sampled; /* maps the index of a row and a place to the time of its samples */
    int32_t *counted;       /* by sample: number of the last device that counted it, plus 1 */
    size_t capacity;
    int32_t device; /* number of the model */
    int64_t id;     /* its device.id */
};

static int64_t earlier_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* --- charging --- */

/* Returns a number of 40 bits for the place of a call and its direction; 0: there is no call. */
static uint64_t place_of(const struct account *account, uint32_t call) {
    const struct xs_model_call *c = call == XS_NO_CALL ? NULL : &account->model->calls[call];
    return c ? ((uint64_t)c->site + 1) | (uint64_t)(c->direction & 0x7f) << 33 : 0;
}

static struct xs_idle_call call_of(const struct account *account, uint32_t call) {
    if (call == XS_NO_CALL)
        return (struct xs_idle_call){0};
    const struct xs_model_call *c = &account->model->calls[call];
    return (struct xs_idle_call){.known = true, .kind = c->kind, .direction = c->direction, .site = c->site};
}

static struct xs_idle_row *row_of(struct account *account, enum xs_idle_reason reason, uint32_t before,
                                  uint32_t after) {
    struct xs_idle *idle = account->idle;
    uint64_t *found = xs_hash_put(&account->rows, place_of(account, before) | (uint64_t)reason << 60,
                                  place_of(account, after) | (uint64_t)(uint32_t)account->device << 40);
    if (!*found) {
        xs_grow(&idle->rows, idle->count, &account->capacity, sizeof *idle->rows);
        idle->rows[idle->count++] = (struct xs_idle_row){.reason = reason,
                                                         .device = account->id,
                                                         .before = call_of(account, before),
                                                         .after = call_of(account, after)};
        *found = idle->count;
    }
    return &idle->rows[*found - 1];
}

static struct xs_idle_row *charge(struct account *account, enum xs_idle_reason reason, uint32_t before, uint32_t after,
                                  int64_t start_ns, int64_t end_ns) {
    if (start_ns >= end_ns)
        return NULL;
    struct xs_idle_row *row = row_of(account, reason, before, after);
    uint64_t ns = (uint64_t)(end_ns - start_ns);
    row->count++;
    row->ns += ns;
    if (ns > row->longest_ns) {
        row->longest_ns = ns;
        row->longest_at_ns = start_ns;
    }
    return row;
}

/* True if the thread has samples at all; a thread without Python code has none. */
static bool is_sampled(const struct xs_pause_samples *samples, int64_t thread) {
    size_t first = xs_pause_samples_from(samples, thread, INT64_MIN);
    return first < samples->count && samples->items[first].thread == thread;
}

/* Charges time of the program's own code, on the thread of a call, and adds the samples of this time. */
static void charge_host(struct account *account, enum xs_idle_reason reason, uint32_t before, uint32_t after,
                        uint32_t of_call, int64_t start_ns, int64_t end_ns) {
    const struct xs_pause_samples *samples = account->samples;
    struct xs_idle_row *row = charge(account, reason, before, after, start_ns, end_ns);
    if (!row || !samples || !samples->count || !account->model->thread_ids)
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

/* Sets the place of each row at which most of its samples are. */
static void find_places(struct account *account) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&account->sampled, entry));) {
        struct xs_idle_row *row = &account->idle->rows[entry->low];
        uint32_t place = (uint32_t)entry->high;
        bool is_first = entry->value == row->most_ns && place < row->place;
        if (place && (entry->value > row->most_ns || is_first)) {
            row->place = place;
            row->most_ns = entry->value;
        }
    }
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
        charge(account, XS_IDLE_LAUNCHING, XS_NO_CALL, XS_NO_CALL, start_ns, end_ns);
    else
        charge_host(account, XS_IDLE_HOST, before, after, after, start_ns, end_ns);
}

/* Charges the time from `start_ns` to the enter of the call, by going back from call to call. If the thread paused
 * until another thread's call returned, goes on with that thread's calls. */
static void charge_calls_before(struct account *account, uint32_t call, int64_t start_ns, int64_t end_ns) {
    const struct xs_model_call *calls = account->model->calls;
    while (end_ns > start_ns) {
        uint32_t before = calls[call].handed_by ? calls[call].handed_by - 1 : calls[call].previous;
        if (before == XS_NO_CALL || before >= call) {
            charge_host(account, XS_IDLE_START, XS_NO_CALL, XS_NO_CALL, call, start_ns, end_ns);
            return;
        }
        int64_t returned_ns = earlier_of(xs_later(calls[before].return_ns, start_ns), end_ns);
        charge_pause(account, before, call, returned_ns, end_ns);
        int64_t entered_ns = earlier_of(xs_later(calls[before].enter_ns, start_ns), returned_ns);
        charge(account, XS_IDLE_CALL, before, XS_NO_CALL, entered_ns, returned_ns);
        end_ns = entered_ns;
        call = before;
    }
}

/* True if a launch right after another launch came late. The device became idle before the kernel could have begun, and
 * the kernel began about as early as it could. The kernel then did not wait for the work before it, although that work
 * had not ended when the kernel was launched. */
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
        charge(account, XS_IDLE_QUEUED, XS_NO_CALL, XS_NO_CALL, start_ns, end_ns);
        return;
    }
    int64_t entered_ns = earlier_of(xs_later(call->enter_ns, start_ns), end_ns);
    if (gives_work_only(call))
        charge(account, XS_IDLE_LAUNCHING, XS_NO_CALL, XS_NO_CALL, entered_ns, end_ns);
    else
        charge(account, XS_IDLE_CALL, operation->call, XS_NO_CALL, entered_ns, end_ns);
    charge_calls_before(account, operation->call, start_ns, entered_ns);
}

/* --- one device --- */

static int compare_operations(const void *a, const void *b) {
    const struct xs_model_operation *const *x = a, *const *y = b;
    return xs_compare((*x)->device, (*y)->device)
               ?: xs_compare((*x)->start_ns, (*y)->start_ns) ?: (*x > *y) - (*x < *y);
}

/* Accounts for the idle time of one device. `operations` has its operations in the order of their starts. */
static void account_device(struct account *account, const struct xs_model_operation **operations, size_t count) {
    struct xs_idle *idle = account->idle;
    int64_t all_end_ns = account->idle->end_ns, busy_until_ns = account->idle->start_ns;
    struct xs_idle_device *device = &idle->devices[idle->device_count++];
    *device = (struct xs_idle_device){.device = account->id};
    for (size_t i = 0; i < count; i++) {
        int64_t start_ns = earlier_of(xs_later(operations[i]->start_ns, account->idle->start_ns), all_end_ns);
        int64_t end_ns = earlier_of(xs_later(operations[i]->end_ns, start_ns), all_end_ns);
        if (start_ns > busy_until_ns) {
            device->idle_ns += (uint64_t)(start_ns - busy_until_ns);
            charge_until(account, operations[i], busy_until_ns, start_ns);
        }
        device->busy_ns += (uint64_t)(end_ns - earlier_of(xs_later(start_ns, busy_until_ns), end_ns));
        busy_until_ns = xs_later(busy_until_ns, end_ns);
    }
    if (all_end_ns > busy_until_ns) {
        device->idle_ns += (uint64_t)(all_end_ns - busy_until_ns);
        charge(account, XS_IDLE_END, XS_NO_CALL, XS_NO_CALL, busy_until_ns, all_end_ns);
    }
}

/* --- the run --- */

static int compare_calls(const struct xs_idle_call *a, const struct xs_idle_call *b) {
    return xs_compare(a->site, b->site) ?: xs_compare(a->direction, b->direction);
}

static int compare_rows(const void *a, const void *b) {
    const struct xs_idle_row *x = a, *y = b;
    return xs_compare_uint64(y->ns, x->ns)
               ?: xs_compare(x->reason, y->reason)
               ?: xs_compare(x->device, y->device)
               ?: compare_calls(&x->before, &y->before) ?: compare_calls(&x->after, &y->after);
}

void xs_idle_account(struct xs_idle *idle, const struct xs_model *model, const struct xs_pause_samples *samples,
                     int64_t start_ns, int64_t end_ns) {
    *idle = (struct xs_idle){.start_ns = start_ns, .end_ns = end_ns};
    struct account account = {.model = model, .idle = idle, .samples = samples};
    size_t count = model->operation_count;
    const struct xs_model_operation **operations = xs_realloc(NULL, count * sizeof *operations);
    idle->devices = xs_zeroed(XS_IDLE_MOST_DEVICES, sizeof *idle->devices);
    account.counted = xs_zeroed(samples ? samples->count : 0, sizeof *account.counted);
    for (size_t i = 0; i < count; i++)
        operations[i] = &model->operations[i];
    xs_sort(operations, count, sizeof *operations, compare_operations);
    for (size_t i = 0, last = 0; i < count && idle->device_count < XS_IDLE_MOST_DEVICES; i = last) {
        account.device = operations[i]->device;
        account.id = model->device_ids ? model->device_ids[account.device] : account.device;
        while (last < count && operations[last]->device == account.device)
            last++;
        account_device(&account, &operations[i], last - i);
    }
    find_places(&account);
    xs_sort(idle->rows, idle->count, sizeof *idle->rows, compare_rows);
    xs_hash_free(&account.rows);
    xs_hash_free(&account.sampled);
    free(account.counted);
    free(operations);
}

void xs_idle_free(struct xs_idle *idle) {
    free(idle->rows);
    free(idle->devices);
    *idle = (struct xs_idle){0};
}
