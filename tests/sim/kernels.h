/* The table of kernels that the simulated GPU can run: name, parameters and a C function each. */
#ifndef XS_SIM_KERNELS_H
#define XS_SIM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct xs_launch {
    unsigned grid[3], block[3], shared_bytes;
};

struct xs_kernel {
    const char *name;
    const char *parameters; /* one letter each: p pointer, l 8 bytes, i 4 bytes, f float, b 1 byte; F, S, M see below */
    void (*run)(const struct xs_launch *launch, void **args);
};

/* The kernel of that name, or NULL. */
const struct xs_kernel *xs_kernel_find(const char *name);
/* How many bytes the parameter of that letter takes; it is aligned to as many. F, the parameters of libxferspy's own
 * kernel, and S and M, structures with pointers, stand alone. */
size_t xs_kernel_parameter_bytes(char letter);

/* A kernel runs for so long, beside what every kernel takes. */
void xs_kernel_spin_ns(uint64_t ns);

/* In a file of its own: kernels_fingerprint.c. */
void xs_kernel_fingerprint(const struct xs_launch *launch, void **args);

#endif
