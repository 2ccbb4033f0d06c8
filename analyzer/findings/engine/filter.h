/* Which transfers a command is asked about: by time, step, direction, size, stream, device, thread, call site, NVTX
 * range; and which findings. First the findings are made from the whole trace; then selection.h decides row by row what
 * passes. */
#ifndef XFERSPY_ANALYZER_ENGINE_FILTER_H
#define XFERSPY_ANALYZER_ENGINE_FILTER_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* A moment of the run: so long after its start, or after that share of it. */
struct xs_moment {
    bool given, is_share;
    int64_t ns;
    double share; /* 0 to 1 */
};

/* Words of one option; one of them has to fit. They point into the command line. */
struct xs_filter_words {
    char **items; /* each ends at a NUL; NULL: the option was not given */
    size_t count;
};

/* If all of it is zero, everything passes. If an option has several words, one of them has to fit. If there are several
 * options, all of them have to fit. */
struct xs_filter {
    struct xs_moment since, until; /* of the call's beginning: from, and before */
    unsigned directions;           /* bits by enum xs_direction; 0: any */
    bool has_min_bytes, has_max_bytes;
    uint64_t min_bytes, max_bytes;
    uint64_t skip_steps,
        steps; /* of the run's steps (analyzer/findings/steps): so many not, and then so many; 0: all */
    struct xs_filter_words streams, devices, threads, sites, ranges;
    long detector, verdict; /* one more than the index; 0: any */
};

/* For a command's argp children; its input is a zeroed struct xs_filter, to be freed. */
extern const struct argp xs_filter_argp;
#define XS_FILTER_CHILD                                                                                                \
    { &xs_filter_argp, 0, NULL, 0 }

/* The options as a struct, without a command line: one at a time, "direction" and "h2d,d2h". Returns NULL, or what is
 * wrong with the value, as a sentence's second half ("use ..."), to be freed. */
char *xs_filter_set(struct xs_filter *filter, const char *option, const char *value);
void xs_filter_free(struct xs_filter *filter);

/* Nothing was asked for: everything passes. */
bool xs_filter_is_empty(const struct xs_filter *filter);
/* Only transfers can pass; what is about an allocation, a wait or a memset alone is left out. */
bool xs_filter_is_of_transfers(const struct xs_filter *filter);
/* Calls of certain steps of the run are asked for. */
static inline bool xs_filter_chooses_steps(const struct xs_filter *filter) {
    return filter->skip_steps || filter->steps;
}
/* Some rows may not pass; else only findings are chosen. */
bool xs_filter_chooses_rows(const struct xs_filter *filter);

/* Whether instances of a detector's verdict are asked for. */
static inline bool xs_filter_wants(const struct xs_filter *filter, unsigned detector, unsigned verdict) {
    return (!filter->detector || (unsigned long)filter->detector - 1 == detector) &&
           (!filter->verdict || (unsigned long)filter->verdict - 1 == verdict);
}

/* "direction h2d, at least 64.0 KiB, from 1.50 s on"; as given, not escaped. Nothing where it is empty. */
void xs_filter_text(struct xs_string *text, const struct xs_filter *filter);

/* Whether a word fits a text: with * ? [ as a pattern for all of it, else anywhere in it; a number at the word's end is
 * not the beginning of a longer one. NULL fits nothing. */
bool xs_filter_fits(const char *word, const char *text);

#endif
