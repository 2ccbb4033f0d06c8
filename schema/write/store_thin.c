/* Thins a trace that grows too large; see store_thin.h.
 *
 * A pass examines all rows after the beginning of the trace, in slices of consecutive row numbers; some slices are
 * thinned in one transaction between two batches of events. The pass deletes rows that neither belong to the sample nor
 * are kept in addition to it, from the end of the beginning up to a mark. The rows after this mark take about a quarter
 * of the permitted size. The next pass begins when the file is nearly full again. If the thinned rows take too much
 * room, the next sample is a quarter of the previous one. A smaller step would leave pages half empty, and SQLite
 * merges pages only if less than a third of them is used. */
#include "schema/write/store_thin.h"

#include <stdlib.h>
#include <string.h>

#include "schema/write/store_internal.h"
#include "schema/write/thin_choice.h"

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

/* The statements of a table, in the order of execution. */
enum { ADD_UP, ALSO, DELETE, STATEMENTS };

/* The tables are in the order in which a pass thins them: calls come before the device records of their kind. Slices of
 * transfers and of device copies alternate. */
enum { SYNC = 1, TRANSFER = 4, DEVICE_COPY = 5, THINNED_TABLES = 9 };
static const struct thinned {
    const char *table;
    enum xs_calls_of of;
    const char *adds_up, *also; /* statements that are run before the rows are deleted; NULL: none */
} tables[THINNED_TABLES] = {
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
    [TRANSFER] =
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
    [DEVICE_COPY] =
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

/* A device record may be written before its call, so a pass begins EARLY_RECORDS rows before the end of the beginning.
 */
enum { EARLY_RECORDS = 1 << 16, SLICE_ROWS = XS_CHOICE_ROWS, STEP_BITS = 2, MOST_BITS = 24 };
/* The calls that are kept in addition to the sample take, with their records, at most about 1/32 of the size. */
enum { MOST_BESIDE = 1 << 16, SIZE_OF_BESIDE = 4096 };
enum { MARK_EVENTS = 1 << 16, HURRIED_ROWS = 1 << 18, MOST_REWRITTEN_PAGES = (8 << 20) / XS_PAGE_BYTES };

struct xs_thin_mark {
    uint32_t correlation; /* largest correlation of all calls up to here */
    int64_t rows;         /* number of rows written up to here */
    int64_t ns;
    int64_t last[THINNED_TABLES]; /* id of each table's last row */
};

/* The next rows of a table that are thinned together. */
struct slice {
    int64_t end;    /* id of the last row; 0: there are no rows */
    int64_t newest; /* largest correlation of these rows */
};

struct xs_thin {
    struct xs_thin_mark begun;  /* the end of the beginning */
    struct xs_thin_mark *marks; /* later marks, in order */
    size_t mark_count, mark_room;
    bool has_begun, is_passing;
    unsigned bits;          /* one in 2^bits calls is in the sample */
    uint64_t empty_bytes;   /* size of a trace with no or few events */
    int64_t events;         /* number of events since the last mark */
    struct xs_thin_mark to; /* of the pass: mark up to which rows may be deleted */
    unsigned table;         /* of the pass: table that is being thinned */
    unsigned done;          /* of the pass: one bit for each finished table */
    int64_t ids[THINNED_TABLES];
    struct slice copies;        /* next slice of device copies; end 0: not determined yet */
    int64_t newest_before;      /* largest correlation of the transfers before their latest slice */
    uint64_t remembered_before; /* number of remembered transfers at the latest slice of device copies */
    struct {
        int64_t from, to, back;   /* rows to examine again, and where to continue after them; to 0: none */
    } waiting;                    /* device copies that wait until their transfers were examined */
    int64_t row_bytes, pass_rows; /* of the pass: bytes per row, and number of rows */
    int64_t dropped;              /* number of rows deleted in the pass */
    bool has_passed, was_in_vain; /* the last pass has ended; it deleted hardly any rows */
    uint64_t left_bytes;          /* size after the last pass */
    sqlite3_stmt *statements[THINNED_TABLES][STATEMENTS], *last[THINNED_TABLES], *next[THINNED_TABLES];
};

void xs_thin_free(struct xs_store *store) {
    struct xs_thin *thin = store->thin;
    if (!thin)
        return;
    for (int i = 0; i < THINNED_TABLES; i++) {
        for (int k = 0; k < STATEMENTS; k++)
            sqlite3_finalize(thin->statements[i][k]);
        sqlite3_finalize(thin->last[i]);
        sqlite3_finalize(thin->next[i]);
    }
    free(thin->marks);
    free(thin);
    store->thin = NULL;
    xs_choice_free(store->choice);
    store->choice = NULL;
}

static int64_t number(struct xs_store *store, const char *pragma) {
    sqlite3_stmt *stmt = NULL;
    int64_t value = 0;
    if (sqlite3_prepare_v2(store->db, pragma, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        value = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return value;
}

static uint64_t used_bytes(struct xs_store *store) {
    int64_t pages = number(store, "PRAGMA page_count") - number(store, "PRAGMA freelist_count");
    return (uint64_t)(pages > 0 ? pages : 0) * XS_PAGE_BYTES;
}

void xs_store_give_back(struct xs_store *store) {
    if (store->thinned_rows == 0)
        return;
    const int64_t pages = number(store, "PRAGMA page_count"), left = number(store, "PRAGMA freelist_count");
    if (left > pages / 8 && pages - left <= MOST_REWRITTEN_PAGES)
        sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
}

/* Returns the id of a table's last row. The prepared statement is kept for the next call. */
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
    for (unsigned i = 0; i < THINNED_TABLES; i++) {
        mark.last[i] = last_of(store, i);
        mark.rows += mark.last[i];
    }
    return mark;
}

/* Adds a mark. A quarter of the permitted size has some hundred marks, so MOST_MARKS are enough. If there are so many
 * nevertheless, every other one is removed. */
static bool add_mark(struct xs_thin *thin, struct xs_thin_mark mark) {
    enum { MOST_MARKS = 4096 };
    if (thin->mark_count == MOST_MARKS) {
        for (size_t i = 0; i < MOST_MARKS / 2; i++)
            thin->marks[i] = thin->marks[2 * i + 1];
        thin->mark_count = MOST_MARKS / 2;
    }
    if (thin->mark_count == thin->mark_room) {
        size_t room = thin->mark_room ? thin->mark_room * 2 : 64;
        struct xs_thin_mark *marks = realloc(thin->marks, room * sizeof *marks);
        if (!marks)
            return false;
        thin->marks = marks;
        thin->mark_room = room;
    }
    thin->marks[thin->mark_count++] = mark;
    return true;
}

/* Finds the latest mark that has at least `rows` rows after it, and removes it and all earlier marks, which are no
 * longer needed. False: there is none. */
static bool mark_before(struct xs_thin *thin, int64_t now, int64_t rows, struct xs_thin_mark *mark) {
    size_t found = thin->mark_count;
    while (found > 0 && now - thin->marks[found - 1].rows < rows)
        found--;
    if (found == 0)
        return false;
    *mark = thin->marks[found - 1];
    memmove(thin->marks, thin->marks + found, (thin->mark_count - found) * sizeof *thin->marks);
    thin->mark_count -= found;
    return true;
}

/* Begins a pass. The number of rows in the trace is the sum of the last ids, minus the deleted rows. */
static void begin_pass(struct xs_store *store, uint64_t used, uint64_t most_bytes, int64_t now_ns) {
    struct xs_thin *thin = store->thin;
    struct xs_thin_mark now = mark_now(store, now_ns), to;
    int64_t kept = now.rows - store->thinned_rows;
    uint64_t row_bytes = kept > 0 ? used / (uint64_t)kept + 1 : 64;
    if (!mark_before(thin, now.rows, (int64_t)(most_bytes / 4 / row_bytes), &to) || to.rows <= thin->begun.rows)
        return;
    uint64_t middle = (uint64_t)(to.rows - thin->begun.rows) * row_bytes;
    if (thin->bits && !thin->was_in_vain && used >= most_bytes - most_bytes / 16) /* pages are emptier than estimated */
        thin->bits += thin->bits < MOST_BITS ? STEP_BITS : 0;
    while (thin->bits < MOST_BITS && middle >> thin->bits > most_bytes / 8)
        thin->bits += STEP_BITS;
    uint64_t beside = most_bytes / SIZE_OF_BESIDE;
    xs_choice_begin(store->choice, thin->bits, beside < MOST_BESIDE ? (uint32_t)beside : MOST_BESIDE);
    thin->to = to;
    thin->table = 0;
    thin->done = 0;
    thin->copies = (struct slice){0};
    thin->newest_before = 0;
    thin->waiting.to = thin->waiting.back = 0;
    for (unsigned i = 0; i < THINNED_TABLES; i++) {
        int64_t from = thin->begun.last[i] - EARLY_RECORDS;
        thin->ids[i] = from > 0 ? from : 0;
    }
    thin->row_bytes = (int64_t)row_bytes;
    thin->pass_rows = kept;
    thin->dropped = 0;
    thin->is_passing = true;
}

static int run(struct xs_store *store, unsigned table, unsigned which, int64_t to) {
    struct xs_thin *thin = store->thin;
    sqlite3_stmt **stmt = &thin->statements[table][which];
    if (which == ALSO && !tables[table].also)
        return XS_OK;
    if (!*stmt) {
        char deletion[96];
        sqlite3_snprintf(sizeof deletion, deletion, "DELETE FROM %s WHERE id > ?1 AND id <= ?2 AND xs_is_gone(id)",
                         tables[table].table);
        const char *sql = which == ADD_UP ? tables[table].adds_up : which == ALSO ? tables[table].also : deletion;
        int rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL);
        if (rc != SQLITE_OK)
            return xs_store_status(store, rc);
    }
    sqlite3_bind_int64(*stmt, 1, thin->ids[table]);
    sqlite3_bind_int64(*stmt, 2, to);
    sqlite3_step(*stmt);
    return xs_store_status(store, sqlite3_reset(*stmt));
}

/* Returns the next slice. Slices are found by counting rows, because ids have large gaps where most rows were deleted.
 */
static struct slice next_slice(struct xs_store *store, unsigned table) {
    struct xs_thin *thin = store->thin;
    struct slice slice = {0};
    sqlite3_stmt **stmt = &thin->next[table];
    if (!*stmt) {
        char sql[160];
        sqlite3_snprintf(sizeof sql, sql,
                         "SELECT max(id), max(c) FROM (SELECT id, %s AS c FROM %s WHERE id > ? ORDER BY id LIMIT %d)",
                         table == SYNC ? "0" : "correlation", tables[table].table, SLICE_ROWS);
        sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL);
    }
    sqlite3_bind_int64(*stmt, 1, thin->ids[table]);
    if (sqlite3_step(*stmt) == SQLITE_ROW)
        slice = (struct slice){sqlite3_column_int64(*stmt, 0), sqlite3_column_int64(*stmt, 1)};
    sqlite3_reset(*stmt);
    return slice;
}

