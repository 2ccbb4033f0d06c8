/* The virtual clock of the simulated GPU: the functions of libxferspy_sim_clock.so, which is preloaded where it is
 * wanted. Everyone declares them weak: where the library is not preloaded they are NULL, and time is real. */
#ifndef XS_SIM_VIRTUAL_CLOCK_H
#define XS_SIM_VIRTUAL_CLOCK_H

#include <stdint.h>

#define XS_WEAK __attribute__((weak, visibility("default")))

/* What CLOCK_MONOTONIC says in this process, in ns. */
XS_WEAK uint64_t xs_virtual_clock_now(void);

/* The calling thread has worked for so long. */
XS_WEAK void xs_virtual_clock_advance(uint64_t ns);

/* The calling thread has waited until then; where that is past, nothing happens. */
XS_WEAK void xs_virtual_clock_reach(uint64_t ns);

#endif
