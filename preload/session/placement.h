/* Chooses the processors on which the drain thread may run. Processors that busy threads of the program need are
 * avoided if another processor is free. */
#ifndef XFERSPY_PRELOAD_SESSION_PLACEMENT_H
#define XFERSPY_PRELOAD_SESSION_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_PLACEMENT_THREADS = 32 };

/* The kernel's folder that tells which processors share a core (session/processors.h). Tests set another folder. */
extern const char *xs_placement_topology;

/* Moves the calling thread away from processor `cpu`, on which the program runs, and also from that processor's core if
 * there is another core. This placement stays until the second call of xs_placement_look, because only two calls show
 * which threads are busy. If `cpu` is -1, it is not known, and the thread is not moved. Opens files. */
void xs_placement_begin(int cpu);

/* Finds the processors on which the threads `tids` of this process have been busy since the last call. Moves the
 * calling thread away from these processors, and from their cores if a core is free. If no processor is free, moves the
 * calling thread only away from the processor of the busiest thread. Every call must come from the same thread. The
 * calling thread only gets processors that it was allowed to use before the first call, or that were assigned to it
 * from outside since then; if there is only one such processor, nothing is done. Only the first XS_PLACEMENT_THREADS
 * threads count. The processors of other threads are not changed. True: the threads `tids` were busy on all processors
 * that the calling thread may use, so the calling thread may have taken CPU time from them. */
bool xs_placement_look(const int32_t *tids, unsigned count);

#endif
