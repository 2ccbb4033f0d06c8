/* Reads fleet files and traces for `xferspy fleet`; see fleet.h. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/sort.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/fleet/fleet.h"
#include "analyzer/parquet/read.h"

enum { DEEPEST = 8 /* folders below the table */, NAMED = 5 /* files that cannot be read are named, up to so many */ };

/* --- paths --- */

bool xs_fleet_is_folder(const char *path) {
    struct stat st;
    XS_SCOPED char *runs = xs_text_format("%s/%s", path, xs_fleet_tables[XS_FLEET_TABLE_runs].name);
    return stat(runs, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A run that was written again after its first file was joined with others is in two files. The later one comes first,
 * because the first one that is read counts. */
static int by_age_and_name(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    bool x_is_joined = strstr(x, XS_FLEET_COMPACTED) != NULL, y_is_joined = strstr(y, XS_FLEET_COMPACTED) != NULL;
    return x_is_joined != y_is_joined ? (x_is_joined ? 1 : -1) : strcmp(x, y);
}

static void add_path(struct xs_fleet_paths *paths, const char *path) {
    xs_grow(&paths->paths, paths->count, &paths->capacity, sizeof *paths->paths);
    paths->paths[paths->count++] = xs_strdup(path);
}

int xs_fleet_find(const char *folder, const char *table, struct xs_fleet_paths *paths) {
    XS_SCOPED char *root = xs_text_format("%s/%s", folder, table);
    char *roots[] = {root, NULL};
    int status = XS_EXIT_OK;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    for (FTSENT *entry; walk && (entry = fts_read(walk));) {
        bool is_hidden = entry->fts_level > 0 && (*entry->fts_name == '.' || *entry->fts_name == '_');
        if (entry->fts_info == FTS_D && (is_hidden || entry->fts_level > DEEPEST))
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F && !is_hidden && xs_text_ends_with(entry->fts_name, ".parquet"))
            add_path(paths, entry->fts_path);
        else if (entry->fts_info == FTS_DNR || (entry->fts_info == FTS_NS && entry->fts_level > 0)) {
            xs_complain("%s: cannot be read: %s", entry->fts_path, strerror(entry->fts_errno));
            status = XS_EXIT_ERROR;
        }
    }
    if (walk)
        fts_close(walk);
    xs_sort(paths->paths, paths->count, sizeof *paths->paths, by_age_and_name);
    return status;
}

void xs_fleet_paths_free(struct xs_fleet_paths *paths) {
    for (size_t i = 0; i < paths->count; i++)
        free(paths->paths[i]);
    free(paths->paths);
    *paths = (struct xs_fleet_paths){0};
}

/* --- files --- */

static void complain_unreadable(struct xs_fleet *fleet, const char *path, const char *why) {
    if (fleet->unreadable++ < NAMED)
        xs_complain("%s: left out: %s", path, why);
}

/* Reads a file group by group, so that memory does not grow with the length of the file. */
static void read_file(struct xs_fleet *fleet, const char *path, enum xs_fleet_table table, struct xs_rows *rows,
                      uint32_t number) {
    bool is_runs = table == XS_FLEET_TABLE_runs;
    struct xs_parquet_reader r;
    bool is_fine = xs_parquet_open(&r, AT_FDCWD, path);
    for (size_t group = 0; is_fine && group < r.group_count; group++) {
        xs_rows_clear(rows);
        is_fine = xs_parquet_read(&r, group, rows, is_runs ? xs_fleet_wants_runs : xs_fleet_wants_findings);
        if (is_fine && is_runs)
            xs_fleet_add_runs(fleet, rows);
        else if (is_fine)
            xs_fleet_add_findings(fleet, rows, number);
    }
    if (is_fine)
        fleet->files++;
    else
        complain_unreadable(fleet, path, r.why);
    xs_parquet_close(&r);
}

static void read_table(struct xs_fleet *fleet, const struct xs_fleet_paths *paths, enum xs_fleet_table table) {
    struct xs_rows rows;
    xs_rows_begin(&rows, xs_fleet_tables[table].columns, xs_fleet_tables[table].column_count);
    for (size_t i = 0; i < paths->count; i++) {
        xs_progress_did(i, paths->count);
        read_file(fleet, paths->paths[i], table, &rows, (uint32_t)i + 1);
    }
    xs_rows_free(&rows);
}

/* --- traces --- */

static int read_trace(struct xs_fleet *fleet, const char *path, uint32_t number) {
    /* the account of idle time and the waits are not asked for, and take most of the time */
    static const struct xs_analysis_options analysis = {.accounts_idle = false};
    const struct xs_reading_request request = {.analysis = &analysis};
    struct xs_reading reading;
    struct xs_fleet_rows rows;
    if (xs_reading_open(path, &request, &reading) != XS_EXIT_OK)
        return XS_EXIT_ERROR;
    xs_fleet_rows_begin(&rows);
    xs_fleet_rows_of(&rows, &reading);
    xs_fleet_add_runs(fleet, &rows.of[XS_FLEET_TABLE_runs]);
    xs_fleet_add_findings(fleet, &rows.of[XS_FLEET_TABLE_findings], number);
    xs_fleet_rows_free(&rows);
    xs_reading_close(&reading);
    return XS_EXIT_OK;
}

static int read_traces(struct xs_fleet *fleet, char *const *arguments, int count) {
    struct xs_traces named;
    int status = xs_traces_expand(arguments, count, &named);
    xs_memory_for_many_traces();
    for (int i = 0; i < named.count; i++)
        if (read_trace(fleet, named.names[i], UINT32_MAX - (uint32_t)i) != XS_EXIT_OK)
            status = XS_EXIT_ERROR;
    xs_traces_free(&named);
    return status;
}

int xs_fleet_read(struct xs_fleet *fleet, char *const *arguments, int count) {
    struct xs_fleet_paths runs = {0}, findings = {0};
    XS_SCOPED char **traces = xs_realloc(NULL, (size_t)count * sizeof *traces);
    int trace_count = 0, status = XS_EXIT_OK;
    bool by_finding = fleet->question->by == XS_FLEET_BY_PLACE || fleet->question->by == XS_FLEET_BY_FINDING;
    for (int i = 0; i < count; i++) {
        if (!xs_fleet_is_folder(arguments[i])) {
            traces[trace_count++] = arguments[i];
            continue;
        }
        status |= xs_fleet_find(arguments[i], xs_fleet_tables[XS_FLEET_TABLE_runs].name, &runs);
        if (by_finding)
            status |= xs_fleet_find(arguments[i], xs_fleet_tables[XS_FLEET_TABLE_findings].name, &findings);
    }
    xs_progress_begin_file(*arguments, 0);
    xs_progress_at(XS_PROGRESS_WRITE);
    read_table(fleet, &runs, XS_FLEET_TABLE_runs);
    read_table(fleet, &findings, XS_FLEET_TABLE_findings);
    xs_progress_end();
    if (trace_count)
        status |= read_traces(fleet, traces, trace_count);
    if (fleet->unreadable > NAMED)
        xs_complain("%zu more files are left out", fleet->unreadable - NAMED);
    xs_fleet_paths_free(&runs);
    xs_fleet_paths_free(&findings);
    return status || fleet->unreadable ? XS_EXIT_ERROR : XS_EXIT_OK;
}
