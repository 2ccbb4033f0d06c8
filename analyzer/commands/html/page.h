/* Returns the parts of the page that come before and after the JSON document. The build makes them from
 * analyzer/commands/html/web and embeds them in the program. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_PAGE_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_PAGE_H

#include <stddef.h>

struct xs_html_part {
    const char *bytes;
    size_t count; /* 0: the program was built without the page */
};
struct xs_html_part xs_html_page_head(void);
struct xs_html_part xs_html_page_tail(void);

#endif
