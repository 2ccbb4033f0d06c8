/* Words a diff for people, for programs and for a pull request. Printing only: every number is in struct xs_diff. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_WORDS_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/diff/diff.h"

enum { XS_DIFF_JSON_VERSION = 1 };

struct xs_diff_view {
    size_t top; /* findings and call sites to be shown, each; 0: as many as fit a screen, in JSON all */
    bool all;   /* shows also what is small, and what did not change */
};

void xs_diff_text(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out);
void xs_diff_markdown(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out);
void xs_diff_json(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_json *json);

/* --- diff_words.c: texts for all three formats; ASCII, and text of a trace only where `place` is added --- */

/* Writes "It paid: 2.41 s -> 1.98 s (-18 %), of which 390 ms is transfer time that is gone." */
void xs_diff_conclusion(struct xs_string *text, const struct xs_diff *c);
enum xs_style xs_diff_conclusion_style(const struct xs_diff *c);
/* Writes what the conclusion rests on: how many runs, their ranges, and what they could tell. */
void xs_diff_spread(struct xs_string *text, const struct xs_diff *c);

/* Writes "predicted: saves up to 103 ms (all repaired: 111 ms); achieved: 138 ms less", with too few runs to know the
 * noise "measured: 138 ms less (one run each)"; nothing if nothing is gone. If AFTER could not show a finding, it is
 * not known whether that is gone, nor what was predicted. */
void xs_diff_gain(struct xs_string *text, const struct xs_diff *c, bool is_sentence);
/* Writes "24.9 ms before and 11.6 ms after, which no time of the run above has"; nothing if the times are whole. */
void xs_diff_own(struct xs_string *text, const struct xs_diff *c);

/* Returns "gone", "new", "grew", "shrank", "same", "unchecked" or "time only", after a sign that needs no colour. */
const char *xs_diff_kind(enum xs_change_kind kind);
/* Writes the kind before the number `next`: "> grew in size" if that number did not grow. */
void xs_diff_kind_before(struct xs_string *text, const struct xs_change *change, enum xs_measure next);
enum xs_style xs_diff_kind_style(enum xs_change_kind kind);

/* Writes "12.3 ms", "1.20 GiB" or "12,345"; "-" if not known. */
void xs_diff_value(struct xs_string *text, enum xs_metric_unit unit, const struct xs_spread *value);
enum xs_metric_unit xs_diff_unit(enum xs_measure measure);
/* Writes "12.3 ms -> 1.20 ms", or one value if both are the same. */
void xs_diff_values(struct xs_string *text, enum xs_metric_unit unit, const struct xs_difference *difference);
/* Write a finding's amount on one side, or on both; an estimated count or time is "about 199". */
void xs_diff_amount(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                    enum xs_measure measure, bool after);
void xs_diff_amounts(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                     enum xs_measure measure);
/* Says whether the change contains such an estimate. */
bool xs_diff_about(const struct xs_diff *c, const struct xs_change *change);
/* Returns what stands behind a change of one of the run's numbers: "within spread"; for a changed time with unknown
 * noise "one run each" or "too few runs"; else NULL. */
const char *xs_diff_doubt(const struct xs_diff *c, enum xs_metric metric);
/* Writes "-18 %", "+0.4 %", "gone", "new", "" if nothing changed or it is not known. */
void xs_diff_percent(struct xs_string *text, const struct xs_difference *difference);

/* Writes where a change is: the place after, else the place before; as xs_place_of_site says it, escaped. */
void xs_diff_place(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after);
/* Writes a side's place without its entry point; only the entry point if nothing else is known. */
void xs_diff_side_place(struct xs_string *text, const struct xs_side *side, uint32_t index);
/* Writes what became of the place: "was at a.cu:12", "was cuMemcpyHtoD_v2"; "" if it is unchanged. Escaped. */
void xs_diff_moved(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after);
const struct xs_side_finding *xs_diff_finding(const struct xs_diff *c, const struct xs_change *change);
/* Gets the places of a finding's change; the other side's place comes from the match. */
void xs_diff_finding_places(const struct xs_diff *c, const struct xs_change *change, uint32_t *before, uint32_t *after);
/* Writes "noop-upload/kind" */
void xs_diff_finding_kind(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change);

#endif
