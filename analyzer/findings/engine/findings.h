/* Holds the engine's result: instances grouped by (detector, verdict, site), what each finding claims, the union of all
 * claims, and what could not be decided. Memory use grows with the number of findings, not of instances, because each
 * finding keeps only a few instances. The diagnosis says what repairs save (analyzer/savings/causes/diagnosis.h). */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_FINDINGS_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/findings/engine/downloads_read.h"
#include "analyzer/findings/engine/instances.h"
#include "analyzer/findings/steps/steps.h"
#include "analyzer/trace/link.h"
#include "analyzer/trace/site_totals.h"
#include "analyzer/trace/windows/capture_ranges.h"

struct xs_frame;     /* callsites.h */
struct xs_selection; /* selection.h */

/* A row of the trace that an instance names as evidence, and the row's role. */
enum xs_evidence_table {
    XS_EVIDENCE_TRANSFER,
    XS_EVIDENCE_MEMSET,
    XS_EVIDENCE_ALLOCATION,
    XS_EVIDENCE_LAUNCH,
    XS_EVIDENCE_SYNC,
    XS_EVIDENCE_API_CALL,
    XS_EVIDENCE_MIGRATION, /* device_migration */
};
extern const char *const xs_evidence_table_names[]; /* each table's name in the trace */

struct xs_evidence {
    enum xs_evidence_table table;
    int64_t row;      /* id in that table */
    const char *role; /* static, a few words: "this upload", "the earlier upload", "the download" */
};
enum { XS_EVIDENCE_ROWS = 4 };

/* A time, measured in three ways, in ns; 0 if not known. */
struct xs_times {
    uint64_t device_ns, exposed_ns, host_ns;
    bool device_known, exposed_known;
};

/* A detector has at most XS_VERDICTS verdicts. A finding of several verdicts (xs_findings_join) has the number
 * XS_SEVERAL_VERDICTS, which has no name. */
enum { XS_VERDICTS = 4, XS_SEVERAL_VERDICTS = XS_VERDICTS };

/* One instance of a finding, as a detector reports it. */
struct xs_instance {
    unsigned verdict;          /* index in the detector's verdicts; 0 if the detector has no verdicts */
    uint32_t site;             /* site of the call that the remedy is about */
    int64_t at_ns;             /* time at which the host entered this call */
    uint64_t transfers;        /* number of transfers of the instance: many for a run of small transfers, none for an
                                * allocation */
    uint64_t bytes;            /* bytes that these transfers moved, or bytes of the allocation */
    struct xs_times cost;      /* the time that the transfers, or the allocation's calls, took */
    struct xs_times removable; /* the time that the remedy might remove, at most the cost. A detector of host time
                                * (blocked, or inside calls) sets host_ns and leaves device_known false */
    bool modelled;             /* device times of its rows are modelled; set by xs_report_instance */
    bool without_kernels; /* the removable host time does not include the time in which the host waited for kernels */
    bool neighbour;       /* one copy could have read this value together with the value of the previous
                           * instance */
    bool held; /* when the upload of the first row was made, the device memory of the second row's copy surely held the
                * same bytes */
    struct xs_times apart; /* cost of another copy that may have been useless, too (a round trip's download); shown next
                            * to the finding, never added to it */
    struct xs_evidence evidence[XS_EVIDENCE_ROWS];
    unsigned evidence_count; /* the first row is the subject of the instance */
};

/* Returns the time by the measure that ranks findings: exposed time if known, else device time, else host time. */
uint64_t xs_times_rank_ns(const struct xs_times *times);

/* True if the instance covers all transfers of its site from its first row of evidence to its second, as a run of small
 * transfers does. */
static inline bool xs_instance_is_run(const struct xs_instance *instance) {
    const struct xs_evidence *rows = instance->evidence;
    return instance->transfers > 1 && instance->evidence_count > 1 && rows[0].table == XS_EVIDENCE_TRANSFER &&
           rows[1].table == XS_EVIDENCE_TRANSFER && rows[0].row < rows[1].row;
}

/* Returns the cost of a transfer or memset: device, exposed and host time as far as the event has them. */
struct xs_times xs_event_times(const struct xs_trace_event *event);

/* Adds times to a sum. A measure of the sum is known only if all added times have it. */
void xs_times_add(struct xs_times *sum, const struct xs_times *times);

enum {
    XS_KEPT_INSTANCES = 8,
    XS_WELL_KEPT_FINDINGS = 4096, /* each finding after the first 4096 keeps only one instance */
};

/* Estimates how many copies are instances of a finding, if the detector could not decide about all copies. It cannot
 * decide about a copy that the random sample left out, or that was not watched. The estimate covers such a copy if
 * similar copies were checked. A copy that was neither checked nor is covered is `unknown`: no similar copy was
 * checked, no fingerprint is possible, the budget did not suffice, the fingerprint was lost, or the watch had no
 * result. If all copies but the unknown ones were checked (checked == of), low, estimate and high equal the number of
 * instances. */
