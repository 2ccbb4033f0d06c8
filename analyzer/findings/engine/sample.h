/* Estimates, from the copies with known contents, how many copies of a call site are instances of a finding. Each
 * estimate has an interval. Mode `auto` looks only at a sample of the copies (preload/fingerprint/sampler.h).
 *
 * A copy counts as checked if a detector could decide about it only because the random sample chose it. A copy may also
 * have a fingerprint only because the fingerprint of another copy was taken. Such a copy can be an instance, too, but
 * it does not represent other copies. Checked copies are counted in cells. Copies in one cell have the same detector,
 * site, size class (a power of two) and situation. A situation is a property that is known of every copy, also without
 * its content. The sampling rate changes during a run, so each cell is divided into blocks of copies in host order, and
 * a checked copy represents the copies of its block. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_SAMPLE_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_SAMPLE_H

#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/findings_build.h"

/* Only the first XS_SAMPLE_GROUPS pairs of a site and a size class, in host order, have cells. No real program has
 * more, but a forged trace could otherwise make the analysis take gigabytes. For copies without a cell nothing is
 * estimated; only the instances that were found are counted. */
enum { XS_SAMPLE_GROUPS = 16384 };

enum { XS_SAMPLE_BLOCK = 16, XS_SAMPLE_LEAST = 8, XS_SAMPLE_CENSUS = 4 };

/* A block has consecutive copies. All of them had about the same chance to be chosen. */
struct xs_sample_block {
    uint64_t of; /* number of copies that were checked or that the sample left out */
    uint32_t checked;
    uint32_t hits[XS_VERDICTS];
    double of_ns, checked_ns;   /* time of all copies of the block; time of the checked copies */
    double ns[XS_VERDICTS];     /* time that the remedy would remove from the hits */
    double hit_ns[XS_VERDICTS]; /* total time of the hits */
};

struct xs_sample_cell {
    unsigned detector;
    uint32_t site;
    uint64_t of, checked, unknown;
    uint64_t hits[XS_VERDICTS];
    double estimate[XS_VERDICTS], ns[XS_VERDICTS];       /* sums over the blocks that ended */
    double sampled_of, sampled_checked, sampled_squares; /* sums over the ended blocks in which not all copies were
                                                          * checked; squares: sum of of^2 / checked */
    double sampled[XS_VERDICTS];                         /* the part of `estimate` in these blocks */
    double left, left_ns; /* copies of the ended blocks that the sample left out, and their time */
    double left_hits[XS_VERDICTS], left_hit_ns[XS_VERDICTS]; /* estimated number of instances among these copies, and
                                                              * their time */
    struct xs_sample_block held, open; /* held: the block that was completed last, which is not yet in the sums; open:
                                        * the block to which copies are being added */
    uint64_t unseen, unseen_downloads, unseen_bytes, unseen_ns; /* copies whose contents were not checked because of
                                                                 * the sample, or because the budget did not suffice */
};

struct xs_samples {
    struct xs_hash groups; /* by site and size class: struct xs_sample_group */
    struct xs_pool cell_pool;
    struct xs_sample_group *latest; /* the group of the current transfer */
    uint32_t latest_site, latest_class;
    struct xs_sample_cell *current; /* the cell of the copy that was added last, if that copy was checked; else NULL */
    double current_ns;              /* time of that copy */
};

/* Adds a copy. `drawn` says if the detector could decide about the copy (CHECKED), if the sample left the copy out, or
 * if the detector could not decide for another reason. */
void xs_samples_add(struct xs_samples *samples, unsigned detector, const struct xs_trace_event *event,
                    unsigned situation, enum xs_drawn drawn);

/* Records that the copy that was added last is an instance. */
void xs_samples_hit(struct xs_samples *samples, unsigned detector, const struct xs_instance *instance);

/* Writes the cells' results into the findings, and adds the copies that no checked copy represents. */
void xs_samples_finish(struct xs_samples *samples, struct xs_findings_builder *builder);
void xs_samples_free(struct xs_samples *samples);

/* Computes the 95 % interval (Wilson) of a share with `hits` in `checked`; both may be fractions. `checked` is above 0.
 */
void xs_wilson(double hits, double checked, double *low, double *high);

#endif
