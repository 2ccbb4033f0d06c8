/* Fits the link model; see link.h. */
#include "analyzer/trace/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

enum {
    SIZE_CLASSES = 49, /* number of values of xs_size_class that are used */
    SAMPLES = 256,     /* number of samples that are kept per class, chosen evenly */
    WHOLE_ROWS = 1 << 18,
    BLOCKS = 64, /* number of parts of a long table that are read, evenly spread */
    BLOCK_ROWS = 4096,
};
static const uint64_t large_bytes = 1 << 20;

const char *const xs_link_class_names[] = {"h2d pageable", "h2d pinned", "d2h pageable", "d2h pinned", "d2d", "memset"};

struct size_class {
    uint64_t seen;
    uint64_t *ns, *bytes; /* SAMPLES each, NULL: none */
};

struct fit {
    struct size_class classes[XS_LINK_CLASSES][SIZE_CLASSES];
    uint64_t random, samples;
};

/* Adds a sample to a reservoir. Each sample has the same chance to be kept, and every analysis of a trace keeps the
 * same samples. */
static void add_sample(struct fit *fit, enum xs_link_class class, uint64_t bytes, uint64_t ns) {
    if (!bytes || !ns || xs_size_class(bytes) >= SIZE_CLASSES || class == XS_LINK_CLASSES)
        return;
    struct size_class *c = &fit->classes[class][xs_size_class(bytes)];
    if (!c->ns) {
        c->ns = xs_realloc(NULL, SAMPLES * sizeof *c->ns);
        c->bytes = xs_realloc(NULL, SAMPLES * sizeof *c->bytes);
    }
    uint64_t slot = c->seen++;
    fit->samples++;
    if (slot >= SAMPLES) {
        fit->random = fit->random * 6364136223846793005u + 1442695040888963407u;
        slot = (fit->random >> 33) % c->seen;
    }
    if (slot < SAMPLES) {
        c->ns[slot] = ns;
        c->bytes[slot] = bytes;
    }
}

static uint64_t median(uint64_t *values, uint64_t count) {
    xs_sort(values, count, sizeof *values, xs_ascending_uint64);
    return values[(count - 1) / 2];
}

struct point {
    double bytes, ns, seen;
};

/* Returns the time per byte of a line through zero, fitted to the large copies if there are any. Small copies may be
 * faster per byte, because the driver stages small copies from pageable memory as a whole; a line through both would
 * fit neither. */
static double rate_through_zero(const struct point *points, unsigned count) {
    double least = 0, wxx = 0, wxy = 0;
    for (unsigned i = 0; i < count; i++)
        least = points[i].bytes >= (double)large_bytes ? (double)large_bytes : least;
    for (unsigned i = 0; i < count; i++) {
        double rate = points[i].bytes / points[i].ns;
        if (points[i].bytes < least)
            continue;
        wxx += rate * rate;
        wxy += rate;
    }
    return wxy / wxx;
}

/* True if the samples determine the rate. Either there are large copies, whose time depends almost only on the bytes;
 * or there are several sizes and enough copies, and the largest take at least twice as long as the smallest. */
static bool has_rate(const struct point *points, unsigned count, uint64_t samples) {
    enum { SIZES = 3, ENOUGH = 8, MEDIUM_BYTES = 65536 };
    const struct point *last = &points[count - 1];
    return last->bytes >= (double)large_bytes ||
           (count >= SIZES && samples >= ENOUGH && last->bytes >= MEDIUM_BYTES && last->ns >= 2 * points[0].ns);
}

/* Fits by least squares of relative errors. With absolute errors the largest copies alone would decide, but `a` is
 * about the small ones. */
static void fit_line(struct xs_link_line *line, const struct point *points, unsigned count, double default_b) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    for (unsigned i = 0; i < count; i++) {
        double weight = 1 / (points[i].ns * points[i].ns);
        w += weight;
        wx += weight * points[i].bytes;
        wy += weight * points[i].ns;
        wxx += weight * points[i].bytes * points[i].bytes;
        wxy += weight * points[i].bytes * points[i].ns;
    }
    double spread = w * wxx - wx * wx;
    bool fits = has_rate(points, count, line->samples);
    if (!fits || count < 2 ||
        spread <= 1e-9 * w * wxx) { /* the constant part and the part per byte cannot be separated */
        double mean_bytes = wx / w, mean_ns = wy / w;
        line->rate_assumed = !fits;
        line->b_ns_per_byte = line->rate_assumed ? default_b : mean_ns / mean_bytes;
        line->a_ns = mean_ns - line->b_ns_per_byte * mean_bytes;
    } else {
        line->b_ns_per_byte = (w * wxy - wx * wy) / spread;
        line->a_ns = (wy - line->b_ns_per_byte * wx) / w;
    }
    if (line->a_ns < 0) {
        line->a_ns = 0;
        line->b_ns_per_byte = rate_through_zero(points, count);
        line->rate_assumed = false;
    }
    if (line->b_ns_per_byte < 0) {
        line->b_ns_per_byte = 0;
        line->a_ns = wy / w;
    }
}

