/* Writes the timeline as JSON: one array per column, because a trace has many segments. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/html/timeline_lanes.h"
#include "analyzer/totals/timeline/timeline.h"
#include "analyzer/trace/scan.h"

static int by_start(const void *a, const void *b) {
    const struct xs_html_segment *x = a, *y = b;
    return xs_compare(x->start_ns, y->start_ns) ?: xs_compare(x->number, y->number);
}

static int by_place(const void *a, const void *b) {
    const struct xs_html_lane *x = a, *y = b;
    return xs_compare(x->group, y->group) ?: xs_compare(x->others, y->others) ?: xs_compare(x->key[0], y->key[0])
        ?: xs_compare(x->key[1], y->key[1]) ?: xs_compare(x->key[2], y->key[2]);
}

static int put_thread_name(int64_t id, const struct xs_trace *trace, struct xs_json *json, char *message) {
    struct xs_timeline_thread thread;
    int status = xs_timeline_thread(trace, id, &thread, message);
    if (thread.known)
        xs_json_int(json, "tid", thread.tid);
    if (thread.name)
        xs_json_text(json, "name", thread.name);
    free(thread.name);
    return status;
}

static int put_stream_handle(int64_t id, const struct xs_trace *trace, struct xs_json *json, char *message) {
    struct xs_scan scan;
    char handle[24];
    xs_scan_format(&scan, trace, message, NULL, "SELECT handle FROM stream WHERE id = %" PRId64, id);
    if (xs_scan_row(&scan)) {
        snprintf(handle, sizeof handle, "0x%" PRIx64, (uint64_t)xs_scan_int(&scan, 0));
        xs_json_text(json, "handle", handle);
    }
    return xs_scan_end(&scan);
}

enum { MODELLED = 8, COLUMNS }; /* MODELLED is written only if device times were recorded in windows */
static const char *const columns[COLUMNS] = {"kind",  "start", "length", "count",   "busy",
                                             "bytes", "what",  "row",    "modelled"};

/* Returns a value of a segment. A start is the difference to the previous start. `busy` of a single call is its length,
 * and is therefore written as 0. `modelled` says how many of the `count` calls are modelled. */
static int64_t cell(const struct xs_html_segment *s, int64_t previous_ns, unsigned column) {
    bool single = s->count == 1;
    int64_t start = (int64_t)((uint64_t)s->start_ns - (uint64_t)previous_ns);
    int64_t length = (int64_t)((uint64_t)s->end_ns - (uint64_t)s->start_ns);
    const int64_t cells[COLUMNS] = {s->kind,
                                    start,
                                    length,
                                    s->count,
                                    single ? 0 : (int64_t)s->busy_ns,
                                    (int64_t)s->bytes,
                                    s->what,
                                    single ? s->row : 0,
                                    s->modelled};
    return cells[column];
}

static int put_lane(struct xs_html_lane *lane, const struct xs_trace *trace, struct xs_json *json, char *message) {
    static const char *const groups[] = {"thread", "stream", "engine"};
    xs_json_object(json, NULL);
    xs_json_text(json, "group", groups[lane->group]);
    xs_json_bool(json, "others", lane->others);
    if (!lane->others) {
        xs_json_int(json, lane->group == XS_HTML_THREADS ? "thread" : "device", lane->key[0]);
        if (lane->group == XS_HTML_STREAMS) {
            xs_json_int(json, "context", lane->key[1]);
            xs_json_int(json, "queue", lane->key[2]);
        }
        if (lane->group == XS_HTML_ENGINES)
            xs_json_int(json, "work", lane->key[1]);
    }
    int status = XS_OK;
    if (lane->group == XS_HTML_THREADS && !lane->others)
        status = put_thread_name(lane->key[0], trace, json, message);
    else if (lane->stream && !lane->others)
        status = put_stream_handle(lane->stream, trace, json, message);
    for (unsigned c = 0; c < (trace->windows ? COLUMNS : MODELLED); c++) {
        int64_t previous_ns = 0;
        xs_json_array(json, columns[c]);
        for (size_t i = 0; i < lane->count; i++) {
            xs_json_int(json, NULL, cell(&lane->items[i], previous_ns, c));
            previous_ns = lane->items[i].start_ns;
        }
        xs_json_end(json, ']');
    }
    xs_json_end(json, '}');
    return status;
}

struct marked {
    uint32_t finding, place;
    uint64_t count;
};

static int by_finding(const void *a, const void *b) {
    const struct marked *x = a, *y = b;
    return xs_compare(x->finding, y->finding) ?: xs_compare(x->place, y->place);
}

/* Writes the segments of each finding, and for each segment how many of its calls are marked for the finding. Segments
 * are numbered through all lanes; each number is written as the difference to the previous one. */
static void put_marked(const struct xs_html_lanes *lanes, const char *key, const struct xs_hash *marks, size_t findings,
                       struct xs_json *json) {
    uint32_t place = 0;
    XS_SCOPED uint32_t *places = xs_realloc(NULL, ((size_t)lanes->segments + 1) * sizeof *places);
    XS_SCOPED struct marked *all = xs_realloc(NULL, (marks->count + 1) * sizeof *all);
    size_t count = 0, next = 0;
    for (size_t i = 0; i < lanes->count; i++)
        for (size_t k = 0; k < lanes->lanes[i].count; k++)
            places[lanes->lanes[i].items[k].number] = place++;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(marks, entry));)
        all[count++] = (struct marked){(uint32_t)entry->high, places[entry->low], entry->value};
    xs_sort(all, count, sizeof *all, by_finding);
    xs_json_array(json, key);
    for (size_t finding = 0; finding < findings; finding++) {
        uint32_t previous = 0;
        xs_json_array(json, NULL);
        for (; next < count && all[next].finding == finding; next++) {
            xs_json_count(json, NULL, all[next].place - previous);
            xs_json_count(json, NULL, all[next].count);
            previous = all[next].place;
        }
        xs_json_end(json, ']');
    }
    xs_json_end(json, ']');
}

int xs_html_lanes_json(struct xs_html_lanes *lanes, const struct xs_trace *trace, size_t findings, struct xs_json *json,
                       char *message) {
    int status = XS_OK;
    xs_sort(lanes->lanes, lanes->count, sizeof *lanes->lanes, by_place);
    xs_json_object(json, "timeline");
    xs_json_int(json, "first_ns", lanes->first_ns);
    xs_json_int(json, "last_ns", lanes->last_ns);
    xs_json_int(json, "step_ns", lanes->step_ns);
    xs_json_texts(json, "kernels", lanes->kernels, lanes->kernel_count);
    xs_json_array(json, "lanes");
    for (size_t i = 0; i < lanes->count && status >= 0; i++) {
        struct xs_html_lane *lane = &lanes->lanes[i];
        xs_sort(lane->items, lane->count, sizeof *lane->items, by_start);
        status = put_lane(lane, trace, json, message);
    }
    xs_json_end(json, ']');
    put_marked(lanes, "marked", &lanes->marked, findings, json);
    put_marked(lanes, "unchecked", &lanes->unchecked, findings, json);
    xs_json_end(json, '}');
    return status;
}
