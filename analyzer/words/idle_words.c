/* Idle time and waits in words and as JSON; see idle_words.h. */
#include "analyzer/words/idle_words.h"

#include <stdlib.h>

#include "analyzer/trace/kind_words.h"
#include "analyzer/words/place.h"
#include "schema/format/kinds.h"

const char *const xs_idle_reason_names[XS_IDLE_REASONS] = {"start", "call", "host", "launching", "queued", "end"};

static const char *call_word(unsigned kind, unsigned direction) {
    static const char *const words[] = {[XS_MODEL_TRANSFER] = "the copy",
                                        [XS_MODEL_MEMSET] = "the memset",
                                        [XS_MODEL_ALLOCATION] = "the allocation",
                                        [XS_MODEL_FREE] = "the free",
                                        [XS_MODEL_LAUNCH] = "the launch",
                                        [XS_MODEL_SYNC] = "the wait",
                                        [XS_MODEL_RECORD] = "the recording of an event",
                                        [XS_MODEL_WAIT_EVENT] = "the wait for an event",
                                        [XS_MODEL_OTHER] = "the call"};
    if (kind == XS_MODEL_TRANSFER && direction == XS_DIR_H2D)
        return "the upload";
    if (kind == XS_MODEL_TRANSFER && direction == XS_DIR_D2H)
        return "the download";
    return words[kind < sizeof words / sizeof *words ? kind : XS_MODEL_OTHER];
}

static void say_call(struct xs_string *text, const struct xs_findings *findings, unsigned kind, unsigned direction,
                     uint32_t site) {
    const struct xs_frame *frame = xs_site_frame(findings, site);
    xs_string_format(text, "%s ", call_word(kind, direction));
    if (frame)
        xs_place_at(text, findings->sites, frame);
    else
        xs_string_format(text, "(%s)", xs_site_name(findings, site));
}

static void say_of(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_call *call) {
    say_call(text, findings, call->kind, call->direction, call->site);
}

static const struct xs_frame *sampled_frame(const struct xs_findings *findings, const struct xs_idle_row *row) {
    return row->place ? xs_callsites_place_frame(findings->sites->callsites, row->place) : NULL;
}

/* Writes "ema.py:23 in step (`weight.mul_(decay)`)". */
static void say_sampled(struct xs_string *text, const struct xs_findings *findings, const struct xs_frame *frame) {
    enum { SOURCE_COLUMNS = 60 };
    char *line = xs_place_source(findings->sites, frame);
    xs_place_text(text, findings->sites, frame);
    if (line) {
        xs_string_add(text, " (`", 3);
        xs_string_add_cut(text, line, SOURCE_COLUMNS);
        xs_string_add(text, "`)", 2);
    }
    free(line);
}

void xs_worked_say(struct xs_string *text, const struct xs_findings *findings, uint32_t place) {
    xs_string_format(text, "mostly at ");
    say_sampled(text, findings, xs_callsites_place_frame(findings->sites->callsites, place));
}

static void say_host(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row) {
    const struct xs_frame *frame = sampled_frame(findings, row);
    xs_string_format(text, "ran its own code");
    if (frame && !row->is_main) {
        xs_string_format(text, ", ");
        xs_worked_say(text, findings, row->place);
        xs_string_format(text, ",");
    }
    xs_string_format(text, " after ");
    say_of(text, findings, &row->before);
    xs_string_format(text, ", before ");
    say_of(text, findings, &row->after);
}

/* Writes where the main thread was, if the thread that the row is about runs no Python code. */
static void say_main(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row) {
    const struct xs_frame *frame = row->is_main ? sampled_frame(findings, row) : NULL;
    if (!frame)
        return;
    xs_string_format(text, ", while its main thread was mostly at ");
    say_sampled(text, findings, frame);
}

void xs_idle_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row) {
    switch (row->reason) {
    case XS_IDLE_START:
        xs_string_format(text, "had not yet called CUDA on the thread that later gave the work");
        say_main(text, findings, row);
        break;
    case XS_IDLE_CALL:
        xs_string_format(text, "was inside ");
        say_of(text, findings, &row->before);
        break;
    case XS_IDLE_HOST:
        say_host(text, findings, row);
        say_main(text, findings, row);
        break;
    case XS_IDLE_LAUNCHING:
        xs_string_format(text, "was giving the GPU its next small piece of work");
        break;
    case XS_IDLE_QUEUED:
        xs_string_format(text, "had already given the GPU its next work");
        break;
    case XS_IDLE_END:
    case XS_IDLE_REASONS:
        xs_string_format(text, "had no more work for the GPU");
        break;
    }
}

void xs_wait_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_wait_row *row) {
    say_call(text, findings, row->kind, row->direction, row->site);
}

/* --- JSON --- */

