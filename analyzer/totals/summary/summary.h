/* What a report states about one trace, as numbers: computed once here (summary*.c), printed as text or JSON by
 * report/report_*.c, which compute nothing. */
#ifndef XFERSPY_ANALYZER_SUMMARY_SUMMARY_H
#define XFERSPY_ANALYZER_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/totals/summary/repaired.h"
#include "analyzer/totals/summary/summary_failures.h"
#include "analyzer/totals/summary/summary_where.h"
#include "analyzer/trace/kinds.h"
#include "analyzer/trace/windows/capture_ranges.h"
#include "schema/read/trace.h"

#define XS_THIS_IS_A_SNAPSHOT "This is a snapshot of a running process"

enum { XS_STEP_NAME_BYTES = 256 };
enum { XS_TOP = 5 }; /* rows of "largest" and of "slowest" */

/* meta, as far as a report shows it. Texts are never NULL. */
struct xs_run {
    char *command, *executable, *cwd, *host, *status, *xferspy_version, *clock, *os, *cpu_model;
    char *importer, *import_version; /* of whose profile the trace was made, "" where xferspy recorded it */
    int64_t pid, rank, world_size;   /* rank -1: no launcher set one */
    int64_t start_unix_ns, driver_version;
    uint64_t duration_ns;
    bool duration_estimated; /* to the last thing seen: the trace has no end */
    bool is_snapshot;        /* a copy that was made while the process ran */
    bool simulated;
    char *cupti_status, *cupti_text, *cupti_path;
    int64_t cupti_version;
    bool kernels_recorded; /* asked for, and CUPTI ran; not that there were any */
};

struct xs_device_summary {
    int64_t id;
    char *name, *pci_bus_id, *compute_capability;
    uint64_t memory_bytes, link_generation, link_width, link_peak_bytes_per_s;
    bool simulated, known;                               /* known: the device table has it */
    uint64_t copy_busy_ns, kernel_busy_ns, both_busy_ns; /* unions over all streams */
    uint64_t kernels, kernel_ns;                         /* kernel_ns: the sum */
    uint64_t kernels_modelled;                           /* of them */
};

struct xs_totals {
    uint64_t count, bytes, async_count;
    uint64_t empty_count;                         /* of 0 bytes: they leave no device record */
    uint64_t host_ns;                             /* inside the calls; a batch call counts once */
    uint64_t timed_count, timed_bytes, device_ns; /* those whose device times are known, measured or modelled */
    uint64_t modelled_count, modelled_ns;         /* of these those that are modelled */
    uint64_t blocking_count, blocking_bytes, blocking_host_ns;
};

struct xs_group {
    enum xs_direction direction;
    enum xs_memory_kind src_kind, dst_kind;
    struct xs_totals totals;
};

/* Transfers alike: same entry point, kinds and size. */
struct xs_shape {
    enum xs_direction direction;
    enum xs_memory_kind src_kind, dst_kind;
    int64_t entry_point_id, first_transfer;
    char *entry_point;
    uint64_t bytes;
    struct xs_totals totals;
};

struct xs_slow_transfer {
    enum xs_direction direction;
    enum xs_memory_kind src_kind, dst_kind;
    int64_t id, entry_point_id, enter_ns;
    char *entry_point;
    uint64_t bytes, host_ns, device_ns;
    bool is_async, timed, modelled;
};

struct xs_count_time {
    uint64_t count, bytes, ns;
    uint64_t device_ns; /* launches and memsets: of the kernels and memsets that they started */
    uint64_t modelled;  /* device_ns: so many of them are modelled */
};

struct xs_allocation_totals {
    uint64_t count, bytes, peak_bytes, host_ns;
    uint64_t frees, free_host_ns;
    uint64_t live_count, live_bytes; /* at the end of the trace */
};

struct xs_note {
    char *topic, *text;
    uint64_t count;
    int64_t at_ns; /* of the first; INT64_MIN: none */
};

struct xs_coverage {
    uint64_t host_transfers, host_captured, host_failed, host_empty; /* empty: 0 bytes, which leave no record */
    uint64_t matched, modelled, without_record; /* modelled: device times were recorded in windows, and not then */
    uint64_t peers;                             /* of without_record: copies between devices, which never have one */
    uint64_t device_copies, device_copies_graph, without_event; /* rows of device_copy */
    uint64_t migration_rests, migrations_ns; /* recording page migrations rested so often; how long it did not */
    uint64_t nested, left, dropped, skipped_events, dropped_records; /* as capture counted them */
    bool stacks_recorded;
    uint64_t without_stack; /* transfers, where stacks were recorded */
};

struct xs_cost {
    bool known;
    uint64_t start_ns, cupti_start_ns, close_ns, drain_cpu_ns, spool_stalls, spool_stall_ns, spool_bytes, events;
    uint64_t fingerprint_start_ns, fingerprint_call_ns, fingerprint_kernel_ns, fingerprint_device_bytes;
    uint64_t fingerprint_launches;
    /* From here on of traces whose capture kept to a budget; else `budgeted` is false. */
    bool budgeted;
    uint64_t begin_ns, wrappers_ns, device_times_ns; /* of the program's time: the start, the calls, recording them */
    uint64_t migrations_ns, exit_ns;                 /* and page migrations; the exit handler */
    uint64_t contention_ns;                          /* at most: the drain thread, where no processor was free */
    uint64_t held_ns;                                /* of device_times_ns: all threads were held at once */
    uint64_t budget_percent;                         /* 0: there was none */
    uint64_t detachments;
    uint64_t calls,
        busiest_calls; /* that are in the trace: of all threads, and of the one that made most; 0: not known */
};