/* Fits the line to the large copies, so that the sum of their times is right. Otherwise, if most size classes are
 * small, the line would fit only the small copies: the driver stages small copies from pageable memory as a whole, but
 * large ones piece by piece. */
static void fit_large(struct xs_link_line *line, const struct point *points, unsigned count) {
    double copies = 0, bytes = 0, ns = 0;
    for (unsigned i = 0; i < count; i++) {
        if (points[i].bytes < (double)large_bytes)
            continue;
        copies += points[i].seen;
        bytes += points[i].seen * points[i].bytes;
        ns += points[i].seen * points[i].ns;
    }
    double says = copies * line->a_ns + bytes * line->b_ns_per_byte, left_ns = ns - copies * line->a_ns;
    if (bytes > 0 && left_ns > 0 && (ns > says * 1.25 || says > ns * 1.25))
        line->b_ns_per_byte = left_ns / bytes;
}

static void fit_class(struct xs_link_line *line, struct size_class *classes, double default_b) {
    struct point points[SIZE_CLASSES];
    unsigned count = 0;
    double best_large = 0, best_small = 0;
    for (unsigned i = 0; i < SIZE_CLASSES; i++) {
        uint64_t kept = classes[i].seen < SAMPLES ? classes[i].seen : SAMPLES;
        if (!classes[i].ns)
            continue;
        points[count].ns = (double)median(classes[i].ns, kept);
        points[count].bytes = (double)median(classes[i].bytes, kept);
        double rate = points[count].bytes / points[count].ns * 1e9;
        if (points[count].bytes >= (double)large_bytes)
            best_large = rate > best_large ? rate : best_large;
        else
            best_small = rate > best_small ? rate : best_small;
        points[count].seen = (double)classes[i].seen;
        line->samples += classes[i].seen;
        count++;
    }
    if (!count)
        return;
    line->known = true;
    fit_line(line, points, count, default_b);
    fit_large(line, points, count);
    if (!line->rate_assumed)
        line->best_bytes_per_s = best_large > 0 ? best_large : best_small;
}

static void assume(struct xs_link_line *line, double a_ns, double bytes_per_s) {
    *line = (struct xs_link_line){
        .known = true, .assumed = true, .rate_assumed = true, .a_ns = a_ns, .b_ns_per_byte = 1e9 / bytes_per_s};
}

static void fit_all(struct xs_link_model *model, struct fit *fit) {
    double pinned_rate = (double)model->peak_bytes_per_s * 0.85;
    /* The time per byte that is used if the samples do not determine the rate. The rate is the link's or, if the link
     * is not known, an old link's. A low rate makes the promised savings small. */
    double link_b = 1e9 / (pinned_rate > 0 ? pinned_rate : 16e9);
    for (unsigned i = 0; i < XS_LINK_CLASSES; i++)
        fit_class(&model->lines[i], fit->classes[i], i <= XS_LINK_D2H_PINNED ? link_b : 1e9 / 5e11);
    for (unsigned i = XS_LINK_H2D_PINNED; i <= XS_LINK_D2H_PINNED; i += XS_LINK_D2H_PINNED - XS_LINK_H2D_PINNED)
        if (!model->lines[i].known && pinned_rate > 0)
            assume(&model->lines[i], 0, pinned_rate);
    /* a GPU's memory is at least this fast; a low rate makes the promised savings small */
    if (!model->lines[XS_LINK_D2D].known)
        assume(&model->lines[XS_LINK_D2D], 2000, 5e11);
    if (!model->lines[XS_LINK_MEMSET].known)
        assume(&model->lines[XS_LINK_MEMSET], 2000, 5e11);
}

enum { BYTES, START, END, KIND, SOURCE, DESTINATION };

static enum xs_link_class device_copy_class(struct xs_scan *scan) {
    enum { HTOD = 1, DTOH = 2, DTOD = 8, DEVICE_PAGEABLE = 1, DEVICE_PINNED = 2 }; /* CUPTI's, schema/format/kinds.h */
    int64_t kind = xs_scan_int(scan, KIND);
    if (kind == DTOD)
        return XS_LINK_D2D;
    int64_t host = xs_scan_int(scan, kind == HTOD ? SOURCE : DESTINATION);
    if ((kind != HTOD && kind != DTOH) || (host != DEVICE_PAGEABLE && host != DEVICE_PINNED))
        return XS_LINK_CLASSES;
    return xs_link_class_of(kind == HTOD ? XS_DIR_H2D : XS_DIR_D2H,
                            host == DEVICE_PAGEABLE ? XS_MEM_PAGEABLE : XS_MEM_PINNED);
}

static enum xs_link_class memset_class(struct xs_scan *scan) {
    (void)scan;
    return XS_LINK_MEMSET;
}

static enum xs_link_class transfer_class(struct xs_scan *scan) {
    int64_t direction = xs_scan_int(scan, KIND);
    if (direction == XS_DIR_D2D)
        return XS_LINK_D2D;
    int64_t host = xs_scan_int(scan, direction == XS_DIR_H2D ? SOURCE : DESTINATION);
    return direction < 0 || host < 0 ? XS_LINK_CLASSES : xs_link_class_of((unsigned)direction, (unsigned)host);
}

