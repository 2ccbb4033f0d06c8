/* What the files that make fleet files share. */
#ifndef XFERSPY_ANALYZER_COMMANDS_FLEET_FILES_FLEET_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_FLEET_FILES_FLEET_INTERNAL_H

#include "analyzer/commands/common/reading.h"

/* The columns that are made of the labels of a trace. All texts may be NULL. */
struct xs_fleet_labels {
    char *json;                /* the labels that all ranks of a job have, as a JSON object; the caller frees it */
    const char *cluster, *job; /* owned by the labels */
};
void xs_fleet_labels_of(struct xs_fleet_labels *of, const struct xs_labels *labels);

/* Returns the number of a run as 16 hexadecimal digits, as a new string. Copies of a trace have the same number,
 * because it is made of host, pid, rank and start time. */
char *xs_fleet_run_id(const struct xs_reading *reading);

#endif
