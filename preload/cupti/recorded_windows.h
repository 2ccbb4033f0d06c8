/* Stores the windows of a run in which something was recorded, in a list of limited size. */
#ifndef XFERSPY_PRELOAD_CUPTI_RECORDED_WINDOWS_H
#define XFERSPY_PRELOAD_CUPTI_RECORDED_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/clock.h"

/* The number of windows kept. If there are more windows, only every second one is kept, then only every fourth one, and
 * so on. */
enum { XS_WINDOWS_KEPT = 512, XS_WINDOWS_TEXT_BYTES = 32 * XS_WINDOWS_KEPT };

/* The times are those of CLOCK_MONOTONIC. */
struct xs_window {
    uint64_t start_ns, length_ns;
};

/* A list whose bytes are all zero is empty. */
struct xs_window_list {
    struct xs_window windows[XS_WINDOWS_KEPT];
    uint32_t count, skipped_of; /* number of kept windows, and of windows left out after each of them */
    uint64_t ended;             /* number of all windows, kept or not */
    uint64_t recorded_ns;       /* length of all windows together */
};

/* Adds a window that has ended. */
void xs_window_list_add(struct xs_window_list *list, uint64_t start_ns, uint64_t end_ns);

/* Writes one window in the trace's form, "start+length", in microseconds since the trace's start. Writes a comma before
 * the window unless `first` is true. Returns the result of snprintf. */
int xs_window_text(const struct xs_window *window, const struct xs_clock *clock, bool first, char *text, size_t bytes);

/* Writes the list in the trace's form: "start+length,start+length,...", in microseconds since the trace's start. Leaves
 * out windows for which there is no space in `text`. Returns the length of the text. */
size_t xs_window_list_text(const struct xs_window_list *list, const struct xs_clock *clock, char *text, size_t bytes);

#endif
