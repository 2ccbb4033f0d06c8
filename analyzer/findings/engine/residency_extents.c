/* Makes extents of the residency model from addresses, lengths and shapes. See residency_change.h. */
#include "analyzer/findings/engine/residency_change.h"

/* Sets the steps between rows and planes. False: the numbers are impossible. */
static bool shape(struct xs_extent *extent, const struct xs_box *box, bool source) {
    uint64_t pitch = source ? box->src_pitch_bytes : box->dst_pitch_bytes;
    uint64_t slice_rows = source ? box->src_slice_rows : box->dst_slice_rows;
    extent->row_bytes = box->width_bytes;
    extent->rows = box->height;
    extent->planes = box->depth ? box->depth : 1;
    extent->row_step = pitch ? pitch : extent->row_bytes;
    slice_rows = slice_rows ? slice_rows : extent->rows;
    uint64_t last_row, last_plane, span;
    if (!extent->row_bytes || __builtin_mul_overflow(extent->row_step, slice_rows, &extent->plane_step) ||
        __builtin_mul_overflow(extent->row_step, extent->rows - 1, &last_row) ||
        __builtin_mul_overflow(extent->plane_step, extent->planes - 1, &last_plane) ||
        __builtin_add_overflow(last_row, last_plane, &span) || __builtin_add_overflow(span, extent->row_bytes, &span) ||
        extent->row_step < extent->row_bytes || extent->rows > UINT64_MAX / extent->planes)
        return false;
    extent->bytes = span;
    extent->has_gaps = (extent->row_step > extent->row_bytes && extent->rows > 1) ||
                       (extent->planes > 1 && extent->plane_step > extent->row_step * extent->rows);
    if (!extent->has_gaps && extent->row_step > extent->row_bytes)
        extent->has_gaps = extent->planes > 1; /* each plane has only one row, and there is room between the planes */
    if (!extent->has_gaps) /* without gaps the bytes, and so the region, are the same as for a plain copy */
        extent->rows = 0;
    return true;
}

bool xs_extent_make(const struct xs_residency *residency, struct xs_extent *extent, enum xs_memory_kind kind,
                    uint64_t address, uint64_t bytes, int64_t allocation, int32_t device, const struct xs_box *box,
                    bool source) {
    uint64_t end;
    *extent = (struct xs_extent){.address = address, .bytes = bytes, .device = device};
    if (!xs_is_on_device(kind) || !address || (box->height && !shape(extent, box, source)) || !extent->bytes ||
        __builtin_add_overflow(address, extent->bytes, &end))
        return false;
    struct xs_allocation *a = xs_allocation_by_id(residency, allocation);
    if (a && address >= a->address && end <= a->address + a->bytes) {
        extent->allocation = a; /* so that every write to an allocation ends with the allocation */
        extent->device = a->device;
    }
    return true;
}

bool xs_extent_of_source(const struct xs_residency *residency, const struct xs_trace_event *e,
                         struct xs_extent *extent) {
    const struct xs_transfer_view *t = &e->u.transfer;
    return t->direction != XS_DIR_H2D && t->direction != XS_DIR_H2H &&
           xs_extent_make(residency, extent, t->src_kind, t->src_address, t->bytes, t->src_allocation, t->src_device,
                          &t->box, true);
}

bool xs_extent_of_destination(const struct xs_residency *residency, const struct xs_trace_event *e,
                              struct xs_extent *extent) {
    const struct xs_transfer_view *t = &e->u.transfer;
    return t->direction != XS_DIR_D2H && t->direction != XS_DIR_H2H &&
           xs_extent_make(residency, extent, t->dst_kind, t->dst_address, t->bytes, t->dst_allocation, t->dst_device,
                          &t->box, false);
}
