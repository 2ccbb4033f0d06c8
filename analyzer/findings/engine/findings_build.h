/* Collects instances into findings while the analysis runs; for analyse.c and detection.c. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_FINDINGS_BUILD_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_FINDINGS_BUILD_H

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/findings.h"

struct xs_findings_builder {
    struct xs_hash items; /* maps a detector, verdict and site to a struct xs_finding */
    struct xs_undecided *undecided;
    size_t undecided_count, undecided_capacity;
    size_t last_undecided;
    struct xs_unchecked *unchecked; /* in any order; the same site and detector may occur several times */
    size_t unchecked_count, unchecked_capacity;
    struct xs_by_chance *left_out; /* by detector */
};

void xs_findings_add(struct xs_findings_builder *builder, unsigned detector, const struct xs_instance *instance);
void xs_findings_undecided(struct xs_findings_builder *builder, unsigned detector, const char *reason);
void xs_findings_unchecked(struct xs_findings_builder *builder, const struct xs_unchecked *unchecked);

/* Moves everything to `findings`, joins and ranks the findings, and empties the builder. `recorded` of `findings` must
 * be set. */
void xs_findings_finish(struct xs_findings_builder *builder, struct xs_findings *findings, bool fold_nothing);
/* Joins findings that differ only in the verdict, if the detector has verdicts_join. Then ranks the findings again. */
void xs_findings_join(struct xs_findings *findings);
void xs_findings_discard(struct xs_findings_builder *builder);

#endif
