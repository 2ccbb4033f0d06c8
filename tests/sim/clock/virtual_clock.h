/* The virtual clock of the simulated GPU. Its functions are in libxferspy_sim_clock.so, which is preloaded if virtual
 * time is wanted. They are declared weak, so they are NULL if the library is not preloaded; then time is real. */
#ifndef XS_SIM_VIRTUAL_CLOCK_H
#define XS_SIM_VIRTUAL_CLOCK_H

#include <stdint.h>

#define XS_WEAK __attribute__((weak, visibility("default")))

/* Returns the time that CLOCK_MONOTONIC shows in this process, in ns. */
XS_WEAK uint64_t xs_virtual_clock_now(void);

/* Moves the clock as if the calling thread had worked for `ns`. */
XS_WEAK void xs_virtual_clock_advance(uint64_t ns);

/* Moves the clock as if the calling thread had waited until the time `ns`; does nothing if that time is past. */
XS_WEAK void xs_virtual_clock_reach(uint64_t ns);

#endif
