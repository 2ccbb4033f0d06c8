/* Random programs. Each program runs on the machine (machine.h), and its events are recorded. */
#ifndef XFERSPY_TESTS_PROPERTY_PROGRAM_H
#define XFERSPY_TESTS_PROPERTY_PROGRAM_H

#include "machine.h"
#include "reference.h"

enum { FIRST_PAGEABLE = 3, HOST_BUFFERS = 5, HOST_BYTES = 65536, MAX_EVENTS = 256, MAX_ALLOCATIONS = 48 };

/* A buffer in host memory. All programs of a process use the same buffers, unless `scale` is not 0. */
struct host_buffer {
    size_t bytes;
    unsigned char *memory, *shadow; /* shadow: its content after all queued operations */
    bool pageable, pending;         /* pending: a queued operation may use it */
};

struct allocation {
    CUdeviceptr address;
    size_t bytes;
    int device;
    bool live, managed;
    unsigned char *shadow, *written; /* its content, and which bytes were written since it was made */
};

struct program {
    /* 0: the program is for the comparison with the reference. Otherwise it is for tests of repairs: all sizes are
     * multiplied by this number, some memory is managed, each program has its own host memory, and contents are
     * compared before memory is freed. Programs with an even seed launch no graphs, because some repairs do less after
     * a graph launch. */
    size_t scale;
    struct machine *machine;
    struct host_buffer *host;
    FILE *log; /* a description of what the program does; NULL: not requested */
    uint64_t seed, random;
    uint32_t tag; /* the highest 12 bits of every word that it copies, so that no content occurs in another program */
    size_t lengths[3];       /* lengths of most of its transfers */
    uint32_t contents, live; /* number of contents in its pool; number of allocations that it keeps */
    uint32_t again, leave;   /* percentages: regions that were used before; unchanged uploads */
    uint32_t weights[8];     /* weights of the kinds of operations */
    struct allocation allocations[MAX_ALLOCATIONS];
    int allocated;
    struct event events[MAX_EVENTS];
    int count;
    int transfers, memsets; /* numbers in the process so far */
};

/* Makes the buffers, each of `bytes` bytes, at least HOST_BYTES. */
void host_buffers_start(struct host_buffer *host, size_t bytes);
void host_buffers_end(struct host_buffer *host);

/* Runs program `number` of `seed`, compares all bytes while it runs, and frees all memory that it allocated. */
void program_run(struct program *program, uint64_t seed, int number);

/* Frees the program's events. */
void program_clear(struct program *program);

#endif
