/* Writes rows: prepares statements, handles transactions and errors, and writes the small tables that describe the run.
 */
#include "schema/write/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns the status for an SQLite result code; errno must not have changed since the failed call. */
static int status_of(int rc) {
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return XS_OK;
    case SQLITE_FULL:
        return XS_ERROR_FULL;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return XS_ERROR_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return XS_ERROR_CORRUPT;
    case SQLITE_NOMEM:
        return XS_ERROR_MEMORY;
    case SQLITE_IOERR: {
        /* SQLite returns SQLITE_FULL only if a write fails with ENOSPC. If a quota or a file-size limit is reached, or
         * there is no room for the WAL's index, it returns an I/O error. SQLite stores the errno of its clean-up, but
         * errno itself still has the error of the write. */
        bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || rc == SQLITE_IOERR_SHMSIZE;
        return full ? XS_ERROR_FULL : XS_ERROR_SQLITE;
    }
    default:
        return XS_ERROR_SQLITE;
    }
}

int xs_store_status(struct xs_store *store, int rc) {
    int status = status_of(rc);
    if (status) {
        snprintf(store->message, sizeof store->message, "%s",
                 store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc));
        if (store->in_batch && !store->failure)
            store->failure = status;
    }
    return status;
}

const char *xs_store_error(const struct xs_store *store) { return store->message; }

int xs_store_exec(struct xs_store *store, const char *sql) {
    errno = 0;
    return xs_store_status(store, sqlite3_exec(store->db, sql, NULL, NULL, NULL));
}

/* Returns the hash slot of a text, which is free if the text has no statement yet. */
static struct xs_statement *slot_of(struct xs_store *store, const char *text) {
    uint64_t i = (uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (store->statements[i % XS_STATEMENT_SLOTS].text && store->statements[i % XS_STATEMENT_SLOTS].text != text)
        i++;
    return &store->statements[i % XS_STATEMENT_SLOTS];
}

/* Returns an INSERT with a parameter for each of its columns, to be freed by sqlite3_free. UPSERT becomes an INSERT
 * that changes these columns in the row of that id if there is one. */
static char *with_values(const char *insert) {
    static const char word[] = "UPSERT";
    bool changes = strncmp(insert, word, sizeof word - 1) == 0;
    sqlite3_str *sql = sqlite3_str_new(NULL), *update = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql, "%s%s VALUES (?", changes ? "INSERT" : "", insert + (changes ? sizeof word - 1 : 0));
    for (const char *column = insert; (column = strchr(column, ',')); column++) {
        int bytes = (int)strcspn(column + 1, ",)");
        sqlite3_str_appendall(sql, ",?");
        sqlite3_str_appendf(update, "%s%.*s=excluded.%.*s", sqlite3_str_length(update) ? "," : "", bytes, column + 1,
                            bytes - 1, column + 2);
    }
    char *set = sqlite3_str_finish(update);
    sqlite3_str_appendf(sql, ")%s%s", changes ? " ON CONFLICT(id) DO UPDATE SET" : "", changes && set ? set : "");
    sqlite3_free(set);
    return sqlite3_str_finish(sql);
}

static struct xs_row start(struct xs_store *store, const char *text, bool lacks_values) {
    struct xs_statement *slot = slot_of(store, text);
    struct xs_row row = {store, NULL, 0, store->in_batch ? store->failure : XS_OK};
    if (!row.status && !slot->text) {
        errno = 0;
        char *sql = lacks_values ? with_values(text) : sqlite3_mprintf("%s", text);
        int rc =
            sql ? sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &slot->stmt, NULL) : SQLITE_NOMEM;
        sqlite3_free(sql);
        row.status = xs_store_status(store, rc);
        slot->text = row.status ? NULL : text;
    }
    row.stmt = row.status ? NULL : slot->stmt;
    return row;
}

struct xs_row xs_row_start(struct xs_store *store, const char *sql) {
    return start(store, sql, false);
}

struct xs_row xs_row_into(struct xs_store *store, const char *insert) {
    return start(store, insert, true);
}

void xs_statements_free(struct xs_store *store) {
    for (int i = 0; i < XS_STATEMENT_SLOTS; i++)
        sqlite3_finalize(store->statements[i].stmt);
    memset(store->statements, 0, sizeof store->statements);
}

int xs_row_insert(struct xs_row *row) {
    if (row->status)
        return row->status;
    errno = 0;
    sqlite3_step(row->stmt);
    int saved = errno; /* status_of reads it */
    int rc = sqlite3_reset(row->stmt);
    errno = saved;
    return xs_store_status(row->store, rc);
}

int xs_store_begin(struct xs_store *store) {
    if (store->in_batch)
        return XS_ERROR_INVALID;
    bool continues = store->ledger && !sqlite3_get_autocommit(store->db);
    struct xs_row row = xs_row_start(store, "BEGIN IMMEDIATE");
    int status = continues ? XS_OK : xs_row_insert(&row);
    if (status)
        return status;
    store->in_batch = true;
    store->intern_changed = continues && store->intern_changed;
    store->failure = XS_OK;
    return XS_OK;
}

int xs_store_commit(struct xs_store *store) {
    if (!store->in_batch)
        return XS_ERROR_INVALID;
    struct xs_row row = xs_row_start(store, "COMMIT");
    int status = !store->is_held ? xs_row_insert(&row) : store->failure;
    if (status) {
        xs_store_rollback(store);
        return status;
    }
    store->in_batch = false;
    return XS_OK;
}

