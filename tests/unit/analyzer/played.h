/* Event sequences played into a trace and analysed: each call is the next one of a single thread, 10 us apart, on one
 * device unless told otherwise. Copies take 1 us on the device for 4 KiB, kernels 2 us. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_PLAYED_H
#define XFERSPY_TESTS_UNIT_ANALYZER_PLAYED_H

#include "unit.h"

#include "analyzer/detectors/detector.h"
#include "analyzer/model/analyse.h"
#include "schema/store.h"

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
    bool async, constant;         /* of the next transfers: their contents are one value repeated */
    struct xs_event_transfer box; /* height 0: none; else the shape of the next transfers */
    struct xs_analysis_options options;
    struct xs_findings *findings;
};

void play_begin(struct played *p);
uint32_t play_alloc(struct played *p, uint64_t address, uint64_t bytes); /* its id */
void play_free(struct played *p, uint32_t id);

/* A content is a number; equal numbers and bytes, equal contents. `before` is an upload's measured pre. */
int64_t play_up(struct played *p, uint64_t to, uint64_t bytes, int content, int before, uint64_t from);
int64_t play_down(struct played *p, uint64_t from, uint64_t bytes, int content, uint64_t to);
int64_t play_copy(struct played *p, uint64_t to, uint64_t from, uint64_t bytes);
int64_t play_memset(struct played *p, uint64_t to, uint64_t bytes);
void play_kernel(struct played *p, unsigned count, const uint32_t *allocations);
void play_unseen_kernel(struct played *p);
void play_sync(struct played *p);

/* Ends the trace and analyses it. More SQL may be run on it before; NULL: none. */
void play_analyse(struct played *p, const char *sql);
void play_end(struct played *p);

/* Instances of a finding over all sites; verdict NULL: of all verdicts. */
uint64_t played_found(const struct played *p, const char *id, const char *verdict);
uint64_t played_all(const struct played *p); /* instances of every finding that is no advice */
uint64_t played_undecided(const struct played *p, const char *id, const char *reason);
const struct xs_finding *played_finding(const struct played *p, const char *id);

#endif
