/* The part of a run whose device times a user asks for (XFERSPY_WINDOW). */
#ifndef XFERSPY_PRELOAD_CUPTI_WINDOW_SPEC_H
#define XFERSPY_PRELOAD_CUPTI_WINDOW_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_WINDOW_SPEC_TIMES = 16 };

/* Zero: nothing is asked for, and the budget decides. */
struct xs_window_spec {
    unsigned count;
    struct {
        uint64_t from_ns, to_ns; /* since the session's start */
    } times[XS_WINDOW_SPEC_TIMES];
    uint64_t length_ns, period_ns; /* of each period its first part; 0: none */
};

/* Reads "10s..20s", "500ms..", "..2s", several of them with commas between, or "20ms/1s" for the first 20 ms of every
 * second. Units: ns, us, ms, s, min. An empty text asks for nothing. False: it is none of these, and the spec is zero.
 */
bool xs_window_spec_read(struct xs_window_spec *spec, const char *text);

static inline bool xs_window_spec_is_set(const struct xs_window_spec *spec) { return spec->count || spec->period_ns; }

/* Are device times asked for at that time since the session's start? `*next_ns`: when the answer changes, UINT64_MAX:
 * never. */
bool xs_window_spec_wants(const struct xs_window_spec *spec, uint64_t at_ns, uint64_t *next_ns);

#endif
