/* Thinning a trace that grows too large; see store_thin.h.
 *
 * A pass goes over all rows behind the beginning, slice by slice of row numbers, each slice in a transaction of its own
 * between two batches of events. It drops what is not of the sample, from the end of the beginning up to a mark a
 * quarter of the size ago. The next pass begins when the file is nearly full again. As soon as the middle itself needs
 * too much, a pass takes a quarter of the sample of before: fewer would leave pages half empty, which SQLite joins only
 * when they are emptier than a third. */
#include "schema/store/store_thin.h"

#include <stdlib.h>
#include <string.h>

#include "schema/store/store_internal.h"

/* The sample: numbers that are scattered over the calls in no period that a program could have. A sample of a quarter
 * contains that of a sixteenth. */
#define SCATTERED(number) "(" number " % 2147483629 * (" number " % 2147483629) % 2147483629)"
/* ?1 < id <= ?2 is the slice; ?3 < correlation <= ?4 is what may go, and ?5 < id <= ?6 where there is no correlation;
 * ?7 is the mask of the sample. All copies of a batch call have its number, or else its time, and ?8 < enter_ns <= ?9
 * is what may go by that. */
#define SLICE(r) r ".id > ?1 AND " r ".id <= ?2"
#define GOES_BY_CORRELATION(r)                                                                                         \
    SLICE(r)                                                                                                           \
    " AND CASE WHEN " r ".correlation > 0 THEN " r ".correlation > ?3 AND " r                                          \
    ".correlation <= ?4 AND " SCATTERED(r ".correlation") " & ?7 <> 0 ELSE " r ".id > ?5 AND " r                       \
                                                          ".id <= ?6 AND " SCATTERED(r ".id") " & ?7 <> 0 END"
#define TRANSFER_GOES(r)                                                                                               \
    SLICE(r)                                                                                                           \
    " AND CASE WHEN " r ".correlation > 0 THEN " r ".correlation > ?3 AND " r ".correlation <= ?4 AND " SCATTERED(     \
        r ".correlation") " & ?7 <> 0 ELSE " r ".enter_ns > ?8 AND " r                                                 \
                          ".enter_ns <= ?9 AND " SCATTERED(r ".enter_ns") " & ?7 <> 0 END"
#define GOES_BY_ID(r) SLICE(r) " AND ?3 <= ?4 AND " r ".id > ?5 AND " r ".id <= ?6 AND " SCATTERED(r ".id") " & ?7 <> 0"
#define ADD_UP                                                                                                         \
    "INSERT INTO thinned (source, shape, entry_point, kind, stack, device, rows, bytes, host_ns, timed, device_ns) "   \
    "SELECT "
#define GROUPED                                                                                                        \
    " GROUP BY 2, 3, 4, 5, 6 ON CONFLICT (source, shape, entry_point, kind, stack, device) DO UPDATE SET"              \
    " rows = rows + excluded.rows, bytes = bytes + excluded.bytes, host_ns = host_ns + excluded.host_ns,"              \
    " timed = timed + excluded.timed, device_ns = device_ns + excluded.device_ns"
#define SPAN(r) "coalesce(" r ".host_ns, " r ".return_ns - " r ".enter_ns, 0)"
#define DEVICE_SPAN(r) "coalesce(" r ".device_ns, " r ".end_ns - " r ".start_ns, 0)"
#define PLAIN_SPAN(r) "coalesce(" r ".return_ns - " r ".enter_ns, 0)"

/* Failed calls are few and tell much: they stay. What is called again and again until it succeeds is in api_call. */
#define SUCCEEDED(table) " AND r.shape IN (SELECT id FROM " table " WHERE result = 0)"

