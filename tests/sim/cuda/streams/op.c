/* The operations a stream executes: making, cloning and freeing them, and doing what they say. */
#include "sim.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct xs_op *xs_op_new(enum xs_op_kind kind) {
    struct xs_op *op = calloc(1, sizeof(*op));
    if (op != NULL)
        op->kind = kind;
    return op;
}

static void *duplicate(const void *bytes, size_t size) {
    void *copy = malloc(size == 0 ? 1 : size);
    if (copy != NULL && size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

struct xs_op *xs_op_clone(const struct xs_op *op) {
    struct xs_op *clone = duplicate(op, sizeof(*op));
    if (clone == NULL)
        return NULL;
    clone->dependencies = NULL;
    clone->dependency_count = 0;
    clone->staging = NULL;
    clone->attachment = 0;
    clone->next = NULL;
    if (op->kind == XS_OP_KERNEL)
        clone->launch.arguments = duplicate(op->launch.arguments, op->launch.argument_bytes);
    return clone;
}

void xs_op_free(struct xs_op *op) {
    if (op == NULL)
        return;
    if (op->kind == XS_OP_KERNEL)
        free(op->launch.arguments);
    free(op->staging);
    free(op->dependencies);
    free(op);
}

static struct xs_sim_activity activity_of(const struct CUstream_st *stream, const struct xs_op *op,
                                          enum xs_sim_activity_kind kind) {
    return (struct xs_sim_activity){.kind = kind,
                                    .start_ns = op->start_ns,
                                    .end_ns = op->end_ns,
                                    .queued_ns = op->queued_ns,
                                    .correlation = op->correlation,
                                    .attachment = op->attachment,
                                    .device = (uint32_t)stream->context->device,
                                    .context_id = stream->context->id,
                                    .stream_id = stream->id,
                                    .graph_id = op->graph_id,
                                    .graph_node_id = op->graph_node_id,
                                    .copy_count = 1};
}

/* CUpti_ActivityMemcpyKind from where both sides lie. */
static uint32_t copy_kind(const struct xs_copy *copy) {
    enum { HOST, DEVICE, ARRAY };
    static const uint32_t kinds[3][3] = {[HOST] = {9, 1, 3}, [DEVICE] = {2, 8, 7}, [ARRAY] = {4, 6, 5}};
    const struct xs_span *side[2] = {&copy->src, &copy->dst};
    int place[2];
    for (int i = 0; i < 2; i++)
        place[i] = side[i]->kind == XS_ARRAY ? ARRAY
                   : side[i]->device < 0 || side[i]->kind == XS_PAGEABLE || side[i]->kind == XS_PINNED ||
                           side[i]->kind == XS_REGISTERED
                       ? HOST
                       : DEVICE;
    if (place[0] != HOST && place[1] != HOST && copy->src.device != copy->dst.device)
        return 10;
    return kinds[place[0]][place[1]];
}

void xs_op_queued(struct xs_op *op) {
    if (op->kind == XS_OP_COPY)
        op->attachment = xs_report_queued(copy_kind(&op->copy) == 10 ? XS_SIM_MEMCPY_PEER : XS_SIM_MEMCPY);
    if (op->kind == XS_OP_SET)
        op->attachment = xs_report_queued(XS_SIM_MEMSET);
    if (op->kind == XS_OP_KERNEL)
        op->attachment = xs_report_queued(XS_SIM_KERNEL);
}

/* The driver stages a copy between two devices in host memory while neither device has access to the other. */
static bool is_staged(const struct CUstream_st *stream, const struct xs_copy *copy) {
    if (copy_kind(copy) != 10)
        return false;
    const struct CUctx_st *contexts[] = {stream->context, xs_primary_of(copy->src.device),
                                         xs_primary_of(copy->dst.device)};
    unsigned peers = 0;
    for (size_t i = 0; i < XS_COUNT(contexts); i++)
        if (contexts[i] != NULL && (contexts[i]->device == copy->src.device || contexts[i]->device == copy->dst.device))
            peers |= atomic_load(&contexts[i]->peers) & (1u << copy->src.device | 1u << copy->dst.device);
    return peers == 0;
}

/* A staged copy leaves a record of a download and one of an upload, each on its device, and each with device memory on
 * both sides. Measured on two H200 with CUPTI 13.0.1. */
static void report_legs(const struct CUstream_st *stream, const struct xs_op *op,
                        const struct xs_sim_activity *download) {
    struct xs_sim_activity leg = *download;
    for (int i = 0; i < 2; i++) {
        const struct CUctx_st *context = xs_primary_of(i == 0 ? op->copy.src.device : op->copy.dst.device);
        leg.copy_kind = i == 0 ? 2 : 1;
        leg.device = (uint32_t)(i == 0 ? op->copy.src.device : op->copy.dst.device);
        leg.context_id = context != NULL ? context->id : stream->context->id;
        leg.stream_id = context != NULL && context->legacy != NULL ? context->legacy->id : stream->id;
        leg.start_ns = i == 0 ? op->start_ns : op->staged_ns;
        leg.end_ns = i == 0 ? op->staged_ns : op->end_ns;
        xs_report(&leg);
    }
}

static void report_copy(const struct CUstream_st *stream, const struct xs_op *op) {
    const struct xs_copy *copy = &op->copy;
    uint32_t kind = copy_kind(copy);
    bool direct = kind == 10 && op->staged_ns == 0;
    struct xs_sim_activity activity = activity_of(stream, op, direct ? XS_SIM_MEMCPY_PEER : XS_SIM_MEMCPY);
    activity.bytes = copy->width * copy->height * copy->depth;
    activity.copy_kind = kind;
    activity.src_kind = xs_cupti_memory_kind(copy->src.kind);
    activity.dst_kind = xs_cupti_memory_kind(copy->dst.kind);
    activity.flags = copy->is_async;
    activity.copy_count = copy->parts > 0 ? copy->parts : 1;
    activity.src_device = copy->src.device < 0 ? 0 : (uint32_t)copy->src.device;
    activity.dst_device = copy->dst.device < 0 ? 0 : (uint32_t)copy->dst.device;
    if (op->staged_ns != 0) {
        report_legs(stream, op, &activity);
        return;
    }
    if (direct) {
        activity.device = activity.src_device;
        struct CUctx_st *from = xs_primary_of(copy->src.device), *to = xs_primary_of(copy->dst.device);
        activity.src_context = from != NULL ? from->id : stream->context->id;
        activity.dst_context = to != NULL ? to->id : stream->context->id;
    }
    xs_report(&activity);
}

/* A managed side moves first: to the host when the other side is host memory, to the device otherwise. */
static void settle_managed(struct CUstream_st *stream, struct xs_op *op, struct xs_span *span,
                           const struct xs_span *other) {
    if (span->kind != XS_MANAGED)
        return;
    const struct xs_copy *copy = &op->copy;
    bool host = other->kind == XS_PAGEABLE || other->kind == XS_PINNED || other->kind == XS_REGISTERED;
    size_t bytes = copy->width + span->pitch * (copy->height - 1) + span->slice * (copy->depth - 1);
    if (span == &op->copy.dst && host)
        host = false;
    xs_managed_migrate(stream, (CUdeviceptr)span->base, bytes, host ? -1 : stream->context->device, op->correlation);
    span->device = host ? -1 : stream->context->device;
}

static void execute_copy(struct CUstream_st *stream, struct xs_op *op) {
    struct xs_copy *copy = &op->copy;
    const struct xs_span src = copy->src, dst = copy->dst;
    settle_managed(stream, op, &copy->src, &dst);
    settle_managed(stream, op, &copy->dst, &src);
    if (is_staged(stream, copy)) {
        size_t bytes = copy->width * copy->height * copy->depth;
        uint64_t upload_ns;
        xs_link_reserve_bytes(copy->src.device, false, bytes, xs_now_ns(), &op->start_ns, &op->staged_ns);
        xs_link_reserve_bytes(copy->dst.device, true, bytes, op->staged_ns, &upload_ns, &op->end_ns);
    } else {
        xs_link_reserve(copy, xs_now_ns(), &op->start_ns, &op->end_ns);
    }
    const char *from = op->staging != NULL ? op->staging : copy->src.base;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memmove(copy->dst.base + z * copy->dst.slice + y * copy->dst.pitch,
                    from + z * copy->src.slice + y * copy->src.pitch, copy->width);
    xs_wait_until_ns(op->end_ns);
    uint64_t now = xs_now_ns();
    if (now > op->end_ns + 1000000)
        op->end_ns = now;
    report_copy(stream, op);
}

static void execute_set(struct CUstream_st *stream, struct xs_op *op) {
    const struct xs_set *set = &op->set;
    size_t bytes = set->width * set->height * set->element;
    if (set->dst.kind == XS_MANAGED)
        xs_managed_migrate(stream, (CUdeviceptr)set->dst.base, bytes, stream->context->device, op->correlation);
    op->start_ns = xs_now_ns();
    op->end_ns = op->start_ns + xs_link_set_ns(bytes);
    for (size_t y = 0; y < set->height; y++) {
        char *row = set->dst.base + y * set->dst.pitch;
        for (size_t x = 0; set->element > 1 && x < set->width; x++)
            memcpy(row + x * set->element, &set->value, set->element);
        if (set->element == 1)
            memset(row, (int)set->value, set->width);
    }
    xs_wait_until_ns(op->end_ns);
    struct xs_sim_activity activity = activity_of(stream, op, XS_SIM_MEMSET);
    activity.bytes = bytes;
    activity.value = set->value;
    activity.flags = set->is_async;
    activity.memory_kind = xs_cupti_memory_kind(set->dst.kind);
    xs_report(&activity);
}

/* Pointers must be the driver's own; managed ones bring their blocks to the device. A kernel that fails this kills its
 * context. */
static bool prepare_arguments(struct CUstream_st *stream, const struct xs_op *op, void **args) {
    const struct xs_launch_op *launch = &op->launch;
    for (size_t i = 0; i < launch->function->parameter_count; i++) {
        args[i] = launch->arguments + launch->function->parameters[i].offset;
        if (launch->function->kernel->parameters[i] != 'p')
            continue;
        uintptr_t pointer;
        struct xs_range range;
        memcpy(&pointer, args[i], sizeof(pointer));
        xs_map_find(pointer, 0, &range);
        if (pointer != 0 && !range.known)
            return false;
        if (range.kind == XS_MANAGED)
            xs_managed_fault(stream, &range.allocation, op->correlation);
    }
    return true;
}

void xs_kernel_spin_ns(uint64_t ns) {
    struct timespec pause = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    if (xs_is_virtual())
        xs_virtual_operation_reach(xs_now_ns() + ns);
    else
        nanosleep(&pause, NULL);
}

static void execute_kernel(struct CUstream_st *stream, struct xs_op *op) {
    static _Atomic uint64_t grid_ids;
    const struct xs_launch_op *launch = &op->launch;
    void *args[32];
    if (!prepare_arguments(stream, op, args)) {
        int none = 0;
        atomic_compare_exchange_strong(&stream->context->error, &none, CUDA_ERROR_ILLEGAL_ADDRESS);
        return;
    }
    struct xs_launch shape = {.shared_bytes = launch->shared_bytes};
    memcpy(shape.grid, launch->grid, sizeof(shape.grid));
    memcpy(shape.block, launch->block, sizeof(shape.block));
    op->start_ns = xs_now_ns();
    launch->function->kernel->run(&shape, args);
    xs_wait_until_ns(op->start_ns + (uint64_t)((double)xs_config()->kernel_latency_ns * xs_config()->time_scale));
    op->end_ns = xs_now_ns();
    struct xs_sim_activity activity = activity_of(stream, op, XS_SIM_KERNEL);
    activity.name = launch->function->kernel->name;
    memcpy(activity.grid, launch->grid, sizeof(activity.grid));
    memcpy(activity.block, launch->block, sizeof(activity.block));
    activity.shared_bytes = launch->shared_bytes;
    activity.value = (uint32_t)launch->launch_type;
    activity.grid_id = atomic_fetch_add(&grid_ids, 1) + 1;
    xs_report(&activity);
}

static bool value_reached(const struct xs_mem_op *mem, uint64_t value) {
    uint64_t mask = mem->wide ? UINT64_MAX : UINT32_MAX;
    switch (mem->flags & 3) {
    case CU_STREAM_WAIT_VALUE_EQ:
        return ((value ^ mem->value) & mask) == 0;
    case CU_STREAM_WAIT_VALUE_AND:
        return (value & mem->value & mask) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
        return (~(value | mem->value) & mask) != 0;
    default:
        return mem->wide ? (int64_t)(value - mem->value) >= 0 : (int32_t)((uint32_t)value - (uint32_t)mem->value) >= 0;
    }
}

static void execute_mem(const struct xs_mem_op *mem) {
    _Atomic uint32_t *narrow = (_Atomic uint32_t *)mem->address;
    _Atomic uint64_t *wide = (_Atomic uint64_t *)mem->address;
    if (!mem->wait) {
        if (mem->wide)
            atomic_store(wide, mem->value);
        else
            atomic_store(narrow, (uint32_t)mem->value);
        return;
    }
    while (!xs_exiting() && !value_reached(mem, mem->wide ? atomic_load(wide) : atomic_load(narrow)))
        xs_wait_until_ns(xs_now_ns() + 20000);
}

void xs_op_execute(struct CUstream_st *stream, struct xs_op *op) {
    bool dead = atomic_load(&stream->context->error) != 0;
    op->start_ns = op->end_ns = xs_now_ns();
    switch (op->kind) {
    case XS_OP_COPY:
        if (!dead)
            execute_copy(stream, op);
        break;
    case XS_OP_SET:
        if (!dead)
            execute_set(stream, op);
        break;
    case XS_OP_KERNEL:
        if (!dead)
            execute_kernel(stream, op);
        break;
    case XS_OP_MEM:
        if (!dead)
            execute_mem(&op->mem);
        break;
    case XS_OP_MIGRATE:
        xs_managed_migrate(stream, op->migrate.address, op->migrate.bytes, op->migrate.target, op->correlation);
        break;
    case XS_OP_HOST:
        op->host.fn(op->host.data);
        break;
    case XS_OP_CALLBACK:
        op->callback.fn(op->callback.handle, (CUresult)atomic_load(&stream->context->error), op->callback.data);
        break;
    case XS_OP_FREE:
        /* In a graph the memory stays the graph's, for its next launch. */
        if (op->graph_node_id == 0)
            xs_pool_settle(op->memory.address, op->memory.id);
        break;
    case XS_OP_EMPTY:
    case XS_OP_RECORD: /* its time is taken when the queue completes it */
    case XS_OP_WAIT:
    case XS_OP_ALLOC:
        break;
    }
}
