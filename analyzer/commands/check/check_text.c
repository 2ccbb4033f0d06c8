/* Prints `xferspy check` for people: a line per rule, the places of findings below each rule that fails, and what to do
 * next. */

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/check/check.h"
#include "analyzer/words/place.h"

enum { RULE_COLUMNS = 28, SUPPRESSED_SHOWN = 3, COMMAND_COLUMNS = 100 };

static const struct {
    const char *word;
    enum xs_style style;
} words[] = {[XS_OUTCOME_PASS] = {"PASS", XS_STYLE_GOOD},
             [XS_OUTCOME_ALLOWED] = {"ALLOWED", XS_STYLE_WARN},
             [XS_OUTCOME_UNKNOWN] = {"UNKNOWN", XS_STYLE_BAD},
             [XS_OUTCOME_FAIL] = {"FAIL", XS_STYLE_BAD}};

static void put_outcome(struct xs_out *out, enum xs_outcome outcome) {
    fprintf(out->file, "  %s%-7s%s  ", xs_style_on(out, words[outcome].style), words[outcome].word,
            xs_style_off(out, words[outcome].style));
}

/* Prints a rule's text in its column, and the sentence after it. */
static void put_rule(struct xs_out *out, const char *rule, int width, const char *sentence) {
    XS_SCOPED char *escaped = xs_text_escaped(rule);
    int used = xs_text_width(escaped);
    fprintf(out->file, "%s%*s", escaped, used < width ? width - used : 0, "");
    fputs("  ", out->file);
    XS_SCOPED char *text = xs_text_escaped(sentence);
    fprintf(out->file, "%s\n", text);
}

static void put_place(const struct xs_check *check, const struct xs_judged *judged, const struct xs_rule_result *r,
                      size_t finding, struct xs_out *out) {
    const struct xs_check_finding *f = &judged->findings.items[finding];
    enum xs_standing standing = xs_judged_standing(judged, check->terms, finding, r->rule->unit);
    XS_SCOPED_STRING amount = {0};
    char was[XS_UNIT_BYTES];
    xs_check_amount(&amount, f);
    if (standing == XS_STANDING_NEW)
        xs_string_format(&amount, ", new");
    if (standing == XS_STANDING_GROWN) {
        const struct xs_check_finding *before = &judged->before->items[judged->states[finding].before];
        uint64_t value = xs_check_measured(before, r->rule->unit);
        xs_string_format(&amount, ", grown from %s", xs_metric_format(was, r->rule->unit, value));
    }
    xs_out_indented(out, 13, "%s%s", xs_place_at_before(f->place), f->place);
    if (*f->text) {
        XS_SCOPED_STRING text = {0};
        xs_string_add_cut(&text, f->text, out->columns > 40 ? out->columns - 20 : 120);
        fprintf(out->file, "               %s%s%s\n", xs_style_on(out, XS_STYLE_DIM), text.data,
                xs_style_off(out, XS_STYLE_DIM));
    }
    xs_out_indented(out, 15, "%s: %s", f->name, amount.data);
}

static void put_result(const struct xs_check *check, const struct xs_judged *judged, const struct xs_rule_result *r,
                       int width, struct xs_out *out) {
    XS_SCOPED_STRING sentence = {0};
    put_outcome(out, r->outcome);
    if (r->outcome != XS_OUTCOME_UNKNOWN && r->outcome != XS_OUTCOME_ALLOWED) {
        xs_check_sentence(&sentence, judged, r);
        if (r->accepted)
            xs_string_format(&sentence, "; %s more as in the baseline", XS_COUNT_TEXT(r->accepted));
        put_rule(out, r->rule->text, width, sentence.data);
    } else {
        if (r->value_known && r->value) {
            xs_check_value(&sentence, judged, r);
            xs_string_format(&sentence, " seen, limit ");
            xs_check_limit(&sentence, judged, r);
            xs_string_format(&sentence, "; ");
        }
        xs_string_format(&sentence, "the trace cannot tell%s", sentence.length ? " all" : "");
        put_rule(out, r->rule->text, width, sentence.data);
        xs_out_indented(out, 13, "%s", r->reason);
    }
    if (r->outcome != XS_OUTCOME_FAIL)
        return;
    for (size_t i = 0; i < r->place_count && i < XS_CHECK_PLACES; i++)
        put_place(check, judged, r, r->places[i], out);
    if (r->place_count > XS_CHECK_PLACES)
        xs_out_indented(out, 13, "and %s more", XS_COUNT_TEXT(r->place_count - XS_CHECK_PLACES));
}

