/* Writes lines into a trace; see lines.h. */
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/lines/lines_internal.h"
#include "schema/read/copy.h"
#include "schema/safe_open/side_files.h"
#include "schema/safe_open/sqlite_open.h"

static int execute(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

static int run(sqlite3_stmt *statement) {
    sqlite3_step(statement);
    return sqlite3_reset(statement);
}

/* True if there is no file next to the trace that SQLite would use wrongly. Such files may have appeared since the
 * trace was opened for reading, and SQLite would write another user's journal back into the trace. */
static bool is_alone(const char *file, char *message) {
    struct xs_side_files side;
    xs_side_files_look(file, &side);
    const char *why = side.linked          ? XS_LINKED_BESIDE
                      : side.super_journal ? "the journal beside it names another file, which SQLite would delete"
                      : side.journal && !xs_journal_is_sound(file) ? "the journal beside it is not the trace's"
                                                                   : NULL;
    if (side.foreign)
        snprintf(message, XS_LINES_WHY_BYTES, "symbols are not written: the file beside it that ends in %s %s",
                 side.suffix, side.why);
    else if (why)
        snprintf(message, XS_LINES_WHY_BYTES, "symbols are not written: %s", why);
    return !side.foreign && !why;
}

static int open_for_writing(const char *path, int patience_ms, sqlite3 **db) {
    int rc = xs_sqlite_open(path, XS_WRITE, db);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_busy_timeout(*db, patience_ms);
    return execute(*db, "PRAGMA temp_store=MEMORY;"
                        "CREATE TEMP TABLE resolved (module INTEGER, address INTEGER, PRIMARY KEY (module, address))");
}

/* --- functions, files and lines of addresses --- */

/* In a merged file a row also has the number of its trace, and SQLite does not assign the id by itself. */
#define DELETE_SYMBOLS                                                                                                 \
    "DELETE FROM main.symbol WHERE EXISTS (SELECT 1 FROM temp.resolved r"                                              \
    " WHERE r.module = symbol.module AND r.address = symbol.address)"
#define INSERT_SYMBOL                                                                                                  \
    "INSERT INTO main.symbol (module, address, inline_depth, function, file, line) VALUES (?, ?, ?, ?, ?, ?)"
#define INSERT_MERGED_SYMBOL                                                                                           \
    "INSERT INTO main.symbol (trace, id, module, address, inline_depth, function, file, line) VALUES (?7,"             \
    " (SELECT coalesce(max(id), 0) + 1 FROM main.symbol WHERE trace = ?7), ?1, ?2, ?3, ?4, ?5, ?6)"

static int execute_with(sqlite3 *db, const char *format, int64_t number) {
    char *sql = sqlite3_mprintf(format, (long long)number);
    if (!sql)
        xs_out_of_memory();
    int rc = execute(db, sql);
    sqlite3_free(sql);
    return rc;
}

static int insert(sqlite3_stmt *statement, int64_t module, uint64_t address, uint32_t depth,
                  const struct xs_frame *frame) {
    sqlite3_bind_int64(statement, 1, module);
    sqlite3_bind_int64(statement, 2, (int64_t)address);
    sqlite3_bind_int64(statement, 3, depth);
    sqlite3_bind_text(statement, 4, frame->function, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, frame->file, -1, SQLITE_STATIC);
    if (frame->line)
        sqlite3_bind_int64(statement, 6, frame->line);
    else
        sqlite3_bind_null(statement, 6);
    return run(statement);
}

/* Deletes the rows of the addresses that will be written, because another process may have written them first. */
static int delete_symbols(sqlite3 *db, const struct xs_trace *trace, const struct xs_callsites *c) {
    sqlite3_stmt *key = NULL;
    int rc = sqlite3_prepare_v2(db, "INSERT INTO temp.resolved VALUES (?, ?)", -1, &key, NULL);
    for (uint32_t i = 0; i < c->address_count && rc == SQLITE_OK; i++) {
        if (!xs_lines_is_new(c, &c->addresses[i]))
            continue;
        sqlite3_bind_int64(key, 1, c->modules[c->addresses[i].module].id);
        sqlite3_bind_int64(key, 2, (int64_t)c->addresses[i].address);
        rc = run(key);
    }
    sqlite3_finalize(key);
    if (rc != SQLITE_OK)
        return rc;
    return trace->merged_id < 0 ? execute(db, DELETE_SYMBOLS)
                                : execute_with(db, DELETE_SYMBOLS " AND trace = %lld", trace->merged_id);
}

static int write_symbols(sqlite3 *db, const struct xs_trace *trace, const struct xs_callsites *c) {
    sqlite3_stmt *row = NULL;
    int rc = delete_symbols(db, trace, c);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, trace->merged_id < 0 ? INSERT_SYMBOL : INSERT_MERGED_SYMBOL, -1, &row, NULL);
    if (rc == SQLITE_OK && trace->merged_id >= 0)
        sqlite3_bind_int64(row, 7, trace->merged_id);
    for (uint32_t i = 0; i < c->address_count && rc == SQLITE_OK; i++) {
        const struct xs_callsite_address *address = &c->addresses[i];
        for (uint32_t k = 0; xs_lines_is_new(c, address) && k < address->frames && rc == SQLITE_OK; k++)
            rc = insert(row, c->modules[address->module].id, address->address, k, &c->frames[address->first + k]);
    }
    sqlite3_finalize(row);
    return rc;
}

