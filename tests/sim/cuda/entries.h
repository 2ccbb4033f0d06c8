/* All driver entry points, in the order of their areas. Include with EARLY, BARE, PLAIN, PTDS, PTSZ and NEWER defined.
 * No include guard: every includer expands the rows into something else. */
#include "entries_copy.h"
#include "entries_device.h"
#include "entries_graph.h"
#include "entries_memory.h"
#include "entries_module.h"
#include "entries_newer.h"
#include "entries_stream.h"
