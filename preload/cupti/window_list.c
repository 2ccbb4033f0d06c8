/* The windows of a run; see window_list.h. */
#include "preload/cupti/window_list.h"

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

size_t xs_window_list_text(const struct xs_window_list *list, const struct xs_clock *clock, char *text, size_t bytes) {
    size_t length = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct xs_window *w = &list->windows[i];
        int64_t start = xs_clock_from_monotonic(clock, w->start_ns);
        int written = snprintf(text + length, bytes - length, "%s%lld+%llu", i ? "," : "",
                               (long long)(start > 0 ? start / 1000 : 0), (unsigned long long)w->length_ns / 1000);
        if (written < 0 || length + (size_t)written >= bytes) {
            text[length] = 0;
            break;
        }
        length += (size_t)written;
    }
    return length;
}
