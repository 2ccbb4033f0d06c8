/* Computes the intervals of sums; see estimate.h. */
#include "analyzer/trace/modelled/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { FEWEST = 4 };

bool xs_ratio_of(const double *above, const double *below, size_t count, struct xs_ratio *ratio) {
    double a = 0, b = 0, squares = 0, mean = 0;
    size_t parts = 0;
    *ratio = (struct xs_ratio){1, 0};
    for (size_t i = 0; i < count; i++) {
        a += above[i];
        b += below[i];
        parts += below[i] > 0;
    }
    if (parts < FEWEST || b <= 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (below[i] > 0 && below[i] < b)
            mean += (a - above[i]) / (b - below[i]) / (double)parts;
    for (size_t i = 0; i < count; i++) {
        if (below[i] > 0 && below[i] < b) {
            double off = (a - above[i]) / (b - below[i]) - mean;
            squares += off * off;
        }
    }
    *ratio = (struct xs_ratio){a / b, 2 * sqrt(squares * (double)(parts - 1) / (double)parts)};
    return true;
}

static uint64_t whole(double ns) { return ns <= 0 ? 0 : ns < 0x1p63 ? (uint64_t)ns : INT64_MAX; }

static void estimate_sum(struct xs_device_estimate *estimate, const struct xs_parts *parts, enum xs_device_sum sum) {
    XS_SCOPED double *measured = xs_realloc(NULL, (parts->count + 1) * sizeof *measured);
    XS_SCOPED double *expected = xs_realloc(NULL, (parts->count + 1) * sizeof *expected);
    struct xs_ratio ratio;
    for (size_t i = 0; i < parts->count; i++) {
        measured[i] = parts->measured[i][sum];
        expected[i] = parts->expected[i][sum];
    }
    estimate->known = xs_ratio_of(measured, expected, parts->count, &ratio);
    if (estimate->known) {
        double known = (double)estimate->measured_ns, modelled = (double)estimate->modelled_ns;
        double alone = (double)estimate->expected_ns, error = ratio.error * alone;
        /* the interval always contains the printed sum */
        estimate->least_ns = whole(known + fmin(ratio.ratio * alone - error, modelled));
        estimate->most_ns = whole(known + fmax(ratio.ratio * alone + error, modelled));
    }
}

/* Collects the times in which recorded copies or kernels ran, for each part. A row that lies in two parts belongs to
 * the first. */
static void collect(struct xs_intervals *of_parts, const struct xs_modelled_rows *rows, const struct xs_parts *parts,
                    const struct xs_device_windows *windows) {
    for (size_t i = 0; i < rows->count; i++) {
        const struct xs_modelled_row *row = &rows->items[i];
        int64_t part = row->modelled || row->start_ns == XS_SHAPE_NULL ? -1 : xs_part_at(parts, windows, row->start_ns);
        if (part >= 0)
            xs_intervals_add(&of_parts[part], row->start_ns, row->end_ns);
    }
}

static void estimate_overlap(struct xs_device_windows *windows, const struct xs_parts *parts,
                             const struct xs_modelled_tables *tables) {
    struct xs_intervals *copies = xs_zeroed(parts->count + 1, sizeof *copies);
    struct xs_intervals *kernels = xs_zeroed(parts->count + 1, sizeof *kernels);
    XS_SCOPED double *both = xs_realloc(NULL, (parts->count + 1) * sizeof *both);
    XS_SCOPED double *busy = xs_realloc(NULL, (parts->count + 1) * sizeof *busy);
    struct xs_ratio ratio;
    collect(copies, &tables->of[XS_MODELLED_COPY], parts, windows);
    collect(kernels, &tables->of[XS_MODELLED_KERNEL], parts, windows);
    for (size_t i = 0; i < parts->count; i++) {
        busy[i] = (double)xs_intervals_unite(&copies[i]);
        xs_intervals_unite(&kernels[i]);
        both[i] = (double)xs_intervals_common(&copies[i], &kernels[i], NULL);
        xs_intervals_free(&copies[i]);
        xs_intervals_free(&kernels[i]);
    }
    if (xs_ratio_of(both, busy, parts->count, &ratio)) {
        windows->overlap = ratio.ratio;
        windows->overlap_least = fmax(0, ratio.ratio - ratio.error);
        windows->overlap_most = fmin(1, ratio.ratio + ratio.error);
    }
    free(copies);
    free(kernels);
}

void xs_estimate(struct xs_device_windows *windows, const struct xs_parts *parts,
                 const struct xs_modelled_tables *tables) {
    for (enum xs_device_sum sum = 0; sum < XS_SUM_COUNT; sum++)
        estimate_sum(&windows->sums[sum], parts, sum);
    estimate_overlap(windows, parts, tables);
}
