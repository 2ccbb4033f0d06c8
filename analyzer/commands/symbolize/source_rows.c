/* Reading and storing lines of sources; see source_rows.h. */
#include "analyzer/commands/symbolize/source_rows.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/source_text.h"

enum { LINES_MAX = 4096, TEXT_BYTES_MAX = 4 << 20 };

static int by_place(const void *a, const void *b) {
    const struct xs_source_row *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Several places, such as two functions that one line was inlined into, can be of one line. */
static void drop_repeated(struct xs_source_rows *rows) {
    uint32_t kept = 0;
    if (rows->count)
        qsort(rows->rows, rows->count, sizeof *rows->rows, by_place);
    for (uint32_t i = 0; i < rows->count; i++)
        if (kept && !by_place(&rows->rows[kept - 1], &rows->rows[i]))
            free(rows->rows[i].text);
        else
            rows->rows[kept++] = rows->rows[i];
    rows->count = kept;
}

void xs_source_rows_read(const struct xs_trace *trace, const struct xs_callsites *callsites,
                         struct xs_source_rows *rows) {
    char cwd[4096];
    size_t bytes = 0;
    *rows = (struct xs_source_rows){0};
    struct xs_source_text *text = xs_source_text_open(trace, xs_trace_meta_text(trace, "cwd", cwd, sizeof cwd, ""),
                                                      xs_trace_meta_int(trace, "start_unix_ns", 0));
    for (uint32_t i = 1; i <= xs_callsites_place_count(callsites); i++) {
        const struct xs_frame *frame = xs_callsites_place_frame(callsites, i);
        struct xs_source_row row = {0};
        if (!frame || frame->library || !frame->file || !frame->line || rows->count >= LINES_MAX ||
            bytes >= TEXT_BYTES_MAX)
            continue;
        if (xs_source_text_has(text, frame)) {
            rows->stored++;
            continue;
        }
        row.text = xs_source_text_read(text, frame, &row.identity);
        if (!row.text) {
            rows->withheld += xs_source_text_is_withheld(text);
            continue;
        }
        row.path = frame->file;
        row.line = frame->line;
        bytes += strlen(row.text);
        xs_grow(&rows->rows, rows->count, &rows->capacity, sizeof *rows->rows);
        rows->rows[rows->count++] = row;
    }
    xs_source_text_close(text);
    drop_repeated(rows);
}

void xs_source_rows_free(struct xs_source_rows *rows) {
    for (uint32_t i = 0; i < rows->count; i++)
        free(rows->rows[i].text);
    free(rows->rows);
    *rows = (struct xs_source_rows){0};
}

/* --- writing --- */

/* The same statements for a trace and for one in a merged file, where ?1 is its number and no id comes by itself. */
enum { FIND, ADD_FILE, REMOVE_LINE, ADD_LINE, STATEMENTS };
static const char *const of_trace[STATEMENTS] = {
    "SELECT id FROM main.source_file WHERE path = ?2 ORDER BY id LIMIT 1",
    "INSERT INTO main.source_file (path, bytes, mtime_ns, hash_low, hash_high) VALUES (?2, ?3, ?4, ?5, ?6)",
    "DELETE FROM main.source_line WHERE file = ?2 AND line = ?3",
    "INSERT INTO main.source_line (file, line, text) VALUES (?2, ?3, ?4)"};
static const char *const of_merged[STATEMENTS] = {
    "SELECT id FROM main.source_file WHERE trace = ?1 AND path = ?2 ORDER BY id LIMIT 1",
    "INSERT INTO main.source_file (trace, id, path, bytes, mtime_ns, hash_low, hash_high) VALUES (?1,"
    " (SELECT coalesce(max(id), 0) + 1 FROM main.source_file WHERE trace = ?1), ?2, ?3, ?4, ?5, ?6)",
    "DELETE FROM main.source_line WHERE trace = ?1 AND file = ?2 AND line = ?3",
    "INSERT INTO main.source_line (trace, id, file, line, text) VALUES (?1,"
    " (SELECT coalesce(max(id), 0) + 1 FROM main.source_line WHERE trace = ?1), ?2, ?3, ?4)"};

static int run(sqlite3_stmt *statement) {
    sqlite3_step(statement);
    return sqlite3_reset(statement);
}

static int find(sqlite3_stmt *statement, const char *path, int64_t *id) {
    sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    *id = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_reset(statement);
}

static int put_file(sqlite3_stmt **statements, const struct xs_source_row *row, int64_t *id) {
    sqlite3_stmt *add = statements[ADD_FILE];
    int rc = find(statements[FIND], row->path, id);
    if (rc != SQLITE_OK || *id)
        return rc;
    sqlite3_bind_text(add, 2, row->path, -1, SQLITE_STATIC);
    sqlite3_bind_int64(add, 3, row->identity.bytes);
    sqlite3_bind_int64(add, 4, row->identity.mtime_ns);
    sqlite3_bind_int64(add, 5, (int64_t)row->identity.hash[0]);
    sqlite3_bind_int64(add, 6, (int64_t)row->identity.hash[1]);
    rc = run(add);
    return rc == SQLITE_OK ? find(statements[FIND], row->path, id) : rc;
}

static int put_line(sqlite3_stmt **statements, int64_t file, const struct xs_source_row *row) {
    for (int i = REMOVE_LINE; i <= ADD_LINE; i++) {
        sqlite3_bind_int64(statements[i], 2, file);
        sqlite3_bind_int64(statements[i], 3, row->line);
    }
    sqlite3_bind_text(statements[ADD_LINE], 4, row->text, -1, SQLITE_STATIC);
    int rc = run(statements[REMOVE_LINE]);
    return rc == SQLITE_OK ? run(statements[ADD_LINE]) : rc;
}

int xs_source_rows_write(sqlite3 *db, int64_t merged_id, const struct xs_source_rows *rows) {
    sqlite3_stmt *statements[STATEMENTS] = {NULL};
    const char *const *texts = merged_id < 0 ? of_trace : of_merged;
    int rc = SQLITE_OK;
    int64_t file = 0;
    if (!rows->count)
        return rc;
    for (int i = 0; i < STATEMENTS && rc == SQLITE_OK; i++) {
        rc = sqlite3_prepare_v2(db, texts[i], -1, &statements[i], NULL);
        if (rc == SQLITE_OK && merged_id >= 0)
            sqlite3_bind_int64(statements[i], 1, merged_id);
    }
    for (uint32_t i = 0; i < rows->count && rc == SQLITE_OK; i++) {
        const struct xs_source_row *row = &rows->rows[i];
        if (!i || strcmp(row->path, row[-1].path) != 0)
            rc = put_file(statements, row, &file);
        if (rc == SQLITE_OK)
            rc = put_line(statements, file, row);
    }
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(statements[i]);
    return rc;
}
