/* Holds the numbers that a report states about one trace. They are computed once, in summary*.c. The files of
 * commands/report print them as text or JSON, and compute nothing. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/totals/summary/repaired.h"
#include "analyzer/totals/summary/summary_failures.h"
#include "analyzer/totals/summary/summary_where.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/labels.h"
#include "analyzer/trace/windows/capture_ranges.h"
#include "schema/read/trace.h"

#define XS_THIS_IS_A_SNAPSHOT "This is a snapshot of a running process"

enum { XS_STEP_NAME_BYTES = 256 };
enum { XS_TOP = 5 }; /* the most rows that `largest` and `slowest` have */

/* The part of meta that a report shows. Texts are never NULL. */
struct xs_run {
    char *command, *executable, *cwd, *host, *status, *xferspy_version, *clock, *os, *cpu_model;
    char *importer, *import_version; /* the profiler that the trace was imported from; "" if xferspy recorded it */
    int64_t pid, rank, world_size;   /* rank -1: no launcher set a rank */
    int64_t start_unix_ns, driver_version;
    uint64_t duration_ns;
    bool duration_estimated; /* the trace does not have the end of the run; the duration then ends at the latest time
                                in the trace */
    struct xs_labels labels;
    bool is_snapshot; /* the trace is a copy made while the process ran */
    bool simulated;
    char *cupti_status, *cupti_text, *cupti_path;
    int64_t cupti_version;
    bool kernels_recorded; /* recording kernels was requested, and CUPTI ran; the trace may still have no kernels */
};

struct xs_device_summary {
    int64_t id;
    char *name, *pci_bus_id, *compute_capability;
    uint64_t memory_bytes, link_generation, link_width, link_peak_bytes_per_s;
    bool simulated, known;                               /* known: the device table has a row for this device */
    uint64_t copy_busy_ns, kernel_busy_ns, both_busy_ns; /* unions over all streams */
    uint64_t kernels, kernel_ns;                         /* kernel_ns: the sum over all kernels */
    uint64_t kernels_modelled;                           /* kernels with modelled times */
};

struct xs_totals {
    uint64_t count, bytes, async_count;
    uint64_t empty_count;                         /* transfers of 0 bytes, for which there is no device record */
    uint64_t host_ns;                             /* time inside the calls; a batch call counts once */
    uint64_t timed_count, timed_bytes, device_ns; /* transfers with known device times, measured or modelled */
    uint64_t modelled_count, modelled_ns;         /* transfers with modelled device times */
    uint64_t blocking_count, blocking_bytes, blocking_host_ns;
};

struct xs_transfer_group {
    enum xs_direction direction;
    enum xs_memory_kind src_kind, dst_kind;
    struct xs_totals totals;
};

/* A group of transfers with the same entry point, kinds and size. */
struct xs_transfer_shape {
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
    uint64_t device_ns; /* for launches and memsets: device time of the kernels and memsets that they started */
    uint64_t modelled;  /* how many of the kernels and memsets in device_ns have modelled times */
};

struct xs_allocation_totals {
    uint64_t count, bytes, peak_bytes, host_ns;
    uint64_t frees, free_host_ns;
    uint64_t live_count, live_bytes; /* allocations that exist at the end of the trace */
};

struct xs_note {
    char *topic, *text;
    uint64_t count;
    int64_t at_ns; /* time of the first note of this topic; INT64_MIN: not known */
};

struct xs_coverage {
    uint64_t host_transfers, host_captured, host_failed, host_empty; /* host_empty: transfers of 0 bytes, for which
                                                                        there is no device record */
    uint64_t matched, modelled, without_record; /* modelled: transfers outside the windows in which device times were
                                                   recorded */
    uint64_t device_copies, device_copies_graph, without_event; /* numbers of measured rows of device_copy: all rows,
                                                                   rows of graphs; without_event: number of other rows
                                                                   without a correlation number */
    uint64_t migration_rests, migrations_ns; /* how often the recording of page migrations paused; how long page
                                                migrations were recorded */
    uint64_t nested, left, dropped, skipped_events, dropped_records; /* counters that capture kept */
    bool stacks_recorded;
    uint64_t without_stack; /* transfers without a stack, if stacks were recorded */
};

