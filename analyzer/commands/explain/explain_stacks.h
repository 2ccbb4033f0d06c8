/* Prints the stacks that a finding was called from. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_STACKS_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_STACKS_H

#include "analyzer/commands/explain/explain.h"

/* Print the stack of the chosen finding's first instance, then the most frequent other ones, each with its number of
 * instances. Nothing if none was recorded. The text joins stacks that print the same; the JSON has every frame, so each
 * stack is apart. Reads the trace once more: a negative status sets the message. */
int xs_stacks_text(const struct xs_explain *explain, struct xs_out *out, char *message);
int xs_stacks_json(const struct xs_explain *explain, struct xs_json *json, char *message); /* key "stacks" */

/* Write "stack": its frames, innermost first; "nvtx_range": its name with those around it. */
void xs_stack_json(const struct xs_findings *findings, int64_t stack, struct xs_json *json);
void xs_range_json(const struct xs_findings *findings, int64_t range, struct xs_json *json);

#endif
