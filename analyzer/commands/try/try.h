/* Trials, measured: each repair alone and all together, beside the program as it is. */
#ifndef XFERSPY_ANALYZER_TRY_TRY_H
#define XFERSPY_ANALYZER_TRY_TRY_H

#include "analyzer/commands/bench/bench_arguments.h"
#include "analyzer/commands/try/program.h"
#include "analyzer/commands/try/repair_log.h"
#include "analyzer/commands/try/trials.h"
#include "analyzer/savings/causes/diagnosis.h"

enum { XS_TRY_JSON_VERSION = 1 };
#define XS_TRY_FORMAT "xferspy-try"

/* What became of a trial whose repair was there in measured runs. */
struct xs_outcome {
    struct xs_bench bench; /* a view of two sides: the program as it is, and with the repair */
    struct xs_bench_side sides[2];
    struct xs_bench_variant variants[2];
    struct xs_bench_terms terms;
    struct xs_bench_report report;
};

/* What a trial's runs need, and what they left. */
struct xs_attempt {
    struct xs_trial *trial;
    char *plan, *log;            /* names of files */
    char **settings;             /* of its environment, NULL after the last */
    struct xs_repair_log logged; /* of the measured runs */
    const char *log_trouble;     /* NULL: every log could be read */
    struct xs_outcome *outcome;  /* NULL: it was not measured */
};

struct xs_try {
    const struct xs_bench_arguments *arguments;
    const struct xs_program *program;
    const struct xs_reading *reading;
    struct xs_trials *trials;
    bool shows;       /* progress, on a terminal */
    int64_t began_ns; /* of the command: the time limit is for all of it */
    char folder[64];  /* for plans and logs; "": none */

    struct xs_attempt *attempts; /* a trial each */
    struct xs_bench bench;       /* of the program as it is, and of what was measured beside it */
    enum xs_bench_end end;
    unsigned failed; /* what was demanded and is not there (enum xs_bench_fault) */
    size_t sum;      /* the attempt that stands for all repairs together; trials->count: none could be tried */
    char *identity;  /* of the trace */
};

/* Checks every plan in a run of its own, measures, and judges. An exit status: XS_EXIT_ERROR after a message, or where
 * the measurement was interrupted. To be freed either way. */
int xs_try_measure(struct xs_try *t);
void xs_try_free(struct xs_try *t);

/* Whether this trial is to be shown: that of all together is not, where nothing could be tried. */
bool xs_try_is_shown(const struct xs_try *t, size_t attempt);

/* --- try_words.c --- */

/* "-142 ms", "up to -142 ms", "-31.0 ms to -142 ms", "nothing". */
void xs_try_predicted(struct xs_string *text, const struct xs_saving *saving);
/* "-138 ms (-145 ms to -131 ms), 9 runs each, output the same"; or why there is nothing. */
void xs_try_measured(struct xs_string *text, const struct xs_try *t, size_t attempt);
/* "duplicate-upload (without overwritten) at train.py:9": what it is about. */
void xs_try_what(struct xs_string *text, const struct xs_trial *trial);
/* "not tried: 9 overwritten: the device does not hold these bytes any more"; empty where all of the finding is tried.
 */
void xs_try_left_out(struct xs_string *text, const struct xs_trial *trial);
/* "drop-uploads: 198 of 199 copies": what was planned and what of it was done; empty where nothing was. */
void xs_try_done(struct xs_string *text, const struct xs_try *t, size_t attempt);
/* What was demanded and is not there; empty where nothing was demanded, and nothing is wrong. */
void xs_try_gate(struct xs_string *text, const struct xs_try *t);
enum xs_style xs_try_style(const struct xs_try *t, size_t attempt);

void xs_try_text(const struct xs_try *t, struct xs_out *out);
void xs_try_markdown(const struct xs_try *t, struct xs_out *out);
void xs_try_json(const struct xs_try *t, struct xs_out *out);

#endif
