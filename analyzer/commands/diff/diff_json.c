/* Writes a diff as JSON, including everything that the text leaves out. Keys are never changed or removed, only added.
 * docs/use/diff.md and docs/schema/diff.schema.json describe it. */
#include <math.h>

#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/place.h"

static void put_spread(struct xs_json *json, const char *key, const struct xs_spread *spread) {
    xs_json_object(json, key);
    xs_json_known_count(json, "median", spread->known, spread->median);
    xs_json_known_count(json, "min", spread->known, spread->least);
    xs_json_known_count(json, "max", spread->known, spread->most);
    xs_json_end(json, '}');
}

/* Writes the keys of a difference into the open object. */
static void put_difference(struct xs_json *json, const struct xs_difference *d) {
    put_spread(json, "before", &d->before);
    put_spread(json, "after", &d->after);
    xs_json_known_int(json, "delta", d->certainty != XS_NOT_KNOWN, xs_difference_delta(d));
    xs_json_text(json, "certainty", xs_certainty_names[d->certainty]);
    xs_json_number(json, "p", d->p < 0 ? NAN : d->p);
}

static void put_range(struct xs_json *json, const char *key, uint64_t least_ns, uint64_t most_ns) {
    xs_json_object(json, key);
    xs_json_count(json, "least_ns", least_ns);
    xs_json_count(json, "most_ns", most_ns);
    xs_json_end(json, '}');
}

static void put_prediction(const struct xs_diff *c, struct xs_json *json) {
    const struct xs_prediction *p = &c->prediction;
    xs_json_text(json, "run_time_metric", xs_metric_infos[xs_diff_time(c)].name);
    xs_json_known_count(json, "own_before_ns", p->own.before.known, p->own.before.median);
    xs_json_known_count(json, "own_after_ns", p->own.after.known, p->own.after.median);
    put_range(json, "predicted", p->least_ns, p->most_ns);
    put_range(json, "predicted_of_all", p->all_least_ns, p->all_most_ns);
    xs_json_text(json, "predicted_unchecked", p->unchecked);
    xs_json_known_int(json, "achieved_ns", xs_diff_wall(c)->certainty != XS_NOT_KNOWN, p->achieved_ns);
}

static void put_conclusion(const struct xs_diff *c, struct xs_json *json) {
    struct xs_string text = {0}, spread = {0}, gain = {0}, own = {0};
    const struct xs_conclusion *v = &c->conclusion;
    xs_diff_conclusion(&text, c);
    xs_diff_spread(&spread, c);
    xs_json_object(json, "conclusion");
    xs_json_text(json, "paid", xs_paid_names[v->paid]);
    xs_json_take(json, "text", &text);
    xs_json_take(json, "spread", &spread);
    xs_json_bool(json, "unprofiled", xs_diff_is_unprofiled(c));
    xs_json_bool(json, "other_programs", v->other_programs);
    xs_json_text(json, "transfer_time_metric", xs_metric_infos[v->gone_by].name);
    xs_json_int(json, "transfer_time_less_ns", v->gone_ns);
    xs_json_int(json, "bytes_less", v->bytes_less);
    xs_json_int(json, "transfers_less", v->transfers_less);
    put_prediction(c, json);
    xs_diff_gain(&gain, c, false);
    xs_diff_own(&own, c);
    xs_json_take(json, "gain_text", &gain);
    xs_json_take(json, "own_text", &own);
    xs_json_end(json, '}');
}

static void put_run(const struct xs_side_run *run, struct xs_json *json) {
    xs_json_object(json, NULL);
    xs_json_text(json, "trace", run->path);
    xs_json_text(json, "command", run->command);
    xs_json_text(json, "executable", run->executable);
    xs_json_text(json, "host", run->host);
    xs_json_text(json, "devices", run->devices);
    xs_json_int(json, "start_unix_ns", run->start_unix_ns);
    xs_json_known_count(json, "duration_ns", run->duration_known, run->metrics.of[XS_METRIC_WALL_TIME].value);
    xs_json_count(json, "transfers", run->transfers);
    xs_json_text(json, "status", run->status);
    xs_json_bool(json, "simulated", run->simulated);
    xs_json_text(json, "fingerprint_mode", run->fingerprint_mode);
    xs_json_text(json, "captured_by_version", run->xferspy_version);
    xs_json_end(json, '}');
}

