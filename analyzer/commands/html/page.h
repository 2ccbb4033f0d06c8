/* The page's own parts, before and after the document. They are made from analyzer/commands/html/web and embedded at
 * build time. */
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
