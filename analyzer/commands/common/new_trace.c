/* Writes a trace file; see new_trace.h. */
#include "analyzer/commands/common/new_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/base/unfinished.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/write/store.h"

enum { PATH_BYTES = 4000 }; /* leaves room for suffixes below the system's limit */

error_t xs_parse_new_trace(int key, char *argument, struct xs_new_trace_arguments *arguments,
                           struct argp_state *state) {
    switch (key) {
    case 'o':
    case XS_OPTION_NEW_TRACE:
        arguments->output = argument;
        return 0;
    case XS_OPTION_NEW_TRACE_FORCE:
        arguments->force = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            argp_error(state, "one %s at a time", arguments->input_is);
        arguments->input = argument;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->input)
            argp_error(state, "which %s?", arguments->input_is);
        else if (!arguments->output)
            argp_error(state, "where to? -o %s", arguments->output_is);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int fail(const char *path, const char *what) {
    xs_complain("%s: %s", path, what);
    return XS_ERROR_SYSTEM;
}

static int check_place(const char *path, bool force) {
    struct stat st;
    if (!*path || !strcmp(path, "-"))
        return fail("-o", "a trace is a file: it needs a name");
    if (strlen(path) > PATH_BYTES)
        return fail("-o", "the name is too long");
    if (stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || xs_out_is_open_already(path)))
        return fail(path, XS_NO_REGULAR_FILE);
    if (!force && lstat(path, &st) == 0)
        return fail(path, XS_EXISTS);
    return XS_OK;
}

static void forget(struct xs_new_trace *trace) {
    sqlite3_close_v2(trace->db);
    if (trace->temporary) {
        unlink(trace->temporary);
        xs_finished(trace->temporary);
    }
    free(trace->path);
    free(trace->temporary);
    *trace = (struct xs_new_trace){0};
}

/* Opens the database without a journal, because nobody reads the file before it is complete, and an incomplete file is
 * not kept. */
static int open_database(struct xs_new_trace *trace) {
    int rc = xs_sqlite_open(trace->temporary, XS_WRITE, &trace->db);
    if (rc == SQLITE_OK) /* the triggers of the schema, which have just been written */
        rc = sqlite3_db_config(trace->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, (int *)NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(trace->db,
                          "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                          "PRAGMA cache_size=-65536; PRAGMA foreign_keys=OFF; BEGIN",
                          NULL, NULL, NULL);
    return rc;
}

/* Makes the file, with the schema. No signal ends the command meanwhile, because a journal of SQLite would be left. */
static int create(const char *path) {
    struct xs_store *store;
    sigset_t before;
    xs_unfinished_wait(&before);
    errno = 0;
    int status = xs_store_create(path, &store);
    if (status >= 0)
        status = xs_store_close(store);
    int error = errno;
    xs_unfinished_go_on(&before);
    errno = error;
    return status;
}

int xs_new_trace_begin(struct xs_new_trace *trace, const char *path, bool force) {
    struct xs_string name = {0};
    *trace = (struct xs_new_trace){.force = force};
    int status = check_place(path, force);
    if (status < 0)
        return status;
    xs_string_format(&name, "%s.%ld.new", path, (long)getpid());
    unlink(name.data);
    xs_unfinished(name.data);
    status = create(name.data);
    if (status < 0) {
        const char *why = status == XS_ERROR_SYSTEM && errno ? strerror(errno) : xs_error_text(status);
        xs_complain("%s: cannot be written: %s", path, why);
        xs_finished(name.data);
        xs_string_free(&name);
        return status;
    }
    trace->path = xs_strdup(path);
    trace->temporary = name.data;
    if (open_database(trace) == SQLITE_OK)
        return XS_OK;
    xs_complain("%s: cannot be written: %s", path, sqlite3_errmsg(trace->db));
    forget(trace);
    return XS_ERROR_SQLITE;
}

int xs_put_in_place(const char *temporary, const char *path, bool force) {
    struct stat st;
    int failed = force ? rename(temporary, path) : renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE);
    if (failed && !force && (errno == EINVAL || errno == ENOSYS)) /* no RENAME_NOREPLACE on this file system */
        failed = link(temporary, path);
    if (failed && !force && errno != EEXIST) { /* hard links are not supported either */
        bool exists = lstat(path, &st) == 0;
        failed = exists ? -1 : rename(temporary, path);
        errno = exists ? EEXIST : errno;
    }
    return failed ? fail(path, errno == EEXIST ? XS_EXISTS : strerror(errno)) : XS_OK;
}

int xs_new_trace_end(struct xs_new_trace *trace, bool keep) {
    int status = XS_OK;
    if (!trace->db)
        return status;
    if (keep && sqlite3_exec(trace->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) {
        xs_complain("%s: cannot be written: %s", trace->path, sqlite3_errmsg(trace->db));
        status = XS_ERROR_SQLITE;
    }
    sqlite3_close_v2(trace->db);
    trace->db = NULL;
    if (keep && status >= 0)
        status = xs_put_in_place(trace->temporary, trace->path, trace->force);
    forget(trace);
    return status;
}
