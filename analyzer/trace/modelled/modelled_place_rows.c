/* Adds rows for modelled work, and adds up the times of all rows; see modelled_place_internal.h. */
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/modelled/modelled_place_internal.h"

/* Returns CUPTI's number for a kind of memory. */
static int64_t device_memory_kind(unsigned kind) {
    static const uint8_t kinds[] = {0, 1, 2, 2, 3, 4, 5};
    return kind < sizeof kinds ? kinds[kind] : 0;
}

static int64_t copy_kind(const struct xs_modelled_call *call) {
    static const int64_t kinds[] = {
        [XS_DIR_H2D] = 1, [XS_DIR_D2H] = 2, [XS_DIR_D2D] = 8, [XS_DIR_PEER] = 10, [XS_DIR_H2H] = 9};
    return call->direction < sizeof kinds / sizeof *kinds ? kinds[call->direction] : 0;
}

/* Returns the shape of the group's first row, with the stream of this call. */
static uint32_t shape_of(struct xs_placing *p, const struct xs_alike *alike, const struct xs_modelled_call *call) {
    struct xs_modelled_tables *tables = p->placed->tables;
    const struct xs_group *group = xs_learned_of(alike);
    const uint64_t *queue = xs_hash_find(&p->learned->queue_of, (uint64_t)xs_lane_of(p->learned, call), 0);
    struct xs_shape shape;
    bool is_known = group && group->shape != UINT32_MAX;
    if (is_known)
        shape = tables->shapes[group->shape];
    for (unsigned i = 0; i < XS_SHAPE_VALUES && !is_known; i++)
        shape.values[i] = XS_SHAPE_NULL;
    if (call->kind == XS_CALL_TRANSFER) {
        shape.values[XS_SHAPE_KIND] = copy_kind(call);
        shape.values[XS_SHAPE_SRC_KIND] = device_memory_kind(call->src_kind);
        shape.values[XS_SHAPE_DST_KIND] = device_memory_kind(call->dst_kind);
        shape.values[XS_SHAPE_IS_ASYNC] = call->is_async;
        shape.values[XS_SHAPE_COPIES] = 1;
    }
    uint64_t device = xs_device_of(p->learned, call);
    if (device)
        shape.values[XS_SHAPE_DEVICE] = (int64_t)device - 1;
    shape.values[XS_SHAPE_CONTEXT] = queue ? tables->shapes[*queue - 1].values[XS_SHAPE_CONTEXT] : call->context;
    /* CUPTI's numbers of streams are small; a stream without such a number gets a large one */
    shape.values[XS_SHAPE_STREAM] =
        queue ? tables->shapes[*queue - 1].values[XS_SHAPE_STREAM] : (1 << 20) + call->stream;
    return xs_shape_number(tables, &shape);
}

void xs_placing_add_graph(struct xs_placing *p, struct xs_pending *work, uint32_t number) {
    for (unsigned table = 0; table < XS_MODELLED_TABLES; table++)
        work->first[table] = (uint32_t)p->placed->tables->of[table].count;
    for (size_t i = 0; i < work->graph->rows; i++) {
        struct xs_modelled_row row = work->graph->first[i].row;
        row.number = number;
        row.modelled = 1;
        xs_modelled_add(p->placed->tables, (enum xs_modelled_table)work->graph->first[i].table, &row);
    }
}

void xs_placing_add_row(struct xs_placing *p, const struct xs_alike *alike, const struct xs_modelled_call *call,
                        struct xs_pending *work, uint32_t number) {
    static const enum xs_modelled_table table_of[] = {[XS_CALL_TRANSFER] = XS_MODELLED_COPY,
                                                      [XS_CALL_MEMSET] = XS_MODELLED_MEMSET,
                                                      [XS_CALL_LAUNCH] = XS_MODELLED_KERNEL};
    struct xs_modelled_row row = {.bytes = call->bytes, .number = number, .modelled = 1};
    row.shape = shape_of(p, alike, call) & 0x7fffffffu;
    work->table = (uint8_t)table_of[call->kind];
    work->first[work->table] = (uint32_t)xs_modelled_add(p->placed->tables, table_of[call->kind], &row);
}

static enum xs_device_sum sum_of_copy(const struct xs_shape *shape) {
    int64_t kind = xs_kind_of_copy(shape->values[XS_SHAPE_KIND], shape->values[XS_SHAPE_SRC_KIND],
                                   shape->values[XS_SHAPE_DST_KIND]);
    unsigned direction = kind >= 0 ? xs_direction_of_copy((unsigned)kind) : XS_DIR_UNKNOWN;
    return direction == XS_DIR_H2D ? XS_SUM_H2D : direction == XS_DIR_D2H ? XS_SUM_D2H : XS_SUM_OTHER_COPIES;
}

void xs_placing_add_up(struct xs_placing *p) {
    for (unsigned table = 0; table < XS_MODELLED_TABLES; table++) {
        const struct xs_modelled_rows *rows = &p->placed->tables->of[table];
        for (size_t i = 0; i < rows->count; i++) {
            const struct xs_modelled_row *row = &rows->items[i];
            const struct xs_shape *shape = &p->placed->tables->shapes[row->shape];
            enum xs_device_sum sum = table == XS_MODELLED_COPY     ? sum_of_copy(shape)
                                     : table == XS_MODELLED_MEMSET ? XS_SUM_MEMSETS
                                                                   : XS_SUM_KERNELS;
            struct xs_device_estimate *estimate = &p->windows->sums[sum];
            uint64_t ns = row->start_ns == XS_SHAPE_NULL ? 0 : (uint64_t)(row->end_ns - row->start_ns);
            *(row->modelled ? &estimate->modelled : &estimate->measured) += 1;
            uint64_t *to = row->modelled ? &estimate->modelled_ns : &estimate->measured_ns;
            *to = xs_sum(*to, ns);
        }
    }
}
