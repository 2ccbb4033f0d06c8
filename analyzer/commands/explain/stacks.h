/* The stacks that a finding was called from. */
#ifndef XFERSPY_ANALYZER_EXPLAIN_STACKS_H
#define XFERSPY_ANALYZER_EXPLAIN_STACKS_H

#include "analyzer/commands/explain/explain.h"

/* The stack of the chosen finding's first instance, then those of the others that are most frequent, with how many
 * instances have each. Nothing where none was recorded. In the text those that print the same are one; the JSON has
 * every frame, so each is apart. Reads the trace once more: a negative status sets the message. */
int xs_stacks_text(const struct xs_explain *explain, struct xs_out *out, char *message);
int xs_stacks_json(const struct xs_explain *explain, struct xs_json *json, char *message); /* key "stacks" */

/* "stack": its frames, innermost first; "nvtx_range": its name with those around it. */
void xs_stack_json(const struct xs_findings *findings, int64_t stack, struct xs_json *json);
void xs_range_json(const struct xs_findings *findings, int64_t range, struct xs_json *json);

#endif
