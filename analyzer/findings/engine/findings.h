/* What the detectors found: instances grouped by (detector, verdict, site), what each finding saves, the
 * union over transfers, and what could not be decided. Memory use grows with the number of findings, not of instances:
 * of each finding a few instances are kept. */
#ifndef XFERSPY_ANALYZER_ENGINE_FINDINGS_H
#define XFERSPY_ANALYZER_ENGINE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/findings/steps/steps.h"
#include "analyzer/trace/framework/context.h"
#include "analyzer/trace/link.h"
#include "analyzer/trace/site_totals.h"
#include "analyzer/trace/windows/capture_ranges.h"

struct xs_frame;     /* callsites.h */
struct xs_selection; /* selection.h */

/* A row of the trace that an instance names, and what it is in it. */
enum xs_evidence_table {
    XS_EVIDENCE_TRANSFER,
    XS_EVIDENCE_MEMSET,
    XS_EVIDENCE_ALLOCATION,
    XS_EVIDENCE_LAUNCH,
    XS_EVIDENCE_SYNC,
    XS_EVIDENCE_API_CALL,
    XS_EVIDENCE_MIGRATION, /* device_migration */
};
extern const char *const xs_evidence_table_names[]; /* the table's name in the trace */

struct xs_evidence {
    enum xs_evidence_table table;
    int64_t row;      /* id in that table */
    const char *role; /* static, a few words: "this upload", "the earlier upload", "the download" */
};
enum { XS_EVIDENCE_ROWS = 4 };

/* Nanoseconds by three measures. What is not known is 0. */
struct xs_times {
    uint64_t device_ns, exposed_ns, host_ns;
    bool device_known, exposed_known;
};

/* A detector has no more verdicts than this. A finding of several verdicts (xs_findings_join) has the one behind them,
 * which has no name. */
enum { XS_VERDICTS = 4, XS_SEVERAL_VERDICTS = XS_VERDICTS };

/* One instance of a finding, as a detector reports it. */
struct xs_instance {
    unsigned verdict;          /* index in the detector's verdicts; 0 where it has none */
    uint32_t site;             /* of the call that the remedy is about */
    int64_t at_ns;             /* when: host enter time of that call */
    uint64_t transfers;        /* that it is about; a run of small transfers has many, an allocation none */
    uint64_t bytes;            /* that they moved, or of the allocation */
    struct xs_times cost;      /* what they took */
    struct xs_times removable; /* what the remedy might take away; at most the cost. A detector of host time (blocked,
                                * or inside calls) gives host_ns and leaves device_known false */
    bool modelled;             /* device times of its rows are; xs_report_instance sets it */
    bool without_kernels;      /* of removable host time: waiting for kernels is not in it */
    bool neighbour;            /* it could have been read with the one before, in one copy */
    bool held;                 /* when it was uploaded, the device memory of the second row (another copy's) held the
                                * same bytes for sure */
    struct xs_times apart;     /* of something else that may have been in vain, too (a round trip's download): shown
                                * beside the finding, never added to it */
    struct xs_evidence evidence[XS_EVIDENCE_ROWS];
    unsigned evidence_count; /* the first row is what the instance is about */
};

/* The removable time of an instance, by the measure that ranks: exposed time where known, else device, else host time.
 */
uint64_t xs_times_rank_ns(const struct xs_times *times);

/* Whether it is about all of its site's transfers from its first row to its second, as a run of small transfers is. */
static inline bool xs_instance_is_run(const struct xs_instance *instance) {
    const struct xs_evidence *rows = instance->evidence;
    return instance->transfers > 1 && instance->evidence_count > 1 && rows[0].table == XS_EVIDENCE_TRANSFER &&
           rows[1].table == XS_EVIDENCE_TRANSFER && rows[0].row < rows[1].row;
}

/* Adds to a sum, whose measures are known while those of all its parts are. */
void xs_times_add(struct xs_times *sum, const struct xs_times *times);

/* What a repair saves: the run as it was measured less its replay with the repair (docs/rules/analysis.md, "What a
 * repair saves"), in ns. A repair whose effect the trace leaves open has a range: its least and its most. Never
 * negative. */
