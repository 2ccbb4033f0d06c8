/* Begins the counting of steps, and says how it went; see asked_steps.h. */
#include "preload/session/asked_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/asked_window.h"
#include "preload/core/outside.h"
#include "preload/core/step_waits.h"
#include "preload/driver/rows.h"
#include "preload/session/say.h"

static const struct xs_options *asked; /* NULL: no steps are asked for */
static const char *asked_window = "";  /* where none are */

struct counted {
    uint64_t first, count; /* the number of the first step that was recorded, from 1, and how many there were */
    uint64_t passed;       /* steps that began, or ended where waits tell them apart */
};

bool xs_asked_steps_start(const struct xs_options *options, struct xs_window_spec *window) {
    if (!options->skip_steps && !options->steps && !*options->step) {
        asked_window = options->window;
        return false;
    }
    if (*options->window) {
        xs_say(
            "XFERSPY_WINDOW is ignored, because steps are asked for (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP)");
    }
    if (*options->step) {
        xs_asked_steps_set((uint64_t)options->skip_steps, (uint64_t)options->steps);
    } else {
        xs_step_waits_start((uint64_t)options->skip_steps, (uint64_t)options->steps);
    }
    *window = (struct xs_window_spec){.opener = XS_WINDOW_BY_STEPS};
    asked = options;
    return true;
}

static struct counted count_steps(const struct xs_step_waits *waits) {
    bool by_range = *asked->step;
    uint64_t turns = atomic_load(&xs_asked_step_turns), skipped = (uint64_t)asked->skip_steps;
    uint64_t before = by_range ? skipped : waits->first, passed = by_range ? (turns + 1) / 2 : waits->ended;
    uint64_t count = (by_range || waits->is_found) && passed > before ? passed - before : 0;
    if (asked->steps && count > (uint64_t)asked->steps) {
        count = (uint64_t)asked->steps;
    }
    return (struct counted){count ? before + 1 : 0, count, passed};
}

/* The steps of an NVTX range as times: two of one name are otherwise told apart only by calls between them. */
static void write_times(const struct xs_clock *clock, struct xs_store *store) {
    static char text[XS_OUTSIDE_TEXT_BYTES];
    size_t length = 0, bytes;
    uint64_t begin_ns, end_ns;
    for (size_t i = 0; xs_asked_step_times(i, &begin_ns, &end_ns); i++) {
        bytes = xs_outside_put(begin_ns, end_ns, clock, text + length, sizeof text - length, i == 0);
        length += bytes;
        if (!bytes) {
            break;
        }
    }
    if (length) {
        xs_store_meta_text(store, "range.step_times", text);
    }
}

void xs_asked_steps_write(const struct xs_clock *clock, struct xs_store *store) {
    if (!asked) {
        return;
    }
    const struct xs_step_waits waits = xs_step_waits();
    const struct counted counted = count_steps(&waits);
    xs_store_meta_text(store, "range.steps_by", *asked->step ? "range" : waits.is_found ? "wait" : "none");
    xs_store_meta_int(store, "range.steps_first", (int64_t)counted.first);
    xs_store_meta_int(store, "range.steps", (int64_t)counted.count);
    xs_store_meta_int(store, "range.steps_passed", (int64_t)counted.passed);
    if (*asked->step) {
        write_times(clock, store);
    }
    if (waits.is_found) {
        xs_store_meta_text(store, "range.steps_wait", xs_rows[waits.row].name);
    }
}

/* `xferspy run` sets the variable, and who preloads the library may not know of it. */
static const char *why_no_ranges(void) {
    return getenv("NVTX_INJECTION64_PATH") ? ""
                                           : "; without NVTX_INJECTION64_PATH=libxferspy.so NVTX tells nothing of its"
                                             " ranges";
}

/* What a trace of allocations alone would leave to be guessed. */
static void say_no_window(bool *said) {
    static const char of_range[] = "nvtx:";
    bool by_range = strncmp(asked_window, of_range, sizeof of_range - 1) == 0;
    bool by_profiler = strcmp(asked_window, "profiler") == 0;
    if (!*asked_window || !xs_outside_is_limited() || xs_outside_windows().count) {
        return;
    }
    xs_complain(said, "nothing was recorded but allocations: %s%s%s (XFERSPY_WINDOW)%s",
                by_range      ? "no NVTX range \""
                : by_profiler ? "cudaProfilerStart was never called"
                              : "the program ended before ",
                by_range      ? asked_window + sizeof of_range - 1
                : by_profiler ? ""
                              : asked_window,
                by_range ? "\" came" : "", by_range ? why_no_ranges() : "");
}

/* Few waits: the program waits in copies that block, if at all, and they tell no steps. */
static void say_no_wait(bool *said, const struct xs_step_waits *waits) {
    char skip[48] = "", steps[48] = "";
    if (asked->skip_steps) {
        snprintf(skip, sizeof skip, " --skip-steps=%ld", asked->skip_steps);
    }
    if (asked->steps) {
        snprintf(steps, sizeof steps, " --steps=%ld", asked->steps);
    }
    xs_complain(said,
                "no step was recorded: of %llu waits none came regularly%s; give the name of an NVTX range (--step=NAME"
                " or XFERSPY_STEP=NAME), or record the whole run: `xferspy report%s%s TRACE' then chooses its steps",
                (unsigned long long)waits->seen,
                waits->seen < XS_STEP_WAITS_LEAST ? ", and copies that block tell no steps" : "", skip, steps);
}

void xs_asked_steps_say(void) {
    static bool said;
    if (!asked) {
        say_no_window(&said);
        return;
    }
    const struct xs_step_waits waits = xs_step_waits();
    const struct counted counted = count_steps(&waits);
    if (counted.count) {
        return;
    }
    if (*asked->step && !counted.passed) {
        xs_complain(&said, "no step was recorded: no NVTX range \"%s\" came (--step, XFERSPY_STEP)%s", asked->step,
                    why_no_ranges());
    } else if (*asked->step) {
        xs_complain(
            &said,
            "no step was recorded: %llu NVTX ranges \"%s\" came, and %ld of them are skipped (--step, XFERSPY_STEP)",
            (unsigned long long)counted.passed, asked->step, asked->skip_steps);
    } else if (waits.is_found) {
        xs_complain(&said, "no step was recorded: the program ended in the first one behind the %llu that were skipped",
                    (unsigned long long)waits.first);
    } else {
        say_no_wait(&said, &waits);
    }
}
