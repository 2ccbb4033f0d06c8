/* Random programs: each runs on the machine and leaves its events. */
#ifndef XFERSPY_TESTS_PROPERTY_PROGRAM_H
#define XFERSPY_TESTS_PROPERTY_PROGRAM_H

#include "machine.h"
#include "reference.h"

enum { HOST_BUFFERS = 5, HOST_BYTES = 65536, MAX_EVENTS = 256, MAX_ALLOCATIONS = 48 };

/* Host memory, the same for all programs of a process. */
struct host_buffer {
    unsigned char *memory, *shadow; /* shadow: what it holds once everything queued is over */
    bool pageable, pending;         /* pending: something queued may read or write it */
};

struct allocation {
    CUdeviceptr address;
    size_t bytes;
    int device;
    bool live;
    unsigned char *shadow, *written; /* what it holds, and which bytes were written since it began */
};

struct program {
    struct machine *machine;
    struct host_buffer *host;
    FILE *log; /* what it does, for people; NULL: no one asked */
    uint64_t random;
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

void host_buffers_start(struct host_buffer *host);
void host_buffers_end(struct host_buffer *host);

/* Runs program `number` of `seed` and frees all that it allocated. Compares all bytes on the way. */
void program_run(struct program *program, uint64_t seed, int number);

/* Forgets its events. */
void program_clear(struct program *program);

#endif
