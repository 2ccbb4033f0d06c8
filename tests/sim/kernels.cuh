// The CUDA twins of the simulator's kernels (kernels.c): test programs include this, and run alike on a real GPU and on
// the simulated one, which finds its C version by name. Any launch shape is right: all loop over the grid.
#ifndef XS_SIM_KERNELS_CUH
#define XS_SIM_KERNELS_CUH

#include <cstddef>

#define XS_GRID_LOOP(i, n)                                                                                             \
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (n); i += (size_t)gridDim.x * blockDim.x)

extern "C" __global__ void xs_noop() {}

// Reads every element and writes nothing: the store cannot happen, but the compiler does not know that.
extern "C" __global__ void xs_read(const float *x, size_t n) {
    float sum = 0;
    XS_GRID_LOOP(i, n)
        sum += x[i];
    if (n == 0 && sum != 0)
        *const_cast<float *>(x) = sum;
}

extern "C" __global__ void xs_add_one_u8(unsigned char *x, size_t n) {
    XS_GRID_LOOP(i, n)
        x[i]++;
}

extern "C" __global__ void xs_scale(float *x, float a, size_t n) {
    XS_GRID_LOOP(i, n)
        x[i] *= a;
}

extern "C" __global__ void xs_axpy(float *y, const float *x, float a, size_t n) {
    XS_GRID_LOOP(i, n)
        y[i] += a * x[i];
}

extern "C" __global__ void xs_fill(float *x, float value, size_t n) {
    XS_GRID_LOOP(i, n)
        x[i] = value;
}

extern "C" __global__ void xs_copy(float *dst, const float *src, size_t n) {
    XS_GRID_LOOP(i, n)
        dst[i] = src[i];
}

// One thread sums in order, so that the result is the same everywhere.
extern "C" __global__ void xs_sum(const float *x, float *out, size_t n) {
    if (blockIdx.x != 0 || threadIdx.x != 0)
        return;
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *out = sum;
}

extern "C" __global__ void xs_set_one(unsigned char *p, size_t index, unsigned char value) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        p[index] = value;
}

// Adds one to every element of every array whose address is in the table: writes that no argument names.
extern "C" __global__ void xs_indirect(float **table, size_t tables, size_t n) {
    for (size_t t = 0; t < tables; t++)
        XS_GRID_LOOP(i, n)
            table[t][i] += 1;
}

// Pointers within a structure.
struct xs_axpy_arguments {
    float *y;
    const float *x;
    size_t n;
    float a;
};

extern "C" __global__ void xs_axpy_struct(struct xs_axpy_arguments s) {
    XS_GRID_LOOP(i, s.n)
        s.y[i] += s.a * s.x[i];
}

// Null ones are left out.
struct xs_many_pointers {
    float *x[40];
    size_t n;
};

extern "C" __global__ void xs_add_one_many(struct xs_many_pointers s) {
    for (int k = 0; k < 40; k++)
        XS_GRID_LOOP(i, s.x[k] ? s.n : 0)
            s.x[k][i] += 1;
}

extern "C" __global__ void xs_spin(unsigned long long ns) {
    unsigned long long start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < ns);
}

extern "C" __global__ void xs_stencil(float *out, const float *in, size_t n) {
    XS_GRID_LOOP(i, n) {
        float left = in[i == 0 ? 0 : i - 1], right = in[i + 1 == n ? i : i + 1];
        out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
    }
}

extern "C" __global__ void xs_work(float *x, size_t n, int rounds) {
    XS_GRID_LOOP(i, n) {
        float c = x[i] * 0.25f, z = 0;
        for (int r = 0; r < rounds; r++)
            z = z * z * 0.5f + c;
        x[i] = z;
    }
}

#endif
