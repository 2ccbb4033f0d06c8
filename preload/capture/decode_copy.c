/* Decodes copies and memsets: finds the direction, the kinds of memory, the allocations and the box from a call's
 * parameters. */
#include <stdatomic.h>

#include "preload/capture/decode.h"
#include "preload/capture/guard_rules_see.h"
#include "preload/core/counts.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint.h"

struct side {
    uint64_t address;
    uint32_t allocation;
    uint8_t kind;
    int8_t device;
    bool on_device, guessed;
};

static XS_TLS struct xs_map_cache dst_cache, src_cache;

/* Finds the kind of memory of one side. If the map knows the address, the map decides, otherwise the parameter's type.
 * Managed memory counts as host or device memory as the call says. Host memory that was not registered is pageable. */
static struct side classify(enum xs_hint hint, uint64_t address, int8_t current_device, struct xs_map_cache *cache) {
    struct side s = {.address = address, .device = -1};
    const struct xs_memory_range *range = xs_map_find_cached(cache, address);
    if (range) {
        s.allocation = range->id;
        s.kind = range->kind;
        s.device = range->device;
        s.on_device = range->kind == XS_MEM_DEVICE || range->kind == XS_MEM_ARRAY ||
                      (range->kind == XS_MEM_MANAGED && hint != XS_HINT_HOST);
        return s;
    }
    s.guessed = hint == XS_HINT_ANY;
    s.on_device = hint == XS_HINT_DEVICE || hint == XS_HINT_ARRAY;
    s.kind = s.on_device ? (hint == XS_HINT_ARRAY ? XS_MEM_ARRAY : XS_MEM_DEVICE) : XS_MEM_PAGEABLE;
    s.device = s.on_device ? current_device : -1;
    return s;
}

static enum xs_direction direction_of(const struct side *dst, const struct side *src) {
    if (dst->on_device && src->on_device)
        return dst->device >= 0 && src->device >= 0 && dst->device != src->device ? XS_DIR_PEER : XS_DIR_D2D;
    if (dst->on_device)
        return XS_DIR_H2D;
    return src->on_device ? XS_DIR_D2H : XS_DIR_H2H;
}

static void put_sides(struct xs_event *e, const struct side *dst, const struct side *src, uint64_t bytes) {
    e->kind = XS_EVENT_TRANSFER;
    bool of_batch = (e->flags & XS_FLAG_BATCH) && xs_fingerprint_mode != XS_FINGERPRINT_OFF;
    xs_fingerprint_guessed = dst->guessed || src->guessed;
    e->transfer.skip = of_batch ? XS_SKIP_BATCH : XS_SKIP_OFF; /* replaced if more becomes known */
    e->transfer.dst = dst->address;
    e->transfer.src = src->address;
    e->transfer.bytes = bytes;
    e->transfer.dst_allocation = dst->allocation;
    e->transfer.src_allocation = src->allocation;
    e->transfer.dst_kind = dst->kind;
    e->transfer.src_kind = src->kind;
    e->transfer.dst_device = dst->device;
    e->transfer.src_device = src->device;
    e->transfer.direction = (uint8_t)direction_of(dst, src);
}

void xs_decode_copy(struct xs_event *e, enum xs_hint dst_hint, uint64_t dst, enum xs_hint src_hint, uint64_t src,
                    uint64_t bytes) {
    int8_t device;
    e->context = XS_WORD(xs_context_current(&device));
    struct side d = classify(dst_hint, dst, device, &dst_cache), s = classify(src_hint, src, device, &src_cache);
    put_sides(e, &d, &s, bytes);
}

/* Takes the devices of a peer copy from its contexts. The addresses may not show them, because memory may have been
 * allocated before the session. */
void xs_decode_peer(struct xs_event *e, CUcontext dst, CUcontext src) {
    int8_t dst_device = xs_context_device(dst), src_device = xs_context_device(src);
    struct xs_event_transfer *t = &e->transfer;
    t->dst_device = dst_device >= 0 && t->dst_allocation == 0 ? dst_device : t->dst_device;
    t->src_device = src_device >= 0 && t->src_allocation == 0 ? src_device : t->src_device;
    if (t->direction == XS_DIR_D2D || t->direction == XS_DIR_PEER)
        t->direction = t->dst_device != t->src_device ? XS_DIR_PEER : XS_DIR_D2D;
}

/* One side of a 2D or 3D copy. All descriptors of the driver have these fields. */
struct box_side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x_bytes, y, z, pitch, slice_rows;
};

