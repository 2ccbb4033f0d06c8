/* Reads a list of windows; see window_list.h. */
#include "analyzer/trace/windows/window_list.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

void xs_window_list_read(const struct xs_trace *trace, const char *key,
                         void (*add)(void *context, int64_t start_ns, int64_t end_ns), void *context) {
    enum { LIST_BYTES = 1 << 18, LATEST_US = 1 << 30 };
    const unsigned long long latest = (unsigned long long)LATEST_US * 1000000;
    XS_SCOPED char *list = xs_realloc(NULL, LIST_BYTES);
    const char *text = xs_trace_meta_text(trace, key, list, LIST_BYTES, "");
    for (char *end;; text = end + 1) {
        unsigned long long start = strtoull(text, &end, 10), length;
        if (end == text || *end != '+' || start > latest)
            break;
        text = end + 1;
        length = strtoull(text, &end, 10);
        if (end == text)
            break;
        length = length < latest ? length : latest;
        add(context, (int64_t)start * 1000, (int64_t)(start + length) * 1000);
        if (*end != ',')
            break;
    }
}
