/* A diff for people, for programs and for a pull request. Printing only: every number is in struct xs_diff. */
#ifndef XFERSPY_ANALYZER_DIFF_DIFF_WORDS_H
#define XFERSPY_ANALYZER_DIFF_DIFF_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/diff/diff.h"

enum { XS_DIFF_JSON_VERSION = 1 };

struct xs_diff_view {
    size_t top; /* findings and call sites that are shown, each; 0: as many as fit a screen, of JSON all */
    bool all;   /* also what is small, and what did not change */
};

void xs_diff_text(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out);
void xs_diff_markdown(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out);
void xs_diff_json(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_json *json);

/* --- diff_words.c: what the three of them say; ASCII, and nothing of a trace in it but where `place` is added --- */

/* "It paid: 2.41 s -> 1.98 s (-18 %), of which 390 ms is transfer time that is gone." */
void xs_diff_conclusion(struct xs_string *text, const struct xs_diff *c);
enum xs_style xs_diff_conclusion_style(const struct xs_diff *c);
/* What the conclusion rests on: how many runs, their ranges, and what could be told of them. */
void xs_diff_spread(struct xs_string *text, const struct xs_diff *c);

/* "predicted: saves up to 103 ms (all repaired: 111 ms); achieved: 138 ms less", with too few runs to know the noise
 * "measured: 138 ms less (one run each)"; nothing where nothing is gone. Where a finding could not be made in AFTER,
 * whether it is gone is not known, and so is what was predicted. */
void xs_diff_gain(struct xs_string *text, const struct xs_diff *c);
/* "24.9 ms before and 11.6 ms after, which no time of the run above has"; nothing where the times are whole. */
void xs_diff_own(struct xs_string *text, const struct xs_diff *c);

/* "gone", "new", "grew", "shrank", "same", "unchecked", "time only"; with a sign before it that needs no colour. */
const char *xs_diff_kind(enum xs_change_kind kind);
/* The same where the number that is shown next is `next`: "> grew in size" if that one did not grow. */
void xs_diff_kind_before(struct xs_string *text, const struct xs_change *change, enum xs_measure next);
enum xs_style xs_diff_kind_style(enum xs_change_kind kind);

/* "12.3 ms", "1.20 GiB", "12,345"; "-" where it is not known. */
void xs_diff_value(struct xs_string *text, enum xs_metric_unit unit, const struct xs_spread *value);
enum xs_metric_unit xs_diff_unit(enum xs_measure measure);
/* "12.3 ms -> 1.20 ms", or one of them where they are the same. */
void xs_diff_values(struct xs_string *text, enum xs_metric_unit unit, const struct xs_difference *difference);
/* The same of a finding's change, of one side and of both; a count or a time that is an estimate is "about
 * 199". */
void xs_diff_amount(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                    enum xs_measure measure, bool after);
void xs_diff_amounts(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change,
                     enum xs_measure measure);
/* Whether such an estimate is in it. */
bool xs_diff_about(const struct xs_diff *c, const struct xs_change *change);
/* What stands behind the change of one of the run's numbers: "within spread"; of a time that changed, where its noise
 * is not known, "one run each" or "too few runs"; else NULL. */
const char *xs_diff_doubt(const struct xs_diff *c, enum xs_metric metric);
/* "-18 %", "+0.4 %", "gone", "new", "" where nothing changed or it is not known. */
void xs_diff_percent(struct xs_string *text, const struct xs_difference *difference);

/* Where a change is: the place after, else that before; as xs_place_of_site says it, escaped. */
void xs_diff_place(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after);
/* The place that a side has at an index, without its entry point; that alone where there is no more. */
void xs_diff_side_place(struct xs_string *text, const struct xs_side *side, uint32_t index);
/* What became of the place: "was at a.cu:12", "was cuMemcpyHtoD_v2"; "" where it is as it was. Escaped. */
void xs_diff_moved(struct xs_string *text, const struct xs_diff *c, uint32_t before, uint32_t after);
const struct xs_side_finding *xs_diff_finding(const struct xs_diff *c, const struct xs_change *change);
/* The places of a finding's change: of the other side by its match. */
void xs_diff_finding_places(const struct xs_diff *c, const struct xs_change *change, uint32_t *before, uint32_t *after);
/* "noop-upload/kind" */
void xs_diff_finding_kind(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change);

#endif
