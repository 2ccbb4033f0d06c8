/* `xferspy check --format=github`: workflow commands, which GitHub Actions shows at the source lines that they name. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/commands/check/check.h"

/* Writes a text. First it is escaped as for people, so that it cannot begin another command or move the cursor of the
 * log; then by GitHub's rules, which escape more characters in values of properties. */
static void put(FILE *file, const char *text, bool property) {
    char *escaped = xs_text_escaped(text);
    for (const char *p = escaped; *p; p++)
        if (*p == '%' || (property && (*p == ':' || *p == ',')))
            fprintf(file, "%%%02X", (unsigned)*p);
        else
            putc(*p, file);
    free(escaped);
}

static void put_place(const struct xs_check *check, const struct xs_judged *judged, const struct xs_rule_result *r,
                      const struct xs_check_finding *f, FILE *file) {
    XS_SCOPED_STRING path = {0}, amount = {0};
    bool absolute;
    xs_check_path(&path, check, judged, f, &absolute);
    xs_check_amount(&amount, f);
    fputs("::error ", file);
    if (f->is_source) {
        fputs("file=", file);
        put(file, path.data, true);
        if (f->line)
            fprintf(file, ",line=%" PRIu32, f->line);
        putc(',', file);
    }
    fputs("title=", file);
    put(file, f->kind, true);
    fputs("::", file);
    put(file, amount.data, false);
    fputs(" at ", file);
    put(file, f->place, false);
    fputs(" (", file);
    put(file, r->rule->text, false);
    fputs(")\n", file);
}

static void put_line(const char *command, const char *title, const char *text, FILE *file) {
    fprintf(file, "::%s title=", command);
    put(file, title, true);
    fputs("::", file);
    put(file, text, false);
    putc('\n', file);
}

static void put_result(const struct xs_check *check, const struct xs_judged *judged, const struct xs_rule_result *r,
                       FILE *file) {
    if (r->outcome == XS_OUTCOME_PASS)
        return;
    XS_SCOPED_STRING title = {0}, sentence = {0};
    xs_string_format(&title, "xferspy %s", r->rule->text);
    xs_string_format(&sentence, "%s: ", judged->path);
    xs_check_sentence(&sentence, judged, r);
    put_line(r->outcome == XS_OUTCOME_ALLOWED ? "warning" : "error", title.data, sentence.data, file);
    for (size_t i = 0; r->outcome == XS_OUTCOME_FAIL && i < r->place_count && i < XS_CHECK_PLACES; i++)
        put_place(check, judged, r, &judged->findings.items[r->places[i]], file);
}

void xs_check_github(const struct xs_check *check, struct xs_out *out) {
    for (size_t i = 0; i < check->count; i++) {
        const struct xs_judged *judged = &check->judged[i];
        for (size_t k = 0; k < judged->result_count; k++)
            put_result(check, judged, &judged->results[k], out->file);
        for (size_t k = 0; k < judged->expired_count; k++) {
            const struct xs_suppression *s = &check->terms->config->suppressions[judged->expired[k]];
            XS_SCOPED_STRING text = {0};
            xs_check_expired(&text, s);
            put_line("error", "xferspy suppression", text.data, out->file);
        }
    }
    for (size_t i = 0; i < check->unread_count; i++) {
        XS_SCOPED_STRING text = {0};
        xs_string_format(&text, "%s: %s", check->unread[i], XS_CHECK_UNREAD);
        put_line("error", "xferspy check", text.data, out->file);
    }
}
