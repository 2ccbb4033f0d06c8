/* This stream writes JSON inside an HTML page. It leaves out blanks, escapes characters that could end a script
 * element, and limits the length of every text, so that no text of a trace becomes markup or makes the page large. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_STREAM_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_STREAM_H

#include <stdint.h>
#include <stdio.h>

enum { XS_HTML_TEXT_LIMIT = 1000 }; /* characters of one text; a longer one ends in U+2026 */

struct xs_html_stream {
    FILE *to;
    uint64_t written;             /* bytes */
    unsigned characters;          /* number of characters of the current text so far */
    char escape[4];               /* digits of \uXXXX */
    unsigned digits, escape_left; /* digits: number of digits in `escape`; escape_left: number of digits of \uXXXX that
                                     are still to be read */
    int in_text, after_backslash, cut;
};

/* Opens a stream that writes to `to`. Its input must be JSON from struct xs_json. `stream` must live until the stream
 * is closed; `to` stays open. Returns NULL if there is no memory. */
FILE *xs_html_stream_open(struct xs_html_stream *stream, FILE *to);

#endif
