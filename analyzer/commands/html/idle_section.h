/* Writes the page's section on the idle time of devices, and on how much time the run would save without the host's
 * waits. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_IDLE_SECTION_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_IDLE_SECTION_H

#include "analyzer/base/json.h"
#include "analyzer/savings/causes/diagnosis.h"

/* The page shows at most this many rows of idle time. */
enum { XS_HTML_IDLE_ROWS = 64 };

/* Writes "idle": {...} into the open object: the devices with their idle time by reason, the largest rows, and the
 * waits. The rows have one array for each column, and the waits are an array of objects. Both refer to a place by its
 * index in "places". */
void xs_html_idle_json(const struct xs_diagnosis *diagnosis, struct xs_json *json);

#endif
