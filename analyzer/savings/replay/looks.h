/* Finds the time that looking at contents took. In mode `auto` the library fingerprints a sample of the copies, in the
 * calls that make them. These calls take longer for it. A program without xferspy would not lose that time: no repair
 * saves it. Part of xs_model_read; also for models made by hand. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_LOOKS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_LOOKS_H

#include "analyzer/savings/replay/model.h"

/* Sets xs_model_call.look_ns of the calls that were looked at: how much longer they took, in the median, than copies of
 * the same place and size that were not looked at; or than the longest of those, if that is more. Requires
 * xs_model_find_waits. Does nothing if too few copies were not looked at. */
void xs_model_find_looks(struct xs_model *model);

#endif
