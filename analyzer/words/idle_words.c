/* Writes idle time in words and as JSON; see idle_words.h. */
#include "analyzer/words/idle_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/shared_frame.h"
#include "analyzer/words/place.h"
#include "schema/format/kinds.h"

const char *const xs_idle_reason_names[XS_IDLE_REASONS] = {"start", "call", "host", "launching", "queued", "end"};

/* --- calls --- */

/* The words for a call: for people (after "was inside ") and in JSON. */
struct call_words {
    const char *said, *kind;
};

static struct call_words words_of(const struct xs_findings *findings, const struct xs_idle_call *call) {
    static const struct call_words words[] = {[XS_MODEL_TRANSFER] = {"the copy", "transfer"},
                                              [XS_MODEL_MEMSET] = {"the memset", "memset"},
                                              [XS_MODEL_ALLOCATION] = {"the allocation", "allocation"},
                                              [XS_MODEL_FREE] = {"the free", "free"},
                                              [XS_MODEL_LAUNCH] = {"the launch", "launch"},
                                              [XS_MODEL_SYNC] = {"the wait", "sync"},
                                              [XS_MODEL_RECORD] = {"the recording of an event", "event"},
                                              [XS_MODEL_WAIT_EVENT] = {"the wait for an event", "event"},
                                              [XS_MODEL_OTHER] = {"the call", "other"}};
    unsigned kind = call->kind < sizeof words / sizeof *words ? call->kind : XS_MODEL_OTHER;
    bool is_locked = call->memory_kind == XS_MEM_PINNED || call->memory_kind == XS_MEM_REGISTERED;
    unsigned traits = xs_site_entry(findings->sites, call->site)->traits;
    if (kind == XS_MODEL_TRANSFER && call->direction == XS_DIR_H2D)
        return (struct call_words){"the upload", "transfer"};
    if (kind == XS_MODEL_TRANSFER && call->direction == XS_DIR_D2H)
        return (struct call_words){"the download", "transfer"};
    if (kind == XS_MODEL_ALLOCATION && is_locked)
        return (struct call_words){"the page-locking", "page_locking"};
    if (kind == XS_MODEL_FREE && is_locked)
        return (struct call_words){"the release of page-locked memory", "page_unlocking"};
    if (kind == XS_MODEL_OTHER && traits & (XS_TRAIT_CREATES_CONTEXT | XS_TRAIT_RETAINS_PRIMARY))
        return (struct call_words){"CUDA's start", "context"};
    if (kind == XS_MODEL_OTHER && traits & XS_TRAIT_LOADS_CODE)
        return (struct call_words){"the load of a module", "module_load"};
    return words[kind];
}

void xs_idle_call_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_call *call) {
    const struct xs_frame *frame = xs_site_frame(findings, call->site);
    xs_string_format(text, "%s ", words_of(findings, call).said);
    if (frame)
        xs_place_at(text, findings->sites, frame);
    else
        xs_string_format(text, "(%s)", xs_site_name(findings, call->site));
}

/* --- rows --- */

const struct xs_frame *xs_idle_sampled_frame(const struct xs_findings *findings, const struct xs_idle_row *row) {
    return row->place ? xs_callsites_place_frame(findings->sites->callsites, row->place) : NULL;
}

const struct xs_frame *xs_idle_shared_frame(const struct xs_findings *findings, const struct xs_idle_row *row) {
    return row->stack_before ? xs_shared_frame(findings->sites->callsites, row->stack_before, row->stack_after) : NULL;
}

bool xs_idle_is_mostly(const struct xs_idle_row *row) { return row->most_ns >= row->sampled_ns / 2; }

