/* The lines that calls came from, put into a trace: function, file and line of each address, and the text of the user's
 * lines. A trace that has them is read without its binaries and sources, so that a rebuild changes no report of it.
 *
 * A trace may come from a stranger, so what it names is never by itself a reason to read a file. See
 * docs/develop/internals.md, "Lines in the trace". */
#ifndef XFERSPY_ANALYZER_TRACE_LINES_LINES_H
#define XFERSPY_ANALYZER_TRACE_LINES_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/trace/callsites.h"
#include "schema/read/trace.h"
#include "schema/source/source_file.h"

/* The reason for looking lines up decides which files may be read. */
enum xs_lines_reason {
    XS_LINES_RECORDED, /* `xferspy run` has just recorded the trace by a child of its own */
    XS_LINES_ASKED,    /* the user asked for it: `xferspy symbolize` */
    XS_LINES_READ      /* a command reads the trace, and it is this user's own */
};

/* The text of one line. */
struct xs_line_text {
    const char *path; /* as the frame of the call site names it; the callsites' */
    uint32_t line;
    char *text;
    struct xs_source_identity identity; /* of the file that it was read from */
};

struct xs_lines {
    struct xs_callsites *callsites;
    uint32_t stored, found, unknown; /* addresses: in the trace before, new, and those that nobody knows */
    struct xs_line_text *texts;      /* new ones, by path and line */
    uint32_t text_count;
    size_t text_capacity;
};

/* Looks up what the trace lacks, or all again with `again`. A negative status leaves a message and nothing to be
 * freed. */
int xs_lines_find(const struct xs_trace *trace, enum xs_lines_reason reason, bool again, struct xs_lines *lines,
                  char *message);
void xs_lines_free(struct xs_lines *lines);

/* Writes what was found into the trace's file, in one transaction. Waits `patience_ms` for other writers. After false,
 * `why` has what a message says behind the file's name. */
enum { XS_LINES_WHY_BYTES = 512 };
bool xs_lines_write(const struct xs_trace *trace, const struct xs_lines *lines, int patience_ms, char *why);

/* For a command that has opened a trace to read it: if the trace is this user's own, may be written and has no lines
 * yet, they are looked up and written into it. Failures are silent: they cost lines and nothing else. */
void xs_lines_complete(const struct xs_trace *trace);

#endif
