/* Holds what several printers say: text, Markdown, a job, the page, a diff. Each sentence stands here once, without
 * what its format puts around it: the full stop, markup, the end of the line. scripts/check-sentences finds duplicates.
 */
#ifndef XFERSPY_ANALYZER_WORDS_SENTENCES_H
#define XFERSPY_ANALYZER_WORDS_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

#define XS_NO_FINDINGS "No findings."
#define XS_NONE_PASSES "None that pass the filter."
#define XS_NONE_GIVES_TIME "None that would save time."
#define XS_NONE_CHANGED "None changed."
#define XS_MARKDOWN_HEADING "## Transfers: "
#define XS_KERNELS_NOT_RECORDED "; kernels were not recorded"

/* Text and Markdown word a few sentences differently. */
enum xs_say_form { XS_SAY_TEXT, XS_SAY_MARKDOWN };

#define XS_UP_TO "up to " /* before the largest saving, if the least is lower */

/* Says whether the least saving is so far below the most that "up to" is needed. */
bool xs_saving_is_range(const struct xs_saving *saves);

/* Writes "All repaired: saves up to 24.3 ms" */
void xs_say_total(struct xs_string *text, bool up_to, uint64_t ns);
/* Returns the head of a column of shares: "of run", "of recorded". */
const char *xs_share_column(const struct xs_recorded_time *recorded);
/* Writes "the 279 ms recorded" if a part of the run was recorded, else "279 ms". */
void xs_say_recorded(struct xs_string *text, const struct xs_recorded_time *recorded);
/* Writes " of 279 ms (8.7 %)" with `of` " of "; if a part of the run was recorded, " of the 279 ms recorded (8.7 %), of
 * a run of 1.30 s". If the time is more than that, ", some of it at the same time: the run took 279 ms", or with ": 279
 * ms were recorded". Nothing if the run's time is 0. */
void xs_say_of_run(struct xs_string *text, const char *of, uint64_t ns, const struct xs_recorded_time *recorded);
/* Writes "All repaired: saves 141 ms, 300 ms would become 159 ms (-47 %)."; "the 300 ms recorded would become" if a
 * part of the run was recorded. Nothing if nothing is saved. */
void xs_say_total_of_run(struct xs_string *text, const struct xs_diagnosis *diagnosis);

/* Writes "0.8 % of the run" behind `before`, or that some of it was at the same time; nothing if the run's time is 0.
 */
void xs_say_share(struct xs_string *text, const char *before, uint64_t ns, const struct xs_recorded_time *recorded);
/* Writes "saves up to 782 us, 0.8 % of the run"; `bound` is "" or XS_UP_TO. */
void xs_say_gain(struct xs_string *text, const char *bound, uint64_t ns, const struct xs_recorded_time *recorded);
/* Returns the least, if it is worth saying beside the most; 0: it is under a hundredth of the most. */
uint64_t xs_saving_least(uint64_t least_ns, uint64_t most_ns);
/* Writes "484 ms", "up to 484 ms (6.05 ms or more)" */
void xs_say_saving(struct xs_string *text, const struct xs_saving *saves);
/* Writes "saves up to 484 ms (6.05 ms or more), 55 % of the run" */
void xs_say_gain_between(struct xs_string *text, const struct xs_saving *saves,
                         const struct xs_recorded_time *recorded);

/* How much a finding is about, in all: what was found, plus the estimate for copies whose contents were not looked at.
 */
struct xs_amount {
    uint64_t instances, transfers, bytes;
    bool about;   /* the amount is an estimate */
    double times; /* ratio to what was found; 1 if it is no estimate */
};
struct xs_amount xs_amount_in_all(const struct xs_sample *sample, uint64_t instances, uint64_t transfers,
                                  uint64_t bytes);
/* Scales a time that was measured for the found instances to all. */
uint64_t xs_amount_ns(const struct xs_amount *amount, uint64_t ns);
/* Writes "9", "about 199" */
void xs_say_count(struct xs_string *text, const struct xs_amount *amount);
/* Writes "9 (18 transfers), 72.0 MiB", "about 199, 1.55 GiB" */
void xs_say_amount(struct xs_string *text, const struct xs_amount *amount);

/* Writes "2 more causes, 3 findings beneath the causes, 1 of advice"; nothing if all is 0. */
void xs_say_rest(struct xs_string *text, size_t causes, size_t beneath, size_t advice);

/* Writes "3 smaller causes (1.20 ms together), 2 of advice"; nothing if both are 0. */
void xs_say_other_causes(struct xs_string *text, size_t causes, uint64_t ns, size_t advice);

/* Writes "SIMULATED GPU in rank 3: times are a model's, not measurements"; `who` NULL: the only trace, or both. */
void xs_say_simulated(struct xs_string *text, const char *who, const char *times);

#endif
