/* What is to be tried: for each cause of a report its repair, and the calls of the program that it is about. */
#ifndef XFERSPY_ANALYZER_TRY_TRIALS_H
#define XFERSPY_ANALYZER_TRY_TRIALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/try/ordinals.h"
#include "analyzer/savings/causes/diagnosis.h"

enum xs_try_repair {
#define XS_REPAIR(id, symbol, name, what) XS_TRY_##id,
#include "schema/repairs.def"
#undef XS_REPAIR
    XS_TRY_NONE
};
extern const char *const xs_try_repair_names[]; /* NULL of XS_TRY_NONE */

/* The repair of a kind of finding; XS_TRY_NONE with why, within a sentence. */
enum xs_try_repair xs_try_repair_of(unsigned detector, unsigned verdict, const char **why);

/* Whether there is one: what xs_analysis_options.is_in_part has to be, for what a trial predicts. */
bool xs_try_has_repair(unsigned detector, unsigned verdict);

/* Whether what it repairs is proved by the contents of copies. */
bool xs_try_is_by_contents(enum xs_try_repair repair);

/* Whether a cause has a repair that can be tried: of its findings the first that has one; SIZE_MAX: none. */
size_t xs_try_finding_of(const struct xs_diagnosis *diagnosis, const struct xs_cause *cause);

/* Whether any cause can be tried with this trace. Repairs of copies cannot where it lacks calls. */
bool xs_try_is_worth(const struct xs_diagnosis *diagnosis, const struct xs_trace *trace);

/* A line of a plan: one call, or every one with so many bytes. */
struct xs_try_line {
    enum xs_try_repair repair;
    bool is_any;   /* every thread and every call */
    bool has_from; /* the call whose copy's device memory has the content */
    uint32_t thread, ordinal, from_thread, from_ordinal;
    uint64_t bytes;
};

enum xs_trial_state {
    XS_TRIAL_PLANNED,
    XS_TRIAL_CANNOT, /* be tried */
    XS_TRIAL_FAILED, /* the run with the repair was not what it has to be */
    XS_TRIAL_MEASURED,
};
extern const char *const xs_trial_state_names[];

struct xs_trial {
    size_t number;                   /* of the cause, from 1; 0: all causes together */
    size_t finding;                  /* index in the findings; of all: none */
    char *name;                      /* as `explain` takes it */
    char *place;                     /* where; escaped */
    char *why;                       /* it cannot be tried, or failed; within a sentence, to be escaped */
    struct xs_saving predicted;      /* of the finding */
    struct xs_saving predicted_part; /* of those of its verdicts alone that have a repair */
    /* The others, that its plan is not for: */
    struct xs_try_left_out {
        const char *verdict; /* static */
        uint64_t instances;  /* with an estimate of those whose contents are not known */
        const char *why;     /* static; within a sentence */
    } left_out[XS_VERDICTS];
    unsigned left_out_count;
    enum xs_trial_state state;
    enum xs_try_repair repair; /* of all: none */
    struct xs_try_line *lines; /* by repair, thread and ordinal */
    size_t line_count, line_capacity;
    uint64_t planned, of; /* copies or allocations: in the plan, and that the finding is about */
};

struct xs_trials {
    struct xs_trial *items; /* a trial a cause, then, where there are several, one of all together */
    size_t count;
    size_t report_causes;      /* that a report shows; more than there are trials of, where `only' chose some */
    struct xs_saving together; /* what a report says that all of its repairs save */
    struct xs_ordinals ordinals;
};

/* Makes the trials of a trace that was read with keeps_repairables: of each cause that a report shows, or of the
 * findings in `only` alone (indexes). Negative status: the message is set. To be freed either way. */
int xs_trials_make(struct xs_trials *trials, const struct xs_reading *reading, const size_t *only, size_t only_count,
                   char *message);
void xs_trials_free(struct xs_trials *trials);

/* Takes what is predicted from another trace of the same program: of each finding that is in both, by its kind and
 * place; of the others it is not known. Recording all contents lengthens what it records, so the trace of a plan
 * predicts too much. */
void xs_trials_predict(struct xs_trials *trials, const struct xs_diagnosis *planned,
                       const struct xs_diagnosis *predicting);

/* Whether a plan lacks copies because the trace has the contents of a sample only. Not where it is uncertain which
 * calls these are: then there is no plan. */
bool xs_trials_are_sampled(const struct xs_trials *trials, const struct xs_diagnosis *diagnosis);

/* Takes the plans from another trace of the same program, which has the contents of all copies; names, numbers and
 * what is predicted stay. What the other trace does not have, or no plan for, keeps its own. Negative status: the
 * message is set. */
int xs_trials_plan_by(struct xs_trials *trials, const struct xs_diagnosis *diagnosis, const struct xs_reading *whole,
                      char *message);

/* Puts together in the last trial what is still to be tried of the others, each call once. Returns how many others. */
size_t xs_trials_put_together(struct xs_trials *trials);

/* What is predicted of what is tried. */
const struct xs_saving *xs_trial_predicted(const struct xs_trial *trial);
/* What of that a finding has; not known: nothing. */
struct xs_saving xs_try_part_saves(const struct xs_diagnosed *diagnosed);

/* How many copies its plan leaves out or replaces because of their contents: what a run in mode verify compares. */
uint64_t xs_trial_left_out(const struct xs_trial *trial);

/* Ends a trial: state, and why. */
void xs_trial_end(struct xs_trial *trial, enum xs_trial_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The plan as the library reads it; `mode` is apply or verify. */
void xs_trial_plan(struct xs_string *text, const struct xs_trial *trial, const char *mode);
/* The names of the repairs in it, with commas between. */
void xs_trial_repairs(struct xs_string *text, const struct xs_trial *trial);

#endif
