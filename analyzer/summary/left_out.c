/* The sentences on what was left out; see left_out.h. */
#include "analyzer/summary/left_out.h"

#include "analyzer/base/units.h"
#include "schema/spool/spool.h"

const char *const xs_left_out_names[XS_LEFT_OUT_COUNT] = {
    [XS_LEFT_DROPPED] = "dropped", [XS_LEFT_NESTED] = "nested",         [XS_LEFT_JUMPED] = "left",
    [XS_LEFT_DAMAGED] = "damaged", [XS_LEFT_RECORDS] = "cupti_records", [XS_LEFT_STACKS] = "without_stack",
    [XS_LEFT_OUTSIDE] = "outside"};

void xs_looked_at_say_briefly(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_looked_at *l = &summary->looked_at;
    char recorded[XS_UNIT_BYTES], run[XS_UNIT_BYTES];
    if (l->has_gaps)
        xs_string_format(text, "%s of %s %s looked at", xs_format_ns(recorded, l->recorded_ns),
                         xs_format_ns(run, summary->run.duration_ns), l->parts ? "were" : "was");
}

void xs_looked_at_say(const struct xs_summary *summary, struct xs_string *text) {
    const struct xs_looked_at *l = &summary->looked_at;
    char recorded[XS_UNIT_BYTES], run[XS_UNIT_BYTES], parts[XS_UNIT_BYTES];
    if (!l->has_gaps)
        return;
    if (!l->parts) {
        xs_string_format(text, "Nothing was recorded but allocations: what XFERSPY_WINDOW asks for never came.");
        return;
    }
    xs_string_format(text,
                     "Looked at %s of %s, in %s part%s of the run that XFERSPY_WINDOW asks for: findings and "
                     "totals are of %s, and outside only allocations were recorded.",
                     xs_format_ns(recorded, l->recorded_ns), xs_format_ns(run, summary->run.duration_ns),
                     xs_format_count(parts, l->parts), l->parts == 1 ? "" : "s", l->parts == 1 ? "it" : "them");
}

/* "3 copies, 1 memset and 20 other calls" */
static uint64_t say_outside(const struct xs_looked_at *l, struct xs_string *text) {
    const struct {
        uint64_t count;
        const char *one, *many;
    } kinds[] = {{l->transfers, "call that copies", "calls that copy"},
                 {l->memsets, "memset", "memsets"},
                 {l->launches, "launch", "launches"},
                 {l->others, "wait or other call", "waits and other calls"}};
    char number[XS_UNIT_BYTES];
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].count)
            continue;
        xs_string_format(text, "%s%s %s", count ? ", " : "", xs_format_count(number, kinds[i].count),
                         kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
        count += kinds[i].count;
    }
    if (count)
        xs_string_format(text, " %s counted and not recorded: outside of what XFERSPY_WINDOW asks for.",
                         count == 1 ? "was" : "were");
    return count;
}

uint64_t xs_left_out_say(const struct xs_summary *summary, enum xs_left_out kind, struct xs_string *text) {
    const struct xs_coverage *c = &summary->coverage;
    char number[XS_UNIT_BYTES], all[XS_UNIT_BYTES];
    const uint64_t counts[XS_LEFT_OUT_COUNT] = {[XS_LEFT_DROPPED] = c->dropped,
                                                [XS_LEFT_NESTED] = c->nested,
                                                [XS_LEFT_JUMPED] = c->left,
                                                [XS_LEFT_DAMAGED] = c->skipped_events,
                                                [XS_LEFT_RECORDS] = c->dropped_records,
                                                [XS_LEFT_STACKS] = c->without_stack};
    if (kind == XS_LEFT_OUTSIDE)
        return say_outside(&summary->looked_at, text);
    uint64_t count = counts[kind];
    const char *s = count == 1 ? "" : "s", *were = count == 1 ? "was" : "were";
    if (!count)
        return 0;
    xs_format_count(number, count);
    switch (kind) {
    case XS_LEFT_DROPPED:
        xs_string_format(text, "%s call%s %s not recorded: " XS_SPOOL_FULL ".", number, s, were);
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
                         xs_format_count(all, c->host_transfers));
        break;
    case XS_LEFT_OUTSIDE:
    case XS_LEFT_OUT_COUNT:
        break;
    }
    return count;
}
