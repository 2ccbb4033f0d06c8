/* sql2db OUT.db [--plain|--own|--from TRACE] [FIXTURE.sql ...]: a new, empty trace (--plain: an empty database; --own:
 * one whose run begins now; --from: one with the rows of a trace of any schema), then each file's statements. The
 * tests' fixtures are SQL so that a reader sees what is in them; the sqlite3 shell need not be installed. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/write/store.h"

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long bytes = ftell(file);
    rewind(file);
    char *text = bytes >= 0 ? calloc(1, (size_t)bytes + 1) : NULL;
    if (text && fread(text, 1, (size_t)bytes, file) != (size_t)bytes) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static int run_file(sqlite3 *db, const char *path) {
    char *sql = read_file(path), *message = NULL;
    if (!sql) {
        perror(path);
        return 1;
    }
    int code = sqlite3_exec(db, sql, NULL, NULL, &message);
    if (code != SQLITE_OK)
        fprintf(stderr, "%s: %s\n", path, message);
    sqlite3_free(message);
    free(sql);
    return code != SQLITE_OK;
}

/* Its run begins now, when the file is made, and here. */
static int make_own(sqlite3 *db) {
    return sqlite3_exec(
               db, "INSERT OR REPLACE INTO meta VALUES ('start_unix_ns', (strftime('%s', 'now') + 1) * 1000000000)",
               NULL, NULL, NULL) != SQLITE_OK;
}

/* Takes over the rows of a trace: every row keeps its number and every column its value, and a new column is NULL. A
 * table or a column that the schema no longer has is left out. */
static int take_over(sqlite3 *db, const char *path) {
    static const char inserts[] =
        "SELECT printf('INSERT OR REPLACE INTO main.%s (%s%s) SELECT %s%s FROM old.%s%s ORDER BY rowid', m.name,"
        " iif(max(c.name = 'id'), '', 'rowid,'), group_concat(c.name), iif(max(c.name = 'id'), '', 'rowid,'),"
        " group_concat(c.name), m.name,"
        " CASE m.name WHEN 'meta' THEN ' WHERE key <> ''schema_version''' ELSE '' END)"
        " FROM main.sqlite_master m, pragma_table_info(m.name, 'main') c WHERE m.type = 'table' AND c.name IN"
        " (SELECT name FROM pragma_table_info(m.name, 'old')) GROUP BY m.name";
    sqlite3_stmt *tables = NULL;
    char *attach = sqlite3_mprintf("ATTACH %Q AS old; BEGIN", path);
    int code = sqlite3_exec(db, attach, NULL, NULL, NULL), step = SQLITE_DONE;
    sqlite3_free(attach);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, inserts, -1, &tables, NULL);
    while (code == SQLITE_OK && (step = sqlite3_step(tables)) == SQLITE_ROW)
        code = sqlite3_exec(db, (const char *)sqlite3_column_text(tables, 0), NULL, NULL, NULL);
    bool all = code == SQLITE_OK && step == SQLITE_DONE;
    if (!all)
        fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(db));
    sqlite3_finalize(tables);
    return !all || sqlite3_exec(db, "COMMIT; DETACH old", NULL, NULL, NULL) != SQLITE_OK;
}

int main(int argc, char **argv) {
    struct xs_store *store;
    sqlite3 *db;
    if (argc < 2)
        return 2;
    bool plain = argc > 2 && !strcmp(argv[2], "--plain");
    bool own = argc > 2 && !strcmp(argv[2], "--own");
    bool from = argc > 3 && !strcmp(argv[2], "--from");
    remove(argv[1]);
    if ((!plain && (xs_store_create(argv[1], &store) < 0 || xs_store_close(store) < 0)) ||
        sqlite3_open(argv[1], &db) != SQLITE_OK) {
        perror(argv[1]);
        return 1;
    }
    sqlite3_exec(db, "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY", NULL, NULL, NULL);
    int status = from ? take_over(db, argv[3]) : 0;
    for (int i = from ? 4 : plain || own ? 3 : 2; i < argc && !status; i++)
        status = run_file(db, argv[i]);
    if (own && !status)
        status = make_own(db);
    return sqlite3_close(db) == SQLITE_OK ? status : 1;
}
