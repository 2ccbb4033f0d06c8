/* Declarations shared by the files that make the timeline (timeline_lanes*.c). No other file includes this header. */
#ifndef XFERSPY_ANALYZER_COMMANDS_HTML_TIMELINE_LANES_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_HTML_TIMELINE_LANES_INTERNAL_H

#include "analyzer/commands/html/timeline_lanes.h"

/* Returns the lane with this key, and adds it if it is new. If the group has too many lanes, returns the group's lane
 * for all others. The pointer is valid until the next call of this function. */
struct xs_html_lane *xs_html_lane_of(struct xs_html_lanes *lanes, enum xs_html_group group, const int64_t key[3]);

/* Adds a call or a piece of work to a lane, as a new segment, or as a part of the latest segment of its kind. `one` has
 * count 1. Returns the segment's number. */
uint32_t xs_html_lane_add(struct xs_html_lanes *lanes, struct xs_html_lane *lane, const struct xs_html_segment *one);

#endif