/* Returns the table whose slice is next. A device copy is thinned shortly after its transfer, while the transfer is
 * still remembered, so that the copy's time can be added to the transfer's sums. With several threads, transfers are
 * only roughly in order. */
static unsigned next_table(struct xs_store *store) {
    struct xs_thin *thin = store->thin;
    while (thin->table < THINNED_TABLES && (thin->done >> thin->table & 1))
        thin->table++;
    if (thin->table != TRANSFER)
        return thin->table;
    if (!thin->copies.end)
        thin->copies = next_slice(store, DEVICE_COPY);
    uint64_t ahead = xs_choice_remembered(store->choice) - thin->remembered_before;
    bool is_time = thin->copies.newest <= thin->newest_before || ahead > XS_CALLS_IN_MIND - SLICE_ROWS;
    return thin->copies.end && is_time ? DEVICE_COPY : TRANSFER;
}

/* Runs after a slice of device copies. Notes the rows that wait for their transfers. When these rows have been
 * examined again, continues at the position where the pass was before. */
static void note_waiting(struct xs_thin *thin, int64_t from, int64_t to, bool waits) {
    if (waits) {
        thin->waiting.from = thin->waiting.to ? thin->waiting.from : from;
        thin->waiting.to = to;
    } else if (thin->done >> TRANSFER & 1 && to >= thin->waiting.to && to < thin->waiting.back) {
        thin->ids[DEVICE_COPY] = thin->waiting.back;
    }
}

