/* Follows downloads until they end; see watched_downloads.h. */
#include "analyzer/findings/detectors/watched_downloads.h"

#include "schema/format/event.h"

typedef void ended_function(struct xs_detection *, const struct xs_watched_download *);

static void take_out(struct xs_watched_downloads *d, struct xs_detection *detection, unsigned i) {
    xs_account_release(detection->analysis, d->open[i].event.account);
    d->open[i] = d->open[--d->count];
}

/* Ends a download that nobody on the device read, except perhaps one upload. */
static void conclude(struct xs_watched_downloads *d, struct xs_detection *detection, unsigned i,
                     ended_function *ended) {
    const struct xs_watched_download *w = &d->open[i];
    enum xs_readers readers = w->uploaded_by ? XS_READERS_UPLOAD : XS_READERS_NONE;
    if (w->event.u.transfer.host_read.read_bytes)
        readers = XS_READERS_SOME;
    xs_downloads_readers(detection, w->event.id, readers, w->uploaded_by);
    if (!w->uploaded_by) {
        xs_sample(detection, &w->event, 0, XS_DRAWN_CHECKED);
        ended(detection, w);
    }
    take_out(d, detection, i);
}

/* Ends a download that the device read: it is no instance. */
static void was_read(struct xs_watched_downloads *d, struct xs_detection *detection, unsigned i) {
    xs_downloads_readers(detection, d->open[i].event.id, XS_READERS_SOME, 0);
    if (!d->open[i].uploaded_by)
        xs_sample(detection, &d->open[i].event, 0, XS_DRAWN_CHECKED);
    take_out(d, detection, i);
}

static void give_up(struct xs_watched_downloads *d, struct xs_detection *detection, unsigned i, const char *reason) {
    if (!d->open[i].uploaded_by) {
        xs_sample(detection, &d->open[i].event, 0, XS_DRAWN_UNKNOWN);
        xs_undecided(detection, reason);
    }
    take_out(d, detection, i);
}

/* True if at least one of the bytes at an address is in the download's destination. */
static bool overlaps(const struct xs_watched_download *w, uint64_t address, uint64_t bytes) {
    const struct xs_transfer_view *t = &w->event.u.transfer;
    return address < t->dst_address + t->bytes && t->dst_address < address + bytes;
}

/* Returns the span of a transfer's side, with the gaps of a box. */
static uint64_t span_of(const struct xs_transfer_view *t, uint32_t pitch, uint32_t rows) {
    const struct xs_box *box = &t->box;
    if (!box->height)
        return t->bytes;
    uint64_t row = pitch ? pitch : box->width_bytes, height = rows ? rows : box->height;
    return row * height * (box->depth ? box->depth : 1);
}

/* The first upload of the whole memory may be the way back of a round trip, so the download stays open. It is no
 * instance any more. */
static void was_uploaded(struct xs_watched_downloads *d, struct xs_detection *detection, unsigned i,
                         const struct xs_trace_event *upload) {
    struct xs_watched_download *w = &d->open[i];
    const struct xs_transfer_view *down = &w->event.u.transfer, *up = &upload->u.transfer;
    bool is_whole =
        xs_is_upload(upload) && !up->box.height && up->src_address == down->dst_address && up->bytes == down->bytes;
    if (w->uploaded_by || !is_whole) {
        was_read(d, detection, i);
        return;
    }
    xs_sample(detection, &w->event, 0, XS_DRAWN_CHECKED);
    w->uploaded_by = upload->id;
}

static void on_transfer(struct xs_watched_downloads *d, struct xs_detection *detection,
                        const struct xs_trace_event *event, ended_function *ended) {
    const struct xs_transfer_view *t = &event->u.transfer;
    uint64_t from = span_of(t, t->box.src_pitch_bytes, t->box.src_slice_rows),
             to = span_of(t, t->box.dst_pitch_bytes, t->box.dst_slice_rows);
    for (unsigned i = d->count; i-- > 0;) {
        if (t->src_kind != XS_MEM_ARRAY && overlaps(&d->open[i], t->src_address, from)) {
            was_uploaded(d, detection, i, event);
        } else if (t->dst_kind != XS_MEM_ARRAY && overlaps(&d->open[i], t->dst_address, to)) {
            d->open[i].overwritten_by = event->id;
            conclude(d, detection, i, ended);
        }
    }
}

static bool is_given(const struct xs_launch_view *launch, int64_t allocation) {
    for (unsigned i = 0; i < launch->argument_count; i++)
        if (launch->arguments[i] == allocation)
            return true;
    return false;
}

/* A kernel can read page-locked memory. A graph may have a copy of any memory. */
static void on_launch(struct xs_watched_downloads *d, struct xs_detection *detection,
                      const struct xs_launch_view *launch) {
    for (unsigned i = d->count; launch->kind != XS_LAUNCH_HOST_FUNCTION && i-- > 0;) {
        int64_t allocation = d->open[i].event.u.transfer.dst_allocation;
        if (launch->kind == XS_LAUNCH_GRAPH || (allocation && !launch->arguments_seen))
            give_up(d, detection, i, XS_UNDECIDED_ARGUMENTS);
        else if (allocation && is_given(launch, allocation))
            was_read(d, detection, i);
    }
}

