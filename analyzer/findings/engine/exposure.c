/* Keeps kernels and waits around the present time; see exposure.h. */
#include "analyzer/findings/engine/exposure.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/ran.h"

enum {
    QUEUE_LIMIT = 1 << 20
}; /* the most kernels that are read ahead; more lie between a call and its copy only if a time is wrong */
enum { FEW_STREAMS = 64 };

static bool read_kernel(struct xs_scan *scan, void *item) {
    enum { ID, START, END, DEVICE, CORRELATION };
    struct xs_kernel_interval *kernel = item;
    uint64_t ns;
    if (!xs_scan_span(scan, START, END, &ns))
        return false;
    int64_t device = xs_scan_int(scan, DEVICE);
    bool none = (device == 0 && xs_scan_null(scan, DEVICE)) || device < 0 || device > 4095;
    *kernel = (struct xs_kernel_interval){.id = xs_scan_int(scan, ID),
                                          .start_ns = xs_scan_int(scan, START),
                                          .end_ns = xs_scan_int(scan, END),
                                          .device = none ? -1 : (int32_t)device,
                                          .correlation = xs_scan_correlation(scan, CORRELATION)};
    return true;
}

struct wait {
    struct xs_interval time;
    int64_t stream; /* stream.id */
};

static bool read_wait(struct xs_scan *scan, void *item) {
    enum { ENTER = 1, RETURN, RESULT, SCOPE, STREAM };
    struct wait *wait = item;
    uint64_t ns;
    if (!xs_scan_span(scan, ENTER, RETURN, &ns))
        return false;
    *wait = (struct wait){{xs_scan_int(scan, ENTER), xs_scan_int(scan, RETURN)}, xs_scan_int(scan, STREAM)};
    return xs_ran(xs_scan_int(scan, RESULT), false) && xs_scan_int(scan, SCOPE) == XS_SYNC_STREAM && wait->stream > 0;
}

static const struct xs_source_kind kernel_kind = {.table = "device_kernel",
                                                  .time = "start_ns",
                                                  .where = "start_ns IS NOT NULL AND end_ns IS NOT NULL",
                                                  .columns = "end_ns, device, correlation",
                                                  .checks_where = true,
                                                  .item_bytes = sizeof(struct xs_kernel_interval),
                                                  .read = read_kernel};
/* Only waits for streams are read. Other waits are excluded by the condition, before the order is checked, because
 * their times need not be in order. */
_Static_assert(XS_SYNC_STREAM == 1, "the scope in the condition below");
static const struct xs_source_kind wait_kind = {.table = "sync",
                                                .time = "enter_ns",
                                                .where = "scope = 1 AND stream > 0 AND result = 0 AND "
                                                         "return_ns >= enter_ns",
                                                .columns = "return_ns, result, scope, stream",
                                                .item_bytes = sizeof(struct wait),
                                                .read = read_wait};

void xs_exposure_begin(struct xs_exposure *exposure, const struct xs_trace *trace, struct xs_ahead *ahead,
                       const struct xs_streams *streams, unsigned most_rows, bool wanted, char *message,
                       uint64_t *damaged) {
    unsigned waits = most_rows ? most_rows : xs_events_most_rows(trace);
    /* records are written when work ends, so those of several streams interleave even if one thread launched all
     * work */
    unsigned kernels = most_rows ? most_rows : 16384;
    *exposure = (struct xs_exposure){.wanted = wanted, .streams = streams, .sweep_at = FEW_STREAMS};
    exposure->kernel_source = xs_source_begin(&kernel_kind, trace, ahead, kernels, message, damaged);
    /* damaged rows are not counted here, because events.c reads these rows, too, and counts them */
    exposure->wait_source = xs_source_begin(&wait_kind, trace, ahead, waits, message, NULL);
}

void xs_exposure_end(struct xs_exposure *exposure) {
    xs_source_end(exposure->kernel_source);
    xs_source_end(exposure->wait_source);
    for (size_t i = 0; i < exposure->devices; i++)
        free(exposure->kernels[i].items);
    free(exposure->kernels);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&exposure->waits, entry));)
        free(((struct xs_busy *)(uintptr_t)entry->value)->items);
    xs_hash_free(&exposure->waits);
    free(exposure->queue);
    *exposure = (struct xs_exposure){0};
}

static struct xs_interval *busy_at(const struct xs_busy *busy, size_t i) {
    return &busy->items[(busy->first + i) & (busy->capacity - 1)];
}

