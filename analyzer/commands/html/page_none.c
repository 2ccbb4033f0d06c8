/* Replaces the page in a build that could not make it. */
#include "analyzer/commands/html/page.h"

struct xs_html_part xs_html_page_head(void) {
    return (struct xs_html_part){NULL, 0};
}
struct xs_html_part xs_html_page_tail(void) {
    return (struct xs_html_part){NULL, 0};
}
