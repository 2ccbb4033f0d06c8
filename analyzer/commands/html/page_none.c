/* In place of the page, where it could not be built. */
#include "analyzer/commands/html/page.h"

struct xs_html_part xs_html_page_head(void) {
    return (struct xs_html_part){NULL, 0};
}
struct xs_html_part xs_html_page_tail(void) {
    return (struct xs_html_part){NULL, 0};
}
