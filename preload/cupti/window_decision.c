/* Decides when device times are recorded; see window_decision.h. */
#include "preload/cupti/window_decision.h"

#include <string.h>

#include "preload/cupti/random.h"

/* The assumed cost of a recorded call, including the work of CUPTI and of the drain thread, before the actual cost in
 * this program is measured. On an H200 a loop of launches loses 1.1 us per launch, and a loop of copies 1.3 us per
 * copy; PyTorch on an H100 lost 4.5 us per launch. */
#define LAUNCH_NS UINT64_C(2500)
#define COPY_NS UINT64_C(2000)
/* A graph with 1 to 20 kernels lost 3 us and 1.4 to 2.2 more per kernel, but JAX, which changes its graph before each
 * launch, lost 70 us with 6 kernels (H100). If this value is too high, it is corrected by the program's measured pace.
 * If it is too low, it is never corrected, because CUPTI is then never detached and the pace without CUPTI stays
 * unknown. */
#define GRAPH_NS UINT64_C(40000)

/* The time that may be spent before any is saved, so that short programs have device times, too. */
#define ADVANCE_NS INT64_C(10000000)
/* The most time that can be saved in addition to ADVANCE_NS is the budget of this much of the run, or the time that a
 * window needs. Otherwise a program that has read its data for a minute could be slowed down by a tenth in the ten
 * seconds after that. */
#define SAVED_OF_NS UINT64_C(1000000000)
/* CUPTI may always use 1/LEAST_PART of the budget, even if wrappers and fingerprints use all of it. */
#define LEAST_PART 4u
/* Detaching takes 2 to 4 ms and attaching again 6 to 15 (H100, H200). */
#define SWITCH_NS UINT64_C(10000000)
#define LEAST_WINDOW_NS UINT64_C(5000000)
/* The program's pace is measured before and after a window's end, for PACE_CALLS calls and for at least PACE_NS. Calls
 * are counted in steps of XS_OWN_COST_EVERY. */
#define PACE_CALLS 3000u
#define PACE_NS UINT64_C(20000000)
#define MOST_PACE_NS UINT64_C(3000000000)
/* Limits of the measured cost, in percent of the assumed cost. If the measured cost were too low, no window would ever
 * end. So after only a few windows it is never taken as less than LEAST_OF_FEW, and a window that seems cheap ends
 * after some time, so that the cost is measured again. */
#define LEAST_COST 10
#define LEAST_OF_FEW 40
#define FEW 3
#define LONG_WINDOW_NS UINT64_C(10000000000)
#define MOST_COST 1000

/* The mean time in which a window that is due waits for the program's waits for the device, and the number of these
 * waits from which one is chosen. */
#define MOMENT_NS UINT64_C(50000000)
#define MOMENTS 4u

#define LEAST_WAIT_MS 2u
#define MOST_WAIT_MS 1000u

static enum xs_windows_state asked_for(const struct xs_windows *w, const struct xs_windows_facts *facts) {
    uint64_t next_ns;
    return xs_window_spec_wants(&w->spec, facts->now_ns - w->start_ns, facts->is_open, &next_ns) ? XS_WINDOWS_RECORDING
                                                                                                 : XS_WINDOWS_DETACHED;
}

enum xs_windows_state xs_windows_start(struct xs_windows *w, unsigned percent, const struct xs_window_spec *spec,
                                       const struct xs_windows_facts *facts) {
    memset(w, 0, sizeof *w);
    w->percent = percent;
    w->spec = *spec;
    w->start_ns = w->share_since_ns = w->since_ns = facts->now_ns;
    w->last = w->opened = w->marks[0] = w->marks[1] = *facts;
    w->state = xs_window_spec_is_set(spec) ? asked_for(w, facts) : XS_WINDOWS_RECORDING;
    w->switch_ns = SWITCH_NS;
    w->cost_percent = 100;
    w->random = UINT64_C(0x9e3779b97f4a7c15) ^ facts->now_ns;
    return w->state;
}

static uint64_t table_ns(const struct xs_windows *w, const struct xs_windows_facts *from,
                         const struct xs_windows_facts *to) {
    return (to->launches - from->launches) * LAUNCH_NS + (to->copies - from->copies) * COPY_NS +
           (to->graphs - from->graphs) * (GRAPH_NS + w->kernels_of_graph * LAUNCH_NS);
}

uint64_t xs_windows_cost_ns(const struct xs_windows *w) { return w->recording_ns + w->switches_ns; }

