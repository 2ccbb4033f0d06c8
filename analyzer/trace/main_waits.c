/* Joins the downloads with the calls of the thread that slept meanwhile; see main_waits.h. */
#include "analyzer/trace/main_waits.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/looked_stacks.h"
#include "analyzer/trace/scan.h"

struct call {
    int64_t enter_ns, return_ns;
};

struct calls {
    struct call *items; /* by enter time */
    size_t count, capacity;
};

/* These tables tell for which downloads a thread slept. */
struct reading {
    struct xs_hash ends;   /* maps a correlation number to the copy's end plus 1 */
    struct xs_hash asleep; /* maps a stack to the thread that slept as it was taken */
    struct xs_hash looked; /* see looked_stacks.h */
};

static int read_downloads(struct xs_main_waits *waits, const struct reading *r, const struct xs_trace *trace,
                          char *message, uint64_t *damaged) {
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT id, enter_ns, return_ns, correlation, stack FROM transfer WHERE direction = 2 AND result = 0"
                  " AND is_captured = 0 AND batch_index IS NULL AND stack IS NOT NULL ORDER BY id",
                  message, damaged);
    for (int64_t enter, returned; xs_scan_row(&scan);) {
        const uint64_t *end = xs_hash_find(&r->ends, xs_scan_correlation(&scan, 3), 0);
        uint64_t stack = (uint64_t)xs_looked_stack(&r->looked, xs_scan_int(&scan, 4));
        const uint64_t *thread = xs_hash_find(&r->asleep, stack, 0);
        if (!end || !thread || !xs_scan_times(&scan, 1, 2, &enter, &returned))
            continue;
        xs_grow(&waits->items, waits->count, &capacity, sizeof *waits->items);
        waits->items[waits->count++] = (struct xs_main_wait){.download = xs_scan_int(&scan, 0),
                                                             .enter_ns = enter,
                                                             .thread = (int64_t)*thread,
                                                             .end_ns = (int64_t)*end - 1};
    }
    return xs_scan_end(&scan);
}

static int read_sleeps(struct xs_main_waits *waits, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct reading r = {0};
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT id, python_thread FROM stack WHERE is_asleep = 1", message, damaged);
    while (xs_scan_row(&scan))
        *xs_hash_put(&r.asleep, (uint64_t)xs_scan_int(&scan, 0), 0) = (uint64_t)xs_scan_int(&scan, 1);
    int status = xs_scan_end(&scan);
    if (status >= 0 && r.asleep.count) {
        xs_scan_begin(&scan, trace,
                      "SELECT correlation, start_ns, end_ns FROM device_copy WHERE kind = 2 AND end_ns IS NOT NULL",
                      message, damaged);
        for (int64_t start, end; xs_scan_row(&scan);)
            if (xs_scan_times(&scan, 1, 2, &start, &end))
                *xs_hash_put(&r.ends, xs_scan_correlation(&scan, 0), 0) = (uint64_t)end + 1;
        status = xs_scan_end(&scan);
        if (status >= 0)
            status = xs_looked_stacks_read(&r.looked, trace, message, damaged);
        if (status >= 0)
            status = read_downloads(waits, &r, trace, message, damaged);
    }
    xs_hash_free(&r.ends);
    xs_hash_free(&r.asleep);
    xs_hash_free(&r.looked);
    return status;
}

/* Reads the calls of the threads that slept. */
static int read_calls(struct calls *calls, int64_t thread, const struct xs_trace *trace, char *message,
                      uint64_t *damaged) {
    char sql[1024];
    struct xs_scan scan;
    snprintf(sql, sizeof sql,
             "SELECT enter_ns, coalesce(return_ns, enter_ns) FROM transfer WHERE thread = %1$lld"
             " UNION ALL SELECT enter_ns, coalesce(return_ns, enter_ns) FROM launch WHERE thread = %1$lld"
             " UNION ALL SELECT enter_ns, return_ns FROM memset WHERE thread = %1$lld"
             " UNION ALL SELECT enter_ns, return_ns FROM allocation WHERE thread = %1$lld"
             " UNION ALL SELECT free_enter_ns, free_return_ns FROM allocation WHERE free_thread = %1$lld"
             " UNION ALL SELECT enter_ns, return_ns FROM sync WHERE thread = %1$lld"
             " UNION ALL SELECT enter_ns, return_ns FROM api_call WHERE thread = %1$lld ORDER BY 1",
             (long long)thread);
    calls->count = 0;
    xs_scan_begin(&scan, trace, sql, message, damaged);
    for (struct call call; xs_scan_row(&scan);)
        if (xs_scan_times(&scan, 0, 1, &call.enter_ns, &call.return_ns)) {
            xs_grow(&calls->items, calls->count, &calls->capacity, sizeof *calls->items);
            calls->items[calls->count++] = call;
        }
    return xs_scan_end(&scan);
}

