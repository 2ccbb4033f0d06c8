/* The last result of `xferspy try', which is kept beside the trace, for commands that show findings. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_TRIED_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_TRIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/bench/output.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "schema/read/trace.h"

#define XS_TRIED_SUFFIX ".try.json"

/* A comparison of the output with a repair and the unchanged program's output. */
struct xs_tried_output {
    enum xs_output_result result;
    bool exits_differ;
    uint64_t lines, varying; /* of the unchanged program; varying lines differ between its runs and are not compared */
    uint64_t ignored;        /* other lines that were not to be compared */
};

/* What the comparison says about the repair. A gain counts only if the output is the same. */
enum xs_tried_judgement {
    XS_TRIED_SAME,
    XS_TRIED_DIFFERS,
    XS_TRIED_ENDS_OTHERWISE, /* with another exit status or signal */
    XS_TRIED_NOT_COMPARED,   /* no line could be compared */
};

enum xs_tried_change { XS_TRIED_FASTER, XS_TRIED_SLOWER, XS_TRIED_CANNOT_TELL };

struct xs_tried_item {
    char *finding;                     /* the finding's name; NULL: all repairs together */
    int64_t delta_ns, low_ns, high_ns; /* how much longer the program takes with the repair, with its interval */
    uint64_t before_ns;                /* median time without it; of a loop if that was measured */
    uint64_t runs;                     /* of each side */
    uint64_t tried, causes;            /* for all repairs together: how many causes were tried, and how many there
                                        * are */
    char *only;                        /* "1,3": causes that were tried because only they were asked for; else NULL */
    bool is_partly;                    /* some verdicts of the finding were not tried */
    struct xs_tried_output output;
};

struct xs_tried {                /* zeroed: nothing was tried */
    struct xs_tried_item *items; /* the measured ones */
    size_t count;
};

/* Reads the result that is kept beside the trace. Gives nothing and says nothing if there is no such file, or if it
 * belongs to another user or to another trace of that name, or is damaged. To be freed. */
void xs_tried_read(struct xs_tried *tried, const struct xs_trace *trace);
void xs_tried_free(struct xs_tried *tried);

/* The result for a finding, by its index, or with SIZE_MAX for all together; NULL: it was not tried. */
const struct xs_tried_item *xs_tried_of(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                        size_t index);

/* The result for a cause, from the first of its findings that was tried; NULL: none was. */
const struct xs_tried_item *xs_tried_of_cause(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                              const struct xs_cause *cause);

/* Adds "tried: saves 138 ms (131 ms to 145 ms) of 392 ms, 9 runs each, output the same". A slower program is "slower
 * by 12.0 ms (10.0 ms to 14.0 ms)". If the runs do not show a change: "no clear change (2.00 ms less to 3.00 ms
 * more)". */
void xs_tried_say(struct xs_string *text, const struct xs_tried_item *item);
/* Add two parts of it: "saves 138 ms", and "(131 ms to 145 ms) of 392 ms, 9 runs each, output the same". */
void xs_tried_say_change(struct xs_string *text, const struct xs_tried_item *item);
void xs_tried_say_rest(struct xs_string *text, const struct xs_tried_item *item);

enum xs_tried_judgement xs_tried_judge(const struct xs_tried_output *output);
/* Adds "output the same", "output the same but for 2 lines that vary", or "output not compared". */
void xs_tried_say_output(struct xs_string *text, const struct xs_tried_output *output);

/* Writes "tried": the results; null if there are none. */
void xs_tried_json(struct xs_json *json, const struct xs_tried *tried);

#endif