struct xs_sample {
    bool is_of_contents; /* false: the finding is neither about contents nor about what the host read, and all other
                          * fields are 0 */
    uint64_t checked; /* copies of the site that the detector could decide about, because the random sample chose them,
                       * or because they were watched */
    uint64_t of;      /* the checked copies, and the left out or unwatched copies that are similar to checked ones */
    uint64_t hits;    /* instances of this finding among the checked copies. The finding may have more instances, whose
                       * fingerprints were taken only because another copy's was taken */
    uint64_t unknown; /* the other copies of the site */
    double estimate, low, high; /* estimated number of instances among the `of` copies, with a 95 % interval; at least
                                 * the number found */
    double ns, low_ns, high_ns; /* estimate of the finding's claimed_ns, with the same interval */
    double left, left_ns;       /* left: number of copies that the sample left out and that are similar to the finding's
                                 * checked copies; left_ns: their time, by the measure that ranks findings */
    double left_hits, left_hit_ns; /* estimated number of instances among the `left` copies, and their time */
};

/* An estimate is shown with its interval if fewer than XS_SAMPLE_FEW copies, or less than one in XS_SAMPLE_FEW_SHARE,
 * were checked. */
enum { XS_SAMPLE_FEW = 10, XS_SAMPLE_FEW_SHARE = 10 };
static inline bool xs_sample_is_part(const struct xs_sample *sample) {
    return sample->is_of_contents && sample->checked < sample->of;
}
static inline bool xs_sample_is_few(const struct xs_sample *sample) {
    return xs_sample_is_part(sample) &&
           (sample->checked < XS_SAMPLE_FEW || sample->checked < sample->of / XS_SAMPLE_FEW_SHARE);
}

/* Estimates, if the trace is a ledger, how many instances the finding has in the whole run (in_run.h). All fields are 0
 * if the trace is no ledger, or if nothing can be estimated. */
struct xs_in_run {
    uint64_t transfers;          /* copies of the finding's site in the whole run; an estimate if some calls were only
                                  * counted */
    double instances, low, high; /* estimated number of instances among these copies, with a 95 % interval */
};

/* One verdict's part of a finding of several verdicts. */
struct xs_variant {
    uint64_t instances;
    double estimate, ns, left_hits, left_hit_ns; /* as in struct xs_sample; 0: the finding is not about contents */
    uint64_t claimed_ns;
    struct xs_times removable;
};

struct xs_finding {
    unsigned detector; /* index in xs_detectors (detector.h), which has id, title and remedies */
    unsigned verdict;
    struct xs_variant variants[XS_VERDICTS]; /* only if the verdict is XS_SEVERAL_VERDICTS */
    uint32_t site;
    uint32_t launched_at; /* for a finding about runs of launches: the site of a launch whose stack was taken, if all
                           * launches with a stack are in one function; 0: not known. Chance decides which launches have
                           * a stack, so this site does not identify the finding */
    uint64_t instances, transfers, bytes;
    uint64_t timed_instances, exposed_instances; /* instances with cost.device_known, and with cost.exposed_known */
    uint64_t modelled_instances;                 /* timed instances with modelled device times */
    uint64_t without_kernels;                    /* number of instances with without_kernels */
    uint64_t neighbours;                         /* number of instances with neighbour */
    struct xs_times cost, removable, apart;      /* sums; a measure is known if every instance has it */
    uint64_t claimed_ns;                         /* the claim, which is the sum of xs_times_rank_ns(removable) */
    int64_t first_ns, last_ns;                   /* at_ns of the first and the last instance */
    bool is_small;           /* the finding claims less than xs_findings.floor_ns, so it is ranked after larger ones */
    bool advice, potential;  /* the detector's kind; findings of these kinds do not count in the total */
    struct xs_in_run in_run; /* in_run.h */
    struct xs_sample sample; /* estimates for copies whose contents were not checked; all other fields are only about
                              * instances that were found */

    size_t kept; /* the most instances that each of the next two lists can have: XS_KEPT_INSTANCES, or 1 */
    struct xs_instance *first; /* in host order */
    size_t first_count;
    struct xs_instance *largest; /* by removable time, largest first; may repeat `first` */
    size_t largest_count;
    uint64_t least_ns; /* removable time of the last item of `largest`, if it has `kept` items */
};

/* The limits below which a saving is small: a millisecond, and a thousandth of the run. */
enum { XS_FLOOR_NS = 1000000, XS_FLOOR_SHARE = 1000 };

/* A saving is under both limits if it is less than xs_floor_of_both, which is the smaller limit. It is under at least
 * one limit if it is less than xs_floor_of_either, which is the larger limit. */
static inline uint64_t xs_floor_of_both(uint64_t recorded_ns) {
    return recorded_ns / XS_FLOOR_SHARE < XS_FLOOR_NS ? recorded_ns / XS_FLOOR_SHARE : XS_FLOOR_NS;
}
static inline uint64_t xs_floor_of_either(uint64_t recorded_ns) {
    return recorded_ns / XS_FLOOR_SHARE > XS_FLOOR_NS ? recorded_ns / XS_FLOOR_SHARE : XS_FLOOR_NS;
}