static const struct thinned {
    const char *table;
    const char *add_up, *first_delete, *second_delete;
} tables[XS_THINNED_TABLES] = {
    {"transfer_row",
     ADD_UP "'transfer', r.shape, 0, 0, 0, 0, count(*), coalesce(sum(coalesce(r.bytes, s.bytes)), 0),"
            " coalesce(sum(CASE WHEN coalesce(r.batch_index, 0) = 0 THEN " SPAN(
                "r") " END), 0), 0, 0"
                     " FROM transfer_row r JOIN transfer_shape s ON s.id = r.shape WHERE " TRANSFER_GOES(
                         "r") " AND s.result = 0" GROUPED,
     "DELETE FROM fingerprint WHERE id IN (SELECT r.fingerprint FROM transfer_row r WHERE " TRANSFER_GOES("r")
         SUCCEEDED("transfer_shape") ")",
     "DELETE FROM transfer_row WHERE id IN (SELECT r.id FROM transfer_row r WHERE " TRANSFER_GOES("r")
         SUCCEEDED("transfer_shape") ")"},
    {"launch_row",
     ADD_UP "'launch', r.shape, 0, 0, 0, 0, count(*), 0, sum(" SPAN(
         "r") "), 0, 0 FROM launch_row r WHERE " GOES_BY_CORRELATION("r") SUCCEEDED("launch_shape") GROUPED,
     NULL,
     "DELETE FROM launch_row WHERE id IN (SELECT r.id FROM launch_row r WHERE " GOES_BY_CORRELATION("r")
         SUCCEEDED("launch_shape") ")"},
    {"device_copy_row",
     ADD_UP "'device_copy', r.shape, 0, 0, 0, 0, count(*), coalesce(sum(coalesce(r.bytes, s.bytes)), 0), 0,"
            " count(r.start_ns), sum(" DEVICE_SPAN("r") ") FROM device_copy_row r JOIN device_copy_shape s"
                                                        " ON s.id = r.shape WHERE " GOES_BY_CORRELATION("r") GROUPED,
     NULL,
     "DELETE FROM device_copy_row WHERE id IN (SELECT r.id FROM device_copy_row r JOIN device_copy_shape s"
     " ON s.id = r.shape WHERE " GOES_BY_CORRELATION("r") ")"},
    {"device_kernel_row",
     ADD_UP "'device_kernel', r.shape, 0, 0, 0, 0, count(*), 0, 0, count(r.start_ns), sum(" DEVICE_SPAN(
         "r") ")"
              " FROM device_kernel_row r WHERE " GOES_BY_CORRELATION("r") GROUPED,
     NULL,
     "DELETE FROM device_kernel_row WHERE id IN (SELECT r.id FROM device_kernel_row r WHERE " GOES_BY_CORRELATION(
         "r") ")"},
    {"sync",
     ADD_UP "'sync', 0, r.entry_point, r.scope, coalesce(r.stack, 0), 0, count(*), 0, sum(" PLAIN_SPAN(
         "r") "), 0, 0"
              " FROM sync r WHERE " GOES_BY_ID("r") " AND r.result = 0" GROUPED,
     NULL, "DELETE FROM sync WHERE id IN (SELECT r.id FROM sync r WHERE " GOES_BY_ID("r") " AND r.result = 0)"},
    {"memset",
     ADD_UP "'memset', 0, r.entry_point, r.is_captured, coalesce(r.stack, 0), 0, count(*), sum(r.bytes),"
            " sum(" PLAIN_SPAN("r") "), 0, 0 FROM memset r WHERE " GOES_BY_CORRELATION("r") " AND r.result = 0" GROUPED,
     NULL,
     "DELETE FROM memset WHERE id IN (SELECT r.id FROM memset r WHERE " GOES_BY_CORRELATION("r") " AND r.result = 0)"},
    {"api_call",
     ADD_UP "'api_call', 0, r.entry_point, 0, 0, 0, count(*), 0, sum(" PLAIN_SPAN(
         "r") "), 0, 0 FROM api_call r WHERE " GOES_BY_CORRELATION("r") GROUPED,
     NULL, "DELETE FROM api_call WHERE id IN (SELECT r.id FROM api_call r WHERE " GOES_BY_CORRELATION("r") ")"},
    {"device_memset",
     ADD_UP
     "'device_memset', 0, 0, r.graph_node IS NOT NULL, 0, coalesce(r.device, 0), count(*), sum(r.bytes), 0,"
     " count(r.start_ns), coalesce(sum(r.end_ns - r.start_ns), 0) FROM device_memset r WHERE " GOES_BY_CORRELATION("r")
         GROUPED,
     NULL,
     "DELETE FROM device_memset WHERE id IN (SELECT r.id FROM device_memset r WHERE " GOES_BY_CORRELATION("r") ")"},
    {"device_sync",
     ADD_UP "'device_sync', 0, 0, r.kind, 0, 0, count(*), 0, 0, count(r.start_ns),"
            " coalesce(sum(r.end_ns - r.start_ns), 0) FROM device_sync r WHERE " GOES_BY_CORRELATION("r") GROUPED,
     NULL, "DELETE FROM device_sync WHERE id IN (SELECT r.id FROM device_sync r WHERE " GOES_BY_CORRELATION("r") ")"},
};

