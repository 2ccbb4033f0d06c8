/* Shared by the files that compute a diff; everyone else includes diff.h. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_INTERNAL_H

#include "analyzer/commands/diff/diff.h"

/* Returns what the matcher compares of the side's places, in their order; to be freed. */
struct xs_match_place *xs_side_match_places(const struct xs_side *side);

/* Says whether every run has device times. */
bool xs_side_has_device_times(const struct xs_side *side);

/* Says whether the sides' programs have different names, without even a common beginning. */
bool xs_diff_names_differ(const struct xs_diff *diff);

/* Fills the notes; `folded`: call sites were left out, because one side had none. */
void xs_diff_add_notes(struct xs_diff *diff, bool folded);

#endif
