/* Finds the contents that instances upload, their destinations, and the contents that they replace; see turns.h. */
#include "analyzer/savings/causes/turns.h"

#include <sqlite3.h>
#include <stdio.h>

#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"

/* A program cannot keep more contents than MOST_CONTENTS in separate buffers. */
enum { MOST_CONTENTS = 64, LEAST_CONTENTS = 2, LEAST_UPLOADS = 2 };

struct content {
    int64_t low, high, bytes;
    uint64_t uploads, replaced; /* number of instances that upload it, and of instances that replace it */
};

struct seen {
    struct content contents[MOST_CONTENTS];
    int64_t buffers[MOST_CONTENTS];
    unsigned count, buffer_count;
    bool is_too_many, are_too_many_buffers;
};

enum { BYTES, DESTINATION, LOW, HIGH, BEFORE_LOW, BEFORE_HIGH };
static const char query[] = "SELECT t.bytes, t.dst_address, f.content_low, f.content_high, f.before_low, f.before_high "
                            "FROM transfer t JOIN fingerprint f ON f.id = t.fingerprint WHERE t.id = ?";

static struct content *content_of(struct seen *seen, int64_t low, int64_t high, int64_t bytes) {
    for (unsigned i = 0; i < seen->count; i++) {
        struct content *c = &seen->contents[i];
        if (c->low == low && c->high == high && c->bytes == bytes)
            return c;
    }
    if (seen->count == MOST_CONTENTS) {
        seen->is_too_many = true;
        return NULL;
    }
    seen->contents[seen->count] = (struct content){.low = low, .high = high, .bytes = bytes};
    return &seen->contents[seen->count++];
}

static void add_buffer(struct seen *seen, int64_t address) {
    for (unsigned i = 0; i < seen->buffer_count; i++)
        if (seen->buffers[i] == address)
            return;
    if (seen->buffer_count == MOST_CONTENTS)
        seen->are_too_many_buffers = true;
    else
        seen->buffers[seen->buffer_count++] = address;
}

static void add_row(struct seen *seen, sqlite3_stmt *row) {
    int64_t bytes = sqlite3_column_int64(row, BYTES);
    struct content *content = content_of(seen, sqlite3_column_int64(row, LOW), sqlite3_column_int64(row, HIGH), bytes);
    if (!content)
        return;
    content->uploads++;
    add_buffer(seen, sqlite3_column_int64(row, DESTINATION));
}

/* Counts the content that an upload replaced. Must be called after all contents are known. */
static void add_replaced(struct seen *seen, sqlite3_stmt *row) {
    int64_t low = sqlite3_column_int64(row, BEFORE_LOW), high = sqlite3_column_int64(row, BEFORE_HIGH);
    int64_t bytes = sqlite3_column_int64(row, BYTES);
    for (unsigned i = 0; i < seen->count && sqlite3_column_type(row, BEFORE_LOW) == SQLITE_INTEGER; i++)
        if (seen->contents[i].low == low && seen->contents[i].high == high && seen->contents[i].bytes == bytes)
            seen->contents[i].replaced++;
}

/* Calls `add` for each instance's row. False: a row cannot be read. */
static bool each_row(sqlite3_stmt *statement, const struct xs_repairable *items, size_t count, struct seen *seen,
                     void (*add)(struct seen *, sqlite3_stmt *)) {
    int code = SQLITE_DONE;
    for (size_t i = 0; i < count && !seen->is_too_many; i++) {
        if (items[i].table != XS_EVIDENCE_TRANSFER)
            continue;
        sqlite3_reset(statement);
        sqlite3_bind_int64(statement, 1, items[i].rows[0]);
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            add(seen, statement);
        else if (code != SQLITE_DONE)
            return false;
    }
    return true;
}

/* True if the contents are few. Each must have been uploaded at least LEAST_UPLOADS times, because a content that was
 * seen only once may be one of many more. */
static bool are_few(const struct seen *seen) {
    bool few = !seen->is_too_many && seen->count >= LEAST_CONTENTS;
    for (unsigned i = 0; i < seen->count && few; i++)
        few = seen->contents[i].uploads >= LEAST_UPLOADS && seen->contents[i].bytes > 0;
    return few;
}

static void decide(const struct seen *seen, struct xs_turns *turns) {
    uint64_t uploads = 0, replaced = 0;
    turns->contents = seen->count;
    turns->one_size = true;
    for (unsigned i = 0; i < seen->count; i++) {
        const struct content *c = &seen->contents[i];
        turns->bytes = xs_sum(turns->bytes, (uint64_t)c->bytes);
        turns->one_size &= c->bytes == seen->contents[0].bytes;
        uploads += c->uploads;
        replaced += c->replaced;
    }
    if (!seen->are_too_many_buffers && seen->buffer_count < seen->count && replaced * 2 >= uploads)
        turns->buffers = seen->buffer_count;
}

/* Reads one finding. False: a row cannot be read. */
static bool read_finding(sqlite3_stmt *statement, struct xs_diagnosed *d, const struct xs_repairables *all) {
    struct seen seen = {.count = 0};
    size_t count, first = xs_repairables_of(all, d->finding, &count);
    if (!each_row(statement, &all->items[first], count, &seen, add_row))
        return false;
    if (!are_few(&seen))
        return true;
    if (!each_row(statement, &all->items[first], count, &seen, add_replaced))
        return false;
    decide(&seen, &d->turns);
    return true;
}

static int read_all(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, char *message) {
    sqlite3_stmt *statement = NULL;
    bool good = true;
    for (size_t i = 0; i < diagnosis->count && good; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        if (!xs_detectors[f->detector]->verdicts_join || f->instances < (uint64_t)LEAST_CONTENTS * LEAST_UPLOADS)
            continue;
        good = statement || sqlite3_prepare_v2(trace->db, query, -1, &statement, NULL) == SQLITE_OK;
        good = good && read_finding(statement, &diagnosis->items[i], &diagnosis->findings->repairables);
    }
    if (!good)
        snprintf(message, XS_TRACE_MESSAGE_BYTES, "%s: %s", trace->path, xs_trace_why(trace));
    sqlite3_finalize(statement);
    return good ? XS_OK : XS_ERROR_CORRUPT;
}

/* Reads all findings. A transaction is opened, because otherwise each row would lock and unlock the file. */
int xs_turns_read(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, char *message) {
    bool is_own = sqlite3_get_autocommit(trace->db);
    if (is_own)
        xs_snapshot_begin(trace);
    int status = read_all(trace, diagnosis, message);
    if (is_own)
        xs_snapshot_end(trace);
    return status;
}
