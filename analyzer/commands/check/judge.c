/* Judges a run by rules; see judge.h. */
#include "analyzer/commands/check/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/check/judge_internal.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/recorded_parts_words.h"
#include "analyzer/words/saving_words.h"

const char *const xs_outcome_names[] = {"pass", "allowed", "unknown", "fail"};
const char *const xs_standing_names[] = {NULL, "same", "grown", "new"};

uint64_t xs_check_measured(const struct xs_check_finding *f, enum xs_metric_unit unit) {
    return unit == XS_METRIC_COUNT ? f->instances : unit == XS_METRIC_BYTES ? f->bytes : f->saves_ns;
}

uint64_t xs_judge_measured(const struct xs_rule *rule, const struct xs_check_finding *f) {
    return rule->about == XS_RULE_SURE && rule->unit == XS_METRIC_NS ? f->least_ns : xs_check_measured(f, rule->unit);
}

uint64_t xs_judge_share_of(uint64_t value, double share) {
    double part = (double)value * share;
    return part >= 9e18 ? INT64_MAX : (uint64_t)part;
}

/* Returns the finding of this run, or its sum, that is compared with the baseline. */
static const struct xs_check_finding *compared(const struct xs_judged *judged, size_t finding) {
    return judged->sums.count ? &judged->sums.items[judged->states[finding].sum] : &judged->findings.items[finding];
}

enum xs_standing xs_judged_standing(const struct xs_judged *judged, const struct xs_check_terms *terms, size_t finding,
                                    enum xs_metric_unit unit) {
    if (!terms->baseline)
        return XS_STANDING_NONE;
    uint32_t before = judged->states[finding].before;
    if (before == XS_UNMATCHED)
        return XS_STANDING_NEW;
    uint64_t was = judged->before->items[before].interval[unit].high;
    uint64_t most = xs_sum(was, xs_judge_share_of(was, terms->tolerance));
    return compared(judged, finding)->interval[unit].low > most ? XS_STANDING_GROWN : XS_STANDING_SAME;
}

/* True if a rule is about this kind of finding. A finding with several verdicts counts for each of them. */
static bool is_kind(const struct xs_rule *rule, const struct xs_check_finding *f) {
    return f->detector == (unsigned)rule->detector && (rule->verdict < 0 || f->verdicts >> rule->verdict & 1);
}

static bool is_about(const struct xs_rule *rule, const struct xs_check_finding *f) {
    return rule->about == XS_RULE_FINDING ? is_kind(rule, f) : rule->about != XS_RULE_METRIC && !f->advice;
}

/* True if the result names the finding as a place of what a rule measures. `saved-time' is about no single finding, but
 * it lists the causes that it consists of, and says how much each has grown. */
static bool is_listed(const struct xs_rule_result *result, size_t finding) {
    for (size_t i = 0; i < result->place_count; i++)
        if (result->places[i] == finding)
            return true;
    return false;
}

enum xs_standing xs_judged_standing_by_rules(const struct xs_judged *judged, const struct xs_check_terms *terms,
                                             size_t finding) {
    enum xs_standing standing = XS_STANDING_NONE;
    for (size_t i = 0; i < judged->result_count; i++) {
        const struct xs_rule *rule = judged->results[i].rule;
        if (!is_about(rule, &judged->findings.items[finding]) && !is_listed(&judged->results[i], finding))
            continue;
        enum xs_standing by_rule = xs_judged_standing(judged, terms, finding, rule->unit);
        standing = by_rule > standing ? by_rule : standing;
    }
    return standing ? standing : xs_judged_standing(judged, terms, finding, XS_METRIC_COUNT);
}

/* Returns the interval of the number of a finding that the rule measures. For `sure' it is the least saving, which
 * includes the low end of the sample. */
static struct xs_check_interval interval_of(const struct xs_rule *rule, const struct xs_check_finding *f) {
    if (rule->about == XS_RULE_SURE && rule->unit == XS_METRIC_NS)
        return (struct xs_check_interval){f->least_ns, f->least_ns};
    return f->interval[rule->unit];
}

/* Returns the outcome for an interval. The interval may be above the limit completely, or only partly. If the limit
 * comes from a baseline, an interval that is partly above passes, because it is not certain that the finding has grown.
 */
