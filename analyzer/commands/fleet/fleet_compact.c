/* Joins fleet files: of each table, the files of one day and cluster become one. Databases open few large files much
 * faster than many small ones.
 *
 * The joined file gets its name when it is complete, and only then are the small ones deleted. If the command is killed
 * in between, runs are there twice. `xferspy fleet` counts a run once, and the next joining removes the repetition. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/sort.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/fleet/fleet.h"
#include "analyzer/parquet/read.h"
#include "analyzer/parquet/write.h"

/* What was done, for the last line. */
struct joined {
    uint64_t from, to, runs_repeated;
};

/* The joining of files of one table, day and cluster. */
struct joining {
    enum xs_fleet_table table;
    struct xs_parquet_writer writer;
    struct xs_rows rows;
    struct xs_hash seen; /* maps run_id to the number of its file */
    uint64_t repeated;
};

/* True if the file has a column that this version does not know, which would be lost. */
static bool has_unknown_column(const struct xs_parquet_reader *r, enum xs_fleet_table table) {
    const struct xs_fleet_table_info *info = &xs_fleet_tables[table];
    for (size_t i = 0; i < r->column_count; i++) {
        unsigned k = 0;
        while (k < info->column_count && strcmp(info->columns[k].name, r->columns[i].name) != 0)
            k++;
        if (k == info->column_count)
            return true;
    }
    return false;
}

/* Removes rows of runs that another file had, from row `first` on. */
static void drop_repeated(struct joining *j, size_t first, uint64_t file) {
    struct xs_rows *rows = &j->rows;
    size_t kept = first;
    for (size_t row = first; row < rows->count; row++) {
        const char *run_id = xs_rows_text(rows, XS_COMMON_run_id, row);
        uint64_t *from = xs_hash_put(&j->seen, xs_hash_of_text(run_id ? run_id : "", run_id ? strlen(run_id) : 0), 0);
        *from = *from ? *from : file;
        if (*from != file) {
            j->repeated++;
            continue;
        }
        for (unsigned column = 0; column < rows->column_count; column++)
            rows->cells[column][kept] = rows->cells[column][row];
        kept++;
    }
    rows->count = kept;
}

static void flush_rows(struct joining *j) {
    xs_parquet_add(&j->writer, &j->rows, 0, j->rows.count);
    xs_rows_clear(&j->rows);
}

/* Adds a file to the new one; returns NULL, or why it is left as it is. */
static const char *add_file(struct joining *j, const char *path, uint64_t file) {
    struct xs_parquet_reader r;
    bool is_fine = xs_parquet_open(&r, AT_FDCWD, path);
    const char *why = is_fine ? NULL : r.why;
    if (is_fine && has_unknown_column(&r, j->table))
        why = "a newer version wrote it";
    for (size_t group = 0; !why && group < r.group_count; group++) {
        size_t first = j->rows.count;
        if (!xs_parquet_read(&r, group, &j->rows, NULL)) {
            /* Rows of its earlier groups stay in the new file. The file is not deleted, so they are there twice, as
             * after a kill. */
            why = r.why;
            j->rows.count = first;
            break;
        }
        drop_repeated(j, first, file);
        if (j->rows.count >= XS_PARQUET_ROWS_A_GROUP)
            flush_rows(j);
    }
    xs_parquet_close(&r);
    return why;
}

/* Deletes a file, and its folder if nothing else is in it. */
static void delete_file(const char *path) {
    XS_SCOPED char *folder = xs_strdup(path);
    unlink(path);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
}

