/* `xferspy check` for people: a line a rule, the places under those that fail, and what is to be done next. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/check/check.h"
#include "analyzer/findings/place.h"

enum { RULE_COLUMNS = 28, SUPPRESSED_SHOWN = 3 };

static const struct {
    const char *word;
    enum xs_style style;
} words[] = {[XS_GATE_PASS] = {"PASS", XS_STYLE_GOOD},
             [XS_GATE_ALLOWED] = {"ALLOWED", XS_STYLE_WARN},
             [XS_GATE_UNKNOWN] = {"UNKNOWN", XS_STYLE_BAD},
             [XS_GATE_FAIL] = {"FAIL", XS_STYLE_BAD}};

static void put_status(struct xs_out *out, enum xs_gate_status status) {
    fprintf(out->file, "  %s%-7s%s  ", xs_style_on(out, words[status].style), words[status].word,
            xs_style_off(out, words[status].style));
}

/* A rule's text in its column, and the sentence after it. */
static void put_rule(struct xs_out *out, const char *rule, int width, const char *sentence) {
    char *escaped = xs_text_escaped(rule);
    int used = xs_text_width(escaped);
    fprintf(out->file, "%s%*s", escaped, used < width ? width - used : 0, "");
    fputs("  ", out->file);
    char *text = xs_text_escaped(sentence);
    fprintf(out->file, "%s\n", text);
    free(text);
    free(escaped);
}

static void put_place(const struct xs_check *check, const struct xs_gate *gate, const struct xs_gate_result *r,
                      size_t finding, struct xs_out *out) {
    const struct xs_gate_finding *f = &gate->findings.items[finding];
    enum xs_standing standing = xs_gate_standing(gate, check->terms, finding, r->rule->measure);
    struct xs_string amount = {0};
    char was[XS_UNIT_BYTES];
    xs_check_amount(&amount, f);
    if (standing == XS_STANDING_NEW)
        xs_string_format(&amount, ", new");
    if (standing == XS_STANDING_GROWN) {
        const struct xs_gate_finding *before = &check->terms->baseline->findings.items[gate->states[finding].before];
        uint64_t value = xs_gate_measured(before, r->rule->measure);
        xs_string_format(&amount, ", grown from %s",
                         r->rule->measure == XS_MEASURE_NS      ? xs_format_ns(was, value)
                         : r->rule->measure == XS_MEASURE_BYTES ? xs_format_bytes(was, value)
                                                                : xs_format_count(was, value));
    }
    xs_out_indented(out, 13, "at %s", f->place);
    if (*f->text) {
        struct xs_string text = {0};
        xs_string_add_cut(&text, f->text, out->columns > 40 ? out->columns - 20 : 120);
        fprintf(out->file, "               %s%s%s\n", xs_style_on(out, XS_STYLE_DIM), text.data,
                xs_style_off(out, XS_STYLE_DIM));
        xs_string_free(&text);
    }
    xs_out_indented(out, 15, "%s: %s", f->name, amount.data);
    xs_string_free(&amount);
}

static void put_result(const struct xs_check *check, const struct xs_gate *gate, const struct xs_gate_result *r,
                       int width, struct xs_out *out) {
    struct xs_string sentence = {0};
    char count[XS_UNIT_BYTES];
    put_status(out, r->status);
    if (r->status != XS_GATE_UNKNOWN && r->status != XS_GATE_ALLOWED) {
        xs_check_sentence(&sentence, gate, r);
        if (r->accepted)
            xs_string_format(&sentence, "; %s more as in the baseline", xs_format_count(count, r->accepted));
        put_rule(out, r->rule->text, width, sentence.data);
    } else {
        if (r->value_known && r->value) {
            xs_check_value(&sentence, gate, r);
            xs_string_format(&sentence, " seen, limit ");
            xs_check_limit(&sentence, gate, r);
            xs_string_format(&sentence, "; ");
        }
        xs_string_format(&sentence, "the trace cannot tell%s", sentence.length ? " all" : "");
        put_rule(out, r->rule->text, width, sentence.data);
        xs_out_indented(out, 13, "%s", r->reason);
    }
    xs_string_free(&sentence);
    if (r->status != XS_GATE_FAIL)
        return;
    for (size_t i = 0; i < r->place_count && i < XS_CHECK_PLACES; i++)
        put_place(check, gate, r, r->places[i], out);
    if (r->place_count > XS_CHECK_PLACES)
        xs_out_indented(out, 13, "and %s more", xs_format_count(count, r->place_count - XS_CHECK_PLACES));
}

/* What to type next about the first thing that fails; shells need quotes around some names. */
static void put_next(const struct xs_gate *gate, struct xs_out *out) {
    bool failed = false;
    for (size_t i = 0; i < gate->result_count; i++) {
        const struct xs_gate_result *r = &gate->results[i];
        failed |= r->status == XS_GATE_FAIL;
        if (r->status != XS_GATE_FAIL || !r->place_count)
            continue;
        const char *name = gate->findings.items[r->places[0]].name, *quote = strchr(name, '#') ? "'" : "";
        xs_out_line(out, XS_STYLE_PLAIN, "What to do: xferspy explain %s %s%s%s", gate->path, quote, name, quote);
        return;
    }
    if (failed)
        xs_out_line(out, XS_STYLE_PLAIN, "What to do: xferspy report %s", gate->path);
}

