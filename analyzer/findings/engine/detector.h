/* A detector: one rule of docs/rules/analysis.md, in a file of its own, one row in detectors/detectors.def. It gets the
 * events that it wants, in host order, and reports instances. template.c shows how to add one. */
#ifndef XFERSPY_ANALYZER_ENGINE_DETECTOR_H
#define XFERSPY_ANALYZER_ENGINE_DETECTOR_H

#include <stddef.h>

#include "analyzer/findings/engine/findings.h"
#include "analyzer/findings/engine/repair.h"
#include "analyzer/findings/engine/residency.h"
#include "analyzer/trace/link.h"
#include "analyzer/trace/trace_event.h"
#include "analyzer/trace/windows/migration_windows.h"

enum { XS_SCALAR_BYTES = 64 }; /* a download of no more is that of a value */

enum xs_detector_kind {
    XS_REMOVES_TRANSFERS, /* its removable time is transfers' (or memsets'); claimed through xs_claim */
    XS_REMOVES_CALLS,     /* it is time inside calls, or migrations; claimed through xs_claim */
    XS_POTENTIAL,         /* the least that it saves is nothing */
    XS_ADVICE,            /* saves nothing by itself; ranked last */
};

/* What a trace has to hold for a detector to find anything. */
enum xs_detector_needs {
    XS_NEEDS_CONTENTS = 1,       /* fingerprints */
    XS_NEEDS_DEVICE_RECORDS = 2, /* of CUPTI */
};

struct xs_verdict {
    const char *name;   /* as in docs/rules/analysis.md; NULL: the detector has no verdicts */
    const char *remedy; /* one sentence, imperative; NULL: the detector's */
    enum xs_repair repair;
};

/* What several detectors say: roles of evidence, a reason why something is undecided, parts of a definition and of a
 * remedy. */
#define XS_BEFORE_A_READER "before anything that the trace shows could read them."
#define XS_ROLE_WAIT "the wait for it"
#define XS_ROLE_LAST_UPLOAD "the last upload to this place"
#define XS_ROLE_OVERWRITING_COPY "the copy that overwrote it"
#define XS_ROLE_OVERWRITING_MEMSET "the memset that overwrote it"
#define XS_UNDECIDED_BEFORE "the destination's contents before were not measured"
#define XS_UNDECIDED_CHANCE "small contents may be equal by chance"
#define XS_UNDECIDED_ARGUMENTS "launch arguments not seen"
#define XS_UNDECIDED_CALLS "calls not recorded"
#define XS_UNDECIDED_ADDRESSES "addresses of copies not recorded"
#define XS_UNDECIDED_END "the trace ends before the program"
#define XS_KEEP_OR_POOL "Allocate once and keep it, or take it from a pool"
#define XS_UNLESS_REACHED "after making sure that no kernel reaches it through a pointer in device memory."

/* What a detector works with during one analysis. */
struct xs_detection {
    void *state;                          /* `state_bytes` zeroed bytes, the detector's own */
    const struct xs_residency *residency; /* as it was before the event at hand */
    const struct xs_link_model *link;     /* fitted; the same from the first event to finish */
    uint64_t run_ns;                      /* the time that was recorded, mostly the run */
    bool kernels_recorded;                /* else a kernel that ran need not be in the trace */
    bool calls_recorded;                  /* all of them; else the spool was too small, or damaged */
    bool ended;                           /* the process ended by itself: what lives then is never freed */
    bool addresses_recorded;              /* where copies went from and to; not in an imported trace */
    struct xs_analysis *analysis;         /* for the functions below */
    unsigned index;                       /* of this detector in xs_detectors */
    bool left_out;                        /* the instance at hand did not pass the filter: its claims do not count */

    const struct xs_migration_windows *windows; /* XS_MIGRATION_WAYS of them: when page migrations were recorded */
};

struct xs_detector {
    const char *id;         /* as in every output: the file's name, with dashes */
    const char *title;      /* what it is, in a few words, lower case: "uploads of one repeated value" */
    const char *definition; /* when it counts, in one sentence; docs/rules/analysis.md has all of it. For `explain` */
    const char *remedy;     /* one sentence, imperative */
    enum xs_detector_kind kind;
    enum xs_repair repair; /* what of the run the remedy changes */
    unsigned needs;        /* enum xs_detector_needs; 0: host events alone */
    uint32_t wants;        /* XS_WANT(XS_ON_...) of the events that on_event is called for */
    size_t state_bytes;
    struct xs_verdict verdicts[XS_VERDICTS];
    /* Bits by index of verdicts that rest on what the trace cannot show; ranked after what is sure. */
    uint32_t unsure_verdicts;
    /* One repair, which is the detector's, mends all verdicts of one place: there they are one finding. */
    bool verdicts_join;
    /* Called for each wanted event. A row of the trace comes before the model takes it over: the model shows what was
     * just before the call. What the model derives of it (XS_ON_WRITE_END) comes after it, before the next row. */
    void (*on_event)(struct xs_detection *detection, const struct xs_trace_event *event);
    /* Called for each transfer that ran a while before on_event is, as soon as its content and region are known, so
     * that memory that will be looked at can be on its way into the cache. Nothing is changed in between; NULL:
     * nothing. */
    void (*before_transfer)(struct xs_detection *detection, const struct xs_trace_event *event);
    /* Calls are missing here, as between two parts of the run that were recorded: what was before has nothing to do
     * with what comes. NULL: nothing is kept that could be wrong then. */
    void (*on_gap)(struct xs_detection *detection);
    /* After the last event, and after XS_ON_LIVE; NULL: nothing to do. */
    void (*finish)(struct xs_detection *detection);
    /* Frees what the state points to; NULL: nothing. Also called where the analysis ended early, without finish. */
    void (*end)(struct xs_detection *detection);
};

