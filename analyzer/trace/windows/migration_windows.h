/* When page migrations of managed memory were recorded: the whole run, or windows of it
 * (preload/cupti/migration_budget.h), and how much of something lay in them. Those to the device are many at once, and
 * more of them are lost at a window's end than of those to the host; so each way has windows of its own. */
#ifndef XFERSPY_ANALYZER_TRACE_MIGRATION_WINDOWS_H
#define XFERSPY_ANALYZER_TRACE_MIGRATION_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

enum xs_migration_way { XS_MIGRATIONS_UP, XS_MIGRATIONS_DOWN, XS_MIGRATION_WAYS };

struct xs_recorded_window {
    int64_t start_ns, end_ns;
    double weight;  /* of a sample: the time that it stands for, by its length; on average 1 */
    bool is_sample; /* begun at a random moment; else where the first migrations were, so it stands for itself alone */
    uint64_t records; /* of migrations that way, and of the faults that ask for them */
    int64_t last_ns;  /* the end of the last record, of whichever way */
    bool ends_so;     /* that was one of this way */
};

struct xs_migration_windows {
    struct xs_recorded_window *items; /* disjoint, by time; none where `whole` */
    size_t count, capacity;
    bool whole; /* all of the run was recorded */
};

/* Negative status: the message is set. Always to be freed. */
int xs_migration_windows_read(struct xs_migration_windows *windows, enum xs_migration_way way,
                              const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_migration_windows_free(struct xs_migration_windows *windows);

/* The window that the moment lies in; NULL: none, also where `whole`. */
const struct xs_recorded_window *xs_migration_window_at(const struct xs_migration_windows *windows, int64_t ns);

/* How much of the time from start to end was recorded; `samples`: in windows that are samples. */
uint64_t xs_migration_windows_within(const struct xs_migration_windows *windows, int64_t start_ns, int64_t end_ns,
                                     bool samples);
/* The same in samples, by their weights: after windows with many migrations the next one comes later, so a part of the
 * run with many has fewer windows than another. */
double xs_migration_windows_weighed(const struct xs_migration_windows *windows, int64_t start_ns, int64_t end_ns);

#endif