/* Rows of records may be there before that of their call: a pass begins so many before the mark. */
enum { EARLY_RECORDS = 1 << 16, SLICE_ROWS = 4096, STEP_BITS = 2, MOST_BITS = 24 };
enum { MARK_EVENTS = 1 << 16, HURRIED_ROWS = 1 << 18 };

struct xs_thin_mark {
    uint32_t correlation; /* the newest of all calls until then */
    int64_t rows;         /* that were written until then */
    int64_t ns;
    int64_t last[XS_THINNED_TABLES]; /* number of the last row of each table */
};

struct xs_thin {
    struct xs_thin_mark begun;  /* the end of the beginning */
    struct xs_thin_mark *marks; /* later ones, in order */
    size_t mark_count, mark_room;
    bool has_begun, is_passing;
    unsigned bits;          /* of the mask of the sample */
    uint64_t empty_bytes;   /* what a trace without events takes, or with few */
    int64_t events;         /* since the last mark */
    struct xs_thin_mark to; /* of the pass: what is older may go */
    unsigned table;         /* of the pass: where it is */
    int64_t id;
    int64_t row_bytes, pass_rows; /* of the pass: bytes of a row, and how many there are */
    int64_t dropped;              /* in the pass */
    bool has_passed, was_in_vain; /* the last pass is over; it dropped hardly anything */
    uint64_t left_bytes;          /* behind it */
    sqlite3_stmt *statements[XS_THINNED_TABLES][3], *last[XS_THINNED_TABLES], *next[XS_THINNED_TABLES];
};

void xs_thin_free(struct xs_store *store) {
    struct xs_thin *thin = store->thin;
    if (!thin) {
        return;
    }
    for (int i = 0; i < XS_THINNED_TABLES; i++) {
        for (int k = 0; k < 3; k++) {
            sqlite3_finalize(thin->statements[i][k]);
        }
        sqlite3_finalize(thin->last[i]);
        sqlite3_finalize(thin->next[i]);
    }
    free(thin->marks);
    free(thin);
    store->thin = NULL;
}

