/* The table of kernels that the simulated GPU can run. Each has a name, parameters and a C function. */
#ifndef XS_SIM_KERNELS_H
#define XS_SIM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct xs_launch {
    unsigned grid[3], block[3], shared_bytes;
};

struct xs_kernel {
    const char *name;
    const char *parameters; /* a letter for each: p pointer, l 8 bytes, i 4 bytes, f float, b 1 byte; F, S, M: below */
    void (*run)(const struct xs_launch *launch, void **args);
};

/* Returns the kernel with this name; NULL: there is none. */
const struct xs_kernel *xs_kernel_find(const char *name);
/* Returns the size of a parameter with this letter; its alignment is the same number. F (the parameters of libxferspy's
 * own kernel) and S and M (structures with pointers) must be a kernel's only parameter. */
size_t xs_kernel_parameter_bytes(char letter);

/* Makes a kernel run for `ns`, in addition to the time that every kernel takes. */
void xs_kernel_spin_ns(uint64_t ns);

/* Defined in a separate file, kernels_fingerprint.c. */
void xs_kernel_fingerprint(const struct xs_launch *launch, void **args);

#endif
