/* Prints one instance of a finding, for people. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_INSTANCE_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_INSTANCE_H

#include "analyzer/commands/explain/explain.h"

/* Prints the heading of the instance, its rows, and what ran between them. `number` is its number in the heading; 0: it
 * is the instance that saves most, printed because it is not among the first ones. Negative status: the message is set.
 */
int xs_explain_instance(const struct xs_explain *explain, const struct xs_instance *instance, size_t number,
                        struct xs_out *out, char *message);

#endif
