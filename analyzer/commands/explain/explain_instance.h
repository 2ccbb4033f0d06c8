/* One instance of a finding, for people. */
#ifndef XFERSPY_ANALYZER_EXPLAIN_EXPLAIN_INSTANCE_H
#define XFERSPY_ANALYZER_EXPLAIN_EXPLAIN_INSTANCE_H

#include "analyzer/commands/explain/explain.h"

/* Prints its heading, its rows, and what ran between them. `number` 0: of those that are not among the first, the one
 * that saves most. Negative status: the message is set. */
int xs_explain_instance(const struct xs_explain *explain, const struct xs_instance *instance, size_t number,
                        struct xs_out *out, char *message);

#endif