struct sampled_table {
    const char *name, *columns, *where;
    enum xs_link_class (*class_of)(struct xs_scan *scan);
    bool is_of_device;
};
static const struct sampled_table copies = {"device_copy", "bytes, start_ns, end_ns, kind, src_kind, dst_kind",
                                            "copies = 1", device_copy_class, true};
static const struct sampled_table memsets = {"device_memset", "bytes, start_ns, end_ns", "1", memset_class, true};
static const struct sampled_table transfers = {"transfer", "bytes, enter_ns, return_ns, direction, src_kind, dst_kind",
                                               XS_RAN " AND is_async = 0 AND height IS NULL", transfer_class, false};

static int sample(struct fit *fit, const struct sampled_table *table, const struct xs_trace *trace, char *message) {
    char last_sql[64];
    int64_t rows;
    /* modelled times cannot be used, because they are computed with this model (analyzer/trace/modelled) */
    const char *measured = trace->windows && table->is_of_device ? " AND NOT modelled" : "";
    snprintf(last_sql, sizeof last_sql, "SELECT max(id) FROM %s", table->name);
    int status = xs_scan_one(trace, last_sql, &rows, message);
    int64_t blocks = rows > WHOLE_ROWS ? BLOCKS : 1, step = rows / blocks;
    for (int64_t i = 0; i < blocks && status >= 0 && rows > 0; i++) {
        int64_t first = i * step, last = blocks == 1 ? INT64_MAX : first + BLOCK_ROWS;
        /* a damaged last id can make a table look long, so the table is read from its beginning, too */
        struct xs_scan scan;
        xs_scan_format(&scan, trace, message, NULL, "SELECT %s FROM %s WHERE id >= %lld AND id < %lld AND %s%s",
                       table->columns, table->name, (long long)first, (long long)last, table->where, measured);
        while (xs_scan_row(&scan)) {
            uint64_t ns;
            int64_t bytes = xs_scan_int(&scan, BYTES);
            if (bytes > 0 && xs_scan_span(&scan, START, END, &ns))
                add_sample(fit, table->class_of(&scan), (uint64_t)bytes, ns);
        }
        status = xs_scan_end(&scan);
    }
    return status;
}

int xs_link_fit(struct xs_link_model *model, const struct xs_trace *trace, char *message) {
    XS_SCOPED struct fit *fit = xs_zeroed(1, sizeof *fit);
    int64_t peak;
    int status = xs_scan_one(trace, "SELECT max(link_peak_bytes_per_s) FROM device", &peak, message);
    *model = (struct xs_link_model){.peak_bytes_per_s = peak > 0 ? (uint64_t)peak : 0};
    if (status >= 0)
        status = sample(fit, &copies, trace, message);
    if (status >= 0 && !fit->samples) {
        status = sample(fit, &transfers, trace, message);
        model->from_host_times = fit->samples != 0;
    }
    if (status >= 0)
        status = sample(fit, &memsets, trace, message);
    if (status >= 0)
        fit_all(model, fit);
    for (unsigned i = 0; i < XS_LINK_CLASSES; i++) {
        for (unsigned j = 0; j < SIZE_CLASSES; j++) {
            free(fit->classes[i][j].ns);
            free(fit->classes[i][j].bytes);
        }
    }
    return status;
}

enum xs_link_class xs_link_class_of(unsigned direction, unsigned host_kind) {
    bool pageable = host_kind == XS_MEM_PAGEABLE, pinned = host_kind == XS_MEM_PINNED || host_kind == XS_MEM_REGISTERED;
    if (!pageable && !pinned)
        return XS_LINK_CLASSES;
    if (direction == XS_DIR_H2D)
        return pageable ? XS_LINK_H2D_PAGEABLE : XS_LINK_H2D_PINNED;
    if (direction == XS_DIR_D2H)
        return pageable ? XS_LINK_D2H_PAGEABLE : XS_LINK_D2H_PINNED;
    return XS_LINK_CLASSES;
}

uint64_t xs_link_ns(const struct xs_link_model *model, enum xs_link_class class, uint64_t bytes) {
    if (class >= XS_LINK_CLASSES || !model->lines[class].known)
        return 0;
    double ns = model->lines[class].a_ns + model->lines[class].b_ns_per_byte * (double)bytes;
    return ns < 0 ? 0 : ns > 9e18 ? (uint64_t)9e18 : (uint64_t)(ns + 0.5);
}

double xs_link_best_rate(const struct xs_link_model *model, unsigned direction) {
    enum xs_link_class first = direction == XS_DIR_H2D ? XS_LINK_H2D_PAGEABLE : XS_LINK_D2H_PAGEABLE;
    if (direction != XS_DIR_H2D && direction != XS_DIR_D2H)
        return 0;
    double pageable = model->lines[first].best_bytes_per_s, pinned = model->lines[first + 1].best_bytes_per_s;
    return pageable > pinned ? pageable : pinned;
}
