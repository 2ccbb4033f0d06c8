/* Says in plain sentences what capture knows that it left out of a trace. The section Coverage of the text report and
 * of Markdown, the page and JSON share them. */
#ifndef XFERSPY_ANALYZER_WORDS_LEFT_OUT_H
#define XFERSPY_ANALYZER_WORDS_LEFT_OUT_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary.h"

enum xs_left_out {
    XS_LEFT_DROPPED, /* no room in the spool */
    XS_LEFT_NESTED,  /* inside another call */
    XS_LEFT_JUMPED,  /* never returned */
    XS_LEFT_DAMAGED, /* events of a spool that could not be read */
    XS_LEFT_RECORDS, /* by CUPTI */
    XS_LEFT_STACKS,  /* transfers without a call site */
    XS_LEFT_OUTSIDE, /* outside the parts of the run that the user requested */
    XS_LEFT_NEWER,   /* functions of the driver that xferspy does not know */
    XS_LEFT_OUT_COUNT
};

/* The name of a kind in JSON. */
extern const char *const xs_left_out_names[XS_LEFT_OUT_COUNT];

/* Appends how much of the run was recorded, if that was a part: "2.00 s of 10.0 s were looked at"; or that nothing was
 * recorded. */
void xs_looked_at_say_briefly(const struct xs_summary *summary, struct xs_string *text);

/* Appends this as a sentence, and what it means for the rest. */
void xs_looked_at_say(const struct xs_summary *summary, struct xs_string *text);

/* Returns how many of a kind were left out, and appends the sentence with that number to `text`. 0: none, and nothing
 * is appended. */
uint64_t xs_left_out_say(const struct xs_summary *summary, enum xs_left_out kind, struct xs_string *text);

/* Writes the keys "called" and "looked_up" into the open object: names of the functions of XS_LEFT_NEWER. */
void xs_newer_functions_json(const struct xs_trace *trace, struct xs_json *json);

#endif
