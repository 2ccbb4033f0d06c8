/* Compares two sides, each with one or several runs of a program: how findings, call sites and the numbers of the run
 * changed, and whether the change of the program paid. The functions compute data; only xs_side_read prints, if a trace
 * cannot be read. docs/use/diff.md has the rules. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_H

#include "analyzer/base/interned.h"
#include "analyzer/base/spread.h"
#include "analyzer/commands/common/same_finding.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/trace/callsites.h"

struct xs_reading; /* reading.h */

/* The measures by which findings and call sites are compared. */
enum xs_measure {
    XS_MEASURE_COUNT, /* for a call site, its transfers; for a finding, all its instances (struct xs_amount) */
    XS_MEASURE_BYTES,
    XS_MEASURE_DEVICE_NS,
    XS_MEASURE_EXPOSED_NS,
    XS_MEASURE_HOST_NS,
    XS_MEASURE_SAVES_NS,
    XS_MEASURES,
};
extern const char *const xs_measure_names[XS_MEASURES]; /* "count", "bytes", "device_ns", ... */

struct xs_amounts {
    struct xs_metric_value of[XS_MEASURES];
    struct xs_metric_value least, most; /* the saving of a finding that is the first of a cause; else 0 */
    struct xs_metric_value at_least;    /* the least saving, for every finding; the largest is XS_MEASURE_SAVES_NS */
};

/* The data of one run that the comparison needs. The side owns the texts, which are never NULL. They come from a trace,
 * so they can contain anything. */
struct xs_side_run {
    const char *path, *command, *executable, *host, *devices, *fingerprint_mode, *xferspy_version, *status;
    int64_t start_unix_ns, pid, driver_version, rank, world_size;
    uint64_t file_device, file_number; /* device and inode number of the trace's file; 0: not known */
    uint64_t transfers;
    uint64_t timed, without_time; /* number of transfers with a device time, which may be modelled; and of transfers
                                     without one, although they should have a device record */
    bool simulated, duration_known, live;
    struct xs_metric_values metrics;
    struct xs_metric_value own;                           /* the part of the run's wall time that xferspy itself used */
    struct xs_metric_value together_least, together_most; /* saving of all repairs together */
    const char *windows;                                  /* a text that says that device times are modelled, or "" */
    bool is_ledger;                   /* the trace is a ledger: totals also cover time outside of the parts that
                                       * `looked_at` describes */
    const char *looked_at;            /* a text that says how much of the run was recorded; "": the whole run */
    struct xs_recorded_time recorded; /* shares are percentages of this time */
    const char *repaired;             /* sentences that say that the run was repaired, or "" */
    const char *bounds;               /* a sentence that says that savings are bounds, or "" */
};

struct xs_side_place {
    struct xs_match_place match; /* the properties by which the call site is matched; the side owns the texts */
    bool has_frame;
    struct xs_frame frame; /* from the first run that has this call site; its `through` is NULL, see xs_side_frame */
    bool has_helper;
    struct xs_frame helper;
};

/* Returns the frame, with a pointer to the helper in `place`, which must therefore not be moved. */
static inline struct xs_frame xs_side_frame(const struct xs_side_place *place) {
    struct xs_frame frame = place->frame;
    frame.through = place->has_helper ? &place->helper : NULL;
    return frame;
}

struct xs_side_finding {
    unsigned detector, verdict; /* as in struct xs_finding */
    uint32_t place;             /* index in the places of the side */
    bool advice, is_interval;   /* is_interval: its least and most saving differ */
    bool about;       /* in at least one run, its numbers except the saving are estimates, because not all contents were
                         checked */
    const char *name; /* as `explain` accepts it for the first run that has the finding */
};

struct xs_side { /* zeroed: empty */
    struct xs_side_run *runs;
    size_t run_count, run_limit;
    struct xs_side_place *places;
    size_t place_count, place_capacity;
    struct xs_amounts *at; /* at[i * run_limit + r] is for place i in run r */
    struct xs_side_finding *findings;
    size_t finding_count, finding_capacity;
    struct xs_amounts *of;                    /* of[i * run_limit + r] is for finding i in run r */
    uint64_t *undecided;                      /* number of undecided cases by detector, in the run that has most */
    const struct xs_metric_value *unprofiled; /* times (ns) of runs without xferspy, at most XS_RUNS_LIMIT; owned by the
                                                 caller */
    size_t unprofiled_count;                  /* 0: none */
    const char *cwd;                          /* the folder of the first run */
    /* These fields are true if they are true of at least one run. simulated: the GPU is simulated, so the times are
     * invented; in_part: only a part of the run was recorded. */
    bool simulated, in_part, has_call_sites, lacks_call_sites, lacks_contents, lacks_device_times;
    struct xs_hash finding_by_key;
    struct xs_texts texts;
};

/* Adds a run to a side that will have `runs` runs. Of more than XS_RUNS_LIMIT runs, only the first XS_RUNS_LIMIT are
 * added. The reading may be closed afterwards. */
void xs_side_add(struct xs_side *side, size_t runs, const struct xs_reading *reading);
/* Opens, adds and closes the traces one after the other. `number` is the number of the side, 0 or 1, for the line of
 * progress. Prints failures. Returns an exit status. */
int xs_side_read(struct xs_side *side, int number, char *const *paths, size_t count);
void xs_side_free(struct xs_side *side);

