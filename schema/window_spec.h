/* A window spec (XFERSPY_WINDOW) names the part of a run for which a user asks for device times. The library reads it,
 * and `xferspy run` checks that it can be read. */
#ifndef XFERSPY_SCHEMA_WINDOW_SPEC_H
#define XFERSPY_SCHEMA_WINDOW_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_WINDOW_SPEC_TIMES = 16 };

/* Accepted forms, for messages. */
#define XS_WINDOW_SPEC_FORMS "10s..20s (or several: 1s..2s,8s..9s), 20ms/1s, nvtx:NAME or profiler"

/* An opener opens and closes the windows. BY_STEPS is never read from a text: XFERSPY_STEPS asks for it. */
enum xs_window_opener { XS_WINDOW_BY_TIME, XS_WINDOW_BY_RANGE, XS_WINDOW_BY_PROFILER, XS_WINDOW_BY_STEPS };

/* A zeroed spec asks for nothing; the budget decides. */
struct xs_window_spec {
    enum xs_window_opener opener;
    const char *range; /* BY_RANGE: name of an NVTX range, a pointer into the text that was read */
    unsigned count;
    struct {
        uint64_t from_ns, to_ns; /* since the session's start */
    } times[XS_WINDOW_SPEC_TIMES];
    uint64_t length_ns, period_ns; /* length of the window at the start of each period; 0: none */
};

/* Reads "10s..20s", "500ms..", "..2s", several of them separated by commas, or "20ms/1s" for the first 20 ms of every
 * second (units: ns, us, ms, s, min); "nvtx:NAME" for while an NVTX range of that name is open on any thread;
 * "profiler" for from cuProfilerStart to cuProfilerStop. An empty text asks for nothing. False: the text is none of
 * these, and the spec is zero. */
bool xs_window_spec_read(struct xs_window_spec *spec, const char *text);

/* Returns why a text is no window, for messages; NULL: it is one. */
const char *xs_window_spec_refused(const char *text);

/* Returns why a text cannot name an NVTX range; NULL: it can. Each # in a name stands for all digits of a number, so
 * neither another # nor a digit may follow it. */
const char *xs_range_name_refused(const char *name);

static inline bool xs_window_spec_is_set(const struct xs_window_spec *spec) {
    return spec->count || spec->period_ns || spec->opener != XS_WINDOW_BY_TIME;
}

/* True when device times are wanted at that time since the session's start. `is_open`: the program has opened a window;
 * it counts unless the windows are BY_TIME. `*next_ns`: when the answer changes by itself, UINT64_MAX: never. */
bool xs_window_spec_wants(const struct xs_window_spec *spec, uint64_t at_ns, bool is_open, uint64_t *next_ns);

#endif
