/* The kernels that the simulated GPU knows, in C. To add one: write its function, add its row, and give kernels.cuh the
 * CUDA twin. Each runs the whole grid in one call, so it sees the launch shape only where it matters. */
#include "kernels.h"

#include "preload/fingerprint/kernel.h"

#include <stdint.h>
#include <string.h>

#define ARG(type, index) (*(type *)args[index])
#define KERNEL(name) static void name(const struct xs_launch *launch, void **args)

KERNEL(xs_noop) { (void)launch, (void)args; }

KERNEL(xs_read) {
    const float *x = ARG(const float *, 0);
    size_t n = ARG(size_t, 1);
    volatile float last = 0;
    (void)launch;
    for (size_t i = 0; i < n; i++)
        last = x[i];
    (void)last;
}

KERNEL(xs_add_one_u8) {
    unsigned char *x = ARG(unsigned char *, 0);
    size_t n = ARG(size_t, 1);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned char)(x[i] + 1);
}

KERNEL(xs_scale) {
    float *x = ARG(float *, 0), a = ARG(float, 1);
    size_t n = ARG(size_t, 2);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        x[i] *= a;
}

KERNEL(xs_axpy) {
    float *y = ARG(float *, 0), a = ARG(float, 2);
    const float *x = ARG(const float *, 1);
    size_t n = ARG(size_t, 3);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

KERNEL(xs_fill) {
    float *x = ARG(float *, 0), value = ARG(float, 1);
    size_t n = ARG(size_t, 2);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        x[i] = value;
}

KERNEL(xs_copy) {
    float *dst = ARG(float *, 0);
    const float *src = ARG(const float *, 1);
    size_t n = ARG(size_t, 2);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        dst[i] = src[i];
}

KERNEL(xs_sum) {
    const float *x = ARG(const float *, 0);
    float *out = ARG(float *, 1), sum = 0;
    size_t n = ARG(size_t, 2);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *out = sum;
}

KERNEL(xs_set_one) {
    unsigned char *p = ARG(unsigned char *, 0);
    (void)launch;
    p[ARG(size_t, 1)] = ARG(unsigned char, 2);
}

KERNEL(xs_indirect) {
    float **table = ARG(float **, 0);
    size_t tables = ARG(size_t, 1), n = ARG(size_t, 2);
    (void)launch;
    for (size_t t = 0; t < tables; t++)
        for (size_t i = 0; i < n; i++)
            table[t][i] += 1;
}

KERNEL(xs_spin) {
    (void)launch;
    xs_kernel_spin_ns(ARG(unsigned long long, 0));
}

KERNEL(xs_stencil) {
    float *out = ARG(float *, 0);
    const float *in = ARG(const float *, 1);
    size_t n = ARG(size_t, 2);
    (void)launch;
    for (size_t i = 0; i < n; i++) {
        float left = in[i == 0 ? 0 : i - 1], right = in[i + 1 == n ? i : i + 1];
        out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
    }
}

KERNEL(xs_work) {
    float *x = ARG(float *, 0);
    size_t n = ARG(size_t, 1);
    int rounds = ARG(int, 2);
    (void)launch;
    for (size_t i = 0; i < n; i++) {
        float c = x[i] * 0.25f, z = 0;
        for (int r = 0; r < rounds; r++)
            z = z * z * 0.5f + c;
        x[i] = z;
    }
}

/* Word i: (word & keep) ^ base ^ 20 bits that depend on i + salt. Comes as PTX. */
KERNEL(xs_mix) {
    uint32_t *x = ARG(uint32_t *, 0), keep = ARG(uint32_t, 2), base = ARG(uint32_t, 3), salt = ARG(uint32_t, 4);
    size_t n = ARG(size_t, 1);
    (void)launch;
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] & keep) ^ base ^ (((uint32_t)i + salt) * 2654435761u >> 12);
}

/* Pointers within a structure; its twin is in kernels.cuh. */
struct xs_axpy_arguments {
    float *y;
    const float *x;
    size_t n;
    float a;
};

KERNEL(xs_axpy_struct) {
    struct xs_axpy_arguments s = ARG(struct xs_axpy_arguments, 0);
    (void)launch;
    for (size_t i = 0; i < s.n; i++)
        s.y[i] += s.a * s.x[i];
}

/* More pointers than one event of libxferspy holds. */
struct xs_many_pointers {
    float *x[40];
    size_t n;
};

KERNEL(xs_add_one_many) {
    struct xs_many_pointers s = ARG(struct xs_many_pointers, 0);
    (void)launch;
    for (size_t k = 0; k < 40; k++)
        for (size_t i = 0; s.x[k] && i < s.n; i++)
            s.x[k][i] += 1;
}

static const struct xs_kernel kernels[] = {
    {"xs_noop", "", xs_noop},
    {"xs_read", "pl", xs_read},
    {"xs_add_one_u8", "pl", xs_add_one_u8},
    {"xs_scale", "pfl", xs_scale},
    {"xs_add_one_many", "M", xs_add_one_many},
    {"xs_axpy", "ppfl", xs_axpy},
    {"xs_axpy_struct", "S", xs_axpy_struct},
    {"xs_fill", "pfl", xs_fill},
    {"xs_copy", "ppl", xs_copy},
    {"xs_sum", "ppl", xs_sum},
    {"xs_set_one", "plb", xs_set_one},
    {"xs_indirect", "pll", xs_indirect},
    {"xs_mix", "pliii", xs_mix},
    {"xs_spin", "l", xs_spin},
    {"xs_stencil", "ppl", xs_stencil},
    {"xs_work", "pli", xs_work},
    {XS_FINGERPRINT_KERNEL, "F", xs_kernel_fingerprint},
};

const struct xs_kernel *xs_kernel_find(const char *name) {
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

size_t xs_kernel_parameter_bytes(char letter) {
    switch (letter) {
    case 'p':
    case 'l':
        return 8;
    case 'i':
    case 'f':
        return 4;
    case 'S':
        return sizeof(struct xs_axpy_arguments);
    case 'M':
        return sizeof(struct xs_many_pointers);
    case 'F':
        return sizeof(struct xs_fingerprint_parameters);
    default:
        return 1;
    }
}
