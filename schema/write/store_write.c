/* Writes rows: prepares statements, handles transactions and errors, and writes the small tables that describe the run.
 */
#include "schema/write/store_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns the status for an SQLite result code; errno must still be that of the failed call. */
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
         * there is no room for the WAL's index, it returns an I/O error. The errno that SQLite stores is that of its
         * clean-up; that of the write is still in errno. */
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

struct xs_row xs_row_start(struct xs_store *store, enum xs_statement which, const char *sql) {
    struct xs_row row = {store, store->statements[which], 0, XS_OK};
    if (store->in_batch && store->failure) {
        row.stmt = NULL;
        row.status = store->failure;
    } else if (!row.stmt) {
        errno = 0;
        int rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &row.stmt, NULL);
        row.status = xs_store_status(store, rc);
        store->statements[which] = row.stmt;
    }
    return row;
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
    struct xs_row row = xs_row_start(store, XS_STMT_BEGIN, "BEGIN IMMEDIATE");
    int status = xs_row_insert(&row);
    if (status)
        return status;
    store->in_batch = true;
    store->intern_changed = false;
    store->failure = XS_OK;
    return XS_OK;
}

int xs_store_commit(struct xs_store *store) {
    if (!store->in_batch)
        return XS_ERROR_INVALID;
    struct xs_row row = xs_row_start(store, XS_STMT_COMMIT, "COMMIT");
    int status = xs_row_insert(&row);
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
        struct xs_row row = xs_row_start(store, XS_STMT_META_REMOVE, "DELETE FROM meta WHERE key = ?");
        if (row.stmt)
            xs_put_text(&row, key);
        return xs_row_insert(&row);
    }
    struct xs_row row = xs_row_start(store, XS_STMT_META, "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)");
    if (!row.stmt)
        return row.status;
    xs_put_text(&row, key);
    xs_put_text(&row, value);
    return xs_row_insert(&row);
}

int xs_store_meta_int(struct xs_store *store, const char *key, int64_t value) {
    struct xs_row row = xs_row_start(store, XS_STMT_META, "INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)");
    if (!row.stmt)
        return row.status;
    xs_put_text(&row, key);
    xs_put(&row, value);
    return xs_row_insert(&row);
}

int xs_store_meta_add(struct xs_store *store, const char *key, int64_t value) {
    struct xs_row row = xs_row_start(store, XS_STMT_META_ADD,
                                     "INSERT INTO meta(key, value) VALUES (?, ?)"
                                     " ON CONFLICT(key) DO UPDATE SET value = value + excluded.value");
    if (!row.stmt)
        return row.status;
    xs_put_text(&row, key);
    xs_put(&row, value);
    return xs_row_insert(&row);
}

bool xs_store_meta_get(struct xs_store *store, const char *key, char *value, size_t bytes) {
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(store->db, "SELECT value FROM meta WHERE key = ?", -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
        const char *text = sqlite3_step(stmt) == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
        found = text && strlen(text) < bytes;
        if (found)
            memcpy(value, text, strlen(text) + 1);
    }
    sqlite3_finalize(stmt);
    return found;
}

bool xs_store_has_ended(struct xs_store *store) {
    struct xs_row row = xs_row_start(store, XS_STMT_ENDED,
                                     "SELECT 1 FROM meta WHERE key = 'status' AND value <> '" XS_STATUS_RUNNING "'");
    if (!row.stmt)
        return false;
    bool ended = sqlite3_step(row.stmt) == SQLITE_ROW;
    sqlite3_reset(row.stmt);
    return ended;
}

int xs_store_note(struct xs_store *store, int64_t at_ns, const char *topic, const char *text) {
    struct xs_row row = xs_row_start(store, XS_STMT_NOTE, "INSERT INTO note(at_ns, topic, text) VALUES (?, ?, ?)");
    if (!row.stmt)
        return row.status;
    xs_put(&row, at_ns);
    xs_put_text(&row, topic);
    xs_put_text(&row, text);
    return xs_row_insert(&row);
}

int xs_store_entry_point(struct xs_store *store, unsigned id, const char *name, enum xs_category category) {
    struct xs_row row = xs_row_start(store, XS_STMT_ENTRY_POINT,
                                     "INSERT OR REPLACE INTO entry_point(id, name, category) VALUES (?, ?, ?)");
    if (!row.stmt)
        return row.status;
    xs_put(&row, id);
    xs_put_text(&row, name);
    xs_put(&row, XS_KIND_OR_ZERO(XS_CATEGORIES, category));
    return xs_row_insert(&row);
}

int xs_store_device(struct xs_store *store, const struct xs_device_row *device) {
    struct xs_row row =
        xs_row_start(store, XS_STMT_DEVICE,
                     "INSERT OR REPLACE INTO device(id, name, uuid, pci_bus_id, compute_capability, memory_bytes,"
                     " link_generation, link_width, link_peak_bytes_per_s, simulated)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    if (!row.stmt)
        return row.status;
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
    struct xs_row row =
        xs_row_start(store, XS_STMT_PROGRESS_SET,
                     "INSERT OR REPLACE INTO spool_progress(chunk, generation, drained_bytes) VALUES (?, ?, ?)");
    if (!row.stmt)
        return row.status;
    xs_put(&row, chunk);
    xs_put(&row, generation);
    xs_put(&row, drained_bytes);
    return xs_row_insert(&row);
}

int xs_store_progress_get(struct xs_store *store, unsigned chunk, uint32_t *generation, uint32_t *drained_bytes) {
    *generation = 0;
    *drained_bytes = 0;
    struct xs_row row = xs_row_start(store, XS_STMT_PROGRESS_GET,
                                     "SELECT generation, drained_bytes FROM spool_progress WHERE chunk = ?");
    if (!row.stmt)
        return row.status;
    xs_put(&row, chunk);
    if (sqlite3_step(row.stmt) == SQLITE_ROW) {
        *generation = (uint32_t)sqlite3_column_int64(row.stmt, 0);
        *drained_bytes = (uint32_t)sqlite3_column_int64(row.stmt, 1);
    }
    return xs_store_status(store, sqlite3_reset(row.stmt));
}

int xs_store_progress_clear(struct xs_store *store) {
    struct xs_row row = xs_row_start(store, XS_STMT_PROGRESS_CLEAR, "DELETE FROM spool_progress");
    return xs_row_insert(&row);
}

int xs_store_finish(struct xs_store *store, const char *status_text) {
    bool own = !store->in_batch;
    int status = own ? xs_store_begin(store) : XS_OK;
    if (status)
        return status;
    status = xs_store_meta_text(store, "status", status_text);
    if (!status)
        status = xs_store_progress_clear(store);
    if (!own)
        return status;
    if (!status)
        return xs_store_commit(store);
    xs_store_rollback(store);
    return status;
}
