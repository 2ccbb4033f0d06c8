/* Defines what the benchmark programs share: the clock, batches of calls, and the form of their output lines:
 *
 *     bench <tab> metric <tab> unit <tab> median of the batches <tab> mean of the batches
 *
 * Other lines in the output are not written by the benchmarks (nsys writes some). Must be included after the CUDA
 * header. C and C++. */
#ifndef XFERSPY_TESTS_BENCH_MEASURE_H
#define XFERSPY_TESTS_BENCH_MEASURE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        int check_result = (int)(call);                                                                                \
        if (check_result != 0) {                                                                                       \
            fprintf(stderr, "%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, check_result);                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { MEASURE_BATCHES_MAX = 256 };

static inline double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static inline int measure_less(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void print_metric(const char *metric, const char *unit, double median, double mean) {
    printf("bench\t%s\t%s\t%.4f\t%.4f\n", metric, unit, median, mean);
}

/* Prints the median and the mean of `values`. Sorts `values`. */
static inline void print_batches(const char *metric, const char *unit, double *values, int count) {
    double sum = 0;
    qsort(values, (size_t)count, sizeof *values, measure_less);
    for (int i = 0; i < count; i++)
        sum += values[i];
    print_metric(metric, unit, (values[(count - 1) / 2] + values[count / 2]) / 2, sum / count);
}

/* Pauses between two metrics, so that neither is slowed down by what the other left in a profiler's buffers. Does not
 * wait for the device. */
static inline void let_settle(void) {
    struct timespec pause = {0, 30 * 1000 * 1000};
    fflush(stdout);
    nanosleep(&pause, NULL);
}

/* Starts CUPTI if bench_cupti.so is preloaded. Called after cuInit and before the first context exists, because xferspy
 * also starts CUPTI at that time. */
static inline void begin_cupti(void) {
    void (*begin)(void);
    *(void **)&begin = dlsym(RTLD_DEFAULT, "xferspy_bench_begin_cupti");
    if (begin)
        begin();
}

#endif
