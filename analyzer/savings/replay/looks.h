/* Finds the time that looking at contents took. In mode `auto` the library takes fingerprints of a sample of the
 * copies. This happens inside the calls that make these copies, so the calls take longer. A program without xferspy
 * would not lose this time, so no repair can save it. xs_model_read calls the function below. Tests also call it, for
 * models made by hand. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_LOOKS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_LOOKS_H

#include "analyzer/savings/replay/model.h"

/* Sets xs_model_call.look_ns of the calls whose copies were looked at. The other calls with the same site and size
 * class are used for comparison. look_ns is the larger of two differences: the median time of the calls that were
 * looked at, less the median time of the other calls; and the time of the call itself, less the longest time of the
 * other calls. If a call waits for its copy, its time is taken without the copy's device time. look_ns is 0 if there
 * are too few other calls. xs_model_find_waits must have been called. */
void xs_model_find_looks(struct xs_model *model);

#endif
