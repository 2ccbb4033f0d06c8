/* Says what waits waited for, and whether it pays not to wait, in words for people and in JSON for programs. */
#ifndef XFERSPY_ANALYZER_WORDS_WAIT_WORDS_H
#define XFERSPY_ANALYZER_WORDS_WAIT_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Writes "the kernel gemm (80 %) and its own copy (20 %)", escaped; nothing if it is not known what these calls waited
 * for. */
void xs_wait_say_work(struct xs_string *text, const struct xs_findings *findings, const struct xs_wait_row *row);

/* Writes why it saves nothing not to wait: "the device is busy 97 % of the step". */
void xs_wait_say_why_nothing(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                             const struct xs_wait_row *row);

/* Returns how many waits of a row there are in a step of the run, on average, as "1.00"; "" if there are no steps, or
 * if the row waits in less than one of ten. */
const char *xs_wait_times_a_step(char buffer[static 16], const struct xs_diagnosis *diagnosis,
                                 const struct xs_wait_row *row);

/* Writes the key "waits" into the open object; null if the diagnosis does not have them. */
void xs_waits_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);

/* Writes how often a place waited, how long, and what it would save not to, as keys of the open object. */
void xs_wait_numbers_json(struct xs_json *json, const struct xs_wait_row *row);

#endif
