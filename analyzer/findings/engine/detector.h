/* A detector implements one rule of docs/rules/analysis.md, in its own file, and has one row in
 * detectors/detectors.def. It receives the events that it wants, in host order, and reports instances.
 * detectors/template.c shows how to add a detector. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_DETECTOR_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_DETECTOR_H

#include <stddef.h>

#include "analyzer/findings/engine/findings.h"
#include "analyzer/findings/engine/repair_kind.h"
#include "analyzer/findings/engine/residency.h"
#include "analyzer/trace/link.h"
#include "analyzer/trace/trace_event.h"
#include "analyzer/trace/windows/migration_windows.h"

enum { XS_SCALAR_BYTES = 64 }; /* a download of at most this size counts as one value */

enum xs_detector_kind {
    XS_REMOVES_TRANSFERS, /* its remedies remove the time of transfers (or memsets), which it claims with xs_claim */
    XS_REMOVES_CALLS,     /* its remedies remove time inside calls, or migrations, which it claims with xs_claim */
    XS_POTENTIAL,         /* its remedies may save nothing */
    XS_ADVICE,            /* its remedies save nothing by themselves; its findings are ranked last */
};

/* What a trace must have so that a detector can find anything. */
enum xs_detector_needs {
    XS_NEEDS_CONTENTS = 1,       /* fingerprints */
    XS_NEEDS_DEVICE_RECORDS = 2, /* CUPTI's device records */
    XS_NEEDS_HOST_READS = 4,     /* watched downloads (XFERSPY_HOST_READS) */
};

struct xs_verdict {
    const char *name;   /* as in docs/rules/analysis.md; NULL: the detector has no verdicts */
    const char *remedy; /* one sentence, imperative; NULL: the detector's remedy */
    enum xs_repair_kind repair;
};

/* Texts that several detectors use: roles of evidence, and reasons for undecided cases. */
#define XS_ROLE_WAIT "the wait for it"
#define XS_ROLE_LAST_UPLOAD "the last upload to this place"
#define XS_ROLE_OVERWRITING_COPY "the copy that overwrote it"
#define XS_ROLE_OVERWRITING_MEMSET "the memset that overwrote it"
#define XS_UNDECIDED_BEFORE "the destination's contents before were not measured"
#define XS_UNDECIDED_CHANCE "small contents may be equal by chance"
#define XS_UNDECIDED_FORGOTTEN "more contents than are remembered"
#define XS_UNDECIDED_ARGUMENTS "launch arguments not seen"
#define XS_UNDECIDED_CALLS "calls not recorded"
#define XS_UNDECIDED_ADDRESSES "addresses of copies not recorded"
#define XS_UNDECIDED_END "the trace ends before the program"

/* What a detector works with during one analysis. */
struct xs_detection {
    void *state; /* `state_bytes` bytes that only this detector uses; zeroed at the beginning */
    const struct xs_residency *residency; /* the model's state before the current event */
    const struct xs_link_model *link;     /* fitted before the first event; does not change */
    uint64_t run_ns;                      /* the recorded time, which is usually the whole run */
    bool kernels_recorded;                /* false: a kernel that ran may be missing from the trace */
    bool calls_recorded;                  /* all calls of the run were recorded; false: calls were dropped or left out,
                                           * the trace is thinned, or only parts of the run were recorded */
    bool ended;              /* the process ended by itself, so memory that is still allocated is never freed */
    bool addresses_recorded; /* source and destination addresses of copies were recorded; false for an imported trace */
    struct xs_analysis *analysis; /* for the functions below */
    unsigned index;               /* index of this detector in xs_detectors */
    bool left_out;                /* the current instance did not pass the filter, so its claims do not count */

    /* A detector remembers at most `most_contents` contents, and at most `most_pairs` pairs of a content and a region.
     * When it needs room for another one, it forgets the content, or the pair, that was not copied for about the
     * longest time. */
    size_t most_contents, most_pairs;

    const struct xs_migration_windows *windows; /* XS_MIGRATION_WAYS items that say when migrations were recorded */
};

