/* Reads the steps that were recorded during the run; see asked.h. */
#include "analyzer/findings/steps/asked.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/windows/window_list.h"

/* Adds a step. Its end is kept only until the next step begins. */
static void add(void *context, int64_t start_ns, int64_t end_ns) {
    struct xs_asked_steps *asked = context;
    asked->is_damaged |= asked->count && start_ns < asked->moments[asked->count - 2];
    asked->count -= asked->count > 0;
    for (int i = 0; i < 2; i++) {
        xs_grow(&asked->moments, asked->count, &asked->capacity, sizeof *asked->moments);
        asked->moments[asked->count++] = i ? end_ns : start_ns;
    }
}

/* Reads a list. It may be incomplete: only the first steps fit into it, and after a kill the last ones are missing. */
static void read_list(struct xs_asked_steps *asked, const struct xs_trace *trace, const char *list, const char *count) {
    asked->of = xs_trace_meta_count(trace, count);
    xs_window_list_read(trace, list, add, asked);
    if (asked->is_damaged || asked->count > asked->of + 1)
        asked->count = 0;
}

void xs_asked_steps_read(struct xs_asked_steps *asked, const struct xs_trace *trace) {
    static const char of_range[] = "nvtx:";
    char of_window[sizeof of_range - 1 + sizeof asked->name], of_steps[16];
    const char *by = xs_trace_meta_text(trace, "range.steps_by", of_steps, sizeof of_steps, "");
    const char *window = xs_trace_meta_text(trace, "option.window", of_window, sizeof of_window, "");
    *asked = (struct xs_asked_steps){0};
    if (!strcmp(by, "range")) {
        xs_trace_meta_text(trace, "option.step", asked->name, sizeof asked->name, "");
        read_list(asked, trace, "range.step_times", "range.steps");
    } else if (!*by && !strncmp(window, of_range, sizeof of_range - 1)) {
        memcpy(asked->name, window + sizeof of_range - 1, strlen(window) - (sizeof of_range - 1) + 1);
        read_list(asked, trace, "range.windows", "range.count");
    }
}

void xs_asked_steps_free(struct xs_asked_steps *asked) {
    free(asked->moments);
    *asked = (struct xs_asked_steps){0};
}
