/* Writes the page's section about idle time; see idle_section.h. Many rows share a place, so each place is written
 * once. */
#include "analyzer/commands/html/idle_section.h"

#include "analyzer/base/hash.h"
#include "analyzer/commands/html/sites.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/unread_words.h"
#include "analyzer/words/wait_words.h"

/* The places and lines that rows name, in the order in which they are first named. */
struct places {
    const struct xs_findings *findings;
    struct xs_idle_call items[4 * XS_HTML_IDLE_ROWS + XS_WAITS_MOST_ROWS];
    struct xs_hash numbers; /* maps site, kind, direction and kind of memory to the index of the place plus 1 */
    size_t count;
    const struct xs_frame *lines[2 * XS_HTML_IDLE_ROWS];
    size_t line_count;
};

/* Returns the index of the call's place; -1: there is no call. */
static int64_t place_of(struct places *places, struct xs_idle_call call) {
    if (!call.known)
        return -1;
    uint64_t *number = xs_hash_put(&places->numbers, call.site,
                                   call.kind | (uint64_t)call.direction << 8 | (uint64_t)call.memory_kind << 16);
    if (!*number) {
        places->items[places->count] = call;
        *number = ++places->count;
    }
    return (int64_t)*number - 1;
}

/* Returns the index of a line; -1: NULL. */
static int64_t line_of(struct places *places, const struct xs_frame *frame) {
    size_t i = 0;
    while (i < places->line_count && places->lines[i] != frame)
        i++;
    if (frame && i == places->line_count)
        places->lines[places->line_count++] = frame;
    return frame ? (int64_t)i : -1;
}

