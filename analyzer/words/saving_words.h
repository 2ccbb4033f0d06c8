/* Has the words for savings, amounts and shares of the run that several outputs share: the text report, Markdown, the
 * report of a job, the HTML page, and the comparison of two traces. Each sentence is here once, without what an output
 * adds to it: the full stop, markup, the end of the line. scripts/check-sentences finds duplicates. */
#ifndef XFERSPY_ANALYZER_WORDS_SAVING_WORDS_H
#define XFERSPY_ANALYZER_WORDS_SAVING_WORDS_H

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

/* A few sentences are not the same in text and in Markdown. */
enum xs_say_form { XS_SAY_TEXT, XS_SAY_MARKDOWN };

#define XS_UP_TO "up to " /* written before the largest saving if the least saving is lower */

/* True if the least saving is so far below the largest that "up to" is needed. */
bool xs_saving_is_interval(const struct xs_saving *saves);

/* Writes "All repaired: saves up to 24.3 ms"; "up to" only if `up_to` is true. */
void xs_say_total(struct xs_string *text, bool up_to, uint64_t ns);
/* Returns the heading of a column of shares: "of run", or "of recorded" if only a part of the run was recorded. */
const char *xs_share_column(const struct xs_recorded_time *recorded);
/* Writes "the 279 ms recorded" if only a part of the run was recorded, else "279 ms". */
void xs_say_recorded(struct xs_string *text, const struct xs_recorded_time *recorded);
/* Writes what share of the run `ns` is: " of 279 ms (8.7 %)" if `of` is " of "; if only a part of the run was recorded,
 * " of the 279 ms recorded (8.7 %), of a run of 1.30 s". If `ns` is longer than the run, writes ", some of it at the
 * same time: the run took 279 ms"; if only a part of the run was recorded and `ns` is longer than this part, ", some of
 * it at the same time: 279 ms were recorded, of a run of 1.30 s". Writes nothing if the run's time is 0. */
void xs_say_of_run(struct xs_string *text, const char *of, uint64_t ns, const struct xs_recorded_time *recorded);
/* Writes "All repaired: saves 141 ms, 300 ms would become 159 ms (-47 %)."; "the 300 ms recorded would become" if only
 * a part of the run was recorded. Writes nothing if nothing is saved. */
void xs_say_total_of_run(struct xs_string *text, const struct xs_diagnosis *diagnosis);

/* Writes `before` and then "0.8 % of the run", or, if `ns` is longer than the recorded time, "some of it at the same
 * time". Writes nothing if the run's time is 0. */
void xs_say_share(struct xs_string *text, const char *before, uint64_t ns, const struct xs_recorded_time *recorded);
/* Writes "saves up to 782 us, 0.8 % of the run"; `bound` is "" or XS_UP_TO. */
void xs_say_gain(struct xs_string *text, const char *bound, uint64_t ns, const struct xs_recorded_time *recorded);
/* Returns the least saving if an output should print it with the largest; 0 if it is under a hundredth of the largest.
 */
uint64_t xs_saving_least(uint64_t least_ns, uint64_t most_ns);
/* Writes "484 ms", or "up to 484 ms (6.05 ms or more)" for an interval. */
void xs_say_saving(struct xs_string *text, const struct xs_saving *saves);

/* How many copies a finding is about in all: those that were found, plus an estimate for copies whose contents were not
 * checked. */
struct xs_amount {
    uint64_t instances, transfers, bytes;
    bool about;   /* the amount is an estimate */
    double times; /* ratio to the number that was found; 1 if the amount is no estimate */
};
struct xs_amount xs_amount_in_all(const struct xs_sample *sample, uint64_t instances, uint64_t transfers,
                                  uint64_t bytes);
/* Scales a time that was measured for the found instances to all instances of the amount. */
uint64_t xs_amount_ns(const struct xs_amount *amount, uint64_t ns);
/* Writes "9", or "about 199" for an estimate. */
void xs_say_count(struct xs_string *text, const struct xs_amount *amount);
/* Writes "9 (18 transfers), 72.0 MiB", or "about 199, 1.55 GiB" for an estimate. */
void xs_say_amount(struct xs_string *text, const struct xs_amount *amount);

/* Writes "2 more causes, 3 findings beneath the causes, 1 piece of advice"; nothing if all three numbers are 0. */
void xs_say_rest(struct xs_string *text, size_t causes, size_t beneath, size_t advice);

/* Writes "3 smaller causes (saving 1.20 ms) and 2 pieces of advice are not shown"; nothing if both numbers are 0. */
void xs_say_other_causes(struct xs_string *text, size_t causes, uint64_t ns, size_t advice);

/* Writes "SIMULATED GPU in rank 3: times are a model's, not measurements"; `who` names the trace; NULL if there is only
 * one trace, or if both traces are of simulated GPUs. */
void xs_say_simulated(struct xs_string *text, const char *who, const char *times);

#endif
