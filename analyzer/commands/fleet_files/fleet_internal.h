/* What the files that make fleet files share. */
#ifndef XFERSPY_ANALYZER_COMMANDS_FLEET_FILES_FLEET_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_FLEET_FILES_FLEET_INTERNAL_H

#include "analyzer/commands/common/reading.h"

/* The labels of a trace (rows of meta whose keys begin with "label."). All texts may be NULL. */
struct xs_fleet_labels {
    char *json;          /* all labels as a JSON object; NULL: there are no labels */
    char *cluster, *job; /* from the labels of a launcher */
};
void xs_fleet_labels_read(struct xs_fleet_labels *labels, const struct xs_trace *trace);
void xs_fleet_labels_free(struct xs_fleet_labels *labels);

/* Returns the number of a run as 16 hexadecimal digits, as a new string. Copies of a trace have the same number,
 * because it is made of host, pid, rank and start time. */
char *xs_fleet_run_id(const struct xs_reading *reading);

#endif
