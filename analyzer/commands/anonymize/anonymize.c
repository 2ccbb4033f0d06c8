/* Copies a trace column by column; see anonymize.h. A column is copied only if columns.def says how. A value whose
 * type is not its column's type is left out, because a text in a column of numbers would be copied unchanged. */
#include "analyzer/commands/anonymize/anonymize.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "schema/rows_read.h"
#include "schema/write/store.h"

#define XS_TABLE(table)
#define XS_COLUMN(table, column, kind)
#define XS_NUMBER(column)
#define XS_META(key, kind)

const char *const xs_anonymous_tables[] = {
#undef XS_TABLE
#define XS_TABLE(table) #table,
#include "analyzer/commands/anonymize/columns.def"
#undef XS_TABLE
#define XS_TABLE(table)
};
const size_t xs_anonymous_table_count = sizeof xs_anonymous_tables / sizeof *xs_anonymous_tables;

static const struct {
    const char *table, *column; /* table NULL: every table */
    enum xs_anonymous_kind kind;
} rules[] = {
#undef XS_COLUMN
#undef XS_NUMBER
#define XS_COLUMN(table, column, kind) {#table, #column, XS_ANONYMOUS_##kind},
#define XS_NUMBER(column) {NULL, #column, XS_ANONYMOUS_NUMBER},
#include "analyzer/commands/anonymize/columns.def"
#undef XS_COLUMN
#undef XS_NUMBER
#define XS_COLUMN(table, column, kind)
#define XS_NUMBER(column)
};

static const struct {
    const char *key;
    enum xs_anonymous_kind kind;
} metas[] = {
#undef XS_META
#define XS_META(key, kind) {key, XS_ANONYMOUS_##kind},
#include "analyzer/commands/anonymize/columns.def"
};

#define END XS_ANONYMOUS_NUMBER
const struct xs_anonymous_group xs_anonymous_groups[] = {
    {"symbols", {XS_ANONYMOUS_FUNCTION, XS_ANONYMOUS_PYTHON_FUNCTION, END}},
    {"kernels", {XS_ANONYMOUS_KERNEL, END}},
    {"paths", {XS_ANONYMOUS_BINARY, XS_ANONYMOUS_FILE, XS_ANONYMOUS_PYTHON_FILE, XS_ANONYMOUS_BUILD_ID, END}},
    {"ranges", {XS_ANONYMOUS_RANGE, XS_ANONYMOUS_DOMAIN, END}},
    {"threads", {XS_ANONYMOUS_THREAD, END}},
    {"command", {XS_ANONYMOUS_COMMAND, END}},
    {"host", {XS_ANONYMOUS_HOST, XS_ANONYMOUS_FIRST_WORD, END}},
    {"devices", {XS_ANONYMOUS_UUID, XS_ANONYMOUS_BUS, END}},
    {"notes", {XS_ANONYMOUS_NOTE, END}},
    {"contents", {XS_ANONYMOUS_CONTENT, XS_ANONYMOUS_CONTENT_HIGH, END}},
    {"addresses",
     {XS_ANONYMOUS_ADDRESS, XS_ANONYMOUS_MODULE_CODE, XS_ANONYMOUS_FRAME_CODE, XS_ANONYMOUS_SYMBOL_CODE, END}},
};
#undef END
const size_t xs_anonymous_group_count = sizeof xs_anonymous_groups / sizeof *xs_anonymous_groups;

struct copying {
    const struct xs_trace *trace;
    sqlite3 *out;
    struct xs_anonymizing *how;
    struct xs_pseudonyms pseudonyms;
    struct xs_hash contents;
    struct xs_hash unmoved; /* from modules with a load_bias of 0 to enum place */
    uint64_t memory_offset, code_offset;
};

enum { COLUMNS = 64, NO_ADDRESS_BELOW = 65536 };

/* --- values --- */

/* Leaves out a value that is not to be copied: NULL, or 0. */
static void put_nothing(struct copying *c, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, bool required) {
    c->how->left_out += sqlite3_column_type(from, column) != SQLITE_NULL;
    if (required)
        sqlite3_bind_int64(to, at, 0);
    else
        sqlite3_bind_null(to, at);
}