struct xs_saving {
    bool known;  /* else the finding has no repair; all is 0 */
    bool bounds; /* not of a replay: from nothing to what the finding claims */
    uint64_t least_ns, most_ns;
    uint64_t scaled_least_ns, scaled_most_ns; /* their parts that are of copies which chance left out (xs_sample) */
};

/* One cause of waste and what is to be done about it: findings about the same place and the same transfers. The first
 * of them is the repair to begin with; the others are what else is wrong there, or what helps if the first cannot be
 * done. */
struct xs_cause {
    size_t *findings; /* indexes in xs_findings.items, best repair first */
    size_t count;
    struct xs_saving saves; /* by the first one's repair */
    bool folded;            /* under the floor: to be shown in one line with its like */
};

enum {
    XS_KEPT_INSTANCES = 8,
    XS_WELL_KEPT_FINDINGS = 4096, /* those that come after so many keep one instance each */
};

/* How many copies a finding about contents is true of, where not the contents of all are known. Of copies whose
 * content could not be had at all (no fingerprint is possible, none was afforded, or it was lost) nothing is said; they
 * are `unknown`. With checked == of all that can be known is known, and low, estimate and high are the instances. */
struct xs_sample {
    bool is_of_contents; /* else it is a finding of another kind, and the rest is 0 */
    uint64_t checked;    /* copies of the site that the detector could decide about, because chance chose them */
    uint64_t of;         /* these, and those that chance left out */
    uint64_t hits;       /* of the checked: instances of this finding. It may have more: of copies that were looked at
                          * because another one was chosen */
    uint64_t unknown;    /* other copies of the site */
    double estimate, low, high; /* of the `of`: instances, with a 95 % interval. At least what was found */
    double ns, low_ns, high_ns; /* the same of gives_back_ns */
    double left, left_ns; /* copies that chance left out, of those like its hits; and what they took, by the measure
                           * that ranks */
    double left_hits, left_hit_ns; /* of these the instances, as estimated */
};

/* Too few were checked for an estimate to be said without its interval. */
enum { XS_SAMPLE_FEW = 10, XS_SAMPLE_FEW_SHARE = 10 };
static inline bool xs_sample_is_part(const struct xs_sample *sample) {
    return sample->is_of_contents && sample->checked < sample->of;
}
static inline bool xs_sample_is_few(const struct xs_sample *sample) {
    return xs_sample_is_part(sample) &&
           (sample->checked < XS_SAMPLE_FEW || sample->checked < sample->of / XS_SAMPLE_FEW_SHARE);
}

/* Data that goes to the host, is worked on there and goes to the device, again and again (causes/detours.h). */
struct xs_detour {
    uint32_t down_site, up_site;
    uint64_t trips;
    uint64_t host_ns; /* the program's own time between download and upload, in all */
    uint64_t most_ns; /* what is saved at most where the device does it: without that time and both copies */
};

/* What a finding of several verdicts has of one of them. */
struct xs_variant {
    uint64_t instances;
    double estimate, ns, left_hits, left_hit_ns; /* as in struct xs_sample; 0: the finding is not of contents */
    uint64_t claimed_ns;
    struct xs_times removable;
};

/* Contents that are uploaded to a place again and again (analyzer/savings/causes/turns.h). */
struct xs_turns {
    uint32_t contents; /* how many; 0: nothing is to be said */
    uint32_t buffers;  /* addresses on the device that they take turns in; 0: they do not */
    uint64_t bytes;    /* of all of them */
    bool one_size;     /* they all have the same */
};

