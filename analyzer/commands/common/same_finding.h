/* Finds out which findings of two runs are the same finding, by one rule for `diff`, `check` and `try`. First the call
 * sites of the runs are matched (match_sites.h). Two findings are the same if they are of the same kind, at call sites
 * that match. A live analysis, a baseline file and another trace describe findings in the same way, so the result is
 * the same for all of them. docs/use/diff.md has the rule. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_SAME_FINDING_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_SAME_FINDING_H

#include "analyzer/base/interned.h"
#include "analyzer/commands/common/match_sites.h"

struct xs_diagnosis; /* analyzer/savings/causes/diagnosis.h */

/* The call sites of one trace: those with findings or transfers, and also all other lines of the program that call the
 * driver, because these lines show how code moved. */
struct xs_match_sites {
    struct xs_match_place *places;
    uint32_t *sites; /* by index in `places`: the site's number in the trace */
    size_t count, capacity;
    uint32_t *place_of; /* by site number: index in `places`, or XS_UNMATCHED if the site is not in it */
    size_t site_limit;  /* length of `place_of`; the site numbers of all findings are lower */
};

/* Describes the call sites of a trace. `texts` keeps their texts. The texts are made valid UTF-8, so that reading them
 * from a baseline file gives the same texts. The caller frees `sites`. */
void xs_match_sites_of(const struct xs_diagnosis *diagnosis, struct xs_texts *texts, struct xs_match_sites *sites);
void xs_match_sites_free(struct xs_match_sites *sites);

/* The properties of a finding that are compared: its call site, as an index in the places of the run, and its kind.
 * `detector` is xs_detector_count for a detector that this version does not have. */
struct xs_match_finding {
    uint32_t place;
    unsigned detector, verdict;
};

/* Returns a number for a detector and a verdict, by which findings are compared. The number is equal for verdicts that
 * are joined in one finding. */
uint64_t xs_match_kind(unsigned detector, unsigned verdict);

/* Returns the findings of a run, in their order; `place` is an index in the places of `sites`. The caller frees the
 * array. */
struct xs_match_finding *xs_match_findings_of(const struct xs_diagnosis *diagnosis, const struct xs_match_sites *sites);

/* Matches the findings of two runs whose places are matched. `after_of` gets, for each index of `before`, the index of
 * the matched finding in `after`, or XS_UNMATCHED. `before_of` gets, for each index of `after`, the index in `before`.
 * No finding is matched to two others. Matched findings have equal verdicts, or verdicts that are joined in one
 * finding. If `any_verdict` is true, the remaining findings are then matched even if their verdicts differ, because one
 * of the traces may prove less than the other. */
void xs_match_findings(const struct xs_match *places, const struct xs_match_finding *before, size_t before_count,
                       const struct xs_match_finding *after, size_t after_count, bool any_verdict, uint32_t *after_of,
                       uint32_t *before_of);

#endif
