/* Fleet files: the numbers of runs as typed tables in Parquet files, one row for each run, finding, call site, wait and
 * idle time. Databases read these files (docs/use/fleet.md), and so does `xferspy fleet`. */
#ifndef XFERSPY_ANALYZER_COMMANDS_FLEET_FILES_FLEET_FILES_H
#define XFERSPY_ANALYZER_COMMANDS_FLEET_FILES_FLEET_FILES_H

#include "analyzer/commands/common/reading.h"
#include "analyzer/parquet/rows.h"

enum xs_fleet_table {
#define XS_FLEET_TABLE(name) XS_FLEET_TABLE_##name,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_FLEET_TABLES
};

/* Numbers of columns: XS_COMMON_run_id in every table, XS_FINDINGS_name in the table of findings. */
enum xs_common_column {
#define XS_FLEET_COMMON(column, type) XS_COMMON_##column,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_COMMON_COLUMNS
};
enum xs_findings_column {
    XS_FINDINGS_BEFORE = XS_COMMON_COLUMNS - 1,
#define XS_FLEET_FINDINGS(column, type) XS_FINDINGS_##column,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_FINDINGS_COLUMNS
};
enum xs_sites_column {
    XS_SITES_BEFORE = XS_COMMON_COLUMNS - 1,
#define XS_FLEET_SITES(column, type) XS_SITES_##column,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_SITES_COLUMNS
};
enum xs_waits_column {
    XS_WAITS_BEFORE = XS_COMMON_COLUMNS - 1,
#define XS_FLEET_WAITS(column, type) XS_WAITS_##column,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_WAITS_COLUMNS
};
enum xs_idle_column {
    XS_IDLE_BEFORE = XS_COMMON_COLUMNS - 1,
#define XS_FLEET_IDLE(column, type) XS_IDLE_##column,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_IDLE_COLUMNS
};
enum xs_runs_column {
    XS_RUNS_BEFORE = XS_COMMON_COLUMNS - 1,
#define XS_FLEET_RUNS(column, type) XS_RUNS_##column,
#include "analyzer/commands/fleet_files/fleet_columns.def"
    XS_RUNS_COLUMNS
};

struct xs_fleet_table_info {
    const char *name;
    const struct xs_column *columns;
    unsigned column_count;
};
extern const struct xs_fleet_table_info xs_fleet_tables[XS_FLEET_TABLES];

/* The rows of some runs, in all tables. */
struct xs_fleet_rows {
    struct xs_rows of[XS_FLEET_TABLES];
};
void xs_fleet_rows_begin(struct xs_fleet_rows *rows);
void xs_fleet_rows_free(struct xs_fleet_rows *rows);

/* Adds the rows of a run. The reading must have been made with xs_fleet_analysis. */
void xs_fleet_rows_of(struct xs_fleet_rows *rows, const struct xs_reading *reading);
extern const struct xs_analysis_options xs_fleet_analysis;

/* Makes the files of a run in the folder `DIR/TABLE/dt=DAY/cluster=NAME/job=ID`, one for each table that has rows. The
 * folders are made, too. A file appears whole or not at all. Its name is made of the run, so no other run has it, and
 * a run that is written again replaces its files. Returns XS_EXIT_OK, or XS_EXIT_ERROR after a message. */
int xs_fleet_write_run(const char *folder, const struct xs_reading *reading);

/* Writes rows `from` to `to` of a table to `file`. */
struct xs_rows;
void xs_fleet_write_rows(FILE *file, enum xs_fleet_table table, const struct xs_rows *rows, size_t from, size_t to);

/* Adds "dt=2026-01-31/cluster=NAME/job=ID". A NULL name becomes "unknown". */
void xs_fleet_add_partition(struct xs_string *path, int64_t start_us, const char *cluster, const char *job);

/* Begins a file that gets its name when it is complete. Returns NULL after a message. `folder` is the folder of the
 * name. `temporary` gets the present name. */
FILE *xs_fleet_begin_file(const char *folder, struct xs_string *temporary);
/* Closes the file, and gives it its name; removes it if anything failed. Returns XS_EXIT_OK, or XS_EXIT_ERROR after a
 * message. */
int xs_fleet_end_file(FILE *file, const char *temporary, const char *path);

#endif
