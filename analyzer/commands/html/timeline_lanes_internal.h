/* Shared by the files of the timeline; no other file includes this. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_TIMELINE_LANES_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_TIMELINE_LANES_INTERNAL_H

#include "analyzer/commands/html/timeline_lanes.h"

/* The lane of a key. If its group has too many lanes, the group's lane for all others. Valid until the next call. */
struct xs_html_lane *xs_html_lane_of(struct xs_html_lanes *lanes, enum xs_html_group group, const int64_t key[3]);

/* Adds a call or a piece of work to a lane, as a new segment or to the latest of its kind. `one` has count 1.
 * Returns the segment's number. */
uint32_t xs_html_lane_add(struct xs_html_lanes *lanes, struct xs_html_lane *lane, const struct xs_html_segment *one);

#endif