struct xs_detector {
    const char *id; /* the detector's name in all outputs: the name of its file, with dashes instead of underscores */
    const char *title;      /* a name in a few words, lower case: "uploads of one repeated value" */
    const char *definition; /* when an instance counts, in one sentence, for `explain`; docs/rules/analysis.md has the
                             * full rule */
    const char *remedy;     /* one sentence, imperative */
    enum xs_detector_kind kind;
    enum xs_repair_kind repair; /* what the remedy changes in the run */
    unsigned needs;             /* enum xs_detector_needs; 0: host events alone */
    uint32_t wants;             /* XS_WANT(XS_ON_...) of the events that on_event is called for */
    size_t state_bytes;
    struct xs_verdict verdicts[XS_VERDICTS];
    /* One bit for each verdict (by index) that depends on something the trace cannot show. Findings with such a verdict
     * are ranked after findings with other verdicts. */
    uint32_t unsure_verdicts;
    /* True if one repair removes the instances of all verdicts at a call site; the instances of a site then form one
     * finding. */
    bool verdicts_join;
    /* Runs for each event that the detector wants. The event of a row of the trace comes before the model is updated
     * with this row, so the model shows the state just before the program's call. Events that the model derives from
     * the row (XS_ON_WRITE_END) come after the row's event and before the next row. */
    void (*on_event)(struct xs_detection *detection, const struct xs_trace_event *event);
    /* Runs for each transfer that ran, some time before on_event, as soon as its content and region are known. The
     * detector can prefetch the memory that on_event will read; this memory does not change until on_event is called.
     * NULL: not needed. */
    void (*before_transfer)(struct xs_detection *detection, const struct xs_trace_event *event);
    /* Runs at each gap of the trace. In a gap, calls are missing, for example between two recorded parts of the run.
     * Events before the gap say nothing about events after it. NULL: the detector keeps nothing that a gap could make
     * wrong. */
    void (*on_gap)(struct xs_detection *detection);
    /* Runs after the last event, and after XS_ON_LIVE; NULL: nothing to do. */
    void (*finish)(struct xs_detection *detection);
    /* Frees the memory that the state points to; NULL: there is nothing to free. Also called, without finish, if the
     * analysis ended early. */
    void (*end)(struct xs_detection *detection);
};

/* All detectors, in the order of detectors.def. Their indexes may change between versions; their ids do not. */
extern const struct xs_detector *const xs_detectors[];
extern const size_t xs_detector_count;

/* These functions return the remedy and the repair of a verdict. If the verdict has none, they return those of the
 * detector. */
const char *xs_detector_remedy(const struct xs_detector *detector, unsigned verdict);
enum xs_repair_kind xs_detector_repair(const struct xs_detector *detector, unsigned verdict);

/* Reports an instance. Does not add its time to the total; only xs_claim and xs_claim_unshared do this. A claim belongs
 * to the instance that was last passed to this function or to xs_consider. If this instance does not pass the filter,
 * the claim does not count. */
void xs_report_instance(struct xs_detection *detection, const struct xs_instance *instance);

/* Must be called before claims for an instance that will be reported later. The instance's first row of evidence must
 * be set. Returns false if the instance does not pass the filter. */
bool xs_consider(struct xs_detection *detection, const struct xs_instance *instance);

/* How the random sample, of fingerprints or of watched downloads, treated a copy that may be an instance. */
enum xs_drawn {
    XS_DRAWN_CHECKED,  /* the detector could decide, because the random sample chose the copy, or because all copies get
                        * fingerprints or are watched */
    XS_DRAWN_LEFT_OUT, /* the random sample left the copy out (it got no fingerprint, or was not watched), or its
                        * fingerprint was taken only because another copy's was taken */
    XS_DRAWN_UNKNOWN,  /* the detector cannot decide, and the random sample is not the reason */
};
enum { XS_SITUATIONS = 2 };

/* Must be called for each copy that may be an instance, whether or not its content is known, before the instance is
 * reported. The number of instances among the other copies is estimated from the checked copies (sample.h). `situation`
 * is a number below XS_SITUATIONS, computed from facts that are known of every copy. A checked copy represents only
 * copies with the same situation. */
void xs_sample(struct xs_detection *detection, const struct xs_trace_event *event, unsigned situation,
               enum xs_drawn drawn);

/* Returns how the sample treated a copy, for a detector that needs only the content of this copy to decide about it. */
enum xs_drawn xs_drawn_alone(const struct xs_transfer_view *transfer);

/* Returns how the sample treated a copy, for a detector that needs the contents of this copy and of an earlier copy to
 * decide. If the fingerprint of the earlier copy is taken, the fingerprint of this copy is taken, too. Chance therefore
 * decides only about the earlier copy; `earlier` says why its fingerprint was taken or not. */
enum xs_drawn xs_drawn_pair(const struct xs_transfer_view *transfer, enum xs_look earlier);

/* Claims time for the total: `removable` is a part of the time of the transfer, memset or allocation that has this
 * account. If one account gets several claims, only the largest claim counts. Has no effect for detectors of the kinds
 * XS_POTENTIAL and XS_ADVICE, or if `account` is NULL. */
