/* Declarations shared by the files that compute a diff. All other files include diff.h. */
#ifndef XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_DIFF_DIFF_INTERNAL_H

#include "analyzer/commands/diff/diff.h"

/* Returns the properties by which the side's places are matched, in the order of the places. The caller frees the
 * array. */
struct xs_match_place *xs_side_match_places(const struct xs_side *side);

/* Sets the amounts of `limit` runs to the known value 0. */
void xs_amounts_begin(struct xs_amounts *amounts, size_t limit);

/* Fills the notes. `folded`: call sites were removed, because one side had none. */
void xs_diff_add_notes(struct xs_diff *diff, bool folded);

#endif
