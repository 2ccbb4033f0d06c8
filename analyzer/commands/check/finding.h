/* Holds findings as `xferspy check` sees them: copied out of a reading, with a description of their call sites that
 * holds across builds and machines, to be matched with findings of another run or of a baseline file. */
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
    unsigned detector; /* in a baseline file perhaps one that this version does not have: xs_detector_count */
    unsigned verdict;
    uint32_t site; /* index in the findings' places */
    /* The next fields are of that place, "" if not known. `file` is a name without its folder; for code without lines
     * the library's or the program's. */
    const char *entry_point, *function, *file, *text;
    uint32_t line;                        /* 0: not known */
    uint64_t instances, transfers, bytes; /* totals, including unchecked contents */
    uint64_t saves_ns, least_ns;          /* most and least that it saves */
    /* Holds 95 % intervals by unit: of the instances, the bytes and the largest saving, if they are estimates; else
     * both ends are the number. */
    struct xs_check_range {
        uint64_t low, high;
    } range[XS_METRIC_UNITS];

    unsigned verdicts; /* bits: one verdict, or several that join */

    /* The next fields are about a run only; in a baseline NULL and false. */
    const char *remedy; /* static */
    bool advice;
    bool at_most;  /* its saving is a range */
    bool sure;     /* neither advice, nor a range, nor an unsure verdict */
    bool leads;    /* the first finding of a cause */
    bool folded;   /* too small for a report to list it by itself */
    char *checked; /* "checked 137 of 199"; "" if all were */
    char *amount;  /* "9, 72.0 MiB", "about 199, 1.55 GiB": totals, including unchecked contents */
    char *name;    /* as `explain` takes it */
    char *place;   /* "train.py:42 in step (cuMemcpyHtoD_v2)", escaped for people */
    char *path;    /* path of the source file, the library or the program, as the trace has it */
    bool is_source;
};

struct xs_check_findings {
    struct xs_check_finding *items;
    size_t count;
    struct xs_match_place *places; /* all call sites of the run, those without findings too */
    size_t place_count;
    struct xs_texts texts; /* of the places */
};

/* Copies the findings in ranked order. To be freed. */
void xs_check_findings_of(const struct xs_reading *reading, struct xs_check_findings *findings);
void xs_check_findings_free(struct xs_check_findings *findings);

/* Adds a zeroed finding at the end, at one of the places. */
struct xs_check_finding *xs_check_findings_add(struct xs_check_findings *findings, uint32_t site);
/* Adds a place without findings. Texts are kept. */
void xs_check_findings_add_place(struct xs_check_findings *findings, const struct xs_match_place *place);

/* Sets the ranges to the numbers themselves. */
void xs_check_finding_is_exact(struct xs_check_finding *finding);

/* Says whether there are call sites, but nothing is known of any but its entry point: the run has no stacks. */
bool xs_check_findings_lack_stacks(const struct xs_check_findings *findings);
/* Adds the findings of one kind at one entry point up, as runs with and without stacks are compared. `folded_of` gets
 * for each finding the index of the sum that it is in. To be freed. */
void xs_check_findings_fold(const struct xs_check_findings *findings, struct xs_check_findings *folded,
                            uint32_t *folded_of);

/* Matches the findings of two runs (commands/common/same_finding.h): gives for each finding of `now` the index of the
 * same one in `before`, or XS_UNMATCHED. */
void xs_check_match(const struct xs_check_findings *before, const struct xs_check_findings *now, uint32_t *before_of);

/* Returns 64 bits of the finding's kind and place without the line: equal wherever the line has moved to. */
uint64_t xs_check_finding_hash(const struct xs_check_finding *finding);

#endif
