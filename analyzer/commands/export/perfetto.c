/* Writes Perfetto's format: a sequence of protobuf packets, each for a track, or for the begin or end of a slice, or
 * for a value of a counter. Repeated texts are interned; this is the main reason why the files are small. */
#include <string.h>
#include <uthash.h>

#include "analyzer/base/memory.h"
#include "analyzer/commands/export/proto.h"
#include "analyzer/commands/export/tracks.h"

enum field {
#define XS_PROTO(message, field, number) message##_##field = number,
#include "analyzer/commands/export/perfetto.def"
#undef XS_PROTO
};
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER }; /* TrackEvent.Type */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };           /* TracePacket.SequenceFlags */
enum { UNIT_SIZE_BYTES = 3, ORDER_EXPLICIT = 3, SEQUENCE = 1 };

/* A text with a number, valid in one field of InternedData. */
struct interned {
    UT_hash_handle hh;
    uint64_t iid;
    char key[]; /* the field's number in one byte, then the text */
};
enum {
    INTERNED_BYTES = 32 << 20
}; /* limit for all interned texts; after that, texts are written in each row, and cut
    */

struct writer {
    FILE *file;
    struct interned *interned;
    size_t interned_bytes;
    uint64_t last_iid;
    bool begun;
    struct xs_string packet, event, inner, text, key, data; /* data: InternedData of the present packet */
};

static void clear(struct xs_string *string) { string->length = 0; }

/* --- packets --- */

static void put_packet(struct writer *w) {
    unsigned flags = NEEDS_STATE | (w->begun ? 0 : STATE_CLEARED);
    w->begun = true;
    xs_proto_varint(&w->packet, TracePacket_trusted_packet_sequence_id, SEQUENCE);
    xs_proto_varint(&w->packet, TracePacket_sequence_flags, flags);
    if (w->data.length)
        xs_proto_message(&w->packet, TracePacket_interned_data, &w->data);
    clear(&w->data);
    clear(&w->inner);
    xs_proto_message(&w->inner, Trace_packet, &w->packet);
    fwrite(w->inner.data, 1, w->inner.length, w->file);
}

static void put_event(struct writer *w, int64_t ns) {
    clear(&w->packet);
    xs_proto_varint(&w->packet, TracePacket_timestamp, (uint64_t)ns);
    xs_proto_message(&w->packet, TracePacket_track_event, &w->event);
    put_packet(w);
}

static void begin_event(struct writer *w, const struct xs_track *track, unsigned type) {
    clear(&w->event);
    xs_proto_varint(&w->event, TrackEvent_type, type);
    xs_proto_varint(&w->event, TrackEvent_track_uuid, track->id);
}

/* --- texts --- */

/* Returns the number of an interned text; 0: it is not interned. Stores the text as valid UTF-8 in w->text. */
static uint64_t intern(struct writer *w, unsigned field, const char *text, size_t bytes) {
    struct interned *known;
    char mark = (char)field;
    clear(&w->text);
    clear(&w->key);
    xs_export_utf8(&w->text, text, bytes);
    xs_string_add(&w->key, &mark, 1);
    xs_string_add(&w->key, w->text.data, w->text.length);
    HASH_FIND(hh, w->interned, w->key.data, w->key.length, known);
    if (known)
        return known->iid;
    if (w->interned_bytes + w->key.length > INTERNED_BYTES)
        return 0;
    w->interned_bytes += w->key.length + sizeof *known;
    known = xs_realloc(NULL, sizeof *known + w->key.length);
    memcpy(known->key, w->key.data, w->key.length);
    known->iid = ++w->last_iid;
    HASH_ADD_KEYPTR(hh, w->interned, known->key, w->key.length, known);
    clear(&w->inner);
    xs_proto_varint(&w->inner, InternedString_iid, known->iid);
    xs_proto_message(&w->inner, InternedString_text, &w->text);
    xs_proto_message(&w->data, field, &w->inner);
    return known->iid;
}

/* Adds a text to a message: as a number in one field, or written out in another. */
static void add_text(struct writer *w, struct xs_string *message, unsigned table, unsigned by_number, unsigned by_text,
                     const char *text, size_t bytes) {
    uint64_t iid = intern(w, table, text, bytes);
    if (iid)
        xs_proto_varint(message, by_number, iid);
    else {
        clear(&w->text);
        xs_export_cut(&w->text, text, bytes, XS_EXPORT_SHORT_TEXT_BYTES);
        xs_proto_message(message, by_text, &w->text);
    }
}

static void add_name(struct writer *w, const char *name) {
    add_text(w, &w->event, InternedData_event_names, TrackEvent_name_iid, TrackEvent_name, name, strlen(name));
}

static void add_category(struct writer *w, const char *category, size_t bytes) {
    add_text(w, &w->event, InternedData_event_categories, TrackEvent_category_iids, TrackEvent_categories, category,
             bytes);
}

