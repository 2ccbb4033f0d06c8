/* Says why a trace does not show whether a rule holds: contents or device times are missing, or copies were not
 * checked. */
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/check/judge_internal.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/unchecked.h"

static void add_contents_reason(const struct xs_judge *j, struct xs_string *reason) {
    XS_SCOPED_STRING why = {0};
    xs_content_coverage_why_none(&why, &j->reading->contents);
    if (why.length)
        xs_string_format(reason, "%s%s", reason->length ? " " : "", why.data);
}

static bool has_device_records(const struct xs_judge *j) {
    return j->reading->diagnosis->findings->timed || !strcmp(j->reading->summary.run.cupti_status, "active");
}

static void add_device_reason(const struct xs_judge *j, struct xs_string *reason) {
    const struct xs_run *run = &j->reading->summary.run;
    if (has_device_records(j))
        return;
    xs_string_format(reason, "%sThere are no device times: CUPTI %s%s%.200s%s.", reason->length ? " " : "",
                     run->cupti_status, *run->cupti_text ? " (" : "", run->cupti_text, *run->cupti_text ? ")" : "");
}

/* Returns how many undecided cases can be instances. If copies like them were checked, the interval of the finding
 * includes these cases; if not, it is the number that a sample without any instance allows. */
static uint64_t may_be(const struct xs_findings *findings, unsigned detector, uint64_t undecided) {
    const struct xs_by_chance *left = findings->left_out ? &findings->left_out[detector] : NULL;
    if (!left)
        return undecided;
    uint64_t others = undecided > left->copies ? undecided - left->copies : 0;
    return xs_sum(others, (uint64_t)ceil(left->most));
}

/* True if undecided cases of a detector are nothing new, because the baseline's run had them, too. */
static bool is_as_before(const struct xs_judge *j, unsigned detector) {
    uint64_t was = j->terms->baseline ? j->terms->baseline->undecided[detector] : 0;
    uint64_t now = xs_check_undecided(j->reading->diagnosis->findings, detector);
    return j->terms->baseline && now <= xs_sum(was, xs_judge_share_of(was, j->terms->tolerance));
}

static void add_undecided_reason(const struct xs_judge *j, unsigned detector, uint64_t limit, uint64_t value,
                                 enum xs_metric_unit unit, struct xs_string *reason) {
    const struct xs_findings *findings = j->reading->diagnosis->findings;
    const struct xs_undecided *most = NULL;
    uint64_t undecided = xs_check_undecided(findings, detector), more = may_be(findings, detector, undecided);
    for (size_t i = 0; i < findings->undecided_count; i++) {
        const struct xs_undecided *u = &findings->undecided[i];
        if (u->detector == detector && (!most || u->count > most->count))
            most = u;
    }
    /* the intervals of other units than counts include all cases that a sample left out */
    if (!most || (unit == XS_METRIC_COUNT ? xs_sum(value, more) <= limit : !more) || is_as_before(j, detector))
        return;
    bool of_part = !strcmp(most->reason, XS_UNDECIDED_CALLS) && j->reading->summary.looked_at.has_gaps;
    bool content = xs_detectors[detector]->needs & XS_NEEDS_CONTENTS &&
                   strcmp(most->reason, XS_UNDECIDED_CHANCE) != 0 && strcmp(most->reason, XS_UNDECIDED_FORGOTTEN) != 0;
    xs_string_format(reason, "%sOf %s it could not be decided (%s)%s.", reason->length ? " " : "",
                     XS_COUNT_TEXT(undecided), most->reason,
                     of_part   ? "; the trace has those of a part of the run, by XFERSPY_OUTSIDE or XFERSPY_STEPS"
                     : content ? "; XFERSPY_FINGERPRINT=all looks at every copy"
                               : "");
}

/* Returns, by detector, true if its unchecked copies are nothing new, because the baseline's run had them, too. The
 * caller frees the array. */
static bool *unchecked_as_before(const struct xs_judge *j) {
    bool *without = xs_realloc(NULL, xs_detector_count * sizeof *without);
    for (unsigned d = 0; d < xs_detector_count; d++)
        without[d] = is_as_before(j, d);
    return without;
}

static void add_unchecked_reason(const struct xs_unchecked *unchecked, struct xs_string *reason) {
    xs_string_format(reason, "%s", reason->length ? " " : "");
    xs_unchecked_copies(reason, unchecked);
    xs_string_format(reason, ") could not be checked: %s", XS_UNCHECKED_REMEDY);
}

/* Adds whether the limit on all repairs together holds even if every unchecked copy could be removed. */
static void add_unchecked_in_all(const struct xs_judge *j, const struct xs_rule_result *r, struct xs_string *reason) {
    XS_SCOPED bool *without = unchecked_as_before(j);
    struct xs_unchecked total = xs_unchecked_total(j->reading->diagnosis->findings, without);
    if (total.ns && xs_sum(r->value, total.ns) > r->limit)
        add_unchecked_reason(&total, reason);
}