/* Other calls, such as a wait for a value, may read what they are given the address of. What an unknown function does
 * is not known. */
static void on_api(struct xs_watched_downloads *d, struct xs_detection *detection, const struct xs_trace_event *event) {
    bool is_unknown = (event->u.api.traits & XS_TRAIT_DOES_ANYTHING) != 0;
    d->is_blind |= is_unknown && event->u.api.argument == XS_UNKNOWN_FOR_GOOD;
    for (unsigned i = d->count; i-- > 0;)
        if (is_unknown)
            give_up(d, detection, i, XS_UNDECIDED_CALLS);
        else if (event->u.api.address && overlaps(&d->open[i], event->u.api.address, 1))
            was_read(d, detection, i);
}

static void on_free(struct xs_watched_downloads *d, struct xs_detection *detection, int64_t allocation,
                    ended_function *ended) {
    for (unsigned i = d->count; i-- > 0;)
        if (d->open[i].event.u.transfer.dst_allocation == allocation)
            conclude(d, detection, i, ended);
}

static const char *why_undecided(const struct xs_host_read_view *read) {
    static const char *const names[] = {
#define NAME(n, id, name) name,
        XS_HOST_READ_DOUBTS(NAME)
#undef NAME
    };
    bool has_name = read->doubt && read->doubt < sizeof names / sizeof *names;
    return has_name ? names[read->doubt] : "the watch came to no result";
}

/* True for a download that the library could have watched. */
static bool is_fit(const struct xs_transfer_view *t) {
    return t->bytes >= XS_HOST_READS_LEAST_BYTES && !t->box.height && t->batch_index < 0 &&
           t->host_kind != XS_MEM_MANAGED && t->host_kind != XS_MEM_ARRAY;
}

/* Makes room for a download, if necessary and possible, by one that can be no instance any more. */
static void make_room(struct xs_watched_downloads *d, struct xs_detection *detection) {
    for (unsigned i = d->count; d->count == XS_WATCHED_DOWNLOADS && i-- > 0;)
        if (d->open[i].uploaded_by)
            take_out(d, detection, i);
}

static void on_download(struct xs_watched_downloads *d, struct xs_detection *detection,
                        const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    d->any |= t->host_read.state != XS_HOST_READ_NOT_WATCHED;
    if (!d->any || !is_fit(t))
        return;
    if (t->host_read.state != XS_HOST_READ_NOT_WATCHED)
        xs_downloads_readers(detection, event->id, XS_READERS_UNKNOWN, 0);
    make_room(d, detection);
    if (t->host_read.state == XS_HOST_READ_NOT_WATCHED) {
        xs_sample(detection, event, 0, XS_DRAWN_LEFT_OUT);
    } else if (t->host_read.state == XS_HOST_READ_UNDECIDED) {
        xs_sample(detection, event, 0, XS_DRAWN_UNKNOWN);
        xs_undecided(detection, why_undecided(&t->host_read));
    } else if (d->is_blind || d->count == XS_WATCHED_DOWNLOADS || xs_calls_are_missing(detection)) {
        xs_sample(detection, event, 0, XS_DRAWN_UNKNOWN);
        xs_undecided(detection, XS_UNDECIDED_CALLS);
    } else {
        struct xs_watched_download *w = &d->open[d->count++];
        *w = (struct xs_watched_download){.event = *event};
        w->event.u.transfer.region = NULL;
        w->event.account = xs_account_keep(event->account);
    }
}

void xs_watched_downloads_event(struct xs_detection *detection, const struct xs_trace_event *event,
                                ended_function *ended) {
    struct xs_watched_downloads *d = detection->state;
    switch (event->on) {
    case XS_ON_TRANSFER:
        if (d->count)
            on_transfer(d, detection, event, ended);
        if (xs_is_download(event))
            on_download(d, detection, event);
        break;
    case XS_ON_LAUNCH:
        on_launch(d, detection, &event->u.launch);
        break;
    case XS_ON_API:
        on_api(d, detection, event);
        break;
    case XS_ON_FREE:
        on_free(d, detection, event->id, ended);
        break;
    default:
        break;
    }
}

void xs_watched_downloads_finish(struct xs_detection *detection, ended_function *ended) {
    struct xs_watched_downloads *d = detection->state;
    while (d->count)
        if (detection->ended)
            conclude(d, detection, d->count - 1, ended);
        else
            give_up(d, detection, d->count - 1, XS_UNDECIDED_END);
}

void xs_watched_downloads_gap(struct xs_detection *detection) {
    struct xs_watched_downloads *d = detection->state;
    while (d->count)
        give_up(d, detection, d->count - 1, XS_UNDECIDED_CALLS);
}

void xs_watched_downloads_end(struct xs_detection *detection) {
    struct xs_watched_downloads *d = detection->state;
    while (d->count)
        take_out(d, detection, d->count - 1);
}
