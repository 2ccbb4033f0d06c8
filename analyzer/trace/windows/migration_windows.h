/* When page migrations of managed memory were recorded: in the whole run, or in windows of it
 * (preload/cupti/migration_budget.h), and how much of a time lay in these windows. Migrations to the device come
 * many at once, so a window's end loses more of them than of those to the host; each direction therefore has its own
 * windows. */
#ifndef XFERSPY_ANALYZER_TRACE_WINDOWS_MIGRATION_WINDOWS_H
#define XFERSPY_ANALYZER_TRACE_WINDOWS_MIGRATION_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

enum xs_migration_way { XS_MIGRATIONS_UP, XS_MIGRATIONS_DOWN, XS_MIGRATION_WAYS };

struct xs_recorded_window {
    int64_t start_ns, end_ns;
    double weight;    /* of a sample: the time that it stands for, in its own length; 1 on average */
    bool is_sample;   /* begun at a random moment; false: begun where migrations were, so it stands for itself alone */
    uint64_t records; /* migrations in this direction, and the faults that ask for them */
    int64_t last_ns;  /* end of the last record of either direction */
    bool ends_so;     /* the last record is of this direction */
};

struct xs_migration_windows {
    struct xs_recorded_window *items; /* disjoint, by time; none if `whole` */
    size_t count, capacity;
    bool whole; /* all of the run was recorded */
};

/* Negative status: the message is set. Call xs_migration_windows_free even then. */
int xs_migration_windows_read(struct xs_migration_windows *windows, enum xs_migration_way way,
                              const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_migration_windows_free(struct xs_migration_windows *windows);

/* The window that contains the moment. NULL: none does, or `whole`. */
const struct xs_recorded_window *xs_migration_window_at(const struct xs_migration_windows *windows, int64_t ns);

/* How much of the time from start to end was recorded; with `samples`, only windows that are samples count. */
uint64_t xs_migration_windows_within(const struct xs_migration_windows *windows, int64_t start_ns, int64_t end_ns,
                                     bool samples);
/* How much of it was recorded in samples, each multiplied by its weight. After a window with many migrations the
 * next one comes later, so a part of the run with many migrations has fewer windows. */
double xs_migration_windows_weighed(const struct xs_migration_windows *windows, int64_t start_ns, int64_t end_ns);

#endif
