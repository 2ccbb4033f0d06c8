/* Writes trials as JSON. The file in the folder of the trace has the same format, which docs/schema/try.schema.json
 * describes. */
#include "analyzer/commands/try/try.h"
#include "analyzer/words/findings_words.h"

static void put_log(struct xs_json *json, const struct xs_repair_log *log) {
    if (!log->runs) {
        xs_json_null(json, "applied");
        return;
    }
    xs_json_object(json, "applied");
    xs_json_count(json, "times", log->applied);
    xs_json_count(json, "bytes", log->bytes);
    xs_json_text(json, "refused", log->refused.length ? log->refused.data : NULL);
    xs_json_end(json, '}');
}

static void put_measured(struct xs_json *json, const struct xs_tried_runs *o) {
    xs_json_text(json, "result", o ? xs_bench_result_names[o->report.pair.result] : NULL);
    if (!o) {
        xs_json_null(json, "measured");
        return;
    }
    xs_json_object(json, "measured");
    xs_json_text(json, "time", o->report.pair.by_loop ? "loop" : "wall");
    xs_bench_time_json(json, "wall", &o->report.pair.wall);
    xs_bench_time_json(json, "loop", &o->report.pair.loop);
    xs_bench_output_json(json, &o->report);
    xs_json_texts(json, "notes", o->report.notes, o->report.note_count);
    xs_json_count(json, "rounds", o->bench.rounds);
    xs_json_end(json, '}');
}

static void put_left_out(struct xs_json *json, const struct xs_trial *trial) {
    xs_json_array(json, "left_out");
    for (unsigned i = 0; i < trial->left_out_count; i++) {
        xs_json_object(json, NULL);
        xs_json_text(json, "verdict", trial->left_out[i].verdict);
        xs_json_count(json, "instances", trial->left_out[i].instances);
        xs_json_text(json, "why", trial->left_out[i].why);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_trial(struct xs_json *json, const char *key, const struct xs_try *t, size_t i) {
    const struct xs_trial *trial = &t->trials->items[i];
    struct xs_string repairs = {0}, text = {0};
    xs_trial_repairs(&repairs, trial);
    xs_try_measured(&text, t, i);
    xs_json_object(json, key);
    xs_json_known_count(json, "cause", trial->number > 0, trial->number);
    xs_json_text(json, "finding", trial->number ? trial->name : NULL);
    xs_json_text(json, "place", trial->place);
    xs_json_text(json, "state", xs_trial_state_names[trial->state]);
    xs_json_text(json, "why", trial->why);
    xs_json_take(json, "text", &text);
    xs_json_take(json, "repairs", &repairs);
    xs_json_count(json, "planned", trial->planned);
    xs_json_count(json, "of", trial->of);
    put_left_out(json, trial);
    xs_saving_json(json, "predicted", xs_trial_predicted(trial));
    put_log(json, &t->attempts[i].logged);
    put_measured(json, trial->state == XS_TRIAL_MEASURED ? t->attempts[i].outcome : NULL);
    xs_json_end(json, '}');
}

void xs_try_json(const struct xs_try *t, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    xs_json_document(&json, XS_TRY_FORMAT, XS_TRY_JSON_VERSION);
    xs_json_text(&json, "trace", t->reading->trace.path);
    xs_json_text(&json, "identity", t->identity);
    xs_json_bool(&json, "simulated", t->reading->summary.run.simulated);
    xs_json_array(&json, "command");
    for (char *const *word = t->program->argv; *word; word++)
        xs_json_text(&json, NULL, *word);
    xs_json_end(&json, ']');
    xs_json_array(&json, "causes");
    for (size_t i = 0; i + 1 < t->trials->count; i++)
        put_trial(&json, NULL, t, i);
    xs_json_end(&json, ']');
    xs_json_count(&json, "report_causes", t->trials->report_causes);
    if (t->sum < t->trials->count)
        put_trial(&json, "together", t, t->sum);
    else
        xs_json_null(&json, "together");
    xs_bench_demands_json(&json, t->failed, &t->arguments->demands);
    xs_json_text(&json, "ended", xs_bench_end_names[t->end]);
    xs_json_count(&json, "rounds", t->bench.rounds);
    xs_json_count(&json, "warm_up", t->arguments->terms.warm_up);
    xs_json_end(&json, '}');
}
