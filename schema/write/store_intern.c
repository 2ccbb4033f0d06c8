/* Finds the row ids of contexts, streams, kernel names and threads. Events have a handle or a string for them, and the
 * trace has a small number instead, which is the row id. The hash tables here avoid look-ups in the trace. */
#include <stdlib.h>
#include <string.h>

#include "schema/write/store_internal.h"

/* The preloaded library must never exit the process, so uthash is configured to report a failed allocation instead. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->lost = true)
#include <uthash.h>

struct xs_context_entry {
    uint64_t handle;
    int64_t id;
    bool lost;
    UT_hash_handle hh;
};

struct stream_key { /* hashed as bytes, so it must have no padding */
    int64_t context;
    uint64_t handle;
    uint64_t thread; /* 0 except for per-thread default streams */
};
struct xs_stream_entry {
    struct stream_key key;
    int64_t id;
    bool lost;
    UT_hash_handle hh;
};

struct xs_name_entry {
    char *name;
    int64_t id;
    bool lost;
    UT_hash_handle hh;
};

struct xs_thread_entry {
    uint32_t id;
    int32_t tid;
    char name[64];
    bool lost;
    UT_hash_handle hh;
};

static struct xs_context_entry *add_context(struct xs_store *store, uint64_t handle, int64_t id) {
    struct xs_context_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->handle = handle;
    entry->id = id;
    HASH_ADD(hh, store->contexts, handle, sizeof entry->handle, entry);
    if (!entry->lost)
        return entry;
    free(entry);
    return NULL;
}

static struct xs_stream_entry *add_stream(struct xs_store *store, const struct stream_key *key, int64_t id) {
    struct xs_stream_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->key = *key;
    entry->id = id;
    HASH_ADD(hh, store->streams, key, sizeof entry->key, entry);
    if (!entry->lost)
        return entry;
    free(entry);
    return NULL;
}

static struct xs_name_entry *add_name(struct xs_store *store, const char *name, int64_t id) {
    struct xs_name_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->name = strdup(name);
    entry->id = id;
    if (entry->name)
        HASH_ADD_KEYPTR(hh, store->names, entry->name, strlen(entry->name), entry);
    if (entry->name && !entry->lost)
        return entry;
    free(entry->name);
    free(entry);
    return NULL;
}

int xs_intern_context(struct xs_store *store, uint64_t handle, int64_t *id) {
    *id = 0;
    if (handle == 0)
        return XS_OK;
    struct xs_context_entry *entry;
    HASH_FIND(hh, store->contexts, &handle, sizeof handle, entry);
    if (!entry) {
        struct xs_row row =
            xs_row_start(store, XS_STMT_CONTEXT, "INSERT INTO context(handle, device) VALUES (?, NULL)");
        if (!row.stmt)
            return row.status;
        xs_put_u64(&row, handle);
        store->intern_changed = true;
        int status = xs_row_insert(&row);
        if (status)
            return status;
        entry = add_context(store, handle, sqlite3_last_insert_rowid(store->db));
        if (!entry)
            return xs_store_status(store, SQLITE_NOMEM);
    }
    *id = entry->id;
    return XS_OK;
}

int xs_intern_stream(struct xs_store *store, const struct xs_event *event, int64_t context, uint32_t thread,
                     int64_t *id) {
    *id = 0;
    if (!(event->flags & XS_FLAG_HAS_STREAM))
        return XS_OK;
    struct stream_key key = {context, event->stream, 0};
    if ((event->flags & XS_FLAG_PER_THREAD) || key.handle == 2) {
        key.handle = 2;
        key.thread = thread;
    } else if (key.handle == 1) {
        key.handle = 0; /* CU_STREAM_LEGACY is another name of the default stream, whose handle is 0 */
    }
    struct xs_stream_entry *entry;
    HASH_FIND(hh, store->streams, &key, sizeof key, entry);
    if (!entry) {
        struct xs_row row =
            xs_row_start(store, XS_STMT_STREAM, "INSERT INTO stream(handle, context, thread) VALUES (?, ?, ?)");
        if (!row.stmt)
            return row.status;
        xs_put_u64(&row, key.handle);
        xs_put_nonzero(&row, context);
        xs_put_nonzero(&row, (int64_t)key.thread);
        store->intern_changed = true;
        int status = xs_row_insert(&row);
        if (status)
            return status;
        entry = add_stream(store, &key, sqlite3_last_insert_rowid(store->db));
        if (!entry)
            return xs_store_status(store, SQLITE_NOMEM);
    }
    *id = entry->id;
    return XS_OK;
}

