/* Writes everything that the page shows as one JSON document: {"format": "xferspy-html", "version": 1, "runs": [...],
 * ...}. Each run has the report of `report --json`, and the data of the page's charts. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_DOCUMENT_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_DOCUMENT_H

#include "analyzer/base/json.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/totals/summary/summary_by.h"
#include "analyzer/totals/timeline/marks.h"

#define XS_HTML_JSON_VERSION 1

/* A trace that was read for the page. The struct must not be moved. */
struct xs_html_run_of {
    struct xs_reading reading;
    struct xs_marks marks;
    struct xs_marks claims;
    struct xs_by by; /* totals by call site */
};

/* Returns an exit status. After a failure, a message was printed, and nothing is left to be closed. */
int xs_html_run_open(const char *path, struct xs_html_run_of *run);
void xs_html_run_close(struct xs_html_run_of *run);

/* Writes the document of one or two runs. Negative status: the message is set. */
int xs_html_document(struct xs_html_run_of *runs, size_t count, struct xs_json *json, char *message);

#endif
