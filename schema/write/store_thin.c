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

#include "schema/write/thin_tables.h"

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
    int64_t last[XS_THINNED_TABLES]; /* id of each table's last row */
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
    int64_t ids[XS_THINNED_TABLES];
    struct xs_thin_slice copies; /* next slice of device copies; end 0: not determined yet */
    int64_t newest_before;       /* largest correlation of the transfers before their latest slice */
    uint64_t remembered_before;  /* number of remembered transfers at the latest slice of device copies */
    struct {
        int64_t from, to, back;   /* rows to examine again, and where to continue after them; to 0: none */
    } waiting;                    /* device copies that wait until their transfers were examined */
    int64_t row_bytes, pass_rows; /* of the pass: bytes per row, and number of rows */
    int64_t dropped;              /* number of rows deleted in the pass */
    bool has_passed, was_in_vain; /* the last pass has ended; it deleted hardly any rows */
    uint64_t left_bytes;          /* size after the last pass */
    struct xs_thin_statements statements;
};

void xs_thin_free(struct xs_store *store) {
    struct xs_thin *thin = store->thin;
    if (!thin)
        return;
    xs_thin_statements_free(&thin->statements);
    free(thin->marks);
    free(thin);
    store->thin = NULL;
    xs_choice_free(store->choice);
    store->choice = NULL;
}

void xs_store_give_back(struct xs_store *store) {
    if (store->thinned_rows == 0)
        return;
    const int64_t pages = xs_thin_number(store, "PRAGMA page_count"),
                  left = xs_thin_number(store, "PRAGMA freelist_count");
    if (left > pages / 8 && pages - left <= MOST_REWRITTEN_PAGES)
        sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
}

static struct xs_thin_mark mark_now(struct xs_store *store, int64_t now_ns) {
    struct xs_thin_mark mark = {.correlation = store->newest_correlation, .ns = now_ns};
    for (unsigned i = 0; i < XS_THINNED_TABLES; i++) {
        mark.last[i] = xs_thin_last(store, &store->thin->statements, i);
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
    thin->copies = (struct xs_thin_slice){0};
    thin->newest_before = 0;
    thin->waiting.to = thin->waiting.back = 0;
    for (unsigned i = 0; i < XS_THINNED_TABLES; i++) {
        int64_t from = thin->begun.last[i] - EARLY_RECORDS;
        thin->ids[i] = from > 0 ? from : 0;
    }
    thin->row_bytes = (int64_t)row_bytes;
    thin->pass_rows = kept;
    thin->dropped = 0;
    thin->is_passing = true;
}

/* Returns the table whose slice is next. A device copy is thinned shortly after its transfer, while the transfer is
 * still remembered, so that the copy's time can be added to the transfer's sums. With several threads, transfers are
 * only roughly in order. */
static unsigned next_table(struct xs_store *store) {
    struct xs_thin *thin = store->thin;
    while (thin->table < XS_THINNED_TABLES && (thin->done >> thin->table & 1))
        thin->table++;
    if (thin->table != XS_THINNED_TRANSFER)
        return thin->table;
    if (!thin->copies.end)
        thin->copies =
            xs_thin_next(store, &thin->statements, XS_THINNED_DEVICE_COPY, thin->ids[XS_THINNED_DEVICE_COPY]);
    uint64_t ahead = xs_choice_remembered(store->choice) - thin->remembered_before;
    bool is_time = thin->copies.newest <= thin->newest_before || ahead > XS_CALLS_IN_MIND - SLICE_ROWS;
    return thin->copies.end && is_time ? XS_THINNED_DEVICE_COPY : XS_THINNED_TRANSFER;
}

/* Runs after a slice of device copies. Notes the rows that wait for their transfers. When these rows have been
 * examined again, continues at the position where the pass was before. */
static void note_waiting(struct xs_thin *thin, int64_t from, int64_t to, bool waits) {
    if (waits) {
        thin->waiting.from = thin->waiting.to ? thin->waiting.from : from;
        thin->waiting.to = to;
    } else if (thin->done >> XS_THINNED_TRANSFER & 1 && to >= thin->waiting.to && to < thin->waiting.back) {
        thin->ids[XS_THINNED_DEVICE_COPY] = thin->waiting.back;
    }
}

/* Runs when a table is finished. If it is the table of transfers, goes back to the device copies that waited for their
 * transfers. */
static void go_back(struct xs_thin *thin, unsigned table) {
    if (table == XS_THINNED_TRANSFER && thin->waiting.to) {
        thin->waiting.back = thin->ids[XS_THINNED_DEVICE_COPY];
        thin->ids[XS_THINNED_DEVICE_COPY] = thin->waiting.from;
    }
}

/* Thins one slice, inside the open transaction. */
static int thin_slice(struct xs_store *store, unsigned table, int64_t to) {
    struct xs_thin *thin = store->thin;
    bool is_transfer = table == XS_THINNED_TRANSFER;
    int64_t from = thin->ids[table];
    xs_choice_slice(store->choice,
                    &(struct xs_choice_range){.of = xs_thinned_tables[table].of,
                                              .from_correlation = thin->begun.correlation,
                                              .to_correlation = thin->to.correlation,
                                              .from_other = is_transfer ? thin->begun.ns : thin->begun.last[table],
                                              .to_other = is_transfer ? thin->to.ns : thin->to.last[table],
                                              .has_all_calls = (thin->done >> XS_THINNED_TRANSFER & 1) != 0});
    thin->newest_before = is_transfer ? xs_choice_newest(store->choice) : thin->newest_before;
    int status = xs_thin_run(store, &thin->statements, table, XS_THIN_ADD_UP, from, to);
    for (unsigned i = XS_THIN_ALSO; !status && xs_choice_gone(store->choice) && i < XS_THIN_STEPS; i++)
        status = xs_thin_run(store, &thin->statements, table, i, from, to);
    store->thinned_rows += status ? 0 : xs_choice_gone(store->choice);
    thin->ids[table] = to;
    if (table == XS_THINNED_DEVICE_COPY) {
        thin->copies = (struct xs_thin_slice){0};
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
    for (unsigned table; !status && rows > 0 && (table = next_table(store)) < XS_THINNED_TABLES; rows -= SLICE_ROWS) {
        struct xs_thin_slice slice = xs_thin_next(store, &thin->statements, table, thin->ids[table]);
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
    thin->is_passing = thin->is_passing && thin->table < XS_THINNED_TABLES;
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
    uint64_t used = xs_thin_used_bytes(store);
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