/* Writes "ema.py:23 in step (`weight.mul_(decay)`)". */
static void say_line(struct xs_string *text, const struct xs_findings *findings, const struct xs_frame *frame) {
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

static void say_sampled(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row,
                        const struct xs_frame *frame) {
    xs_string_format(text, xs_idle_is_mostly(row) ? "mostly at " : "partly at ");
    say_line(text, findings, frame);
}

void xs_worked_say(struct xs_string *text, const struct xs_findings *findings, uint32_t place) {
    xs_string_format(text, "mostly at ");
    say_line(text, findings, xs_callsites_place_frame(findings->sites->callsites, place));
}

/* Writes ", between the wait at A and the download at B", or the part of it that is known. */
static void say_lines(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row) {
    const struct xs_idle_call *before = &row->line_before, *after = &row->line_after;
    bool is_host = row->reason == XS_IDLE_HOST; /* its text already has "after" and "before" */
    bool is_same = before->known && after->known && before->site == after->site &&
                   before->direction == after->direction && before->memory_kind == after->memory_kind;
    if (before->known) {
        xs_string_format(text, after->known && !is_same ? ", between " : is_host ? ", later than " : ", after ");
        xs_idle_call_say(text, findings, before);
    }
    if (is_same) {
        xs_string_format(text, " and before the next one");
    } else if (after->known) {
        xs_string_format(text, before->known ? " and " : is_host ? ", earlier than " : ", before ");
        xs_idle_call_say(text, findings, after);
    }
}

static void say_host(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row) {
    const struct xs_frame *sampled = row->is_main ? NULL : xs_idle_sampled_frame(findings, row);
    const struct xs_frame *shared = sampled ? NULL : xs_idle_shared_frame(findings, row);
    xs_string_format(text, "ran its own code");
    if (sampled) {
        xs_string_format(text, ", ");
        say_sampled(text, findings, row, sampled);
        xs_string_format(text, ",");
    } else if (shared) {
        xs_string_format(text, ", called at ");
        xs_place_text(text, findings->sites, shared);
        xs_string_format(text, ",");
    }
    xs_string_format(text, " after ");
    xs_idle_call_say(text, findings, &row->before);
    xs_string_format(text, ", before ");
    xs_idle_call_say(text, findings, &row->after);
}

/* Writes where the thread was mostly, or the main thread if the thread runs no Python code. */
static void say_where(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row) {
    const struct xs_frame *frame = xs_idle_sampled_frame(findings, row);
    bool is_edge = row->reason == XS_IDLE_START || row->reason == XS_IDLE_END;
    if (!frame || (!row->is_main && !is_edge))
        return;
    xs_string_format(text, row->is_main ? ", while its main thread was " : ", and was ");
    say_sampled(text, findings, row, frame);
}

uint64_t xs_idle_apart_ns(const struct xs_idle_row *row) { return row->launches ? row->apart_ns / row->launches : 0; }

bool xs_idle_is_launch_bound(const struct xs_idle_row *row) { return row->launches && row->ns > row->apart_ns / 2; }

/* Writes " (launch-bound: 1,240 launches a step, 6.10 us apart)". Without steps, writes the launches of the run. */
static void say_launches(struct xs_string *text, const struct xs_idle_row *row, size_t steps) {
    char count[XS_UNIT_BYTES], ns[XS_UNIT_BYTES];
    uint64_t launches = row->launches / (steps ? steps : 1);
    if (launches < 2)
        return;
    xs_string_format(text, " (%s%s launches%s, %s apart)", xs_idle_is_launch_bound(row) ? "launch-bound: " : "",
                     xs_format_count(count, launches), steps ? " a step" : "", xs_format_ns(ns, xs_idle_apart_ns(row)));
}

void xs_idle_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row,
                 size_t steps) {
    switch (row->reason) {
    case XS_IDLE_START:
        xs_string_format(text, "had not yet called CUDA on the thread that later gave the work");
        break;
    case XS_IDLE_CALL:
        xs_string_format(text, "was inside ");
        xs_idle_call_say(text, findings, &row->before);
        break;
    case XS_IDLE_HOST:
        say_host(text, findings, row);
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
    if (row->reason != XS_IDLE_CALL && row->reason != XS_IDLE_HOST && row->before.known) {
        xs_string_format(text, ": ");
        xs_idle_call_say(text, findings, &row->before);
    }
    say_lines(text, findings, row);
    say_where(text, findings, row);
    say_launches(text, row, steps);
}

const char *xs_idle_call_kind(const struct xs_findings *findings, const struct xs_idle_call *call) {
    return words_of(findings, call).kind;
}

/* --- JSON --- */

void xs_idle_kind_json(struct xs_json *json, const struct xs_findings *findings, const struct xs_idle_call *call) {
    bool is_known = call->kind == XS_MODEL_TRANSFER && call->direction < XS_DIRECTION_COUNT;
    xs_json_text(json, "kind", xs_idle_call_kind(findings, call));
    xs_json_text(json, "direction", is_known ? xs_direction_names[call->direction] : NULL);
}

void xs_idle_call_json(struct xs_json *json, const char *key, const struct xs_findings *findings,
                       const struct xs_idle_call *call) {
    if (!call->known) {
        xs_json_null(json, key);
        return;
    }
    xs_json_object(json, key);
    xs_idle_kind_json(json, findings, call);
    xs_json_text(json, "entry_point", xs_site_name(findings, call->site));
    xs_place_json_object(json, xs_site_frame(findings, call->site), false);
    xs_json_end(json, '}');
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
    xs_place_json_object(json, xs_idle_sampled_frame(findings, row), false);
    xs_json_end(json, '}');
}

static void put_within(struct xs_json *json, const struct xs_findings *findings, const struct xs_idle_row *row) {
    const struct xs_frame *frame = xs_idle_shared_frame(findings, row);
    if (!frame) {
        xs_json_null(json, "within");
        return;
    }
    xs_json_object(json, "within");
    xs_place_json(json, frame);
    xs_json_end(json, '}');
}

static void put_launches(struct xs_json *json, const struct xs_idle_row *row) {
    if (!row->launches) {
        xs_json_null(json, "launches");
        return;
    }
    xs_json_object(json, "launches");
    xs_json_count(json, "count", row->launches);
    xs_json_count(json, "apart_ns", xs_idle_apart_ns(row));
    xs_json_bool(json, "launch_bound", xs_idle_is_launch_bound(row));
    xs_json_end(json, '}');
}

static void put_idle_row(struct xs_json *json, const struct xs_findings *findings, const struct xs_idle_row *row) {
    xs_json_object(json, NULL);
    xs_json_text(json, "reason", xs_idle_reason_names[row->reason]);
    xs_json_int(json, "device", row->device);
    xs_json_count(json, "ns", row->ns);
    xs_json_count(json, "times", row->count);
    xs_json_count(json, "longest_ns", row->longest_ns);
    xs_idle_call_json(json, "after", findings, &row->before);
    xs_idle_call_json(json, "before", findings, &row->after);
    xs_idle_call_json(json, "line_before", findings, &row->line_before);
    xs_idle_call_json(json, "line_after", findings, &row->line_after);
    put_within(json, findings, row);
    put_launches(json, row);
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
    xs_json_count(json, "ns", idle->ns);
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