static enum xs_outcome by_interval(const struct xs_rule *rule, const struct xs_check_interval *interval,
                                   uint64_t limit) {
    if (interval->low > limit)
        return XS_OUTCOME_FAIL;
    return interval->high > limit && !rule->relative ? XS_OUTCOME_UNKNOWN : XS_OUTCOME_PASS;
}

bool xs_judge_is_suppressed(const struct xs_judge *j, size_t finding) {
    long s = j->judged->states[finding].suppression;
    return s >= 0 && !j->terms->config->suppressions[s].expired;
}

/* --- rules --- */

static void add_place(struct xs_rule_result *r, size_t finding) {
    r->places = xs_realloc(r->places, sizeof *r->places * (r->place_count + 1));
    r->places[r->place_count++] = finding;
}

static int by_value(const void *a, const void *b, void *data) {
    const struct xs_rule_result *r = ((void **)data)[0];
    const struct xs_judged *judged = ((void **)data)[1];
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    uint64_t x = xs_judge_measured(r->rule, &judged->findings.items[left]),
             y = xs_judge_measured(r->rule, &judged->findings.items[right]);
    return xs_compare_uint64(y, x) ?: xs_compare_uint64(left, right);
}

static uint64_t absolute_limit(const struct xs_judge *j, const struct xs_rule *rule) {
    return rule->is_share ? xs_judge_share_of(j->judged->recorded.ns, rule->share) : rule->limit;
}

static uint64_t limit_on(const struct xs_rule *rule, uint64_t base) {
    return xs_sum(base, rule->is_share ? xs_judge_share_of(base, rule->share) : rule->limit);
}

/* Adds the first findings of the causes, which have the savings. Findings that are too small for a report are left out,
 * because they do not explain why a limit is exceeded. */
static void add_causes(const struct xs_judge *j, struct xs_rule_result *r) {
    for (size_t i = 0; i < j->judged->findings.count; i++) {
        const struct xs_check_finding *f = &j->judged->findings.items[i];
        if (f->leads && f->saves_ns && !f->folded && !xs_judge_is_suppressed(j, i))
            add_place(r, i);
    }
}

/* Judges modelled device times, which are only known as an interval. If the limit is inside the interval, the outcome
 * is unknown. */
static void judge_modelled(const struct xs_judge *j, struct xs_rule_result *r) {
    bool kernels = r->rule->metric == XS_METRIC_KERNEL_TIME;
    uint64_t least_ns, most_ns;
    struct xs_string reason = {0};
    if (!r->value_known ||
        (!kernels && r->rule->metric != XS_METRIC_DEVICE_TIME && r->rule->metric != XS_METRIC_EXPOSED_TIME))
        return;
    if (j->reading->summary.looked_at.is_ledger && j->reading->summary.thinned.rows)
        xs_string_format(&reason, "A ledger (XFERSPY_MODE) has no device times of calls outside of its parts.");
    else if (!xs_modelled_bounds(&j->reading->summary, kernels, r->value, &least_ns, &most_ns))
        xs_string_format(&reason,
                         j->reading->summary.thinned.rows
                             ? "Calls are gone (XFERSPY_MAX_SIZE), and nothing is modelled for them."
                             : "Too few windows have device times to say how far the modelled part may be off.");
    else if (least_ns <= r->limit && r->limit < most_ns)
        xs_string_format(&reason, "A part of it is modelled: it lies between %s and %s, and so does the limit.",
                         XS_NS_TEXT(least_ns), XS_NS_TEXT(most_ns));
    if (!reason.length)
        return;
    r->outcome = XS_OUTCOME_UNKNOWN;
    r->reason = reason.data;
}

static void judge_metric(const struct xs_judge *j, struct xs_rule_result *r) {
    const struct xs_metric_value *now = &j->reading->metrics.of[r->rule->metric];
    r->value_known = now->known;
    r->value = now->value;
    r->limit = absolute_limit(j, r->rule);
    if (r->rule->metric == XS_METRIC_SAVED_TIME) {
        r->at_most = xs_saving_is_interval(&j->reading->diagnosis->together);
        r->least = j->reading->diagnosis->together.least_ns;
    }
    if (r->rule->metric == XS_METRIC_SAVED_TIME || r->rule->metric == XS_METRIC_LEAST_SAVED_TIME)
        add_causes(j, r);
    if (r->rule->relative) {
        const struct xs_metric_value *was = &j->terms->baseline->metrics.of[r->rule->metric];
        r->has_base = was->known;
        r->base = was->value;
        r->limit = limit_on(r->rule, was->value);
        if (!was->known) {
            r->outcome = XS_OUTCOME_UNKNOWN;
            r->reason = xs_strdup("The baseline does not have this number.");
            return;
        }
    }
    if (now->known && now->value > r->limit)
        r->outcome = XS_OUTCOME_FAIL;
    judge_modelled(j, r);
}

