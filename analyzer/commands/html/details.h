/* What the page shows of each finding beside its numbers: the line's text, the rows that it is about, and the stack of
 * the first of them. */
#ifndef XFERSPY_ANALYZER_HTML_DETAILS_H
#define XFERSPY_ANALYZER_HTML_DETAILS_H

#include "analyzer/base/json.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "schema/read/trace.h"

enum { XS_HTML_FINDINGS = 200, XS_HTML_CAUSE_FINDINGS = 100, XS_HTML_INSTANCES = 4, XS_HTML_STACKS = 60 };

/* "details": [...], one for each of the first `count` findings, of the object that is open. Negative status: the
 * message is set. */
int xs_html_details_json(const struct xs_trace *trace, const struct xs_diagnosis *diagnosis, size_t count,
                         struct xs_json *json, char *message);

#endif