/* Prints the command that explains the failing finding that saves most. */
static void put_next(const struct xs_judged *judged, struct xs_out *out) {
    const struct xs_check_finding *most = NULL;
    XS_SCOPED char *word = xs_text_shell_word(judged->path);
    bool failed = false;
    for (size_t i = 0; i < judged->result_count; i++) {
        const struct xs_rule_result *r = &judged->results[i];
        failed |= r->outcome == XS_OUTCOME_FAIL;
        for (size_t k = 0; r->outcome == XS_OUTCOME_FAIL && k < r->place_count; k++) {
            const struct xs_check_finding *f = &judged->findings.items[r->places[k]];
            most = !most || f->saves_ns > most->saves_ns ? f : most;
        }
    }
    if (most) {
        XS_SCOPED char *name = xs_text_shell_word(most->name);
        xs_out_line(out, XS_STYLE_PLAIN, "What to do: xferspy explain %s %s", word, name);
    } else if (failed) {
        xs_out_line(out, XS_STYLE_PLAIN, "What to do: xferspy report %s", word);
    }
}

static void put_baseline(const struct xs_check *check, const struct xs_judged *judged, struct xs_out *out) {
    size_t count[4] = {0};
    if (!check->terms->baseline)
        return;
    for (size_t i = 0; i < judged->findings.count; i++)
        count[xs_judged_standing_by_rules(judged, check->terms, i)]++;
    xs_out_line(out, XS_STYLE_PLAIN, "Against %s: %zu finding%s as before, %zu grown, %zu new, %zu gone.%s",
                check->baseline_path, count[XS_STANDING_SAME], count[XS_STANDING_SAME] == 1 ? "" : "s",
                count[XS_STANDING_GROWN], count[XS_STANDING_NEW], judged->gone_count,
                judged->gone_count ? " The baseline can be renewed: xferspy check --write-baseline." : "");
}

static void put_suppressed(const struct xs_check *check, const struct xs_judged *judged, struct xs_out *out) {
    const struct xs_check_config *config = check->terms->config;
    size_t suppressed = 0;
    for (size_t i = 0; i < judged->findings.count; i++) {
        long s = judged->states[i].suppression;
        suppressed += s >= 0 && !config->suppressions[s].expired;
    }
    if (suppressed)
        xs_out_line(out, XS_STYLE_PLAIN, "Suppressed: %zu finding%s.", suppressed, suppressed == 1 ? "" : "s");
    for (size_t i = 0; i < judged->expired_count; i++) {
        const struct xs_suppression *s = &config->suppressions[judged->expired[i]];
        XS_SCOPED_STRING text = {0};
        xs_check_expired(&text, s);
        put_outcome(out, XS_OUTCOME_FAIL);
        put_rule(out, "suppression", 0, "");
        xs_out_indented(out, 13, "%s", text.data);
    }
}