static void put_places(const struct places *places, struct xs_json *json) {
    const struct xs_findings *findings = places->findings;
    xs_json_array(json, "places");
    for (size_t i = 0; i < places->count; i++) {
        const struct xs_idle_call *call = &places->items[i];
        xs_json_object(json, NULL);
        xs_idle_kind_json(json, findings, call);
        xs_json_text(json, "entry_point", xs_site_name(findings, call->site));
        xs_html_place_json(findings->sites, xs_site_frame(findings, call->site), json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_array(json, "lines");
    for (size_t i = 0; i < places->line_count; i++) {
        xs_json_object(json, NULL);
        xs_html_place_json(findings->sites, places->lines[i], json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

/* --- devices --- */

static void put_device(const struct xs_idle *idle, const struct xs_idle_device *device, struct xs_json *json) {
    uint64_t by_reason[XS_IDLE_REASONS] = {0};
    for (size_t i = 0; i < idle->count; i++)
        if (idle->rows[i].device == device->device)
            by_reason[idle->rows[i].reason] += idle->rows[i].ns;
    xs_json_object(json, NULL);
    xs_json_int(json, "device", device->device);
    xs_json_count(json, "busy_ns", device->busy_ns);
    xs_json_count(json, "idle_ns", device->idle_ns);
    xs_json_object(json, "reasons");
    for (unsigned i = 0; i < XS_IDLE_REASONS; i++)
        xs_json_count(json, xs_idle_reason_names[i], by_reason[i]);
    xs_json_end(json, '}');
    xs_json_end(json, '}');
}

/* --- rows --- */

static const char *const row_columns[] = {
    "reason",      "device",     "ns",      "times",           "longest_ns", "longest_at_ns", "after",    "before",
    "line_before", "line_after", "sampled", "is_sampled_main", "mostly",     "within",        "launches", "apart_ns"};
enum { ROW_REASON, ROW_COLUMNS = sizeof row_columns / sizeof *row_columns };

static int64_t row_cell(const struct xs_idle_row *row, struct places *places, unsigned column) {
    const struct xs_findings *findings = places->findings;
    const int64_t cells[ROW_COLUMNS] = {row->reason,
                                        row->device,
                                        (int64_t)row->ns,
                                        (int64_t)row->count,
                                        (int64_t)row->longest_ns,
                                        row->longest_at_ns,
                                        place_of(places, row->before),
                                        place_of(places, row->after),
                                        place_of(places, row->line_before),
                                        place_of(places, row->line_after),
                                        line_of(places, xs_idle_sampled_frame(findings, row)),
                                        row->is_main,
                                        xs_idle_is_mostly(row),
                                        line_of(places, xs_idle_shared_frame(findings, row)),
                                        (int64_t)row->launches,
                                        (int64_t)xs_idle_apart_ns(row)};
    return cells[column];
}

static void put_rows(const struct xs_idle *idle, struct places *places, struct xs_json *json) {
    size_t shown = idle->count < XS_HTML_IDLE_ROWS ? idle->count : XS_HTML_IDLE_ROWS;
    uint64_t left_ns = 0;
    xs_json_object(json, "rows");
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        xs_json_array(json, row_columns[column]);
        for (size_t i = 0; i < shown; i++)
            if (column == ROW_REASON)
                xs_json_text(json, NULL, xs_idle_reason_names[idle->rows[i].reason]);
            else
                xs_json_int(json, NULL, row_cell(&idle->rows[i], places, column));
        xs_json_end(json, ']');
    }
    xs_json_end(json, '}');
    for (size_t i = shown; i < idle->count; i++)
        left_ns = xs_sum(left_ns, idle->rows[i].ns);
    xs_json_object(json, "rows_left_out");
    xs_json_count(json, "rows", idle->count - shown);
    xs_json_count(json, "ns", left_ns);
    xs_json_end(json, '}');
}

/* --- waits --- */

static void put_wait(const struct xs_diagnosis *diagnosis, const struct xs_wait_row *row, struct places *places,
                     struct xs_json *json) {
    XS_SCOPED_STRING work = {0}, why = {0}, unread = {0};
    bool pays = xs_wait_pays(row, diagnosis->replay_fit.measured_ns);
    xs_wait_say_work(&work, diagnosis->findings, row);
    xs_wait_say_why_nothing(&why, diagnosis, row);
    xs_json_object(json, NULL);
    xs_json_int(json, "place", place_of(places, row->call));
    xs_wait_numbers_json(json, row);
    xs_json_bool(json, "pays", pays);
    xs_json_text(json, "waited_for", work.data);
    xs_json_text(json, "why_nothing", pays ? NULL : why.data);
    xs_say_unread_wait(&unread, &row->unread);
    if (unread.length)
        xs_json_text(json, "unread", unread.data);
    xs_json_end(json, '}');
}

static void put_waits(const struct xs_diagnosis *diagnosis, struct places *places, struct xs_json *json) {
    const struct xs_waits_paid *waits = &diagnosis->waits;
    xs_json_bool(json, "waits_known", waits->rows != NULL);
    xs_json_array(json, "waits");
    for (size_t i = 0; i < waits->count; i++)
        put_wait(diagnosis, &waits->rows[i], places, json);
    xs_json_end(json, ']');
    xs_json_object(json, "waits_left_out");
    xs_json_count(json, "places", waits->left_out);
    xs_json_count(json, "waited_ns", waits->left_out_ns);
    xs_json_end(json, '}');
}

void xs_html_idle_json(const struct xs_diagnosis *diagnosis, struct xs_json *json) {
    const struct xs_idle *idle = &diagnosis->idle;
    struct places places = {.findings = diagnosis->findings};
    xs_json_object(json, "idle");
    xs_json_count(json, "span_ns", idle->ns);
    xs_json_count(json, "steps", diagnosis->idle_steps);
    xs_json_array(json, "devices");
    for (size_t i = 0; i < idle->device_count; i++)
        put_device(idle, &idle->devices[i], json);
    xs_json_end(json, ']');
    put_rows(idle, &places, json);
    put_waits(diagnosis, &places, json);
    put_places(&places, json);
    xs_json_end(json, '}');
    xs_hash_free(&places.numbers);
}
