/* Says in plain sentences what is missing in a trace, as far as capture noticed. The text report and Markdown (section
 * Coverage), the page and JSON share these sentences. */
#ifndef XFERSPY_ANALYZER_WORDS_LEFT_OUT_H
#define XFERSPY_ANALYZER_WORDS_LEFT_OUT_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary.h"

enum xs_left_out {
    XS_LEFT_DROPPED, /* calls dropped because the spool had no room */
    XS_LEFT_NESTED,  /* calls inside another call */
    XS_LEFT_JUMPED,  /* calls that never returned */
    XS_LEFT_DAMAGED, /* events of a spool that could not be read */
    XS_LEFT_RECORDS, /* records that CUPTI dropped */
    XS_LEFT_STACKS,  /* transfers without a call site */
    XS_LEFT_OUTSIDE, /* calls outside the parts of the run that the user requested */
    XS_LEFT_NEWER,   /* functions of the driver that xferspy does not know */
    XS_LEFT_OUT_COUNT
};

/* The names of the kinds in JSON. */
extern const char *const xs_left_out_names[XS_LEFT_OUT_COUNT];

/* Returns how many calls or records of this kind were left out, and appends a sentence with this number to `text`. If
 * the number is 0, the function appends nothing. */
uint64_t xs_left_out_say(const struct xs_summary *summary, enum xs_left_out kind, struct xs_string *text);

/* Writes the keys "called" and "looked_up" into the open object: names of the functions of XS_LEFT_NEWER. */
void xs_newer_functions_json(const struct xs_trace *trace, struct xs_json *json);

#endif
