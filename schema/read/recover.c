/* Recovers a trace after its writer was killed. The rest of the spool is moved into the trace in one transaction; then
 * the spool is deleted and the WAL is ended. If a second process wants to recover the trace, or a recovery is repeated
 * after it was killed, meta `status` shows that the events were moved already. */
#include "schema/read/recover.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "schema/safe_open/sqlite_open.h"
#include "schema/spool/spool_location.h"
#include "schema/write/store_internal.h"
#include "schema/write/store_ledger.h"

enum xs_writer xs_writer_of(const char *path) {
    struct xs_spool_found found;
    int status = xs_spool_find(path, &found);
    const struct xs_spool_header *header = xs_spool_found_header(&found);
    enum xs_writer writer = status == 0 && header ? xs_spool_writer(header, found.files.beside) : XS_WRITER_GONE;
    xs_spool_found_free(&found);
    return writer;
}

static bool was_taken_over(const struct xs_spool *spool, struct xs_store *store) {
    return atomic_load(&spool->header->closed) != 0 || xs_store_has_ended(store);
}

static int64_t take_over(struct xs_spool *spool, struct xs_store *store) {
    sqlite3_busy_timeout(store->db, 30000); /* waits for another xferspy that recovers the same trace */
    int status = xs_store_begin(store);
    if (status)
        return status;
    int64_t events = 0;
    if (!was_taken_over(spool, store)) {
        status = xs_store_ledger_resume(store);
        events = status ? status : xs_spool_drain(spool, store, 0, true);
        if (events >= 0)
            status = xs_store_ledger_add_up(store);
        events = status ? status : events;
        status = events < 0 ? (int)events : xs_spool_store_counters(spool, store);
        if (!status)
            status = xs_spool_store_failure(spool, store);
        if (!status)
            status = xs_store_meta_add(store, "recovered_events", events);
        /* The drain thread wrote its last message into the spool, if the trace had no room for it. */
        const char *stopped = spool->header->stopped;
        if (!status && stopped[0]) {
            char note[XS_SPOOL_STOPPED_BYTES + 32];
            snprintf(note, sizeof note, "capture stopped: %s", stopped);
            status = xs_store_note(store, 0, "stopped", note);
        }
        if (!status)
            status = xs_store_finish(store, stopped[0] ? XS_STATUS_STOPPED : XS_STATUS_RECOVERED);
    }
    if (status) {
        xs_store_rollback(store);
        return status;
    }
    status = xs_store_commit(store);
    return status ? status : events;
}

/* Proves that no writer lives. A writer in another pid namespace of this machine cannot be found by its pid. But its
 * connection has a lock on the trace as long as it lives, and leaving the WAL mode succeeds only if no other process
 * has a lock. */
static int prove_gone(struct xs_store *store) {
    sqlite3_busy_timeout(store->db, 200);
    return xs_store_exec(store, "PRAGMA journal_mode=DELETE");
}

/* True if the spool belongs to the trace. A pointer may be beside another trace. If the process was killed before the
 * first event, the trace may not have the spool's id yet; in this case there is nothing to recover. */
static bool belongs(const struct xs_spool_found *found, struct xs_store *store) {
    char id[XS_SPOOL_ID_BYTES];
    const struct xs_spool_header *header = xs_spool_found_header(found);
    if (header->id[0] == 0)
        return true;
    return xs_store_meta_read(store, XS_META_SPOOL_ID, id, sizeof id)
               ? strcmp(id, header->id) == 0
               : found->spool.header && atomic_load(&found->spool.header->next_sequence) == 0;
}

/* True if the file at this path is the trace for which the spool was made. A copy of that trace gets the events as
 * well, but the spool is not deleted then. */
static bool is_its_file(const struct xs_spool_header *header, const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && (uint64_t)st.st_dev == header->trace_device &&
           (uint64_t)st.st_ino == header->trace_inode;
}

/* Returns a text that tells how the events can still be recovered, or that they are lost. */
static const char *how_to_have(const struct xs_spool_found *found) {
    if (found->absence == XS_SPOOL_GONE)
        return "; they are lost, because that file is gone";
    if (found->owner != geteuid())
        return "; the next command of the trace's owner takes them over, if that file is still there";
    if (found->absence == XS_SPOOL_UNKNOWN_FOLDER)
        return "; that folder was not looked at: a command with the XDG_RUNTIME_DIR of the run takes them over";
    return "; that file could not be looked at";
}

/* Writes one line that tells the user where the missing events are. */
static void say_missing(const struct xs_spool_found *found, struct xs_recovery *recovery) {
    const struct xs_spool_header *pointer = found->pointer;
    struct utsname here;
    const char *how = "";
    if (!xs_spool_same_boot(pointer)) {
        bool same_host = uname(&here) == 0 && strncmp(here.nodename, pointer->host, sizeof pointer->host - 1) == 0;
        how = same_host ? "; they are lost, because this machine was restarted since"
                        : "; a command that is run on that machine takes them over";
    } else if (xs_spool_same_mounts(pointer)) {
        how = how_to_have(found);
    } else {
        how = "; a command that is run in that container takes them over";
    }
    recovery->spool_missing = true;
    snprintf(recovery->error, sizeof recovery->error, "its last events are not here, but in %s on %s%s",
             found->files.memory, pointer->host, how);
}

