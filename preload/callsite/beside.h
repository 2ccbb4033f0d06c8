/* A thread that runs no Python code may work for one that does: XLA and other frameworks copy from threads of their
 * own. The line that the Python thread executes meanwhile explains such a call better than the framework's functions
 * do. This file says which thread that is, and when its frames are read, because each reading takes some microseconds.
 * Reading is limited to a share of the run's time. */
#ifndef XFERSPY_PRELOAD_CALLSITE_BESIDE_H
#define XFERSPY_PRELOAD_CALLSITE_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/callsite/python.h"
#include "preload/callsite/stack_table.h"

/* A call site of the calling thread, by its native frames, and what was read there last. */
struct xs_beside_site {
    struct xs_stack_key key;
    uint64_t next_ns;           /* the next reading, if the share is used up */
    uint64_t began_cpu_ns;      /* processor time of the calling thread when the present reading began */
    uint64_t walked_ns;         /* when `noted` was taken */
    uint32_t thread;            /* the thread whose frames are in `noted` */
    uint32_t number[XS_SLEEPS]; /* numbers of the stacks that were found at that time, by the thread's enum xs_sleep; 0:
                                   none yet */
    unsigned undefined;         /* see callsite.c */
    struct xs_python_noted noted;
};

/* The thread that runs Python code. */
struct xs_beside_thread {
    uint64_t python, pthread; /* as in its xs_gate_slot */
    uint32_t number;          /* in the trace */
    int32_t tid;
};

/* Turns readings on. `permille` is the largest part of the run's time that they may take. Called once, before the first
 * event is recorded, and once more in a forked child. */
void xs_beside_start(unsigned permille);

/* Returns the calling thread's site with this key if its calls may be read now, and the time; NULL: not now, or it is
 * the process's main thread, because no other thread's line says what the main thread does. Called between xs_begin and
 * xs_end. */
struct xs_beside_site *xs_beside_begin(struct xs_stack_key key, uint64_t *now_ns);

/* Finds the process's main thread if it runs Python code, or else the only other thread that does. False: no such
 * thread is known. A thread is known after its first call of CUDA. */
bool xs_beside_find(struct xs_beside_thread *thread);

/* Returns whether a thread of this process sleeps: the kernel says then that it waits for something other than a
 * processor. */
enum xs_sleep xs_beside_sleep(int32_t tid);

enum xs_beside_outcome {
    XS_BESIDE_READ,      /* a stack was read */
    XS_BESIDE_NO_THREAD, /* no other thread is known */
    XS_BESIDE_FAILED     /* the frames could not be read, or they changed meanwhile */
};

/* Counts the processor time that the reading took. After many failures in a row nothing is read for some time; if
 * nothing was ever read, the trace gets a note, and nothing is read any more. `now_ns` is from xs_beside_begin. */
void xs_beside_end(struct xs_beside_site *site, uint64_t now_ns, enum xs_beside_outcome outcome);

#endif
