/* Writes speedscope's file format: call stacks of transfers, outermost frame first, with three weights: device time,
 * bytes, and the time that findings save. The innermost frames are the driver's function and the kind of copy. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/json.h"
#include "analyzer/commands/export/export.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"
enum weight { WEIGHT_DEVICE_NS, WEIGHT_BYTES, WEIGHT_REMOVABLE_NS, WEIGHTS };
static const struct {
    const char *name, *unit;
} weights[WEIGHTS] = {{"device time", "nanoseconds"}, {"bytes", "bytes"}, {"saved time", "nanoseconds"}};

/* Transfers with one stack, entry point and kind. */
struct group {
    int64_t stack, entry;
    unsigned direction, src_kind, dst_kind;
    uint64_t of[WEIGHTS];
};

struct writer {
    const struct xs_export *e;
    struct xs_json json;
    struct group *groups;
    size_t count, capacity;
    struct xs_hash by_key;
    struct xs_hash frames; /* two hashes of a frame's texts to its number + 1 */
    size_t frame_count;
    uint32_t *samples; /* numbers of frames, one group after the other */
    size_t *sample_ends, sample_count, sample_capacity;
    struct xs_string text;
};

/* --- adding up --- */

enum { STACK, ENTRY, DIRECTION, SRC_KIND, DST_KIND, ID, BYTES, DEVICE_NS };

static unsigned kind_of(sqlite3_stmt *row, int column, unsigned limit) {
    int64_t kind = sqlite3_column_int64(row, column);
    return kind > 0 && kind < limit ? (unsigned)kind : 0;
}

static struct group *group_of(struct writer *w, sqlite3_stmt *row) {
    struct group group = {.stack = sqlite3_column_int64(row, STACK),
                          .entry = sqlite3_column_int64(row, ENTRY),
                          .direction = kind_of(row, DIRECTION, XS_DIRECTION_COUNT),
                          .src_kind = kind_of(row, SRC_KIND, XS_MEMORY_KIND_COUNT),
                          .dst_kind = kind_of(row, DST_KIND, XS_MEMORY_KIND_COUNT)};
    uint64_t kinds = group.direction | group.src_kind << 8 | group.dst_kind << 16;
    uint64_t *known = xs_hash_put(&w->by_key, (uint64_t)group.stack, (uint64_t)group.entry << 24 | kinds);
    if (!*known) {
        xs_grow(&w->groups, w->count, &w->capacity, sizeof *w->groups);
        w->groups[w->count] = group;
        *known = ++w->count;
    }
    return &w->groups[*known - 1];
}

static void add(uint64_t *sum, int64_t value) { *sum = xs_sum(*sum, value > 0 ? (uint64_t)value : 0); }

/* Adds up the transfers. The first copy of a batch call has the device time of all its copies, which have the same
 * stack. */
static int add_up(struct writer *w) {
    static const char sql[] =
        "SELECT t.stack, t.entry_point, t.direction, t.src_kind, t.dst_kind, t.id, t.bytes,"
        " CASE WHEN coalesce(t.batch_index, 0) = 0 THEN c.device_ns END FROM transfer t"
        " LEFT JOIN (SELECT correlation, CAST(total(end_ns - start_ns) AS INTEGER) AS device_ns FROM device_copy"
        " WHERE graph_node IS NULL AND end_ns >= start_ns GROUP BY correlation) c ON c.correlation = t.correlation "
        "WHERE " XS_RAN;
    struct xs_sites *sites = w->e->reading->diagnosis->findings->sites;
    sqlite3_stmt *row;
    int code = SQLITE_OK, status = xs_export_prepare(w->e, sql, &row);
    if (status < 0)
        return status;
    while (xs_export_step(row, &code)) {
        struct group *group = group_of(w, row);
        struct xs_marked marked = {0};
        xs_marks_of(w->e->marks, XS_EVIDENCE_TRANSFER, sqlite3_column_int64(row, ID),
                    xs_site_of(sites, group->entry, group->stack), &marked);
        add(&group->of[WEIGHT_BYTES], sqlite3_column_int64(row, BYTES));
        add(&group->of[WEIGHT_DEVICE_NS], sqlite3_column_int64(row, DEVICE_NS));
        add(&group->of[WEIGHT_REMOVABLE_NS], marked.saves_ns > INT64_MAX ? INT64_MAX : (int64_t)marked.saves_ns);
    }
    return xs_export_finish(w->e, row, code);
}

/* --- frames --- */

static void put_text(struct writer *w, const char *key, const char *value) {
    w->text.length = 0;
    xs_export_utf8(&w->text, value, strlen(value));
    xs_json_text_bytes(&w->json, key, w->text.data, w->text.length);
}

static uint64_t hash_of(const char *text, uint64_t seed) {
    uint64_t hash = seed;
    for (const char *c = text ? text : ""; *c; c++)
        hash = xs_mix(hash + (unsigned char)*c);
    return xs_mix(hash + 0x100);
}