/* The trace reached its largest size: of what lies between two moments one row of so many is left. Counts and sums of
 * transfers, launches, waits, memsets, kernels and of the devices' work have the others in them, unless `selected`.
 * Everything else is of the rows that are left. */
struct xs_thinned {
    uint64_t rows, one_in; /* rows: that are gone; 0: none */
    int64_t from_ns, to_ns;
};

/* The steps that were recorded, where the user asked for steps (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP). */
enum xs_recorded_by { XS_RECORDED_ALL, XS_RECORDED_BY_RANGE, XS_RECORDED_BY_WAIT, XS_RECORDED_NONE };
struct xs_recorded_steps {
    enum xs_recorded_by by;   /* ALL: no steps were asked for; NONE: no wait was found to tell them by */
    uint64_t first, count;    /* the number of the first one, from 1, and how many; 0 and 0: none */
    uint64_t passed;          /* steps that the program began, or ended where a wait tells them */
    uint64_t skipped, wanted; /* what was asked for; wanted 0: all behind the skipped ones */
    char
        name[XS_STEP_NAME_BYTES]; /* of the range, or the entry point of the wait; of ALL XFERSPY_WINDOW; not escaped */
};

/* The trace has the calls of parts of the run, and of the rest allocations alone (XFERSPY_OUTSIDE). Counts and sums are
 * of these parts, but those of allocations. */
struct xs_looked_at {
    bool limited;                                  /* else of all of the run */
    bool has_gaps;                                 /* calls were left out, or may have been */
    uint64_t parts, recorded_ns;                   /* how many there were, and how long they were together */
    bool is_at_most;                               /* parts: at least so many; recorded_ns: at most */
    uint64_t transfers, memsets, launches, others; /* calls that were left out */
    struct xs_recorded_steps steps;
};

struct xs_summary {
    const struct xs_trace *trace;
    struct xs_thinned thinned;
    struct xs_looked_at looked_at;
    struct xs_recorded_time recorded; /* what shares are of */
    struct xs_repaired repaired;
    bool selected; /* groups to slowest below are of the transfers that pass a filter */
    struct xs_run run;
    struct xs_device_summary *devices;
    size_t device_count;
    struct xs_group *groups; /* by device time, else by bytes; largest first */
    size_t group_count;
    struct xs_totals all;
    struct xs_totals pageable, pinned; /* uploads and downloads by host memory; pinned: also registered */
    struct xs_shape largest[XS_TOP];
    size_t largest_count;
    struct xs_slow_transfer slowest[XS_TOP];
    size_t slowest_count;
    bool slowest_by_device; /* by device time; else by host time */
    struct xs_count_time graph_copies[XS_COPY_KIND_COUNT], graph_total;
    struct xs_count_time migrations[XS_MIGRATION_KIND_COUNT];
    struct xs_count_time memsets, memsets_device; /* device: without those of graphs */
    struct xs_count_time launches[XS_LAUNCH_KIND_COUNT], syncs[XS_SYNC_SCOPE_COUNT];
    uint64_t given_pinned, given_managed; /* launches of kernels that were given such memory of the host */
    struct xs_allocation_totals allocations[XS_MEMORY_KIND_COUNT];
    struct xs_failures failures;
    struct xs_where where;
    struct xs_coverage coverage;
    struct xs_cost cost;
    struct xs_note *notes;
    size_t note_count;
    uint64_t damaged_rows; /* rows with values that cannot be true, taken as 0 or left out */
};

/* Reads the trace and computes everything. On error returns a negative status and a one-line message naming the file
 * (XS_TRACE_MESSAGE_BYTES long), and the summary is empty. `trace` has to outlive the summary. */
int xs_summary_compute(const struct xs_trace *trace, struct xs_summary *summary, char *message);
/* The same with totals, largest and slowest of the transfers that were selected only; all else is of the whole trace.
 * NULL: all. */
struct xs_selection;
int xs_summary_compute_of(const struct xs_trace *trace, const struct xs_selection *selection,
                          struct xs_summary *summary, char *message);
void xs_summary_free(struct xs_summary *summary);

/* What xferspy itself took of the run: its start, what it added to the program's calls, device times, fingerprints,
 * page migrations, waits for a full spool, its own thread where no processor was free, the exit handler; at most the
 * whole run. Threads take their parts side by side, so of what is the sum of all threads it is the share of the thread
 * that made most calls. */
uint64_t xs_own_ns(const struct xs_summary *summary);
/* And what it took behind the run's end. */
uint64_t xs_spent_ns(const struct xs_summary *summary);
/* The same by what it went to. */
enum xs_cost_part {
    XS_COST_PROCESS, /* the start and the end of a process, the same however long it runs */
    XS_COST_CALLS,
    XS_COST_DEVICE_TIMES,
    XS_COST_FINGERPRINTS,
    XS_COST_MIGRATIONS,
    XS_COST_FULL_SPOOL,
    XS_COST_CONTENTION,
    XS_COST_PARTS
};
void xs_cost_parts(const struct xs_summary *summary, uint64_t ns[XS_COST_PARTS]);
/* What the run would have taken without xs_own_ns. Not known where threads' parts are more than half of the run: then
 * they did not lie in one thread. */
uint64_t xs_bare_ns(const struct xs_summary *summary);
bool xs_bare_is_known(const struct xs_summary *summary);

/* The highest link rate among the trace's devices, 0 where unknown. */
uint64_t xs_summary_link_peak(const struct xs_summary *summary);

#endif
