/* The events of one random program, with full copies of all contents, and the findings among them according to
 * docs/rules/analysis.md. The findings are found by scanning all events for each event, on plain arrays of bytes,
 * without code of the analyzer. */
#ifndef XFERSPY_TESTS_PROPERTY_REFERENCE_H
#define XFERSPY_TESTS_PROPERTY_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum event_kind { ALLOCATE, FREE, UPLOAD, DOWNLOAD, DEVICE_COPY, PEER_COPY, MEMSET, LAUNCH };

/* A range of bytes in device memory. Allocations are numbered from 0, and each number is used once; allocation -1:
 * there are no such bytes. */
struct region {
    int allocation, device;
    size_t offset, bytes;
};

struct event {
    enum event_kind kind;
    int ordinal;            /* number among all transfers, or among all memsets, of the process */
    struct region to, from; /* what it writes (ALLOCATE, FREE: the whole allocation); what it reads */
    uint64_t host;          /* address on the host's side of an upload or download */
    unsigned char *content; /* UPLOAD, DOWNLOAD: the bytes moved */
    unsigned char *before;  /* UPLOAD: the bytes of the destination before the upload */
    int device;             /* LAUNCH: its device */
    bool arguments_seen;    /* LAUNCH: false: it may use all memory of its device */
    uint64_t arguments;     /* LAUNCH: bit n is set if an argument points into allocation n */
};

enum { UNDECIDED_DUPLICATE, UNDECIDED_ROUND_TRIP, UNDECIDED_UPLOAD, UNDECIDED_MEMSET, UNDECIDED_KINDS };

struct verdicts {
    FILE *expected; /* lines FINDING tab KIND ORDINAL tab PROGRAM */
    FILE *allowed;  /* what else may be found if some fingerprints were not taken */
    int program;
    long undecided[UNDECIDED_KINDS];
};

/* FINDING|REASON for each UNDECIDED_*, as `xferspy explain --undecided` names them. */
extern const char *const reference_undecided[UNDECIDED_KINDS];

/* Writes the instances of all findings about contents among the events, which are in the order of the host's calls. */
void reference_findings(const struct event *events, int count, struct verdicts *out);

#endif