struct xs_cost {
    bool known;
    uint64_t start_ns, cupti_start_ns, close_ns, drain_cpu_ns, spool_stalls, spool_stall_ns, spool_bytes, events;
    uint64_t fingerprint_start_ns, fingerprint_call_ns, fingerprint_kernel_ns, fingerprint_device_bytes;
    uint64_t fingerprint_launches;
    uint64_t samples, samples_ns; /* number of samples of what threads did between their calls; CPU time of the drain
                                     thread for these samples */
    bool watched_downloads;       /* downloads were watched (XFERSPY_HOST_READS) */
    uint64_t host_reads_ns;       /* time of the drain thread for finding out what the host read of downloads */
    /* If `budgeted` is true, the trace says how much of the program's time recording took, also in a run without a
     * budget. If it is false, begin_ns is the sum of start_ns and cupti_start_ns, and the other times below are not
     * known. */
    bool budgeted;
    uint64_t begin_ns, wrappers_ns, device_times_ns; /* the program's time that was used for xferspy's start, in the
                                                        wrappers of calls, and for recording device times */
    uint64_t migrations_ns, exit_ns; /* time used for recording page migrations, and in the exit handler */
    uint64_t contention_ns;          /* upper bound: time of the drain thread while no processor was free */
    uint64_t held_ns;                /* the part of device_times_ns in which all threads were stopped at the same
                                        time */
    uint64_t budget_percent;         /* 0: no budget */
    uint64_t detachments;
    uint64_t calls, busiest_calls; /* number of calls in the trace: of all threads, and of the thread that made most
                                      calls; 0: not known */
};

/* Describes a trace that reached its size limit: from `from_ns` to `to_ns`, at least one of every `one_in` rows was
 * kept. (In a ledger, `rows` is the number of calls and records that are only in sums, and the other fields are 0.)
 * Counts and sums of transfers, launches, waits, memsets, kernels and device work include the dropped rows, unless the
 * summary is `selected`. Everything else is about the kept rows only. */
struct xs_thinned {
    uint64_t rows, one_in; /* rows: the number of dropped rows; 0: none */
    int64_t from_ns, to_ns;
};

/* Describes which steps were recorded, if the user requested steps (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP).
 */
enum xs_recorded_by { XS_RECORDED_ALL, XS_RECORDED_BY_RANGE, XS_RECORDED_BY_WAIT, XS_RECORDED_NONE };
struct xs_recorded_steps {
    enum xs_recorded_by by;   /* ALL: no steps were requested; NONE: no waiting call was found that marks the steps */
    uint64_t first, count;    /* number of the first recorded step, counted from 1, and how many steps were recorded; 0
                                 and 0: none */
    uint64_t passed;          /* number of steps that the program began, or ended if a wait marks their ends */
    uint64_t skipped, wanted; /* as the user requested; wanted 0: all steps after the skipped ones */
    char name[XS_STEP_NAME_BYTES]; /* name of the NVTX range, or of the wait's entry point; for ALL, the value of
                                    * XFERSPY_WINDOW, or XS_RECORDED_BY_COMMAND if commands started and stopped the
                                    * recording; not escaped */
};
#define XS_RECORDED_BY_COMMAND "xferspy start" /* commands started and stopped the recording (XFERSPY_START=off) */

