/* Decodes buffers of CUPTI's activity records into rows of the store. From version to version, fields were only added
 * at the end of records. So the newest structures can be used to read the records of every version, as long as no field
 * is read that the version does not have. */
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/own_kernel.h"
#include "preload/cupti/cupti_internal.h"
#include "schema/format/recording_cost.h"

static int32_t device_ordinal(uint32_t id) { return id <= INT32_MAX ? (int32_t)id : -1; }

/* CUPTI's time 0 means "unknown", and a forced flush hands over records without an end time. If only one of the two
 * times is known, neither is stored. */
static void convert_times(const struct xs_cupti_decoder *d, uint64_t start, uint64_t end, int64_t *start_ns,
                          int64_t *end_ns) {
    *start_ns = *end_ns = 0;
    if (start == 0 || end == 0)
        return;
    *start_ns = xs_clock_from_monotonic(d->clock, start - (uint64_t)d->offset_ns);
    *end_ns = xs_clock_from_monotonic(d->clock, end - (uint64_t)d->offset_ns);
}

/* Returns the id in the trace. Id 0 means "no call" and is not changed. */
static uint32_t correlation_of(const struct xs_cupti_decoder *d, uint32_t id) {
    return id ? id + d->correlation_base : 0;
}

/* The fields that records of several kinds have, as initializers of a row. */
#define PLACE_OF(d, r)                                                                                                 \
    .correlation = correlation_of(d, (r)->correlationId), .device = device_ordinal((r)->deviceId),                     \
    .context = (r)->contextId, .stream = (r)->streamId, .graph = (d)->version >= XS_CUPTI_11_1 ? (r)->graphId : 0,     \
    .graph_node = (r)->graphNodeId
#define COPY_OF(d, r)                                                                                                  \
    PLACE_OF(d, r), .kind = (r)->copyKind, .src_kind = (r)->srcKind, .dst_kind = (r)->dstKind, .bytes = (r)->bytes,    \
                    .is_async = ((r)->flags & CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC) != 0

static int decode_copy(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    const CUpti_ActivityMemcpy6 *r = (const CUpti_ActivityMemcpy6 *)record;
    uint64_t copies = d->version >= XS_CUPTI_12_8 && r->copyCount ? r->copyCount : 1;
    struct xs_device_copy row = {
        COPY_OF(d, r),
        .copies = copies <= UINT32_MAX ? (uint32_t)copies : UINT32_MAX,
        .src_device = -1,
        .dst_device = -1,
    };
    convert_times(d, r->start, r->end, &row.start_ns, &row.end_ns);
    return xs_store_device_copy(d->store, &row);
}

static int decode_peer_copy(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    const CUpti_ActivityMemcpyPtoP4 *r = (const CUpti_ActivityMemcpyPtoP4 *)record;
    struct xs_device_copy row = {
        COPY_OF(d, r),
        .copies = 1,
        .src_device = device_ordinal(r->srcDeviceId),
        .dst_device = device_ordinal(r->dstDeviceId),
    };
    convert_times(d, r->start, r->end, &row.start_ns, &row.end_ns);
    return xs_store_device_copy(d->store, &row);
}

static int decode_memset(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    const CUpti_ActivityMemset4 *r = (const CUpti_ActivityMemset4 *)record;
    struct xs_device_memset row = {
        PLACE_OF(d, r),
        .value = r->value,
        .memory_kind = (uint8_t)r->memoryKind,
        .bytes = r->bytes,
    };
    convert_times(d, r->start, r->end, &row.start_ns, &row.end_ns);
    return xs_store_device_memset(d->store, &row);
}

static _Atomic uint64_t longest_kernel_ns, graph_kernels;

uint64_t xs_cupti_longest_kernel_ns(void) { return atomic_load_explicit(&longest_kernel_ns, memory_order_relaxed); }

uint64_t xs_cupti_graph_kernels(void) { return atomic_load_explicit(&graph_kernels, memory_order_relaxed); }

static int decode_kernel(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    const CUpti_ActivityKernel10 *r = (const CUpti_ActivityKernel10 *)record;
    struct xs_device_kernel row = {
        PLACE_OF(d, r),
        .name = r->name ? r->name : "unknown",
        .grid = {r->gridX, r->gridY, r->gridZ},
        .block = {r->blockX, r->blockY, r->blockZ},
    };
    convert_times(d, r->start, r->end, &row.start_ns, &row.end_ns);
    if (row.end_ns > row.start_ns && (uint64_t)(row.end_ns - row.start_ns) > xs_cupti_longest_kernel_ns())
        atomic_store_explicit(&longest_kernel_ns, (uint64_t)(row.end_ns - row.start_ns), memory_order_relaxed);
    if (row.graph_node)
        atomic_fetch_add_explicit(&graph_kernels, 1, memory_order_relaxed);
    return xs_store_device_kernel(d->store, &row);
}

