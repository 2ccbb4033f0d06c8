/* Where the drain thread runs: not on a processor that the program's busy threads need, where another one is free. */
#ifndef XFERSPY_PRELOAD_SESSION_PLACEMENT_H
#define XFERSPY_PRELOAD_SESSION_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_PLACEMENT_THREADS = 32 };

/* The folder that tells which processors are one core (session/processors.h). Tests have their own. */
extern const char *xs_placement_topology;

/* Before it was looked twice, when nothing is known of the threads: keeps the calling thread off the core of processor
 * `cpu`, on which the program is, where there is another one. -1: not known. Opens files. */
void xs_placement_begin(int cpu);

/* Looks which processors the threads `tids` of this process have been busy on since the last look, and keeps the
 * calling thread, always the same one, off these, and off the other processors of their cores where a core is free; off
 * the busiest thread's alone where no processor is. The calling thread stays on processors that it had before the first
 * look, or that somebody else has given it since then; where these are one only, nothing is done. Of more than
 * XS_PLACEMENT_THREADS the first count. No other thread's processors are changed. True: these threads were busy on all
 * processors that the calling thread may run on, so that what it takes, it may have taken from them. */
bool xs_placement_look(const int32_t *tids, unsigned count);

#endif
