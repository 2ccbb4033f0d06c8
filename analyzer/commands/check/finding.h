/* Findings as `xferspy check` sees them: copied out of a reading, with a key that holds across builds and machines, so
 * that they can be matched with those of another run or of a baseline file. */
#ifndef XFERSPY_ANALYZER_CHECK_FINDING_H
#define XFERSPY_ANALYZER_CHECK_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/totals/summary/metrics.h"

struct xs_reading; /* analyzer/commands/common/reading.h */

struct xs_check_finding {
    /* The key: valid UTF-8 of at most XS_CHECK_TEXT_BYTES each, never NULL, "" where not known. `file` is a name
     * without its folder, of code without lines the library's or the program's. */
    char *kind, *entry_point, *function, *file, *text;
    uint32_t line;                        /* 0: not known */
    uint64_t instances, transfers, bytes; /* in all, also where not all contents were checked */
    uint64_t gives_back_ns, least_ns;     /* what it saves at most, and at least */
    /* The 95 % intervals of the instances, the bytes and what it saves at most, by unit: of an estimate; else both ends
     * are that number. */
    struct xs_check_range {
        uint64_t low, high;
    } range[XS_METRIC_UNITS];

    unsigned verdicts; /* bits: one, or several that join; of a baseline file those of several alone */

    /* Of a run only; in a baseline NULL and false. */
    unsigned detector, verdict;
    const char *remedy; /* static */
    bool advice;
    bool at_most;  /* what it saves is a range */
    bool sure;     /* neither advice nor a range nor with an unsure verdict */
    bool leads;    /* the first finding of a cause */
    bool folded;   /* too small for a report to list it by itself */
    char *checked; /* "checked 137 of 199", "" where all were */
    char *amount;  /* "9, 72.0 MiB", "about 199, 1.55 GiB": in all, also where not all were checked */
    char *name;    /* as `explain` takes it */
    char *place;   /* "train.py:42 in step (cuMemcpyHtoD_v2)", escaped for people */
    char *path;    /* of the source file, of the library or of the program; as the trace has it */
    bool is_source;
};

struct xs_check_findings {
    struct xs_check_finding *items;
    size_t count;
};

enum { XS_CHECK_TEXT_BYTES = 4096 };

/* In ranked order. To be freed. */
void xs_check_findings_of(const struct xs_reading *reading, struct xs_check_findings *findings);
void xs_check_findings_free(struct xs_check_findings *findings);

/* A new one at the end, zeroed. */
struct xs_check_finding *xs_check_findings_add(struct xs_check_findings *findings);

/* Sets the ranges to the numbers themselves. */
void xs_check_finding_is_exact(struct xs_check_finding *finding);

/* Matches the findings of two runs: gives for each finding of `now` the index of the same one in `before`, or -1 if
 * there is none. Each of `before` is used once. Only findings with equal id, entry point, function and file can match.
 * Among these, findings with the same text and line are matched first, then those with the same text, then those with
 * the same line, then the rest in the order of their lines. So a line that was edited or moved is still the same
 * place. */
void xs_check_match(const struct xs_check_findings *now, const struct xs_check_findings *before, long *before_of);

/* 64 bits of the key without the line: the same wherever the line has moved to. */
uint64_t xs_check_finding_hash(const struct xs_check_finding *finding);

#endif