void xs_store_rollback(struct xs_store *store) {
    if (!store->in_batch)
        return;
    store->in_batch = false;
    store->failure = XS_OK;
    /* Errors of the rollback are ignored, because the message of the first error is more useful. */
    if (!sqlite3_get_autocommit(store->db))
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    if (store->intern_changed)
        xs_intern_load(store);
}

int xs_store_meta_text(struct xs_store *store, const char *key, const char *value) {
    if (!value) {
        struct xs_row row = xs_row_start(store, "DELETE FROM meta WHERE key = ?");
        xs_put_text(&row, key);
        return xs_row_insert(&row);
    }
    struct xs_row row = xs_row_into(store, "INSERT OR REPLACE INTO meta(key, value)");
    xs_put_text(&row, key);
    xs_put_text(&row, value);
    return xs_row_insert(&row);
}

int xs_store_meta_int(struct xs_store *store, const char *key, int64_t value) {
    struct xs_row row = xs_row_into(store, "INSERT OR REPLACE INTO meta(key, value)");
    xs_put_text(&row, key);
    xs_put(&row, value);
    return xs_row_insert(&row);
}

int xs_store_meta_add(struct xs_store *store, const char *key, int64_t value) {
    struct xs_row row =
        xs_row_start(store, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = value"
                            " + excluded.value");
    xs_put_text(&row, key);
    xs_put(&row, value);
    return xs_row_insert(&row);
}

bool xs_store_meta_read(struct xs_store *store, const char *key, char *text, size_t bytes) {
    struct xs_row row = xs_row_start(store, "SELECT value FROM meta WHERE key = ?");
    if (!row.stmt)
        return false;
    xs_put_text(&row, key);
    bool found = sqlite3_step(row.stmt) == SQLITE_ROW && sqlite3_column_type(row.stmt, 0) != SQLITE_NULL;
    const char *value = found ? (const char *)sqlite3_column_text(row.stmt, 0) : NULL;
    int n = value ? snprintf(text, bytes, "%s", value) : -1;
    sqlite3_reset(row.stmt);
    return n >= 0 && (size_t)n < bytes;
}

bool xs_store_has_ended(struct xs_store *store) {
    struct xs_row row =
        xs_row_start(store, "SELECT 1 FROM meta WHERE key = 'status' AND value <> '" XS_STATUS_RUNNING "'");
    if (!row.stmt)
        return false;
    bool ended = sqlite3_step(row.stmt) == SQLITE_ROW;
    sqlite3_reset(row.stmt);
    return ended;
}

int xs_store_note(struct xs_store *store, int64_t at_ns, const char *topic, const char *text) {
    struct xs_row row = xs_row_into(store, "INSERT INTO note(at_ns, topic, text)");
    xs_put(&row, at_ns);
    xs_put_text(&row, topic);
    xs_put_text(&row, text);
    return xs_row_insert(&row);
}

int xs_store_entry_point(struct xs_store *store, unsigned id, const char *name, enum xs_category category) {
    struct xs_row row = xs_row_into(store, "INSERT OR REPLACE INTO entry_point(id, name, category)");
    xs_put(&row, id);
    xs_put_text(&row, name);
    xs_put(&row, XS_KIND_OR_ZERO(XS_CATEGORIES, category));
    return xs_row_insert(&row);
}

int xs_store_device(struct xs_store *store, const struct xs_device_row *device) {
    struct xs_row row =
        xs_row_into(store, "INSERT OR REPLACE INTO device(id, name, uuid, pci_bus_id, compute_capability,"
                           " memory_bytes, link_generation, link_width, link_peak_bytes_per_s, simulated)");
    xs_put(&row, device->id);
    xs_put_text(&row, device->name);
    xs_put_text(&row, device->uuid);
    xs_put_text(&row, device->pci_bus_id);
    xs_put_text(&row, device->compute_capability);
    xs_put(&row, device->memory_bytes);
    xs_put_nonzero(&row, device->link_generation);
    xs_put_nonzero(&row, device->link_width);
    xs_put_nonzero(&row, device->link_peak_bytes_per_s);
    xs_put(&row, device->simulated != 0);
    return xs_row_insert(&row);
}

int xs_store_progress_set(struct xs_store *store, unsigned chunk, uint32_t generation, uint32_t drained_bytes) {
    struct xs_row row = xs_row_into(store, "INSERT OR REPLACE INTO spool_progress(chunk, generation, drained_bytes)");
    xs_put(&row, chunk);
    xs_put(&row, generation);
    xs_put(&row, drained_bytes);
    return xs_row_insert(&row);
}

int xs_store_progress_get(struct xs_store *store, unsigned chunk, uint32_t *generation, uint32_t *drained_bytes) {
    *generation = 0;
    *drained_bytes = 0;
    struct xs_row row = xs_row_start(store, "SELECT generation, drained_bytes FROM spool_progress WHERE chunk = ?");
    if (!row.stmt)
        return row.status;
    xs_put(&row, chunk);
    if (sqlite3_step(row.stmt) == SQLITE_ROW) {
        *generation = (uint32_t)sqlite3_column_int64(row.stmt, 0);
        *drained_bytes = (uint32_t)sqlite3_column_int64(row.stmt, 1);
    }
    return xs_store_status(store, sqlite3_reset(row.stmt));
}

int xs_store_finish(struct xs_store *store, const char *status_text) {
    bool own = !store->in_batch;
    int status = own ? xs_store_begin(store) : XS_OK;
    if (status)
        return status;
    status = xs_store_meta_text(store, "status", status_text);
    if (!status) {
        struct xs_row row = xs_row_start(store, "DELETE FROM spool_progress");
        status = xs_row_insert(&row);
    }
    if (!own)
        return status;
    if (!status)
        return xs_store_commit(store);
    xs_store_rollback(store);
    return status;
}