static uint32_t valid_or_zero(uint32_t id) { return id == CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : id; }

static int decode_sync(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    const CUpti_ActivitySynchronization2 *r = (const CUpti_ActivitySynchronization2 *)record;
    struct xs_device_sync row = {
        .correlation = correlation_of(d, r->correlationId),
        .kind = (uint32_t)r->type,
        .context = r->contextId,
        .stream = valid_or_zero(r->streamId),
        .event = valid_or_zero(r->cudaEventId),
    };
    convert_times(d, r->start, r->end, &row.start_ns, &row.end_ns);
    return xs_store_device_sync(d->store, &row);
}

/* `meaning` says which fields are valid for each kind of counter, according to cupti_activity.h. `value` is a program
 * counter for a CPU fault and a number of faults for a GPU fault; `srcId` of thrashing is a bit mask. */
static int decode_migration(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    enum { BYTES = 1, SRC = 2, DST = 4, END = 8 };
    static const uint8_t meaning[] = {
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD] = BYTES | SRC | DST | END,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH] = BYTES | SRC | DST | END,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT] = 0,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT] = SRC | END,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING] = BYTES,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING] = SRC | END,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_REMOTE_MAP] = BYTES | SRC | DST,
        [CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD] = BYTES | SRC | DST | END,
    };
#define X(n, id, text) +1
    _Static_assert(sizeof meaning == 0 XS_MIGRATION_KINDS(X), "the trace's migration kinds are CUPTI's numbers");
#undef X
    const CUpti_ActivityUnifiedMemoryCounter3 *r = (const CUpti_ActivityUnifiedMemoryCounter3 *)record;
    unsigned kind = (unsigned)r->counterKind < sizeof meaning ? (unsigned)r->counterKind : 0;
    unsigned has = meaning[kind];
    struct xs_device_migration row = {
        .kind = (uint8_t)kind,
        .address = r->address,
        .bytes = has & BYTES ? r->value : 0,
        .src_device = has & SRC ? device_ordinal(r->srcId) : -1,
        .dst_device = has & DST ? device_ordinal(r->dstId) : -1,
        .process = r->processId,
    };
    convert_times(d, r->start, has & END ? r->end : r->start, &row.start_ns, &row.end_ns);
    return xs_store_device_migration(d->store, &row);
}

#define ID_OF(type) offsetof(CUpti_Activity##type, correlationId)
static const struct by_kind {
    CUpti_ActivityKind kind;
    enum xs_cupti_record counter;
    int (*decode)(const struct xs_cupti_decoder *d, const CUpti_Activity *record);
    size_t id_at; /* offset of CUPTI's correlation id; 0: records of this kind have none */
} decoders[] = {
    {CUPTI_ACTIVITY_KIND_MEMCPY, XS_RECORD_COPY, decode_copy, ID_OF(Memcpy6)},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, XS_RECORD_COPY, decode_peer_copy, ID_OF(MemcpyPtoP4)},
    {CUPTI_ACTIVITY_KIND_MEMSET, XS_RECORD_MEMSET, decode_memset, ID_OF(Memset4)},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, XS_RECORD_KERNEL, decode_kernel, ID_OF(Kernel10)},
    {CUPTI_ACTIVITY_KIND_KERNEL, XS_RECORD_KERNEL, decode_kernel, ID_OF(Kernel10)},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, XS_RECORD_SYNC, decode_sync, ID_OF(Synchronization2)},
    {CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, XS_RECORD_MIGRATION, decode_migration, 0},
};

/* Finds the row for a record's kind. NULL: the kind is unknown. */
static const struct by_kind *by_kind_of(const CUpti_Activity *record) {
    for (size_t i = 0; i < sizeof decoders / sizeof decoders[0]; i++)
        if (decoders[i].kind == record->kind)
            return &decoders[i];
    return NULL;
}

/* ---- the library's own work ---- */

static _Atomic uint32_t own_calls[64];
static _Atomic unsigned own_call_count;

void xs_cupti_own_call(uint32_t correlation) {
    unsigned i = correlation ? atomic_fetch_add(&own_call_count, 1) : 0;
    if (correlation && i < sizeof own_calls / sizeof own_calls[0])
        atomic_store(&own_calls[i], correlation);
}