static void put_number(struct copying *c, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, bool required) {
    if (sqlite3_column_type(from, column) == SQLITE_INTEGER)
        sqlite3_bind_int64(to, at, sqlite3_column_int64(from, column));
    else
        put_nothing(c, to, at, from, column, required);
}

/* The meaning of addresses in a module with a load_bias of 0. */
enum place { MOVES, IN_FILE /* offsets in the file */, NOWHERE /* not known; treated as addresses of the process */ };

static enum place place_of(const struct copying *c, sqlite3_stmt *from, int column) {
    const uint64_t *place = sqlite3_column_type(from, column) == SQLITE_INTEGER
                                ? xs_hash_find(&c->unmoved, (uint64_t)sqlite3_column_int64(from, column), 0)
                                : NULL;
    return place ? (enum place) * place : MOVES;
}

static bool moves(const struct copying *c, sqlite3_stmt *from, int column, enum xs_anonymous_kind kind) {
    switch (kind) {
    case XS_ANONYMOUS_MODULE_CODE:
        return place_of(c, from, 0) == MOVES;
    case XS_ANONYMOUS_FRAME_CODE:
        return place_of(c, from, column + 1) != IN_FILE;
    case XS_ANONYMOUS_SYMBOL_CODE:
        return place_of(c, from, column - 1) == NOWHERE;
    default:
        return (uint64_t)sqlite3_column_int64(from, column) >= NO_ADDRESS_BELOW;
    }
}

static void put_moved(struct copying *c, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, bool required,
                      enum xs_anonymous_kind kind) {
    uint64_t value = (uint64_t)sqlite3_column_int64(from, column);
    uint64_t offset = kind == XS_ANONYMOUS_ADDRESS ? c->memory_offset : c->code_offset;
    if (sqlite3_column_type(from, column) == SQLITE_INTEGER && moves(c, from, column, kind))
        sqlite3_bind_int64(to, at, (int64_t)(value + offset));
    else
        put_number(c, to, at, from, column, required);
}

/* Replaces a content by a number. Numbers are in the order of first use, so they reveal nothing, because the trace
 * shows this order anyway. */
static void put_content(struct copying *c, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, bool required) {
    if (sqlite3_column_type(from, column) != SQLITE_INTEGER ||
        sqlite3_column_type(from, column + 1) != SQLITE_INTEGER) {
        put_number(c, to, at, from, column, required);
        put_number(c, to, at + 1, from, column + 1, required);
        return;
    }
    uint64_t *number = xs_hash_put(&c->contents, (uint64_t)sqlite3_column_int64(from, column),
                                   (uint64_t)sqlite3_column_int64(from, column + 1));
    if (!*number)
        *number = c->contents.count;
    sqlite3_bind_int64(to, at, (int64_t)*number);
    sqlite3_bind_int64(to, at + 1, 0);
}

static void put_text(struct copying *c, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, bool required,
                     enum xs_anonymous_kind kind) {
    if (sqlite3_column_type(from, column) == SQLITE_NULL && !required) {
        sqlite3_bind_null(to, at);
        return;
    }
    const char *text = (const char *)sqlite3_column_text(from, column); /* if the value is a number, its digits */
    size_t bytes = text ? (size_t)sqlite3_column_bytes(from, column) : 0;
    if (c->how->keep[kind])
        sqlite3_bind_text(to, at, text ? text : "", (int)bytes, SQLITE_TRANSIENT);
    else
        sqlite3_bind_text(to, at, xs_pseudonym(&c->pseudonyms, kind, text ? text : "", bytes), -1, SQLITE_TRANSIENT);
}

static void put(struct copying *c, sqlite3_stmt *to, int at, sqlite3_stmt *from, int column, bool required, int kind) {
    if (kind < 0)
        put_nothing(c, to, at, from, column, required);
    else if (kind > XS_ANONYMOUS_CONTENT_HIGH)
        put_text(c, to, at, from, column, required, (enum xs_anonymous_kind)kind);
    else if (kind == XS_ANONYMOUS_NUMBER || c->how->keep[kind])
        put_number(c, to, at, from, column, required);
    else if (kind <= XS_ANONYMOUS_SYMBOL_CODE)
        put_moved(c, to, at, from, column, required, (enum xs_anonymous_kind)kind);
    else if (kind == XS_ANONYMOUS_CONTENT) /* writes the next column, of CONTENT_HIGH, too */
        put_content(c, to, at, from, column, required);
}