static void delete_files(const struct xs_spool_found *found, const char *path) {
    struct xs_spool_files files = found->files;
    if (files.memory[0] && (!found->spool.header || !is_its_file(found->spool.header, path)))
        files.memory[0] = 0;
    xs_spool_delete(&files);
}

static int64_t recover_spool(const char *path, struct xs_spool_found *found, struct xs_recovery *recovery) {
    struct xs_store *store;
    bool take = found->spool.header != NULL;
    int64_t result = xs_store_open(path, &store);
    if (result < 0)
        return result;
    if (recovery->writer == XS_WRITER_ELSEWHERE)
        result = prove_gone(store);
    if (result == 0 && !belongs(found, store)) {
        result = XS_ERROR_CORRUPT;
        recovery->spool_damaged = true;
    }
    if (result == 0 && take) {
        memcpy(recovery->stopped, found->spool.header->stopped, sizeof recovery->stopped);
        recovery->nothing_recorded = atomic_load(&found->spool.header->next_sequence) == 0;
        result = take_over(&found->spool, store);
    } else if (result == 0 && !xs_store_has_ended(store)) {
        say_missing(found, recovery);
    }
    if (result < 0)
        snprintf(recovery->error, sizeof recovery->error, "%s", xs_store_error(store));
    else if (!recovery->spool_missing)
        delete_files(found, path);
    int closed = xs_store_close(store);
    /* The events are in the trace. If the WAL could not be ended, the last reader ends it (xs_recover_close). */
    (void)closed;
    return result;
}

/* Recovers from the spool that was found. `result` is the status of the search for the spool. */
static int64_t recover_found(const char *path, int64_t result, bool writer_is_gone, struct xs_spool_found *found,
                             struct xs_recovery *recovery) {
    *recovery = (struct xs_recovery){.writer = XS_WRITER_GONE};
    const struct xs_spool_header *header = xs_spool_found_header(found);
    if (result == XS_ERROR_NOT_FOUND) {
        struct xs_side_files side;
        xs_side_files_look(path, &side);
        if (!side.left_over)
            return 0;
        struct xs_store *store; /* the process or a recovery was killed after the spool was deleted; opening and closing
                                   the store ends the WAL */
        int status = xs_store_open(path, &store);
        return status ? status : xs_store_close(store);
    }
    recovery->spool_found = true;
    if (result < 0) {
        recovery->spool_damaged = result == XS_ERROR_CORRUPT;
    } else {
        recovery->writer = writer_is_gone ? XS_WRITER_GONE : xs_spool_writer(header, found->files.beside);
        if (recovery->writer == XS_WRITER_LIVES || recovery->writer == XS_WRITER_UNKNOWN) {
            result = XS_ERROR_BUSY;
            if (!found->spool.header) {
                snprintf(recovery->error, sizeof recovery->error, "what it has not written yet is in %s on %s",
                         found->files.memory, header->host);
            }
        } else {
            result = recover_spool(path, found, recovery);
        }
    }
    return result;
}

int64_t xs_recover(const char *path, struct xs_recovery *recovery) {
    struct xs_spool_found found;
    int64_t result = xs_spool_find(path, &found);
    result = recover_found(path, result, false, &found, recovery);
    xs_spool_found_free(&found);
    return result;
}

int64_t xs_recover_copy(const char *path, const char *original, struct xs_recovery *recovery) {
    struct xs_spool_found found, there;
    int64_t result = xs_spool_find_beside(path, &found);
    if (result == XS_OK && found.pointer) { /* only for the message */
        (void)xs_spool_find(original, &there);
        found.absence = there.absence;
        found.owner = there.pointer ? there.owner : found.owner;
        xs_spool_found_free(&there);
    }
    result = recover_found(path, result, true, &found, recovery);
    xs_spool_found_free(&found);
    return result;
}

/* Ends the WAL. If several processes try this at the same time, none succeeds, so each tries again after a different
 * time. */
void xs_recover_close(const char *path) {
    enum { TRIES = 10 };
    for (unsigned i = 0; i < TRIES; i++) {
        char wal[XS_PATH_BYTES];
        struct xs_side_files side;
        struct stat st;
        sqlite3 *db;
        xs_side_files_look(path, &side);
        if (!xs_beside(wal, path, "-wal") || stat(wal, &st) != 0 || !side.owned || side.foreign || side.super_journal ||
            xs_writer_of(path) != XS_WRITER_GONE)
            return;
        if (i > 0) {
            struct timespec pause = {0, 1000000L * (1 + ((long)getpid() * 7 + (long)i * 13) % 17) * (long)i};
            nanosleep(&pause, NULL);
        }
        if (xs_sqlite_open(path, XS_WRITE, &db) == SQLITE_OK) {
            sqlite3_busy_timeout(db, 100);
            sqlite3_exec(db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
        }
        sqlite3_close_v2(db);
    }
}
