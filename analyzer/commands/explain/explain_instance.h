/* Prints one instance of a finding, for people. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_INSTANCE_H
#define XFERSPY_ANALYZER_COMMANDS_EXPLAIN_EXPLAIN_INSTANCE_H

#include "analyzer/commands/explain/explain.h"

/* Prints its heading, its rows, and what ran between them. `number` 0: the instance that saves most, if it is not among
 * the first. Negative status: the message is set. */
int xs_explain_instance(const struct xs_explain *explain, const struct xs_instance *instance, size_t number,
                        struct xs_out *out, char *message);

#endif