/* Returns the time that CUPTI may still cost; negative: it has already cost too much. */
static int64_t balance(const struct xs_windows *w) {
    int64_t share = (int64_t)((w->last.now_ns - w->share_since_ns) / 100 * w->percent);
    int64_t left = share - (int64_t)w->last.others_ns, least = share / (int64_t)LEAST_PART;
    return (left > least ? left : least) + ADVANCE_NS - (int64_t)xs_windows_cost_ns(w);
}

/* Discards saved time above the limit. */
static void let_lapse(struct xs_windows *w) {
    uint64_t most = SAVED_OF_NS / 100 * w->percent;
    int64_t extra = balance(w) - ADVANCE_NS - (int64_t)(most > w->wanted_ns ? most : w->wanted_ns);
    if (extra > 0 && w->percent)
        w->share_since_ns += (uint64_t)extra / w->percent * 100;
}

/* ---- the cost of a recorded call, measured by the program's pace ---- */

static unsigned median_cost(const struct xs_windows *w) {
    unsigned sorted[XS_WINDOWS_COSTS] = {0};
    for (unsigned i = 0; i < w->cost_count; i++) {
        unsigned k = i;
        for (; k > 0 && sorted[k - 1] > w->costs[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = w->costs[i];
    }
    return sorted[w->cost_count / 2];
}

/* Runs at the end of a window: notes the program's pace in the last part of the window. compare_pace uses it when the
 * pace without recording is known. */
static void note_pace(struct xs_windows *w) {
    const struct xs_windows_facts *from = &w->marks[0];
    w->paced_calls = w->last.calls - from->calls;
    w->paced_ns = w->last.now_ns - from->now_ns;
    w->paced_table_ns = table_ns(w, from, &w->last);
}

/* Notes the difference of the program's pace with and without recording. It can be negative because of noise. It then
 * counts as LEAST_COST; if it were left out, noise of both signs would not cancel out in the median. */
static void compare_pace(struct xs_windows *w, const struct xs_windows_facts *facts) {
    uint64_t ns = facts->now_ns - w->opened.now_ns, calls = facts->calls - w->opened.calls;
    if (!w->paced_calls || ns < PACE_NS || (calls < PACE_CALLS && ns < MOST_PACE_NS))
        return;
    if (calls >= PACE_CALLS && w->paced_calls >= PACE_CALLS && w->paced_table_ns && w->paced_ns >= PACE_NS / 2) {
        double without = (double)ns / (double)calls * (double)w->paced_calls;
        double extra = ((double)w->paced_ns - without) / (double)w->paced_table_ns * 100;
        unsigned percent = extra < LEAST_COST ? LEAST_COST : extra > MOST_COST ? MOST_COST : (unsigned)extra;
        if (w->cost_count == XS_WINDOWS_COSTS)
            memmove(w->costs, w->costs + 1, (XS_WINDOWS_COSTS - 1) * sizeof w->costs[0]);
        w->cost_count += w->cost_count < XS_WINDOWS_COSTS;
        w->costs[w->cost_count - 1] = percent;
        unsigned median = median_cost(w);
        w->cost_percent = w->cost_count < FEW && median < LEAST_OF_FEW ? LEAST_OF_FEW : median;
    }
    w->paced_calls = 0;
}

/* ---- decisions ---- */

static void account(struct xs_windows *w, const struct xs_windows_facts *facts) {
    if (facts->graph_kernels != w->last.graph_kernels && facts->graphs)
        w->kernels_of_graph = facts->graph_kernels / facts->graphs;
    w->recording_ns += table_ns(w, &w->last, facts) * w->cost_percent / 100;
    w->last = *facts;
    let_lapse(w);
    if (facts->now_ns - w->marks[1].now_ns >= PACE_NS && facts->calls - w->marks[1].calls >= PACE_CALLS) {
        w->marks[0] = w->marks[1];
        w->marks[1] = *facts;
    }
    if (w->state != XS_WINDOWS_RECORDING)
        compare_pace(w, facts);
}

/* True if enough time is saved for a window: the time to detach and attach, and half as much or more for recording. */
static bool is_saved(struct xs_windows *w) {
    if (!w->wanted_ns)
        w->wanted_ns = w->switch_ns + w->switch_ns / 2 + xs_random_below(&w->random, w->switch_ns);
    return !w->paced_calls && balance(w) >= ADVANCE_NS + (int64_t)w->wanted_ns;
}

static bool is_to_be_learnt_anew(const struct xs_windows *w, const struct xs_windows_facts *facts) {
    return w->cost_count && w->cost_percent < 100 && facts->now_ns - w->since_ns >= LONG_WINDOW_NS;
}

/* True if the balance is used up. ADVANCE_NS may be spent only once. */
static bool is_spent(const struct xs_windows *w) { return balance(w) < (w->detachments ? ADVANCE_NS : 0); }

bool xs_windows_are_unbounded(const struct xs_windows *w) { return !w->percent && !xs_window_spec_is_set(&w->spec); }

enum xs_windows_state xs_windows_look(struct xs_windows *w, const struct xs_windows_facts *facts) {
    account(w, facts);
    if (xs_window_spec_is_set(&w->spec))
        return asked_for(w, facts);
    if (!w->percent)
        return XS_WINDOWS_RECORDING;
    if (w->state == XS_WINDOWS_DETACHED)
        return is_saved(w) ? XS_WINDOWS_RECORDING : XS_WINDOWS_DETACHED;
    bool ends = is_to_be_learnt_anew(w, facts) || (is_spent(w) && facts->now_ns - w->since_ns >= LEAST_WINDOW_NS);
    return ends ? XS_WINDOWS_DETACHED : XS_WINDOWS_RECORDING;
}

struct xs_window_moment xs_windows_moment(struct xs_windows *w, uint64_t now_ns) {
    return (struct xs_window_moment){.until_ns = now_ns + xs_random_below(&w->random, 2 * MOMENT_NS),
                                     .skip = (unsigned)xs_random_below(&w->random, MOMENTS)};
}

void xs_windows_switched(struct xs_windows *w, enum xs_windows_state state, uint64_t before_ns, uint64_t after_ns) {
    uint64_t held = after_ns - before_ns;
    w->switches_ns += held;
    if (w->state == XS_WINDOWS_RECORDING) {
        xs_window_list_add(&w->windows, w->since_ns, before_ns);
        note_pace(w);
        w->detachments++;
        w->detaching_ns = held;
    } else {
        w->switch_ns = w->switch_ns - w->switch_ns / 4 + (w->detaching_ns + held) / 4;
    }
    w->state = state;
    w->since_ns = after_ns;
    w->wanted_ns = 0;
    w->opened = w->last;
    w->opened.now_ns = after_ns;
    w->marks[0] = w->marks[1] = w->opened;
    w->last.now_ns = after_ns;
}

/* Returns the shortest time in which the balance can be used up, by a thread that does nothing but launch kernels. */
static uint64_t until_spent_ns(const struct xs_windows *w) {
    int64_t left = balance(w) - (w->detachments ? ADVANCE_NS : 0);
    return left > 0 ? (uint64_t)left : 0;
}

unsigned xs_windows_wait_ms(const struct xs_windows *w) {
    uint64_t ns = PACE_NS / 2, next_ns;
    if (xs_windows_are_unbounded(w))
        return 0;
    if (xs_window_spec_is_set(&w->spec)) {
        xs_window_spec_wants(&w->spec, w->last.now_ns - w->start_ns, false, &next_ns);
        ns = next_ns - (w->last.now_ns - w->start_ns);
    } else if (w->state == XS_WINDOWS_RECORDING) {
        ns = until_spent_ns(w);
    } else if (!w->paced_calls) {
        int64_t missing = ADVANCE_NS + (int64_t)w->wanted_ns - balance(w);
        ns = missing > 0 ? (uint64_t)missing * 100 / w->percent : 0;
    }
    uint64_t ms = ns / 1000000;
    return ms < LEAST_WAIT_MS ? LEAST_WAIT_MS : ms > MOST_WAIT_MS ? MOST_WAIT_MS : (unsigned)ms;
}

uint64_t xs_windows_recorded_ns(const struct xs_windows *w, uint64_t now_ns) {
    bool open = w->state == XS_WINDOWS_RECORDING && now_ns > w->since_ns;
    return w->windows.recorded_ns + (open ? now_ns - w->since_ns : 0);
}

void xs_windows_text(const struct xs_windows *w, const struct xs_clock *clock, char *text, size_t bytes) {
    size_t length = xs_window_list_text(&w->windows, clock, text, bytes);
    if (w->state == XS_WINDOWS_RECORDING && length + 48 < bytes) {
        struct xs_window open = {w->since_ns, xs_monotonic_ns() - w->since_ns};
        xs_window_text(&open, clock, !length, text + length, bytes - length);
    }
}

void xs_windows_end(struct xs_windows *w, uint64_t now_ns) {
    if (w->state == XS_WINDOWS_RECORDING)
        xs_window_list_add(&w->windows, w->since_ns, now_ns);
    w->state = XS_WINDOWS_DETACHED;
    w->percent = 0;
}
