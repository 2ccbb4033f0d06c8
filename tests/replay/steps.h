/* Random programs as lists of steps. program/perform.c performs the steps on the simulated GPU, and check.c makes the
 * same steps to know what was performed: the same seed and number give the same steps in both. */
#ifndef XFERSPY_TESTS_REPLAY_STEPS_H
#define XFERSPY_TESTS_REPLAY_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum step_kind {
    STEP_UPLOAD,
    STEP_DOWNLOAD,
    STEP_MEMSET,
    STEP_KERNEL,
    STEP_RECORD,
    STEP_WAIT_EVENT,
    STEP_SYNC_STREAM,
    STEP_SYNC_EVENT,
    STEP_SYNC_DEVICE,
    STEP_ALLOCATE,
    STEP_FREE,
    STEP_WORK, /* the host works */
    STEP_KINDS
};

/* Stream 0 is the legacy default stream. Streams 1 and 2 are ordered with it, streams 3 and 4 are not. */
enum { STREAMS = 5, FIRST_NON_BLOCKING = 3, EVENTS = 4, SLOTS = 4, BUFFER_BYTES = 4 << 20, MAX_STEPS = 160 };
enum { MAX_UPLOADS = 64 }; /* a set of uploads is stored in the bits of a number */

struct step {
    enum step_kind kind;
    int stream, event, slot; /* slot: number of the allocation that is made or freed */
    size_t bytes;
    uint64_t ns;    /* STEP_KERNEL, STEP_WORK: duration */
    bool is_async;  /* of a transfer or memset; false: it is in stream 0 */
    bool is_pinned; /* the host memory of a transfer is pinned */
    int upload;     /* STEP_UPLOAD: its number, from 0; else -1 */
};

struct steps {
    struct step items[MAX_STEPS];
    int count, uploads;
};

void steps_make(struct steps *steps, uint64_t seed, uint64_t number);

/* Returns the uploads that the replay leaves out, as bits. There are several such choices, numbered by `set`; 0: no
 * upload is left out. */
uint64_t steps_dropped(const struct steps *steps, uint64_t seed, uint64_t number, int set);

/* Writes into `text`, in one line, what a step does. */
void steps_describe(const struct step *step, char *text, size_t bytes);

#endif