static bool is_own_call(uint32_t correlation) {
    unsigned n = atomic_load(&own_call_count);
    for (unsigned i = 0; correlation && i < n && i < sizeof own_calls / sizeof own_calls[0]; i++)
        if (atomic_load(&own_calls[i]) == correlation)
            return true;
    return false;
}

/* Returns CUPTI's correlation id; 0: records of this kind have none. */
static uint32_t id_of(const CUpti_Activity *record) {
    const struct by_kind *by = by_kind_of(record);
    uint32_t id = 0;
    if (by && by->id_at)
        memcpy(&id, (const char *)record + by->id_at, sizeof id);
    return id;
}

/* ---- calls that are left out ---- */

/* A hash table of the ids of such calls. Each id may be in one of a few slots; if all of these are in use, the oldest
 * id is replaced, because its records were decoded long ago. */
enum { LEFT_OUT_BITS = 18, LEFT_OUT = 1 << LEFT_OUT_BITS, SLOTS = 8 };
static _Atomic uint32_t left_out[LEFT_OUT]; /* 0: free */
static _Atomic bool any_left_out;

static _Atomic uint32_t *left_out_slots(uint32_t correlation) {
    uint32_t hash = correlation * UINT32_C(0x9e3779b1) >> (32 - LEFT_OUT_BITS);
    return &left_out[hash / SLOTS * SLOTS];
}

void xs_cupti_left_out(uint32_t correlation) {
    _Atomic uint32_t *slots = left_out_slots(correlation);
    bool done = false;
    while (!done) {
        unsigned oldest = 0;
        uint32_t least = UINT32_MAX;
        for (unsigned i = 0; i < SLOTS && least; i++) {
            uint32_t other = atomic_load_explicit(&slots[i], memory_order_relaxed);
            oldest = other < least ? i : oldest;
            least = other < least ? other : least;
        }
        done = atomic_compare_exchange_strong(&slots[oldest], &least, correlation);
    }
    if (!atomic_load_explicit(&any_left_out, memory_order_relaxed))
        atomic_store(&any_left_out, true);
}

static bool is_left_out(const struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    if (!atomic_load(&any_left_out) || record->kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)
        return false;
    uint32_t correlation = correlation_of(d, id_of(record));
    const _Atomic uint32_t *slots = left_out_slots(correlation);
    for (unsigned i = 0; correlation && i < SLOTS; i++)
        if (atomic_load_explicit(&slots[i], memory_order_relaxed) == correlation)
            return true;
    return false;
}

/* True if the record belongs to the library's own work. Fingerprint kernels, which are many, are recognised by their
 * name, and other calls by their remembered ids. Records of streams that wait for an event are all dropped, because no
 * thread waits, and the library's cannot be told from the application's. */
static bool is_own(struct xs_cupti_decoder *d, const CUpti_Activity *record) {
    if (record->kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)
        return ((const CUpti_ActivitySynchronization2 *)record)->type ==
               CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET)
        return is_own_call(correlation_of(d, id_of(record)));
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL)
        return false;
    const CUpti_ActivityKernel10 *kernel = (const CUpti_ActivityKernel10 *)record;
    if (!kernel->name || strcmp(kernel->name, XS_FINGERPRINT_KERNEL) != 0)
        return false;
    d->own_kernels++;
    d->own_kernel_ns += kernel->start && kernel->end > kernel->start ? kernel->end - kernel->start : 0;
    return true;
}

/* Finds record number n; `*record` is the record before it. */
static CUptiResult find_record(const struct xs_cupti_decoder *d, uint8_t *data, size_t valid_bytes, size_t n,
                               CUpti_Activity **record) {
    if (!d->offsets)
        return d->next_record(data, valid_bytes, record);
    if (n >= d->record_count)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)(data + d->offsets[n]);
    return CUPTI_SUCCESS;
}

int64_t xs_cupti_decode(struct xs_cupti_decoder *d, uint8_t *data, size_t valid_bytes) {
    uint64_t records[5] = {0}, own_kernels = d->own_kernels, own_kernel_ns = d->own_kernel_ns;
    int64_t written = 0;
    CUpti_Activity *record = NULL;
    CUptiResult result;
    for (size_t n = 0; (result = find_record(d, data, valid_bytes, n, &record)) == CUPTI_SUCCESS; n++) {
        const struct by_kind *by = by_kind_of(record);
        if (!by || is_own(d, record) || is_left_out(d, record))
            continue;
        int status = by->decode(d, record);
        if (status < 0) {
            d->own_kernels = own_kernels;
            d->own_kernel_ns = own_kernel_ns;
            return status;
        }
        records[by->counter]++;
        written++;
    }
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        d->records[i] += records[i];
    d->damaged += result != CUPTI_ERROR_MAX_LIMIT_REACHED;
    return written;
}

