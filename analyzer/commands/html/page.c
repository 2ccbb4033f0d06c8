/* The embedded page; its bytes are in page.S. */
#include "analyzer/commands/html/page.h"

#include <stdint.h>

extern const char xs_html_head[], xs_html_tail[];
extern const uint64_t xs_html_head_bytes, xs_html_tail_bytes;

struct xs_html_part xs_html_page_head(void) {
    return (struct xs_html_part){xs_html_head, (size_t)xs_html_head_bytes};
}

struct xs_html_part xs_html_page_tail(void) {
    return (struct xs_html_part){xs_html_tail, (size_t)xs_html_tail_bytes};
}
