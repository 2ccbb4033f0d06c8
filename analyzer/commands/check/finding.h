/* Holds findings as `xferspy check` sees them: copied out of a reading, with a key that holds across builds and
 * machines, to be matched with findings of another run or of a baseline file. */
#ifndef XFERSPY_ANALYZER_CHECK_FINDING_H
#define XFERSPY_ANALYZER_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/totals/summary/metrics.h"

struct xs_reading; /* analyzer/commands/common/reading.h */

struct xs_check_finding {
    /* The next fields are the key: valid UTF-8 of at most XS_CHECK_TEXT_BYTES each, never NULL, "" if not known. `file`
     * is a name without its folder; for code without lines the library's or the program's. */
    char *kind, *entry_point, *function, *file, *text;
    uint32_t line;                        /* 0: not known */
    uint64_t instances, transfers, bytes; /* totals, including unchecked contents */
    uint64_t saves_ns, least_ns;          /* most and least that it saves */
    /* Holds 95 % intervals by unit: of the instances, the bytes and the largest saving, if they are estimates; else
     * both ends are the number. */
    struct xs_check_range {
        uint64_t low, high;
    } range[XS_METRIC_UNITS];

    unsigned verdicts; /* bits: one verdict, or several that join; from a baseline file only if several */

    /* The next fields are about a run only; in a baseline NULL and false. */
    unsigned detector, verdict;
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
};

enum { XS_CHECK_TEXT_BYTES = 4096 };

/* Copies the findings in ranked order. To be freed. */
void xs_check_findings_of(const struct xs_reading *reading, struct xs_check_findings *findings);
void xs_check_findings_free(struct xs_check_findings *findings);

/* Adds a zeroed finding at the end. */
struct xs_check_finding *xs_check_findings_add(struct xs_check_findings *findings);

/* Sets the ranges to the numbers themselves. */
void xs_check_finding_is_exact(struct xs_check_finding *finding);

/* Matches the findings of two runs: gives for each finding of `now` the index of the same one in `before`, or -1 if
 * there is none. Each of `before` is used once. Only findings with equal id, entry point, function and file can match.
 * Findings with the same text and line are matched first, then those with the same text, then those with the same line,
 * then the rest in the order of their lines. So an edited or moved line is still the same place. */
void xs_check_match(const struct xs_check_findings *now, const struct xs_check_findings *before, long *before_of);

/* Returns 64 bits of the key without the line: equal wherever the line has moved to. */
uint64_t xs_check_finding_hash(const struct xs_check_finding *finding);

#endif
