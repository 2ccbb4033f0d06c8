/* Starts the counting of steps, and reports the result; see asked_steps.h. */
#define _GNU_SOURCE
#include "preload/session/asked_steps.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/core/asked_window.h"
#include "preload/core/call_windows.h"
#include "preload/core/step_waits.h"
#include "preload/driver/entry_rows.h"
#include "preload/session/say.h"
#include "schema/path.h"

/* The list of times is written again when it has grown by 1/GROWS_BY, or when it has grown and LATEST_NS have
 * passed. */
enum { GROWS_BY = 16 };
#define LATEST_NS UINT64_C(10000000000)

static const struct xs_options *asked; /* NULL: no steps are requested */
static const char *asked_window = "";  /* the requested window, if no steps are requested */
static const char *no_ranges = "";     /* why NVTX does not report its ranges */

/* The text of the list. Steps that have ended are formatted once. After them, an open step is formatted again at each
 * write. Only the drain thread uses this. */
static struct {
    char text[XS_OUTSIDE_TEXT_BYTES];
    size_t length;                 /* bytes of the ended steps */
    uint64_t ended;                /* number of ended steps */
    size_t in_trace;               /* bytes of the list in the trace */
    uint64_t has_ended, has_begun; /* steps in the trace's list */
    uint64_t written_ns;
} times;

struct counted {
    uint64_t first, count; /* number of the first recorded step, from 1, and the number of recorded steps */
    uint64_t passed;       /* steps that have begun or, if waits mark the steps, have ended */
};

static bool is_this_library(const char *path) {
    Dl_info here;
    struct stat mine, named;
    if (!dladdr(&asked, &here) || !here.dli_fname)
        return true;
    return strcmp(xs_base_name(path), xs_base_name(here.dli_fname)) == 0 ||
           (stat(path, &named) == 0 && stat(here.dli_fname, &mine) == 0 && named.st_dev == mine.st_dev &&
            named.st_ino == mine.st_ino);
}

/* Reads the variable by which NVTX finds this library. `xferspy run` sets it, but a user who preloads the library may
 * not know of it. It is read now, because at the end of the process other threads may be changing the environment. */
static void look_at_injection(void) {
    const char *path = getenv("NVTX_INJECTION64_PATH");
    no_ranges = !path ? "; without NVTX_INJECTION64_PATH=libxferspy.so NVTX tells nothing of its ranges"
                : !is_this_library(path)
                    ? "; NVTX_INJECTION64_PATH names another library, to which NVTX tells its ranges instead"
                    : "";
}

bool xs_asked_steps_start(const struct xs_options *options, struct xs_window_spec *window) {
    look_at_injection();
    if (!options->skip_steps && !options->steps && !*options->step) {
        asked_window = options->window;
        return false;
    }
    if (*options->window) {
        xs_say(
            "XFERSPY_WINDOW is ignored, because steps are asked for (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP)");
    }
    if (*options->step)
        xs_asked_steps_set((uint64_t)options->skip_steps, (uint64_t)options->steps);
    else
        xs_step_waits_start((uint64_t)options->skip_steps, (uint64_t)options->steps);
    *window = (struct xs_window_spec){.opener = XS_WINDOW_BY_STEPS};
    asked = options;
    return true;
}

static struct counted count_steps(const struct xs_step_waits *waits) {
    bool by_range = *asked->step;
    uint64_t marks = atomic_load(&xs_asked_step_marks), most = (uint64_t)asked->steps;
    uint64_t before = by_range ? xs_asked_steps_before() : waits->first;
    uint64_t passed = by_range ? (marks + 1) / 2 : waits->ended;
    uint64_t last = by_range ? (uint64_t)asked->skip_steps + most : before + most; /* last requested step */
    last = most && last < passed ? last : passed;
    uint64_t count = (by_range || waits->is_found) && last > before ? last - before : 0;
    return (struct counted){count ? before + 1 : 0, count, passed};
}

static size_t put_time(uint64_t i, uint64_t begin_ns, uint64_t end_ns, const struct xs_clock *clock, size_t at) {
    return xs_outside_put(begin_ns, end_ns, clock, times.text + at, sizeof times.text - at, i == 0);
}

/* Extends the list to `count` steps. The last one may still be open. Returns the number of steps in the list. */
static uint64_t bring_up(const struct xs_clock *clock, uint64_t count, size_t *length) {
    uint64_t begin_ns, end_ns, now_ns = xs_monotonic_ns();
    size_t bytes;
    while (times.ended < count && xs_asked_step_times(times.ended, &begin_ns, &end_ns) && end_ns &&
           (bytes = put_time(times.ended, begin_ns, end_ns, clock, times.length))) {
        times.length += bytes;
        times.ended++;
    }
    uint64_t i = times.ended;
    *length = times.length;
    for (; i < count && xs_asked_step_times(i, &begin_ns, &end_ns); i++) {
        if (!(bytes = put_time(i, begin_ns, end_ns ? end_ns : now_ns, clock, *length)))
            break;
        *length += bytes;
    }
    return i;
}

/* Writes the times of steps that an NVTX range marks, because two consecutive ranges of the same name can otherwise be
 * told apart only by calls between them. Each write replaces the whole list in the trace, so a long list is written
 * only when it has grown by a certain share. */
