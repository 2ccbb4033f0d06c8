/* Reads the labels of a trace: facts about its run by which many traces can be grouped. */
#ifndef XFERSPY_ANALYZER_TRACE_LABELS_H
#define XFERSPY_ANALYZER_TRACE_LABELS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/read/trace.h"

struct xs_trace_label {
    char *key, *value; /* never NULL; a value that XFERSPY_REDACT hid is "[hidden]" */
    bool is_given;     /* the user gave the label; otherwise the trace has it by itself */
};

struct xs_labels {
    struct xs_trace_label *items; /* in the order of the keys, each key once */
    size_t count;
};

/* Reads all labels: those of meta, and `host`, `rank`, `local_rank`, `world_size` and `gpu` (the name of the first
 * device), which are elsewhere in a trace. A damaged trace may have fewer. Call xs_labels_free. */
void xs_labels_read(const struct xs_trace *trace, struct xs_labels *labels);
void xs_labels_free(struct xs_labels *labels);

/* Returns the value of a label; NULL: there is no such label. */
const char *xs_labels_value(const struct xs_labels *labels, const char *key);

#endif
