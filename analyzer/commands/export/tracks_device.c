/* Makes the device's side of a timeline: a track for each stream of a context on a device, with additional tracks if
 * work of one stream overlaps, as it does in graphs; and a counter of the rate of copies in each direction. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/export/tracks_internal.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/words/saving_words.h"

enum { LANES = 256, RATES = 3, NAME_BYTES = XS_EXPORT_TEXT_BYTES + 1 };

struct device {
    const struct xs_track *group;
    struct xs_rate rates[RATES];
};

struct stream {
    const struct xs_track *context; /* its group */
    struct xs_string name;
    const struct xs_track *lanes[LANES];
    int64_t busy_until_ns[LANES];
    unsigned lane_count;
};

struct devices {
    struct xs_tracks *t;
    struct xs_hash devices, contexts, streams; /* map to struct device *, struct xs_track *, struct stream * */
    uint64_t left_out;                         /* number of slices that were left out, because all lanes of their stream
                                                  were occupied */
    char name[NAME_BYTES];
};

static void *kept(uint64_t value) { return (void *)(uintptr_t)value; }

static struct device *device_of(struct devices *d, int64_t id) {
    uint64_t *known = xs_hash_put(&d->devices, (uint64_t)id, 0);
    if (*known)
        return kept(*known);
    const struct xs_summary *summary = &d->t->e->reading->summary;
    struct device *device = xs_realloc(NULL, sizeof *device);
    struct xs_string name = {0};
    *device = (struct device){0};
    *known = (uint64_t)(uintptr_t)device;
    if (id < 0)
        xs_string_format(&name, "managed memory");
    else
        xs_string_format(&name, "device %" PRId64, id);
    for (size_t i = 0; i < summary->device_count; i++)
        if (summary->devices[i].id == id && summary->devices[i].known)
            xs_string_format(&name, ": %.200s", summary->devices[i].name);
    device->group = xs_tracks_add(d->t, XS_TRACK_GROUP, NULL, 0, "%s", name.data);
    xs_string_free(&name);
    return device;
}

static const struct xs_track *context_of(struct devices *d, int64_t device, int64_t context) {
    const struct xs_track *group = device_of(d, device)->group;
    if (context < 0) /* page migrations are shown at the device, because they have no context */
        return group;
    uint64_t *known = xs_hash_put(&d->contexts, (uint64_t)device, (uint64_t)context);
    if (!*known)
        *known = (uint64_t)(uintptr_t)xs_tracks_add(d->t, XS_TRACK_GROUP, group, 0, "%s, context %" PRId64, group->name,
                                                    context);
    return kept(*known);
}

static void name_stream(struct stream *stream, const struct xs_timeline_row *row) {
    int64_t number = row->queue, handle = row->stream_handle;
    bool known = row->stream_known;
    if (number < 0) {
        xs_string_format(&stream->name, "page migrations");
        return;
    }
    xs_string_format(&stream->name, "stream %" PRId64, number);
    if (known && (handle == 0 || handle == 1))
        xs_string_format(&stream->name, " (default)");
    else if (known && handle == 2)
        xs_string_format(&stream->name, " (default of a thread)");
    else if (known)
        xs_string_format(&stream->name, " (0x%" PRIx64 ")", (uint64_t)handle);
}

/* Returns the device of a row. A migration may have no device, for example between two parts of host memory; any other
 * row without a device is shown at the first device. */
static int64_t device_number(const struct xs_timeline_row *row) {
    return row->device < 0 && row->kind != XS_TIMELINE_MIGRATION ? 0 : row->device;
}

static struct stream *stream_of(struct devices *d, const struct xs_timeline_row *row) {
    const struct xs_track *group = context_of(d, device_number(row), row->context);
    uint64_t *known = xs_hash_put(&d->streams, group->id, (uint64_t)row->queue);
    if (*known)
        return kept(*known);
    struct stream *stream = xs_realloc(NULL, sizeof *stream);
    *stream = (struct stream){.context = group};
    *known = (uint64_t)(uintptr_t)stream;
    name_stream(stream, row);
    return stream;
}

/* Returns the stream's first track that is free at the slice's start, and adds a track if necessary; NULL: there would
 * be too many. */
static const struct xs_track *lane_of(struct devices *d, struct stream *stream, const struct xs_slice *slice) {
    unsigned lane = 0;
    while (lane < stream->lane_count && stream->busy_until_ns[lane] > slice->start_ns)
        lane++;
    if (lane == LANES)
        return NULL;
    if (lane == stream->lane_count) {
        stream->lanes[lane] =
            lane ? xs_tracks_add(d->t, XS_TRACK_LANE, stream->context, 0, "%s, beside it %u", stream->name.data, lane)
                 : xs_tracks_add(d->t, XS_TRACK_LANE, stream->context, 0, "%s", stream->name.data);
        stream->lane_count++;
    }
    stream->busy_until_ns[lane] = slice->end_ns;
    return stream->lanes[lane];
}

static void count_rate(struct devices *d, const struct xs_timeline_row *row, const struct xs_slice *slice) {
    static const char *const names[RATES] = {"uploads", "downloads", "other copies"};
    unsigned which = row->direction == XS_DIR_H2D ? 0 : row->direction == XS_DIR_D2H ? 1 : 2;
    struct device *device = device_of(d, device_number(row));
    struct xs_rate *rate = &device->rates[which];
    if (!rate->track)
        rate->track = xs_tracks_add(d->t, XS_TRACK_RATE, device->group, 0, "%s", names[which]);
    xs_rate_add(d->t, rate, slice->start_ns, slice->end_ns, row->bytes);
}

static bool take(void *data, const struct xs_timeline_row *row) {
    struct devices *d = data;
    struct xs_slice slice;
    xs_tracks_slice(d->t, row, &slice);
    struct stream *stream = stream_of(d, row);
    slice.track = lane_of(d, stream, &slice);
    slice.name = xs_demangle(slice.name, d->name, sizeof d->name);
    if (slice.track)
        d->t->sink->slice(d->t->sink->data, &slice);
    else
        d->left_out++;
    if (row->kind == XS_TIMELINE_COPY)
        count_rate(d, row, &slice);
    return xs_tracks_go_on(d->t);
}

static void free_all(struct devices *d) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&d->devices, entry));) {
        struct device *device = kept(entry->value);
        for (unsigned r = 0; device && r < RATES; r++)
            xs_rate_end(d->t, &device->rates[r]);
        free(device);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&d->streams, entry));) {
        struct stream *stream = kept(entry->value);
        xs_string_free(&stream->name);
        free(stream);
    }
    xs_hash_free(&d->devices);
    xs_hash_free(&d->contexts);
    xs_hash_free(&d->streams);
}

int xs_tracks_device(struct xs_tracks *t) {
    struct devices d = {.t = t};
    int status = xs_timeline_merge(&t->e->reading->trace, true, take, &d, t->e->message);
    if (d.left_out)
        xs_complain("%s: left out %s slices of streams in which more than %d overlap", t->e->reading->path,
                    XS_COUNT_TEXT(d.left_out), LANES);
    free_all(&d);
    return status;
}