int xs_intern_kernel_name(struct xs_store *store, const char *name, int64_t *id) {
    *id = 0;
    if (!name)
        name = "";
    struct xs_name_entry *entry;
    HASH_FIND(hh, store->names, name, strlen(name), entry);
    if (!entry) {
        struct xs_row row = xs_row_start(store, XS_STMT_KERNEL_NAME, "INSERT INTO kernel_name(name) VALUES (?)");
        if (!row.stmt)
            return row.status;
        xs_put_text(&row, name);
        store->intern_changed = true;
        int status = xs_row_insert(&row);
        if (status)
            return status;
        entry = add_name(store, name, sqlite3_last_insert_rowid(store->db));
        if (!entry)
            return xs_store_status(store, SQLITE_NOMEM);
    }
    *id = entry->id;
    return XS_OK;
}

int xs_store_context(struct xs_store *store, uint64_t handle, int device) {
    int64_t id;
    int status = xs_intern_context(store, handle, &id);
    if (status || id == 0)
        return status;
    struct xs_row row = xs_row_start(store, XS_STMT_CONTEXT_DEVICE, "UPDATE context SET device = ? WHERE id = ?");
    if (!row.stmt)
        return row.status;
    xs_put_device(&row, device);
    xs_put(&row, id);
    return xs_row_insert(&row);
}

int xs_store_thread(struct xs_store *store, uint32_t id, int32_t tid, const char *name) {
    struct xs_thread_entry *entry;
    HASH_FIND(hh, store->threads, &id, sizeof id, entry);
    if (entry && entry->tid == tid && name && strcmp(entry->name, name) == 0)
        return XS_OK;

    struct xs_row row =
        xs_row_start(store, XS_STMT_THREAD, "INSERT OR REPLACE INTO thread(id, tid, name) VALUES (?, ?, ?)");
    if (!row.stmt)
        return row.status;
    xs_put(&row, id);
    xs_put(&row, tid);
    xs_put_text(&row, name);
    store->intern_changed = true;
    int status = xs_row_insert(&row);
    if (status || !name || strlen(name) >= sizeof entry->name)
        return status;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry)
            return XS_OK; /* writing a row again does no harm */
        entry->id = id;
        HASH_ADD(hh, store->threads, id, sizeof entry->id, entry);
        if (entry->lost) {
            free(entry);
            return XS_OK;
        }
    }
    entry->tid = tid;
    memcpy(entry->name, name, strlen(name) + 1);
    return XS_OK;
}

static int load_row(struct xs_store *store, int table, sqlite3_stmt *stmt) {
    int64_t id = sqlite3_column_int64(stmt, 0);
    if (table == 0)
        return add_context(store, (uint64_t)sqlite3_column_int64(stmt, 1), id) ? SQLITE_OK : SQLITE_NOMEM;
    if (table == 1) {
        struct stream_key key = {sqlite3_column_int64(stmt, 2), (uint64_t)sqlite3_column_int64(stmt, 1),
                                 (uint64_t)sqlite3_column_int64(stmt, 3)};
        return add_stream(store, &key, id) ? SQLITE_OK : SQLITE_NOMEM;
    }
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    return name && !add_name(store, name, id) ? SQLITE_NOMEM : SQLITE_OK;
}

int xs_intern_load(struct xs_store *store) {
    static const char *const queries[] = {"SELECT id, handle FROM context",
                                          "SELECT id, handle, context, thread FROM stream",
                                          "SELECT id, name FROM kernel_name"};
    xs_intern_free(store);
    for (int table = 0; table < 3; table++) {
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(store->db, queries[table], -1, &stmt, NULL);
        while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
            rc = load_row(store, table, stmt);
        sqlite3_finalize(stmt);
        if (rc != SQLITE_DONE)
            return xs_store_status(store, rc);
    }
    return XS_OK;
}

void xs_intern_free(struct xs_store *store) {
    xs_shapes_forget(store);
    struct xs_context_entry *context, *next_context;
    HASH_ITER(hh, store->contexts, context, next_context) {
        HASH_DEL(store->contexts, context);
        free(context);
    }
    struct xs_stream_entry *stream, *next_stream;
    HASH_ITER(hh, store->streams, stream, next_stream) {
        HASH_DEL(store->streams, stream);
        free(stream);
    }
    struct xs_name_entry *name, *next_name;
    HASH_ITER(hh, store->names, name, next_name) {
        HASH_DEL(store->names, name);
        free(name->name);
        free(name);
    }
    struct xs_thread_entry *thread, *next_thread;
    HASH_ITER(hh, store->threads, thread, next_thread) {
        HASH_DEL(store->threads, thread);
        free(thread);
    }
}
