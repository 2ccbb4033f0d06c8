/* Says why devices were idle, and what the run would save without waits, in words for people and in JSON for programs.
 */
#ifndef XFERSPY_ANALYZER_WORDS_IDLE_WORDS_H
#define XFERSPY_ANALYZER_WORDS_IDLE_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/savings/causes/diagnosis.h"

extern const char *const xs_idle_reason_names[XS_IDLE_REASONS];

/* Writes the keys "kind" and "direction" of a call into the open object. `kind`: enum xs_model_kind. */
void xs_idle_kind_json(struct xs_json *json, unsigned kind, unsigned direction);

/* Writes what the program did, as the end of a sentence that begins with "the device was idle while the program": "ran
 * its own code after the download at solver.cu:20 in step, before the launch (cuLaunchKernel)". The text is escaped. */
void xs_idle_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_idle_row *row);

/* Writes "the download at solver.cu:20 in step", escaped. */
void xs_wait_say(struct xs_string *text, const struct xs_findings *findings, const struct xs_wait_row *row);

/* Writes the keys "idle" and "waits" into the open object; null if the diagnosis does not have them. */
void xs_idle_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);
void xs_waits_json(struct xs_json *json, const struct xs_diagnosis *diagnosis);

/* Writes how often and how long the host waited at a place, and what the run would save without these waits, as keys of
 * the open object. */
void xs_wait_numbers_json(struct xs_json *json, const struct xs_wait_row *row);

#endif
