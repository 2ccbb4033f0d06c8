/* Reads the last result of `xferspy try`, a file in the folder of the trace, for commands that show findings. */
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

/* Compares the output of the program with a repair to the output of the unchanged program. */
struct xs_tried_output {
    enum xs_output_result result;
    bool exits_differ;
    uint64_t lines, varying; /* lines of the output of the unchanged program; varying lines differ between its runs and
                                are not compared */
    uint64_t ignored;        /* other lines that the user excluded from the comparison */
};

struct xs_tried_item {
    char *finding;                     /* the finding's name; NULL: all repairs together */
    int64_t delta_ns, low_ns, high_ns; /* delta_ns: how much longer the program takes with the repair; the others: the
                                          interval of this time */
    uint64_t before_ns;                /* median time without the repair; of the loop if a loop was measured */
    uint64_t runs;                     /* number of runs with the repair, which is also the number of runs without it */
    uint64_t tried, causes;            /* for all repairs together: number of causes that were tried; number of all
                                          causes */
    char *only;                        /* "1,3": the causes to which the user limited the trial; else NULL */
    bool is_partly;                    /* some verdicts of the finding were not tried */
    struct xs_tried_output output;
};

struct xs_tried {                /* zeroed: nothing was tried */
    struct xs_tried_item *items; /* the results that were measured */
    size_t count;
};

/* Reads the result in the folder of the trace. If there is no such file, or if it belongs to another user or to another
 * trace with the same name, or is damaged, the result is empty and no message is printed. The caller frees it. */
void xs_tried_read(struct xs_tried *tried, const struct xs_trace *trace);
void xs_tried_free(struct xs_tried *tried);

/* Returns the result for the finding with this index, or, if `index` is SIZE_MAX, for all repairs together; NULL: it
 * was not tried. */
const struct xs_tried_item *xs_tried_of(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                        size_t index);

/* Returns the result for a cause, which is the result of its first finding that was tried; NULL: none was tried. */
const struct xs_tried_item *xs_tried_of_cause(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                              const struct xs_cause *cause);

/* Adds "tried: saves 138 ms (131 ms to 145 ms) of 392 ms, 9 runs each, output the same". A slower program is "slower
 * by 12.0 ms (10.0 ms to 14.0 ms)". If the runs do not show a change: "no clear change (2.00 ms less to 3.00 ms
 * more)". */
void xs_tried_say(struct xs_string *text, const struct xs_tried_item *item);
/* These functions add the two parts of the text of xs_tried_say: "saves 138 ms", and "(131 ms to 145 ms) of 392 ms, 9
 * runs each, output the same". */
void xs_tried_say_change(struct xs_string *text, const struct xs_tried_item *item);
void xs_tried_say_rest(struct xs_string *text, const struct xs_tried_item *item);

/* Adds "output the same", "output the same but for 2 lines that vary", or "output not compared". */
void xs_tried_say_output(struct xs_string *text, const struct xs_tried_output *output);

/* Writes the key "tried": the results; null if there are none. */
void xs_tried_json(struct xs_json *json, const struct xs_tried *tried);

#endif
