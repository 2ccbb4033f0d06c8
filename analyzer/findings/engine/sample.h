/* Estimates from copies with known contents how many copies of a call site are instances of a finding, with an
 * interval. Mode `auto` looks at a sample of the copies only (preload/fingerprint/sampler.h).
 *
 * A copy counts as checked if a detector could decide about it, and chance alone made that possible. Copies that
 * were looked at because another one was are instances like others, but say nothing about the rest. Checked copies
 * are counted in cells: detector, site, size to a power of two, and a situation that is known of all copies. The
 * chance changes during a run, so a cell is a row of blocks in host order, and a checked copy stands for the copies
 * of its block. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_SAMPLE_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_SAMPLE_H

#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/findings_build.h"

enum { XS_SAMPLE_BLOCK = 16, XS_SAMPLE_LEAST = 8, XS_SAMPLE_CENSUS = 4 };

/* A block is consecutive copies that all have about the same chance. */
struct xs_sample_block {
    uint64_t of; /* copies that were checked, or left out by chance */
    uint32_t checked;
    uint32_t hits[XS_VERDICTS];
    double of_ns, checked_ns;   /* time of all these copies, and of the checked ones */
    double ns[XS_VERDICTS];     /* time that the hits give back */
    double hit_ns[XS_VERDICTS]; /* time that the hits took */
};

struct xs_sample_cell {
    unsigned detector;
    uint32_t site;
    uint64_t of, checked, unknown;
    uint64_t hits[XS_VERDICTS];
    double estimate[XS_VERDICTS], ns[XS_VERDICTS]; /* of the blocks that ended */
    double sampled_of, sampled_checked,
        sampled_squares;         /* of the ended blocks that are no census; squares: sum of of^2 / checked */
    double sampled[XS_VERDICTS]; /* the part of `estimate` in these blocks */
    double left, left_ns;        /* in the blocks that ended: copies that chance left out, and their time */
    double left_hits[XS_VERDICTS], left_hit_ns[XS_VERDICTS]; /* instances among them, as estimated */
    struct xs_sample_block held, open;                       /* the block that ended last, and the block that grows */
    uint64_t unseen, unseen_downloads, unseen_bytes,
        unseen_ns; /* copies that nobody looked at: by chance, or for lack of budget */
};

struct xs_samples {
    struct xs_hash groups; /* site and class of size to struct group */
    struct xs_pool group_pool, cell_pool;
    struct xs_sample_group *latest; /* of the current transfer */
    uint32_t latest_site, latest_class;
    struct xs_sample_cell *current; /* the cell of an instance that is reported now; NULL: none */
    double current_ns;              /* time of that instance's copy */
};

/* Adds a copy: the detector could decide about it (`drawn` CHECKED), chance left it out, or it was undecidable anyway.
 */
void xs_samples_add(struct xs_samples *samples, unsigned detector, const struct xs_trace_event *event,
                    unsigned situation, enum xs_drawn drawn);

/* Says that the copy that was added last is an instance. */
void xs_samples_hit(struct xs_samples *samples, unsigned detector, const struct xs_instance *instance);

/* Writes the cells' results into the findings, and adds the copies that no checked copy stands for. */
void xs_samples_finish(struct xs_samples *samples, struct xs_findings_builder *builder);
void xs_samples_free(struct xs_samples *samples);

/* Computes the 95 % interval (Wilson) of a share with `hits` in `checked`; both may be fractions. `checked` is above 0.
 */
void xs_wilson(double hits, double checked, double *low, double *high);

#endif
