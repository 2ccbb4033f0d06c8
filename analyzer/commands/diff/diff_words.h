/* Prints a diff for people, for programs and for a pull request. The functions only print: every number is in struct
 * xs_diff. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_WORDS_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/diff/diff.h"

enum { XS_DIFF_JSON_VERSION = 1 };

struct xs_diff_view {
    size_t top; /* number of findings, and of call sites, that are shown; 0: as many as fit a screen, or, in JSON,
                 * all */
    bool all;   /* small and unchanged findings and call sites are shown, too */
};

void xs_diff_text(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out);
void xs_diff_markdown(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out);
void xs_diff_json(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_json *json);

/* --- diff_words.c: functions that write texts for all three formats. The texts are ASCII, except for text of a trace
 * in the names of places, findings and entry points. --- */

/* Writes "It paid: 2.41 s -> 1.98 s (-18 %), of which 390 ms is transfer time that is gone." */
void xs_diff_conclusion(struct xs_string *text, const struct xs_diff *c);
enum xs_style xs_diff_conclusion_style(const struct xs_diff *c);
/* Writes what the conclusion is based on: how many runs, the ranges of their times, and the smallest difference that
 * they can show. */
void xs_diff_spread(struct xs_string *text, const struct xs_diff *c);

/* Writes "predicted: saves up to 103 ms (all repaired: 111 ms); achieved: 138 ms less", or, if there are too few runs
 * to know the noise, "measured: 138 ms less (one run each)". Writes nothing if `known` of struct xs_prediction is
 * false. If `unchecked` is set there, writes that the prediction is not known, and which finding could not be checked.
 */
void xs_diff_gain(struct xs_string *text, const struct xs_diff *c, bool is_sentence);
/* Writes "24.9 ms of the run before and 11.6 ms of the run after are xferspy's own time, which is not counted"; writes
 * nothing if the compared times include xferspy's time, or are of runs without xferspy. */
void xs_diff_own(struct xs_string *text, const struct xs_diff *c);

/* Returns "- gone", "+ new", "> grew", "< shrank", "= same", "? unchecked" or "~ time only". The sign shows the kind
 * without colour. */
const char *xs_diff_kind(enum xs_change_kind kind);
/* Writes the kind of a change; the measure `next` is printed after it. If `next` changed in the other direction or not
 * at all, also writes which measure the kind is about: "> grew in size". */
void xs_diff_kind_before(struct xs_string *text, const struct xs_change *change, enum xs_measure next);
enum xs_style xs_diff_kind_style(enum xs_change_kind kind);

/* Writes "12.3 ms", "1.20 GiB" or "12,345"; "-" if not known. */
void xs_diff_value(struct xs_string *text, enum xs_metric_unit unit, const struct xs_spread *value);
enum xs_metric_unit xs_diff_unit(enum xs_measure measure);
/* Writes "12.3 ms -> 1.20 ms", or one value if both are the same. */
void xs_diff_values(struct xs_string *text, enum xs_metric_unit unit, const struct xs_difference *difference);
/* These functions write a finding's amount on one side, or on both sides; an estimated count or time is "about 199". */
void xs_diff_amount(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                    enum xs_measure measure, bool after);
void xs_diff_amounts(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                     enum xs_measure measure);
/* True if the change contains an estimated count or time. */
bool xs_diff_about(const struct xs_diff *c, const struct xs_change *change);
/* Returns a remark to be printed after a change of one of the run's numbers, if the change is not certain: "within
 * spread"; for a time whose noise is not known, "one run each" or "too few runs"; else NULL. */
const char *xs_diff_doubt(const struct xs_diff *c, enum xs_metric metric);
/* Writes "-18 %", "+0.4 %", "gone", "new", or nothing if nothing changed or the change is not known. */
void xs_diff_percent(struct xs_string *text, const struct xs_difference *difference);

/* Writes the place of a change, as xs_place_of_site writes it, escaped: the place in AFTER, or, if there is none, the
 * place in BEFORE. */
void xs_diff_place(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after);
/* Writes a place of a side, with or without its entry point, or only the entry point if nothing else is known. */
void xs_diff_side_place(struct xs_string *text, const struct xs_side *side, uint32_t index, bool entry_point);
/* Writes how the place changed: "was at a.cu:12", "was cuMemcpyHtoD_v2"; "" if it is unchanged. The text is escaped. */
void xs_diff_moved(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after);
const struct xs_side_finding *xs_diff_finding(const struct xs_diff *c, const struct xs_change *change);
/* Sets `before` and `after` to the places of a finding's change. If only one side has the finding, the other place is
 * XS_UNMATCHED. */
void xs_diff_finding_places(const struct xs_diff *c, const struct xs_change *change, uint32_t *before, uint32_t *after);
/* Writes the kind of a finding, such as "noop-upload". */
void xs_diff_finding_kind(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change);

#endif
