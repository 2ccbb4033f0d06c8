/* Shows tests of preload/nvtx which ranges are defined in the trace. The sources of preload/nvtx are linked into the
 * test, and NVTX's header finds them as it finds any tool that is linked into a program. */
#ifndef XFERSPY_TESTS_NVTX_UNIT_H
#define XFERSPY_TESTS_NVTX_UNIT_H

#include "unit.h"

#include <nvtx3/nvToolsExt.h>

#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/open.h"

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

/* The definition of each range, indexed by the range's number, and how often it was defined. */
extern struct told_range {
    unsigned times;
    uint32_t parent;
    char domain[300], name[300];
} * told;

extern bool spool_is_full;                /* no range can be defined */
extern unsigned nvtx_unit_window_changes; /* number of reports that a window opens or closes */

/* Returns the open ranges that an event would have now, outermost first. */
const char *here(void);

/* Must be called before the first test. False: there is no memory. */
bool nvtx_unit_prepare(void);

#endif
