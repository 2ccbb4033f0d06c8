/* Makes places of the residency model from addresses, lengths and shapes. See residency_change.h. */
#include "analyzer/findings/engine/residency_change.h"

/* Sets the steps between rows and planes. False: the numbers cannot be true. */
static bool shape(struct xs_place *place, const struct xs_box *box, bool source) {
    uint64_t pitch = source ? box->src_pitch_bytes : box->dst_pitch_bytes;
    uint64_t slice_rows = source ? box->src_slice_rows : box->dst_slice_rows;
    place->row_bytes = box->width_bytes;
    place->rows = box->height;
    place->planes = box->depth ? box->depth : 1;
    place->row_step = pitch ? pitch : place->row_bytes;
    slice_rows = slice_rows ? slice_rows : place->rows;
    uint64_t last_row, last_plane, span;
    if (!place->row_bytes || __builtin_mul_overflow(place->row_step, slice_rows, &place->plane_step) ||
        __builtin_mul_overflow(place->row_step, place->rows - 1, &last_row) ||
        __builtin_mul_overflow(place->plane_step, place->planes - 1, &last_plane) ||
        __builtin_add_overflow(last_row, last_plane, &span) || __builtin_add_overflow(span, place->row_bytes, &span) ||
        place->row_step < place->row_bytes || place->rows > UINT64_MAX / place->planes)
        return false;
    place->bytes = span;
    place->has_gaps = (place->row_step > place->row_bytes && place->rows > 1) ||
                      (place->planes > 1 && place->plane_step > place->row_step * place->rows);
    if (!place->has_gaps && place->row_step > place->row_bytes)
        place->has_gaps = place->planes > 1; /* each plane has only one row, and there is room between the planes */
    if (!place->has_gaps) /* without gaps the bytes, and so the region, are the same as for a plain copy */
        place->rows = 0;
    return true;
}

bool xs_place_make(const struct xs_residency *residency, struct xs_place *place, enum xs_memory_kind kind,
                   uint64_t address, uint64_t bytes, int64_t allocation, int32_t device, const struct xs_box *box,
                   bool source) {
    uint64_t end;
    *place = (struct xs_place){.address = address, .bytes = bytes, .device = device};
    if (!xs_is_on_device(kind) || !address || (box->height && !shape(place, box, source)) || !place->bytes ||
        __builtin_add_overflow(address, place->bytes, &end))
        return false;
    struct xs_allocation *a = xs_allocation_by_id(residency, allocation);
    if (a && address >= a->address && end <= a->address + a->bytes) {
        place->allocation = a; /* so that every write to an allocation ends with the allocation */
        place->device = a->device;
    }
    return true;
}

bool xs_place_of_source(const struct xs_residency *residency, const struct xs_trace_event *e, struct xs_place *place) {
    const struct xs_transfer_view *t = &e->u.transfer;
    return t->direction != XS_DIR_H2D && t->direction != XS_DIR_H2H &&
           xs_place_make(residency, place, t->src_kind, t->src_address, t->bytes, t->src_allocation, t->src_device,
                         &t->box, true);
}

bool xs_place_of_destination(const struct xs_residency *residency, const struct xs_trace_event *e,
                             struct xs_place *place) {
    const struct xs_transfer_view *t = &e->u.transfer;
    return t->direction != XS_DIR_D2H && t->direction != XS_DIR_H2H &&
           xs_place_make(residency, place, t->dst_kind, t->dst_address, t->bytes, t->dst_allocation, t->dst_device,
                         &t->box, false);
}
