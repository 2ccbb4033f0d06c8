/* Holds the diagnosis of a trace: the engine's findings with what each repair saves, and their causes. The engine's
 * result is not changed. Only analyzer/savings fills these types (causes/find_savings.h), and all outputs print them.
 */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_DIAGNOSIS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_DIAGNOSIS_H

#include "analyzer/findings/engine/findings.h"
#include "analyzer/savings/idle/idle.h"
#include "analyzer/savings/idle/waits_paid.h"
#include "analyzer/trace/framework/framework_context.h"

/* A saving is the measured run less its replay with the repair (docs/rules/analysis.md, "What a repair saves"), in ns.
 * If the trace does not determine a repair's effect, the saving is a range from least to most. A saving is never
 * negative. */
struct xs_saving {
    bool known;  /* false: the finding has no repair, and the other fields are 0 */
    bool bounds; /* the range is not from a replay, but from 0 to the finding's claim */
    uint64_t least_ns, most_ns;
    uint64_t scaled_least_ns, scaled_most_ns; /* the parts of least and most that are estimated for copies that the
                                               * sample left out (xs_sample) */
};

/* A cause of waste. It has the findings about the same place and the same transfers. The repair of the first finding
 * should be tried first. The other findings show what else is wrong there, or what helps if the first repair is not
 * possible. */
struct xs_cause {
    size_t *findings; /* indexes in xs_diagnosis.items, best repair first */
    size_t count;
    struct xs_saving saves; /* saving by the first finding's repair */
    bool folded;            /* it saves too little, so it is shown in one line with other causes */
};

/* A detour is data that is downloaded, changed by the host and uploaded, again and again (causes/detours.h). */
struct xs_detour {
    uint32_t down_site, up_site;
    uint64_t trips;
    uint64_t host_ns; /* total time of the program's own work between download and upload */
    uint64_t most_ns; /* saved at most if the device does the work: host_ns plus the time of both copies */
};

/* Describes contents that one place uploads again and again (causes/turns.h). */
struct xs_turns {
    uint32_t contents; /* number of contents; 0: there are no such contents */
    uint32_t buffers;  /* number of device addresses to which the contents are uploaded alternately; 0: they do not
                        * replace each other */
    uint64_t bytes;    /* size of all contents together */
    bool one_size;     /* all contents have the same size */
};

/* Compares a replay of the unchanged run with the measured run, and gives the size of the model. If only parts of the
 * run are replayed, all fields except `parts_of_run` are about these parts. */
struct xs_replay_fit {
    uint64_t calls, operations; /* numbers of the program's calls and of the device's operations in the model */
    uint64_t unmatched;    /* number of device records without a call, which are left out; 0 if parts are replayed */
    uint64_t parts;        /* number of parts of the run that are replayed; 0: the run is replayed as a whole */
    uint64_t parts_of_run; /* number of parts of the run; 0: the run is replayed as a whole */
    uint64_t measured_ns, replayed_ns;
};
/* A replay is not trusted if its error is more than this part of the run. */
#define XS_REPLAY_LARGEST_ERROR 0.05

/* A finding, and what the diagnosis says about it. */
struct xs_diagnosed {
    const struct xs_finding *finding;
    size_t ordinal; /* rank among the findings of its detector and verdict, from 1 */
    bool folded;    /* it saves less than the floor, so it is shown in one line with other findings */

    struct xs_saving saves;      /* saving by the repair of this finding alone */
    struct xs_saving part_saves; /* for a finding of several verdicts: the saving of only the verdicts for which
                                  * xs_analysis_options.is_in_part is true; not known if there are no such verdicts, or
                                  * if is_in_part is NULL */
    uint64_t pinning_ns;  /* for a repair that page-locks memory: the price of the page-locking, which is subtracted
                           * from the least saving */
    bool pinning_assumed; /* at least a part of this price is not measured in this trace, but typical of today's
                           * machines */

    struct xs_turns turns;
    uint32_t released_at; /* for memory that is allocated repeatedly: the site of most of its frees; 0: not known */
    uint32_t worked_at;   /* for work of the host: the place where most of the work was seen (xs_pause_sample.place); 0:
                           * not known, or it is the place of the finding */
    struct xs_framework_context *context; /* context of its first instances; NULL: not known */
    const struct xs_finding *preparation; /* for needless uploads: the finding about the host's work before these
                                           * uploads; this work is needless, too (causes/preparations.h); NULL: none */
    double preparation_share;             /* this finding's part of the uploads of `preparation` */
    uint32_t detour; /* the detour that its copies belong to, as its index in xs_diagnosis.detours plus 1; 0: none */
    bool goes_back;  /* at least half of its downloads belong to a detour, or would belong to one if the device did not
                      * already have the uploaded bytes */
};

struct xs_diagnosis {
    struct xs_findings *findings; /* the engine's result, ranked by claims */

    struct xs_diagnosed *items; /* all findings: first the first findings of the causes, by rank of the cause, then the
                                 * others */
    size_t count;
    struct xs_cause *causes; /* ranked by what they save; every finding with a repair belongs to a cause */
    size_t cause_count;
    struct xs_saving together; /* saving if all causes are repaired */
    uint64_t *saves_at;        /* by site: the most that the first findings of the causes at this site save */
    size_t site_count;

    double replay_error; /* how far a replay of the unchanged run differs from the measured run, as a part of the run */
    bool replayed;       /* false: savings are bounds, from nothing to what the findings claim */
    struct xs_replay_fit replay_fit;

    struct xs_idle idle;        /* idle time of the steps after the warm-up, or of the run if it has no steps; empty
                                 * unless xs_analysis_options.accounts_idle is set */
    size_t idle_steps;          /* number of steps that `idle` is about; 0: `idle` is about the whole run */
    struct xs_waits_paid waits; /* the waits of the whole run; empty if xs_analysis_options.judged_waits is not set, or
                                 * if the replay is not trusted */

    struct xs_detour *detours; /* their savings are not in `together`, because it is not known whether the device could
                                * do the host's work */
    size_t detour_count;
};

/* Makes a diagnosis that owns the findings and has no savings and causes yet. */
struct xs_diagnosis *xs_diagnosis_of(struct xs_findings *findings);

/* Reorders the items; `places` has the new index of each item, by its old index. Causes are not changed. */
void xs_diagnosis_reorder(struct xs_diagnosis *diagnosis, const size_t *places);

/* Frees the findings, too. NULL is allowed. */
void xs_diagnosis_free(struct xs_diagnosis *diagnosis);

/* Returns an instance's share of what the finding saves: in proportion to the instance's claim (xs_times_rank_ns), or
 * an equal part if no instance claims anything. The savings estimated for copies that were not looked at
 * (scaled_..._ns) are not included. 0 if the finding has no repair. */
uint64_t xs_finding_share_ns(const struct xs_diagnosed *diagnosed, uint64_t claimed_ns);

/* True if the finding is the first of its cause, so that its saving counts. Finding k is the first finding of cause
 * k. */
static inline bool xs_finding_leads(const struct xs_diagnosis *diagnosis, size_t index) {
    return index < diagnosis->cause_count;
}

/* Returns the most that the first findings of causes save at a site. */
static inline uint64_t xs_saves_at(const struct xs_diagnosis *diagnosis, uint32_t site) {
    return site < diagnosis->site_count ? diagnosis->saves_at[site] : 0;
}

#endif
