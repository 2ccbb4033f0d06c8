/* Puts the lines that calls came from into a trace: function, file and line of each address, and the text of the user's
 * lines. A trace that has them is read without its binaries and sources, so that a rebuild of the program changes no
 * report.
 *
 * A trace may come from a stranger, so no file is read merely because a trace names it. See docs/develop/internals.md,
 * "Lines in the trace". */
#ifndef XFERSPY_ANALYZER_TRACE_LINES_LINES_H
#define XFERSPY_ANALYZER_TRACE_LINES_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/callsites.h"
#include "schema/read/trace.h"
#include "schema/source/source_file.h"

/* The reason for looking lines up decides which files may be read. */
enum xs_lines_reason {
    XS_LINES_RECORDED, /* `xferspy run` has just recorded the trace of its child process */
    XS_LINES_ASKED,    /* the user has run `xferspy symbolize` */
    XS_LINES_READ      /* a command reads a trace that this user recorded */
};

/* The text of one line. */
struct xs_line_text {
    const char *path; /* the path as the frame of the call site has it; owned by `callsites` */
    uint32_t line;
    char *text;
    struct xs_source_identity identity; /* the identity of the file that the text was read from */
};

struct xs_lines {
    struct xs_callsites *callsites;
    uint32_t stored, found, unknown; /* numbers of addresses: known from the trace, found now, and unknown */
    struct xs_line_text *texts;      /* new texts, by path and line */
    uint32_t text_count;
    size_t text_capacity;
};

/* Looks up the lines that the trace lacks; if `again` is true, looks up all lines. If the status is negative, the
 * message is set and nothing has to be freed. */
int xs_lines_find(const struct xs_trace *trace, enum xs_lines_reason reason, bool again, struct xs_lines *lines,
                  char *message);
void xs_lines_free(struct xs_lines *lines);

/* Writes what was found into the trace's file, in one transaction. Waits up to `patience_ms` for other writers. If the
 * result is false, `why` has the reason, to be printed after the file's name. */
enum { XS_LINES_WHY_BYTES = 512 };
bool xs_lines_write(const struct xs_trace *trace, const struct xs_lines *lines, int patience_ms, char *why);

/* A command calls this function after it has opened a trace to read it. If this user recorded the trace and may write
 * it, and the trace has no lines yet, the function looks the lines up and writes them into the trace. Failures are
 * silent, because a failure only means that the trace has no lines. */
void xs_lines_complete(const struct xs_trace *trace);

#endif
