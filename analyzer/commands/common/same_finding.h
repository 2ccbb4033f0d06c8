/* Says which finding of one run is which of another, by one rule for `diff`, `check` and `try`: the call sites of the
 * runs are matched first (match.h), and a finding is the one of its kind at the matched call site. A live analysis, a
 * baseline file and another trace give the same description, so all of them have the same answer. docs/use/diff.md has
 * the rule. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_SAME_FINDING_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_SAME_FINDING_H

#include "analyzer/base/interned.h"
#include "analyzer/commands/common/match.h"

struct xs_diagnosis; /* analyzer/savings/causes/diagnosis.h */

/* The call sites of one trace: all that have findings or transfers, and all other lines of the program that call the
 * driver, because they show how code moved. */
struct xs_match_sites {
    struct xs_match_place *places;
    uint32_t *sites; /* by index of places: the site's number in the trace */
    size_t count, capacity;
    uint32_t *place_of; /* by site number: index in places; XS_UNMATCHED: not among them */
    size_t site_limit;  /* number of site numbers; those of findings are less */
};

/* Describes the call sites of a trace. Their texts are kept in `texts`: they are valid UTF-8, so a baseline
 * file gives back what was written. To be freed. */
void xs_match_sites_of(const struct xs_diagnosis *diagnosis, struct xs_texts *texts, struct xs_match_sites *sites);
void xs_match_sites_free(struct xs_match_sites *sites);

/* What is compared of a finding: its call site, by index in its run's places, and its kind. A detector that this
 * version does not have is xs_detector_count. */
struct xs_match_finding {
    uint32_t place;
    unsigned detector, verdict;
};

/* Returns a detector and a verdict as one number, by which findings are compared: equal for verdicts that join. */
uint64_t xs_match_kind(unsigned detector, unsigned verdict);

/* The findings of a run in their order, at the places of xs_match_sites_of. To be freed. */
struct xs_match_finding *xs_match_findings_of(const struct xs_diagnosis *diagnosis, const struct xs_match_sites *sites);

/* Matches the findings of two runs whose places are matched. Sets `after_of` by index of `before`, and `before_of` by
 * index of `after`: the index on the other side, or XS_UNMATCHED. No finding is matched to two others. Verdicts are
 * equal, or both are of a detector whose verdicts join. With `any_verdict` findings that are left over then match with
 * another verdict, too: one of the traces may have been able to prove less. */
void xs_match_findings(const struct xs_match *places, const struct xs_match_finding *before, size_t before_count,
                       const struct xs_match_finding *after, size_t after_count, bool any_verdict, uint32_t *after_of,
                       uint32_t *before_of);

#endif
