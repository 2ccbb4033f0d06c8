/* What a program can ask the preloaded library libxferspy.so for. A program need not be linked to the library: all
 * functions are weak, so each is NULL while the library is not preloaded, and a program has to look at that first:
 *
 *     uint64_t range = xferspy_range_start ? xferspy_range_start("load") : 0;
 *
 * Any thread may call them, but no signal handler. None of them changes what the program does. The package for Python
 * (docs/use/python.md) calls the same functions. */
#ifndef XFERSPY_H
#define XFERSPY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef XFERSPY_CALL
#define XFERSPY_CALL __attribute__((weak))
#endif

/* Opens a range with this name on the calling thread, as NVTX does; NVTX itself is not needed. The calls of the thread
 * belong to the range until it ends. Any thread may end it. Ranges may overlap. The result is never 0 if the range is
 * kept. The first call reads the environment, so no other thread may change it at that moment. */
XFERSPY_CALL uint64_t xferspy_range_start(const char *name);
XFERSPY_CALL void xferspy_range_end(uint64_t range); /* 0: does nothing */

/* Numbers of this process since its start, of all threads together. Only calls that succeeded are counted. A copy that
 * a graph makes is not counted, because the host does not call for it. */
struct xferspy_counts {
    uint64_t h2d, h2d_bytes;     /* copies from host to device */
    uint64_t d2h, d2h_bytes;     /* copies from device to host */
    uint64_t other, other_bytes; /* copies between devices, within a device, within the host */
    uint64_t waits;              /* calls that waited for the device, without copies that wait */
    uint64_t not_counted; /* calls that were not looked at, because they were outside of the parts of the run that
                             XFERSPY_WINDOW, XFERSPY_START or XFERSPY_STEPS ask for: copies and waits may be among
                             them */
};
/* Fills the first `bytes` bytes of *counts, so that a program can be older or newer than the library. Returns 1; 0:
 * this process records nothing (now), so there are no numbers. */
XFERSPY_CALL int xferspy_count(struct xferspy_counts *counts, size_t bytes);

/* Makes the trace complete up to now, so that it can be read while the process goes on. May take some ms, and never
 * more than three seconds. Returns 1; 0: there is no trace, or it could not be written in time. */
XFERSPY_CALL int xferspy_snapshot(void);

/* Returns the path of the trace; NULL: this process has none. The text stays valid until the process ends. */
XFERSPY_CALL const char *xferspy_trace(void);

#ifdef __cplusplus
}
#endif

#endif