/* --- text --- */

/* The statements for a trace, and for a trace in a merged file, where ?1 is the trace's number and SQLite does not
 * assign the id by itself. */
enum { FIND, ADD_FILE, REMOVE_LINE, ADD_LINE, STATEMENTS };
static const char *const of_trace[STATEMENTS] = {"SELECT id FROM source_file WHERE path = ?2 ORDER BY id LIMIT 1",
                                                 "INSERT INTO source_file (path, bytes, mtime_ns) VALUES (?2, ?3, ?4)",
                                                 "DELETE FROM source_line WHERE file = ?2 AND line = ?3",
                                                 "INSERT INTO source_line (file, line, text) VALUES (?2, ?3, ?4)"};
static const char *const of_merged[STATEMENTS] = {
    "SELECT id FROM source_file WHERE trace = ?1 AND path = ?2 ORDER BY id LIMIT 1",
    "INSERT INTO source_file (trace, id, path, bytes, mtime_ns) VALUES (?1,"
    " (SELECT coalesce(max(id), 0) + 1 FROM source_file WHERE trace = ?1), ?2, ?3, ?4)",
    "DELETE FROM source_line WHERE trace = ?1 AND file = ?2 AND line = ?3",
    "INSERT INTO source_line (trace, id, file, line, text) VALUES (?1,"
    " (SELECT coalesce(max(id), 0) + 1 FROM source_line WHERE trace = ?1), ?2, ?3, ?4)"};

static int find(sqlite3_stmt *statement, const char *path, int64_t *id) {
    sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    *id = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return sqlite3_reset(statement);
}

static int put_file(sqlite3_stmt **statements, const struct xs_line_text *text, int64_t *id) {
    sqlite3_stmt *add = statements[ADD_FILE];
    int rc = find(statements[FIND], text->path, id);
    if (rc != SQLITE_OK || *id)
        return rc;
    sqlite3_bind_text(add, 2, text->path, -1, SQLITE_STATIC);
    sqlite3_bind_int64(add, 3, text->identity.bytes);
    sqlite3_bind_int64(add, 4, text->identity.mtime_ns);
    rc = run(add);
    return rc == SQLITE_OK ? find(statements[FIND], text->path, id) : rc;
}

static int put_line(sqlite3_stmt **statements, int64_t file, const struct xs_line_text *text) {
    for (int i = REMOVE_LINE; i <= ADD_LINE; i++) {
        sqlite3_bind_int64(statements[i], 2, file);
        sqlite3_bind_int64(statements[i], 3, text->line);
    }
    sqlite3_bind_text(statements[ADD_LINE], 4, text->text, -1, SQLITE_STATIC);
    int rc = run(statements[REMOVE_LINE]);
    return rc == SQLITE_OK ? run(statements[ADD_LINE]) : rc;
}

static int write_texts(sqlite3 *db, int64_t merged_id, const struct xs_lines *lines) {
    sqlite3_stmt *statements[STATEMENTS] = {NULL};
    const char *const *texts = merged_id < 0 ? of_trace : of_merged;
    int rc = SQLITE_OK;
    int64_t file = 0;
    for (int i = 0; i < STATEMENTS && rc == SQLITE_OK && lines->text_count; i++) {
        rc = sqlite3_prepare_v2(db, texts[i], -1, &statements[i], NULL);
        if (rc == SQLITE_OK && merged_id >= 0)
            sqlite3_bind_int64(statements[i], 1, merged_id);
    }
    for (uint32_t i = 0; i < lines->text_count && rc == SQLITE_OK; i++) {
        const struct xs_line_text *text = &lines->texts[i];
        if (!i || strcmp(text->path, text[-1].path) != 0)
            rc = put_file(statements, text, &file);
        if (rc == SQLITE_OK)
            rc = put_line(statements, file, text);
    }
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(statements[i]);
    return rc;
}

static bool write_all(const struct xs_trace *trace, const struct xs_lines *lines, int patience_ms, char *why) {
    sqlite3 *db = NULL;
    int rc = open_for_writing(trace->file, patience_ms, &db);
    if (rc == SQLITE_OK)
        rc = execute(db, "BEGIN IMMEDIATE");
    if (rc == SQLITE_OK)
        rc = write_symbols(db, trace, lines->callsites);
    if (rc == SQLITE_OK)
        rc = write_texts(db, trace->merged_id, lines);
    if (rc == SQLITE_OK)
        rc = execute(db, "COMMIT");
    if (rc != SQLITE_OK && db && sqlite3_extended_errcode(db) == SQLITE_READONLY_DIRECTORY)
        snprintf(why, XS_LINES_WHY_BYTES,
                 "symbols could not be written: its folder has to be writable, too; symbolize a copy");
    else if (rc != SQLITE_OK)
        snprintf(why, XS_LINES_WHY_BYTES, "symbols could not be written: %s",
                 db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
    sqlite3_close(db); /* rolls back what was not committed */
    return rc == SQLITE_OK;
}

/* Writes the lines. Signals are blocked meanwhile, because a process that is ended here leaves a journal beside the
 * trace. */
bool xs_lines_write(const struct xs_trace *trace, const struct xs_lines *lines, int patience_ms, char *why) {
    sigset_t all, before;
    if (!is_alone(trace->file, why))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool is_written = write_all(trace, lines, patience_ms, why);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_written;
}
