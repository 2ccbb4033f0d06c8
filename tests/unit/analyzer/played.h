/* Event sequences played into a trace and analysed: each call is the next one of a single thread, 10 us apart, on one
 * device unless told otherwise. Copies take 1 us on the device for 4 KiB, kernels 2 us. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_PLAYED_H
#define XFERSPY_TESTS_UNIT_ANALYZER_PLAYED_H

#include "unit.h"

#include "analyzer/findings/engine/analyse.h"
#include "analyzer/findings/engine/detector.h"
#include "schema/write/store.h"

enum { PLAYED_ALLOCATIONS = 4096 };
enum { NOT_MEASURED = -1, NO_CONTENT = -2, LOST = -3 }; /* in place of a content */

struct played {
    char folder[64], path[128];
    struct xs_store *store;
    struct xs_clock clock;
    uint64_t now_ns;
    uint32_t correlation, fingerprint, set;
    struct {
        uint64_t address, bytes;
        bool lives;
    } allocations[PLAYED_ALLOCATIONS]; /* by id */
    uint32_t allocation_count;
    int64_t transfer, memset_row, launch; /* ids of the latest rows */
    int device;
    unsigned thread;              /* 1 or 2, of the next calls */
    uint64_t stream;              /* handle, of the next calls; 0: none */
    uint64_t call_ns;             /* that the next calls take; 0: 1 us */
    enum xs_memory_kind host;     /* of the next transfers; 0: pageable */
    uint64_t delay_ns, device_ns; /* when the next copies begin after their calls, how long they take; 0: as above */
    uint64_t kernel_delay_ns, kernel_ns; /* the same of the next kernels */
    enum xs_memory_kind memory;          /* of the next allocations; 0: device */
    enum xs_origin origin;               /* of the next allocations; 0: alloc */
    bool async, constant;                /* of the next transfers: their contents are one value repeated */
    struct xs_event_transfer box;        /* height 0: none; else the shape of the next transfers */
    struct xs_analysis_options options;
    struct xs_findings *findings;
    struct xs_diagnosis *diagnosis;        /* diagnosed.h; NULL: only analysed */
    void (*forget)(struct played *played); /* frees the diagnosis, and the findings with it */
};

void play_begin(struct played *p);
uint32_t play_alloc(struct played *p, uint64_t address, uint64_t bytes); /* its id */
void play_free(struct played *p, uint32_t id);
void play_context_end(struct played *p, uint32_t id); /* which frees that one */

/* A content is a number; equal numbers and bytes, equal contents. `before` is an upload's measured pre. */
int64_t play_up(struct played *p, uint64_t to, uint64_t bytes, int content, int before, uint64_t from);
int64_t play_down(struct played *p, uint64_t from, uint64_t bytes, int content, uint64_t to);
int64_t play_copy(struct played *p, uint64_t to, uint64_t from, uint64_t bytes);
int64_t play_memset(struct played *p, uint64_t to, uint64_t bytes);
void play_kernel(struct played *p, unsigned count, const uint32_t *allocations);
void play_unseen_kernel(struct played *p);
void play_migration(struct played *p, bool up, uint64_t address, uint64_t bytes); /* of managed pages, in 1 us */
void play_prefetch_batch(struct played *p, uint64_t address, uint64_t ranges);
void play_sync(struct played *p); /* for the context */
void play_wait(struct played *p, enum xs_sync_scope scope, uint64_t object);
void play_record(struct played *p, uint64_t object);      /* an event, in the stream */
void play_stream_wait(struct played *p, uint64_t object); /* for an event */
/* The calls by which contexts begin and end, for p->device. A context's own handle is not that of a primary one. */
enum play_context { PLAY_RETAIN, PLAY_RELEASE, PLAY_RESET, PLAY_CREATE, PLAY_DESTROY };
void play_context(struct played *p, enum play_context what, uint64_t object);
void play_share(struct played *p, uint64_t address); /* hands memory out; 0: by the handle of a mapping */

void play_unknown(struct played *p, bool for_good); /* a function ran of which nothing is known */

/* Ends the trace and analyses it. More SQL may be run on it before; NULL: none. */
void play_analyse(struct played *p, const char *sql);
/* Ends the trace and opens it. */
void play_open(struct played *p, const char *sql, struct xs_trace *trace);
void play_end(struct played *p);

/* Instances of a finding over all sites; verdict NULL: of all verdicts. */
uint64_t played_found(const struct played *p, const char *id, const char *verdict);
uint64_t played_all(const struct played *p); /* instances of every finding that is no advice */
uint64_t played_undecided(const struct played *p, const char *id, const char *reason);
const struct xs_finding *played_finding(const struct played *p, const char *id);

/* What a detector's tests are written in, with `p` as the played trace: so many instances of a finding, of one verdict
 * or (NULL) of all, in a case that fires; none in a near miss; so many events that it could not decide.
 * scripts/check-findings looks for the first two, by the finding's id and its verdicts. */
#define FOUND(id, verdict, count) assert_int_equal(played_found(p, id, verdict), count)
#define NOT_FOUND(id) assert_int_equal(played_found(p, id, NULL), 0)
#define UNDECIDED(id, reason, count) assert_int_equal(played_undecided(p, id, reason), count)

#endif
