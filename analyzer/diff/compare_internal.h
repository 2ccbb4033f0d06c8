/* Between the files of compare; everyone else includes compare.h. */
#ifndef XFERSPY_ANALYZER_DIFF_COMPARE_INTERNAL_H
#define XFERSPY_ANALYZER_DIFF_COMPARE_INTERNAL_H

#include "analyzer/diff/compare.h"

/* Of every run. */
bool xs_side_has_device_times(const struct xs_side *side);

/* Fills the notes; `folded`: call sites were left out, because one side had none. */
void xs_comparison_note(struct xs_comparison *comparison, bool folded);

#endif
