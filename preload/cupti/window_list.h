/* The windows of a run in which something was recorded, in a fixed room. */
#ifndef XFERSPY_PRELOAD_CUPTI_WINDOW_LIST_H
#define XFERSPY_PRELOAD_CUPTI_WINDOW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/clock.h"

/* That many windows are remembered. Where there are more, every second, fourth, ... one of them is. */
enum { XS_WINDOWS_KEPT = 512, XS_WINDOWS_TEXT_BYTES = 32 * XS_WINDOWS_KEPT };

/* CLOCK_MONOTONIC */
struct xs_window {
    uint64_t start_ns, length_ns;
};

/* Zero is an empty list. */
struct xs_window_list {
    struct xs_window windows[XS_WINDOWS_KEPT];
    uint32_t count, skipped_of; /* windows; of each so many + 1, one is kept */
    uint64_t ended;             /* all windows, kept or not */
    uint64_t recorded_ns;       /* how long all of them were together */
};

/* A window has ended. */
void xs_window_list_add(struct xs_window_list *list, uint64_t start_ns, uint64_t end_ns);

/* One of them as the trace has it, with a comma before it where it is not the first. As snprintf. */
int xs_window_text(const struct xs_window *window, const struct xs_clock *clock, bool first, char *text, size_t bytes);

/* As the trace has them: "start+length,start+length,...", microseconds since the trace's start. Returns the length. */
size_t xs_window_list_text(const struct xs_window_list *list, const struct xs_clock *clock, char *text, size_t bytes);

#endif
