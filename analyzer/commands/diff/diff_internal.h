/* Between the files that compute a diff; everyone else includes diff.h. */
#ifndef XFERSPY_ANALYZER_DIFF_DIFF_INTERNAL_H
#define XFERSPY_ANALYZER_DIFF_DIFF_INTERNAL_H

#include "analyzer/commands/diff/diff.h"

/* Of every run. */
bool xs_side_has_device_times(const struct xs_side *side);

/* Whether the programs of the sides have different names, not even with a common begin. */
bool xs_diff_names_differ(const struct xs_diff *diff);

/* Fills the notes; `folded`: call sites were left out, because one side had none. */
void xs_diff_add_notes(struct xs_diff *diff, bool folded);

#endif
