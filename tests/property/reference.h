/* The events of one random program, with full copies of everything, and what docs/rules/analysis.md says of them: found
 * by scanning all events for each event, on plain arrays of bytes, with nothing of the analyzer's. */
#ifndef XFERSPY_TESTS_PROPERTY_REFERENCE_H
#define XFERSPY_TESTS_PROPERTY_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum event_kind { ALLOCATE, FREE, UPLOAD, DOWNLOAD, DEVICE_COPY, PEER_COPY, MEMSET, LAUNCH };

/* Bytes of device memory. Allocations are numbered from 0, each number is used once; -1: no such bytes. */
struct region {
    int allocation, device;
    size_t offset, bytes;
};

struct event {
    enum event_kind kind;
    int ordinal;            /* of transfers: the n-th of the process; of memsets likewise */
    struct region to, from; /* what it writes (ALLOCATE, FREE: all of the allocation) and what it reads */
    uint64_t host;          /* address on the host's side of an upload or download */
    unsigned char *content; /* UPLOAD, DOWNLOAD: the bytes moved */
    unsigned char *before;  /* UPLOAD: the bytes of the destination before */
    int device;             /* LAUNCH: where */
    bool arguments_seen;    /* LAUNCH: else it may touch everything on its device */
    uint64_t arguments;     /* LAUNCH: bit n: a pointer into allocation n */
};

enum { UNDECIDED_DUPLICATE, UNDECIDED_ROUND_TRIP, UNDECIDED_UPLOAD, UNDECIDED_MEMSET, UNDECIDED_KINDS };

struct verdicts {
    FILE *expected; /* lines FINDING tab KIND ORDINAL tab PROGRAM */
    FILE *allowed;  /* what else may be found where some fingerprints were not taken */
    int program;
    long undecided[UNDECIDED_KINDS];
};

/* FINDING|REASON of an UNDECIDED_*, as `xferspy explain --undecided` has them. */
extern const char *const reference_undecided[UNDECIDED_KINDS];

/* Writes the instances of all findings of content among the events, which are in host order. */
void reference_findings(const struct event *events, int count, struct verdicts *out);

#endif
