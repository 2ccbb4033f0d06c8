/* A trial is the repair of one cause of a report, with the calls of the program that are repaired. */
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

/* Returns the repair for a kind of finding. If it returns XS_TRY_NONE, `*why` (`why` may be NULL) says why there is no
 * repair, as a part of a sentence. */
enum xs_try_repair xs_try_repair_of(unsigned detector, unsigned verdict, const char **why);

/* True if there is a repair for a kind of finding. This function is used as xs_analysis_options.is_in_part, to compute
 * the saving that a trial predicts. */
bool xs_try_has_repair(unsigned detector, unsigned verdict);

/* True if this repair is about copies, and not about allocations. */
bool xs_try_is_about_copies(enum xs_try_repair repair);

/* True if this repair leaves copies out or replaces them. So a trace must prove of each copy that it is not needed: by
 * contents, or by what the host read. */
bool xs_try_needs_proof(enum xs_try_repair repair);

/* True if at least one cause can be tried with this trace. Repairs of copies cannot be tried if xs_ordinals_doubt has a
 * reason, for example that calls are missing. */
bool xs_try_is_worth(const struct xs_diagnosis *diagnosis, const struct xs_trace *trace);

/* A line of a plan: one call, or all calls with a number of bytes. */
struct xs_try_line {
    enum xs_try_repair repair;
    bool is_any;   /* the line is for every call of every thread */
    bool has_from; /* the line names a copy (from_thread, from_ordinal) whose device memory has the content */
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
    size_t number;                   /* number of the cause, counted from 1; 0: all causes together */
    size_t finding;                  /* index of the finding; not set for all causes together */
    char *name;                      /* name of the finding, as `explain` accepts it */
    char *place;                     /* the line of the program; escaped */
    char *why;                       /* why the trial is not possible, or failed; a part of a sentence, not escaped */
    struct xs_saving predicted;      /* saving of the finding */
    struct xs_saving predicted_part; /* saving of only those verdicts of the finding that have a repair */
    /* The verdicts that have no repair, and are not in the plan. */
    struct xs_try_left_out {
        const char *verdict; /* static */
        uint64_t instances;  /* number of instances, with an estimate for unknown contents */
        const char *why;     /* static; a part of a sentence */
    } left_out[XS_VERDICTS];
    unsigned left_out_count;
    enum xs_trial_state state;
    enum xs_try_repair repair; /* not set for all causes together */
    struct xs_try_line *lines; /* sorted by repair, thread and ordinal */
    size_t line_count, line_capacity;
    uint64_t planned, of; /* number of copies or allocations in the plan, and in the finding */
};

struct xs_trials {
    struct xs_trial *items; /* one per cause, then one for all causes together */
    size_t count;
    size_t report_causes; /* number of causes in a report; larger than the number of trials if `only` selected some */
    struct xs_saving together; /* saving of all repairs together, as the report says */
    struct xs_ordinals ordinals;
};

/* Makes the trials of a trace: one for each cause that a report shows, or only for the findings whose indexes are in
 * `only`. The trace must have been read with keeps_repairables. Negative status: the message is set. `trials` must be
 * freed in any case. */
int xs_trials_make(struct xs_trials *trials, const struct xs_reading *reading, const size_t *only, size_t only_count,
                   char *message);
void xs_trials_free(struct xs_trials *trials);

/* Replaces the predictions by those of another trace of the same program, for each finding that both traces have
 * (commands/common/same_finding.h); the predictions of other findings become unknown. This is needed because recording
 * all contents makes calls take longer, so the trace from which a plan is made predicts too much. */
void xs_trials_predict(struct xs_trials *trials, const struct xs_diagnosis *planned,
                       const struct xs_diagnosis *predicting);

/* True if a plan lacks copies because the trace has only the contents of a sample. False if `ordinals.uncertain` is
 * set, because then there is no plan for copies. */
bool xs_trials_are_sampled(const struct xs_trials *trials, const struct xs_diagnosis *diagnosis);

/* Replaces the plans by those of another trace of the same program, which has the contents of all copies. Names,
 * numbers and predictions are not changed. A trial keeps its plan if the other trace does not have the trial, or has no
 * plan for it. Negative status: the message is set. */
int xs_trials_plan_by(struct xs_trials *trials, const struct xs_diagnosis *diagnosis, const struct xs_reading *whole,
                      char *message);

/* Copies the plans of all trials that are still to be tried into the last trial, each call only once, and sets the last
 * trial's prediction. Returns the number of plans that were copied. */
size_t xs_trials_put_together(struct xs_trials *trials);

/* True if a trial is about downloads that nobody read. Then a new recording has to watch all downloads. */
bool xs_trials_are_about_reads(const struct xs_trials *trials);

/* Returns the predicted saving of the part of the finding that is tried. */
const struct xs_saving *xs_trial_predicted(const struct xs_trial *trial);
/* Returns the saving of those verdicts of a finding that have a repair; not known if no verdict has one. */
struct xs_saving xs_try_part_saves(const struct xs_diagnosed *diagnosed);

/* Returns how many copies a plan leaves out or replaces. A run in mode verify checks each of these copies. */
uint64_t xs_trial_left_out(const struct xs_trial *trial);

/* Ends a trial with a state and a reason. */
void xs_trial_end(struct xs_trial *trial, enum xs_trial_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the plan in the format that the library reads; `mode` is "apply" or "verify". */
void xs_trial_plan(struct xs_string *text, const struct xs_trial *trial, const char *mode);
/* Adds the names of the plan's repairs, separated by commas. */
void xs_trial_repairs(struct xs_string *text, const struct xs_trial *trial);

#endif
