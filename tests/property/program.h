/* Random programs: each runs on the machine and leaves its events. */
#ifndef XFERSPY_TESTS_PROPERTY_PROGRAM_H
#define XFERSPY_TESTS_PROPERTY_PROGRAM_H

#include "machine.h"
#include "reference.h"

enum { FIRST_PAGEABLE = 3, HOST_BUFFERS = 5, HOST_BYTES = 65536, MAX_EVENTS = 256, MAX_ALLOCATIONS = 48 };

/* Host memory, the same for all programs of a process. */
struct host_buffer {
    size_t bytes;
    unsigned char *memory, *shadow; /* shadow: what it holds once everything queued is over */
    bool pageable, pending;         /* pending: something queued may read or write it */
};

struct allocation {
    CUdeviceptr address;
    size_t bytes;
    int device;
    bool live, managed;
    unsigned char *shadow, *written; /* what it holds, and which bytes were written since it began */
};

struct program {
    /* 0: for the reference. Else the programs are for repairs: all sizes are that many times as large, some memory is
     * managed, host memory is another one in each program, and what is freed is compared before. Programs of an even
     * seed launch no graphs, after which some repairs do less. */
    size_t scale;
    struct machine *machine;
    struct host_buffer *host;
    FILE *log; /* what it does, for people; NULL: no one asked */
    uint64_t seed, random;
    uint32_t tag;            /* the topmost 12 bits of every word that it moves: no content occurs in another program */
    size_t lengths[3];       /* that most of its transfers have */
    uint32_t contents, live; /* how many contents its pool has, how many allocations it keeps */
    uint32_t again, leave;   /* percent: regions that were used before, uploads of what a host buffer has anyway */
    uint32_t weights[8];     /* of its operations */
    struct allocation allocations[MAX_ALLOCATIONS];
    int allocated;
    struct event events[MAX_EVENTS];
    int count;
    int transfers, memsets; /* of the process so far */
};

/* `bytes` each, at least HOST_BYTES. */
void host_buffers_start(struct host_buffer *host, size_t bytes);
void host_buffers_end(struct host_buffer *host);

/* Runs program `number` of `seed` and frees all that it allocated. Compares all bytes on the way. */
void program_run(struct program *program, uint64_t seed, int number);

/* Forgets its events. */
void program_clear(struct program *program);

#endif