struct xs_finding {
    unsigned detector; /* index in xs_detectors (detector.h), which has id, title and remedies */
    unsigned verdict;
    struct xs_variant variants[XS_VERDICTS]; /* where the verdict is XS_SEVERAL_VERDICTS */
    struct xs_turns turns;
    uint32_t site;
    uint64_t instances, transfers, bytes;
    uint64_t timed_instances, exposed_instances; /* with cost.device_known, cost.exposed_known */
    uint64_t modelled_instances;                 /* of the timed ones those that are modelled */
    uint64_t without_kernels;                    /* instances */
    uint64_t neighbours;                         /* instances */
    struct xs_times cost, removable, apart;      /* sums; known: of every instance */
    uint64_t gives_back_ns;                      /* what its repair saves: first the claim, then saves.most_ns */
    uint64_t claimed_ns;                         /* the claim: sum of xs_times_rank_ns(removable) */
    int64_t first_ns, last_ns;                   /* at_ns of the first and the last instance */
    bool folded;                                 /* under the floor: to be shown in one line with its like */
    bool advice, potential;                      /* the detector's kind: neither counts in the total */
    struct xs_sample sample;                     /* what stands for copies that were not looked at is in nothing else */

    struct xs_saving saves;      /* this finding alone, with its repair */
    struct xs_saving part_saves; /* of several verdicts: what those alone save that xs_analysis_options.is_in_part
                                  * takes; not known: it takes none, or was not given */
    uint64_t pinning_ns;         /* of a repair that page-locks memory: what that costs; deducted from the least */
    bool pinning_assumed;        /* that cost, or a part of it, is of machines of today, not of this trace */

    size_t ordinal; /* its place in rank among those of its detector and verdict, from 1 */

    size_t kept;               /* instances that each of these may have; XS_KEPT_INSTANCES, or 1 */
    struct xs_instance *first; /* in host order */
    size_t first_count;
    struct xs_instance *largest; /* by their removable time, largest first; may repeat `first` */
    size_t largest_count;
    uint64_t least_ns; /* removable of the last of them, where there are `kept` */

    struct xs_framework_context *context; /* of its first instances; NULL: nothing is known */
    uint32_t detour; /* that its copies are part of: index in xs_findings.detours plus 1; 0: none */
};

/* What saves less than a millisecond, or than a thousandth of the run, is of little consequence. */
enum { XS_FLOOR_NS = 1000000, XS_FLOOR_SHARE = 1000 };

/* What is under both limits, and what is under either, is below this. */
static inline uint64_t xs_floor_of_both(uint64_t recorded_ns) {
    return recorded_ns / XS_FLOOR_SHARE < XS_FLOOR_NS ? recorded_ns / XS_FLOOR_SHARE : XS_FLOOR_NS;
}
static inline uint64_t xs_floor_of_either(uint64_t recorded_ns) {
    return recorded_ns / XS_FLOOR_SHARE > XS_FLOOR_NS ? recorded_ns / XS_FLOOR_SHARE : XS_FLOOR_NS;
}

/* What could not be decided: how often, of which detector, and why. */
struct xs_undecided {
    unsigned detector;
    const char *reason; /* static */
    uint64_t count;
};

/* Copies of a site that a detector may be true of and that nobody looked at, as the budget did not allow it, where none
 * like them was checked either: no sample stands for them. */
struct xs_unchecked {
    unsigned detector;
    uint32_t site;
    uint64_t copies, downloads, bytes; /* downloads: of the copies */
    uint64_t ns; /* what they take, the most that can be saved; less what other detectors found of copies like them */
};

/* The removable time of the findings that count, together: every transfer, memset, allocation and migration once, with
 * the largest that any finding claims of it. What may save nothing and advice are not in it. */
struct xs_total {
    uint64_t gives_back_ns;                  /* by the measure that ranks, thing by thing */
    uint64_t device_ns, exposed_ns, host_ns; /* the same by each measure alone */
    uint64_t transfers;                      /* that any finding claims something of */
};

/* The replay of the run with nothing changed, and the model of the run that is replayed. */
struct xs_replay_fit {
    uint64_t calls, operations; /* of the program and of the device, in the model */
    uint64_t unmatched;         /* device records without a call, left out */
    bool too_large;             /* there are more than can be replayed: nothing is in the model */
    uint64_t measured_ns, replayed_ns;
};
/* A replay that is further from the measured run is not believed, in parts of the run. */
#define XS_REPLAY_LARGEST_ERROR 0.05