/* --- tables --- */

static int fail(const struct copying *c, sqlite3 *db, const char *what) {
    xs_complain("%s: %s: %s", c->trace->path, what, db == c->trace->db ? xs_trace_why(c->trace) : sqlite3_errmsg(db));
    return db == c->trace->db ? XS_ERROR_CORRUPT : XS_ERROR_SQLITE;
}

static int cannot_write(const struct copying *c) { return fail(c, c->out, "the copy cannot be written"); }

static bool ends_in(const char *text, const char *end) {
    size_t bytes = strlen(text), end_bytes = strlen(end);
    return bytes >= end_bytes && !strcmp(text + bytes - end_bytes, end);
}

static int kind_of(const char *table, const char *column, bool refers, bool is_integer) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((!rules[i].table || !strcmp(rules[i].table, table)) && !strcmp(rules[i].column, column))
            return (int)rules[i].kind;
    bool is_number = refers || !strncmp(column, "is_", 3) || ends_in(column, "_ns") || ends_in(column, "bytes");
    return is_integer && is_number ? XS_ANONYMOUS_NUMBER : -1;
}

int xs_anonymous_columns(sqlite3 *db, const char *table, struct xs_anonymous_column *columns, int room) {
    static const char sql[] =
        "SELECT c.name, c.\"notnull\", c.pk OR EXISTS (SELECT 1 FROM pragma_foreign_key_list(?1) f"
        " WHERE f.\"from\" = c.name), c.type = 'INTEGER' FROM pragma_table_info(?1) c ORDER BY"
        " c.cid";
    sqlite3_stmt *rows = NULL;
    int count = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &rows, NULL) == SQLITE_OK)
        sqlite3_bind_text(rows, 1, table, -1, SQLITE_STATIC);
    for (; rows && count < room && sqlite3_step(rows) == SQLITE_ROW; count++) {
        struct xs_anonymous_column *column = &columns[count];
        snprintf(column->name, sizeof column->name, "%s", (const char *)sqlite3_column_text(rows, 0));
        column->is_required = sqlite3_column_int(rows, 1);
        column->kind = kind_of(table, column->name, sqlite3_column_int(rows, 2), sqlite3_column_int(rows, 3));
    }
    sqlite3_finalize(rows);
    return count;
}

static int copy_rows(struct copying *c, sqlite3_stmt *from, sqlite3_stmt *to, const struct xs_anonymous_column *columns,
                     int count) {
    int rc;
    while ((rc = sqlite3_step(from)) == SQLITE_ROW) {
        xs_row_read();
        for (int i = 0; i < count; i++)
            put(c, to, i + 1, from, i, columns[i].is_required, columns[i].kind);
        sqlite3_step(to);
        if (sqlite3_reset(to) != SQLITE_OK)
            return cannot_write(c);
    }
    return rc == SQLITE_DONE ? XS_OK : fail(c, c->trace->db, "damaged");
}

static int copy_table(struct copying *c, const char *table) {
    struct xs_anonymous_column columns[COLUMNS];
    struct xs_string select = {0}, insert = {0};
    sqlite3_stmt *from = NULL, *to = NULL;
    int status = XS_OK, count = xs_anonymous_columns(c->out, table, columns, COLUMNS);
    xs_string_format(&select, "SELECT ");
    xs_string_format(&insert, "INSERT OR IGNORE INTO %s VALUES (", table);
    for (int i = 0; i < count; i++) {
        xs_string_format(&select, "%s%s", i ? ", " : "", columns[i].name);
        xs_string_format(&insert, "%s?", i ? ", " : "");
    }
    xs_string_format(&select, " FROM %s", table);
    xs_string_format(&insert, ")");
    if (sqlite3_prepare_v2(c->trace->db, select.data, -1, &from, NULL) != SQLITE_OK)
        status = fail(c, c->trace->db, "damaged");
    else if (sqlite3_prepare_v2(c->out, insert.data, -1, &to, NULL) != SQLITE_OK)
        status = cannot_write(c);
    else
        status = copy_rows(c, from, to, columns, count);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    xs_string_free(&select);
    xs_string_free(&insert);
    return status;
}

