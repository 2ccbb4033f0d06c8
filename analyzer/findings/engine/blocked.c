/* Decides whether a copy blocked the host; see blocked.h. */
#include "analyzer/findings/engine/blocked.h"

#include <stddef.h>

enum {
    STAGED_BYTES =
        65536, /* uploads up to this size are asynchronous by CUDA's contract, because they are staged first */
    PERHAPS_STAGED_BYTES = 2 << 20 /* current drivers stage uploads up to this size first */
};

/* True if the copy was nearly over when the call returned. The last pieces of an upload are then still in the driver's
 * staging memory: in a copy of 8 MiB (580 us), an H100 had 20 us left. The limit is a quarter of the copy, which also
 * covers that the two clocks agree only to a few microseconds. */
static bool was_almost_over(const struct xs_trace_event *e) {
    return e->return_ns >= e->end_ns ||
           (e->return_ns > e->start_ns &&
            (uint64_t)e->end_ns - (uint64_t)e->return_ns <= ((uint64_t)e->end_ns - (uint64_t)e->start_ns) / 4);
}

enum xs_blocked xs_copy_blocked(const struct xs_trace_event *transfer, const struct xs_link_model *link) {
    const struct xs_transfer_view *t = &transfer->u.transfer;
    bool is_upload = t->direction == XS_DIR_H2D;
    if (t->host_kind != XS_MEM_PAGEABLE || (is_upload && t->bytes <= STAGED_BYTES))
        return XS_BLOCKED_NOT;
    if (transfer->timed)
        return was_almost_over(transfer) ? XS_BLOCKED : XS_BLOCKED_NOT;
    double rate = xs_link_best_rate(link, t->direction);
    if (rate <= 0 || (is_upload && t->bytes <= PERHAPS_STAGED_BYTES))
        return XS_BLOCKED_UNKNOWN;
    double call_ns = (double)transfer->return_ns - (double)transfer->enter_ns;
    return call_ns * 2 >= (double)t->bytes / rate * 1e9 ? XS_BLOCKED : XS_BLOCKED_NOT;
}

const struct xs_trace_event *xs_awaited_download(const struct xs_trace_event *event, const struct xs_link_model *link,
                                                 const struct xs_trace_event **wait) {
    const struct xs_trace_event *download = xs_event_or_its_copy(event);
    if (!download || !xs_is_download(download))
        return NULL;
    bool own_call = !download->is_async || xs_copy_blocked(download, link) == XS_BLOCKED;
    *wait = own_call ? NULL : event;
    return own_call == (event->on == XS_ON_TRANSFER) ? download : NULL;
}
