/* What `xferspy try' found before, which it keeps beside the trace, for whoever shows findings. */
#ifndef XFERSPY_ANALYZER_TRY_TRIED_H
#define XFERSPY_ANALYZER_TRY_TRIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/bench/output.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "schema/read/trace.h"

#define XS_TRIED_SUFFIX ".try.json"

/* How the output with a repair is beside that of the program as it is. */
struct xs_tried_output {
    enum xs_output_result result;
    bool exits_differ;
    uint64_t lines, varying; /* of the program as it is; the varying ones differ between its runs: not compared */
    uint64_t ignored;        /* others of it, that were not to be compared */
};

/* What that says of the repair. Only where the output is the same its gain counts. */
enum xs_tried_judgement {
    XS_TRIED_SAME,
    XS_TRIED_DIFFERS,
    XS_TRIED_ENDS_OTHERWISE, /* another exit status or signal */
    XS_TRIED_NOT_COMPARED,   /* no line of it could be compared */
};

enum xs_tried_change { XS_TRIED_FASTER, XS_TRIED_SLOWER, XS_TRIED_CANNOT_TELL };

struct xs_tried_item {
    char *finding;                     /* its name; NULL: all repairs together */
    int64_t delta_ns, low_ns, high_ns; /* by how much the program takes longer with the repair, with its interval */
    uint64_t before_ns;                /* what it takes without, the median; a loop's time where that was measured */
    uint64_t runs;                     /* of each side */
    uint64_t tried, causes;            /* of all repairs together: so many of the causes were tried */
    char *only;                        /* "1,3": the causes tried, where others were not asked for; else NULL */
    bool is_partly;                    /* some verdicts of the finding were not tried */
    struct xs_tried_output output;
};

struct xs_tried {                /* zeroed: nothing was tried */
    struct xs_tried_item *items; /* that were measured */
    size_t count;
};

/* Reads what is kept beside the trace. Nothing is there, and nothing is said, where there is no such file, or it is not
 * the owner's of the trace, of another trace of that name, or damaged. To be freed. */
void xs_tried_read(struct xs_tried *tried, const struct xs_trace *trace);
void xs_tried_free(struct xs_tried *tried);

/* Of a finding, by its index; NULL: it was not tried. SIZE_MAX: of all together. */
const struct xs_tried_item *xs_tried_of(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                        size_t index);

/* Of a cause: of the first of its findings that was tried; NULL: none of them was. */
const struct xs_tried_item *xs_tried_of_cause(const struct xs_tried *tried, const struct xs_diagnosis *diagnosis,
                                              const struct xs_cause *cause);

/* "tried: saves 138 ms (131 ms to 145 ms) of 392 ms, 9 runs each, output the same". A slower program is "slower by 12.0
 * ms (10.0 ms to 14.0 ms)", one whose runs do not tell has "no clear change (2.00 ms less to 3.00 ms more)". */
void xs_tried_say(struct xs_string *text, const struct xs_tried_item *item);
/* Two parts of it: "saves 138 ms", and "(131 ms to 145 ms) of 392 ms, 9 runs each, output the same". */
void xs_tried_say_change(struct xs_string *text, const struct xs_tried_item *item);
void xs_tried_say_rest(struct xs_string *text, const struct xs_tried_item *item);

enum xs_tried_judgement xs_tried_judge(const struct xs_tried_output *output);
/* "output the same", "output the same but for 2 lines that vary", "output not compared". */
void xs_tried_say_output(struct xs_string *text, const struct xs_tried_output *output);

/* "tried": what was measured; null where nothing was. */
void xs_tried_json(struct xs_json *json, const struct xs_tried *tried);

#endif
