/* Placement of the drain thread: not on a processor that the program's busy threads need, if another one is free. */
#ifndef XFERSPY_PRELOAD_SESSION_PLACEMENT_H
#define XFERSPY_PRELOAD_SESSION_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>

enum { XS_PLACEMENT_THREADS = 32 };

/* Folder that says which processors share a core (session/processors.h). Tests set their own. */
extern const char *xs_placement_topology;

/* Keeps the calling thread off the core of processor `cpu`, where the program runs, if there is another core. For the
 * time before two looks, when nothing is known of the threads. -1: not known. Opens files. */
void xs_placement_begin(int cpu);

/* Finds the processors on which the threads `tids` of this process have been busy since the last look. Keeps the
 * calling thread, always the same one, off these, and off their cores if a core is free. If no processor is free, it
 * avoids only the busiest thread's. The calling thread stays on processors that it had before the first look, or that
 * somebody else has given it since; if there is only one, nothing is done. Only the first XS_PLACEMENT_THREADS threads
 * count. No other thread's processors change. True: these threads were busy on all processors that the calling thread
 * may use, so its CPU time may have been theirs. */
bool xs_placement_look(const int32_t *tids, unsigned count);

#endif
