/* Reads and writes the baseline that a run is compared with: another trace, or a small file that is kept with the
 * program's sources. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_BASELINE_FILE_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_BASELINE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/commands/check/finding.h"
#include "analyzer/totals/summary/metrics.h"

struct xs_reading;

struct xs_baseline {
    struct xs_check_findings findings;
    struct xs_metric_values metrics;
    uint64_t *undecided; /* undecided cases by detector; has xs_detector_count items */
};

/* Reads a baseline file, or a trace (with its findings). Prints failures. Returns an exit status. */
int xs_baseline_open(const char *path, struct xs_baseline *baseline);
void xs_baseline_free(struct xs_baseline *baseline);

struct xs_findings;
/* Returns the number of undecided cases of a detector, for all reasons together. */
uint64_t xs_check_undecided(const struct xs_findings *findings, unsigned detector);

/* True if the run was not repaired, so that the trace can be a baseline. Otherwise, prints why it cannot be one. */
bool xs_baseline_may_be(const struct xs_reading *reading);

/* Writes the baseline file: JSON in a stable order, without paths and without the name of the machine.
 * docs/use/check.md describes the format. */
void xs_baseline_write(const struct xs_reading *reading, FILE *file);

#endif
