/* Keeps the windows of a run; see recorded_windows.h. */
#include "preload/cupti/recorded_windows.h"

#include <stdio.h>

void xs_window_list_add(struct xs_window_list *list, uint64_t start_ns, uint64_t end_ns) {
    uint64_t length = end_ns > start_ns ? end_ns - start_ns : 0;
    list->recorded_ns += length;
    if (list->ended++ % (list->skipped_of + 1))
        return;
    if (list->count == XS_WINDOWS_KEPT) {
        for (uint32_t i = 0; i < XS_WINDOWS_KEPT / 2; i++)
            list->windows[i] = list->windows[2 * i];
        list->count /= 2;
        list->skipped_of = 2 * list->skipped_of + 1;
    }
    list->windows[list->count++] = (struct xs_window){start_ns, length};
}

/* The first window may begin before the trace's time 0, because CUPTI is attached before that. */
int xs_window_text(const struct xs_window *window, const struct xs_clock *clock, bool first, char *text, size_t bytes) {
    int64_t start = xs_clock_from_monotonic(clock, window->start_ns), end = start + (int64_t)window->length_ns;
    start = start > 0 ? start : 0;
    end = end > start ? end : start;
    return snprintf(text, bytes, "%s%lld+%lld", first ? "" : ",", (long long)(start / 1000),
                    (long long)((end - start) / 1000));
}

size_t xs_window_list_text(const struct xs_window_list *list, const struct xs_clock *clock, char *text, size_t bytes) {
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        int written = xs_window_text(&list->windows[i], clock, i == 0, text + length, bytes - length);
        if (written < 0 || length + (size_t)written >= bytes) {
            text[length] = 0;
            break;
        }
        length += (size_t)written;
    }
    return length;
}
