/* What the files of `xferspy fleet` share: which runs are counted, and what they add up to. */
#ifndef XFERSPY_ANALYZER_COMMANDS_FLEET_FLEET_H
#define XFERSPY_ANALYZER_COMMANDS_FLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"
#include "analyzer/base/json.h"
#include "analyzer/base/out.h"
#include "analyzer/commands/fleet_files/fleet_files.h"

/* What the rows of the answer are. Rows for places are made of findings, all others of runs. */
enum xs_fleet_by {
    XS_FLEET_BY_PLACE, /* a finding at a place of a program */
    XS_FLEET_BY_FINDING,
    XS_FLEET_BY_PROGRAM,
    XS_FLEET_BY_DAY,
    XS_FLEET_BY_HOST,
    XS_FLEET_BY_JOB,
    XS_FLEET_BY_CLUSTER,
    XS_FLEET_BY_GPU,
    XS_FLEET_BY_LABEL
};
enum xs_fleet_sort {
    XS_FLEET_SORT_WASTED,
    XS_FLEET_SORT_SHARE,
    XS_FLEET_SORT_RUNS,
    XS_FLEET_SORT_LAST,
    XS_FLEET_SORT_NAME
};

#define XS_DAY_US INT64_C(86400000000)

struct xs_fleet_question {
    enum xs_fleet_by by;
    const char *label; /* key of the label, for XS_FLEET_BY_LABEL */
    enum xs_fleet_sort sort;
    const char *program; /* only runs of programs with such a name, a pattern as of a shell; NULL: all */
    const char *label_key, *label_value; /* only runs with this label; NULL: all */
    int64_t since_us;                    /* only runs that began then or later; INT64_MIN: all */
    int64_t changed_us;                  /* what is new since then, and what is gone; INT64_MIN: not asked */
    size_t top;
};

/* A run that is counted. Texts are kept by struct xs_fleet, so equal ones have equal addresses. */
struct xs_fleet_run {
    const char *program, *group, *commit; /* group: its row, if rows are made of runs; commit: the label git_commit */
    int64_t start_us;
    uint64_t gpus, gpu_ns;  /* gpu_ns: its duration, times its devices */
    uint32_t findings_from; /* number of the file whose findings of this run are counted; 0: none yet */
    bool is_left_out;
};

struct xs_fleet_day {
    int64_t day; /* since 1970 */
    uint64_t runs, wasted_ns, gpu_ns;
};

/* A row of the answer. Times are GPU time: a time of the run, times its devices. */
struct xs_fleet_row {
    const char *name;                      /* the key that is not a place; NULL: not known */
    const char *program, *place, *finding; /* of a place */
    uint64_t runs, instances;
    uint64_t wasted_ns, least_wasted_ns;
    uint64_t gpu_ns; /* of the row's runs */
    int64_t first_us, last_us;
    const char *first_commit;
    uint32_t last_run; /* index + 1 of the run that was counted last */
    struct xs_fleet_day *days;
    size_t day_count, day_capacity;
    /* if it was asked what has changed */
    uint64_t before_ns, before_runs; /* wasted before that time, and runs before */
    bool is_new, is_gone;
    const char *changed_commit; /* of the first run with it, or of the program's first run without it */
};

struct xs_fleet {
    const struct xs_fleet_question *question;
    struct xs_texts texts;
    struct xs_fleet_run *runs;
    size_t run_count, run_capacity;
    struct xs_hash run_of; /* maps run_id to the run's index + 1 */
    struct xs_hash row_of;
    struct xs_hash label_of; /* maps the address of labels to the address of a label's value + 1 */
    struct xs_hash programs, hosts;
    struct xs_fleet_row **rows; /* sorted, after xs_fleet_finish */
    size_t row_count;
    uint64_t gpu_ns, wasted_ns, least_wasted_ns; /* of all counted runs, with all causes of a run repaired together */
    uint64_t counted, left_out, repeated;        /* runs; repeated: found a second time */
    uint64_t without_run;                        /* findings of runs that have no row in the table of runs yet */
    int64_t first_us, last_us;
    size_t files, unreadable;
};

void xs_fleet_begin(struct xs_fleet *fleet, const struct xs_fleet_question *question);
void xs_fleet_free(struct xs_fleet *fleet);

/* Adds rows of the table of runs, then rows of the table of findings, which must follow all runs. `file` is the number
 * of the file, from 1: a run that is in several files is counted once. */
void xs_fleet_add_runs(struct xs_fleet *fleet, const struct xs_rows *rows);
void xs_fleet_add_findings(struct xs_fleet *fleet, const struct xs_rows *rows, uint32_t file);
/* Which columns these functions need, by column of the table. */
extern const bool xs_fleet_wants_runs[], xs_fleet_wants_findings[];

/* Sorts the rows, and finds what has changed. */
void xs_fleet_finish(struct xs_fleet *fleet);

/* Returns the value of a label, as a kept text; NULL: the run does not have the label. */
const char *xs_fleet_label(struct xs_fleet *fleet, const char *labels, const char *key);

/* Reads a folder of fleet files, or traces (fleet_read.c). Returns an exit status; files that cannot be read are named
 * on standard error, and the others are counted. */
int xs_fleet_read(struct xs_fleet *fleet, char *const *arguments, int count);

/* The names of fleet files of a table below a folder, sorted. */
struct xs_fleet_paths {
    char **paths;
    size_t count, capacity;
};
int xs_fleet_find(const char *folder, const char *table, struct xs_fleet_paths *paths);
void xs_fleet_paths_free(struct xs_fleet_paths *paths);
bool xs_fleet_is_folder(const char *path); /* true if it has a table of runs */

/* Joins the files of each day and cluster (fleet_compact.c). The new files are in the partition XS_FLEET_COMPACTED.
 * Returns an exit status. */
#define XS_FLEET_COMPACTED "/job=compacted/"
int xs_fleet_compact(const char *folder, struct xs_out *out);

/* Printers. They compute nothing. */
#define XS_FLEET_JSON_VERSION 1
void xs_fleet_text(const struct xs_fleet *fleet, struct xs_out *out);
void xs_fleet_markdown(const struct xs_fleet *fleet, struct xs_out *out);
void xs_fleet_csv(const struct xs_fleet *fleet, struct xs_out *out);
void xs_fleet_json(const struct xs_fleet *fleet, struct xs_out *out);

/* Words that the printers share. */
void xs_fleet_day_text(char text[static 24], int64_t us); /* "2026-01-31" */
const char *xs_fleet_by_header(const struct xs_fleet_question *question);
void xs_fleet_row_name(struct xs_string *text, const struct xs_fleet_row *row);    /* not escaped */
void xs_fleet_gpu_time(struct xs_string *text, uint64_t ns);                       /* "3.2 h", below an hour as times */
void xs_fleet_change_text(struct xs_string *text, const struct xs_fleet_row *row); /* "new, first in 1a2b3c4d" */

#endif