/* Joins `count` files, whose names begin with the first `bytes` bytes of the first one. */
static int join(enum xs_fleet_table table, char *const *paths, size_t count, size_t bytes, struct joined *done) {
    struct joining j = {.table = table};
    XS_SCOPED bool *is_left = xs_zeroed(count, sizeof *is_left);
    XS_SCOPED_STRING folder = {0}, path = {0}, temporary = {0};
    uint64_t number = 0, left = 0;
    xs_string_format(&folder, "%.*s%.*s", (int)bytes, paths[0], (int)sizeof XS_FLEET_COMPACTED - 2, XS_FLEET_COMPACTED);
    FILE *file = xs_fleet_begin_file(folder.data, &temporary);
    if (!file)
        return XS_EXIT_ERROR;
    xs_rows_begin(&j.rows, xs_fleet_tables[table].columns, xs_fleet_tables[table].column_count);
    xs_fleet_begin_rows(&j.writer, file, table);
    for (size_t i = 0; i < count; i++) {
        const char *why = add_file(&j, paths[i], i + 1);
        is_left[i] = why != NULL;
        left += is_left[i];
        if (why)
            xs_complain("%s: left as it is: %s", paths[i], why);
    }
    flush_rows(&j);
    xs_fleet_end_rows(&j.writer, table);
    xs_rows_free(&j.rows);
    xs_hash_free(&j.seen);
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (uint64_t)time(NULL) << 32 | (uint32_t)getpid();
    xs_string_format(&path, "%s/%016" PRIx64 ".parquet", folder.data, number);
    int status = xs_fleet_end_file(file, temporary.data, path.data);
    for (size_t i = 0; i < count && status == XS_EXIT_OK; i++)
        if (!is_left[i])
            delete_file(paths[i]);
    done->from += count - left;
    done->to++;
    done->runs_repeated += table == XS_FLEET_TABLE_runs ? j.repeated : 0;
    return left ? XS_EXIT_ERROR : status;
}

/* Returns the length of "FOLDER/TABLE/dt=.../cluster=..."; 0: the path is no path of fleet files. */
static size_t partition_bytes(const char *path) {
    const char *job = strstr(path, "/job="), *end = job;
    for (const char *next = job; next; next = strstr(next + 1, "/job="))
        end = next;
    return end && strstr(path, "/dt=") ? (size_t)(end - path) : 0;
}

static int by_partition(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t of_x = partition_bytes(x), of_y = partition_bytes(y);
    int order = strncmp(x, y, of_x < of_y ? of_x : of_y);
    bool x_is_joined = strstr(x, XS_FLEET_COMPACTED) != NULL, y_is_joined = strstr(y, XS_FLEET_COMPACTED) != NULL;
    if (order || of_x != of_y)
        return order ? order : of_x < of_y ? -1 : 1;
    return x_is_joined != y_is_joined ? (x_is_joined ? 1 : -1) : strcmp(x, y);
}

static int join_table(const char *folder, enum xs_fleet_table table, struct joined *done) {
    struct xs_fleet_paths paths = {0};
    int status = xs_fleet_find(folder, xs_fleet_tables[table].name, &paths);
    xs_sort(paths.paths, paths.count, sizeof *paths.paths, by_partition);
    for (size_t from = 0, to; from < paths.count; from = to) {
        size_t bytes = partition_bytes(paths.paths[from]);
        for (to = from + 1; to < paths.count && partition_bytes(paths.paths[to]) == bytes &&
                            !strncmp(paths.paths[from], paths.paths[to], bytes);)
            to++;
        if (bytes && to - from > 1)
            status |= join(table, paths.paths + from, to - from, bytes, done);
    }
    xs_fleet_paths_free(&paths);
    return status;
}

int xs_fleet_compact(const char *folder, struct xs_out *out) {
    struct joined done = {0};
    int status = XS_EXIT_OK;
    XS_SCOPED char *lock_path = xs_text_format("%s/.compact.lock", folder);
    if (!xs_fleet_is_folder(folder)) {
        xs_complain("%s: has no fleet files", folder);
        return XS_EXIT_ERROR;
    }
    int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) != 0) {
        bool is_busy = lock >= 0 && errno == EWOULDBLOCK;
        xs_complain("%s: %s", folder, is_busy ? "its files are being joined by another process" : strerror(errno));
        if (lock >= 0)
            close(lock);
        return XS_EXIT_ERROR;
    }
    for (unsigned table = 0; table < XS_FLEET_TABLES; table++)
        status |= join_table(folder, (enum xs_fleet_table)table, &done);
    close(lock);
    xs_out_line(out, XS_STYLE_PLAIN, "%s files became %s", XS_COUNT_TEXT(done.from), XS_COUNT_TEXT(done.to));
    if (done.runs_repeated)
        xs_out_line(out, XS_STYLE_PLAIN, "%s runs were there twice, and are there once now",
                    XS_COUNT_TEXT(done.runs_repeated));
    return status;
}
