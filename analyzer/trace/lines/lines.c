/* Looks up the lines of a trace, once for a trace that is read; see lines.h. */
#include "analyzer/trace/lines/lines.h"

#include <stdlib.h>

#include "analyzer/trace/lines/lines_internal.h"
#include "analyzer/trace/scan.h"

enum { READERS_PATIENCE_MS = 200 };

bool xs_lines_is_new(const struct xs_callsites *callsites, const struct xs_callsite_address *address) {
    const struct xs_frame *frame = &callsites->frames[address->first];
    return !address->stored && address->module != UINT32_MAX && (frame->function || frame->file);
}

static void count(struct xs_lines *lines) {
    const struct xs_callsites *c = lines->callsites;
    for (uint32_t i = 0; i < c->address_count; i++) {
        bool is_new = xs_lines_is_new(c, &c->addresses[i]);
        lines->stored += c->addresses[i].stored;
        lines->found += is_new;
        lines->unknown += !is_new && !c->addresses[i].stored;
    }
}

int xs_lines_find(const struct xs_trace *trace, enum xs_lines_reason reason, bool again, struct xs_lines *lines,
                  char *message) {
    *lines = (struct xs_lines){0};
    int status = xs_callsites_open_with(trace, !again, &lines->callsites, message);
    if (status < 0)
        return status;
    count(lines);
    xs_lines_read_texts(trace, reason, lines);
    return status;
}

void xs_lines_free(struct xs_lines *lines) {
    for (uint32_t i = 0; i < lines->text_count; i++)
        free(lines->texts[i].text);
    free(lines->texts);
    xs_callsites_close(lines->callsites);
    *lines = (struct xs_lines){0};
}

void xs_lines_complete(const struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES], why[XS_LINES_WHY_BYTES];
    struct xs_lines lines;
    int64_t lacks_lines = 0;
    if (trace->is_live || trace->is_cut || !xs_lines_is_own(trace) ||
        xs_scan_one(trace,
                    "SELECT EXISTS (SELECT 1 FROM stack_frame WHERE address IS NOT NULL)"
                    " AND NOT EXISTS (SELECT 1 FROM symbol)",
                    &lacks_lines, message) < 0 ||
        !lacks_lines || xs_lines_find(trace, XS_LINES_READ, false, &lines, message) < 0)
        return;
    if (lines.found)
        xs_lines_write(trace, &lines, READERS_PATIENCE_MS, why);
    xs_lines_free(&lines);
}
