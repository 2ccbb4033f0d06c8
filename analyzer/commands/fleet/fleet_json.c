/* Prints the answer of `xferspy fleet` as JSON (docs/schema/fleet.schema.json) and as CSV. */
#include <inttypes.h>

#include "analyzer/base/csv.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/fleet/fleet.h"

/* --- JSON --- */

static void put_day(struct xs_json *json, const char *key, int64_t us) {
    char text[24];
    xs_fleet_day_text(text, us);
    xs_json_text(json, key, *text ? text : NULL);
}

static void put_days(struct xs_json *json, const struct xs_fleet_row *row) {
    xs_json_array(json, "days");
    for (size_t i = 0; i < row->day_count; i++) {
        const struct xs_fleet_day *day = &row->days[i];
        xs_json_object(json, NULL);
        put_day(json, "day", day->day * XS_DAY_US);
        xs_json_count(json, "runs", day->runs);
        xs_json_count(json, "gpu_ns", day->gpu_ns);
        xs_json_count(json, "wasted_ns", day->wasted_ns);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static const char *change_of(const struct xs_fleet_row *row) {
    return row->is_new ? "new" : row->is_gone ? "gone" : NULL;
}

static void put_row(struct xs_json *json, const struct xs_fleet *fleet, const struct xs_fleet_row *row) {
    const struct xs_fleet_question *q = fleet->question;
    xs_json_object(json, NULL);
    if (q->by == XS_FLEET_BY_PLACE) {
        xs_json_text(json, "program", row->program);
        xs_json_text(json, "place", row->place);
        xs_json_text(json, "finding", row->finding);
    } else {
        xs_json_text(json, "name", row->name);
    }
    xs_json_count(json, "runs", row->runs);
    if (q->by == XS_FLEET_BY_PLACE || q->by == XS_FLEET_BY_FINDING)
        xs_json_count(json, "instances", row->instances);
    xs_json_count(json, "gpu_ns", row->gpu_ns);
    xs_json_count(json, "wasted_ns", row->wasted_ns);
    xs_json_count(json, "least_wasted_ns", row->least_wasted_ns);
    put_day(json, "first_day", row->first_us);
    put_day(json, "last_day", row->last_us);
    xs_json_text(json, "first_commit", row->first_commit);
    if (q->changed_us != INT64_MIN) {
        xs_json_text(json, "change", change_of(row));
        xs_json_text(json, "changed_commit", row->changed_commit);
        xs_json_count(json, "runs_before", row->before_runs);
        xs_json_count(json, "wasted_before_ns", row->before_ns);
    }
    put_days(json, row);
    xs_json_end(json, '}');
}

void xs_fleet_json(const struct xs_fleet *fleet, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    size_t top = fleet->question->top;
    xs_json_document(&json, "xferspy-fleet", XS_FLEET_JSON_VERSION);
    xs_json_text(&json, "by", xs_fleet_by_header(fleet->question));
    xs_json_count(&json, "runs", fleet->counted);
    xs_json_count(&json, "programs", fleet->programs.count);
    xs_json_count(&json, "hosts", fleet->hosts.count);
    xs_json_count(&json, "gpu_ns", fleet->gpu_ns);
    xs_json_count(&json, "wasted_ns", fleet->wasted_ns);
    xs_json_count(&json, "least_wasted_ns", fleet->least_wasted_ns);
    put_day(&json, "first_day", fleet->counted ? fleet->first_us : INT64_MIN);
    put_day(&json, "last_day", fleet->counted ? fleet->last_us : INT64_MIN);
    xs_json_count(&json, "left_out_runs", fleet->left_out);
    xs_json_count(&json, "repeated_runs", fleet->repeated);
    xs_json_count(&json, "findings_without_run", fleet->without_run);
    xs_json_count(&json, "unreadable_files", fleet->unreadable);
    xs_json_count(&json, "row_count", fleet->row_count);
    xs_json_array(&json, "rows");
    for (size_t i = 0; i < fleet->row_count && i < top; i++)
        put_row(&json, fleet, fleet->rows[i]);
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
}

/* --- CSV --- */

static void put_field(struct xs_out *out, const char *text, bool is_first) {
    XS_SCOPED char *escaped = xs_text_escaped(text);
    if (!is_first)
        fputc(',', out->file);
    xs_csv_field(out->file, escaped, false);
}

void xs_fleet_csv(const struct xs_fleet *fleet, struct xs_out *out) {
    const struct xs_fleet_question *q = fleet->question;
    fprintf(out->file,
            "%s,runs,gpu_ns,wasted_ns,least_wasted_ns,first_day,last_day,first_commit,change,changed_commit\r\n",
            q->by == XS_FLEET_BY_PLACE ? "program,place,finding" : "name");
    for (size_t i = 0; i < fleet->row_count && i < q->top; i++) {
        const struct xs_fleet_row *row = fleet->rows[i];
        char first[24], last[24];
        xs_fleet_day_text(first, row->first_us);
        xs_fleet_day_text(last, row->last_us);
        put_field(out, q->by == XS_FLEET_BY_PLACE ? row->program : row->name, true);
        if (q->by == XS_FLEET_BY_PLACE) {
            put_field(out, row->place, false);
            put_field(out, row->finding, false);
        }
        fprintf(out->file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%s", row->runs, row->gpu_ns,
                row->wasted_ns, row->least_wasted_ns, first, last);
        put_field(out, row->first_commit, false);
        put_field(out, change_of(row), false);
        put_field(out, row->changed_commit, false);
        fputs("\r\n", out->file);
    }
}