struct xs_summary {
    const struct xs_trace *trace;
    struct xs_thinned thinned;
    struct xs_capture_ranges looked_at; /* which parts of the run were recorded. Counts and sums, except those of
                                         * allocations, cover only these parts; in a ledger, those of calls and device
                                         * work also cover what was recorded for sums */
    struct xs_recorded_steps recorded_steps;
    struct xs_recorded_time recorded; /* the time to which percentages refer */
    struct xs_recorded_time totals;   /* the time to which percentages of totals refer; in a ledger, this includes the
                                       * time outside of the parts whose calls are in sums (xs_totals_time) */
    struct xs_repaired repaired;
    bool selected; /* the fields from `groups` to `slowest` cover only the transfers that pass a filter */
    struct xs_run run;
    struct xs_device_summary *devices;
    size_t device_count;
    struct xs_transfer_group *groups; /* sorted by device time if any is known, else by bytes; largest first */
    size_t group_count;
    struct xs_totals all;
    struct xs_totals pageable, pinned; /* uploads and downloads, by kind of host memory; pinned includes registered
                                          memory */
    struct xs_transfer_shape largest[XS_TOP];
    size_t largest_count;
    struct xs_slow_transfer slowest[XS_TOP];
    size_t slowest_count;
    bool slowest_by_device; /* true: `slowest` is sorted by device time; false: by host time */
    struct xs_count_time graph_copies[XS_COPY_KIND_COUNT], graph_total;
    struct xs_count_time migrations[XS_MIGRATION_KIND_COUNT];
    struct xs_count_time memsets, memsets_device; /* memsets_device: without memsets of graphs */
    struct xs_count_time launches[XS_LAUNCH_KIND_COUNT], syncs[XS_SYNC_SCOPE_COUNT];
    uint64_t given_pinned, given_managed; /* kernel launches with an argument that points to pinned or to managed
                                             memory */
    struct xs_allocation_totals allocations[XS_MEMORY_KIND_COUNT];
    struct xs_failures failures;
    struct xs_where where;
    struct xs_coverage coverage;
    struct xs_cost cost;
    struct xs_note *notes;
    size_t note_count;
    uint64_t damaged_rows; /* rows with impossible values, which were read as 0, or left out */
};

/* Reads the trace and computes everything. If `selection` is not NULL, the totals, `largest` and `slowest` are of the
 * selected transfers only; everything else is of the whole trace. On error, returns a negative status, writes one line
 * that names the file into `message` (XS_TRACE_MESSAGE_BYTES long), and leaves the summary empty. `trace` must outlive
 * the summary. */
struct xs_selection;
int xs_summary_compute(const struct xs_trace *trace, const struct xs_selection *selection, struct xs_summary *summary,
                       char *message);
void xs_summary_free(struct xs_summary *summary);

/* Returns how much time of the run xferspy itself used; the result is at most the duration of the run. This is the time
 * for xferspy's start, in the program's calls, for device times, fingerprints and page migrations, for waiting until a
 * full spool has room, for xferspy's thread while no processor was free, and in the exit handler. Threads spend parts
 * of this time in parallel. A sum over all threads is therefore reduced to the share of the thread that made most
 * calls. */
uint64_t xs_own_ns(const struct xs_summary *summary);
/* Returns the whole cost: the sum of xs_own_ns and the time that xferspy used after the run's end. */
uint64_t xs_spent_ns(const struct xs_summary *summary);
/* Splits xs_spent_ns by what the time was used for. */
enum xs_cost_part {
    XS_COST_PROCESS, /* start and end of a process; does not grow with the length of the run */
    XS_COST_CALLS,
    XS_COST_DEVICE_TIMES,
    XS_COST_FINGERPRINTS,
    XS_COST_MIGRATIONS,
    XS_COST_FULL_SPOOL,
    XS_COST_CONTENTION,
    XS_COST_PARTS
};
void xs_cost_parts(const struct xs_summary *summary, uint64_t ns[XS_COST_PARTS]);
/* Returns the run's time without xs_own_ns. This time is not known if the part for the busiest thread is more than half
 * of the run, because then the time was probably not spent in one thread. */
uint64_t xs_bare_ns(const struct xs_summary *summary);
bool xs_bare_is_known(const struct xs_summary *summary);

/* Returns the highest link rate (bytes per second) of the trace's devices; 0 if not known. */
uint64_t xs_summary_link_peak(const struct xs_summary *summary);

#endif