/* Returns the sum of the baseline's findings of this kind, without findings that are suppressed now; if `high`, of the
 * upper ends of their intervals. */
static uint64_t base_of_kind(const struct xs_judge *j, const struct xs_rule *rule, bool high) {
    const struct xs_check_findings *before = j->judged->before;
    XS_SCOPED bool *suppressed = xs_zeroed(before->count, sizeof *suppressed);
    uint64_t base = 0;
    for (size_t i = 0; i < j->judged->findings.count; i++)
        if (j->judged->states[i].before != XS_UNMATCHED && xs_judge_is_suppressed(j, i))
            suppressed[j->judged->states[i].before] = true;
    for (size_t i = 0; i < before->count; i++)
        if (is_kind(rule, &before->items[i]) && !suppressed[i])
            base = xs_sum(base, high ? before->items[i].interval[rule->unit].high
                                     : xs_check_measured(&before->items[i], rule->unit));
    return base;
}

static void judge_finding(const struct xs_judge *j, struct xs_rule_result *r) {
    const struct xs_rule *rule = r->rule;
    r->value_known = true;
    r->has_base = rule->relative;
    for (size_t i = 0; i < j->judged->findings.count; i++) {
        const struct xs_check_finding *f = &j->judged->findings.items[i];
        if (!is_about(rule, f) || xs_judge_is_suppressed(j, i))
            continue;
        if (!rule->relative && xs_judged_standing(j->judged, j->terms, i, rule->unit) == XS_STANDING_SAME) {
            r->accepted++;
            continue;
        }
        r->value = xs_sum(r->value, xs_check_measured(f, rule->unit));
        r->low = xs_sum(r->low, interval_of(rule, f).low);
        r->high = xs_sum(r->high, interval_of(rule, f).high);
        r->at_most |= rule->unit == XS_METRIC_NS && f->at_most;
        r->least = xs_sum(r->least, f->least_ns);
        add_place(r, i);
    }
    r->base = rule->relative ? base_of_kind(j, rule, false) : 0;
    r->limit = rule->relative ? limit_on(rule, base_of_kind(j, rule, true)) : absolute_limit(j, rule);
    r->outcome = by_interval(rule, &(struct xs_check_interval){r->low, r->high}, r->limit);
}

static void judge_each(const struct xs_judge *j, struct xs_rule_result *r) {
    const struct xs_rule *rule = r->rule;
    bool any = false;
    r->value_known = true;
    r->limit = absolute_limit(j, rule);
    for (size_t i = 0; i < j->judged->findings.count; i++) {
        const struct xs_check_finding *own = &j->judged->findings.items[i];
        const struct xs_check_finding *f = rule->relative ? compared(j->judged, i) : own;
        uint64_t value = xs_judge_measured(rule, f), limit = absolute_limit(j, rule), base = 0;
        if (own->advice || (rule->about == XS_RULE_SURE && !f->least_ns) || xs_judge_is_suppressed(j, i))
            continue;
        if (rule->relative) {
            uint32_t before = j->judged->states[i].before;
            const struct xs_check_finding *was = before == XS_UNMATCHED ? NULL : &j->judged->before->items[before];
            base = was ? xs_judge_measured(rule, was) : 0;
            limit = limit_on(rule, was ? interval_of(rule, was).high : 0);
        } else if (xs_judged_standing(j->judged, j->terms, i, rule->unit) == XS_STANDING_SAME) {
            r->accepted++;
            continue;
        }
        struct xs_check_interval interval = interval_of(rule, f);
        enum xs_outcome outcome = by_interval(rule, &interval, limit);
        if (outcome == XS_OUTCOME_FAIL)
            add_place(r, i);
        /* keep the largest value; values that are over their limit, certainly or perhaps, come before all others */
        if (!any || outcome > r->outcome || (outcome == r->outcome && value > r->value)) {
            r->low = interval.low;
            r->high = interval.high;
            r->value = value;
            r->limit = limit;
            r->base = base;
            r->has_base = rule->relative;
            r->at_most = rule->unit == XS_METRIC_NS && rule->about != XS_RULE_SURE && own->at_most;
            r->least = f->least_ns;
        }
        any = true;
        r->outcome = outcome > r->outcome ? outcome : r->outcome;
    }
}