/* All of them, in the order of detectors.def; the numbers are not stable between versions, the ids are. */
extern const struct xs_detector *const xs_detectors[];
extern const size_t xs_detector_count;

/* The remedy of a verdict, and what it changes: its own, else the detector's. */
const char *xs_detector_remedy(const struct xs_detector *detector, unsigned verdict);
enum xs_repair xs_detector_repair(const struct xs_detector *detector, unsigned verdict);

/* Reports an instance. This alone does not count in the total: xs_claim does. A claim belongs to the instance that was
 * reported, or passed to xs_consider, just before. If that instance does not pass the filter, the claim does not
 * count. */
void xs_report_instance(struct xs_detection *detection, const struct xs_instance *instance);

/* Has to be called before claims for an instance that will be reported later. Its first row of evidence must be set.
 * False if the instance does not pass the filter. */
bool xs_consider(struct xs_detection *detection, const struct xs_instance *instance);

/* What became of a copy that a detector may be true of, in the sample that mode `auto` takes. */
enum xs_drawn {
    XS_DRAWN_CHECKED,  /* decided; and that it could be was chance */
    XS_DRAWN_LEFT_OUT, /* left out by chance; or looked at, but not by chance */
    XS_DRAWN_UNKNOWN,  /* can not be decided */
};
enum { XS_SITUATIONS = 2 };

/* To be called for each copy that the detector may be true of, whether or not its content is known, and before the
 * instance is reported: of the checked copies it follows how many of the others are instances (sample.h). Copies of
 * one `situation`, known of every copy, stand for each other; copies of different ones do not. */
void xs_sample(struct xs_detection *detection, const struct xs_trace_event *event, unsigned situation,
               enum xs_drawn drawn);

/* What became of a copy that is decided about by its own content. */
enum xs_drawn xs_drawn_alone(const struct xs_transfer_view *transfer);

/* The same where an earlier copy's content is needed, too. As such a copy has this one follow it, the earlier one's
 * chance is that of the two. */
enum xs_drawn xs_drawn_pair(const struct xs_transfer_view *transfer, enum xs_look earlier);

/* Claims so much of a transfer's, memset's or allocation's time for the total: of several claims of one account the
 * largest counts. Without effect for detectors of the kinds XS_POTENTIAL and XS_ADVICE, and for account NULL. */
void xs_claim(struct xs_detection *detection, struct xs_account *account, const struct xs_times *removable);

/* Claims what has no account (migrations) and is claimed by this detector only. */
void xs_claim_unshared(struct xs_detection *detection, uint32_t site, const struct xs_times *removable);

/* Counts one thing that the detector could not decide. `reason` is static text, a few words. */
void xs_undecided(struct xs_detection *detection, const char *reason);

/* Why a transfer has no content, as a reason for xs_undecided; only where its state is not KNOWN. */
const char *xs_missing_content(const struct xs_transfer_view *transfer);

/* How long kernels ran on the device from `from_ns` to `to_ns`; not before the event at hand. 0 where they were not
 * recorded. */
uint64_t xs_kernels_between(struct xs_detection *detection, int32_t device, int64_t from_ns, int64_t to_ns);

/* An account outlives its event only while it is kept. */
struct xs_account *xs_account_keep(struct xs_account *account); /* NULL gives NULL */
void xs_account_release(struct xs_analysis *analysis, struct xs_account *account);

/* The cost of a transfer or memset: device, exposed and host time as far as the event has them. */
struct xs_times xs_event_times(const struct xs_trace_event *event);

/* `times` less `ns` of device time (never below 0); exposed and host time shrink in proportion. */
struct xs_times xs_times_less(struct xs_times times, uint64_t ns);

/* The share `part` (0 to 1) of `times`. */
struct xs_times xs_times_share(struct xs_times times, double part);

/* An instance about one transfer (or memset, or the interval of a transfer's copy): site, time, bytes, cost and first
 * evidence row (`role`) are filled in, removable is all of it. */
void xs_instance_of(struct xs_instance *instance, const struct xs_trace_event *event, const char *role);

/* Adds a row of evidence; beyond XS_EVIDENCE_ROWS it is left out. Row 0 or less is left out, too. */
void xs_add_evidence(struct xs_instance *instance, enum xs_evidence_table table, int64_t row, const char *role);

/* Reports an instance of one transfer and claims its removable time. */
void xs_report_and_claim(struct xs_detection *detection, const struct xs_trace_event *event,
                         const struct xs_instance *instance);

#endif
