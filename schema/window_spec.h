/* A window spec (option XFERSPY_WINDOW) tells for which parts of a run the user requests device times. The library
 * reads the spec, and `xferspy run` checks whether the spec is valid. */
#ifndef XFERSPY_SCHEMA_WINDOW_SPEC_H
#define XFERSPY_SCHEMA_WINDOW_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_WINDOW_SPEC_TIMES = 16 };

/* Accepted forms, for messages. */
#define XS_WINDOW_SPEC_FORMS "10s..20s (or several: 1s..2s,8s..9s), 20ms/1s, nvtx:NAME or profiler"

/* Tells what opens and closes the windows. xs_window_spec_read never sets BY_STEPS and BY_CONTROL; the library sets
 * BY_STEPS if the user requests steps (XFERSPY_STEPS and so on), and BY_CONTROL if commands open and close the windows
 * (XFERSPY_START=off). */
enum xs_window_opener {
    XS_WINDOW_BY_TIME,
    XS_WINDOW_BY_RANGE,
    XS_WINDOW_BY_PROFILER,
    XS_WINDOW_BY_STEPS,
    XS_WINDOW_BY_CONTROL
};

/* A spec of zeros requests no device times; XFERSPY_BUDGET then decides when they are recorded. */
struct xs_window_spec {
    enum xs_window_opener opener;
    const char *range; /* BY_RANGE: name of an NVTX range, a pointer into the text that was read */
    unsigned count;
    struct {
        uint64_t from_ns, to_ns; /* since the session's start */
    } times[XS_WINDOW_SPEC_TIMES];
    uint64_t length_ns, period_ns; /* length of the window at the start of each period; 0: none */
};

/* Reads a spec. These texts are valid: "10s..20s", "500ms.." or "..2s", or several of these separated by commas;
 * "20ms/1s", which means the first 20 ms of every second (units: ns, us, ms, s, min); "nvtx:NAME", which means the
 * times at which an NVTX range with this name is open on any thread; and "profiler", which means the times from
 * cuProfilerStart to cuProfilerStop. An empty text requests nothing. Returns NULL if the text is valid. Otherwise sets
 * the spec to zeros and returns the reason, for messages. */
const char *xs_window_spec_read(struct xs_window_spec *spec, const char *text);

/* Returns the reason why `name` cannot be the name of an NVTX range in a spec. NULL: `name` is valid. A # in a name
 * stands for all digits of a number, so the character after it must be neither another # nor a digit. */
const char *xs_range_name_refused(const char *name);

static inline bool xs_window_spec_is_set(const struct xs_window_spec *spec) {
    return spec->count || spec->period_ns || spec->opener != XS_WINDOW_BY_TIME;
}

/* True if the spec requests device times at `at_ns` after the session's start. `is_open`: the program has opened a
 * window; this is ignored if the windows are BY_TIME. `*next_ns` gets the next time at which the result may change
 * without a call of the program; UINT64_MAX: never. */
bool xs_window_spec_wants(const struct xs_window_spec *spec, uint64_t at_ns, bool is_open, uint64_t *next_ns);

#endif