static struct side classify_box(const struct box_side *b, int8_t device, struct xs_map_cache *cache) {
    uint64_t offset = b->x_bytes + b->y * b->pitch + b->z * b->pitch * b->slice_rows;
    switch (b->type) {
    case CU_MEMORYTYPE_ARRAY:
        return classify(XS_HINT_ARRAY, XS_WORD(b->array), device, cache);
    case CU_MEMORYTYPE_HOST:
        return classify(XS_HINT_HOST, XS_WORD(b->host) + offset, device, cache);
    case CU_MEMORYTYPE_DEVICE:
        return classify(XS_HINT_DEVICE, b->device + offset, device, cache);
    default: /* CU_MEMORYTYPE_UNIFIED: the address decides */
        return classify(XS_HINT_ANY, b->device + offset, device, cache);
    }
}

static void put_box(struct xs_event *e, const struct box_side *dst, const struct box_side *src, size_t width,
                    size_t height, size_t depth) {
    int8_t device;
    e->context = XS_WORD(xs_context_current(&device));
    struct side d = classify_box(dst, device, &dst_cache), s = classify_box(src, device, &src_cache);
    put_sides(e, &d, &s, (uint64_t)width * height * depth);
    e->flags |= XS_FLAG_BOX;
    if ((height | depth | dst->pitch | src->pitch | dst->slice_rows | src->slice_rows) > UINT32_MAX)
        e->transfer.skip = XS_SKIP_TOO_LARGE;
    e->transfer.height = (uint32_t)height;
    e->transfer.depth = (uint32_t)depth;
    e->transfer.dst_pitch = d.kind == XS_MEM_ARRAY ? 0 : (uint32_t)dst->pitch;
    e->transfer.src_pitch = s.kind == XS_MEM_ARRAY ? 0 : (uint32_t)src->pitch;
    e->transfer.dst_slice_rows = d.kind == XS_MEM_ARRAY ? 0 : (uint32_t)dst->slice_rows;
    e->transfer.src_slice_rows = s.kind == XS_MEM_ARRAY ? 0 : (uint32_t)src->slice_rows;
}

#define BOX_SIDE(copy, side, z_, slice_)                                                                               \
    {                                                                                                                  \
        .type = (copy)->side##MemoryType, .host = (copy)->side##Host, .device = (copy)->side##Device,                  \
        .array = (copy)->side##Array, .x_bytes = (copy)->side##XInBytes, .y = (copy)->side##Y, .z = (z_),              \
        .pitch = (copy)->side##Pitch, .slice_rows = (slice_)                                                           \
    }

#define BOX_SIDE_3D(copy, side) BOX_SIDE(copy, side, (copy)->side##Z, (copy)->side##Height)

/* Runs before the descriptor is read. If the descriptor is NULL, the driver returns an error, which is recorded. */
static void put_nothing(struct xs_event *e) {
    e->transfer.skip = XS_SKIP_OFF;
    e->kind = XS_EVENT_TRANSFER;
}

void xs_decode_copy_2d(struct xs_event *e, const CUDA_MEMCPY2D *copy) {
    put_nothing(e);
    if (!copy)
        return;
    struct box_side dst = BOX_SIDE(copy, dst, 0, 0), src = BOX_SIDE(copy, src, 0, 0);
    put_box(e, &dst, &src, copy->WidthInBytes, copy->Height, 1);
}

void xs_decode_copy_3d(struct xs_event *e, const CUDA_MEMCPY3D *copy) {
    put_nothing(e);
    if (!copy)
        return;
    struct box_side dst = BOX_SIDE_3D(copy, dst), src = BOX_SIDE_3D(copy, src);
    put_box(e, &dst, &src, copy->WidthInBytes, copy->Height, copy->Depth);
}

void xs_decode_copy_3d_peer(struct xs_event *e, const CUDA_MEMCPY3D_PEER *copy) {
    put_nothing(e);
    if (!copy)
        return;
    struct box_side dst = BOX_SIDE_3D(copy, dst), src = BOX_SIDE_3D(copy, src);
    put_box(e, &dst, &src, copy->WidthInBytes, copy->Height, copy->Depth);
    xs_decode_peer(e, copy->dstContext, copy->srcContext);
}

