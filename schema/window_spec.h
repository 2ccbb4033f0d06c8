/* A window spec tells for which parts of a run device times are requested. The library reads it from the option
 * XFERSPY_WINDOW, or makes it for steps, for commands and for a ledger. `xferspy run` checks whether the option is
 * valid. */
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
    uint64_t seed; /* of a ledger: each window begins at a random time of its period, and the first periods are shorter;
                    * 0: no ledger */
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

/* Sets the windows of a ledger (XFERSPY_MODE=ledger). Each window lasts XS_LEDGER_WINDOW_NS. There are six windows in
 * the first 64 seconds, and one in each minute after them. They begin at random times, so that they do not always meet
 * the same phase of a program that works in periods. `seed` decides these times. */
#define XS_LEDGER_WINDOW_NS UINT64_C(250000000)
void xs_window_spec_of_ledger(struct xs_window_spec *spec, uint64_t seed);

/* True if the spec requests device times at `at_ns` after the session's start. `is_open` is the result of
 * xs_asked_window_is_open (preload/core/asked_window.h). `is_open` decides for all openers but BY_TIME. For BY_TIME it
 * is ignored, except that a ledger requests nothing while it is false. `*next_ns` gets the next time, since the
 * session's start, at which the result may change although `is_open` does not change; UINT64_MAX: never. */
bool xs_window_spec_wants(const struct xs_window_spec *spec, uint64_t at_ns, bool is_open, uint64_t *next_ns);

#endif