/* CUPTI's time of the latest record of a page migration or fault that was counted, and the part of the time before it
 * that no record has cost yet. The faults that the driver handles together have the same time. */
static _Atomic uint64_t migrations_until_ns, migrations_left_ns;

/* Returns the time at which the record was complete: the end of a fault, and the start of any other record. */
static uint64_t time_of(const CUpti_ActivityUnifiedMemoryCounter3 *r, bool is_fault) {
    return is_fault && r->end > r->start ? r->end : r->start;
}

void xs_cupti_count_migrations(const struct xs_cupti_decoder *d, struct xs_cupti_buffer *buffer) {
    struct xs_migration_tally *tally = &buffer->migrations;
    uint64_t until_ns = atomic_load(&migrations_until_ns), left_ns = atomic_load(&migrations_left_ns);
    CUpti_Activity *record = NULL;
    for (size_t n = 0;
         !buffer->counted && find_record(d, buffer->data, buffer->valid_bytes, n, &record) == CUPTI_SUCCESS; n++) {
        const CUpti_ActivityUnifiedMemoryCounter3 *r = (const CUpti_ActivityUnifiedMemoryCounter3 *)record;
        if (record->kind != CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
            continue;
        bool is_fault = r->counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT;
        uint64_t cost_ns = is_fault ? XS_RECORD_FAULT_NS : XS_MIGRATION_COST_NS, now_ns = time_of(r, is_fault);
        if (now_ns > until_ns) {
            left_ns = now_ns - until_ns;
            until_ns = now_ns;
        }
        if (now_ns) { /* otherwise CUPTI does not know the time */
            cost_ns = cost_ns < left_ns ? cost_ns : left_ns;
            left_ns -= cost_ns;
        }
        tally->records++;
        tally->cost_ns += cost_ns;
    }
    if (!buffer->counted) {
        atomic_store(&migrations_until_ns, until_ns);
        atomic_store(&migrations_left_ns, left_ns);
    }
    buffer->counted = true;
}

/* ---- kernel names ---- */

struct kept_name {
    struct kept_name *next;
    char text[];
};

static pthread_mutex_t names_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept_name *names[256];

static const char *keep(const char *text) {
    unsigned hash = 5381;
    for (const char *c = text; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    struct kept_name **bucket = &names[hash % 256];
    pthread_mutex_lock(&names_lock);
    struct kept_name *name = *bucket;
    while (name && strcmp(name->text, text) != 0)
        name = name->next;
    if (!name) {
        size_t bytes = strlen(text) + 1;
        name = malloc(sizeof *name + bytes);
        if (name) {
            memcpy(name->text, text, bytes);
            name->next = *bucket;
            *bucket = name;
        }
    }
    pthread_mutex_unlock(&names_lock);
    return name ? name->text : NULL;
}

void xs_cupti_keep_names(const struct xs_cupti_decoder *d, uint8_t *data, size_t valid_bytes) {
    CUpti_Activity *record = NULL;
    while (d->next_record(data, valid_bytes, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
            CUpti_ActivityKernel10 *kernel = (CUpti_ActivityKernel10 *)record;
            if (kernel->name)
                kernel->name = keep(kernel->name);
        }
    }
}

static uint32_t latest_record;

uint32_t xs_cupti_latest_record(void) { return latest_record; }

static size_t count_records(const struct xs_cupti_decoder *d, const struct xs_cupti_buffer *buffer) {
    size_t count = 0;
    CUpti_Activity *record = NULL;
    while (d->next_record(buffer->data, buffer->valid_bytes, &record) == CUPTI_SUCCESS) {
        uint32_t id = id_of(record), correlation = id + buffer->correlation_base;
        if (id && (int32_t)(correlation - latest_record) > 0)
            latest_record = correlation;
        count++;
    }
    return count;
}

void xs_cupti_buffer_index(struct xs_cupti_buffer *buffer, const struct xs_cupti_decoder *d) {
    CUpti_Activity *record = NULL;
    if (buffer->offsets)
        return;
    xs_cupti_keep_names(d, buffer->data, buffer->valid_bytes);
    size_t count = count_records(d, buffer);
    uint32_t *offsets = malloc((count + 1) * sizeof *offsets);
    for (size_t i = 0; offsets && i < count; i++) {
        d->next_record(buffer->data, buffer->valid_bytes, &record);
        offsets[i] = (uint32_t)((uint8_t *)record - buffer->data);
    }
    buffer->offsets = offsets;
    buffer->record_count = count;
}
