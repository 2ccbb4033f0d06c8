/* Compares two sides, each one or several runs of a program: findings, call sites and the run's numbers, what became of
 * each, and whether it paid. Pure data; docs/use/diff.md has the rules. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_H

#include "analyzer/base/interned.h"
#include "analyzer/base/spread.h"
#include "analyzer/commands/common/same_finding.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/trace/callsites.h"

struct xs_reading; /* reading.h */

/* Measures by which findings and call sites are compared. */
enum xs_measure {
    XS_MEASURE_COUNT, /* transfers of a call site; all instances of a finding (struct xs_amount) */
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
    struct xs_metric_value least, most; /* its saving, for a finding that leads a cause; else 0 */
    struct xs_metric_value at_least;    /* least that any finding saves; the most is XS_MEASURE_SAVES_NS */
};

/* The data of one run that comparing needs. Texts are the side's, never NULL; hostile as a trace's. */
struct xs_side_run {
    const char *path, *command, *executable, *host, *devices, *cupti, *fingerprint_mode, *xferspy_version, *status;
    int64_t start_unix_ns, pid, driver_version, rank, world_size;
    uint64_t file_device, file_number; /* of the trace's file; 0: not known */
    uint64_t transfers;
    uint64_t timed,
        without_time; /* transfers that leave a device record: with a device time (also modelled), and without */
    bool simulated, duration_known, live, has_call_sites, has_contents, has_device_times;
    struct xs_metric_values metrics;
    struct xs_metric_value own;                           /* time that xferspy itself took of its wall time */
    struct xs_metric_value together_least, together_most; /* saving of all repairs */
    const char *windows;                                  /* says that device times are modelled, or "" */
    const char *looked_at;                                /* says how much of the run was recorded, or "": all of it */
    struct xs_recorded_time recorded;                     /* the base of shares */
    const char *repaired;                                 /* says that it was repaired, in sentences, or "" */
    const char *bounds;                                   /* says that savings are bounds, in a sentence, or "" */
};

struct xs_side_place {
    struct xs_match_place match; /* what identifies it; texts are the side's */
    bool has_frame;
    struct xs_frame frame; /* from the first run that had it; its `through` is NULL, see xs_side_frame */
    bool has_helper;
    struct xs_frame helper;
};

/* Returns the frame with its helper. The place must not move. */
static inline struct xs_frame xs_side_frame(const struct xs_side_place *place) {
    struct xs_frame frame = place->frame;
    frame.through = place->has_helper ? &place->helper : NULL;
    return frame;
}

struct xs_side_finding {
    unsigned detector, verdict; /* as in struct xs_finding */
    uint32_t place;             /* index in places */
    bool advice, is_range;      /* is_range: its least and most saving differ */
    bool about;       /* all but its saving is an estimate, in at least one run: not all contents were checked */
    const char *name; /* as `explain` takes it for the first run that had the finding */
};

struct xs_side { /* zeroed: empty */
    struct xs_side_run *runs;
    size_t run_count, run_limit;
    struct xs_side_place *places;
    size_t place_count, place_capacity;
    struct xs_amounts *at; /* for place i in run r: [i * run_limit + r] */
    struct xs_side_finding *findings;
    size_t finding_count, finding_capacity;
    struct xs_amounts *of;                    /* for finding i in run r: [i * run_limit + r] */
    uint64_t *undecided;                      /* by detector: the maximum over the runs */
    const struct xs_metric_value *unprofiled; /* ns of runs without xferspy, at most XS_RUNS_LIMIT; the caller's */
    size_t unprofiled_count;                  /* 0: none */
    const char *cwd;                          /* the first run's */
    struct xs_hash finding_by_key;
    struct xs_texts texts;
};

/* Adds a run to a side of `runs` runs, XS_RUNS_LIMIT at most: further runs are left out. The reading may be closed
 * afterwards. */
void xs_side_add(struct xs_side *side, size_t runs, const struct xs_reading *reading);
/* Opens, adds and closes the traces one after the other. Prints failures. Returns an exit status. */
int xs_side_read(struct xs_side *side, char *const *paths, size_t count);
void xs_side_free(struct xs_side *side);
bool xs_side_simulated(const struct xs_side *side); /* true if any run is: its times are invented */
bool xs_side_in_part(const struct xs_side *side);   /* true if any run was recorded in parts only */

enum xs_change_kind {
    XS_DISAPPEARED,
    XS_APPEARED,
    XS_GREW,
    XS_SHRANK,
    XS_UNCHANGED,
    XS_UNCHECKED, /* a finding that is gone, but AFTER could not show it either */
    XS_TIME_ONLY, /* only a time differs, and too few runs tell whether that is chance */
};
extern const char *const xs_change_names[]; /* "disappeared", ... */

