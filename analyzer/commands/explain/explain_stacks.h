/* Prints the call stacks of the calls that a finding is about. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_STACKS_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_STACKS_H

#include "analyzer/commands/explain/explain.h"

/* These functions print the stack of the chosen finding's first instance, then the most frequent other stacks, each
 * with its number of instances. They print nothing if no stack was recorded. The text joins stacks whose printed lines
 * are equal. The JSON has every frame, and lists every stack separately. They read the trace again; negative status:
 * the message is set. */
int xs_stacks_text(const struct xs_explain *explain, struct xs_out *out, char *message);
int xs_stacks_json(const struct xs_explain *explain, struct xs_json *json, char *message); /* key "stacks" */

/* xs_stack_json writes the key "stack": the frames, innermost first. xs_range_json writes the key "nvtx_range": the
 * name of the range with the names of the ranges around it. */
void xs_stack_json(const struct xs_findings *findings, int64_t stack, struct xs_json *json);
void xs_range_json(const struct xs_findings *findings, int64_t range, struct xs_json *json);

#endif
