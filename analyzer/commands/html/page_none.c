/* Replaces the page in a build that could not make it. */
#include "analyzer/commands/html/page.h"

const char xs_html_head[] = "", xs_html_tail[] = "";
const uint64_t xs_html_head_bytes = 0, xs_html_tail_bytes = 0;
