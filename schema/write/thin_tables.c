/* Has the statements that delete rows and add up their sums; see thin_tables.h. */
#include "schema/write/thin_tables.h"

/* A slice has the rows with ?1 < id <= ?2. The SQL functions are those of thin_choice.h. */
#define SLICE "r.id > ?1 AND r.id <= ?2"
#define FOLLOWS(is_of_transfer) SLICE " AND xs_follow(r.id, r.correlation, r.id, " is_of_transfer ")"
#define CHOSEN(correlation, entry_point, site, kind)                                                                   \
    SLICE " AND xs_choose(r.id, " correlation ", r.id, 0, " entry_point ", " site ", " kind ", 0)"
#define ADDS_UP                                                                                                        \
    "INSERT INTO thinned (source, shape, entry_point, kind, stack, device, rows, bytes, host_ns, timed, device_ns) "   \
    "SELECT "
#define GROUPED                                                                                                        \
    " GROUP BY 2, 3, 4, 5, 6 ON CONFLICT (source, shape, entry_point, kind, stack, device) DO UPDATE SET"              \
    " rows = rows + excluded.rows, bytes = bytes + excluded.bytes, host_ns = host_ns + excluded.host_ns,"              \
    " timed = timed + excluded.timed, device_ns = device_ns + excluded.device_ns"
#define SPAN "coalesce(r.host_ns, r.return_ns - r.enter_ns, 0)"
#define DEVICE_SPAN "coalesce(r.device_ns, r.end_ns - r.start_ns, 0)"
#define PLAIN_SPAN "coalesce(r.return_ns - r.enter_ns, 0)"

/* The conditions of most tables keep failed calls, because they are few and important. Failed calls in api_call are
 * thinned like the others, because programs repeat some of them until they succeed. */
#define OF_SHAPE(table) " r JOIN " table " s ON s.id = r.shape WHERE "
#define SUCCEEDED "result = 0 AND "

const struct xs_thinned_table xs_thinned_tables[XS_THINNED_TABLES] = {
    {.table = "launch_row",
     .of = XS_CALLS_LAUNCH,
     .adds_up = ADDS_UP "'launch', r.shape, 0, 0, 0, 0, count(*), 0, sum(" SPAN "), 0, 0 FROM launch_row" OF_SHAPE(
         "launch_shape") "s." SUCCEEDED CHOSEN("r.correlation", "s.entry_point", "s.function", "s.kind") GROUPED},
    {.table = "sync",
     .of = XS_CALLS_SYNC,
     .adds_up =
         ADDS_UP "'sync', 0, r.entry_point, r.scope, coalesce(r.stack, 0), 0, count(*), 0, sum(" PLAIN_SPAN
                 "), 0, 0 FROM sync r WHERE r." SUCCEEDED CHOSEN("0", "r.entry_point", "r.stack", "r.scope") GROUPED},
    {.table = "memset",
     .of = XS_CALLS_MEMSET,
     .adds_up = ADDS_UP "'memset', 0, r.entry_point, r.is_captured, coalesce(r.stack, 0), 0, count(*), sum(r.bytes),"
                        " sum(" PLAIN_SPAN "), 0, 0 FROM memset r WHERE r." SUCCEEDED CHOSEN(
                            "r.correlation", "r.entry_point", "r.stack", "r.is_captured") GROUPED},
    {.table = "api_call",
     .of = XS_CALLS_API,
     .adds_up =
         ADDS_UP "'api_call', 0, r.entry_point, 0, 0, 0, count(*), 0, sum(" PLAIN_SPAN
                 "), 0, 0 FROM api_call r WHERE " CHOSEN("r.correlation", "r.entry_point", "0", "r.result") GROUPED},
    [XS_THINNED_TRANSFER] =
        {.table = "transfer_row",
         .of = XS_CALLS_TRANSFER,
         .adds_up = ADDS_UP
         "'transfer', r.shape, 0, 0, 0, 0, count(*), coalesce(sum(coalesce(r.bytes, s.bytes)), 0),"
         " coalesce(sum(CASE WHEN coalesce(r.batch_index, 0) = 0 THEN " SPAN
         " END), 0), 0, 0 FROM transfer_row" OF_SHAPE(
             "transfer_shape") "s." SUCCEEDED SLICE
                               " AND xs_choose(r.id, r.correlation, r.enter_ns, s.thread, s.entry_point, s.stack,"
                               " CASE WHEN r.batch_index IS NULL THEN s.direction ELSE -1 END, r.shape)" GROUPED,
         .also = "DELETE FROM fingerprint WHERE id IN (SELECT r.fingerprint FROM transfer_row r WHERE " SLICE
                 " AND r.fingerprint IS NOT NULL AND xs_is_gone(r.id))"},
    [XS_THINNED_DEVICE_COPY] =
        {.table = "device_copy_row",
         .of = XS_CALLS_NONE,
         .adds_up =
             ADDS_UP "'device_copy', r.shape, 0, 0, 0, 0, count(*), coalesce(sum(coalesce(r.bytes, s.bytes)), 0), 0,"
                     " count(r.start_ns), sum(" DEVICE_SPAN ") FROM device_copy_row" OF_SHAPE("device_copy_shape")
                         FOLLOWS("s.graph_node IS NULL") GROUPED,
         .also = ADDS_UP
         "'transfer', xs_call_shape(r.correlation), 0, 0, 0, 0, 0, 0, 0,"
         " sum(CASE WHEN r.start_ns IS NULL THEN 0 ELSE max(coalesce(s.copies, 1), 1) END), sum(" DEVICE_SPAN
         ") FROM device_copy_row" OF_SHAPE("device_copy_shape") SLICE
         " AND xs_is_gone(r.id) AND"
         " s.graph_node IS NULL AND xs_call_shape(r.correlation) IS NOT NULL" GROUPED},
    {.table = "device_kernel_row",
     .of = XS_CALLS_NONE,
     .adds_up = ADDS_UP "'device_kernel', r.shape, 0, 0, 0, 0, count(*), 0, 0, count(r.start_ns), sum(" DEVICE_SPAN
                        ") FROM device_kernel_row r WHERE " FOLLOWS("0") GROUPED},
    {.table = "device_memset",
     .of = XS_CALLS_NONE,
     .adds_up = ADDS_UP
     "'device_memset', 0, 0, r.graph_node IS NOT NULL, 0, coalesce(r.device, 0), count(*), sum(r.bytes), 0,"
     " count(r.start_ns), coalesce(sum(r.end_ns - r.start_ns), 0) FROM device_memset r WHERE " FOLLOWS("0") GROUPED},
    {.table = "device_sync",
     .of = XS_CALLS_NONE,
     .adds_up = ADDS_UP "'device_sync', 0, 0, r.kind, 0, 0, count(*), 0, 0, count(r.start_ns),"
                        " coalesce(sum(r.end_ns - r.start_ns), 0) FROM device_sync r WHERE " FOLLOWS("0") GROUPED},
};