/* Copies that chance left out and for which checked ones stand, of one detector. */
struct xs_by_chance {
    uint64_t copies;
    double most; /* of those at places where no checked copy was an instance: how many may be, by the 95 % interval */
};

struct xs_findings {
    struct xs_finding
        *items; /* ranked: what counts, then what is folded, then advice; each by gives_back_ns, largest first */
    size_t count;
    struct xs_undecided *undecided; /* by detector, then the most frequent reason first */
    size_t undecided_count;
    struct xs_by_chance *left_out;  /* by detector; NULL: not known */
    struct xs_unchecked *unchecked; /* by site, then by detector */
    size_t unchecked_count;
    struct xs_total total;
    struct xs_site_totals at_sites;
    struct xs_link_model link;

    struct xs_recorded_time recorded;       /* what shares are of, that of the floor as well */
    uint64_t floor_ns;                      /* findings that save less than this are folded */
    uint64_t transfers, uploads, downloads; /* that ran */
    uint64_t with_content;                  /* of uploads and downloads: those with a fingerprint */
    uint64_t timed;                         /* of the transfers that ran: those with device times */
    bool exposed_known;                     /* kernels were recorded */
    bool calls_recorded;                    /* all of them */
    bool pinning_refused;                   /* a device refuses to page-lock a program's memory */
    bool has_gaps;                          /* calls are missing between parts of the run (capture_ranges.h) */
    uint64_t damaged_rows;                  /* with values that cannot be true, taken as 0 or left out */

    struct xs_cause *causes; /* ranked, by what they save; every finding with a repair is in one */
    size_t cause_count;
    struct xs_saving together; /* all causes repaired */
    double replay_error;       /* how far a replay with nothing changed is from the measured run, in parts of it */
    bool replayed;             /* else what repairs save is bounds: from nothing to what the findings claim */
    struct xs_replay_fit replay_fit;

    struct xs_detour *detours; /* not in `together`: that the device could do the host's work is not known */
    size_t detour_count;

    struct xs_steps steps; /* of the whole trace, whatever the filter */

    struct xs_sites *sites;         /* site numbers and names; xs_site_name */
    struct xs_selection *selection; /* what passed the filter; NULL: there was none */
};

/* What falls to an instance of what the finding saves: in proportion to what the instance claims (xs_times_rank_ns), or
 * where none claims anything an equal part. What the finding saves at copies that were not looked at (scaled_ns) falls
 * to none of them. Where savings were not found it is the claim, unless that is a bound. */
uint64_t xs_finding_share_ns(const struct xs_finding *finding, uint64_t claimed_ns);

/* Whether it is the first of its cause, so that what it saves counts: finding k is the first of cause k. Where causes
 * were not looked for, or there are none, every finding counts. */
static inline bool xs_finding_leads(const struct xs_findings *findings, size_t index) {
    return !findings->cause_count || index < findings->cause_count;
}

/* The entry point's name. Never NULL. */
const char *xs_site_name(const struct xs_findings *findings, uint32_t site);
/* The user's own frame that the call came from (callsites.h), NULL: not known. */
const struct xs_frame *xs_site_frame(const struct xs_findings *findings, uint32_t site);

/* Whether instances of this verdict are the finding's. */
static inline bool xs_finding_has_verdict(const struct xs_finding *finding, unsigned verdict) {
    return finding->verdict == XS_SEVERAL_VERDICTS ? finding->variants[verdict].instances > 0
                                                   : finding->verdict == verdict;
}

/* The verdict by which findings of two traces are compared: where verdicts join, which of them there are may differ. */
unsigned xs_finding_compared_verdict(unsigned detector, unsigned verdict);

/* Makes one finding of those that differ in the verdict only, where all verdicts of the detector have one repair, and
 * ranks them anew. Before causes are looked for. */
void xs_findings_join(struct xs_findings *findings);

/* `order`: for each new place the old one. Causes are not touched. */
void xs_findings_reorder(struct xs_findings *findings, const size_t *order);

void xs_findings_free(struct xs_findings *findings); /* NULL: nothing */

#endif