static void write_times(const struct xs_clock *clock, struct xs_store *store, uint64_t count, bool is_last) {
    size_t length;
    uint64_t begun = bring_up(clock, count, &length), now_ns = xs_monotonic_ns();
    bool is_new = begun != times.has_begun || times.ended != times.has_ended;
    bool is_longer = length >= times.in_trace + times.in_trace / GROWS_BY || now_ns - times.written_ns >= LATEST_NS;
    if (!begun || (!is_last && !(is_new && is_longer)))
        return;
    times.written_ns = now_ns;
    times.has_begun = begun;
    times.has_ended = times.ended;
    times.in_trace = length;
    xs_store_meta_text(store, "range.step_times", times.text);
}

void xs_asked_steps_write(const struct xs_clock *clock, struct xs_store *store, bool is_last) {
    if (!asked)
        return;
    const struct xs_step_waits waits = xs_step_waits();
    const struct counted counted = count_steps(&waits);
    xs_store_meta_text(store, "range.steps_by", *asked->step ? "range" : waits.is_found ? "wait" : "none");
    xs_store_meta_int(store, "range.steps_first", (int64_t)counted.first);
    xs_store_meta_int(store, "range.steps", (int64_t)counted.count);
    xs_store_meta_int(store, "range.steps_passed", (int64_t)counted.passed);
    if (*asked->step)
        write_times(clock, store, counted.count, is_last);
    if (waits.is_found)
        xs_store_meta_text(store, "range.steps_wait", xs_rows[waits.row].name);
    if (!*asked->step)
        xs_store_meta_int(store, "range.waits", (int64_t)waits.seen);
    if (waits.most) {
        xs_store_meta_text(store, "range.most_wait", xs_rows[waits.most_row].name);
        xs_store_meta_int(store, "range.most_waits", (int64_t)waits.most);
    }
}

/* Says why the trace contains only allocations, because the trace itself does not show this. */
static void say_no_window(bool *said) {
    static const char of_range[] = "nvtx:";
    bool by_range = strncmp(asked_window, of_range, sizeof of_range - 1) == 0;
    bool by_profiler = strcmp(asked_window, "profiler") == 0;
    if (!*asked_window || !xs_outside_is_limited() || xs_outside_windows().count)
        return;
    xs_complain(said, "nothing was recorded but allocations: %s%s%s (XFERSPY_WINDOW)%s",
                by_range      ? "no NVTX range \""
                : by_profiler ? "cudaProfilerStart was never called"
                              : "the program ended before ",
                by_range      ? asked_window + sizeof of_range - 1
                : by_profiler ? ""
                              : asked_window,
                by_range ? "\" came" : "", by_range ? no_ranges : "");
}

/* If the program has few waits, it waits in blocking copies or not at all, and blocking copies do not mark steps. Then
 * the message suggests to record the whole run without the options for steps, and to choose the same steps in a
 * report. */

/* Prints "none came regularly (the most frequent is cuStreamSynchronize, which returned 4 times to one place)". Numbers
 * that must not appear are set to 0, for which %.0 prints nothing. */
static void say_no_wait(bool *said, const struct xs_step_waits *waits) {
    const bool has_most = waits->most > 1;
    xs_complain(
        said,
        "no step was recorded: of %llu waits none came regularly%s%s%s%.0llu%s%s; give the name of an NVTX range "
        "(--step=NAME or XFERSPY_STEP=NAME), or record the whole run: `xferspy report%s%.0ld%s%.0ld TRACE' then "
        "chooses its steps",
        (unsigned long long)waits->seen, has_most ? " (the most frequent is " : "",
        has_most ? xs_rows[waits->most_row].name : "", has_most ? ", which returned " : "",
        has_most ? (unsigned long long)waits->most : 0ULL, has_most ? " times to one place)" : "",
        waits->seen < XS_STEP_WAITS_LEAST ? ", and copies that block tell no steps" : "",
        asked->skip_steps ? " --skip-steps=" : "", asked->skip_steps, asked->steps ? " --steps=" : "", asked->steps);
}

void xs_asked_steps_say(void) {
    static bool said;
    if (!asked) {
        say_no_window(&said);
        return;
    }
    const struct xs_step_waits waits = xs_step_waits();
    const struct counted counted = count_steps(&waits);
    if (counted.count)
        return;
    if (*asked->step && !counted.passed) {
        xs_complain(&said, "no step was recorded: no NVTX range \"%s\" came (--step, XFERSPY_STEP)%s", asked->step,
                    no_ranges);
    } else if (*asked->step) {
        xs_complain(
            &said,
            "no step was recorded: %llu NVTX ranges \"%s\" came, and %ld of them are skipped (--step, XFERSPY_STEP)%s",
            (unsigned long long)counted.passed, asked->step, asked->skip_steps,
            xs_asked_steps_before() > (uint64_t)asked->skip_steps ? "; the first CUDA call came after the others" : "");
    } else if (waits.is_found) {
        xs_complain(&said, "no step was recorded: the program ended in the first one behind the %llu that were skipped",
                    (unsigned long long)waits.first);
    } else {
        say_no_wait(&said, &waits);
    }
}