int64_t xs_thin_number(struct xs_store *store, const char *pragma) {
    sqlite3_stmt *stmt = NULL;
    int64_t value = 0;
    if (sqlite3_prepare_v2(store->db, pragma, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return value;
}

uint64_t xs_thin_used_bytes(struct xs_store *store) {
    int64_t pages = xs_thin_number(store, "PRAGMA page_count") - xs_thin_number(store, "PRAGMA freelist_count");
    return (uint64_t)(pages > 0 ? pages : 0) * XS_PAGE_BYTES;
}

/* Returns the id of a table's last row. The prepared statement is kept for the next call. */
int64_t xs_thin_last(struct xs_store *store, struct xs_thin_statements *statements, unsigned table) {
    sqlite3_stmt **stmt = &statements->last[table];
    if (!*stmt) {
        char sql[80];
        sqlite3_snprintf(sizeof sql, sql, "SELECT coalesce(max(id), 0) FROM %s", xs_thinned_tables[table].table);
        sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
    }
    int64_t last = sqlite3_step(*stmt) == SQLITE_ROW ? sqlite3_column_int64(*stmt, 0) : 0;
    sqlite3_reset(*stmt);
    return last;
}

int xs_thin_run(struct xs_store *store, struct xs_thin_statements *statements, unsigned table, enum xs_thin_step which,
                int64_t from, int64_t to) {
    sqlite3_stmt **stmt = &statements->steps[table][which];
    if (which == XS_THIN_ALSO && !xs_thinned_tables[table].also)
        return XS_OK;
    if (!*stmt) {
        char deletion[96];
        sqlite3_snprintf(sizeof deletion, deletion, "DELETE FROM %s WHERE id > ?1 AND id <= ?2 AND xs_is_gone(id)",
                         xs_thinned_tables[table].table);
        const char *sql = which == XS_THIN_ADD_UP ? xs_thinned_tables[table].adds_up
                          : which == XS_THIN_ALSO ? xs_thinned_tables[table].also
                                                  : deletion;
        int rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
        if (rc != SQLITE_OK)
            return xs_store_status(store, rc);
    }
    sqlite3_bind_int64(*stmt, 1, from);
    sqlite3_bind_int64(*stmt, 2, to);
    sqlite3_step(*stmt);
    return xs_store_status(store, sqlite3_reset(*stmt));
}

/* Returns the next slice. Slices are found by counting rows, because ids have large gaps where most rows were deleted.
 */
struct xs_thin_slice xs_thin_next(struct xs_store *store, struct xs_thin_statements *statements, unsigned table,
                                  int64_t from) {
    struct xs_thin_slice slice = {0};
    sqlite3_stmt **stmt = &statements->next[table];
    if (!*stmt) {
        char sql[160];
        sqlite3_snprintf(sizeof sql, sql,
                         "SELECT max(id), max(c) FROM (SELECT id, %s AS c FROM %s WHERE id > ? ORDER BY id LIMIT %d)",
                         table == XS_THINNED_SYNC ? "0" : "correlation", xs_thinned_tables[table].table,
                         XS_CHOICE_ROWS);
        sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
    }
    sqlite3_bind_int64(*stmt, 1, from);
    if (sqlite3_step(*stmt) == SQLITE_ROW)
        slice = (struct xs_thin_slice){sqlite3_column_int64(*stmt, 0), sqlite3_column_int64(*stmt, 1)};
    sqlite3_reset(*stmt);
    return slice;
}

void xs_thin_statements_free(struct xs_thin_statements *statements) {
    for (int i = 0; i < XS_THINNED_TABLES; i++) {
        for (int k = 0; k < XS_THIN_STEPS; k++)
            sqlite3_finalize(statements->steps[i][k]);
        sqlite3_finalize(statements->last[i]);
        sqlite3_finalize(statements->next[i]);
    }
    *statements = (struct xs_thin_statements){0};
}
