/* Declarations shared by the files that compute a diff. All other files include diff.h. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_INTERNAL_H

#include "analyzer/commands/diff/diff.h"

/* Returns the properties of the side's places by which they are matched, in the same order. The caller frees the array.
 */
struct xs_match_place *xs_side_match_places(const struct xs_side *side);

/* True if every run has device times. */
bool xs_side_has_device_times(const struct xs_side *side);

/* True if the programs of the sides have different names: the names have less than half of the shorter one as a common
 * beginning. */
bool xs_diff_names_differ(const struct xs_diff *diff);

/* Fills the notes. `folded`: call sites were removed, because one side had none. */
void xs_diff_add_notes(struct xs_diff *diff, bool folded);

#endif