enum xs_change_kind {
    XS_DISAPPEARED,
    XS_APPEARED,
    XS_GREW,
    XS_SHRANK,
    XS_UNCHANGED,
    XS_UNCHECKED, /* one side does not have the finding, but its traces could not have shown the finding */
    XS_TIME_ONLY, /* only a time differs, and there are too few runs to know whether that is chance */
};
extern const char *const xs_change_names[]; /* "disappeared", ... */

struct xs_change {
    enum xs_change_kind kind;
    uint32_t before, after; /* index in the findings, or in the places, of the sides; XS_UNMATCHED: this side does not
                               have it */
    enum xs_match_how how;  /* how the places were matched; NONE if only one side has it */
    struct xs_difference of[XS_MEASURES];
    struct xs_difference least; /* the least saving */
    enum xs_measure decided_by; /* the measure that `kind` is about */
    bool small;                 /* too small to matter: on both sides, the saving of the finding, or the time of the
                                   call site, is under 1 ms and under 0.1 % of the run */
};

enum xs_paid {
    XS_PAID,             /* faster, and transfers take less time, less is copied, or findings that cost time are gone */
    XS_FASTER,           /* faster, but without any of the other changes that XS_PAID requires */
    XS_NOT_FASTER,       /* less was copied, or findings are gone, but the run took the same time */
    XS_SLOWER_WITH_LESS, /* less was copied, or findings are gone, but the run took longer */
    XS_NO_CHANGE,
    XS_WORSE,
    XS_CANNOT_TELL, /* the wall time of a side is not known; or only one side is simulated, or recorded in part; or the
                       medians differ much, but no more than runs of the same side differ (xs_diff_is_unsure) */
    /* If a side has fewer than XS_RUNS_TO_TELL runs, only what the program did is judged, and not how long it took. */
    XS_DID_LESS,    /* less was copied, or findings that cost time are gone */
    XS_DID_MORE,    /* more was copied */
    XS_DID_AS_MUCH, /* neither less nor more was copied, and no findings are gone */
};
extern const char *const xs_paid_names[]; /* "paid", "faster", ... */

struct xs_conclusion {
    enum xs_paid paid;
    enum xs_metric gone_by; /* the metric of the time in transfers: exposed, device or call time */
    int64_t gone_ns;        /* how much less time the transfers of AFTER take by this metric; negative: more */
    int64_t bytes_less;     /* how many fewer bytes were copied; negative: more */
    int64_t transfers_less;
    bool bytes_differ;   /* the copied bytes differ by more than chance */
    size_t gone, new;    /* number of findings that are gone; number of new findings; advice and small findings are
                            not counted */
    bool other_programs; /* the sides are of different programs that have no call site in common */
};

/* The predicted saving of the findings that are gone or smaller now, and the time that was really saved. All numbers
 * are medians of a side. */
struct xs_prediction {
    bool known;                 /* there are such findings, and the run times of both sides can be compared */
    const char *unchecked;      /* name of the largest finding that AFTER could not have found, so that it is not known
                                   whether it is gone; the sums below are then incomplete. NULL: none */
    uint64_t least_ns, most_ns; /* savings of the repairs of these findings together */
    uint64_t all_least_ns, all_most_ns; /* savings of all repairs that BEFORE needed */
    int64_t achieved_ns;                /* how much less time the run takes now; negative: more */
    struct xs_difference own;           /* time that xferspy itself used */
};

struct xs_diff {
    struct xs_side *before, *after; /* owned by the caller; call sites are removed if only one side has them */
    struct xs_difference metrics[XS_METRICS];
    struct xs_difference unprofiled;    /* times of runs without xferspy, if both sides have such runs */
    struct xs_change *findings, *sites; /* sorted by how much they changed, largest first */
    size_t finding_count, site_count;
    struct xs_conclusion conclusion;
    struct xs_prediction prediction;
    char **notes; /* reasons why the sides are hard to compare, each one line; not escaped */
    size_t note_count;
};

/* Computes the diff. Both sides must have runs, and must outlive the diff. The diff may change the sides. */
void xs_diff_compute(struct xs_side *before, struct xs_side *after, struct xs_diff *diff);
void xs_diff_free(struct xs_diff *diff);
/* Inserts a note before the other notes; `text` has no full stop. */
void xs_diff_note_first(struct xs_diff *diff, const char *text);

/* Returns the metric by which the times of the runs are compared: the time without xferspy's own time if both sides
 * know it, else the wall time. */
static inline enum xs_metric xs_diff_time(const struct xs_diff *c) {
    return c->metrics[XS_METRIC_BARE_TIME].certainty != XS_NOT_KNOWN ? XS_METRIC_BARE_TIME : XS_METRIC_WALL_TIME;
}
static inline bool xs_diff_is_unprofiled(const struct xs_diff *c) { return c->unprofiled.certainty != XS_NOT_KNOWN; }
/* Returns the times that the conclusion is based on: those of runs without xferspy if there are any, else those of the
 * traces. */
static inline const struct xs_difference *xs_diff_wall(const struct xs_diff *c) {
    return xs_diff_is_unprofiled(c) ? &c->unprofiled : &c->metrics[xs_diff_time(c)];
}

/* True if it is not certain whether the times of the sides differ much: the medians are far apart, but the statistical
 * test cannot exclude chance. */
bool xs_diff_is_unsure(const struct xs_diff *c);

#endif
