/* Plays sequences of events into a trace, and analyses the trace. Unless a test says otherwise, one thread makes all
 * calls, 10 us apart, for one device; a copy takes 1 us on the device for each 4 KiB, and a kernel takes 2 us. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_PLAYED_H
#define XFERSPY_TESTS_UNIT_ANALYZER_PLAYED_H

#include "unit.h"

#include "analyzer/findings/engine/analyse.h"
#include "analyzer/findings/engine/detector.h"
#include "schema/write/store.h"

enum { PLAYED_ALLOCATIONS = 4096 };
enum { NOT_MEASURED = -1, NO_CONTENT = -2, LOST = -3 }; /* used instead of a content */

struct played {
    char folder[64], path[128];
    struct xs_store *store;
    struct xs_clock clock;
    uint64_t now_ns;
    uint32_t correlation, fingerprint, set;
    struct {
        uint64_t address, bytes;
        bool lives;
    } allocations[PLAYED_ALLOCATIONS]; /* indexed by id */
    uint32_t allocation_count;
    int64_t transfer, memset_row, launch; /* ids of the latest rows */
    int device;
    unsigned flags;               /* flags of the next streams */
    unsigned thread;              /* thread of the next calls: 1 or 2 */
    uint64_t stream;              /* stream handle of the next calls; 0: none */
    uint64_t call_ns;             /* duration of the next calls; 0: 1 us */
    enum xs_memory_kind host;     /* host memory of the next transfers; 0: pageable */
    uint64_t delay_ns, device_ns; /* time from a copy's call to its start, and the copy's duration, for the next copies;
                                     0: the defaults */
    uint64_t kernel_delay_ns, kernel_ns; /* these times for the next kernels; 0: the defaults */
    uint32_t kernel_blocks;              /* blocks of the next kernels; 0: one */
    enum xs_memory_kind memory;          /* kind of the next allocations; 0: device */
    enum xs_origin origin;               /* origin of the next allocations; 0: alloc */
    bool async, constant;          /* whether the next transfers are asynchronous, and whether they repeat one value */
    struct xs_event_transfer box;  /* shape of the next transfers; height 0: no box */
    struct xs_host_read host_read; /* what the host read of the next downloads; all 0: they are not watched */
    uint32_t watches;
    struct xs_analysis_options options;
    struct xs_findings *findings;
    struct xs_diagnosis *diagnosis;        /* set by diagnosed.h; NULL: the trace was only analysed */
    void (*forget)(struct played *played); /* frees the diagnosis, and the findings with it */
};

void play_begin(struct played *p);
uint32_t play_alloc(struct played *p, uint64_t address, uint64_t bytes); /* returns its id */
void play_free(struct played *p, uint32_t id);
void play_context_end(struct played *p, uint32_t id); /* the allocation ends with its context */

/* A content is a number: two copies have equal contents if their numbers and their sizes are equal. `before` is the
 * measured content that an upload overwrites. */
int64_t play_up(struct played *p, uint64_t to, uint64_t bytes, int content, int before, uint64_t from);
int64_t play_down(struct played *p, uint64_t from, uint64_t bytes, int content, uint64_t to);
int64_t play_copy(struct played *p, uint64_t to, uint64_t from, uint64_t bytes);
int64_t play_memset(struct played *p, uint64_t to, uint64_t bytes);
void play_kernel(struct played *p, unsigned count, const uint32_t *allocations);
void play_unseen_kernel(struct played *p);
void play_migration(struct played *p, bool up, uint64_t address, uint64_t bytes); /* managed pages migrate, in 1 us */
void play_prefetch_batch(struct played *p, uint64_t address, uint64_t ranges);
void play_sync(struct played *p); /* waits for the context */
void play_wait(struct played *p, enum xs_sync_scope scope, uint64_t object);
void play_record(struct played *p, uint64_t object);      /* records an event in the stream */
void play_stream_wait(struct played *p, uint64_t object); /* makes the stream wait for an event */
/* Plays one of the calls that make or destroy contexts, for p->device. The handle of a created context differs from
 * that of a primary context. */
enum play_context { PLAY_RETAIN, PLAY_RELEASE, PLAY_RESET, PLAY_CREATE, PLAY_DESTROY };
void play_context(struct played *p, enum play_context what, uint64_t object);
/* Creates (with the flags `p->flags`) or destroys a stream. */
enum play_stream { PLAY_STREAM_CREATE, PLAY_STREAM_CREATE_WITH_PRIORITY, PLAY_STREAM_DESTROY };
void play_stream(struct played *p, enum play_stream what, uint64_t object);
void play_share(struct played *p, uint64_t address); /* shares memory with others; 0: by the handle of a mapping */

void play_unknown(struct played *p, bool for_good); /* an unknown function ran */

/* Ends the trace, executes `sql` on it (NULL: nothing), and analyses it. */
void play_analyse(struct played *p, const char *sql);
/* Ends the trace, executes `sql` on it (NULL: nothing), and opens it. */
void play_open(struct played *p, const char *sql, struct xs_trace *trace);
void play_end(struct played *p);

/* Returns the number of instances of a finding at all call sites, with this verdict; `verdict` NULL: with any
 * verdict. */
uint64_t played_found(const struct played *p, const char *id, const char *verdict);
uint64_t played_all(const struct played *p); /* number of instances of all findings that are no advice */
uint64_t played_undecided(const struct played *p, const char *id, const char *reason);
const struct xs_finding *played_finding(const struct played *p, const char *id);

/* The tests of detectors use these macros; `p` is the played trace. FOUND: the finding has `count` instances, with one
 * verdict or (NULL) with any. NOT_FOUND: it has no instance, although the case is similar. UNDECIDED: the detector
 * could not decide `count` events. scripts/check-findings searches for FOUND and NOT_FOUND, with the finding's id and
 * its verdicts. */
#define FOUND(id, verdict, count) assert_int_equal(played_found(p, id, verdict), count)
#define NOT_FOUND(id) assert_int_equal(played_found(p, id, NULL), 0)
#define UNDECIDED(id, reason, count) assert_int_equal(played_undecided(p, id, reason), count)

#endif
