/* A filter says which transfers a command shows (by time, step, direction, size, stream, device, thread, call site,
 * NVTX range), and which findings. Findings are always made from the whole trace; then selection.h decides for each row
 * if it passes. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_FILTER_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_FILTER_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/text.h"

/* A point in time of the run: either a time after the start of the run, or a share of the run's duration. */
struct xs_moment {
    bool given, is_share;
    int64_t ns;
    double share; /* 0 to 1 */
};

/* The words of one option. At least one of them must fit. They point into the command line. */
struct xs_filter_words {
    char **items; /* each ends at a NUL; NULL: the option was not given */
    size_t count;
};

/* An empty (zeroed) filter lets everything pass. If an option has several words, at least one of them must fit. If
 * several options are given, all of them must fit. */
struct xs_filter {
    struct xs_moment since, until; /* the call must begin at `since` or later, and before `until` */
    unsigned directions;           /* bits by enum xs_direction; 0: any */
    bool has_min_bytes, has_max_bytes;
    uint64_t min_bytes, max_bytes;
    uint64_t skip_steps, steps; /* skip_steps: number of steps of the run (analyzer/findings/steps) that are skipped;
                                 * steps: number of steps that are shown after these, 0: all */
    struct xs_filter_words streams, devices, threads, sites, ranges;
    long detector, verdict; /* index plus 1; 0: any */
};

/* Parses the options, as one of a command's argp children. The input is a zeroed struct xs_filter, which must be freed.
 */
extern const struct argp xs_filter_argp;
#define XS_FILTER_CHILD                                                                                                \
    { &xs_filter_argp, 0, NULL, 0 }

/* Sets one option without a command line, such as "direction" to "h2d,d2h". Returns NULL after success. Otherwise,
 * returns the second half of a sentence that says what is wrong with the value; the caller frees it. */
char *xs_filter_set(struct xs_filter *filter, const char *option, const char *value);
void xs_filter_free(struct xs_filter *filter);

/* True if the filter is empty, so that everything passes. */
bool xs_filter_is_empty(const struct xs_filter *filter);
/* True if only transfers can pass. With such a filter, instances about an allocation, a wait or a memset do not pass.
 */
bool xs_filter_is_of_transfers(const struct xs_filter *filter);
/* True if the filter chooses certain steps of the run. */
static inline bool xs_filter_chooses_steps(const struct xs_filter *filter) {
    return filter->skip_steps || filter->steps;
}
/* True if the filter may exclude rows; false if it only chooses findings. */
bool xs_filter_chooses_rows(const struct xs_filter *filter);

/* True if the filter chooses instances of this detector's verdict. */
static inline bool xs_filter_wants(const struct xs_filter *filter, unsigned detector, unsigned verdict) {
    return (!filter->detector || (unsigned long)filter->detector - 1 == detector) &&
           (!filter->verdict || (unsigned long)filter->verdict - 1 == verdict);
}

/* Writes a filter as text, such as "direction h2d, at least 64.0 KiB, from 1.50 s on". Words are as the user gave them,
 * not escaped. Writes nothing for an empty filter. */
void xs_filter_text(struct xs_string *text, const struct xs_filter *filter);

/* True if a word fits a text. A word with * ? [ is a pattern for the whole text; any other word must occur in the text.
 * A number at the word's end does not match the beginning of a longer number. NULL fits nothing. */
bool xs_filter_fits(const char *word, const char *text);

#endif
