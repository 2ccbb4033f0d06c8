/* Measures trials: the unchanged program is compared with each repair alone, and with all repairs together. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_TRY_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_TRY_H

#include "analyzer/commands/bench/bench_arguments.h"
#include "analyzer/commands/try/program.h"
#include "analyzer/commands/try/repair_log.h"
#include "analyzer/commands/try/trials.h"
#include "analyzer/savings/causes/diagnosis.h"

enum { XS_TRY_JSON_VERSION = 1 };
#define XS_TRY_FORMAT "xferspy-try"

/* The result of a trial that was measured. */
struct xs_tried_runs {
    struct xs_bench bench; /* two sides: the unchanged program, and the program with the repair */
    struct xs_bench_side sides[2];
    struct xs_bench_variant variants[2];
    struct xs_bench_terms terms;
    struct xs_bench_report report;
};

/* The data that the runs of a trial need, and their results. */
struct xs_attempt {
    struct xs_trial *trial;
    char *plan, *log;              /* file names */
    char **settings;               /* variables for the environment of its runs; NULL after the last */
    struct xs_repair_log logged;   /* sums over the measured runs */
    const char *log_trouble;       /* what was wrong with a log; NULL: every log was readable */
    struct xs_tried_runs *outcome; /* NULL: not measured */
};

struct xs_try {
    const struct xs_bench_arguments *arguments;
    const struct xs_program *program;
    const struct xs_reading *reading;
    struct xs_trials *trials;
    bool shows;       /* true if progress is shown, on a terminal */
    int64_t began_ns; /* when the command began; the time limit is for the whole command */
    char folder[64];  /* the folder for plans and logs; "": there is none */

    struct xs_attempt *attempts; /* one per trial */
    struct xs_bench bench;       /* the runs of the unchanged program, and of all trials that were measured with it */
    enum xs_bench_end end;
    unsigned failed; /* demands that were not met (enum xs_bench_fault) */
    size_t sum;      /* index of the attempt with all repairs together; trials->count: none could be tried */
    char *identity;  /* identity of the trace */
};

/* Checks every plan in a separate run, then measures and judges. Returns an exit status; XS_EXIT_ERROR: a message was
 * printed, or the measurement was interrupted. `t` must be freed even then. */
int xs_try_measure(struct xs_try *t);
void xs_try_free(struct xs_try *t);

/* True if a trial is shown. The trial of all repairs is not shown if none could be tried. */
bool xs_try_is_shown(const struct xs_try *t, size_t attempt);

/* --- try_words.c --- */

/* Adds "-142 ms", "up to -142 ms", "-31.0 ms to -142 ms", or "nothing". */
void xs_try_predicted(struct xs_string *text, const struct xs_saving *saving);
/* Adds "-138 ms (-145 ms to -131 ms), 9 runs each, output the same", or why there is no result. */
void xs_try_measured(struct xs_string *text, const struct xs_try *t, size_t attempt);
/* Adds what a trial is about: "duplicate-upload (without overwritten) at train.py:9". */
void xs_try_what(struct xs_string *text, const struct xs_trial *trial);
/* Adds "not tried: 9 overwritten: the device does not hold these bytes any more"; nothing if the whole finding is
 * tried. */
void xs_try_left_out(struct xs_string *text, const struct xs_trial *trial);
/* Adds how much of the plan was done: "drop-uploads: 198 of 199 copies"; nothing if nothing was done. */
void xs_try_done(struct xs_string *text, const struct xs_try *t, size_t attempt);
/* Adds the demands of the user that were not met; nothing if the user demanded nothing and nothing is wrong. */
void xs_try_gate(struct xs_string *text, const struct xs_try *t);
enum xs_style xs_try_style(const struct xs_try *t, size_t attempt);

void xs_try_text(const struct xs_try *t, struct xs_out *out);
void xs_try_markdown(const struct xs_try *t, struct xs_out *out);
void xs_try_json(const struct xs_try *t, struct xs_out *out);

#endif
