/* The account of idle time; see idle.h. */
#include "analyzer/savings/idle/idle.h"

#include <stdlib.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"

struct account {
    const struct xs_model *model;
    struct xs_idle *idle;
    struct xs_hash rows; /* maps reason, device and the two calls' sites to the index of a row plus 1 */
    size_t capacity;
    int32_t device; /* number of the model */
    int64_t id;     /* its device.id */
};

static int64_t later_of(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier_of(int64_t a, int64_t b) { return a < b ? a : b; }

/* --- charging --- */

/* Returns a number for the place of a call; 0: there is no call. */
static uint64_t place_of(const struct account *account, uint32_t call) {
    return call == XS_NO_CALL ? 0 : (uint64_t)account->model->calls[call].site + 1;
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
        if (idle->count == account->capacity) {
            account->capacity = account->capacity ? 2 * account->capacity : 64;
            idle->rows = xs_realloc(idle->rows, account->capacity * sizeof *idle->rows);
        }
        idle->rows[idle->count++] = (struct xs_idle_row){.reason = reason,
                                                         .device = account->id,
                                                         .before = call_of(account, before),
                                                         .after = call_of(account, after)};
        *found = idle->count;
    }
    return &idle->rows[*found - 1];
}

static void charge(struct account *account, enum xs_idle_reason reason, uint32_t before, uint32_t after,
                   int64_t start_ns, int64_t end_ns) {
    if (start_ns >= end_ns)
        return;
    struct xs_idle_row *row = row_of(account, reason, before, after);
    uint64_t ns = (uint64_t)(end_ns - start_ns);
    row->count++;
    row->ns += ns;
    row->longest_ns = ns > row->longest_ns ? ns : row->longest_ns;
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
        charge(account, XS_IDLE_HOST, before, after, start_ns, end_ns);
}

/* Charges the time from `start_ns` to the enter of the call, by going back from call to call. If the thread paused
 * until another thread's call returned, goes on with that thread's calls. */
static void charge_calls_before(struct account *account, uint32_t call, int64_t start_ns, int64_t end_ns) {
    const struct xs_model_call *calls = account->model->calls;
    while (end_ns > start_ns) {
        uint32_t before = calls[call].handed_by ? calls[call].handed_by - 1 : calls[call].previous;
        if (before == XS_NO_CALL || before >= call) {
            charge(account, XS_IDLE_START, XS_NO_CALL, XS_NO_CALL, start_ns, end_ns);
            return;
        }
        int64_t returned_ns = earlier_of(later_of(calls[before].return_ns, start_ns), end_ns);
        charge_pause(account, before, call, returned_ns, end_ns);
        int64_t entered_ns = earlier_of(later_of(calls[before].enter_ns, start_ns), returned_ns);
        charge(account, XS_IDLE_CALL, before, XS_NO_CALL, entered_ns, returned_ns);
        end_ns = entered_ns;
        call = before;
    }
}

/* Charges an idle time that ended when the operation began. */
static void charge_until(struct account *account, const struct xs_model_operation *operation, int64_t start_ns,
                         int64_t end_ns) {
    const struct xs_model_call *call = &account->model->calls[operation->call];
    if (call->enter_ns < start_ns && call->return_ns <= start_ns) {
        charge(account, XS_IDLE_QUEUED, XS_NO_CALL, XS_NO_CALL, start_ns, end_ns);
        return;
    }
    int64_t entered_ns = earlier_of(later_of(call->enter_ns, start_ns), end_ns);
    if (gives_work_only(call))
        charge(account, XS_IDLE_LAUNCHING, XS_NO_CALL, XS_NO_CALL, entered_ns, end_ns);
    else
        charge(account, XS_IDLE_CALL, operation->call, XS_NO_CALL, entered_ns, end_ns);
    charge_calls_before(account, operation->call, start_ns, entered_ns);
}

/* --- one device --- */

static int compare_starts(const void *a, const void *b) {
    const struct xs_model_operation *const *x = a, *const *y = b;
    return (*x)->start_ns != (*y)->start_ns ? ((*x)->start_ns > (*y)->start_ns) - ((*x)->start_ns < (*y)->start_ns)
                                            : (*x > *y) - (*x < *y);
}

static void account_device(struct account *account, const struct xs_model_operation **operations, size_t count) {
    struct xs_idle *idle = account->idle;
    int64_t all_end_ns = account->idle->end_ns, busy_until_ns = account->idle->start_ns;
    struct xs_idle_device *device = &idle->devices[idle->device_count++];
    *device = (struct xs_idle_device){.device = account->id};
    qsort(operations, count, sizeof(void *), compare_starts);
    for (size_t i = 0; i < count; i++) {
        int64_t start_ns = earlier_of(later_of(operations[i]->start_ns, account->idle->start_ns), all_end_ns);
        int64_t end_ns = earlier_of(later_of(operations[i]->end_ns, start_ns), all_end_ns);
        if (start_ns > busy_until_ns) {
            device->idle_ns += (uint64_t)(start_ns - busy_until_ns);
            charge_until(account, operations[i], busy_until_ns, start_ns);
        }
        device->busy_ns += (uint64_t)(end_ns - earlier_of(later_of(start_ns, busy_until_ns), end_ns));
        busy_until_ns = later_of(busy_until_ns, end_ns);
    }
    if (all_end_ns > busy_until_ns) {
        device->idle_ns += (uint64_t)(all_end_ns - busy_until_ns);
        charge(account, XS_IDLE_END, XS_NO_CALL, XS_NO_CALL, busy_until_ns, all_end_ns);
    }
}

/* --- the run --- */

static int compare_rows(const void *a, const void *b) {
    const struct xs_idle_row *x = a, *y = b;
    if (x->ns != y->ns)
        return (x->ns < y->ns) - (x->ns > y->ns);
    if (x->reason != y->reason)
        return (x->reason > y->reason) - (x->reason < y->reason);
    return (x->before.site > y->before.site) - (x->before.site < y->before.site);
}

void xs_idle_account(struct xs_idle *idle, const struct xs_model *model, int64_t start_ns, int64_t end_ns) {
    *idle = (struct xs_idle){.start_ns = start_ns, .end_ns = end_ns};
    struct account account = {.model = model, .idle = idle};
    const struct xs_model_operation **operations = xs_realloc(NULL, (model->operation_count + 1) * sizeof *operations);
    idle->devices = xs_realloc(NULL, ((size_t)model->devices + 1) * sizeof *idle->devices);
    for (account.device = 0; account.device < model->devices; account.device++) {
        size_t count = 0;
        account.id = model->device_ids ? model->device_ids[account.device] : account.device;
        for (uint32_t i = 0; i < model->operation_count; i++)
            if (model->operations[i].device == account.device)
                operations[count++] = &model->operations[i];
        if (count)
            account_device(&account, operations, count);
    }
    if (idle->count)
        qsort(idle->rows, idle->count, sizeof *idle->rows, compare_rows);
    xs_hash_free(&account.rows);
    free(operations);
}

void xs_idle_free(struct xs_idle *idle) {
    free(idle->rows);
    free(idle->devices);
    *idle = (struct xs_idle){0};
}
