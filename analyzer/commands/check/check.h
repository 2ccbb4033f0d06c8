/* Prints the results of `xferspy check`: for people, as JSON, JUnit XML and SARIF, and as lines that GitHub shows next
 * to the source lines. All numbers come from struct xs_judged. Each format escapes the texts of traces by its own
 * rules. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_CHECK_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_CHECK_H

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/check/judge.h"

#define XS_CHECK_JSON_VERSION 1

struct xs_check {
    const struct xs_check_terms *terms;
    const char *baseline_path; /* NULL: none */
    bool default_rules;        /* no rules were given */
    const char *source_root;   /* the folder that source names are relative to; NULL: the run's folder */
    const struct xs_judged *judged;
    size_t count;
    enum xs_outcome outcome;   /* the worst outcome of all judged traces */
    const char *const *unread; /* names of the traces that could not be read; not escaped */
    size_t unread_count;
    bool incomplete; /* a trace that the user named was not judged; the check then does not pass, whatever the outcome
                        of the others */
};

void xs_check_text(const struct xs_check *check, struct xs_out *out);
void xs_check_json(const struct xs_check *check, struct xs_out *out);
void xs_check_junit(const struct xs_check *check, struct xs_out *out);
void xs_check_sarif(const struct xs_check *check, struct xs_out *out);
void xs_check_github(const struct xs_check *check, struct xs_out *out);

/* --- shared by the formats: check_words.c --- */

/* xs_check_value writes the value of a rule: "9 instances", "saves up to 6.30 ms (6.3 % of the run)", "not known".
 * xs_check_limit writes the limit, and the baseline's value if there is one: "10 (9 in the baseline)". The texts are
 * not escaped. */
void xs_check_value(struct xs_string *text, const struct xs_judged *judged, const struct xs_rule_result *result);
void xs_check_limit(struct xs_string *text, const struct xs_judged *judged, const struct xs_rule_result *result);
/* Writes the value and the limit: "9 instances, limit 0", or the reason if the value is not known. */
void xs_check_sentence(struct xs_string *text, const struct xs_judged *judged, const struct xs_rule_result *result);
/* Writes "9, 72.0 MiB, saves 6.30 ms". */
void xs_check_amount(struct xs_string *text, const struct xs_check_finding *finding);
/* Describes an expired suppression: "expired on 2026-12-31, and is needed still", followed by details. */
void xs_check_expired(struct xs_string *text, const struct xs_suppression *suppression);
#define XS_CHECK_UNREAD "cannot be read, and was not judged" /* the text about a trace that could not be read */
/* Describes a suppression: "xferspy.check:3 (noop-upload in warm_up): its reason". */
void xs_check_suppression(struct xs_string *text, const struct xs_suppression *suppression);

/* Writes the path of a finding's file: relative to the source root if the file is below it, else as the trace has it.
 * For code without source lines, writes the name of the library or the program. The text is not escaped. `*absolute` is
 * true if the written path is absolute. */
void xs_check_path(struct xs_string *text, const struct xs_check *check, const struct xs_judged *judged,
                   const struct xs_check_finding *finding, bool *absolute);

/* The largest number of places in a list of places. */
enum { XS_CHECK_PLACES = 5 };

#endif