static void add_argument(struct writer *w, const struct xs_cell *cell) {
    XS_SCOPED_STRING argument = {0};
    add_text(w, &argument, InternedData_debug_annotation_names, DebugAnnotation_name_iid, DebugAnnotation_name,
             cell->name, strlen(cell->name));
    if (cell->kind == XS_CELL_INT)
        xs_proto_varint(&argument, DebugAnnotation_int_value, (uint64_t)cell->number);
    else
        add_text(w, &argument, InternedData_debug_annotation_string_values, DebugAnnotation_string_value_iid,
                 DebugAnnotation_string_value, cell->text, cell->bytes);
    xs_proto_message(&w->event, TrackEvent_debug_annotations, &argument);
}

/* --- tracks and what is on them --- */

static void describe(struct writer *w, struct xs_string *track_message, const struct xs_track *track) {
    XS_SCOPED_STRING inner = {0};
    if (track->kind == XS_TRACK_PROCESS) {
        xs_proto_varint(&inner, ProcessDescriptor_pid, (uint64_t)track->number);
        xs_proto_message(&inner, ProcessDescriptor_process_name, &w->text);
        xs_proto_message(track_message, TrackDescriptor_process, &inner);
    } else if (track->kind == XS_TRACK_THREAD && track->parent) {
        xs_proto_varint(&inner, ThreadDescriptor_pid, (uint64_t)track->parent->number);
        xs_proto_varint(&inner, ThreadDescriptor_tid, (uint64_t)track->number);
        xs_proto_message(&inner, ThreadDescriptor_thread_name, &w->text);
        xs_proto_message(track_message, TrackDescriptor_thread, &inner);
    } else if (track->kind == XS_TRACK_BYTES) {
        xs_proto_varint(&inner, CounterDescriptor_unit, UNIT_SIZE_BYTES);
        xs_proto_message(track_message, TrackDescriptor_counter, &inner);
    } else if (track->kind == XS_TRACK_RATE) {
        xs_proto_bytes(&inner, CounterDescriptor_unit_name, "B/s", strlen("B/s"));
        xs_proto_message(track_message, TrackDescriptor_counter, &inner);
    }
}

static void add_track(void *data, const struct xs_track *track) {
    struct writer *w = data;
    XS_SCOPED_STRING message = {0};
    clear(&w->text);
    xs_export_utf8(&w->text, track->name, strlen(track->name));
    xs_proto_varint(&message, TrackDescriptor_uuid, track->id);
    if (track->parent)
        xs_proto_varint(&message, TrackDescriptor_parent_uuid, track->parent->id);
    xs_proto_message(&message, TrackDescriptor_name, &w->text);
    describe(w, &message, track);
    xs_proto_varint(&message, TrackDescriptor_child_ordering, ORDER_EXPLICIT);
    xs_proto_varint(&message, TrackDescriptor_sibling_order_rank, track->id);
    clear(&w->packet);
    xs_proto_message(&w->packet, TracePacket_track_descriptor, &message);
    put_packet(w);
}

static void add_end(void *data, const struct xs_track *track, int64_t ns) {
    struct writer *w = data;
    begin_event(w, track, SLICE_END);
    put_event(w, ns);
}

static void add_begin(void *data, const struct xs_track *track, int64_t ns, const char *name, const char *category) {
    struct writer *w = data;
    begin_event(w, track, SLICE_BEGIN);
    add_name(w, name);
    add_category(w, category, strlen(category));
    put_event(w, ns);
}

static void add_slice(void *data, const struct xs_slice *slice) {
    struct writer *w = data;
    struct xs_cell findings = {.name = "findings", .kind = XS_CELL_TEXT, .text = slice->findings};
    begin_event(w, slice->track, SLICE_BEGIN);
    add_name(w, slice->name);
    for (const char *name = slice->categories; *name;) {
        size_t length = strcspn(name, ",");
        add_category(w, name, length);
        name += length + (name[length] == ',');
    }
    if (slice->flow)
        xs_proto_fixed64(&w->event, TrackEvent_flow_ids, slice->flow);
    for (unsigned i = 0; i < slice->argument_count; i++)
        add_argument(w, &slice->arguments[i]);
    findings.bytes = strlen(slice->findings);
    if (findings.bytes)
        add_argument(w, &findings);
    put_event(w, slice->start_ns);
    add_end(w, slice->track, slice->end_ns);
}

static void add_counter(void *data, const struct xs_track *track, int64_t ns, double value) {
    struct writer *w = data;
    begin_event(w, track, COUNTER);
    if (track->kind == XS_TRACK_RATE)
        xs_proto_double(&w->event, TrackEvent_double_counter_value, value);
    else
        xs_proto_varint(&w->event, TrackEvent_counter_value, value < 9e18 ? (uint64_t)value : INT64_MAX);
    put_event(w, ns);
}

int xs_export_perfetto(const struct xs_export *e) {
    struct writer w = {.file = e->out->file};
    const struct xs_track_sink sink = {
        .data = &w, .track = add_track, .slice = add_slice, .begin = add_begin, .end = add_end, .counter = add_counter};
    struct interned *known, *next;
    int status = xs_export_tracks(e, &sink);
    HASH_ITER(hh, w.interned, known, next) {
        HASH_DEL(w.interned, known);
        free(known);
    }
    struct xs_string *const strings[] = {&w.packet, &w.event, &w.inner, &w.text, &w.key, &w.data};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        xs_string_free(strings[i]);
    return status;
}
