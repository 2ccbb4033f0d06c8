/* Writes sentences about data that is missing in a trace; see left_out.h. */
#include "analyzer/words/left_out.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/recorded_parts_words.h"
#include "schema/spool/spool.h"

const char *const xs_left_out_names[XS_LEFT_OUT_COUNT] = {
    [XS_LEFT_DROPPED] = "dropped", [XS_LEFT_NESTED] = "nested",         [XS_LEFT_JUMPED] = "left",
    [XS_LEFT_DAMAGED] = "damaged", [XS_LEFT_RECORDS] = "cupti_records", [XS_LEFT_STACKS] = "without_stack",
    [XS_LEFT_OUTSIDE] = "outside", [XS_LEFT_NEWER] = "newer_functions"};

enum { NAME_COLUMNS = 60 };

/* Adds "3 copies, 1 memset and 20 other calls". */
static uint64_t say_outside(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_capture_ranges *l = &summary->looked_at;
    const bool in_steps = summary->recorded_steps.by != XS_RECORDED_ALL;
    const struct {
        uint64_t count;
        const char *one, *many;
    } kinds[] = {{l->transfers, "call that copies", "calls that copy"},
                 {l->memsets, "memset", "memsets"},
                 {l->launches, "launch", "launches"},
                 {l->others, "wait or other call", "waits and other calls"}};
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].count)
            continue;
        xs_string_format(text, "%s%s %s", count ? ", " : "", XS_COUNT_TEXT(kinds[i].count),
                         kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
        count += kinds[i].count;
    }
    if (count)
        xs_string_format(text, " %s counted and not recorded: outside of %s%s.", count == 1 ? "was" : "were",
                         l->is_ledger ? "the parts of the ledger"
                         : in_steps   ? "the steps that were asked for"
                                      : "what ",
                         l->is_ledger || in_steps ? "" : xs_parts_chooser(&summary->recorded_steps));
    return count;
}

#define CALLED "coverage.unknown_called"
#define LOOKED_UP "coverage.unknown_looked_up"
enum { NEWER_BYTES = 16 << 10, NEWER_NAMED = 12 };

/* Adds " (cuFirst, cuSecond and 3 more)"; returns how many names there are. */
static uint64_t list_names(const struct xs_trace *trace, const char *key, struct xs_string *list) {
    char names[NEWER_BYTES];
    uint64_t count = 0;
    xs_trace_meta_text(trace, key, memset(names, 0, sizeof names), sizeof names, "");
    for (char *name = names, *end; *name; name = end) {
        end = name + strcspn(name, ",");
        if (*end)
            *end++ = '\0';
        if (count++ < NEWER_NAMED) {
            xs_string_format(list, count == 1 ? " (" : ", ");
            xs_string_add_cut(list, name, NAME_COLUMNS);
        }
    }
    if (count > NEWER_NAMED)
        xs_string_format(list, " and %s more", XS_COUNT_TEXT(count - NEWER_NAMED));
    if (count)
        xs_string_format(list, ")");
    return count;
}

static void put_names(const struct xs_trace *trace, const char *meta, const char *key, struct xs_json *json) {
    char names[NEWER_BYTES];
    xs_trace_meta_text(trace, meta, memset(names, 0, sizeof names), sizeof names, "");
    xs_json_array(json, key);
    for (const char *name = names; *name; name += strspn(name, ",")) {
        size_t length = strcspn(name, ",");
        xs_json_text_bytes(json, NULL, name, length);
        name += length;
    }
    xs_json_end(json, ']');
}

void xs_newer_functions_json(const struct xs_trace *trace, struct xs_json *json) {
    put_names(trace, CALLED, "called", json);
    put_names(trace, LOOKED_UP, "looked_up", json);
}

static uint64_t say_newer(const struct xs_summary *summary, struct xs_string *text) {
    XS_SCOPED_STRING called = {0}, looked_up = {0};
    if (!summary->trace)
        return 0;
    uint64_t calls = list_names(summary->trace, CALLED, &called);
    uint64_t others = list_names(summary->trace, LOOKED_UP, &looked_up);
    if (calls + others)
        xs_string_format(text, "Functions of a newer driver: the program ");
    if (calls)
        xs_string_format(text, "called %s%s", XS_COUNT_TEXT(calls), called.data);
    if (calls && others)
        xs_string_format(text, " and looked up %s more%s", XS_COUNT_TEXT(others), looked_up.data);
    else if (others)
        xs_string_format(text, "looked up %s%s and called none of them", XS_COUNT_TEXT(others), looked_up.data);
    if (calls)
        xs_string_format(text, ". xferspy does not record these calls. Unless it knows that a function changes no "
                               "device memory, it takes it that all of it may change at any time after the first call");
    if (calls + others)
        xs_string_format(text, ".");
    return calls + others;
}

uint64_t xs_left_out_say(const struct xs_summary *summary, enum xs_left_out kind, struct xs_string *text) {
    const struct xs_coverage *c = &summary->coverage;
    const uint64_t counts[XS_LEFT_OUT_COUNT] = {[XS_LEFT_DROPPED] = c->dropped,
                                                [XS_LEFT_NESTED] = c->nested,
                                                [XS_LEFT_JUMPED] = c->left,
                                                [XS_LEFT_DAMAGED] = c->skipped_events,
                                                [XS_LEFT_RECORDS] = c->dropped_records,
                                                [XS_LEFT_STACKS] = c->without_stack};
    if (kind == XS_LEFT_OUTSIDE)
        return say_outside(summary, text);
    if (kind == XS_LEFT_NEWER)
        return say_newer(summary, text);
    uint64_t count = counts[kind];
    const char *s = count == 1 ? "" : "s", *were = count == 1 ? "was" : "were";
    if (!count)
        return 0;
    const char *number = XS_COUNT_TEXT(count);
    switch (kind) {
    case XS_LEFT_DROPPED:
        xs_string_format(text, "%s call%s %s not recorded: the spool was full and could not grow.", number, s, were);
        break;
    case XS_LEFT_NESTED:
        xs_string_format(text,
                         "%s call%s %s not recorded: made inside other driver calls, such as those that a library's "
                         "callback made.",
                         number, s, were);
        break;
    case XS_LEFT_JUMPED:
        xs_string_format(text,
                         "%s call%s %s not recorded: the program never came back from the driver there, but jumped out "
                         "of the call or ended the thread.",
                         number, s, were);
        break;
    case XS_LEFT_DAMAGED:
        xs_string_format(text, "%s recorded event%s %s lost: the spool was damaged.", number, s, were);
        break;
    case XS_LEFT_RECORDS:
        xs_string_format(text, "CUPTI dropped %s record%s.", number, s);
        break;
    case XS_LEFT_STACKS:
        xs_string_format(text, "The call site is not known of %s of %s transfers.", number,
                         XS_COUNT_TEXT(c->host_transfers));
        break;
    case XS_LEFT_OUTSIDE:
    case XS_LEFT_NEWER:
    case XS_LEFT_OUT_COUNT:
        break;
    }
    return count;
}