void xs_claim(struct xs_detection *detection, struct xs_account *account, const struct xs_times *removable);

/* Claims time that has no account, such as the time of migrations. Other detectors must not claim the same time. */
void xs_claim_unshared(struct xs_detection *detection, const struct xs_times *removable);

/* Counts one case that the detector could not decide. `reason` is a static text of a few words. */
void xs_undecided(struct xs_detection *detection, const char *reason);

/* Sets who read a download that was watched, as in xs_downloads_read_set. Must be called for the first time at the
 * event of the download, with XS_READERS_UNKNOWN. */
void xs_downloads_readers(struct xs_detection *detection, int64_t download, enum xs_readers readers, int64_t upload);

/* Returns why a transfer has no content, as a reason for xs_undecided. The transfer's state must not be
 * XS_CONTENT_KNOWN. */
const char *xs_missing_content(const struct xs_transfer_view *transfer);

/* Returns why the trace may lack uses of an allocation, as a reason for xs_undecided; NULL: the trace has all uses.
 * `lives` is true if the allocation was not freed before the end of the trace. */
const char *xs_doubt_of_use(const struct xs_detection *detection, bool lives);

/* Returns how long kernels ran on the device from `from_ns` to `to_ns`. `from_ns` must not be before the current event.
 * Returns 0 if kernels were not recorded. */
uint64_t xs_kernels_between(struct xs_detection *detection, int32_t device, int64_t from_ns, int64_t to_ns);

/* Returns the size of a device's memory in bytes; 0: not known. */
uint64_t xs_device_memory(const struct xs_detection *detection, int32_t device);

/* True if calls may be missing at unknown times, or the trace is thinned. In both cases, a thread may have made other
 * calls between two of its recorded calls. */
bool xs_calls_are_missing(const struct xs_detection *detection);

/* Returns the identity of a stream (xs_stream_identity); 0: not known. Two ids of streams with the same identity mean
 * the same stream. */
int64_t xs_stream_of(const struct xs_detection *detection, int32_t stream);

/* Returns the identity of a stream (xs_stream_identity) if it is the legacy default stream of its context; else 0. */
int64_t xs_legacy_stream(const struct xs_detection *detection, int32_t stream);

/* True if code of the user made the call, or if it is not known who did; false: the call's stack has only library code.
 */
bool xs_is_of_user(const struct xs_detection *detection, const struct xs_trace_event *event);

/* True if the user's lines of both sites are known, and are in one function. */
bool xs_are_in_one_function(const struct xs_detection *detection, uint32_t site, uint32_t other);

/* Sets `launched_at` of the detector's finding with verdict 0 at a site. Does nothing if there is no such finding. */
void xs_launched_at(struct xs_detection *detection, uint32_t site, uint32_t launched_at);

/* Returns the framework that the user's line called (xs_site_framework). */
enum xs_framework xs_called_framework(const struct xs_detection *detection, const struct xs_trace_event *event);

/* Keeps an account for use after its event; the caller must release the account later. */
struct xs_account *xs_account_keep(struct xs_account *account); /* NULL gives NULL */
void xs_account_release(struct xs_analysis *analysis, struct xs_account *account);

/* Returns `times` with a device time that is shorter by `ns`, but not below 0. Exposed and host time are reduced in the
 * same proportion. If the device time is not known, the host time is shortened by `ns` instead. */
struct xs_times xs_times_less(struct xs_times times, uint64_t ns);

/* True if the event is a call that failed to allocate memory because there was not enough. The event must be of kind
 * XS_ON_API. */
bool xs_is_refusal(const struct xs_trace_event *event);

/* Returns `times` multiplied by `part`, which is from 0 to 1. */
struct xs_times xs_times_share(struct xs_times times, double part);

/* Begins an instance about one transfer or memset. `event` is the transfer or memset, the device interval of the
 * transfer's copy, or the end of what the transfer or memset wrote. Fills in site, time, bytes, cost, and the first row
 * of evidence, which gets the role `role`. The whole cost is removable. */
void xs_instance_of(struct xs_instance *instance, const struct xs_trace_event *event, const char *role);

/* Adds a row of evidence. Does nothing if `row` is not positive, or if the instance already has XS_EVIDENCE_ROWS rows.
 */
void xs_add_evidence(struct xs_instance *instance, enum xs_evidence_table table, int64_t row, const char *role);

/* Reports an instance about the transfer or memset `event`, and claims the instance's removable time from the event's
 * account. */
void xs_report_and_claim(struct xs_detection *detection, const struct xs_trace_event *event,
                         const struct xs_instance *instance);

#endif