/* Counts the cases that a detector could not decide for one reason. */
struct xs_undecided {
    unsigned detector;
    const char *reason; /* static */
    uint64_t count;
};

/* Counts copies of a site that may be instances but whose contents were not checked, because the budget did not
 * suffice. No sample represents them, because no similar copy was checked. */
struct xs_unchecked {
    unsigned detector;
    uint32_t site;
    uint64_t copies, downloads, bytes; /* downloads: number of downloads among the copies */
    uint64_t ns; /* the most time that can be saved: the time of these copies, minus the time that another detector
                  * found at copies of the same site and of similar size */
};

/* Sums up the removable time of the findings that count. Every transfer, memset, allocation and migration counts once,
 * with the largest claim of any finding. Findings that may save nothing, and advice, are not included. */
struct xs_total {
    uint64_t claimed_ns; /* by the measure that ranks findings, which is chosen for each transfer, memset, allocation
                          * and migration */
    uint64_t device_ns, exposed_ns, host_ns; /* by each measure alone */
    uint64_t transfers;                      /* transfers with a claim of any finding */
};

/* Describes, for one detector, the copies that the random sample left out and that checked copies represent. */
struct xs_by_chance {
    uint64_t copies;
    double most; /* the most instances that these copies can have according to the 95 % interval; summed only over
                  * groups of similar copies in which no checked copy was an instance */
};

struct xs_findings {
    struct xs_finding *items; /* ranked: findings with sure verdicts, then with unsure verdicts, then small findings,
                               * then advice. In each of these groups, the largest claim is the first; the claim of a
                               * finding that may save nothing counts half */
    size_t count;
    struct xs_repairables repairables; /* instances with a repair, by finding; empty unless keeps_repairables was set */
    struct xs_downloads_read reads;    /* who read the downloads that were watched */
    struct xs_undecided *undecided;    /* by detector, then by count, the most frequent reason first */
    size_t undecided_count;
    struct xs_by_chance *left_out;  /* by detector; NULL: not known */
    struct xs_unchecked *unchecked; /* by site, then by detector */
    size_t unchecked_count;
    struct xs_total total;
    struct xs_site_totals at_sites;
    struct xs_link_model link;

    struct xs_recorded_time recorded;       /* the time to which percentages and the floor refer */
    uint64_t floor_ns;                      /* findings that claim or save less than this are small */
    uint64_t transfers, uploads, downloads; /* transfers that ran */
    uint64_t with_content;                  /* uploads and downloads with a fingerprint */
    uint64_t timed;                         /* transfers that ran and have device times */
    bool exposed_known;                     /* kernels were recorded */
    bool calls_recorded;                    /* all calls were recorded */
    bool pinning_refused;                   /* a device refuses to page-lock a program's memory */
    bool has_gaps;                          /* calls are missing between parts of the run (capture_ranges.h) */
    uint64_t damaged_rows;                  /* rows with impossible values, which were read as 0 or left out */

    struct xs_steps steps; /* of the whole trace, regardless of the filter */

    struct xs_sites *sites;         /* site numbers and names; xs_site_name */
    struct xs_selection *selection; /* the rows that passed the filter; NULL: no filter */
};

/* Returns the entry point's name. Never NULL. */
const char *xs_site_name(const struct xs_findings *findings, uint32_t site);
/* Returns the entry point's traits (enum xs_entry_trait); 0: none, or not known. */
unsigned xs_site_traits(const struct xs_findings *findings, uint32_t site);
/* Returns the user's own frame that made the call (callsites.h); NULL: not known. */
const struct xs_frame *xs_site_frame(const struct xs_findings *findings, uint32_t site);

/* Returns how many downloads of the finding nobody read. */
static inline struct xs_unread xs_finding_unread(const struct xs_findings *findings, const struct xs_finding *f) {
    return xs_unread_of(&findings->reads, f->detector, f->verdict, f->site);
}

/* True if it is known of each download of the finding that nobody read it. */
static inline bool xs_finding_is_unread(const struct xs_findings *findings, const struct xs_finding *f) {
    const struct xs_unread unread = xs_finding_unread(findings, f);
    return unread.known && unread.unread == unread.known && unread.known == f->instances;
}

/* True if instances of this verdict belong to the finding. */
static inline bool xs_finding_has_verdict(const struct xs_finding *finding, unsigned verdict) {
    return finding->verdict == XS_SEVERAL_VERDICTS ? finding->variants[verdict].instances > 0
                                                   : finding->verdict == verdict;
}

/* Returns the verdict by which findings of two traces are compared. This is the same number for all verdicts that are
 * joined, because one trace may have only some of them. */
unsigned xs_finding_compared_verdict(unsigned detector, unsigned verdict);

void xs_findings_free(struct xs_findings *findings); /* NULL is allowed */

#endif