struct xs_change {
    enum xs_change_kind kind;
    uint32_t before, after; /* index in the sides' findings, or places; XS_UNMATCHED: not there */
    enum xs_match_how how;  /* of the place; NONE if it is on one side only */
    struct xs_difference of[XS_MEASURES];
    struct xs_difference least; /* the least that it saves */
    enum xs_measure decided_by; /* the measure that sets `kind` */
    bool small;                 /* of no consequence: under 1 ms and 0.1 % of the run on both sides */
};

enum xs_paid {
    XS_PAID,             /* faster, with less time in transfers, or without findings that cost time */
    XS_FASTER,           /* faster, but for neither reason */
    XS_NOT_FASTER,       /* less was copied, or findings are gone, but the run took as long */
    XS_SLOWER_WITH_LESS, /* less was copied, or findings are gone, but the run took longer */
    XS_NO_CHANGE,
    XS_WORSE,
    XS_CANNOT_TELL, /* a side's wall time is not known, or one side alone is simulated or recorded in part; or the
                       medians differ much, but no more than the runs of a side do (xs_diff_is_unsure) */
    /* With fewer than XS_RUNS_TO_TELL runs on a side, only what the program did is judged, not the run's time. */
    XS_DID_LESS,    /* less was copied, or findings that cost time are gone */
    XS_DID_MORE,    /* more was copied */
    XS_DID_AS_MUCH, /* neither less nor more */
};
extern const char *const xs_paid_names[]; /* "paid", "faster", ... */

struct xs_conclusion {
    enum xs_paid paid;
    enum xs_metric gone_by; /* the metric of the time in transfers: exposed, device or call time */
    int64_t gone_ns;        /* how much less of it; negative: more */
    int64_t bytes_less;     /* how many fewer were copied; negative: more */
    int64_t transfers_less;
    bool bytes_differ;   /* by more than runs differ */
    size_t gone, new;    /* number of findings that are gone, and new, without advice and small ones */
    bool other_programs; /* the sides are of different programs without a common call site */
};

/* What was predicted for the findings that are gone or smaller now, and what came of it. Medians of a side. */
struct xs_prediction {
    bool known;            /* some findings are, and both sides say how long they took */
    const char *unchecked; /* the largest finding that AFTER could not find, gone or not: the rest is a part of what was
                              predicted. NULL: none */
    uint64_t least_ns, most_ns;         /* savings of their repairs together */
    uint64_t all_least_ns, all_most_ns; /* savings of all repairs that BEFORE needed */
    int64_t achieved_ns;                /* how much less time the run takes; negative: more */
    struct xs_difference own;           /* time that xferspy itself took */
};

struct xs_diff {
    struct xs_side *before, *after; /* the caller's; call sites are left out if only one side had them */
    struct xs_difference metrics[XS_METRICS];
    struct xs_difference unprofiled;    /* of runs without xferspy, if both sides have some */
    struct xs_change *findings, *sites; /* by how much they changed, largest first */
    size_t finding_count, site_count;
    struct xs_conclusion conclusion;
    struct xs_prediction prediction;
    char **notes; /* what makes the sides hard to compare: a line each, to be escaped */
    size_t note_count;
};

/* Computes the diff. Both sides must have runs and outlive the diff, which may change them. */
void xs_diff_compute(struct xs_side *before, struct xs_side *after, struct xs_diff *diff);
void xs_diff_free(struct xs_diff *diff);
/* Puts a note before the others; `text` has no full stop. */
void xs_diff_note_first(struct xs_diff *diff, const char *text);

/* Returns the metric that compares the runs' times: without xferspy's own time, if both sides say that. */
static inline enum xs_metric xs_diff_time(const struct xs_diff *c) {
    return c->metrics[XS_METRIC_BARE_TIME].certainty != XS_NOT_KNOWN ? XS_METRIC_BARE_TIME : XS_METRIC_WALL_TIME;
}
static inline bool xs_diff_is_unprofiled(const struct xs_diff *c) { return c->unprofiled.certainty != XS_NOT_KNOWN; }
/* Returns what the conclusion rests on: runs without xferspy, if there are any, else the traces' own time. */
static inline const struct xs_difference *xs_diff_wall(const struct xs_diff *c) {
    return xs_diff_is_unprofiled(c) ? &c->unprofiled : &c->metrics[xs_diff_time(c)];
}

/* Says whether both sides' times are only known to perhaps differ much: the test does not refuse chance, and the
 * medians are far apart. */
bool xs_diff_is_unsure(const struct xs_diff *c);

#endif