static int find_unmoved(struct copying *c) {
    sqlite3_stmt *rows = NULL;
    int rc = sqlite3_prepare_v2(c->trace->db,
                                "SELECT id, start_address = 0 AND end_address = 0 FROM module WHERE load_bias = 0", -1,
                                &rows, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(rows)) == SQLITE_ROW) {
        *xs_hash_put(&c->unmoved, (uint64_t)sqlite3_column_int64(rows, 0), 0) =
            sqlite3_column_int(rows, 1) ? NOWHERE : IN_FILE;
        rc = SQLITE_OK;
    }
    sqlite3_finalize(rows);
    return rc == SQLITE_DONE ? XS_OK : fail(c, c->trace->db, "damaged");
}

static int copy_tables(struct copying *c) {
    int status = XS_OK;
    for (size_t i = 0; i < xs_anonymous_table_count && status >= 0; i++)
        status = copy_table(c, xs_anonymous_tables[i]);
    return status;
}

/* --- meta --- */

/* Copies the meta rows. The schema's version has no row in columns.def: it was written with the tables of the copy, and
 * the trace may contain a wrong one. */
static int copy_meta(struct copying *c) {
    sqlite3_stmt *from = NULL, *to = NULL;
    int status = XS_OK;
    if (sqlite3_prepare_v2(c->trace->db, "SELECT value FROM meta WHERE key = ?", -1, &from, NULL) != SQLITE_OK)
        status = fail(c, c->trace->db, "damaged");
    else if (sqlite3_prepare_v2(c->out, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", -1, &to, NULL) !=
             SQLITE_OK)
        status = cannot_write(c);
    for (size_t i = 0; i < sizeof metas / sizeof *metas && status >= 0; i++) {
        sqlite3_bind_text(from, 1, metas[i].key, -1, SQLITE_STATIC);
        if (sqlite3_step(from) == SQLITE_ROW && sqlite3_column_type(from, 0) != SQLITE_NULL) {
            sqlite3_bind_text(to, 1, metas[i].key, -1, SQLITE_STATIC);
            if (metas[i].kind > XS_ANONYMOUS_CONTENT_HIGH)
                put_text(c, to, 2, from, 0, false, metas[i].kind);
            else /* options are numbers stored as texts */
                sqlite3_bind_int64(to, 2, sqlite3_column_int64(from, 0));
            sqlite3_step(to);
            if (sqlite3_reset(to) != SQLITE_OK)
                status = cannot_write(c);
        }
        sqlite3_reset(from);
    }
    if (status >= 0 && sqlite3_exec(c->out, "INSERT OR REPLACE INTO meta (key, value) VALUES ('anonymized', 1)", NULL,
                                    NULL, NULL) != SQLITE_OK)
        status = cannot_write(c);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    return status;
}

/* Draws a random key and random offsets. An offset is a multiple of a page and keeps addresses in the range that SQLite
 * and readers accept. */
static int draw(struct copying *c) {
    uint64_t drawn[4];
    if (getrandom(drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn) {
        xs_complain("no random numbers can be had, and without them addresses would stay what they are");
        return XS_ERROR_SYSTEM;
    }
    c->pseudonyms.key[0] = drawn[0];
    c->pseudonyms.key[1] = drawn[1];
    c->memory_offset = (drawn[2] % (1 << 20) + 1) << 24;
    c->code_offset = (drawn[3] % (1 << 20) + 1) << 24;
    return XS_OK;
}

int xs_anonymize(const struct xs_trace *trace, sqlite3 *out, struct xs_anonymizing *how) {
    struct copying c = {.trace = trace, .out = out, .how = how};
    int status = draw(&c);
    if (status >= 0)
        status = find_unmoved(&c);
    if (status >= 0)
        status = copy_tables(&c);
    if (status >= 0)
        status = copy_meta(&c);
    for (int i = 0; i < XS_ANONYMOUS_KIND_COUNT; i++)
        how->pseudonyms += c.pseudonyms.counts[i];
    xs_pseudonyms_free(&c.pseudonyms);
    xs_hash_free(&c.contents);
    xs_hash_free(&c.unmoved);
    return status;
}
