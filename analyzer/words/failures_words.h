/* Describes failed CUDA calls, for people and for programs. */
#ifndef XFERSPY_ANALYZER_WORDS_FAILURES_WORDS_H
#define XFERSPY_ANALYZER_WORDS_FAILURES_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/totals/summary/summary_failures.h"

/* Says what a user can do if CUPTI was attached when the device failed. */
#define XS_FAILED_WITH_CUPTI                                                                                           \
    "CUPTI was attached then: if the program runs well without xferspy, record it with XFERSPY_CUPTI=off"

/* Writes "CUDA calls fail: CUDA_ERROR_ILLEGAL_ADDRESS since 1.20 s, 39 calls, first cuMemcpyDtoH_v2 at app.cu:88";
 * nothing if no call failed, or only harmless calls failed. The text is escaped. */
void xs_failures_say(struct xs_string *text, const struct xs_failures *failures, const struct xs_findings *findings);

/* Writes the key "failures" into the open object. */
void xs_failures_json(const struct xs_failures *failures, const struct xs_findings *findings, struct xs_json *json);

#endif
