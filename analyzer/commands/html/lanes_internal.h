/* Between the files of the timeline; for nobody else. */
#ifndef XFERSPY_ANALYZER_HTML_LANES_INTERNAL_H
#define XFERSPY_ANALYZER_HTML_LANES_INTERNAL_H

#include "analyzer/commands/html/lanes.h"

/* The lane of a group's key, or the group's lane of all others where it has too many. Valid until the next call. */
struct xs_html_lane *xs_html_lane_of(struct xs_html_lanes *lanes, enum xs_html_group group, const int64_t key[3]);

/* A call or a piece of work into a lane: as a segment of its own, or into the latest of its kind. `one` has count 1.
 * Returns the number of the segment. */
uint32_t xs_html_lane_add(struct xs_html_lanes *lanes, struct xs_html_lane *lane, const struct xs_html_segment *one);

#endif
