/* Device times of a trace that recorded them in windows only: those that are missing are modelled from the others, so
 * that whatever reads the trace finds times for all work of the device. docs/develop/internals.md has the model. */
#ifndef XFERSPY_ANALYZER_MODELLED_MODELLED_H
#define XFERSPY_ANALYZER_MODELLED_MODELLED_H

#include "schema/read/trace.h"

/* Puts TEMP tables with modelled rows before device_copy, device_memset and device_kernel, TEMP views with a number for
 * each call in the place of its correlation before transfer, memset and launch, and sets trace->windows. Does nothing
 * with a trace whose device times were recorded throughout. What it makes lives as long as the trace's connection.
 * Negative status: the message is set, and the trace is to be closed. */
int xs_modelled_add_to(struct xs_trace *trace, char *message);

#endif