void xs_idle_kind_json(struct xs_json *json, unsigned kind, unsigned direction) {
    static const char *const kinds[] = {
        [XS_MODEL_TRANSFER] = "transfer", [XS_MODEL_MEMSET] = "memset",    [XS_MODEL_ALLOCATION] = "allocation",
        [XS_MODEL_FREE] = "free",         [XS_MODEL_LAUNCH] = "launch",    [XS_MODEL_SYNC] = "sync",
        [XS_MODEL_RECORD] = "event",      [XS_MODEL_WAIT_EVENT] = "event", [XS_MODEL_OTHER] = "other"};
    bool is_known = kind == XS_MODEL_TRANSFER && direction < XS_DIRECTION_COUNT;
    xs_json_text(json, "kind", kinds[kind < sizeof kinds / sizeof *kinds ? kind : XS_MODEL_OTHER]);
    xs_json_text(json, "direction", is_known ? xs_direction_names[direction] : NULL);
}

static void put_call(struct xs_json *json, const char *key, const struct xs_findings *findings, unsigned kind,
                     unsigned direction, uint32_t site) {
    xs_json_object(json, key);
    xs_idle_kind_json(json, kind, direction);
    xs_json_text(json, "entry_point", xs_site_name(findings, site));
    xs_place_json_object(json, xs_site_frame(findings, site), false);
    xs_json_end(json, '}');
}

static void put_idle_call(struct xs_json *json, const char *key, const struct xs_findings *findings,
                          const struct xs_idle_call *call) {
    if (call->known)
        put_call(json, key, findings, call->kind, call->direction, call->site);
    else
        xs_json_null(json, key);
}

static void put_sampled(struct xs_json *json, const struct xs_findings *findings, const struct xs_idle_row *row) {
    if (!row->sampled_ns) {
        xs_json_null(json, "sampled");
        return;
    }
    xs_json_object(json, "sampled");
    xs_json_count(json, "ns", row->sampled_ns);
    xs_json_count(json, "most_ns", row->most_ns);
    xs_json_bool(json, "main_thread", row->is_main);
    xs_place_json_object(json, sampled_frame(findings, row), false);
    xs_json_end(json, '}');
}

static void put_idle_row(struct xs_json *json, const struct xs_findings *findings, const struct xs_idle_row *row) {
    xs_json_object(json, NULL);
    xs_json_text(json, "reason", xs_idle_reason_names[row->reason]);
    xs_json_int(json, "device", row->device);
    xs_json_count(json, "ns", row->ns);
    xs_json_count(json, "times", row->count);
    xs_json_count(json, "longest_ns", row->longest_ns);
    put_idle_call(json, "after", findings, &row->before);
    put_idle_call(json, "before", findings, &row->after);
    put_sampled(json, findings, row);
    xs_json_end(json, '}');
}

void xs_idle_json(struct xs_json *json, const struct xs_diagnosis *diagnosis) {
    const struct xs_idle *idle = &diagnosis->idle;
    if (!idle->device_count) {
        xs_json_null(json, "idle");
        return;
    }
    xs_json_object(json, "idle");
    xs_json_int(json, "start_ns", idle->start_ns);
    xs_json_int(json, "end_ns", idle->end_ns);
    xs_json_count(json, "steps", diagnosis->idle_steps);
    xs_json_array(json, "devices");
    for (size_t i = 0; i < idle->device_count; i++) {
        xs_json_object(json, NULL);
        xs_json_int(json, "device", idle->devices[i].device);
        xs_json_count(json, "busy_ns", idle->devices[i].busy_ns);
        xs_json_count(json, "idle_ns", idle->devices[i].idle_ns);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_array(json, "rows");
    for (size_t i = 0; i < idle->count; i++)
        put_idle_row(json, diagnosis->findings, &idle->rows[i]);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

void xs_wait_numbers_json(struct xs_json *json, const struct xs_wait_row *row) {
    xs_json_count(json, "times", row->count);
    xs_json_count(json, "waited_ns", row->waited_ns);
    xs_json_count(json, "busy_ns", row->busy_ns);
    xs_json_count(json, "idle_ns", row->idle_ns);
    xs_json_count(json, "saves_ns", row->saves_ns);
    xs_json_count(json, "together_ns", row->together_ns);
}

void xs_waits_json(struct xs_json *json, const struct xs_diagnosis *diagnosis) {
    const struct xs_waits_paid *waits = &diagnosis->waits;
    if (!waits->rows) {
        xs_json_null(json, "waits");
        return;
    }
    xs_json_array(json, "waits");
    for (size_t i = 0; i < waits->count; i++) {
        const struct xs_wait_row *row = &waits->rows[i];
        xs_json_object(json, NULL);
        put_call(json, "call", diagnosis->findings, row->kind, row->direction, row->site);
        xs_wait_numbers_json(json, row);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}
