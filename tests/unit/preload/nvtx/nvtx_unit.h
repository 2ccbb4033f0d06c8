/* For tests of preload/nvtx: what events are told of ranges. The sources are linked in, and NVTX's header finds them as
 * it finds a tool that is linked in. */
#ifndef XFERSPY_TESTS_NVTX_UNIT_H
#define XFERSPY_TESTS_NVTX_UNIT_H

#include "unit.h"

#include <nvtx3/nvToolsExt.h>

#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/open.h"

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

/* By a range's number: what events were told of it, and how many times. */
extern struct told_range {
    unsigned times;
    uint32_t parent;
    char domain[300], name[300];
} * told;

extern bool spool_is_full;                /* nothing can be told */
extern unsigned nvtx_unit_window_changes; /* how often the library was told that a window opens or closes */

/* The ranges that an event would carry, outermost first. */
const char *here(void);

/* Before the first test. False: no memory. */
bool nvtx_unit_prepare(void);

#endif
