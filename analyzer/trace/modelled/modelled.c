/* Makes the model of one trace, from reading the trace to the tables that a reader sees; see modelled.h. */
#include "analyzer/trace/modelled/modelled.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/modelled/estimate.h"
#include "analyzer/trace/modelled/learn.h"
#include "analyzer/trace/modelled/modelled_place.h"
#include "analyzer/trace/modelled/virtual_table.h"

/* The model of a trace. It exists until the connection is closed. */
struct modelled {
    struct xs_modelled_tables tables;
    struct xs_placed placed;
    struct xs_device_windows *windows;
};

static void free_modelled(void *data) {
    struct modelled *m = data;
    xs_modelled_tables_free(&m->tables);
    free(m->placed.parts.measured);
    free(m->placed.parts.expected);
    xs_device_windows_free(m->windows);
    free(m);
}

/* --- calls with numbers --- */

static const char *const call_tables[] = {
    [XS_CALL_TRANSFER] = "transfer", [XS_CALL_MEMSET] = "memset", [XS_CALL_LAUNCH] = "launch"};

/* Implements the SQL function xferspy_call_number(kind, id). */
static void call_number(sqlite3_context *context, int argc, sqlite3_value **argv) {
    const struct modelled *m = sqlite3_user_data(context);
    int64_t kind = sqlite3_value_int64(argv[0]), id = sqlite3_value_int64(argv[1]);
    (void)argc;
    if (kind < 0 || kind > XS_CALL_LAUNCH || id <= 0 || (uint64_t)id >= m->windows->calls[kind].rows)
        return;
    uint32_t number = m->windows->calls[kind].of_row[id];
    if (number)
        sqlite3_result_int64(context, number);
}

/* Writes the table or query that a table's name refers to; in a merged file the name is a TEMP view already. `from`
 * becomes empty if the view has an unknown form. */
static void find_source(sqlite3 *db, const char *table, struct xs_string *from) {
    static const char *const begins[] = {" AS\n",
                                         " AS "}; /* of a view over shapes; of a view over a merged file's table */
    sqlite3_stmt *statement = NULL;
    xs_string_format(from, "main.%s", table);
    if (sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_temp_schema WHERE type = 'view' AND name = ?", -1, &statement,
                           NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(statement, 0);
        from->length = 0;
        for (unsigned i = 0; sql && i < sizeof begins / sizeof *begins && !from->length; i++) {
            const char *body = strstr(sql, begins[i]);
            if (body)
                xs_string_format(from, "(%s)", body + strlen(begins[i]));
        }
    }
    sqlite3_finalize(statement);
}

/* Makes the TEMP view of a table. It has all columns as they are, except that the call's number replaces the
 * correlation. The new column has SQLite's type integer like the old one, because a join of an integer with another
 * type would use no index and compare each row with every other. */
static int show_calls(sqlite3 *db, unsigned kind) {
    XS_SCOPED_STRING sql = {0}, from = {0};
    sqlite3_stmt *statement = NULL;
    const char *table = call_tables[kind];
    find_source(db, table, &from);
    xs_string_format(&sql, "SELECT * FROM %s", table);
    int rc = from.length ? sqlite3_prepare_v2(db, sql.data, -1, &statement, NULL) : SQLITE_ERROR;
    sql.length = 0;
    xs_string_format(&sql, "DROP VIEW IF EXISTS temp.%s; CREATE TEMP VIEW %s AS SELECT ", table, table);
    for (int i = 0; rc == SQLITE_OK && i < sqlite3_column_count(statement); i++) {
        const char *name = sqlite3_column_name(statement, i);
        if (!strcmp(name, "correlation"))
            xs_string_format(&sql, "%sCAST(xferspy_call_number(%u, id) AS INTEGER) AS correlation", i ? ", " : "",
                             kind);
        else
            xs_string_format(&sql, "%s\"%s\"", i ? ", " : "", name);
    }
    sqlite3_finalize(statement);
    xs_string_format(&sql, " FROM %s", from.data);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, sql.data, NULL, NULL, NULL);
    return rc;
}

static void say_why(const struct xs_trace *trace, char message[XS_TRACE_MESSAGE_BYTES]) {
    snprintf(message, XS_TRACE_MESSAGE_BYTES, "%s: device times cannot be modelled: %s", trace->path,
             xs_trace_why(trace));
}

static int show(struct modelled *m, const struct xs_trace *trace, char *message) {
    sqlite3 *db = trace->db;
    int rc = sqlite3_exec(db, "PRAGMA query_only=OFF", NULL, NULL, NULL);
    for (unsigned kind = 0; kind <= XS_CALL_LAUNCH && rc == SQLITE_OK; kind++)
        rc = show_calls(db, kind);
    if (rc == SQLITE_OK)
        rc = xs_modelled_show(db, &m->tables);
    if (rc != SQLITE_OK) /* SQLite's message is read now, because the next statement may succeed and replace it */
        say_why(trace, message);
    bool ended = sqlite3_exec(db, "PRAGMA query_only=ON", NULL, NULL, NULL) == SQLITE_OK;
    return rc == SQLITE_OK && ended ? XS_OK : XS_ERROR_SQLITE;
}

/* --- all --- */

static int read_devices(struct xs_learned *learned, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT id, device FROM context WHERE device >= 0 AND device < 65536", message, NULL);
    while (xs_scan_row(&scan))
        *xs_hash_put(&learned->device_of, (uint64_t)xs_scan_int(&scan, 0), 0) = (uint64_t)xs_scan_int(&scan, 1) + 1;
    return xs_scan_end(&scan);
}

static int build(struct modelled *m, const struct xs_trace *trace, char *message) {
    struct xs_learned learned = {0};
    struct xs_recordings recordings = {0};
    struct xs_streams streams;
    int status = xs_streams_read(&streams, trace, message, NULL);
    learned.streams = &streams;
    m->placed.tables = &m->tables;
    if (status >= 0)
        status = xs_link_fit(&learned.link, trace, message);
    if (status >= 0)
        status = read_devices(&learned, trace, message);
    if (status >= 0)
        status = xs_recordings_read(&recordings, &m->tables, trace, message);
    if (status >= 0)
        status = xs_learn(&learned, &recordings, &m->tables, m->windows, trace, message);
    if (status >= 0)
        status = xs_place_work(&m->placed, &learned, &recordings, trace, m->windows, message);
    if (status >= 0)
        xs_estimate(m->windows, &m->placed.parts, &m->tables);
    xs_recordings_free(&recordings);
    xs_learned_free(&learned);
    xs_streams_free(&streams);
    return status;
}

int xs_modelled_add_to(struct xs_trace *trace, char *message) {
    struct xs_device_windows *windows = trace->windows ? NULL : xs_device_windows_read(trace);
    if (!windows)
        return XS_OK;
    struct modelled *m = xs_realloc(NULL, sizeof *m);
    *m = (struct modelled){.windows = windows};
    /* the connection frees the model when it is closed, or at once if this call fails */
    if (sqlite3_create_function_v2(trace->db, "xferspy_call_number", 2,
                                   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, m, call_number, NULL, NULL,
                                   free_modelled) != SQLITE_OK) {
        say_why(trace, message);
        return XS_ERROR_SQLITE;
    }
    xs_snapshot_begin(trace);
    int status = build(m, trace, message);
    xs_snapshot_end(trace);
    if (status >= 0)
        status = show(m, trace, message);
    if (status >= 0)
        trace->windows = windows;
    return status;
}
