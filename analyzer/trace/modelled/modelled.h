/* Models the missing device times of a trace whose device times were recorded only in windows. The missing times are
 * computed from the recorded times, so that all readers of the trace find times for all work. docs/develop/internals.md
 * describes the model. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_H

#include "schema/read/trace.h"

/* Adds the modelled rows to a trace and sets trace->windows: TEMP tables hide device_copy, device_memset and
 * device_kernel, and TEMP views of transfer, memset and launch have, in the column `correlation`, the call's number
 * (xs_numbers) instead of CUPTI's correlation number. Does nothing if device times were recorded throughout. The tables
 * and views exist until the trace's connection is closed. Negative status: the message is set, and the trace must be
 * closed. */
int xs_modelled_add_to(struct xs_trace *trace, char *message);

#endif
