/* Estimates how many instances a finding has in the run of a ledger; see in_run.h. */
#include "analyzer/findings/engine/in_run.h"

#include <math.h>

#include "analyzer/base/student.h"
#include "analyzer/findings/engine/sample.h"

static uint64_t key_of(unsigned detector, unsigned verdict, uint32_t site) {
    return ((uint64_t)detector << 8 | verdict) << 32 | site;
}

void xs_in_run_transfer(struct xs_in_run_counts *counts, uint32_t site, int64_t part) {
    if (part >= 0)
        ++*xs_hash_put(&counts->transfers, site, (uint64_t)part);
}

void xs_in_run_instance(struct xs_in_run_counts *counts, unsigned detector, unsigned verdict, uint32_t site,
                        int64_t part) {
    if (part >= 0)
        ++*xs_hash_put(&counts->instances, key_of(detector, verdict, site), (uint64_t)part);
}

static uint64_t count_of(const struct xs_hash *hash, uint64_t low, uint64_t high) {
    const uint64_t *count = xs_hash_find(hash, low, high);
    return count ? *count : 0;
}

static uint64_t instances_of(const struct xs_in_run_counts *counts, const struct xs_finding *f, uint64_t part) {
    uint64_t sum = 0;
    if (f->verdict != XS_SEVERAL_VERDICTS)
        return count_of(&counts->instances, key_of(f->detector, f->verdict, f->site), part);
    for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
        sum += count_of(&counts->instances, key_of(f->detector, verdict, f->site), part);
    return sum;
}

/* How many copies of the site the parts have, how many of them are instances, and the spread of the parts. */
struct ratio {
    double copies, instances, squares; /* squares: sum of the squared differences from the mean share */
    size_t parts;                      /* parts that have copies of the site */
};

static struct ratio ratio_of(const struct xs_in_run_counts *counts, const struct xs_finding *f, size_t parts) {
    struct ratio r = {0};
    for (size_t i = 0; i < parts; i++) {
        double copies = (double)count_of(&counts->transfers, f->site, i);
        r.copies += copies;
        r.instances += (double)instances_of(counts, f, i);
        r.parts += copies > 0;
    }
    for (size_t i = 0; i < parts && r.copies > 0; i++) {
        double differs = (double)instances_of(counts, f, i) -
                         r.instances / r.copies * (double)count_of(&counts->transfers, f->site, i);
        r.squares += differs * differs;
    }
    return r;
}

static double clamped(double value, double least, double most) { return fmin(fmax(value, least), most); }

/* The interval contains two others: the one that follows from the differences between the parts, and the one that a
 * share of so few copies has, because parts that are all alike do not differ. If only some of the copies in the parts
 * were checked, the interval is widened by the same factors as the interval of the estimate for the parts (struct
 * xs_sample). */
static void estimate(struct xs_finding *f, const struct ratio *r, double copies) {
    double found = (double)f->instances, part = r->instances / r->copies, low, high, spread = 1;
    double by = f->sample.estimate > found ? f->sample.estimate / found : 1;
    double wider[2] = {f->sample.estimate > 0 ? f->sample.low / f->sample.estimate : 1,
                       f->sample.estimate > 0 ? f->sample.high / f->sample.estimate : 1};
    part = fmin(part * by, 1);
    if (r->parts > 1) {
        double n = (double)r->parts;
        spread = xs_student(r->parts - 1) * by * sqrt(n / (n - 1) * r->squares) / r->copies;
    }
    xs_wilson(part * r->copies, r->copies, &low, &high);
    f->in_run = (struct xs_in_run){.transfers = (uint64_t)(copies + 0.5),
                                   .instances = clamped(part * copies, found, copies),
                                   .low = clamped(fmin(low, part - spread) * wider[0] * copies, found, copies),
                                   .high = clamped(fmax(high, part + spread) * wider[1] * copies, found, copies)};
}

void xs_in_run_estimate(struct xs_findings *findings, const struct xs_in_run_counts *counts,
                        const struct xs_capture_ranges *ranges, uint64_t run_ns) {
    double times = ranges->summed_ns && ranges->summed_ns < run_ns ? (double)run_ns / (double)ranges->summed_ns : 1;
    for (size_t i = 0; i < findings->count; i++) {
        struct xs_finding *f = &findings->items[i];
        uint64_t copies = f->site < findings->at_sites.count ? findings->at_sites.of[f->site].transfers : 0;
        if (!f->sample.is_of_contents || !copies || !f->instances)
            continue;
        struct ratio ratio = ratio_of(counts, f, ranges->count);
        if (ratio.copies > 0)
            estimate(f, &ratio, (double)copies * times);
    }
}

void xs_in_run_free(struct xs_in_run_counts *counts) {
    xs_hash_free(&counts->transfers);
    xs_hash_free(&counts->instances);
}
