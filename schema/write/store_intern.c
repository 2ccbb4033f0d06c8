/* Finds the row ids of contexts, streams, kernel names and threads. Events have a handle or a string for them, and the
 * trace has a small number instead, which is the row id. The hash tables here avoid look-ups in the trace. */
#include <stdlib.h>
#include <string.h>

#include "schema/write/store_internal.h"

/* The preloaded library must never exit the process, so uthash is configured to report a failed allocation instead. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(entry) ((entry)->lost = true)
#include <uthash.h>

struct xs_interned {
    int64_t id;
    bool lost;
    UT_hash_handle hh;
    char key[]; /* a context's handle, a struct stream_key, or a name without its NUL */
};

struct stream_key { /* hashed as bytes, so it must have no padding */
    int64_t context;
    uint64_t handle;
    uint64_t thread; /* 0 except for per-thread default streams */
};

struct xs_thread_entry {
    uint32_t id;
    int32_t tid;
    char name[64];
    bool lost;
    UT_hash_handle hh;
};

/* Adds the id of a row; false: there is no memory. */
static bool add(struct xs_store *store, enum xs_interned_in in, const void *key, size_t bytes, int64_t id) {
    struct xs_interned *entry = calloc(1, sizeof *entry + bytes);
    if (!entry)
        return false;
    entry->id = id;
    memcpy(entry->key, key, bytes);
    HASH_ADD_KEYPTR(hh, store->interned[in], entry->key, bytes, entry);
    if (!entry->lost)
        return true;
    free(entry);
    return false;
}

/* Finds the id of a row; 0: it has none yet. */
static int64_t find(const struct xs_store *store, enum xs_interned_in in, const void *key, size_t bytes) {
    struct xs_interned *entry;
    HASH_FIND(hh, store->interned[in], key, bytes, entry);
    return entry ? entry->id : 0;
}

/* Inserts a new row, and adds its id. */
static int insert(struct xs_store *store, enum xs_interned_in in, const void *key, size_t bytes, struct xs_row *row,
                  int64_t *id) {
    store->intern_changed = true;
    int status = xs_row_insert(row);
    if (status)
        return status;
    *id = sqlite3_last_insert_rowid(store->db);
    return add(store, in, key, bytes, *id) ? XS_OK : xs_store_status(store, SQLITE_NOMEM);
}

int xs_intern_context(struct xs_store *store, uint64_t handle, int64_t *id) {
    *id = handle ? find(store, XS_CONTEXTS, &handle, sizeof handle) : 0;
    if (*id || handle == 0)
        return XS_OK;
    struct xs_row row = xs_row_into(store, "INSERT INTO context(handle)");
    xs_put_u64(&row, handle);
    return insert(store, XS_CONTEXTS, &handle, sizeof handle, &row, id);
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
    *id = find(store, XS_STREAMS, &key, sizeof key);
    if (*id)
        return XS_OK;
    struct xs_row row = xs_row_into(store, "INSERT INTO stream(handle, context, thread)");
    xs_put_u64(&row, key.handle);
    xs_put_nonzero(&row, context);
    xs_put_nonzero(&row, (int64_t)key.thread);
    return insert(store, XS_STREAMS, &key, sizeof key, &row, id);
}

int xs_intern_kernel_name(struct xs_store *store, const char *name, int64_t *id) {
    name = name ? name : "";
    *id = find(store, XS_KERNEL_NAMES, name, strlen(name));
    if (*id)
        return XS_OK;
    struct xs_row row = xs_row_into(store, "INSERT INTO kernel_name(name)");
    xs_put_text(&row, name);
    return insert(store, XS_KERNEL_NAMES, name, strlen(name), &row, id);
}

int xs_store_context(struct xs_store *store, uint64_t handle, int device) {
    int64_t id;
    int status = xs_intern_context(store, handle, &id);
    if (status || id == 0)
        return status;
    struct xs_row row = xs_row_start(store, "UPDATE context SET device = ? WHERE id = ?");
    xs_put_device(&row, device);
    xs_put(&row, id);
    return xs_row_insert(&row);
}

int xs_store_thread(struct xs_store *store, uint32_t id, int32_t tid, const char *name) {
    struct xs_thread_entry *entry;
    HASH_FIND(hh, store->threads, &id, sizeof id, entry);
    if (entry && entry->tid == tid && name && strcmp(entry->name, name) == 0)
        return XS_OK;

    struct xs_row row = xs_row_into(store, "INSERT OR REPLACE INTO thread(id, tid, name)");
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

static bool load_row(struct xs_store *store, enum xs_interned_in in, sqlite3_stmt *stmt) {
    int64_t id = sqlite3_column_int64(stmt, 0);
    if (in == XS_KERNEL_NAMES) {
        const char *name = (const char *)sqlite3_column_text(stmt, 1);
        return !name || add(store, in, name, strlen(name), id);
    }
    uint64_t handle = (uint64_t)sqlite3_column_int64(stmt, 1);
    if (in == XS_CONTEXTS)
        return add(store, in, &handle, sizeof handle, id);
    struct stream_key key = {sqlite3_column_int64(stmt, 2), handle, (uint64_t)sqlite3_column_int64(stmt, 3)};
    return add(store, in, &key, sizeof key, id);
}

int xs_intern_load(struct xs_store *store) {
    static const char *const queries[] = {[XS_CONTEXTS] = "SELECT id, handle FROM context",
                                          [XS_STREAMS] = "SELECT id, handle, context, thread FROM stream",
                                          [XS_KERNEL_NAMES] = "SELECT id, name FROM kernel_name"};
    xs_intern_free(store);
    for (enum xs_interned_in in = 0; in < XS_INTERNED; in++) {
        sqlite3_stmt *stmt = NULL;
        int rc = sqlite3_prepare_v2(store->db, queries[in], -1, &stmt, NULL);
        while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
            rc = load_row(store, in, stmt) ? SQLITE_OK : SQLITE_NOMEM;
        sqlite3_finalize(stmt);
        if (rc != SQLITE_DONE)
            return xs_store_status(store, rc);
    }
    return XS_OK;
}

void xs_intern_free(struct xs_store *store) {
    xs_shapes_forget(store);
    for (enum xs_interned_in in = 0; in < XS_INTERNED; in++) {
        struct xs_interned *entry, *next;
        HASH_ITER(hh, store->interned[in], entry, next) {
            HASH_DEL(store->interned[in], entry);
            free(entry);
        }
    }
    struct xs_thread_entry *thread, *next_thread;
    HASH_ITER(hh, store->threads, thread, next_thread) {
        HASH_DEL(store->threads, thread);
        free(thread);
    }
}
