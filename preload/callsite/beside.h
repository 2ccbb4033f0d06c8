/* A thread that runs no Python code may work for one that does: XLA and other frameworks copy from threads of their
 * own. The line that the Python thread executes meanwhile explains such a call better than the framework's functions
 * do. This file finds the Python thread and decides when its frames are read. Each reading takes some microseconds, so
 * all readings together are limited to a share of the run's time. */
#ifndef XFERSPY_PRELOAD_CALLSITE_BESIDE_H
#define XFERSPY_PRELOAD_CALLSITE_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/callsite/python.h"
#include "preload/callsite/stack_table.h"

/* A call site of the calling thread, which is identified by its native frames, and the Python frames of the other
 * thread that were read at its latest call. */
struct xs_beside_site {
    struct xs_stack_key key;
    uint64_t next_ns;           /* time of the next reading if the share is used up */
    uint64_t began_cpu_ns;      /* the calling thread's processor time when the present reading began */
    uint64_t walked_ns;         /* time at which `noted` was taken */
    uint32_t thread;            /* the thread whose frames are in `noted` */
    uint32_t number[XS_SLEEPS]; /* numbers of the stacks with the frames in `noted`, one for each value of enum xs_sleep
                                   that the other thread had; 0: no number yet */
    unsigned undefined; /* number of stacks that could not be defined, as counted before the reading; if more have
                           failed since then, `number` is not used any more */
    struct xs_python_noted noted;
};

/* The thread that runs Python code. */
struct xs_beside_thread {
    uint64_t python, pthread; /* the fields of the thread's xs_gate_slot */
    uint32_t number;          /* the thread's number in the trace */
    int32_t tid;
};

/* Turns readings on. `permille` is the largest part of the run's time that they may take. This function is called once
 * before the first event is recorded, and once more in a forked child. */
void xs_beside_start(unsigned permille);

/* Returns the calling thread's site with this key if the other thread's frames may be read now, and stores the present
 * time in *now_ns. NULL: nothing may be read now, or the calling thread is the process's main thread, which works for
 * no other thread. This function is called between xs_begin and xs_end. */
struct xs_beside_site *xs_beside_begin(struct xs_stack_key key, uint64_t *now_ns);

/* Finds the process's main thread if the main thread runs Python code. Otherwise finds the other thread that runs
 * Python code, if there is exactly one. False: no such thread is known. A thread becomes known by its first call of
 * CUDA. */
bool xs_beside_find(struct xs_beside_thread *thread);

/* Returns whether a thread of this process sleeps. A thread sleeps if the kernel says that it waits for something other
 * than a processor. */
enum xs_sleep xs_beside_sleep(int32_t tid);

enum xs_beside_outcome {
    XS_BESIDE_READ,      /* a stack was read */
    XS_BESIDE_NO_THREAD, /* no other thread is known */
    XS_BESIDE_FAILED     /* the frames could not be read, or they changed meanwhile */
};

/* Ends a reading and subtracts its processor time from the share. After many failures in a row nothing is read for some
 * time. If there were many more failures and no reading ever succeeded, the trace gets a note, and nothing is read any
 * more. `now_ns` is the time that xs_beside_begin returned. */
void xs_beside_end(struct xs_beside_site *site, uint64_t now_ns, enum xs_beside_outcome outcome);

#endif
