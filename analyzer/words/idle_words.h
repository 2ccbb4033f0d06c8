/* Says why devices were idle, in words for people and in JSON for programs. */
#ifndef XFERSPY_ANALYZER_WORDS_IDLE_WORDS_H
#define XFERSPY_ANALYZER_WORDS_IDLE_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

extern const char *const xs_idle_reason_names[XS_IDLE_REASONS];

/* Writes "the download at solver.cu:20 in step", or "the launch (cuLaunchKernel)" for a call without a place, escaped.
 */
void xs_idle_call_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_call *call);

/* Returns the word for the kind of a call that the key "kind" has. */
const char *xs_idle_call_kind(const struct xs_findings *findings, const struct xs_idle_call *call);

/* Writes the keys "kind" and "direction" of a call into the open object. */
void xs_idle_kind_json(struct xs_json *json, const struct xs_findings *findings, const struct xs_idle_call *call);

/* Writes the call as an object; null if it is not known. */
void xs_idle_call_json(struct xs_json *json, const char *key, const struct xs_findings *findings,
                       const struct xs_idle_call *call);

/* Writes what the program did, as the end of a sentence that begins with "the device was idle while the program": "ran
 * its own code after the download at solver.cu:20 in step, before the launch (cuLaunchKernel)". The text is escaped.
 * `steps` is the number of steps that `row` is about; 0: the run has no steps. */
void xs_idle_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row,
                 size_t steps);

/* Returns the line at which most samples of a row are; NULL: there are no samples. */
const struct xs_frame *xs_idle_sampled_frame(const struct xs_findings *findings, const struct xs_idle_row *row);

/* Writes "mostly at ema.py:23 in step (`weight.mul_(decay)`)", escaped. `place`: xs_pause_sample.place, not 0. */
void xs_worked_say(struct xs_string *text, const struct xs_findings *findings, uint32_t place);

/* True if at least half of the row's samples are at the line of xs_idle_sampled_frame. */
bool xs_idle_is_mostly(const struct xs_idle_row *row);

/* Returns the line of the function that made both calls of a row through other functions (shared_frame.h); NULL: there
 * is none. */
const struct xs_frame *xs_idle_shared_frame(const struct xs_findings *findings, const struct xs_idle_row *row);

/* Returns the average time between two launches that follow each other directly; 0: the row has no such launches. */
uint64_t xs_idle_apart_ns(const struct xs_idle_row *row);

/* True if the device was idle for most of the time between the launches of xs_idle_apart_ns. */
bool xs_idle_is_launch_bound(const struct xs_idle_row *row);

/* Writes the key "idle" into the open object; null if the diagnosis has no idle times. */
void xs_idle_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);

#endif