void xs_decode_memset(struct xs_event *e, CUdeviceptr dst, uint32_t value, unsigned element, size_t width,
                      size_t height, size_t pitch) {
    int8_t device;
    e->kind = XS_EVENT_MEMSET;
    e->context = XS_WORD(xs_context_current(&device));
    struct side d = classify(XS_HINT_DEVICE, dst, device, &dst_cache);
    e->memset = (struct xs_event_memset){.address = dst,
                                         .bytes = (uint64_t)element * width * (height ? height : 1),
                                         .allocation = d.allocation,
                                         .value = value,
                                         .height = (uint32_t)height,
                                         .pitch = (uint32_t)pitch,
                                         .element_bytes = (uint8_t)element,
                                         .kind = d.kind,
                                         .device = d.device};
    e->flags |= height ? XS_FLAG_BOX : 0;
}

/* Sets the fields that all events of a batch share. Their decoder commits them itself, so it also sets what is known
 * only after the call. */
static void begin_batch(struct xs_event *e, CUresult r) {
    put_nothing(e);
    e->result = (int32_t)r;
    e->correlation = xs_cupti_correlation;
    e->flags |= XS_FLAG_BATCH;
}

struct xs_event *xs_decode_batch(struct xs_event *e, CUresult r, const CUdeviceptr *dsts, const CUdeviceptr *srcs,
                                 const size_t *sizes, size_t count) {
    begin_batch(e, r);
    if (r != CUDA_SUCCESS || !dsts || !srcs || !sizes || count == 0) /* after an error even `count` may be wrong */
        return e;
    for (size_t i = 0;; i++) {
        xs_decode_copy(e, XS_HINT_ANY, dsts[i], XS_HINT_ANY, srcs[i], sizes[i]);
        e->batch_index = (uint32_t)i;
        if (i + 1 == count)
            return e; /* xs_end commits the last one, and the wrapper counts it */
        xs_count_copy(e);
        if (xs_guard_rules_wanted())
            xs_guard_rules_see(e, r);
        e = xs_another(e);
    }
}

static struct box_side operand(const CUmemcpy3DOperand *o, size_t element) {
    if (o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY)
        return (struct box_side){.type = CU_MEMORYTYPE_ARRAY, .array = o->op.array.array};
    return (struct box_side){.type = CU_MEMORYTYPE_UNIFIED,
                             .device = o->op.ptr.ptr,
                             .pitch = o->op.ptr.rowLength * element,
                             .slice_rows = o->op.ptr.layerHeight};
}

/* Returns the unit of the extents: they count elements if one side is an array, otherwise bytes. */
static size_t element_bytes(const CUDA_MEMCPY3D_BATCH_OP *op) {
    const CUmemcpy3DOperand *sides[] = {&op->src, &op->dst};
    for (int i = 0; i < 2; i++) {
        struct xs_memory_range range;
        if (sides[i]->type == CU_MEMCPY_OPERAND_TYPE_ARRAY && xs_map_find(XS_WORD(sides[i]->op.array.array), &range))
            return range.element_bytes ? range.element_bytes : 1;
    }
    return 1;
}

static void put_op(struct xs_event *e, const CUDA_MEMCPY3D_BATCH_OP *op) {
    size_t element = element_bytes(op);
    struct box_side dst = operand(&op->dst, element), src = operand(&op->src, element);
    put_box(e, &dst, &src, op->extent.width * element, op->extent.height, op->extent.depth);
}

void xs_decode_copy_3d_op(struct xs_event *e, const CUDA_MEMCPY3D_BATCH_OP *op) {
    put_nothing(e);
    if (op)
        put_op(e, op);
}

struct xs_event *xs_decode_batch_3d(struct xs_event *e, CUresult r, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t count) {
    begin_batch(e, r);
    if (r != CUDA_SUCCESS || !ops || count == 0)
        return e;
    for (size_t i = 0;; i++) {
        put_op(e, &ops[i]);
        e->batch_index = (uint32_t)i;
        if (i + 1 == count)
            return e;
        xs_count_copy(e);
        if (xs_guard_rules_wanted())
            xs_guard_rules_see(e, r);
        e = xs_another(e);
    }
}

void xs_decode_attributes(struct xs_event *e, const CUlaunchConfig *config) {
    for (unsigned i = 0; config && config->attrs && i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative)
            e->launch.kind = XS_LAUNCH_COOPERATIVE;
}

/* Asks the driver whether the stream is capturing. The legacy default stream is skipped: it cannot capture, and asking
 * about it while another stream is capturing is an error. */
void xs_decode_captured_slow(struct xs_event *e) {
    CUstream stream = (CUstream)(uintptr_t)e->stream;
    __typeof__(&cuStreamIsCapturing) is_capturing = xs_driver(cuStreamIsCapturing);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!is_capturing || stream == NULL || stream == CU_STREAM_LEGACY)
        return;
    if (is_capturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE)
        e->flags |= XS_FLAG_CAPTURED;
}