/* Runs when a table is finished. If it is the table of transfers, goes back to the device copies that waited for their
 * transfers. */
static void go_back(struct xs_thin *thin, unsigned table) {
    if (table == TRANSFER && thin->waiting.to) {
        thin->waiting.back = thin->ids[DEVICE_COPY];
        thin->ids[DEVICE_COPY] = thin->waiting.from;
    }
}

/* Thins one slice, inside the open transaction. */
static int thin_slice(struct xs_store *store, unsigned table, int64_t to) {
    struct xs_thin *thin = store->thin;
    bool is_transfer = table == TRANSFER;
    int64_t from = thin->ids[table];
    xs_choice_slice(store->choice,
                    &(struct xs_choice_range){.of = tables[table].of,
                                              .from_correlation = thin->begun.correlation,
                                              .to_correlation = thin->to.correlation,
                                              .from_other = is_transfer ? thin->begun.ns : thin->begun.last[table],
                                              .to_other = is_transfer ? thin->to.ns : thin->to.last[table],
                                              .has_all_calls = (thin->done >> TRANSFER & 1) != 0});
    thin->newest_before = is_transfer ? xs_choice_newest(store->choice) : thin->newest_before;
    int status = run(store, table, ADD_UP, to);
    for (unsigned i = ALSO; !status && xs_choice_gone(store->choice) && i < STATEMENTS; i++)
        status = run(store, table, i, to);
    store->thinned_rows += status ? 0 : xs_choice_gone(store->choice);
    thin->ids[table] = to;
    if (table == DEVICE_COPY) {
        thin->copies = (struct slice){0};
        thin->remembered_before = xs_choice_remembered(store->choice);
        note_waiting(thin, from, to, xs_choice_waits(store->choice));
    }
    return status;
}

