/* Writes the page's section on the idle time of devices, and on whether waits pay. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_IDLE_SECTION_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_IDLE_SECTION_H

#include "analyzer/base/json.h"
#include "analyzer/savings/causes/diagnosis.h"

/* The most rows of idle time that fit into a page. */
enum { XS_HTML_IDLE_ROWS = 64 };

/* Writes "idle": {...} into the open object: the devices with their idle time by reason, the largest rows, and the
 * waits. Rows and waits are arrays by column, and name places by index. */
void xs_html_idle_json(const struct xs_diagnosis *diagnosis, struct xs_json *json);

#endif
