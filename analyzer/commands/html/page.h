/* Declares the parts of the page that come before and after the JSON document. The build makes these parts from
 * analyzer/commands/html/web, and page.S embeds them in the program. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_PAGE_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_PAGE_H

#include <stdint.h>

extern const char xs_html_head[], xs_html_tail[];
extern const uint64_t xs_html_head_bytes, xs_html_tail_bytes; /* 0: the program was built without the page */

#endif
