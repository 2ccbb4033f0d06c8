/* Detours over the host, in words and as JSON (causes/detours.h). */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETOUR_WORDS_H
#define XFERSPY_ANALYZER_FINDINGS_DETOUR_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"

/* The detour that the finding's copies are part of; NULL: none. */
const struct xs_detour *xs_detour_of(const struct xs_findings *findings, const struct xs_finding *finding);

/* What the host does between the two copies, and what is saved if the device does it; sentences. Nothing where there
 * is no detour. Escaped. */
void xs_say_detour(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *finding);
/* The first of them, which has text of the trace, and the other, which has none. */
void xs_say_detour_work(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *finding);
void xs_say_detour_gain(struct xs_string *text, const struct xs_findings *findings, const struct xs_finding *finding);

/* "detour", where there is one; else nothing. */
void xs_detour_json(struct xs_json *json, const struct xs_findings *findings, const struct xs_finding *finding);

#endif
