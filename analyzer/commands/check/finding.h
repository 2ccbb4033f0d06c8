/* Holds copies of a reading's findings, which `xferspy check` judges. Their call sites are described so that they can
 * be matched with the call sites of another run or of a baseline file, even from other builds and machines. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_FINDING_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/commands/common/same_finding.h"
#include "analyzer/totals/summary/metrics.h"

struct xs_reading; /* analyzer/commands/common/reading.h */

struct xs_check_finding {
    char *kind;        /* "noop-upload", "round-trip/same-device" */
    unsigned detector; /* xs_detector_count if a baseline file has a detector that this version does not have */
    unsigned verdict;
    uint32_t site; /* index in the findings' places */
    /* The next fields describe this place; "" if not known. `file` is a name without its folder; for code without
     * source lines, the name of the library or the program. */
    const char *entry_point, *function, *file, *text;
    uint32_t line;                        /* 0: not known */
    uint64_t instances, transfers, bytes; /* totals, with an estimate for the copies that were not checked */
    uint64_t saves_ns, least_ns;          /* largest and least saving */
    /* The 95 % intervals, by unit: of the number of instances, of the bytes, and of the largest saving. If a number is
     * no estimate, both ends are the number. */
    struct xs_check_interval {
        uint64_t low, high;
    } interval[XS_METRIC_UNITS];

    unsigned verdicts; /* bits by verdict: one verdict, or several that are joined in this finding */

    /* The next fields are set for a run only; in a baseline they are NULL or false. */
    const char *remedy; /* static */
    bool advice;
    bool at_most;  /* the saving is an interval */
    bool sure;     /* it is certain that the finding costs time: it is no advice, its saving is not an interval, and its
                    * verdict depends only on what the trace shows */
    bool leads;    /* the first finding of a cause */
    bool folded;   /* so small that a report does not list it separately */
    char *checked; /* "checked 137 of 199"; "" if all copies were checked */
    char *amount;  /* "9, 72.0 MiB", "about 199, 1.55 GiB": the totals; "about" if a part of them is an estimate */
    char *name;    /* as `explain` accepts it */
    char *place;   /* "train.py:42 in step (cuMemcpyHtoD_v2)", escaped for people */
    char *path;    /* path of the source file, the library or the program, as the trace has it */
    bool is_source;
};

struct xs_check_findings {
    struct xs_check_finding *items;
    size_t count;
    struct xs_match_place *places; /* all call sites of the run, also those without findings */
    size_t place_count;
    struct xs_texts texts; /* the texts of the places */
};

/* Copies the findings, sorted by rank. The caller frees them. */
void xs_check_findings_of(const struct xs_reading *reading, struct xs_check_findings *findings);
void xs_check_findings_free(struct xs_check_findings *findings);

/* Adds a finding at the end. `site` is the index of its place, which is described in it; all else is zeroed. */
struct xs_check_finding *xs_check_findings_add(struct xs_check_findings *findings, uint32_t site);
/* Adds a place without findings. Keeps copies of the texts. */
void xs_check_findings_add_place(struct xs_check_findings *findings, const struct xs_match_place *place);

/* Sets each interval of the finding so that both its ends are the number itself. */
void xs_check_finding_is_exact(struct xs_check_finding *finding);

/* True if there are call sites, but only their entry points are known, because the run has no stacks. */
bool xs_check_findings_lack_stacks(const struct xs_check_findings *findings);
/* Sums up the findings of the same kind at the same entry point, so that runs with and without stacks can be compared.
 * Sets `folded_of`, for each finding, to the index of its sum in `folded`. The caller frees `folded`. */
void xs_check_findings_fold(const struct xs_check_findings *findings, struct xs_check_findings *folded,
                            uint32_t *folded_of);

/* Matches the findings of two runs (commands/common/same_finding.h): sets `before_of`, for each finding of `now`, to
 * the index of the same finding in `before`, or to XS_UNMATCHED. */
void xs_check_match(const struct xs_check_findings *before, const struct xs_check_findings *now, uint32_t *before_of);

/* Returns a 64-bit hash of the finding's kind and place. It does not contain the line number, so it stays the same when
 * lines move. */
uint64_t xs_check_finding_hash(const struct xs_check_finding *finding);

#endif
