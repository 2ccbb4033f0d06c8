/* Finds the contents that instances upload, their destinations, and the contents that they replace; see turns.h. */
#include "analyzer/savings/causes/turns.h"

#include <sqlite3.h>
#include <stdio.h>

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"

/* A program cannot keep more contents than MOST_CONTENTS in separate buffers. */
enum { MOST_CONTENTS = 64, LEAST_CONTENTS = 2, LEAST_UPLOADS = 2 };

struct content {
    int64_t bytes;
    uint64_t uploads, replaced; /* number of instances that upload it, and of instances that replace it */
};

struct seen {
    struct xs_hash contents; /* by content and size: struct content; not more than MOST_CONTENTS + 1 */
    struct xs_hash buffers;  /* their destinations; not more than MOST_CONTENTS + 1 */
};

enum { BYTES, DESTINATION, LOW, HIGH, BEFORE_LOW, BEFORE_HIGH };
static const char query[] = "SELECT t.bytes, t.dst_address, f.content_low, f.content_high, f.before_low, f.before_high "
                            "FROM transfer t JOIN fingerprint f ON f.id = t.fingerprint WHERE t.id = ?";

/* Makes the key of the content in this column and the next one. */
static void key_of(sqlite3_stmt *row, int column, uint64_t key[2]) {
    key[0] = (uint64_t)sqlite3_column_int64(row, column) ^ xs_mix((uint64_t)sqlite3_column_int64(row, BYTES));
    key[1] = (uint64_t)sqlite3_column_int64(row, column + 1);
}

static void add_row(struct seen *seen, sqlite3_stmt *row) {
    uint64_t key[2];
    key_of(row, LOW, key);
    struct content *content = xs_hash_item(&seen->contents, key[0], key[1], sizeof *content);
    content->bytes = sqlite3_column_int64(row, BYTES);
    content->uploads++;
    if (seen->buffers.count <= MOST_CONTENTS)
        *xs_hash_put(&seen->buffers, (uint64_t)sqlite3_column_int64(row, DESTINATION), 0) = 1;
}

/* Counts the content that an upload replaced. Must be called after all contents are known. */
static void add_replaced(struct seen *seen, sqlite3_stmt *row) {
    uint64_t key[2];
    key_of(row, BEFORE_LOW, key);
    struct content *content = xs_hash_pointer(&seen->contents, key[0], key[1]);
    if (content && sqlite3_column_type(row, BEFORE_LOW) == SQLITE_INTEGER)
        content->replaced++;
}

/* Calls `add` for each instance's row. False: a row cannot be read. */
static bool each_row(sqlite3_stmt *statement, const struct xs_repairable *items, size_t count, struct seen *seen,
                     void (*add)(struct seen *, sqlite3_stmt *)) {
    int code = SQLITE_DONE;
    for (size_t i = 0; i < count && seen->contents.count <= MOST_CONTENTS; i++) {
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
    bool few = seen->contents.count >= LEAST_CONTENTS && seen->contents.count <= MOST_CONTENTS;
    for (const struct xs_hash_entry *entry = NULL; few && (entry = xs_hash_next(&seen->contents, entry));) {
        const struct content *content = (const struct content *)(uintptr_t)entry->value;
        few = content->uploads >= LEAST_UPLOADS && content->bytes > 0;
    }
    return few;
}

static void decide(const struct seen *seen, struct xs_turns *turns) {
    uint64_t uploads = 0, replaced = 0;
    int64_t first_bytes = 0;
    turns->contents = (uint32_t)seen->contents.count;
    turns->one_size = true;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&seen->contents, entry));) {
        const struct content *c = (const struct content *)(uintptr_t)entry->value;
        first_bytes = first_bytes ? first_bytes : c->bytes;
        turns->bytes = xs_sum(turns->bytes, (uint64_t)c->bytes);
        turns->one_size &= c->bytes == first_bytes;
        uploads += c->uploads;
        replaced += c->replaced;
    }
    if (seen->buffers.count < seen->contents.count && replaced * 2 >= uploads)
        turns->buffers = (uint32_t)seen->buffers.count;
}

/* Reads one finding. False: a row cannot be read. */
static bool read_finding(sqlite3_stmt *statement, struct xs_diagnosed *d, const struct xs_repairables *all) {
    struct seen seen = {0};
    size_t count, first = xs_repairables_of(all, d->finding, &count);
    bool good = each_row(statement, &all->items[first], count, &seen, add_row);
    if (good && are_few(&seen)) {
        good = each_row(statement, &all->items[first], count, &seen, add_replaced);
        if (good)
            decide(&seen, &d->turns);
    }
    xs_hash_free(&seen.contents);
    xs_hash_free(&seen.buffers);
    return good;
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
