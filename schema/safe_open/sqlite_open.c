/* Opens a database; see sqlite_open.h. */
#include "schema/safe_open/sqlite_open.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define GUARDED "xferspy"
#define VALUE_BYTES (16 << 20)

/* SQLite's normal file system layer with two functions replaced. The other functions are those of the original; this
 * works because each function finds its data in the structure that it is given. */
static sqlite3_vfs guarded;
static int (*real_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);
static int (*real_delete)(sqlite3_vfs *, const char *, int);

static int guarded_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
    if (flags & SQLITE_OPEN_SUPER_JOURNAL) {
        file->pMethods = NULL; /* nothing to close */
        return SQLITE_CANTOPEN;
    }
    return real_open(vfs, name, file, flags, opened);
}

static int ends_in(const char *name, const char *suffix) {
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

static int guarded_delete(sqlite3_vfs *vfs, const char *name, int sync) {
    return ends_in(name, "-journal") || ends_in(name, "-wal") ? real_delete(vfs, name, sync) : SQLITE_PERM;
}

static int register_result;
static void register_guarded(void) {
    register_result = sqlite3_initialize();
    sqlite3_vfs *real = register_result == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;
    if (!real) {
        register_result = register_result ? register_result : SQLITE_ERROR;
        return;
    }
    guarded = *real;
    guarded.zName = GUARDED;
    guarded.pNext = NULL;
    real_open = real->xOpen;
    real_delete = real->xDelete;
    guarded.xOpen = guarded_open;
    guarded.xDelete = guarded_delete;
    register_result = sqlite3_vfs_register(&guarded, 0);
}

static int defend(sqlite3 *db) {
    static const struct {
        int option, value;
    } defences[] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                    {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
                    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                    {SQLITE_DBCONFIG_DQS_DML, 0},
                    {SQLITE_DBCONFIG_DQS_DDL, 0},
                    {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}};
    for (size_t i = 0; i < sizeof defences / sizeof *defences; i++) {
        int rc = sqlite3_db_config(db, defences[i].option, defences[i].value, (int *)NULL);
        if (rc != SQLITE_OK)
            return rc;
    }
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES);
    return sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", NULL, NULL, NULL);
}

/* Returns the path as a URI, because only a URI can tell SQLite that the file will not change. */
static char *uri_of(const char *path) {
    sqlite3_str *uri = sqlite3_str_new(NULL);
    sqlite3_str_appendf(uri, "file:%s", path[0] == '/' ? "" : "./");
    for (const char *p = path; *p; p++)
        if (isalnum((unsigned char)*p) || strchr("/._-", *p))
            sqlite3_str_appendchar(uri, 1, *p);
        else
            sqlite3_str_appendf(uri, "%%%02X", (unsigned)(unsigned char)*p);
    sqlite3_str_appendall(uri, "?immutable=1");
    return sqlite3_str_finish(uri);
}

int xs_sqlite_open(const char *path, enum xs_access access, sqlite3 **db) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *db = NULL;
    pthread_once(&once, register_guarded);
    if (register_result != SQLITE_OK)
        return register_result;
    /* Some builds of SQLite treat a name that begins with "file:" as a URI. */
    char *name = access == XS_READ_ALONE ? uri_of(path) : sqlite3_mprintf("%s%s", path[0] == '/' ? "" : "./", path);
    if (!name)
        return SQLITE_NOMEM;
    int flags = SQLITE_OPEN_NOMUTEX | (access == XS_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                (access == XS_READ_ALONE ? SQLITE_OPEN_URI : 0) | (access == XS_WRITE ? 0 : SQLITE_OPEN_NOFOLLOW);
    int rc = sqlite3_open_v2(name, db, flags, GUARDED);
    sqlite3_free(name);
    return rc == SQLITE_OK ? defend(*db) : rc;
}

int xs_sqlite_open_memory(sqlite3 **db) {
    return sqlite3_open_v2(":memory:", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
}