/* Adds an interval. Starts ascend, so the interval either overlaps the last interval, and is united with it, or comes
 * after it. */
static void busy_add(struct xs_busy *busy, int64_t start, int64_t end) {
    if (end <= start)
        return;
    if (busy->count) {
        struct xs_interval *last = busy_at(busy, busy->count - 1);
        if (start <= last->end) {
            last->end = end > last->end ? end : last->end;
            return;
        }
    }
    if (busy->count == busy->capacity) {
        struct xs_busy old = *busy;
        busy->capacity = old.capacity ? old.capacity * 2 : 64;
        busy->items = xs_realloc(NULL, busy->capacity * sizeof *busy->items);
        busy->first = 0;
        for (size_t i = 0; i < old.count; i++)
            busy->items[i] = *busy_at(&old, i);
        free(old.items);
    }
    *busy_at(busy, busy->count++) = (struct xs_interval){start, end};
}

static void busy_forget(struct xs_busy *busy, int64_t before) {
    while (busy->count && busy_at(busy, 0)->end <= before) {
        busy->first = (busy->first + 1) & (busy->capacity - 1);
        busy->count--;
    }
}

/* Finds the first interval that ends after `ns`. */
static size_t busy_seek(const struct xs_busy *busy, int64_t ns) {
    size_t low = 0, high = busy->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (busy_at(busy, middle)->end > ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct xs_busy *kernels_of(struct xs_exposure *exposure, int32_t device) {
    size_t index = (size_t)device + 1; /* -1: 0 */
    return xs_reach(&exposure->kernels, &exposure->devices, index, sizeof *exposure->kernels);
}

static void enqueue(struct xs_exposure *exposure, const struct xs_kernel_interval *kernel) {
    if (exposure->queue_count == exposure->queue_capacity) {
        size_t capacity = exposure->queue_capacity ? exposure->queue_capacity * 2 : 256;
        struct xs_kernel_interval *queue = xs_realloc(NULL, capacity * sizeof *queue);
        for (size_t i = 0; i < exposure->queue_count; i++)
            queue[i] = exposure->queue[(exposure->queue_first + i) & (exposure->queue_capacity - 1)];
        free(exposure->queue);
        exposure->queue = queue;
        exposure->queue_first = 0;
        exposure->queue_capacity = capacity;
    }
    exposure->queue[(exposure->queue_first + exposure->queue_count++) & (exposure->queue_capacity - 1)] = *kernel;
}

/* Reads one kernel. Returns 1 if there was one, 0 at the end. */
static int read_one_kernel(struct xs_exposure *exposure, int64_t before) {
    struct xs_order_key key;
    int status;
    const struct xs_kernel_interval *kernel = xs_source_peek(exposure->kernel_source, &key, &status);
    if (!kernel || kernel->start_ns >= before)
        return status < 0 ? status : 0;
    busy_add(kernels_of(exposure, kernel->device), kernel->start_ns, kernel->end_ns);
    if (exposure->wanted)
        enqueue(exposure, kernel);
    xs_source_pop(exposure->kernel_source);
    return 1;
}

/* Drops streams without a wait after `now`. This is done often enough that such streams never outnumber the others by
 * much. */
static void sweep(struct xs_exposure *exposure, int64_t now) {
    for (const struct xs_hash_entry *entry = xs_hash_next(&exposure->waits, NULL), *next; entry; entry = next) {
        struct xs_busy *busy = (struct xs_busy *)(uintptr_t)entry->value;
        next = xs_hash_next(&exposure->waits, entry);
        busy_forget(busy, now);
        if (busy->count)
            continue;
        free(busy->items);
        xs_hash_remove(&exposure->waits, entry->low, entry->high);
    }
    exposure->sweep_at = exposure->waits.count * 2 + FEW_STREAMS;
}

static void add_wait(struct xs_exposure *exposure, int64_t stream, struct xs_interval wait, int64_t now) {
    if (wait.end <= now)
        return;
    if (exposure->waits.count >= exposure->sweep_at && !xs_hash_find(&exposure->waits, (uint64_t)stream, 0))
        sweep(exposure, now);
    struct xs_busy *busy = xs_hash_item(&exposure->waits, (uint64_t)stream, 0, sizeof *busy);
    busy_forget(busy, now);
    busy_add(busy, wait.start, wait.end);
}

static int read_waits(struct xs_exposure *exposure, int64_t before, int64_t now) {
    for (;;) {
        struct xs_order_key key;
        int status;
        const struct wait *wait = xs_source_peek(exposure->wait_source, &key, &status);
        if (!wait || wait->time.start >= before)
            return status;
        add_wait(exposure, xs_stream_identity(exposure->streams, wait->stream), wait->time, now);
        xs_source_pop(exposure->wait_source);
    }
}

/* Returns the length of the part of [start, end) that lies neither in a wait (`waits` NULL: none) nor in the call. */
static uint64_t not_waited(const struct xs_busy *waits, int64_t start, int64_t end, struct xs_interval call) {
    uint64_t length = 0;
    size_t i = waits ? busy_seek(waits, start) : 0, count = waits ? waits->count : 0;
    while (start < end) {
        /* the next interval to be left out: a wait or the call, whichever begins first */
        const struct xs_interval *wait = i < count ? busy_at(waits, i) : NULL;
        struct xs_interval next = {end, end};
        if (wait && wait->start < next.start)
            next = *wait;
        if (call.end > start && call.start < end && (call.start < next.start))
            next = call;
        if (next.start > start)
            length += (uint64_t)next.start - (uint64_t)start;
        start = next.end > start ? next.end : start;
        if (next.start >= end)
            break;
        while (i < count && busy_at(waits, i)->end <= start)
            i++;
    }
    return length;
}

int xs_exposure_of_copy(struct xs_exposure *exposure, int32_t device, int32_t stream, struct xs_interval copy,
                        struct xs_interval call, int64_t now, uint64_t *exposed_ns) {
    int status = 1;
    *exposed_ns = 0;
    if (copy.end <= copy.start)
        return XS_OK;
    while (status > 0 && exposure->queue_count < QUEUE_LIMIT)
        status = read_one_kernel(exposure, copy.end);
    if (status >= 0)
        status = read_waits(exposure, copy.end, now);
    if (status < 0)
        return status;
    const struct xs_busy *waits =
        xs_hash_pointer(&exposure->waits, (uint64_t)xs_stream_identity(exposure->streams, stream), 0);
    struct xs_busy *busy = kernels_of(exposure, device);
    busy_forget(busy, now);
    *exposed_ns = (uint64_t)copy.end - (uint64_t)copy.start;
    for (size_t i = busy_seek(busy, copy.start); i < busy->count; i++) {
        const struct xs_interval *kernel = busy_at(busy, i);
        if (kernel->start >= copy.end)
            break;
        int64_t start = kernel->start > copy.start ? kernel->start : copy.start;
        int64_t end = kernel->end < copy.end ? kernel->end : copy.end;
        *exposed_ns -= not_waited(waits, start, end, call);
    }
    return XS_OK;
}

int xs_exposure_kernels(struct xs_exposure *exposure, int32_t device, struct xs_interval span, uint64_t *ns) {
    int status = 1;
    *ns = 0;
    while (status > 0 && exposure->queue_count < QUEUE_LIMIT)
        status = read_one_kernel(exposure, span.end);
    const struct xs_busy *busy = kernels_of(exposure, device);
    for (size_t i = busy_seek(busy, span.start); status >= 0 && i < busy->count; i++) {
        const struct xs_interval *kernel = busy_at(busy, i);
        int64_t start = kernel->start > span.start ? kernel->start : span.start;
        int64_t end = kernel->end < span.end ? kernel->end : span.end;
        if (start >= end)
            break;
        *ns += (uint64_t)end - (uint64_t)start;
    }
    return status < 0 ? status : XS_OK;
}

int xs_exposure_peek(struct xs_exposure *exposure, const struct xs_kernel_interval **kernel) {
    *kernel = NULL;
    if (!exposure->queue_count) {
        int status = read_one_kernel(exposure, INT64_MAX);
        if (status < 0)
            return status;
    }
    if (exposure->queue_count)
        *kernel = &exposure->queue[exposure->queue_first];
    return XS_OK;
}

void xs_exposure_pop(struct xs_exposure *exposure) {
    const struct xs_kernel_interval *kernel = &exposure->queue[exposure->queue_first];
    busy_forget(kernels_of(exposure, kernel->device), kernel->start_ns); /* the event stream has reached this time */
    exposure->queue_first = (exposure->queue_first + 1) & (exposure->queue_capacity - 1);
    exposure->queue_count--;
}
