/* Prints one instance of a finding, for people. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_INSTANCE_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_INSTANCE_H

#include "analyzer/commands/explain/explain.h"

/* Prints the heading of the instance, its rows, and what ran between them. `number` is the number of the instance in
 * the heading; 0: the instance is not among the first instances, and is printed because it is the largest. Negative
 * status: the message is set. */
int xs_explain_instance(const struct xs_explain *explain, const struct xs_instance *instance, size_t number,
                        struct xs_out *out, char *message);

#endif
