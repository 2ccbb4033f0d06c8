/* Chrome's trace event format, as JSON: an object a line, microseconds with three digits behind the point. Flow arrows are
 * bound to the slices themselves (bind_id), so that they need no events of their own. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/export/timeline.h"

struct writer {
    FILE *file;
    struct xs_json json;
    struct xs_string text;
    bool filled;
};

static void text(struct writer *w, const char *key, const char *value, size_t bytes) {
    w->text.length = 0;
    xs_export_utf8(&w->text, value, bytes);
    xs_json_text_bytes(&w->json, key, w->text.data, w->text.length);
}

/* A time in microseconds; its text is digits and a point only. */
static void time_of(struct writer *w, const char *key, int64_t ns) {
    fprintf(w->file, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void begin(struct writer *w, const char *phase, const struct xs_track *track) {
    if (w->filled)
        putc(',', w->file);
    w->filled = true;
    xs_json_object(&w->json, NULL);
    xs_json_text(&w->json, "ph", phase);
    xs_json_int(&w->json, "pid", track->pid);
    xs_json_int(&w->json, "tid", track->tid);
}

static void metadata(struct writer *w, const struct xs_track *track, const char *what, const char *key,
                     const char *name, int64_t number) {
    begin(w, "M", track);
    xs_json_text(&w->json, "name", what);
    xs_json_object(&w->json, "args");
    if (name)
        text(w, key, name, strlen(name));
    else
        xs_json_int(&w->json, key, number);
    xs_json_end(&w->json, '}');
    xs_json_end(&w->json, '}');
}

static void add_track(void *data, const struct xs_track *track) {
    struct writer *w = data;
    if (track->kind == XS_TRACK_BYTES || track->kind == XS_TRACK_RATE)
        return; /* a counter's name is in its events */
    bool process = track->kind == XS_TRACK_PROCESS || track->kind == XS_TRACK_GROUP;
    metadata(w, track, process ? "process_name" : "thread_name", "name", track->name, 0);
    metadata(w, track, process ? "process_sort_index" : "thread_sort_index", "sort_index", NULL, (int64_t)track->id);
}

static void add_arguments(struct writer *w, const struct xs_slice *slice) {
    xs_json_object(&w->json, "args");
    for (unsigned i = 0; i < slice->argument_count; i++) {
        const struct xs_cell *cell = &slice->arguments[i];
        if (cell->kind == XS_CELL_INT)
            xs_json_int(&w->json, cell->name, cell->number);
        else
            text(w, cell->name, cell->text, cell->bytes);
    }
    if (*slice->findings)
        xs_json_text(&w->json, "findings", slice->findings);
    xs_json_end(&w->json, '}');
}

static void add_slice(void *data, const struct xs_slice *slice) {
    struct writer *w = data;
    begin(w, "X", slice->track);
    text(w, "name", slice->name, strlen(slice->name));
    xs_json_text(&w->json, "cat", slice->categories);
    time_of(w, "ts", slice->start_ns);
    time_of(w, "dur", slice->end_ns - slice->start_ns);
    if (slice->flow) {
        fprintf(w->file, ",\"bind_id\":\"0x%" PRIx64 "\"", slice->flow);
        xs_json_bool(&w->json, slice->flow_begins ? "flow_out" : "flow_in", true);
    }
    add_arguments(w, slice);
    xs_json_end(&w->json, '}');
}

static void add_begin(void *data, const struct xs_track *track, int64_t ns, const char *name, const char *category) {
    struct writer *w = data;
    begin(w, "B", track);
    text(w, "name", name, strlen(name));
    xs_json_text(&w->json, "cat", category);
    time_of(w, "ts", ns);
    xs_json_end(&w->json, '}');
}

static void add_end(void *data, const struct xs_track *track, int64_t ns) {
    struct writer *w = data;
    begin(w, "E", track);
    time_of(w, "ts", ns);
    xs_json_end(&w->json, '}');
}

static void add_counter(void *data, const struct xs_track *track, int64_t ns, double value) {
    struct writer *w = data;
    begin(w, "C", track);
    text(w, "name", track->name, strlen(track->name));
    time_of(w, "ts", ns);
    xs_json_object(&w->json, "args");
    xs_json_number(&w->json, track->kind == XS_TRACK_RATE ? "bytes_per_s" : "bytes", value);
    xs_json_end(&w->json, '}');
    xs_json_end(&w->json, '}');
}

int xs_export_chrome(const struct xs_export *e) {
    struct writer w = {.file = e->out->file, .json = {.file = e->out->file, .compact = true}};
    const struct xs_timeline_sink sink = {
        .data = &w, .track = add_track, .slice = add_slice, .begin = add_begin, .end = add_end, .counter = add_counter};
    const struct xs_run *run = &e->reading->summary.run;
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":", w.file);
    xs_json_object(&w.json, NULL);
    xs_json_text(&w.json, "exported_by", "xferspy");
    text(&w, "command", run->command, strlen(run->command));
    text(&w, "host", run->host, strlen(run->host));
    xs_json_int(&w.json, "start_unix_ns", run->start_unix_ns);
    xs_json_bool(&w.json, "simulated", run->simulated);
    xs_json_end(&w.json, '}');
    fputs(",\"traceEvents\":[\n", w.file);
    int status = xs_export_timeline(e, &sink);
    fputs("]}\n", w.file);
    xs_string_free(&w.text);
    return status;
}