static void put_side(const char *key, const struct xs_side *side, struct xs_json *json) {
    xs_json_array(json, key);
    for (size_t r = 0; r < side->run_count; r++)
        put_run(&side->runs[r], json);
    xs_json_end(json, ']');
}

static void put_metrics(const struct xs_diff *c, struct xs_json *json) {
    xs_json_array(json, "metrics");
    for (int m = 0; m < XS_METRICS; m++) {
        xs_json_object(json, NULL);
        xs_json_text(json, "name", xs_metric_infos[m].name);
        xs_json_text(json, "title", xs_metric_infos[m].title);
        xs_json_text(json, "unit", xs_metric_unit_names[xs_metric_infos[m].unit]);
        put_difference(json, &c->metrics[m]);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_place(const char *key, const struct xs_side *side, uint32_t index, struct xs_json *json) {
    if (index == XS_UNMATCHED) {
        xs_json_null(json, key);
        return;
    }
    const struct xs_side_place *place = &side->places[index];
    struct xs_string text = {0};
    xs_json_object(json, key);
    xs_json_text(json, "entry_point", place->match.entry_point);
    if (place->has_frame) {
        const struct xs_frame frame = xs_side_frame(place);
        xs_json_object(json, "call_site");
        xs_place_json(json, &frame);
        xs_place_through_json(json, &frame);
        xs_json_end(json, '}');
    } else {
        xs_json_null(json, "call_site");
    }
    xs_diff_side_place(&text, side, index, false);
    xs_json_take(json, "place", &text);
    xs_json_text(json, "source", place->match.text);
    xs_json_end(json, '}');
}

static void put_change(const struct xs_change *change, struct xs_json *json) {
    xs_json_text(json, "change", xs_change_names[change->kind]);
    xs_json_text(json, "decided_by", xs_measure_names[change->decided_by]);
    xs_json_bool(json, "small", change->small);
    xs_json_text(json, "matched_by", xs_match_names[change->how]);
    for (int m = 0; m < XS_MEASURES; m++) {
        xs_json_object(json, xs_measure_names[m]);
        put_difference(json, &change->of[m]);
        xs_json_end(json, '}');
    }
}

static void put_findings(const struct xs_diff *c, size_t limit, struct xs_json *json) {
    xs_json_count(json, "finding_count", c->finding_count);
    xs_json_array(json, "findings");
    for (size_t i = 0; i < c->finding_count && i < limit; i++) {
        const struct xs_change *change = &c->findings[i];
        const struct xs_side_finding *finding = xs_diff_finding(c, change);
        struct xs_string kind = {0};
        uint32_t before, after;
        xs_diff_finding_places(c, change, &before, &after);
        xs_diff_finding_kind(&kind, c, change);
        xs_json_object(json, NULL);
        xs_json_take(json, "kind", &kind);
        xs_json_text(json, "title", xs_detectors[finding->detector]->title);
        xs_json_text(json, "name_before",
                     change->before != XS_UNMATCHED ? c->before->findings[change->before].name : NULL);
        xs_json_text(json, "name_after", change->after != XS_UNMATCHED ? c->after->findings[change->after].name : NULL);
        xs_json_bool(json, "advice", finding->advice);
        xs_json_bool(json, "is_estimate", xs_diff_about(c, change));
        put_place("site_before", c->before, before, json);
        put_place("site_after", c->after, after, json);
        put_change(change, json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_sites(const struct xs_diff *c, size_t limit, struct xs_json *json) {
    xs_json_count(json, "call_site_count", c->site_count);
    xs_json_array(json, "call_sites");
    for (size_t i = 0; i < c->site_count && i < limit; i++) {
        xs_json_object(json, NULL);
        put_place("site_before", c->before, c->sites[i].before, json);
        put_place("site_after", c->after, c->sites[i].after, json);
        put_change(&c->sites[i], json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

void xs_diff_json(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_json *json) {
    size_t limit = view->top ? view->top : SIZE_MAX;
    xs_json_document(json, "xferspy-diff", XS_DIFF_JSON_VERSION);
    put_conclusion(c, json);
    xs_json_texts(json, "notes", c->notes, c->note_count);
    put_side("before", c->before, json);
    put_side("after", c->after, json);
    put_metrics(c, json);
    put_findings(c, limit, json);
    put_sites(c, limit, json);
    xs_json_end(json, '}');
}
