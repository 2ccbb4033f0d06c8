/* Two sides compared, each one run or several of a program: findings, call sites and the run's numbers, what became of
 * each, and whether it paid. Pure data; docs/use/diff.md has the rules. */
#ifndef XFERSPY_ANALYZER_DIFF_DIFF_H
#define XFERSPY_ANALYZER_DIFF_DIFF_H

#include "analyzer/base/interned.h"
#include "analyzer/base/spread.h"
#include "analyzer/commands/diff/match.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/trace/callsites.h"

struct xs_reading; /* reading.h */

/* What findings and call sites are compared by. */
enum xs_measure {
    XS_MEASURE_COUNT, /* transfers of a call site; instances of a finding, in all (struct xs_amount) */
    XS_MEASURE_BYTES,
    XS_MEASURE_DEVICE_NS,
    XS_MEASURE_EXPOSED_NS,
    XS_MEASURE_HOST_NS,
    XS_MEASURE_GIVES_BACK_NS,
    XS_MEASURES,
};
extern const char *const xs_measure_names[XS_MEASURES]; /* "count", "bytes", "device_ns", ... */

struct xs_amounts {
    struct xs_metric_value of[XS_MEASURES];
    struct xs_metric_value least, most; /* what it saves, of a finding that leads a cause; else 0 */
    struct xs_metric_value at_least; /* what it saves at least, of any finding; the most is XS_MEASURE_GIVES_BACK_NS */
};

/* One run, as far as comparing needs to know it. Texts are the side's, never NULL; hostile as a trace's. */
struct xs_side_run {
    const char *path, *command, *executable, *host, *devices, *cupti, *fingerprint_mode, *xferspy_version, *status;
    int64_t start_unix_ns, pid, driver_version, rank, world_size;
    uint64_t file_device, file_number; /* of the trace's file; 0: not known */
    uint64_t transfers;
    uint64_t timed, without_time; /* of those that leave a device record: with a device time, modelled or not */
    bool simulated, duration_known, live, has_call_sites, has_contents, has_device_times;
    struct xs_metric_values metrics;
    struct xs_metric_value own;                           /* what xferspy itself took of its wall time */
    struct xs_metric_value together_least, together_most; /* what all repairs save */
    const char *windows;                                  /* that device times are modelled, or "" */
    const char *looked_at;                                /* how much of the run was, or "": all of it */
    struct xs_recorded_time recorded;                     /* what shares are of */
    const char *repaired;                                 /* that it was repaired, sentences, or "" */
    const char *bounds;                                   /* that savings are bounds, a sentence, or "" */
};

struct xs_side_place {
    struct xs_match_place match; /* what it is known by; texts are the side's */
    bool has_frame;
    struct xs_frame frame; /* of the first run that had it; its `through` is NULL, see xs_side_frame */
    bool has_helper;
    struct xs_frame helper;
};

/* The frame with its helper. The place has to stay where it is. */
static inline struct xs_frame xs_side_frame(const struct xs_side_place *place) {
    struct xs_frame frame = place->frame;
    frame.through = place->has_helper ? &place->helper : NULL;
    return frame;
}

struct xs_side_finding {
    unsigned detector, verdict; /* as in struct xs_finding */
    uint32_t place;             /* index in places */
    bool advice, is_range;      /* is_range: the least and the most that it saves differ */
    bool about;       /* all but what it saves is an estimate, in one run at least: not all contents were checked */
    const char *name; /* as `explain` takes it for the first run that had it */
};

/* What it is, in finding_by_key. */
static inline uint64_t xs_side_key(unsigned detector, unsigned verdict) {
    return (uint64_t)detector << 32 | xs_finding_compared_verdict(detector, verdict);
}

struct xs_side { /* zeroed: empty */
    struct xs_side_run *runs;
    size_t run_count, run_limit;
    struct xs_side_place *places;
    size_t place_count, place_capacity;
    struct xs_amounts *at; /* of place i in run r: [i * run_limit + r] */
    struct xs_side_finding *findings;
    size_t finding_count, finding_capacity;
    struct xs_amounts *of;                    /* of finding i in run r: [i * run_limit + r] */
    uint64_t *undecided;                      /* by detector: the most of any run */
    const struct xs_metric_value *unprofiled; /* ns of runs without xferspy, at most XS_RUNS_LIMIT; the caller's */
    size_t unprofiled_count;                  /* 0: there are none */
    const char *cwd;                          /* of the first run */
    struct xs_hash finding_by_key;
    struct xs_texts texts;
};

/* Adds a run to a side of `runs` runs, XS_RUNS_LIMIT at most: what comes after so many is left out. The reading may be
 * closed afterwards. */
void xs_side_add(struct xs_side *side, size_t runs, const struct xs_reading *reading);
/* Opens, adds and closes the traces one after the other. A failure was printed. Returns an exit status. */
int xs_side_read(struct xs_side *side, char *const *paths, size_t count);
void xs_side_free(struct xs_side *side);
bool xs_side_simulated(const struct xs_side *side); /* any of its runs: its times are invented */
bool xs_side_in_part(const struct xs_side *side);   /* any of its runs: calls were recorded in parts of it only */

