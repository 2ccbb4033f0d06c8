/* A filter says which transfers a command is asked about (by time, step, direction, size, stream, device, thread, call
 * site, NVTX range), and which findings. The findings are made from the whole trace; then selection.h decides row by
 * row what passes. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_FILTER_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_FILTER_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* A moment of the run: a time after its start, or a share of the run. */
struct xs_moment {
    bool given, is_share;
    int64_t ns;
    double share; /* 0 to 1 */
};

/* Words of one option; one of them must fit. They point into the command line. */
struct xs_filter_words {
    char **items; /* each ends at a NUL; NULL: the option was not given */
    size_t count;
};

/* An empty (zeroed) filter lets everything pass. Of several words of one option, one must fit. Of several options, all
 * must fit. */
struct xs_filter {
    struct xs_moment since, until; /* bounds of the call's beginning: from, and before */
    unsigned directions;           /* bits by enum xs_direction; 0: any */
    bool has_min_bytes, has_max_bytes;
    uint64_t min_bytes, max_bytes;
    uint64_t skip_steps,
        steps; /* steps of the run (analyzer/findings/steps): how many to skip, and how many to take; 0: all */
    struct xs_filter_words streams, devices, threads, sites, ranges;
    long detector, verdict; /* index plus 1; 0: any */
};

/* Parses the options, as one of a command's argp children. The input is a zeroed struct xs_filter, which must be freed.
 */
extern const struct argp xs_filter_argp;
#define XS_FILTER_CHILD                                                                                                \
    { &xs_filter_argp, 0, NULL, 0 }

/* Sets one option without a command line, such as "direction" to "h2d,d2h". Returns NULL, or what is wrong with the
 * value, as the second half of a sentence, to be freed. */
char *xs_filter_set(struct xs_filter *filter, const char *option, const char *value);
void xs_filter_free(struct xs_filter *filter);

/* Says whether the filter is empty: everything passes. */
bool xs_filter_is_empty(const struct xs_filter *filter);
/* Says whether only transfers can pass; instances about an allocation, a wait or a memset alone do not pass then. */
bool xs_filter_is_of_transfers(const struct xs_filter *filter);
/* Says whether certain steps of the run are requested. */
static inline bool xs_filter_chooses_steps(const struct xs_filter *filter) {
    return filter->skip_steps || filter->steps;
}
/* Says whether some rows may not pass; else only findings are chosen. */
bool xs_filter_chooses_rows(const struct xs_filter *filter);

/* Says whether instances of a detector's verdict are requested. */
static inline bool xs_filter_wants(const struct xs_filter *filter, unsigned detector, unsigned verdict) {
    return (!filter->detector || (unsigned long)filter->detector - 1 == detector) &&
           (!filter->verdict || (unsigned long)filter->verdict - 1 == verdict);
}

/* Writes "direction h2d, at least 64.0 KiB, from 1.50 s on"; words as given, not escaped. Writes nothing for an empty
 * filter. */
void xs_filter_text(struct xs_string *text, const struct xs_filter *filter);

/* Says whether a word fits a text: with * ? [ as a pattern for all of it, else anywhere in it. A number at the word's
 * end does not match the beginning of a longer number. NULL fits nothing. */
bool xs_filter_fits(const char *word, const char *text);

#endif