static int write_meta(struct xs_store *store) {
    const struct xs_thin *thin = store->thin;
    int status = xs_store_meta_int(store, XS_META_THINNED_ROWS, store->thinned_rows);
    status = status ? status : xs_store_meta_int(store, XS_META_THINNED_ONE_IN, INT64_C(1) << thin->bits);
    status = status ? status : xs_store_meta_int(store, XS_META_THINNED_FROM_NS, thin->begun.ns);
    return status ? status : xs_store_meta_int(store, XS_META_THINNED_TO_NS, thin->to.ns);
}

/* Thins about `rows` rows, in one transaction. */
static int thin_some(struct xs_store *store, int64_t rows) {
    struct xs_thin *thin = store->thin;
    int64_t before = store->thinned_rows;
    int status = xs_store_begin(store);
    for (unsigned table; !status && rows > 0 && (table = next_table(store)) < THINNED_TABLES; rows -= SLICE_ROWS) {
        struct slice slice = next_slice(store, table);
        if (slice.end) {
            status = thin_slice(store, table, slice.end);
        } else {
            thin->done |= 1u << table;
            go_back(thin, table);
        }
    }
    status = status || store->thinned_rows == before ? status : write_meta(store);
    status = status ? status : xs_store_commit(store);
    if (status) {
        xs_store_rollback(store);
        xs_choice_forget(store->choice);
        store->thinned_rows = before;
        thin->is_passing = false; /* the next pass begins at the first table again */
    }
    thin->dropped += store->thinned_rows - before;
    thin->is_passing = thin->is_passing && thin->table < THINNED_TABLES;
    thin->has_passed = !thin->is_passing;
    return status;
}

/* True if it is time to begin a pass. The parts that are never thinned (allocations, failed calls, the beginning and
 * the latest part) may need all of the permitted size. A pass then deletes hardly anything, so the next pass begins
 * only when the file has grown by an eighth. */
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
        if (!store->thin)
            return XS_ERROR_MEMORY;
    }
    struct xs_thin *thin = store->thin;
    thin->events += events;
    uint64_t used = used_bytes(store);
    thin->empty_bytes = thin->empty_bytes ? thin->empty_bytes : used;
    most_bytes -= thin->empty_bytes < most_bytes / 2 ? thin->empty_bytes : most_bytes / 2;
    used -= thin->empty_bytes < used ? thin->empty_bytes : used;
    if (!thin->has_begun) {
        if (used >= most_bytes / 4) {
            store->choice = xs_choice_new(store->db);
            if (!store->choice)
                return XS_ERROR_MEMORY;
            thin->begun = mark_now(store, now_ns);
            thin->has_begun = true;
        }
        return XS_OK;
    }
    if (thin->events >= MARK_EVENTS || (uint64_t)thin->events * 64 > most_bytes / 64) {
        thin->events = 0;
        if (!add_mark(thin, mark_now(store, now_ns)))
            return XS_ERROR_MEMORY;
    }
    if (!thin->is_passing && is_time(thin, used, most_bytes))
        begin_pass(store, used, most_bytes, now_ns);
    if (!thin->is_passing)
        return XS_OK;
    /* A pass is spread over the time in which an eighth of the permitted size is written. Threads of the program wait
     * for the drain thread for at most two seconds, so even if the size is nearly reached, not all rows are thinned at
     * once. */
    int64_t coming = 2 * events * thin->row_bytes; /* times 2, because each event has a device record */
    int64_t rows = thin->pass_rows * coming / (int64_t)(most_bytes / 8 + 1);
    bool hurry = used >= most_bytes - most_bytes / 16;
    return thin_some(store, hurry ? HURRIED_ROWS + 4 * rows : 2 * SLICE_ROWS + rows);
}
