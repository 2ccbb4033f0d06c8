/* Says what waits waited for, and whether it pays not to wait, in words for people and in JSON for programs. */
#ifndef XFERSPY_ANALYZER_WORDS_WAIT_WORDS_H
#define XFERSPY_ANALYZER_WORDS_WAIT_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Writes what the calls of a row waited for, for example "the kernel gemm (80 %) and its own copy (20 %)". Names are
 * escaped. Writes nothing if it is not known what these calls waited for. */
void xs_wait_say_work(struct xs_string *text, const struct xs_findings *findings, const struct xs_wait_row *row);

/* Writes why the run would save nothing if these calls did not wait, for example "the device is busy 97 % of the
 * step". */
void xs_wait_say_why_nothing(struct xs_string *text, const struct xs_diagnosis *diagnosis,
                             const struct xs_wait_row *row);

/* Returns the average number of the row's waits in a step, for example "1.00". Returns "" if the run has no steps, or
 * if the row has fewer waits than a tenth of the number of steps. */
const char *xs_wait_times_a_step(char buffer[static 16], const struct xs_diagnosis *diagnosis,
                                 const struct xs_wait_row *row);

/* Writes the key "waits" into the open object. The value is null if the diagnosis has no information about waits. */
void xs_waits_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);

/* Writes the numbers of a row as keys of the open object: how often and how long its calls waited, how long the device
 * was busy and idle, and how much time the run would save if the calls did not wait. */
void xs_wait_numbers_json(struct xs_json *json, const struct xs_wait_row *row);

#endif
