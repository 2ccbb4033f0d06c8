/* Imports allocations: each allocation in CUDA_GPU_MEMORY_USAGE_EVENTS, with the next free of its address. */
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/commands/import/import_internal.h"

enum { MEMORY_DEVICE_STATIC = 5, MEMORY_MANAGED_STATIC };

enum xs_memory_kind xs_nsys_memory_kind(int64_t kind) {
    static const uint8_t kinds[] = {XS_MEM_PAGEABLE, XS_MEM_PINNED, XS_MEM_DEVICE, XS_MEM_ARRAY,
                                    XS_MEM_MANAGED,  XS_MEM_DEVICE, XS_MEM_MANAGED};
    return kind >= 0 && kind < (int64_t)sizeof kinds ? kinds[kind] : XS_MEM_UNKNOWN;
}

static bool is_on_host(const struct xs_nsys_memory_event *event) {
    return event->kind == XS_MEM_PINNED || event->kind == XS_MEM_PAGEABLE;
}

static void add(struct xs_nsys_importer *importer, const struct xs_nsys_memory_event *event) {
    if (importer->memory_count >= UINT32_MAX - 1)
        return;
    xs_grow(&importer->memory, importer->memory_count, &importer->memory_capacity, sizeof *importer->memory);
    importer->memory[importer->memory_count++] = *event;
    if (!event->correlation)
        return;
    uint64_t *last = xs_hash_put(&importer->memory_by_call, event->correlation, 0);
    importer->memory[importer->memory_count - 1].next = (uint32_t)*last;
    *last = importer->memory_count;
}

void xs_nsys_take_memory(struct xs_nsys_importer *importer) {
    enum { START, PID, DEVICE, CONTEXT, ADDRESS, BYTES, KIND, OPERATION, CORRELATION, POOL };
    struct xs_nsys *nsys = importer->nsys;
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(nsys, "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                               "start, globalPid, deviceId, contextId, address, bytes, memKind,"
                                               " memoryOperationType, correlationId, localMemoryPoolAddress",
                                               "start");
    while (xs_nsys_row(nsys, rows)) {
        int64_t start, address, operation, bytes = xs_nsys_int_or(rows, BYTES, -1);
        int64_t kind = xs_nsys_int_or(rows, KIND, -1);
        if (!xs_nsys_is_ours(importer, rows, PID))
            continue;
        if (!xs_nsys_int(rows, START, &start) || start < 0 || start > INT64_C(1) << 62 ||
            !xs_nsys_int(rows, ADDRESS, &address) || !xs_nsys_int(rows, OPERATION, &operation) || operation < 0 ||
            operation > 1 || bytes < 0) {
            nsys->skipped++;
            continue;
        }
        struct xs_nsys_memory_event event = {
            .start_ns = xs_nsys_since(importer, start),
            .address = address,
            .bytes = bytes,
            .kind = (uint8_t)xs_nsys_memory_kind(kind),
            .is_free = operation == 1,
            .is_pool = xs_nsys_int_or(rows, POOL, 0) != 0,
            .is_static = kind == MEMORY_DEVICE_STATIC || kind == MEMORY_MANAGED_STATIC,
            .correlation = xs_nsys_correlation(rows, CORRELATION),
            .device = xs_nsys_device(rows, DEVICE),
            .context = xs_nsys_context(importer, xs_nsys_int_or(rows, CONTEXT, -1), xs_nsys_device(rows, DEVICE))};
        add(importer, &event);
    }
}

/* Returns the event's call, or, if it is not known, a call that has only the event's time. */
static struct xs_nsys_call call_of(const struct xs_nsys_memory_event *event) {
    return event->has_call ? event->call
                           : (struct xs_nsys_call){.start_ns = event->start_ns, .end_ns = event->start_ns};
}

static void put(struct xs_nsys_importer *importer, const struct xs_nsys_memory_event *allocation,
                const struct xs_nsys_memory_event *freed) {
    struct xs_nsys_call call = call_of(allocation), end = freed ? call_of(freed) : (struct xs_nsys_call){0};
    enum xs_origin origin = allocation->is_static ? XS_ORIGIN_MODULE
                            : allocation->is_pool ? XS_ORIGIN_POOL
                                                  : XS_ORIGIN_ALLOC;
    xs_nsys_insert(importer, "INTO allocation",
                   XS_ROW(xs_id("entry_point", call.entry_point), xs_id("thread", call.thread),
                          xs_int("address", allocation->address), xs_int("bytes", allocation->bytes),
                          xs_int("kind", allocation->kind), xs_int("origin", origin),
                          xs_if("device", allocation->device >= 0 && !is_on_host(allocation), allocation->device),
                          xs_id("context", allocation->context), xs_int("enter_ns", call.start_ns),
                          xs_int("return_ns", call.end_ns), xs_id("free_entry_point", end.entry_point),
                          xs_id("free_thread", end.thread), xs_if("free_enter_ns", freed, end.start_ns),
                          xs_if("free_return_ns", freed, end.end_ns), xs_id("stack", call.stack),
                          xs_id("nvtx_range", call.range), xs_id("free_stack", end.stack),
                          xs_id("free_nvtx_range", end.range)));
    importer->counts->allocations++;
}

/* Writes all allocations. If an address is allocated again, the end of the earlier allocation was not seen. */
void xs_nsys_write_memory(struct xs_nsys_importer *importer) {
    XS_SCOPED_HASH live = {0};
    XS_SCOPED uint32_t *ends = xs_realloc(NULL, importer->memory_count * sizeof *ends);
    memset(ends, 0, importer->memory_count * sizeof *ends);
    for (size_t i = 0; i < importer->memory_count; i++) {
        const struct xs_nsys_memory_event *event = &importer->memory[i];
        uint64_t space = is_on_host(event) ? 0 : (uint64_t)event->device + 2;
        if (!event->is_free) {
            *xs_hash_put(&live, (uint64_t)event->address, space) = i + 1;
            continue;
        }
        const uint64_t *found = xs_hash_find(&live, (uint64_t)event->address, space);
        if (found) {
            ends[*found - 1] = (uint32_t)i + 1;
            xs_hash_remove(&live, (uint64_t)event->address, space);
        } else {
            importer->counts->frees_without_allocation++;
        }
    }
    for (size_t i = 0; i < importer->memory_count; i++)
        if (!importer->memory[i].is_free)
            put(importer, &importer->memory[i], ends[i] ? &importer->memory[ends[i] - 1] : NULL);
}