static int64_t number(struct xs_store *store, const char *pragma) {
    sqlite3_stmt *stmt = NULL;
    int64_t value = 0;
    if (sqlite3_prepare_v2(store->db, pragma, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        value = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return value;
}

static uint64_t used_bytes(struct xs_store *store) {
    int64_t pages = number(store, "PRAGMA page_count") - number(store, "PRAGMA freelist_count");
    return (uint64_t)(pages > 0 ? pages : 0) * XS_PAGE_BYTES;
}

/* Number of the last row of a table; its statement is kept. */
static int64_t last_of(struct xs_store *store, unsigned table) {
    sqlite3_stmt **stmt = &store->thin->last[table];
    if (!*stmt) {
        char sql[80];
        sqlite3_snprintf(sizeof sql, sql, "SELECT coalesce(max(id), 0) FROM %s", tables[table].table);
        sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
    }
    int64_t last = sqlite3_step(*stmt) == SQLITE_ROW ? sqlite3_column_int64(*stmt, 0) : 0;
    sqlite3_reset(*stmt);
    return last;
}

static struct xs_thin_mark mark_now(struct xs_store *store, int64_t now_ns) {
    struct xs_thin_mark mark = {.correlation = store->newest_correlation, .ns = now_ns};
    for (unsigned i = 0; i < XS_THINNED_TABLES; i++) {
        mark.last[i] = last_of(store, i);
        mark.rows += mark.last[i];
    }
    return mark;
}

/* Marks lie some hundred to a quarter of the size: so many are enough, and they do not become more. */
static bool add_mark(struct xs_thin *thin, struct xs_thin_mark mark) {
    enum { MOST_MARKS = 4096 };
    if (thin->mark_count == MOST_MARKS) {
        for (size_t i = 0; i < MOST_MARKS / 2; i++) {
            thin->marks[i] = thin->marks[2 * i + 1];
        }
        thin->mark_count = MOST_MARKS / 2;
    }
    if (thin->mark_count == thin->mark_room) {
        size_t room = thin->mark_room ? thin->mark_room * 2 : 64;
        struct xs_thin_mark *marks = realloc(thin->marks, room * sizeof *marks);
        if (!marks) {
            return false;
        }
        thin->marks = marks;
        thin->mark_room = room;
    }
    thin->marks[thin->mark_count++] = mark;
    return true;
}

/* The newest mark behind which there are `rows` rows; false: there is none. Marks before it are of no use any more. */
static bool mark_before(struct xs_thin *thin, int64_t now, int64_t rows, struct xs_thin_mark *mark) {
    size_t found = thin->mark_count;
    while (found > 0 && now - thin->marks[found - 1].rows < rows) {
        found--;
    }
    if (found == 0) {
        return false;
    }
    *mark = thin->marks[found - 1];
    memmove(thin->marks, thin->marks + found, (thin->mark_count - found) * sizeof *thin->marks);
    thin->mark_count -= found;
    return true;
}

/* How many rows there are: numbers are given once, and what was dropped is in meta. */
static void begin_pass(struct xs_store *store, uint64_t used, uint64_t most_bytes, int64_t now_ns) {
    struct xs_thin *thin = store->thin;
    struct xs_thin_mark now = mark_now(store, now_ns), to;
    int64_t kept = now.rows - store->thinned_rows;
    uint64_t row_bytes = kept > 0 ? used / (uint64_t)kept + 1 : 64;
    if (!mark_before(thin, now.rows, (int64_t)(most_bytes / 4 / row_bytes), &to) || to.rows <= thin->begun.rows) {
        return;
    }
    uint64_t middle = (uint64_t)(to.rows - thin->begun.rows) * row_bytes;
    if (thin->bits && !thin->was_in_vain &&
        used >= most_bytes - most_bytes / 16) { /* pages are emptier than reckoned */
        thin->bits += thin->bits < MOST_BITS ? STEP_BITS : 0;
    }
    while (thin->bits < MOST_BITS && middle >> thin->bits > most_bytes / 8) {
        thin->bits += STEP_BITS;
    }
    thin->to = to;
    thin->table = 0;
    thin->id = -1;
    thin->row_bytes = (int64_t)row_bytes;
    thin->pass_rows = kept;
    thin->dropped = 0;
    thin->is_passing = true;
}

static int run(struct xs_store *store, int which, const char *sql, int64_t from, int64_t to) {
    struct xs_thin *thin = store->thin;
    sqlite3_stmt **stmt = &thin->statements[thin->table][which];
    if (!sql) {
        return XS_OK;
    }
    if (!*stmt) {
        int rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
        if (rc != SQLITE_OK) {
            return xs_store_status(store, rc);
        }
    }
    const int64_t values[] = {from,
                              to,
                              thin->begun.correlation,
                              thin->to.correlation,
                              thin->begun.last[thin->table],
                              thin->to.last[thin->table],
                              (INT64_C(1) << thin->bits) - 1,
                              thin->begun.ns,
                              thin->to.ns};
    for (int i = 0; i < (int)(sizeof values / sizeof values[0]); i++) { /* not every statement has all of them */
        sqlite3_bind_int64(*stmt, i + 1, values[i]);
    }
    sqlite3_step(*stmt);
    return xs_store_status(store, sqlite3_reset(*stmt));
}

/* The last of the next rows; 0: there are none. Numbers of rows have large gaps where most were dropped. */
static int64_t end_of_slice(struct xs_store *store) {
    struct xs_thin *thin = store->thin;
    sqlite3_stmt **stmt = &thin->next[thin->table];
    if (!*stmt) {
        char sql[120];
        sqlite3_snprintf(sizeof sql, sql, "SELECT max(id) FROM (SELECT id FROM %s WHERE id > ? ORDER BY id LIMIT %d)",
                         tables[thin->table].table, SLICE_ROWS);
        sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
    }
    sqlite3_bind_int64(*stmt, 1, thin->id);
    int64_t last = sqlite3_step(*stmt) == SQLITE_ROW ? sqlite3_column_int64(*stmt, 0) : 0;
    sqlite3_reset(*stmt);
    return last;
}

/* One slice, in the batch that is open. */
static int thin_slice(struct xs_store *store, int64_t to) {
    struct xs_thin *thin = store->thin;
    const struct thinned *t = &tables[thin->table];
    int status = run(store, 0, t->add_up, thin->id, to);
    status = status ? status : run(store, 1, t->first_delete, thin->id, to);
    status = status ? status : run(store, 2, t->second_delete, thin->id, to);
    store->thinned_rows += status ? 0 : sqlite3_changes(store->db);
    thin->id = to;
    return status;
}

static int write_meta(struct xs_store *store) {
    const struct xs_thin *thin = store->thin;
    int status = xs_store_meta_int(store, XS_META_THINNED_ROWS, store->thinned_rows);
    status = status ? status : xs_store_meta_int(store, XS_META_THINNED_ONE_IN, INT64_C(1) << thin->bits);
    status = status ? status : xs_store_meta_int(store, XS_META_THINNED_FROM_NS, thin->begun.ns);
    return status ? status : xs_store_meta_int(store, XS_META_THINNED_TO_NS, thin->to.ns);
}

/* So many rows, in one transaction. */
static int thin_some(struct xs_store *store, int64_t rows) {
    struct xs_thin *thin = store->thin;
    int64_t before = store->thinned_rows;
    int status = xs_store_begin(store);
    for (; !status && rows > 0 && thin->table < XS_THINNED_TABLES; rows -= SLICE_ROWS) {
        if (thin->id < 0) {
            int64_t from = thin->begun.last[thin->table] - EARLY_RECORDS;
            thin->id = from > 0 ? from : 0;
        }
        int64_t to = end_of_slice(store);
        if (to > thin->id) {
            status = thin_slice(store, to);
        } else {
            thin->table++;
            thin->id = -1;
        }
    }
    status = status || store->thinned_rows == before ? status : write_meta(store);
    status = status ? status : xs_store_commit(store);
    if (status) {
        xs_store_rollback(store);
        store->thinned_rows = before;
        thin->is_passing = false; /* the next one begins at the first table */
    }
    thin->dropped += store->thinned_rows - before;
    thin->is_passing = thin->is_passing && thin->table < XS_THINNED_TABLES;
    thin->has_passed = !thin->is_passing;
    return status;
}

/* What is not thinned may need all of the size: allocations, failed calls, the beginning and the latest part. Then one
 * pass after another would find nothing, so the next one begins when there is more. */
static bool is_time(struct xs_thin *thin, uint64_t used, uint64_t most_bytes) {
    if (thin->has_passed) {
        thin->has_passed = false;
        thin->was_in_vain = thin->dropped * 64 < thin->pass_rows;
        thin->left_bytes = used;
    }
    return used >= most_bytes - most_bytes / 4 &&
           (!thin->was_in_vain || used >= thin->left_bytes + thin->left_bytes / 8);
}

int xs_store_thin(struct xs_store *store, uint64_t most_bytes, int64_t events, int64_t now_ns) {
    if (!store->thin) {
        store->thin = calloc(1, sizeof *store->thin);
        if (!store->thin) {
            return XS_ERROR_MEMORY;
        }
    }
    struct xs_thin *thin = store->thin;
    thin->events += events;
    uint64_t used = used_bytes(store);
    thin->empty_bytes = thin->empty_bytes ? thin->empty_bytes : used;
    most_bytes -= thin->empty_bytes < most_bytes / 2 ? thin->empty_bytes : most_bytes / 2;
    used -= thin->empty_bytes < used ? thin->empty_bytes : used;
    if (!thin->has_begun) {
        if (used >= most_bytes / 4) {
            thin->begun = mark_now(store, now_ns);
            thin->has_begun = true;
        }
        return XS_OK;
    }
    if (thin->events >= MARK_EVENTS || (uint64_t)thin->events * 64 > most_bytes / 64) {
        thin->events = 0;
        if (!add_mark(thin, mark_now(store, now_ns))) {
            return XS_ERROR_MEMORY;
        }
    }
    if (!thin->is_passing && is_time(thin, used, most_bytes)) {
        begin_pass(store, used, most_bytes, now_ns);
    }
    if (!thin->is_passing) {
        return XS_OK;
    }
    /* A pass comes to its end while an eighth of the size comes in. Threads of the program wait for the drain thread
     * two seconds at most, so even in a hurry it does not do everything at once. */
    int64_t coming = 2 * events * thin->row_bytes; /* each with a record of the device */
    int64_t rows = thin->pass_rows * coming / (int64_t)(most_bytes / 8 + 1);
    bool hurry = used >= most_bytes - most_bytes / 16;
    return thin_some(store, hurry ? HURRIED_ROWS + 4 * rows : 2 * SLICE_ROWS + rows);
}