static void judge_rule(struct xs_judge *j, struct xs_rule_result *r) {
    const struct xs_rule *rule = r->rule;
    if (rule->about == XS_RULE_METRIC)
        judge_metric(j, r);
    else if (rule->about == XS_RULE_FINDING)
        judge_finding(j, r);
    else
        judge_each(j, r);
    void *data[] = {r, j->judged};
    if (r->place_count > 1)
        qsort_r(r->places, r->place_count, sizeof *r->places, by_value, data);
    char *repaired = xs_judge_why_repaired(j, rule);
    if (repaired) {
        free(r->reason);
        r->reason = repaired;
        r->outcome = XS_OUTCOME_UNKNOWN;
    }
    if (r->outcome == XS_OUTCOME_FAIL) {
        for (size_t i = 0; i < r->place_count; i++)
            j->judged->states[r->places[i]].failing = true;
        return;
    }
    if (r->outcome == XS_OUTCOME_UNKNOWN && !r->reason)
        r->reason = xs_judge_why_between(r);
    if (r->outcome == XS_OUTCOME_PASS && (r->reason = xs_judge_why_unknown(j, r)))
        r->outcome = XS_OUTCOME_UNKNOWN;
    if (r->outcome == XS_OUTCOME_UNKNOWN && xs_check_config_allows(j->terms->config, rule))
        r->outcome = XS_OUTCOME_ALLOWED;
}

/* --- a whole run --- */

/* Adds a note, which then owns the text, unless the text is empty. */
static void take_note(struct xs_judged *judged, struct xs_string *text) {
    if (!text->length)
        return;
    judged->notes = xs_realloc(judged->notes, sizeof *judged->notes * (judged->note_count + 1));
    judged->notes[judged->note_count++] = text->data;
}

__attribute__((format(printf, 2, 3))) static void add_note(struct xs_judged *judged, const char *format, ...) {
    struct xs_string text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    take_note(judged, &text);
}

static void add_notes(struct xs_judge *j) {
    const struct xs_reading *reading = j->reading;
    struct xs_string bounds = {0}, windows = {0}, repaired = {0}, looked_at = {0};
    bool is_killed = !strcmp(reading->summary.run.status, "recovered");
    if (is_killed || reading->summary.run.is_snapshot)
        add_note(j->judged, "%s: only what it had done until then was judged.",
                 is_killed ? "The process was killed" : XS_THIS_IS_A_SNAPSHOT);
    xs_say_bounds(&bounds, reading->diagnosis);
    take_note(j->judged, &bounds);
    xs_modelled_say(&windows, &reading->summary, XS_MODELLED_SENTENCE);
    take_note(j->judged, &windows);
    xs_repaired_say(&repaired, &reading->summary.repaired);
    take_note(j->judged, &repaired);
    xs_looked_at_say(&reading->summary, &looked_at);
    take_note(j->judged, &looked_at);
    if (!reading->diagnosis->findings->transfers)
        add_note(j->judged, "No copies were seen at all.");
    if (reading->diagnosis->findings->damaged_rows)
        add_note(j->judged, "Rows with values that cannot be true were left out: %" PRIu64 ".",
                 reading->diagnosis->findings->damaged_rows);
    if (reading->summary.run.simulated)
        add_note(j->judged, "SIMULATED: the times are those of a model, not of a GPU.");
}

/* Matches the findings with those of the baseline. A run with stacks and a run without them can only be matched by
 * entry points. */
static void match(struct xs_judged *judged, const struct xs_check_findings *baseline) {
    size_t count = judged->findings.count;
    XS_SCOPED uint32_t *before = xs_realloc(NULL, sizeof *before * count), *sum = NULL;
    const struct xs_check_findings *now = &judged->findings;
    judged->before = baseline;
    if (xs_check_findings_lack_stacks(baseline) != xs_check_findings_lack_stacks(now)) {
        XS_SCOPED uint32_t *sum_before = xs_realloc(NULL, sizeof *sum_before * baseline->count);
        sum = xs_realloc(NULL, sizeof *sum * count);
        xs_check_findings_fold(baseline, &judged->before_sums, sum_before);
        xs_check_findings_fold(now, &judged->sums, sum);
        judged->before = &judged->before_sums;
        now = &judged->sums;
        add_note(judged, "%s has no call sites, so the findings of a kind at one entry point are compared as one.",
                 xs_check_findings_lack_stacks(baseline) ? "The baseline" : "This trace");
    }
    xs_check_match(judged->before, now, before);
    for (size_t i = 0; i < count; i++) {
        judged->states[i].sum = sum ? sum[i] : 0;
        judged->states[i].before = before[sum ? sum[i] : i];
    }
}

