/* Writes what the page shows of each finding in addition to its numbers: the text of its source line, the rows that
 * prove it, and the stack of the first of these rows. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_DETAILS_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_DETAILS_H

#include "analyzer/base/json.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "schema/read/trace.h"

enum { XS_HTML_FINDINGS = 200, XS_HTML_CAUSE_FINDINGS = 100, XS_HTML_INSTANCES = 4, XS_HTML_STACKS = 60 };

/* Writes "details": [...] into the open object, one item for each of the first `count` findings. Negative status:
 * the message is set. */
int xs_html_details_json(const struct xs_trace *trace, const struct xs_diagnosis *diagnosis, size_t count,
                         struct xs_json *json, char *message);

#endif
