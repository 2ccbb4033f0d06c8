/* Trials: the repair of each cause in a report, and the calls of the program to be repaired. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_TRIALS_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_TRIALS_H

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
extern const char *const xs_try_repair_names[]; /* NULL for XS_TRY_NONE */

/* The repair of a kind of finding. For XS_TRY_NONE also why there is none, as a part of a sentence. */
enum xs_try_repair xs_try_repair_of(unsigned detector, unsigned verdict, const char **why);

/* Whether there is a repair. As xs_analysis_options.is_in_part it selects what a trial predicts. */
bool xs_try_has_repair(unsigned detector, unsigned verdict);

/* Whether the repair is justified by contents of copies. */
bool xs_try_is_by_contents(enum xs_try_repair repair);

/* The first of a cause's findings with a repair that can be tried; SIZE_MAX: none. */
size_t xs_try_finding_of(const struct xs_diagnosis *diagnosis, const struct xs_cause *cause);

/* Whether any cause can be tried with this trace. Repairs of copies cannot if the trace lacks calls. */
bool xs_try_is_worth(const struct xs_diagnosis *diagnosis, const struct xs_trace *trace);

/* A line of a plan: one call, or all calls with a number of bytes. */
struct xs_try_line {
    enum xs_try_repair repair;
    bool is_any;   /* every thread and every call */
    bool has_from; /* the line names the call whose copy's device memory has the content */
    uint32_t thread, ordinal, from_thread, from_ordinal;
    uint64_t bytes;
};

enum xs_trial_state {
    XS_TRIAL_PLANNED,
    XS_TRIAL_CANNOT, /* it cannot be tried */
    XS_TRIAL_FAILED, /* the run with the repair was not as expected */
    XS_TRIAL_MEASURED,
};
extern const char *const xs_trial_state_names[];

struct xs_trial {
    size_t number;                   /* number of the cause, from 1; 0: all causes together */
    size_t finding;                  /* index in the findings; not set for all causes together */
    char *name;                      /* as `explain` takes it */
    char *place;                     /* where; escaped */
    char *why;                       /* why it cannot be tried, or failed; a part of a sentence, to be escaped */
    struct xs_saving predicted;      /* saving of the finding */
    struct xs_saving predicted_part; /* saving of only those of its verdicts that have a repair */
    /* The other verdicts, which its plan leaves out: */
    struct xs_try_left_out {
        const char *verdict; /* static */
        uint64_t instances;  /* with an estimate for unknown contents */
        const char *why;     /* static; a part of a sentence */
    } left_out[XS_VERDICTS];
    unsigned left_out_count;
    enum xs_trial_state state;
    enum xs_try_repair repair; /* not set for all causes together */
    struct xs_try_line *lines; /* sorted by repair, thread and ordinal */
    size_t line_count, line_capacity;
    uint64_t planned, of; /* copies or allocations in the plan, and in the finding */
};

struct xs_trials {
    struct xs_trial *items; /* one per cause, then, if there are several, one for all together */
    size_t count;
    size_t report_causes;      /* number of causes in a report; more than the trials if `only' chose some */
    struct xs_saving together; /* saving of all repairs by the report */
    struct xs_ordinals ordinals;
};

/* Makes the trials of a trace that was read with keeps_repairables: of each cause that a report shows, or of the
 * findings in `only` alone (indexes). Negative status: the message is set. To be freed either way. */
int xs_trials_make(struct xs_trials *trials, const struct xs_reading *reading, const size_t *only, size_t only_count,
                   char *message);
void xs_trials_free(struct xs_trials *trials);

/* Takes the predictions from another trace of the same program, for each finding that is in both
 * (commands/common/same_finding.h); the others are then not known. Recording all contents lengthens what it records, so
 * the trace of a plan predicts too much. */
void xs_trials_predict(struct xs_trials *trials, const struct xs_diagnosis *planned,
                       const struct xs_diagnosis *predicting);

/* Whether a plan lacks copies because the trace has only the contents of a sample. False if it is uncertain which
 * calls these are: then there is no plan. */
bool xs_trials_are_sampled(const struct xs_trials *trials, const struct xs_diagnosis *diagnosis);

/* Takes the plans from another trace of the same program, which has the contents of all copies. Names, numbers and
 * predictions stay. A trial that the other trace does not have, or has no plan for, keeps its own plan. Negative
 * status: the message is set. */
int xs_trials_plan_by(struct xs_trials *trials, const struct xs_diagnosis *diagnosis, const struct xs_reading *whole,
                      char *message);

/* Joins the plans that are still to be tried in the last trial, each call once. Returns how many there are. */
size_t xs_trials_put_together(struct xs_trials *trials);

/* The predicted saving of what is tried. */
const struct xs_saving *xs_trial_predicted(const struct xs_trial *trial);
/* The part of it that a finding has; not known: nothing. */
struct xs_saving xs_try_part_saves(const struct xs_diagnosed *diagnosed);

/* How many copies a plan leaves out or replaces because of their contents. A run in mode verify compares these. */
uint64_t xs_trial_left_out(const struct xs_trial *trial);

/* Ends a trial with a state and a reason. */
void xs_trial_end(struct xs_trial *trial, enum xs_trial_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the plan for the library; `mode` is apply or verify. */
void xs_trial_plan(struct xs_string *text, const struct xs_trial *trial, const char *mode);
/* Adds the names of the plan's repairs, separated by commas. */
void xs_trial_repairs(struct xs_string *text, const struct xs_trial *trial);

#endif