static void look_up_states(struct xs_judge *j) {
    struct xs_judged *judged = j->judged;
    size_t count = judged->findings.count;
    const struct xs_check_config *config = j->terms->config;
    judged->states = xs_realloc(NULL, sizeof *judged->states * count);
    for (size_t i = 0; i < count; i++) {
        long s = xs_check_config_suppression(config, &judged->findings.items[i]);
        judged->states[i] = (struct xs_judged_state){.suppression = s, .before = XS_UNMATCHED};
        if (s >= 0) {
            j->terms->used[s] = true;
            judged->states[i].failing = config->suppressions[s].expired;
        }
    }
    if (j->terms->baseline)
        match(judged, &j->terms->baseline->findings);
    for (size_t s = 0; s < config->suppression_count; s++) {
        bool needed = false;
        for (size_t i = 0; i < count && config->suppressions[s].expired; i++)
            needed |= judged->states[i].suppression == (long)s;
        if (!needed)
            continue;
        judged->expired = xs_realloc(judged->expired, sizeof *judged->expired * (judged->expired_count + 1));
        judged->expired[judged->expired_count++] = s;
    }
}

static void find_gone(struct xs_judge *j) {
    struct xs_judged *judged = j->judged;
    size_t count = judged->before ? judged->before->count : 0;
    XS_SCOPED bool *here = xs_zeroed(count, sizeof *here);
    for (size_t i = 0; i < judged->findings.count; i++)
        if (judged->states[i].before != XS_UNMATCHED)
            here[judged->states[i].before] = true;
    judged->gone = xs_realloc(NULL, sizeof *judged->gone * count);
    for (size_t i = 0; i < count; i++)
        if (!here[i])
            judged->gone[judged->gone_count++] = i;
}

void xs_check_judge(const struct xs_reading *reading, const struct xs_check_terms *terms, struct xs_judged *judged) {
    struct xs_judge j = {.reading = reading, .terms = terms, .judged = judged};
    const struct xs_run *run = &reading->summary.run;
    const struct xs_rules *rules = &terms->config->rules;
    *judged = (struct xs_judged){.path = xs_strdup(reading->path),
                                 .cwd = xs_strdup(run->cwd),
                                 .executable = xs_strdup(run->executable),
                                 .command = xs_strdup(run->command),
                                 .recorded = reading->diagnosis->findings->recorded};
    xs_check_findings_of(reading, &judged->findings);
    look_up_states(&j);
    find_gone(&j);
    add_notes(&j);
    for (size_t i = 0; i < reading->diagnosis->findings->undecided_count; i++)
        judged->undecided = xs_sum(judged->undecided, reading->diagnosis->findings->undecided[i].count);
    judged->results = xs_realloc(NULL, sizeof *judged->results * rules->count);
    judged->outcome = judged->expired_count ? XS_OUTCOME_FAIL : XS_OUTCOME_PASS;
    for (size_t i = 0; i < rules->count; i++) {
        struct xs_rule_result *r = &judged->results[judged->result_count++];
        *r = (struct xs_rule_result){.rule = &rules->items[i]};
        judge_rule(&j, r);
        judged->outcome = r->outcome > judged->outcome ? r->outcome : judged->outcome;
    }
}

void xs_judged_free(struct xs_judged *judged) {
    for (size_t i = 0; i < judged->result_count; i++) {
        free(judged->results[i].reason);
        free(judged->results[i].places);
    }
    for (size_t i = 0; i < judged->note_count; i++)
        free(judged->notes[i]);
    void *const blocks[] = {judged->path,    judged->cwd,  judged->executable, judged->command, judged->states,
                            judged->results, judged->gone, judged->expired,    judged->notes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    xs_check_findings_free(&judged->findings);
    xs_check_findings_free(&judged->sums);
    xs_check_findings_free(&judged->before_sums);
    *judged = (struct xs_judged){0};
}
