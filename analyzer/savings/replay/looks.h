/* What looking at contents took. In mode `auto` the library computes fingerprints of a sample of the copies, in the
 * calls that make them. These calls take longer for it than those that were not looked at, and a program without
 * xferspy would not lose that time: no repair saves it. Part of xs_model_read; also for models made by hand. */
#ifndef XFERSPY_ANALYZER_REPLAY_LOOKS_H
#define XFERSPY_ANALYZER_REPLAY_LOOKS_H

#include "analyzer/savings/replay/model.h"

/* Sets xs_model_call.look_ns of the calls that were looked at: by how much they took longer, in the median, than the
 * other copies of their place and size that were not; or than the longest of these, if that is more. Needs what
 * xs_model_find_waits sets. Does nothing where too few were not looked at. */
void xs_model_find_looks(struct xs_model *model);

#endif