static bool is_before(const void *item, const void *key) {
    return ((const struct call *)item)->enter_ns < *(const int64_t *)key;
}

/* Sets the wait's beginning and end. The wait begins at the return of the thread's previous call. It ends at the copy's
 * end, or at the enter of the thread's next call if that is earlier. False: the thread was inside a call when the
 * download's call began, or the wait has no length. */
static bool set_times(struct xs_main_wait *wait, const struct calls *calls) {
    size_t next = xs_search(calls->items, calls->count, sizeof *calls->items, is_before, &wait->enter_ns);
    wait->begin_ns = next ? calls->items[next - 1].return_ns : wait->enter_ns;
    if (next < calls->count)
        wait->end_ns = wait->end_ns < calls->items[next].enter_ns ? wait->end_ns : calls->items[next].enter_ns;
    return wait->begin_ns <= wait->enter_ns && wait->end_ns > wait->enter_ns;
}

static int by_thread_and_enter(const void *a, const void *b) {
    const struct xs_main_wait *x = a, *y = b;
    return xs_compare(x->thread, y->thread) ?: xs_compare(x->enter_ns, y->enter_ns);
}

static int by_download(const void *a, const void *b) {
    const struct xs_main_wait *x = a, *y = b;
    return xs_compare(x->download, y->download);
}

/* Lets each wait begin after the thread's previous wait, because a thread may sleep once for several downloads. */
static void part(struct xs_main_waits *waits) {
    xs_sort(waits->items, waits->count, sizeof *waits->items, by_thread_and_enter);
    for (size_t i = 1; i < waits->count; i++) {
        struct xs_main_wait *wait = &waits->items[i];
        const struct xs_main_wait *before = &waits->items[i - 1];
        if (wait->thread == before->thread && wait->begin_ns < before->end_ns) {
            wait->begin_ns = before->end_ns;
            wait->end_ns = wait->end_ns < wait->begin_ns ? wait->begin_ns : wait->end_ns;
        }
    }
    xs_sort(waits->items, waits->count, sizeof *waits->items, by_download);
}

int xs_main_waits_read(struct xs_main_waits *waits, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct calls calls = {0};
    int64_t thread = 0;
    size_t kept = 0;
    *waits = (struct xs_main_waits){0};
    int status = read_sleeps(waits, trace, message, damaged);
    for (size_t i = 0; i < waits->count && status >= 0; i++) {
        struct xs_main_wait *wait = &waits->items[i];
        if (wait->thread != thread)
            status = read_calls(&calls, thread = wait->thread, trace, message, damaged);
        if (status >= 0 && set_times(wait, &calls))
            waits->items[kept++] = *wait;
    }
    waits->count = kept;
    part(waits);
    free(calls.items);
    return status;
}

void xs_main_waits_free(struct xs_main_waits *waits) {
    free(waits->items);
    *waits = (struct xs_main_waits){0};
}

static bool is_of_earlier(const void *item, const void *key) {
    return ((const struct xs_main_wait *)item)->download < *(const int64_t *)key;
}

const struct xs_main_wait *xs_main_wait_of(const struct xs_main_waits *waits, int64_t download) {
    size_t i = xs_search(waits->items, waits->count, sizeof *waits->items, is_of_earlier, &download);
    return i < waits->count && waits->items[i].download == download ? &waits->items[i] : NULL;
}