/* Adds whether the limit holds for each finding: with the unchecked copies of one detector at one site. */
static void add_unchecked_of_each(const struct xs_judge *j, const struct xs_rule_result *r, struct xs_string *reason) {
    const struct xs_diagnosis *diagnosis = j->reading->diagnosis;
    XS_SCOPED bool *without = unchecked_as_before(j);
    struct xs_unchecked over = {0};
    for (size_t i = 0; i < diagnosis->findings->unchecked_count; i++) {
        const struct xs_unchecked *u = &diagnosis->findings->unchecked[i];
        enum xs_metric_unit unit = r->rule->unit;
        uint64_t value = unit == XS_METRIC_COUNT ? u->copies : unit == XS_METRIC_BYTES ? u->bytes : u->ns;
        bool counts = !without[u->detector] && u->ns;
        for (size_t k = 0; k < diagnosis->count; k++) {
            if (diagnosis->items[k].finding->detector != u->detector || diagnosis->items[k].finding->site != u->site)
                continue;
            value = xs_sum(value, xs_judge_measured(r->rule, &j->judged->findings.items[k]));
            counts &= !xs_judge_is_suppressed(j, k);
        }
        if (counts && value > r->limit && u->ns > over.ns)
            over = *u;
    }
    if (over.copies)
        add_unchecked_reason(&over, reason);
}

static void add_metric_reason(const struct xs_judge *j, const struct xs_rule_result *r, struct xs_string *reason) {
    int metric = r->rule->metric;
    if (metric == XS_METRIC_SAVED_TIME) {
        add_contents_reason(j, reason);
        add_device_reason(j, reason);
        add_unchecked_in_all(j, r, reason);
    } else if (!j->reading->metrics.of[metric].known) {
        if (metric == XS_METRIC_WALL_TIME || metric == XS_METRIC_BARE_TIME)
            xs_string_format(reason, "The trace has no end: how long the run took is not known.");
        else
            add_device_reason(j, reason);
        if (!reason->length && metric == XS_METRIC_DEVICE_TIME && j->reading->summary.looked_at.has_gaps)
            xs_string_format(reason, "No copy that was recorded has a device time.");
        if (!reason->length)
            xs_string_format(reason, "The trace does not have this number; were kernels recorded (XFERSPY_KERNELS)?");
    }
}

/* Returns why a repaired run cannot be judged. Only its times are real. Copies and allocations are counted and analysed
 * as the program requested them, although the repair may have left them out. A limit can therefore be exceeded by calls
 * that did not run, or be kept only because of the repair. */
char *xs_judge_why_repaired(const struct xs_judge *j, const struct xs_rule *rule) {
    bool saves = rule->metric == XS_METRIC_SAVED_TIME || rule->metric == XS_METRIC_LEAST_SAVED_TIME;
    bool measured = rule->about == XS_RULE_METRIC && rule->unit == XS_METRIC_NS && !saves;
    if (measured || !xs_repaired_any(&j->reading->summary.repaired))
        return NULL;
    return xs_strdup("Because the run was repaired while it was recorded, this counts calls that did not run as the "
                     "program asked for them. Record it without XFERSPY_REPAIR.");
}

char *xs_judge_why_between(const struct xs_rule_result *r) {
    struct xs_string reason = {0};
    char low[XS_UNIT_BYTES], high[XS_UNIT_BYTES];
    xs_string_format(&reason,
                     "Not all copies were checked: it is %s to %s with 95 %% certainty, and the limit lies between. "
                     "Record all contents: xferspy run --fingerprint=all -- PROGRAM.",
                     xs_metric_format(low, r->rule->unit, r->low), xs_metric_format(high, r->rule->unit, r->high));
    return reason.data;
}

char *xs_judge_why_unknown(const struct xs_judge *j, const struct xs_rule_result *r) {
    const struct xs_rule *rule = r->rule;
    struct xs_string reason = {0};
    const struct xs_capture_ranges *looked_at = &j->reading->summary.looked_at;
    if (looked_at->has_gaps && !looked_at->parts) { /* a note says that nothing was recorded; other reasons do not
                                                       matter then */
        xs_string_format(&reason, "The part of the run that was to be recorded never came.");
        return reason.data;
    }
    if (rule->about == XS_RULE_METRIC) {
        add_metric_reason(j, r, &reason);
    } else if (rule->about == XS_RULE_FINDING) {
        const struct xs_detector *d = xs_detectors[rule->detector];
        if (d->needs & XS_NEEDS_CONTENTS)
            add_contents_reason(j, &reason);
        if (d->needs & XS_NEEDS_DEVICE_RECORDS)
            add_device_reason(j, &reason);
        if (!reason.length)
            add_undecided_reason(j, (unsigned)rule->detector, r->limit, rule->relative ? r->low : r->high, rule->unit,
                                 &reason);
    } else {
        add_contents_reason(j, &reason);
        add_device_reason(j, &reason);
        add_unchecked_of_each(j, r, &reason);
    }
    /* the end of the run is estimated from the latest time; if it is wrong, a limit that is a share of the run is
     * wrong, too */
    if (rule->is_share && !rule->relative && j->reading->summary.run.duration_estimated &&
        j->reading->diagnosis->findings->damaged_rows)
        xs_string_format(&reason,
                         "%sHow long the run took is not known: the trace has no end, and times that cannot be true. "
                         "Give the limit as a time.",
                         reason.length ? " " : "");
    if (j->reading->trace.is_live)
        xs_string_format(&reason, "%sThe trace is still being written.", reason.length ? " " : "");
    else if (j->reading->summary.run.is_snapshot)
        xs_string_format(&reason, "%sThe process ran on after the trace was copied.", reason.length ? " " : "");
    return reason.data;
}
