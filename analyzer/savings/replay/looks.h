/* Finds the time that looking at contents took. In mode `auto` the library fingerprints a sample of the copies, inside
 * the calls that make them, which therefore take longer. A program without xferspy would not lose this time, so no
 * repair can save it. Part of xs_model_read; also for models made by hand. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_LOOKS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_LOOKS_H

#include "analyzer/savings/replay/model.h"

/* Sets xs_model_call.look_ns of the calls whose copies were looked at. It is the difference between the median of these
 * calls and the median of calls of the same place and size that were not looked at; or how much the call took longer
 * than the longest of the latter, if that is more. xs_model_find_waits must have been called. Does nothing if too few
 * copies were not looked at. */
void xs_model_find_looks(struct xs_model *model);

#endif
