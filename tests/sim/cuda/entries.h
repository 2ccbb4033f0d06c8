/* All driver entry points, grouped by area. A file that includes this one must define EARLY, BARE, PLAIN, PTDS, PTSZ
 * and NEWER. There is no include guard, because each inclusion expands the rows into something else. */
#include "entries_copy.h"
#include "entries_device.h"
#include "entries_graph.h"
#include "entries_memory.h"
#include "entries_module.h"
#include "entries_newer.h"
#include "entries_stream.h"