enum xs_change_kind {
    XS_DISAPPEARED,
    XS_APPEARED,
    XS_GREW,
    XS_SHRANK,
    XS_UNCHANGED,
    XS_UNCHECKED, /* a finding that is gone, but could not be made there either */
    XS_TIME_ONLY, /* only a time differs, and with so few runs nobody knows whether that is more than chance */
};
extern const char *const xs_change_names[]; /* "disappeared", ... */

struct xs_change {
    enum xs_change_kind kind;
    uint32_t before, after; /* index in the sides' findings, or places; XS_UNMATCHED: not there */
    enum xs_match_how how;  /* of the place; NONE where it is on one side only */
    struct xs_difference of[XS_MEASURES];
    struct xs_difference least; /* what it saves at least */
    enum xs_measure decided_by; /* what kind goes by */
    bool small;                 /* of no consequence: under 1 ms and 0.1 % of the run on both sides */
};

enum xs_paid {
    XS_PAID,             /* faster, and less time in transfers, or findings are gone that cost time */
    XS_FASTER,           /* faster, but by neither of these */
    XS_NOT_FASTER,       /* less was copied, or findings are gone, but the run took as long */
    XS_SLOWER_WITH_LESS, /* the same, but the run took longer */
    XS_NO_CHANGE,
    XS_WORSE,
    XS_CANNOT_TELL, /* the wall time of one side is not known, or one alone is simulated or recorded in part; or the
                     * medians differ much, but no more than the runs of a side do (xs_diff_is_unsure) */
    /* With fewer than XS_RUNS_TO_TELL runs on a side nothing is said of the run's time, only of what the program did.
     */
    XS_DID_LESS,    /* less was copied, or findings are gone that cost time */
    XS_DID_MORE,    /* more was copied */
    XS_DID_AS_MUCH, /* neither */
};
extern const char *const xs_paid_names[]; /* "paid", "faster", ... */

struct xs_conclusion {
    enum xs_paid paid;
    enum xs_metric gone_by; /* the metric of the time in transfers: exposed, device or call time */
    int64_t gone_ns;        /* less of it; negative: more */
    int64_t bytes_less;     /* copied; negative: more */
    int64_t transfers_less;
    bool bytes_differ;   /* beyond what runs differ by */
    size_t gone, new;    /* findings that are gone, and new, without advice and the small ones */
    bool other_programs; /* the sides are of different programs that have no call site in common */
};

/* What was predicted of the findings that are gone or smaller now, and what came of it. Medians of a side. */
struct xs_prediction {
    bool known;                         /* some are, and both sides say how long they took */
    const char *unchecked;              /* the largest that AFTER could not find, gone or not: the rest is a part of
                                         * what was predicted. NULL: there is none */
    uint64_t least_ns, most_ns;         /* that their repairs save, together */
    uint64_t all_least_ns, all_most_ns; /* the same of all repairs that BEFORE needed */
    int64_t achieved_ns;                /* that the run takes less; negative: more */
    struct xs_difference own;           /* what xferspy itself took */
};

struct xs_diff {
    struct xs_side *before, *after; /* the caller's; without call sites where only one side had them */
    struct xs_difference metrics[XS_METRICS];
    struct xs_difference unprofiled;    /* of runs without xferspy, where both sides have such */
    struct xs_change *findings, *sites; /* by what they changed, largest first */
    size_t finding_count, site_count;
    struct xs_conclusion conclusion;
    struct xs_prediction prediction;
    char **notes; /* what makes the sides hard to compare: a line each, to be escaped */
    size_t note_count;
};

/* Both sides have runs. The sides have to outlive the diff, which may change them. */
void xs_diff_compute(struct xs_side *before, struct xs_side *after, struct xs_diff *diff);
void xs_diff_free(struct xs_diff *diff);
/* Puts a note before the others; `text` without its full stop. */
void xs_diff_note_first(struct xs_diff *diff, const char *text);

/* By what the runs' times are compared: without what xferspy itself took, where both sides say that. */
static inline enum xs_metric xs_diff_time(const struct xs_diff *c) {
    return c->metrics[XS_METRIC_BARE_TIME].certainty != XS_NOT_KNOWN ? XS_METRIC_BARE_TIME : XS_METRIC_WALL_TIME;
}
static inline bool xs_diff_is_unprofiled(const struct xs_diff *c) { return c->unprofiled.certainty != XS_NOT_KNOWN; }
/* What the conclusion rests on: runs without xferspy, where there are such, else the traces' own time. */
static inline const struct xs_difference *xs_diff_wall(const struct xs_diff *c) {
    return xs_diff_is_unprofiled(c) ? &c->unprofiled : &c->metrics[xs_diff_time(c)];
}

/* What is known of both sides' times is that they may differ much: the test does not refuse chance, and the medians are
 * far from each other. */
bool xs_diff_is_unsure(const struct xs_diff *c);

#endif