static void put_judged(const struct xs_check *check, const struct xs_judged *judged, struct xs_out *out) {
    int width = 0;
    for (size_t i = 0; i < judged->result_count; i++) {
        int columns = xs_text_width(judged->results[i].rule->text);
        width = columns > width ? columns : width;
    }
    XS_SCOPED char *path = xs_text_escaped(judged->path);
    XS_SCOPED_STRING command = {0};
    xs_string_add_cut(&command, judged->command, out->columns > 60 ? out->columns - 40 : COMMAND_COLUMNS);
    fprintf(out->file, "%s%s%s", xs_style_on(out, XS_STYLE_HEADING), path, xs_style_off(out, XS_STYLE_HEADING));
    if (command.length)
        fprintf(out->file, "  %s", command.data);
    putc('\n', out->file);
    for (size_t i = 0; i < judged->result_count; i++)
        put_result(check, judged, &judged->results[i], width < RULE_COLUMNS ? width : RULE_COLUMNS, out);
    put_suppressed(check, judged, out);
    put_baseline(check, judged, out);
    for (size_t i = 0; i < judged->note_count; i++)
        xs_out_line(out, XS_STYLE_WARN, "%s", judged->notes[i]);
    if (judged->undecided && judged->outcome < XS_OUTCOME_UNKNOWN) {
        XS_SCOPED char *word = xs_text_shell_word(judged->path);
        xs_out_line(out, XS_STYLE_DIM, "Not decided: %s instances; xferspy explain --undecided %s",
                    XS_COUNT_TEXT(judged->undecided), word);
    }
    put_next(judged, out);
}

static void put_unused(const struct xs_check *check, struct xs_out *out) {
    const struct xs_check_config *config = check->terms->config;
    for (size_t i = 0; i < config->suppression_count; i++) {
        XS_SCOPED_STRING text = {0};
        if (check->terms->used[i])
            continue;
        xs_check_suppression(&text, &config->suppressions[i]);
        xs_out_line(out, XS_STYLE_DIM, "Unused suppression, can be removed: %s", text.data);
    }
}

/* Returns the words for the time that shares refer to; with several traces, the words for a whole run. */
static const char *share_of_all(const struct xs_check *check) {
    const struct xs_judged *whole = check->judged;
    for (size_t i = 1; i < check->count && whole->recorded.in_part; i++)
        whole = &check->judged[i];
    return check->count ? xs_share_is_of(&whole->recorded) : XS_OF_THE_RUN;
}

void xs_check_text(const struct xs_check *check, struct xs_out *out) {
    const struct xs_check_config *config = check->terms->config;
    const struct xs_judged *first = NULL; /* the first trace that fails */
    size_t failed = 0;
    for (size_t i = 0; i < check->count; i++) {
        const struct xs_judged *judged = &check->judged[i];
        bool fails = judged->outcome >= XS_OUTCOME_UNKNOWN;
        if (i)
            putc('\n', out->file);
        put_judged(check, judged, out);
        first = fails && !first ? judged : first;
        failed += fails;
    }
    putc('\n', out->file);
    put_unused(check, out);
    if (check->default_rules)
        xs_out_line(out, XS_STYLE_PLAIN,
                    "No rules were given. This one was checked: %s, which means: %s more than 1 %% %s.",
                    config->rules.items[0].text,
                    config->rules.items[0].about == XS_RULE_METRIC ? "all repairs together may not save"
                                                                   : "no finding may save",
                    share_of_all(check));
    else if (config->rules_origin)
        xs_out_line(out, XS_STYLE_PLAIN, "Rules of %s.", config->rules_origin);
    for (size_t i = 0; i < check->unread_count; i++)
        xs_out_line(out, XS_STYLE_BAD, "Not judged, as it cannot be read: %s", check->unread[i]);
    bool good = !failed && !check->incomplete;
    fprintf(out->file, "%s%s%s", xs_style_on(out, good ? XS_STYLE_GOOD : XS_STYLE_BAD),
            good     ? "The gate passes"
            : failed ? "The gate fails"
                     : "The gate does not pass: not every trace was judged",
            xs_style_off(out, good ? XS_STYLE_GOOD : XS_STYLE_BAD));
    if (check->count > 1 && first) {
        XS_SCOPED char *path = xs_text_escaped(first->path);
        fprintf(out->file, ": %zu of %zu traces, the first of them %s", failed, check->count, path);
    }
    fputs(".\n", out->file);
}
