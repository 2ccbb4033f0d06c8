/* JSON on its way into a page: a stream that leaves out blanks, writes what could end a script element as escapes, and
 * bounds every text, so that no text of a trace becomes markup or makes the page large. */
#ifndef XFERSPY_ANALYZER_HTML_STREAM_H
#define XFERSPY_ANALYZER_HTML_STREAM_H

#include <stdint.h>
#include <stdio.h>

enum { XS_HTML_TEXT_LIMIT = 1000 }; /* characters of one text; what is longer ends in U+2026 */

struct xs_html_stream {
    FILE *to;
    uint64_t written;             /* bytes */
    unsigned characters;          /* of the text at hand */
    char escape[4];               /* digits of \uXXXX */
    unsigned digits, escape_left; /* bytes of \uXXXX that are to come */
    int in_text, after_backslash, cut;
};

/* A stream that writes to `to` what is written to it; `stream` has to live until it is closed. What is written has to
 * be JSON of struct xs_json. NULL: no memory. Closing it leaves `to` open. */
FILE *xs_html_stream_open(struct xs_html_stream *stream, FILE *to);

#endif
