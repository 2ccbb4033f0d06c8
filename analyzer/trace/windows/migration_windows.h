/* Reads when page migrations of managed memory were recorded (in the whole run, or in windows of it;
 * preload/cupti/migration_budget.h), and how much of a time span lies in these windows. At the end of a window, records
 * are lost. Many migrations to the device occur at nearly the same time, so their records are lost more often than
 * records of migrations to the host. Each direction therefore has its own windows. */
#ifndef XFERSPY_ANALYZER_TRACE_WINDOWS_MIGRATION_WINDOWS_H
#define XFERSPY_ANALYZER_TRACE_WINDOWS_MIGRATION_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

enum xs_migration_way { XS_MIGRATIONS_UP, XS_MIGRATIONS_DOWN, XS_MIGRATION_WAYS };

struct xs_recorded_window {
    int64_t start_ns, end_ns;
    double weight; /* for a sample: the time that the window represents, divided by the window's own length. The weights
                    * of all samples are scaled so that their average is 1 */
    bool is_sample; /* the window began at a random time; false: the window is the first, or it lasted longer because of
                     * migrations, so it represents only itself */
    uint64_t records; /* number of migrations in this direction, and of the faults that cause them */
    int64_t last_ns;  /* end of the last record of either direction */
    bool ends_so;     /* the window's last record is of this direction */
};

struct xs_migration_windows {
    struct xs_recorded_window *items; /* disjoint, in order of time; none if `whole` */
    size_t count, capacity;
    bool whole; /* migrations were recorded in the whole run */
};

/* Reads the windows of one direction. Negative status: the message is set. Call xs_migration_windows_free even then. */
int xs_migration_windows_read(struct xs_migration_windows *windows, enum xs_migration_way way,
                              const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_migration_windows_free(struct xs_migration_windows *windows);

/* Returns the window that contains the time `ns`. NULL: no window contains it, or `whole` is true. */
const struct xs_recorded_window *xs_migration_window_at(const struct xs_migration_windows *windows, int64_t ns);

/* Returns how much of the time from start_ns to end_ns lies in windows. If `samples` is true, only windows that are
 * samples count. If `whole` is true, all of the time counts. */
uint64_t xs_migration_windows_within(const struct xs_migration_windows *windows, int64_t start_ns, int64_t end_ns,
                                     bool samples);
/* Returns how much of the time from start_ns to end_ns lies in samples, with each sample's part multiplied by its
 * weight. The weights are needed because the pause after a window with many migrations is longer, so there are fewer
 * windows at times with many migrations. */
double xs_migration_windows_weighed(const struct xs_migration_windows *windows, int64_t start_ns, int64_t end_ns);

#endif
