/* `xferspy check --format=json`: format "xferspy-check". Keys are never changed or removed, only added;
 * docs/use/check.md lists them. */

#include "analyzer/base/json.h"
#include "analyzer/commands/check/check.h"

static void put_text(struct xs_json *json, const char *key, const char *text) {
    xs_json_text(json, key, text && *text ? text : NULL);
}

static void put_key(struct xs_json *json, const struct xs_check_finding *f) {
    xs_json_text(json, "finding", f->kind);
    put_text(json, "entry_point", f->entry_point);
    put_text(json, "function", f->function);
    put_text(json, "file", f->file);
    xs_json_known_count(json, "line", f->line > 0, f->line);
    put_text(json, "text", f->text);
    xs_json_count(json, "instances", f->instances);
    xs_json_count(json, "instances_low", f->interval[XS_METRIC_COUNT].low);
    xs_json_count(json, "instances_high", f->interval[XS_METRIC_COUNT].high);
    xs_json_count(json, "transfers", f->transfers);
    xs_json_count(json, "bytes", f->bytes);
    xs_json_count(json, "saves_ns", f->saves_ns);
    xs_json_count(json, "saves_least_ns", f->least_ns);
}

static void put_finding(struct xs_json *json, const struct xs_check *check, const struct xs_judged *judged, size_t i) {
    const struct xs_check_finding *f = &judged->findings.items[i];
    const struct xs_judged_state *state = &judged->states[i];
    const struct xs_suppression *s =
        state->suppression >= 0 ? &check->terms->config->suppressions[state->suppression] : NULL;
    XS_SCOPED_STRING path = {0};
    bool absolute;
    xs_check_path(&path, check, judged, f, &absolute);
    xs_json_object(json, NULL);
    xs_json_text(json, "name", f->name);
    put_key(json, f);
    xs_json_text(json, "path", f->is_source ? path.data : NULL);
    xs_json_bool(json, "at_most", f->at_most);
    xs_json_bool(json, "advice", f->advice);
    xs_json_bool(json, "sure", f->sure);
    xs_json_bool(json, "leads_cause", f->leads);
    xs_json_bool(json, "failing", state->failing);
    xs_json_text(json, "baseline", xs_standing_names[xs_judged_standing_by_rules(judged, check->terms, i)]);
    if (s) {
        xs_json_object(json, "suppression");
        xs_json_text(json, "origin", s->origin);
        xs_json_text(json, "reason", s->reason);
        xs_json_text(json, "until", s->until);
        xs_json_bool(json, "expired", s->expired);
        xs_json_end(json, '}');
    } else {
        xs_json_null(json, "suppression");
    }
    xs_json_end(json, '}');
}

static void put_result(struct xs_json *json, const struct xs_rule_result *r) {
    xs_json_object(json, NULL);
    xs_json_text(json, "rule", r->rule->text);
    xs_json_text(json, "status", xs_outcome_names[r->outcome]);
    xs_json_text(json, "unit", xs_metric_unit_names[r->rule->unit]);
    xs_json_known_count(json, "value", r->value_known, r->value);
    xs_json_known_count(json, "value_low", r->high > r->low, r->low);
    xs_json_known_count(json, "value_high", r->high > r->low, r->high);
    xs_json_count(json, "limit", r->limit);
    xs_json_known_count(json, "baseline", r->has_base, r->base);
    xs_json_bool(json, "at_most", r->at_most);
    xs_json_text(json, "reason", r->reason);
    xs_json_count(json, "as_in_baseline", r->accepted);
    xs_json_array(json, "findings"); /* indices of the trace's `findings` */
    for (size_t i = 0; i < r->place_count; i++)
        xs_json_count(json, NULL, r->places[i]);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

static void put_judged(struct xs_json *json, const struct xs_check *check, const struct xs_judged *judged) {
    xs_json_object(json, NULL);
    xs_json_text(json, "trace", judged->path);
    xs_json_text(json, "command", judged->command);
    xs_json_text(json, "status", xs_outcome_names[judged->outcome]);
    xs_json_count(json, "run_ns", judged->recorded.run_ns);
    xs_json_count(json, "recorded_ns", judged->recorded.ns);
    xs_json_array(json, "rules");
    for (size_t i = 0; i < judged->result_count; i++)
        put_result(json, &judged->results[i]);
    xs_json_end(json, ']');
    xs_json_array(json, "findings");
    for (size_t i = 0; i < judged->findings.count; i++)
        put_finding(json, check, judged, i);
    xs_json_end(json, ']');
    xs_json_array(json, "gone");
    for (size_t i = 0; i < judged->gone_count; i++) {
        xs_json_object(json, NULL);
        put_key(json, &judged->before->items[judged->gone[i]]);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_array(json, "expired_suppressions");
    for (size_t i = 0; i < judged->expired_count; i++)
        xs_json_text(json, NULL, check->terms->config->suppressions[judged->expired[i]].origin);
    xs_json_end(json, ']');
    xs_json_texts(json, "notes", judged->notes, judged->note_count);
    xs_json_count(json, "undecided", judged->undecided);
    xs_json_end(json, '}');
}

void xs_check_json(const struct xs_check *check, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    const struct xs_check_config *config = check->terms->config;
    xs_json_document(&json, "xferspy-check", XS_CHECK_JSON_VERSION);
    xs_json_text(&json, "status", check->outcome >= XS_OUTCOME_UNKNOWN || check->incomplete ? "fail" : "pass");
    xs_json_bool(&json, "default_rules", check->default_rules);
    xs_json_text(&json, "rules_of", config->rules_origin);
    xs_json_text(&json, "baseline", check->baseline_path);
    xs_json_number(&json, "tolerance", check->terms->tolerance);
    xs_json_array(&json, "traces");
    for (size_t i = 0; i < check->count; i++)
        put_judged(&json, check, &check->judged[i]);
    xs_json_end(&json, ']');
    xs_json_array(&json, "unread_traces");
    for (size_t i = 0; i < check->unread_count; i++)
        xs_json_text(&json, NULL, check->unread[i]);
    xs_json_end(&json, ']');
    xs_json_bool(&json, "incomplete", check->incomplete);
    xs_json_array(&json, "unused_suppressions");
    for (size_t i = 0; i < config->suppression_count; i++)
        if (!check->terms->used[i])
            xs_json_text(&json, NULL, config->suppressions[i].origin);
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
}
