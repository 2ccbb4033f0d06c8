/* After the writer was killed: the rest of the spool goes into the trace in one transaction, then the spool is deleted
 * and the WAL ended. A second process that wants to recover the trace, or one that tries again after it was killed
 * meanwhile, sees by meta status that the work is done. */
#include "schema/recover.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/store_internal.h"

enum xs_writer xs_writer_of(const char *path) {
    char spool_path[XS_PATH_BYTES];
    struct xs_spool spool;
    if (!xs_beside(spool_path, path, ".spool") || xs_spool_open(spool_path, &spool) != 0) {
        return XS_WRITER_GONE;
    }
    enum xs_writer writer = xs_spool_writer(&spool, spool_path);
    xs_spool_unmap(&spool);
    return writer;
}

static bool was_taken_over(const struct xs_spool *spool, struct xs_store *store) {
    return atomic_load(&spool->header->closed) != 0 || xs_store_has_ended(store);
}

static int64_t take_over(struct xs_spool *spool, struct xs_store *store) {
    sqlite3_busy_timeout(store->db, 30000); /* of another xferspy that is recovering the same trace */
    int status = xs_store_begin(store);
    if (status) {
        return status;
    }
    int64_t events = 0;
    if (!was_taken_over(spool, store)) {
        events = xs_spool_drain(spool, store, 0, true);
        status = events < 0 ? (int)events : xs_spool_store_counters(spool, store);
        if (!status) {
            status = xs_store_meta_add(store, "recovered_events", events);
        }
        if (!status) {
            status = xs_store_finish(store, XS_STATUS_RECOVERED);
        }
    }
    if (status) {
        xs_store_rollback(store);
        return status;
    }
    status = xs_store_commit(store);
    return status ? status : events;
}

/* A writer in another pid namespace of this machine cannot be looked up, but its connection holds a lock on the trace
 * for as long as it lives, and leaving the WAL mode takes all locks. */
static int prove_gone(struct xs_store *store) {
    sqlite3_busy_timeout(store->db, 200);
    return xs_store_exec(store, "PRAGMA journal_mode=DELETE");
}

static int64_t recover_spool(const char *path, struct xs_spool *spool, const char *spool_path,
                             struct xs_recovery *recovery) {
    struct xs_store *store;
    int64_t result = xs_store_open(path, &store);
    if (result < 0) {
        return result;
    }
    if (recovery->writer == XS_WRITER_ELSEWHERE) {
        result = prove_gone(store);
    }
    if (result == 0) {
        result = take_over(spool, store);
    }
    if (result < 0) {
        snprintf(recovery->error, sizeof recovery->error, "%s", xs_store_error(store));
    } else {
        unlink(spool_path);
    }
    int closed = xs_store_close(store);
    /* The events are in; a WAL that could not be ended is read like any other. */
    (void)closed;
    return result;
}

int64_t xs_recover(const char *path, bool writer_is_gone, struct xs_recovery *recovery) {
    *recovery = (struct xs_recovery){.writer = XS_WRITER_GONE};
    char spool_path[XS_PATH_BYTES];
    if (!xs_beside(spool_path, path, ".spool")) {
        return XS_ERROR_INVALID;
    }
    struct xs_spool spool;
    int64_t result = xs_spool_open(spool_path, &spool);
    if (result == XS_ERROR_NOT_FOUND) {
        struct xs_side_files side;
        xs_side_files_look(path, &side);
        if (!side.left_over) {
            return 0;
        }
        struct xs_store *store; /* killed after the spool was gone: opening and closing ends the WAL */
        int status = xs_store_open(path, &store);
        return status ? status : xs_store_close(store);
    }
    recovery->spool_found = true;
    if (result < 0) {
        recovery->spool_damaged = result == XS_ERROR_CORRUPT;
        return result;
    }
    recovery->writer = writer_is_gone ? XS_WRITER_GONE : xs_spool_writer(&spool, spool_path);
    if (recovery->writer == XS_WRITER_LIVES || recovery->writer == XS_WRITER_UNKNOWN) {
        result = XS_ERROR_BUSY;
    } else {
        result = recover_spool(path, &spool, spool_path, recovery);
    }
    xs_spool_unmap(&spool);
    return result;
}
