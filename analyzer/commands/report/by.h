/* Prints `report --by`: totals of the transfers by call site, function, file, ..., as a table or as JSON. */
#ifndef XFERSPY_ANALYZER_COMMANDS_REPORT_BY_H
#define XFERSPY_ANALYZER_COMMANDS_REPORT_BY_H

#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/findings/engine/findings.h"
#include "analyzer/totals/summary/summary_by.h"

/* `top`: the number of rows; 0: as many as fit a screen, or, in JSON, all. */
void xs_by_text(const struct xs_by *by, const struct xs_findings *findings, size_t top, struct xs_out *out);
void xs_by_json(const struct xs_by *by, size_t top, struct xs_json *json);

#endif
