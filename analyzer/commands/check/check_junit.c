/* `xferspy check --junit`: one testsuite per trace and one testcase per rule, in the form that CI servers read
 * (Jenkins' junit-10.xsd). */
#include <string.h>

#include "analyzer/commands/check/check.h"

/* Writes text that XML 1.0 can contain. Controls, invalid UTF-8 and characters that hide or reorder text are escaped
 * as for people; the two remaining code points that XML forbids become U+FFFD. */
static void put_xml(FILE *file, const char *text) {
    XS_SCOPED char *escaped = xs_text_escaped(text);
    size_t bytes = strlen(escaped);
    for (size_t i = 0; i < bytes;) {
        uint32_t code = 0;
        size_t length = xs_utf8_decode(escaped + i, bytes - i, &code);
        if (code == '&')
            fputs("&amp;", file);
        else if (code == '<')
            fputs("&lt;", file);
        else if (code == '>')
            fputs("&gt;", file);
        else if (code == '"')
            fputs("&quot;", file);
        else if (!length || code == 0xfffe || code == 0xffff)
            fputs("\xef\xbf\xbd", file);
        else
            fwrite(escaped + i, 1, length, file);
        i += length ? length : 1;
    }
}

static void put_attribute(FILE *file, const char *name, const char *text) {
    fprintf(file, " %s=\"", name);
    put_xml(file, text);
    putc('"', file);
}

static void put_case_name(FILE *file, const char *name) {
    fputs("    <testcase classname=\"xferspy.check\"", file);
    put_attribute(file, "name", name);
}

static void put_places(FILE *file, const struct xs_judged *judged, const struct xs_rule_result *r) {
    for (size_t i = 0; i < r->place_count; i++) {
        const struct xs_check_finding *f = &judged->findings.items[r->places[i]];
        XS_SCOPED_STRING amount = {0};
        xs_check_amount(&amount, f);
        fputs("\n", file);
        put_xml(file, f->name);
        fputs(": ", file);
        put_xml(file, amount.data);
        fputs("\n  at ", file);
        put_xml(file, f->place);
        if (*f->text) {
            fputs("\n    ", file);
            put_xml(file, f->text);
        }
    }
}

static void put_case(FILE *file, const struct xs_judged *judged, const struct xs_rule_result *r) {
    static const char *const elements[] = {[XS_OUTCOME_PASS] = NULL,
                                           [XS_OUTCOME_ALLOWED] = "skipped",
                                           [XS_OUTCOME_UNKNOWN] = "error",
                                           [XS_OUTCOME_FAIL] = "failure"};
    const char *element = elements[r->outcome];
    XS_SCOPED_STRING sentence = {0};
    xs_check_sentence(&sentence, judged, r);
    put_case_name(file, r->rule->text);
    if (!element) {
        fputs("/>\n", file);
    } else {
        fprintf(file, ">\n      <%s", element);
        put_attribute(file, "type", r->outcome == XS_OUTCOME_FAIL ? "limit" : "unknown");
        put_attribute(file, "message", sentence.data);
        putc('>', file);
        put_xml(file, sentence.data);
        if (r->outcome == XS_OUTCOME_FAIL)
            put_places(file, judged, r);
        fprintf(file, "</%s>\n    </testcase>\n", element);
    }
}

static void put_expired(FILE *file, const struct xs_suppression *s) {
    XS_SCOPED_STRING text = {0}, name = {0};
    xs_string_format(&name, "suppression %s", s->origin);
    xs_check_expired(&text, s);
    put_case_name(file, name.data);
    fputs(">\n      <failure type=\"expired\"", file);
    put_attribute(file, "message", text.data);
    fputs("/>\n    </testcase>\n", file);
}

static size_t count_of(const struct xs_judged *judged, enum xs_outcome outcome) {
    size_t count = outcome == XS_OUTCOME_FAIL ? judged->expired_count : 0;
    for (size_t i = 0; i < judged->result_count; i++)
        count += judged->results[i].outcome == outcome;
    return count;
}

static void put_suite(FILE *file, const char *trace, size_t tests, size_t failures, size_t errors, size_t skipped) {
    fputs("  <testsuite", file);
    put_attribute(file, "name", trace);
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", tests, failures, errors,
            skipped);
}

static void put_unread(FILE *file, const char *trace) {
    put_suite(file, trace, 1, 0, 1, 0);
    put_case_name(file, "read");
    fputs(">\n      <error type=\"unread\" message=\"the trace cannot be read\"/>\n"
          "    </testcase>\n  </testsuite>\n",
          file);
}

void xs_check_junit(const struct xs_check *check, struct xs_out *out) {
    size_t tests = check->unread_count, failures = 0, errors = check->unread_count;
    for (size_t i = 0; i < check->count; i++) {
        tests += check->judged[i].result_count + check->judged[i].expired_count;
        failures += count_of(&check->judged[i], XS_OUTCOME_FAIL);
        errors += count_of(&check->judged[i], XS_OUTCOME_UNKNOWN);
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out->file);
    fprintf(out->file, "<testsuites name=\"xferspy check\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", tests,
            failures, errors);
    for (size_t i = 0; i < check->count; i++) {
        const struct xs_judged *judged = &check->judged[i];
        put_suite(out->file, judged->path, judged->result_count + judged->expired_count,
                  count_of(judged, XS_OUTCOME_FAIL), count_of(judged, XS_OUTCOME_UNKNOWN),
                  count_of(judged, XS_OUTCOME_ALLOWED));
        for (size_t k = 0; k < judged->result_count; k++)
            put_case(out->file, judged, &judged->results[k]);
        for (size_t k = 0; k < judged->expired_count; k++)
            put_expired(out->file, &check->terms->config->suppressions[judged->expired[k]]);
        fputs("  </testsuite>\n", out->file);
    }
    for (size_t i = 0; i < check->unread_count; i++)
        put_unread(out->file, check->unread[i]);
    fputs("</testsuites>\n", out->file);
}
