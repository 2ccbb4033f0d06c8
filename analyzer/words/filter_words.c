/* Writes the filter, and how much of the trace passed it, in words and as JSON; see findings_words.h. */
#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/words/findings_words.h"

void xs_filter_amounts(struct xs_string *text, bool all_rows, uint64_t transfers, uint64_t passing, uint64_t left_out) {
    if (!all_rows)
        xs_string_format(text, ": %s of %s transfers pass", XS_COUNT_TEXT(passing), XS_COUNT_TEXT(transfers));
    xs_string_format(text, "%s %s instance%s of %sfindings left out.", all_rows ? ":" : ",", XS_COUNT_TEXT(left_out),
                     left_out == 1 ? "" : "s", all_rows ? "other " : "");
}

void xs_filter_sentence(struct xs_string *text, const struct xs_findings *findings) {
    const struct xs_selection *s = findings->selection;
    if (!s)
        return;
    xs_filter_text(text, s->filter);
    xs_filter_amounts(text, s->all_rows, s->transfers, s->passing, s->left_out);
}

static void put_words(struct xs_json *json, const char *key, const struct xs_filter_words *words) {
    xs_json_texts(json, key, words->items, words->count);
}

static void put_finding(struct xs_json *json, const struct xs_filter *filter) {
    XS_SCOPED_STRING name = {0};
    if (filter->detector) {
        const struct xs_detector *detector = xs_detectors[filter->detector - 1];
        xs_string_format(&name, "%s", detector->id);
        if (filter->verdict)
            xs_string_format(&name, "/%s", detector->verdicts[filter->verdict - 1].name);
    }
    xs_json_text(json, "finding", name.data);
}

void xs_filter_json(const struct xs_findings *findings, struct xs_json *json) {
    const struct xs_selection *s = findings->selection;
    if (!s) {
        xs_json_null(json, "filter");
        return;
    }
    const struct xs_filter *f = s->filter;
    XS_SCOPED_STRING text = {0};
    xs_filter_text(&text, f);
    xs_json_object(json, "filter");
    xs_json_text(json, "text", text.data);
    /* shares of the run and steps are converted to times */
    bool by_steps = xs_filter_chooses_steps(f);
    xs_json_known_int(json, "since_ns", f->since.given || by_steps, s->since_ns);
    xs_json_known_int(json, "until_ns", (f->until.given || by_steps) && s->until_ns != INT64_MAX, s->until_ns);
    xs_json_known_count(json, "skip_steps", f->skip_steps != 0, f->skip_steps);
    xs_json_known_count(json, "steps", f->steps != 0, f->steps);
    xs_json_array(json, "directions");
    for (unsigned i = 1; i < XS_DIRECTION_COUNT; i++)
        if (f->directions >> i & 1)
            xs_json_text(json, NULL, xs_direction_names[i]);
    xs_json_end(json, ']');
    xs_json_known_count(json, "min_bytes", f->has_min_bytes, f->min_bytes);
    xs_json_known_count(json, "max_bytes", f->has_max_bytes, f->max_bytes);
    put_words(json, "streams", &f->streams);
    put_words(json, "devices", &f->devices);
    put_words(json, "threads", &f->threads);
    put_words(json, "sites", &f->sites);
    put_words(json, "nvtx_ranges", &f->ranges);
    put_finding(json, f);
    xs_json_count(json, "transfers", s->transfers);
    xs_json_count(json, "transfers_passing", s->passing);
    xs_json_count(json, "instances_left_out", s->left_out);
    xs_json_end(json, '}');
}
