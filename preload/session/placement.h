/* Chooses the processors on which the drain thread may run. Processors that busy threads of the program need are
 * avoided if another processor is free. */
#ifndef XFERSPY_PRELOAD_SESSION_PLACEMENT_H
#define XFERSPY_PRELOAD_SESSION_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_PLACEMENT_THREADS = 32 };

/* The kernel's folder that says which processors share a core (session/processors.h). Tests set another one. */
extern const char *xs_placement_topology;

/* Moves the calling thread away from the core of processor `cpu`, on which the program runs, if there is another core.
 * Used until xs_placement_look has been called twice, because before that it is not known which threads are busy. `cpu`
 * is -1 if it is not known. Opens files. */
void xs_placement_begin(int cpu);

/* Finds the processors on which the threads `tids` of this process have been busy since the last call. Moves the
 * calling thread, always the same one, away from these processors, and from their cores if a core is free. If no
 * processor is free, it only avoids the processor of the busiest thread. The calling thread only gets processors that
 * it was allowed to use before the first call, or that were assigned to it from outside since then; if there is only
 * one such processor, nothing is done. Only the first XS_PLACEMENT_THREADS threads count. The processors of other
 * threads are not changed. True: these threads were busy on all processors that the calling thread may use, so the
 * calling thread may have taken CPU time from them. */
bool xs_placement_look(const int32_t *tids, unsigned count);

#endif