/* Adds a frame to the present stack, and to the file's list if it is new. */
static void put_frame(struct writer *w, const char *name, const char *file, uint32_t line) {
    uint64_t low = hash_of(file, hash_of(name, line)), high = hash_of(name, hash_of(file, line + 1));
    uint64_t *known = xs_hash_put(&w->frames, low, high);
    if (!*known) {
        *known = ++w->frame_count;
        xs_json_object(&w->json, NULL);
        put_text(w, "name", name);
        if (file)
            put_text(w, "file", file);
        if (line)
            xs_json_int(&w->json, "line", line);
        xs_json_end(&w->json, '}');
    }
    xs_grow(&w->samples, w->sample_count, &w->sample_capacity, sizeof *w->samples);
    w->samples[w->sample_count++] = (uint32_t)(*known - 1);
}

static void put_call_frame(struct writer *w, const struct xs_frame *frame) {
    const char *file = frame->file ? frame->file : frame->module;
    XS_SCOPED_STRING name = {0};
    if (frame->function)
        xs_string_format(&name, "%s", frame->function);
    else
        xs_string_format(&name, "0x%llx", (unsigned long long)frame->address);
    put_frame(w, name.data, file, frame->file ? frame->line : 0);
}

static void put_stack(struct writer *w, const struct group *group) {
    struct xs_sites *sites = w->e->reading->diagnosis->findings->sites;
    size_t count = 0;
    const struct xs_frame *frames =
        sites->callsites ? xs_callsites_frames(sites->callsites, group->stack, &count) : NULL;
    XS_SCOPED_STRING what = {0};
    if (!count)
        put_frame(w, "(no call stack recorded)", NULL, 0);
    for (size_t i = count; i-- > 0;)
        put_call_frame(w, &frames[i]);
    put_frame(w, xs_site_entry(sites, xs_site_of(sites, group->entry, 0))->name, NULL, 0);
    xs_string_format(&what, "%s, %s to %s", xs_direction_names[group->direction], xs_memory_kind_names[group->src_kind],
                     xs_memory_kind_names[group->dst_kind]);
    put_frame(w, what.data, NULL, 0);
}

static void put_frames(struct writer *w) {
    w->sample_ends = xs_realloc(NULL, (w->count + 1) * sizeof *w->sample_ends);
    xs_json_object(&w->json, "shared");
    xs_json_array(&w->json, "frames");
    for (size_t i = 0; i < w->count; i++) {
        put_stack(w, &w->groups[i]);
        w->sample_ends[i] = w->sample_count;
    }
    xs_json_end(&w->json, ']');
    xs_json_end(&w->json, '}');
}

/* --- profiles --- */

static void put_profile(struct writer *w, enum weight weight) {
    uint64_t total = 0;
    for (size_t i = 0; i < w->count; i++)
        add(&total, w->groups[i].of[weight] > INT64_MAX ? INT64_MAX : (int64_t)w->groups[i].of[weight]);
    xs_json_object(&w->json, NULL);
    xs_json_text(&w->json, "type", "sampled");
    const char *modelled = weight != WEIGHT_BYTES && w->e->reading->trace.windows ? " (partly modelled)" : "";
    XS_SCOPED_STRING name = {0};
    xs_string_format(&name, "%s%s", weights[weight].name, modelled);
    xs_json_text(&w->json, "name", name.data);
    xs_json_text(&w->json, "unit", weights[weight].unit);
    xs_json_int(&w->json, "startValue", 0);
    xs_json_count(&w->json, "endValue", total);
    xs_json_array(&w->json, "samples");
    for (size_t i = 0; i < w->count; i++) {
        if (!w->groups[i].of[weight])
            continue;
        xs_json_array(&w->json, NULL);
        for (size_t s = i ? w->sample_ends[i - 1] : 0; s < w->sample_ends[i]; s++)
            xs_json_int(&w->json, NULL, w->samples[s]);
        xs_json_end(&w->json, ']');
    }
    xs_json_end(&w->json, ']');
    xs_json_array(&w->json, "weights");
    for (size_t i = 0; i < w->count; i++)
        if (w->groups[i].of[weight])
            xs_json_count(&w->json, NULL, w->groups[i].of[weight]);
    xs_json_end(&w->json, ']');
    xs_json_end(&w->json, '}');
}

int xs_export_speedscope(const struct xs_export *e) {
    struct writer w = {.e = e, .json = {.file = e->out->file, .compact = true}};
    const struct xs_run *run = &e->reading->summary.run;
    int status = add_up(&w);
    if (status >= 0) {
        XS_SCOPED_STRING name = {0};
        xs_string_format(&name, "%s%s", run->command, run->simulated ? " (SIMULATED GPU)" : "");
        xs_json_object(&w.json, NULL);
        xs_json_text(&w.json, "$schema", SCHEMA);
        xs_json_text(&w.json, "exporter", "xferspy");
        put_text(&w, "name", name.data);
        xs_json_int(&w.json, "activeProfileIndex", 0);
        put_frames(&w);
        xs_json_array(&w.json, "profiles");
        for (unsigned i = 0; i < WEIGHTS; i++)
            put_profile(&w, (enum weight)i);
        xs_json_end(&w.json, ']');
        xs_json_end(&w.json, '}');
    }
    free(w.groups);
    free(w.samples);
    free(w.sample_ends);
    xs_hash_free(&w.by_key);
    xs_hash_free(&w.frames);
    xs_string_free(&w.text);
    return status;
}
