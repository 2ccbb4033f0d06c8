/* A job consists of processes that ran together, each with a trace, and is reported as if it were one program. Only
 * numbers of each trace are kept, so that the traces can be read one after another. Findings that several traces have
 * at the same line of the program are one finding of the job. */
#ifndef XFERSPY_ANALYZER_COMMANDS_JOB_JOB_H
#define XFERSPY_ANALYZER_COMMANDS_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/callsites.h"

/* The spread of a number over the processes in which it is known, or over the processes that have a finding. */
struct xs_job_spread {
    size_t count; /* number of processes; 0: all other fields are 0 */
    uint64_t min, median, max, mean, sum;
    size_t least, most; /* the processes with min and with max; the first process if there are several */
};

/* These numbers are compared between processes. Each number has a metric of summary/metrics.def, a key of the JSON, and
 * a heading of the table's column. */
enum xs_job_column { XS_JOB_WALL, XS_JOB_COPIED, XS_JOB_DEVICE, XS_JOB_EXPOSED, XS_JOB_SAVES, XS_JOB_COLUMN_COUNT };
struct xs_job_column_names {
    enum xs_metric metric;
    const char *key, *title;
};
extern const struct xs_job_column_names xs_job_columns[XS_JOB_COLUMN_COUNT];

struct xs_job_process {
    char *path;  /* the path by which it was opened */
    char *label; /* the rank if no other process has the same rank; else the file's name, or the whole path if several
                    files have this name */
    bool is_ranked;                                              /* the label is a rank */
    char *host, *command, *executable, *cwd, *status, *identity; /* identity NULL: not known */
    int64_t rank, world_size, pid, start_unix_ns;                /* rank -1: none */
    char *contents_unknown; /* a sentence that says why no contents are known; "" if some are known */
    bool is_live, is_snapshot, simulated;
    bool is_cut;                      /* the process was killed, or did not close the trace */
    bool modelled;                    /* some of its device times are modelled */
    bool in_part;                     /* only a part of the run's calls was recorded */
    struct xs_recorded_time recorded; /* the time that shares refer to */
    bool repaired;                    /* calls were left out or changed by repairs, or may have been (XFERSPY_REPAIR) */
    struct xs_metric_value columns[XS_JOB_COLUMN_COUNT];
    bool outlier[XS_JOB_COLUMN_COUNT]; /* true if the value is far from the values of the other processes; see
                                          xs_job_finish */
    struct xs_saving together;         /* the saving if all causes in this process are repaired */
    char *bounds; /* a sentence that says that the savings of this process are bounds; "" if a replay computed them */
};

/* The part of a finding that one process has. */
struct xs_job_share {
    size_t process;
    uint64_t instances, transfers, bytes, saves_ns;
    struct xs_times cost;
    struct xs_saving saves;
    struct xs_sample sample;
};

struct xs_job_finding {
    unsigned detector, verdict;
    const char *remedy;    /* static text, in the terms of the library that the line uses (words/remedies.h) */
    char *entry_point;     /* never NULL */
    struct xs_frame frame; /* valid if has_frame; the job owns the frame's texts and its helper */
    bool has_frame;
    char *text;                  /* text of the frame's line; NULL: not known, or not shown */
    char *key;                   /* identity of the finding, equal in all processes */
    size_t home;                 /* the first process that has the finding; the frame's file is relative to the folder
                                    of this process */
    bool advice, folded;         /* true if the finding is advice, or is folded, in all processes that have it */
    bool leads;                  /* the finding is the first of a cause in at least one process */
    struct xs_job_share *shares; /* in the order of processes */
    size_t share_count;
    uint64_t instances, transfers, bytes; /* over all processes */
    struct xs_job_spread saves_ns;        /* the largest saving in a process, over the processes that have the
                                             finding */
    struct xs_saving saves;               /* the finding's saving in the process that gains most */
    struct xs_sample sample;              /* sums over all processes */
};

/* A GPU of a host, by its PCI address. */
struct xs_job_device {
    char *host, *name, *pci_bus_id;
    int64_t id;
    size_t *processes; /* the processes that used the device */
    size_t process_count;
};

/* Tells how much of all traces passes a filter. Findings, transfers and their times cover only what passes; the times
 * of runs cover whole runs. */
struct xs_job_filter {
    char *text;                            /* from xs_filter_text; NULL: there was no filter */
    bool all_rows;                         /* the filter selects findings only */
    uint64_t transfers, passing, left_out; /* as in struct xs_selection, summed over the processes */
};

struct xs_job {
    struct xs_job_process *processes; /* sorted by rank, processes without a rank last; then by host, start, pid and
                                         path */
    size_t process_count;
    struct xs_job_finding *findings; /* sorted: first the findings that are the first of a cause, then other
                                        findings, then advice; each group by the largest saving in a process */
    size_t finding_count;
    struct xs_job_device *devices; /* the devices that were used */
    size_t device_count;
    struct xs_job_spread columns[XS_JOB_COLUMN_COUNT];
    size_t host_count, program_count; /* numbers of different hosts and programs, as far as known */
    int64_t world_size;               /* the largest world size that a process reports; 0: none */
    int64_t start_unix_ns;            /* start of the first process; 0: the start of at least one process is not
                                         known */
    uint64_t wall_ns; /* from the first start to the last end, according to the hosts' clocks; 0: not known */
    size_t slowest;   /* the process with the longest run */
    struct xs_job_filter filter;
};

/* Returns the path of the trace with this identity (analyzer/commands/common/traces.h); NULL: none. */
const char *xs_job_known(const struct xs_job *job, const char *identity);

/* Adds the numbers of one trace to the job. Keeps no pointer to the arguments. `identity` may be NULL;
 * `contents_unknown` is as in struct xs_job_process. */
void xs_job_add(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *summary,
                const struct xs_diagnosis *diagnosis, const char *contents_unknown);

/* Sorts processes and findings, and computes labels, spreads, outliers and the other fields that depend on all
 * processes. Must be called after the last trace was added. With four processes or more, a process is an outlier in a
 * column if its distance from the median is more than 10 % of the median, and more than 4.5 times the median of all
 * distances. */
void xs_job_finish(struct xs_job *job);
void xs_job_free(struct xs_job *job);

/* Returns the executable, or the command if the executable is not known. */
const char *xs_job_program(const struct xs_job_process *process);

/* False: the processes cannot all have run at the same time, because the time from the first start to the last end is
 * longer than the sum of all their runs. */
bool xs_job_is_concurrent(const struct xs_job *job);

/* xs_job_missing_ranks sets `ranks` to the next range of ranks that have no trace. `ranks` must be zeroed before the
 * first call. Returns false if there are no more such ranks, or the job has no ranks. */
struct xs_job_ranks {
    int64_t first, last, next; /* next: the rank at which the next search begins */
};
bool xs_job_missing_ranks(const struct xs_job *job, struct xs_job_ranks *ranks);

/* Returns the spread of `count` values. Value i belongs to process processes[i], or, if `processes` is NULL, to process
 * i. */
struct xs_job_spread xs_job_spread_of(const uint64_t *values, const size_t *processes, size_t count);

#endif