static void put_baseline(const struct xs_check *check, const struct xs_gate *gate, struct xs_out *out) {
    size_t count[4] = {0};
    if (!check->terms->baseline)
        return;
    for (size_t i = 0; i < gate->findings.count; i++)
        count[xs_gate_standing(gate, check->terms, i, XS_MEASURE_COUNT)]++;
    xs_out_line(out, XS_STYLE_PLAIN, "Against %s: %zu finding%s as before, %zu grown, %zu new, %zu gone.%s",
                check->baseline_path, count[XS_STANDING_SAME], count[XS_STANDING_SAME] == 1 ? "" : "s",
                count[XS_STANDING_GROWN], count[XS_STANDING_NEW], gate->gone_count,
                gate->gone_count ? " The baseline can be renewed: xferspy check --write-baseline." : "");
}

static void put_suppressed(const struct xs_check *check, const struct xs_gate *gate, struct xs_out *out) {
    const struct xs_gate_config *config = check->terms->config;
    size_t suppressed = 0;
    for (size_t i = 0; i < gate->findings.count; i++) {
        long s = gate->states[i].suppression;
        suppressed += s >= 0 && !config->suppressions[s].expired;
    }
    if (suppressed)
        xs_out_line(out, XS_STYLE_PLAIN, "Suppressed: %zu finding%s.", suppressed, suppressed == 1 ? "" : "s");
    for (size_t i = 0; i < gate->expired_count; i++) {
        const struct xs_suppression *s = &config->suppressions[gate->expired[i]];
        struct xs_string text = {0};
        xs_check_suppression(&text, s);
        put_status(out, XS_GATE_FAIL);
        put_rule(out, "suppression", 0, "");
        xs_out_indented(out, 13, "expired on %s, and is needed still: %s", s->until, text.data);
        xs_string_free(&text);
    }
}

static void put_gate(const struct xs_check *check, const struct xs_gate *gate, struct xs_out *out) {
    int width = 0;
    for (size_t i = 0; i < gate->result_count; i++) {
        int columns = xs_text_width(gate->results[i].rule->text);
        width = columns > width ? columns : width;
    }
    char *path = xs_text_escaped(gate->path), *command = xs_text_escaped(gate->command);
    fprintf(out->file, "%s%s%s", xs_style_on(out, XS_STYLE_HEADING), path, xs_style_off(out, XS_STYLE_HEADING));
    if (*command)
        fprintf(out->file, "  %.*s", (int)xs_text_fit(command, out->columns > 60 ? out->columns - 40 : 60), command);
    putc('\n', out->file);
    for (size_t i = 0; i < gate->result_count; i++)
        put_result(check, gate, &gate->results[i], width < RULE_COLUMNS ? width : RULE_COLUMNS, out);
    put_suppressed(check, gate, out);
    put_baseline(check, gate, out);
    for (size_t i = 0; i < gate->note_count; i++)
        xs_out_line(out, XS_STYLE_WARN, "%s", gate->notes[i]);
    if (gate->undecided && gate->status < XS_GATE_UNKNOWN) {
        char count[XS_UNIT_BYTES];
        xs_out_line(out, XS_STYLE_DIM, "Not decided: %s instances; xferspy explain --undecided %s",
                    xs_format_count(count, gate->undecided), gate->path);
    }
    put_next(gate, out);
    free(path);
    free(command);
}

static void put_unused(const struct xs_check *check, struct xs_out *out) {
    const struct xs_gate_config *config = check->terms->config;
    for (size_t i = 0; i < config->suppression_count; i++) {
        struct xs_string text = {0};
        if (check->terms->used[i])
            continue;
        xs_check_suppression(&text, &config->suppressions[i]);
        xs_out_line(out, XS_STYLE_DIM, "Unused suppression, can be removed: %s", text.data);
        xs_string_free(&text);
    }
}

void xs_check_text(const struct xs_check *check, struct xs_out *out) {
    const struct xs_gate_config *config = check->terms->config;
    size_t failed = 0;
    for (size_t i = 0; i < check->count; i++) {
        if (i)
            putc('\n', out->file);
        put_gate(check, &check->gates[i], out);
        failed += check->gates[i].status >= XS_GATE_UNKNOWN;
    }
    putc('\n', out->file);
    put_unused(check, out);
    if (check->default_rules)
        xs_out_line(out, XS_STYLE_PLAIN,
                    "No rules were given. %s: no finding that is sure gives back more than 1 %% of the run.",
                    config->rules.items[0].text);
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
    if (check->count > 1 && failed) {
        fprintf(out->file, ": %zu of %zu traces, the first of them ", failed, check->count);
        for (size_t i = 0; i < check->count; i++) {
            if (check->gates[i].status < XS_GATE_UNKNOWN)
                continue;
            char *path = xs_text_escaped(check->gates[i].path);
            fputs(path, out->file);
            free(path);
            break;
        }
    }
    fputs(".\n", out->file);
}
