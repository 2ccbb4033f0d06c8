/* A job: the traces of processes that ran together, seen as one. Only numbers are kept of each trace, so that the
 * traces can be read one after another. If several traces have a finding at the same line of the program, that is one
 * finding of the job. */
#ifndef XFERSPY_ANALYZER_JOB_JOB_H
#define XFERSPY_ANALYZER_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/findings/engine/findings.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/totals/summary/summary.h"
#include "analyzer/trace/callsites.h"

/* A number over the processes of which it is known, or over those that have a finding. */
struct xs_job_spread {
    size_t count; /* of processes; 0: the rest is 0 */
    uint64_t min, median, max, mean, sum;
    size_t least, most; /* processes, the first of several */
};

/* By which processes are compared: metrics of summary/metrics.def. */
#define XS_JOB_COLUMNS(X)                                                                                              \
    X(WALL, WALL_TIME, "run_ns", "run")                                                                                \
    X(COPIED, TRANSFER_BYTES, "transfer_bytes", "copied")                                                              \
    X(DEVICE, DEVICE_TIME, "device_ns", "device time")                                                                 \
    X(EXPOSED, EXPOSED_TIME, "exposed_ns", "exposed")                                                                  \
    X(REMOVABLE, REMOVABLE_TIME, "gives_back_ns", "saves")
enum xs_job_column {
#define X(id, metric, key, title) XS_JOB_##id,
    XS_JOB_COLUMNS(X)
#undef X
        XS_JOB_COLUMN_COUNT,
};

struct xs_job_process {
    char *path;     /* as it was opened */
    char *label;    /* its rank, where no other has the same; else its file's name, or all of the path */
    bool is_ranked; /* the label is a rank */
    char *host, *command, *executable, *cwd, *status, *identity; /* identity NULL: not known */
    int64_t rank, world_size, pid, start_unix_ns;                /* rank -1: none */
    char *contents_unknown; /* why contents are not known, a sentence; "" where some are */
    char *withheld;         /* why the text of lines is not shown, a sentence; "" where none is withheld */
    bool is_live, is_snapshot, simulated, run_estimated;
    bool modelled;                    /* a part of its device times is */
    bool in_part;                     /* calls of the rest of the run were left out */
    struct xs_recorded_time recorded; /* what shares are of */
    bool repaired;                    /* calls of it were left out or changed, or may have been (XFERSPY_REPAIR) */
    struct xs_metric_value columns[XS_JOB_COLUMN_COUNT];
    bool outlier[XS_JOB_COLUMN_COUNT]; /* far from the others: see xs_job_finish */
    struct xs_saving together;         /* all its causes repaired */
    char *bounds;                      /* that its savings are bounds, a sentence; "" where a replay found them */
};

/* What one process has of a finding. */
struct xs_job_share {
    size_t process;
    uint64_t instances, transfers, bytes, gives_back_ns;
    struct xs_times cost;
    struct xs_saving saves;
    struct xs_sample sample;
};

struct xs_job_finding {
    unsigned detector, verdict;
    const char *remedy;    /* static: in the words of the line (findings/remedies.h) */
    char *entry_point;     /* never NULL */
    struct xs_frame frame; /* its texts and its helper are the job's; used where has_frame */
    bool has_frame;
    char *text;                  /* of the frame's line; NULL: not known, or not to be shown */
    char *key;                   /* what is the same of it in all processes */
    size_t home;                 /* the process whose folder the frame's file is in: the first that has it */
    bool advice, folded;         /* in all that have it */
    bool leads;                  /* in one of them it is the first finding of a cause */
    struct xs_job_share *shares; /* by process */
    size_t share_count;
    uint64_t instances, transfers, bytes; /* of all */
    struct xs_job_spread gives_back;      /* over those that have it: what it saves at most */
    struct xs_saving saves;               /* of the process that gains most */
    struct xs_sample sample;              /* of all: sums */
};

/* A GPU of a host, by its PCI address. */
struct xs_job_device {
    char *host, *name, *pci_bus_id;
    int64_t id;
    size_t *processes; /* that used it */
    size_t process_count;
};

/* What a filter let through of all traces: findings, transfers and what they took are of that, runs are whole. */
struct xs_job_filter {
    char *text;                            /* xs_filter_text's; NULL: there was none */
    bool all_rows;                         /* only findings were chosen */
    uint64_t transfers, passing, left_out; /* as in struct xs_selection, over the processes */
};

struct xs_job {
    struct xs_job_process *processes; /* by rank, those without one last; then by host, start, pid and path */
    size_t process_count;
    struct xs_job_finding
        *findings; /* what leads a cause, other findings, advice; each by the most that it saves in a process */
    size_t finding_count;
    struct xs_job_device *devices; /* that were used */
    size_t device_count;
    struct xs_job_spread columns[XS_JOB_COLUMN_COUNT];
    size_t host_count, program_count; /* distinct ones that are known */
    int64_t world_size;               /* the largest that a process says, 0: none */
    int64_t start_unix_ns;            /* of the first process, 0: not known of all */
    uint64_t wall_ns;                 /* from the first start to the last end, by the hosts' clocks; 0: not known */
    size_t slowest;                   /* the process with the longest run */
    struct xs_job_filter filter;
};

/* The path of the process that has this identity (analyzer/commands/common/traces.h), NULL: none. */
const char *xs_job_known(const struct xs_job *job, const char *identity);

/* Takes the numbers of one trace. `identity` may be NULL; `contents_unknown` is as in the process. Nothing of what it
 * is given is kept. */
void xs_job_add(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *summary,
                const struct xs_findings *findings, const char *contents_unknown);

/* After the last: puts everything in order and computes the rest. A process is an outlier in a column where it is
 * further from the median than 10 % of it and than 4.5 times the median of these distances, of four processes or
 * more. */
void xs_job_finish(struct xs_job *job);
void xs_job_free(struct xs_job *job);

/* The executable, where that is not known the command. */
const char *xs_job_program(const struct xs_job_process *process);

/* False where the processes cannot all have run at the same time: from the first start to the last end is longer than
 * all of their runs together. */
bool xs_job_is_concurrent(const struct xs_job *job);

/* Finds the next ranks that there is no trace of, behind `ranks`, which is zeroed at first. False: there are no more,
 * or the job has no ranks at all. */
struct xs_job_ranks {
    int64_t first, last, next; /* next: where to go on */
};
bool xs_job_missing_ranks(const struct xs_job *job, struct xs_job_ranks *ranks);

/* Spread of `count` values, of process `processes[i]` each, NULL: of process i. */
struct xs_job_spread xs_job_spread_of(const uint64_t *values, const size_t *processes, size_t count);

#endif
