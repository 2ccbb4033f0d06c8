/* A job: the traces of processes that ran together, seen as one program. Only numbers of each trace are kept, so
 * that the traces can be read one after another. A finding that several traces have at the same line of the program
 * is one finding of the job. */
#ifndef XFERSPY_ANALYZER_COMMANDS_JOB_JOB_H
#define XFERSPY_ANALYZER_COMMANDS_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/callsites.h"

/* The spread of a number over the processes in which it is known, or over those with a finding. */
struct xs_job_spread {
    size_t count; /* number of processes; 0: all other fields are 0 */
    uint64_t min, median, max, mean, sum;
    size_t least, most; /* processes with min and max; the first if there are several */
};

/* The metrics of summary/metrics.def by which processes are compared. */
#define XS_JOB_COLUMNS(X)                                                                                              \
    X(WALL, WALL_TIME, "run_ns", "run")                                                                                \
    X(COPIED, TRANSFER_BYTES, "transfer_bytes", "copied")                                                              \
    X(DEVICE, DEVICE_TIME, "device_ns", "device time")                                                                 \
    X(EXPOSED, EXPOSED_TIME, "exposed_ns", "exposed")                                                                  \
    X(SAVES, SAVED_TIME, "saves_ns", "saves")
enum xs_job_column {
#define X(id, metric, key, title) XS_JOB_##id,
    XS_JOB_COLUMNS(X)
#undef X
        XS_JOB_COLUMN_COUNT,
};

struct xs_job_process {
    char *path;     /* as it was opened */
    char *label;    /* the rank, if no other process has it; else the file's name, or the whole path */
    bool is_ranked; /* the label is a rank */
    char *host, *command, *executable, *cwd, *status, *identity; /* identity NULL: not known */
    int64_t rank, world_size, pid, start_unix_ns;                /* rank -1: none */
    char *contents_unknown; /* a sentence: why contents are not known; "" if some are */
    bool is_live, is_snapshot, simulated, run_estimated;
    bool modelled;                    /* some of its device times are modelled */
    bool in_part;                     /* only a part of the run's calls was recorded */
    struct xs_recorded_time recorded; /* the time that shares refer to */
    bool repaired;                    /* its calls were left out or changed, or may have been (XFERSPY_REPAIR) */
    struct xs_metric_value columns[XS_JOB_COLUMN_COUNT];
    bool outlier[XS_JOB_COLUMN_COUNT]; /* far from the other processes: see xs_job_finish */
    struct xs_saving together;         /* saving if all its causes are repaired */
    char *bounds;                      /* a sentence: its savings are bounds; "" if a replay found them */
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
    const char *remedy;    /* static text, in the words of the line (findings/remedies.h) */
    char *entry_point;     /* never NULL */
    struct xs_frame frame; /* its texts and its helper belong to the job; valid if has_frame */
    bool has_frame;
    char *text;                  /* text of the frame's line; NULL: not known, or not shown */
    char *key;                   /* identity of the finding, equal in all processes */
    size_t home;                 /* the first process that has it; the frame's file is in this one's folder */
    bool advice, folded;         /* in all processes that have it */
    bool leads;                  /* in some process it is the first finding of a cause */
    struct xs_job_share *shares; /* in the order of processes */
    size_t share_count;
    uint64_t instances, transfers, bytes; /* over all processes */
    struct xs_job_spread saves_ns;        /* the most that it saves, over the processes that have it */
    struct xs_saving saves;               /* in the process that gains most */
    struct xs_sample sample;              /* sums over all processes */
};

/* A GPU of a host, by its PCI address. */
struct xs_job_device {
    char *host, *name, *pci_bus_id;
    int64_t id;
    size_t *processes; /* that used the device */
    size_t process_count;
};

/* What a filter let through in all traces. Findings, transfers and their times are what passed; runs are whole. */
struct xs_job_filter {
    char *text;                            /* from xs_filter_text; NULL: there was no filter */
    bool all_rows;                         /* the filter chose findings only */
    uint64_t transfers, passing, left_out; /* as in struct xs_selection, summed over the processes */
};

struct xs_job {
    struct xs_job_process *processes; /* by rank, those without a rank last; then by host, start, pid and path */
    size_t process_count;
    struct xs_job_finding
        *findings; /* first findings of causes, other findings, advice; each by the most that it saves in a process */
    size_t finding_count;
    struct xs_job_device *devices; /* used devices */
    size_t device_count;
    struct xs_job_spread columns[XS_JOB_COLUMN_COUNT];
    size_t host_count, program_count; /* distinct known ones */
    int64_t world_size;               /* the largest that a process reports; 0: none */
    int64_t start_unix_ns;            /* of the first process; 0: not known for all */
    uint64_t wall_ns;                 /* from the first start to the last end, by the hosts' clocks; 0: not known */
    size_t slowest;                   /* the process with the longest run */
    struct xs_job_filter filter;
};

/* The path of the process with this identity (analyzer/commands/common/traces.h); NULL: none. */
const char *xs_job_known(const struct xs_job *job, const char *identity);

/* Takes the numbers of one trace; keeps none of the arguments. `identity` may be NULL; `contents_unknown` is as in
 * struct xs_job_process. */
void xs_job_add(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *summary,
                const struct xs_diagnosis *diagnosis, const char *contents_unknown);

/* Puts everything in order and computes the rest; call it after the last trace. With four processes or more, a
 * process is an outlier in a column if its distance from the median is more than 10 % of the median, and more than
 * 4.5 times the median of all distances. */
void xs_job_finish(struct xs_job *job);
void xs_job_free(struct xs_job *job);

/* The executable, or the command if the executable is not known. */
const char *xs_job_program(const struct xs_job_process *process);

/* False: the processes cannot all have run at the same time, because the time from the first start to the last end
 * is longer than all of their runs together. */
bool xs_job_is_concurrent(const struct xs_job *job);

/* Finds the next ranks that there is no trace of, behind `ranks`, which is zeroed at first. False: there are no more,
 * or the job has no ranks at all. */
struct xs_job_ranks {
    int64_t first, last, next; /* next: where to go on */
};
bool xs_job_missing_ranks(const struct xs_job *job, struct xs_job_ranks *ranks);

/* The spread of `count` values. Value i belongs to process processes[i], or with NULL to process i. */
struct xs_job_spread xs_job_spread_of(const uint64_t *values, const size_t *processes, size_t count);

#endif
