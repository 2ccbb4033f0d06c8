/* xferspy symbolize: writes the names behind a trace's addresses into the trace, so that it can be read where the
 * binaries are missing. No other command changes a trace. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/symbolize/source_rows.h"
#include "analyzer/symbols/debug_path.h"
#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/source_option.h"
#include "analyzer/trace/source_text.h"
#include "schema/read/copy.h"
#include "schema/safe_open/side_files.h"
#include "schema/safe_open/sqlite_open.h"

XS_DECLARE_COMMAND(symbolize)

enum { OPTION_FORCE = XS_OPTION_DETAILS + 1 };

struct arguments {
    struct xs_traces_arguments traces; /* first, for xs_parse_traces */
    bool force;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to do:", 1},
    {"force", OPTION_FORCE, NULL, 0, "look everything up again and replace what the trace has", 1},
    {0}};

static const char doc[] =
    "Looks up the functions, files and lines of a trace's call sites in the binaries of this machine, and writes them "
    "into the trace with the text of these lines. Then you can read the trace on another machine, or after the next "
    "build. Functions and lines that the trace has already stay."
    "\v"
    "Examples:\n"
    "  xferspy symbolize run.db\n"
    "  xferspy symbolize --debug-path=build/debug --force run.db\n"
    "\n"
    "Debug information is read from the binaries themselves, from debug files beside them, in .debug beside them and "
    "in /usr/lib/debug, and from the folders of --debug-path. Nothing is downloaded.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key != OPTION_FORCE)
        return xs_parse_traces(key, argument, state);
    arguments->force = true;
    return 0;
}

/* Addresses that are in the trace already, that are added, and that nobody knows. */
struct counts {
    uint32_t stored, found, unknown;
};

static bool is_new(const struct xs_callsites *c, const struct xs_callsite_address *address) {
    const struct xs_frame *frame = &c->frames[address->first];
    return !address->stored && address->module != UINT32_MAX && (frame->function || frame->file);
}

static struct counts count(const struct xs_callsites *c) {
    struct counts counts = {0};
    for (uint32_t i = 0; i < c->address_count; i++) {
        bool added = is_new(c, &c->addresses[i]);
        counts.stored += c->addresses[i].stored;
        counts.found += added;
        counts.unknown += !added && !c->addresses[i].stored;
    }
    return counts;
}

static int execute(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL); }

static int open_for_writing(const char *path, sqlite3 **db) {
    int rc = xs_sqlite_open(path, XS_WRITE, db);
    if (rc != SQLITE_OK)
        return rc;
    sqlite3_busy_timeout(*db, 5000);
    return execute(*db, "PRAGMA temp_store=MEMORY;"
                        "CREATE TEMP TABLE resolved (module INTEGER, address INTEGER, PRIMARY KEY (module, address))");
}

/* Whether it is safe to write. Files beside the trace may have changed since it was opened for reading, and SQLite
 * would play another user's journal back into it. */
static bool is_alone(const char *path, const char *file) {
    struct xs_side_files side;
    xs_side_files_look(file, &side);
    const char *why = side.linked          ? XS_LINKED_BESIDE
                      : side.super_journal ? "the journal beside it names another file, which SQLite would delete"
                      : side.journal && !xs_journal_is_sound(file) ? "the journal beside it is not the trace's"
                                                                   : NULL;
    if (side.foreign)
        xs_complain("%s: symbols are not written: the file beside it that ends in %s %s", path, side.suffix, side.why);
    else if (why)
        xs_complain("%s: symbols are not written: %s", path, why);
    return !side.foreign && !why;
}

static int insert(sqlite3_stmt *statement, int64_t module, uint64_t address, uint32_t depth,
                  const struct xs_frame *frame) {
    sqlite3_bind_int64(statement, 1, module);
    sqlite3_bind_int64(statement, 2, (int64_t)address);
    sqlite3_bind_int64(statement, 3, depth);
    sqlite3_bind_text(statement, 4, frame->function, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, frame->file, -1, SQLITE_STATIC);
    if (frame->line)
        sqlite3_bind_int64(statement, 6, frame->line);
    else
        sqlite3_bind_null(statement, 6);
    sqlite3_step(statement);
    return sqlite3_reset(statement);
}

/* In a merged file a row also has the number of its trace, and SQLite gives no ids. */
#define DELETE_SYMBOLS                                                                                                 \
    "DELETE FROM main.symbol WHERE EXISTS (SELECT 1 FROM temp.resolved r"                                              \
    " WHERE r.module = symbol.module AND r.address = symbol.address)"
#define INSERT_SYMBOL                                                                                                  \
    "INSERT INTO main.symbol (module, address, inline_depth, function, file, line) VALUES (?, ?, ?, ?, ?, ?)"
#define INSERT_MERGED_SYMBOL                                                                                           \
    "INSERT INTO main.symbol (trace, id, module, address, inline_depth, function, file, line) VALUES (?7,"             \
    " (SELECT coalesce(max(id), 0) + 1 FROM main.symbol WHERE trace = ?7), ?1, ?2, ?3, ?4, ?5, ?6)"

static int execute_with(sqlite3 *db, const char *format, int64_t number) {
    char *sql = sqlite3_mprintf(format, (long long)number);
    if (!sql)
        xs_out_of_memory();
    int rc = execute(db, sql);
    sqlite3_free(sql);
    return rc;
}

/* Writes the symbols, in a transaction of the caller's. Replaces rows of the same addresses: another symbolize may
 * have been quicker. */
static int write_rows(sqlite3 *db, const struct xs_trace *trace, const struct xs_callsites *c) {
    sqlite3_stmt *row = NULL, *key = NULL;
    int rc = sqlite3_prepare_v2(db, "INSERT INTO temp.resolved VALUES (?, ?)", -1, &key, NULL);
    for (uint32_t i = 0; i < c->address_count && rc == SQLITE_OK; i++) {
        if (!is_new(c, &c->addresses[i]))
            continue;
        sqlite3_bind_int64(key, 1, c->modules[c->addresses[i].module].id);
        sqlite3_bind_int64(key, 2, (int64_t)c->addresses[i].address);
        sqlite3_step(key);
        rc = sqlite3_reset(key);
    }
    sqlite3_finalize(key);
    if (rc == SQLITE_OK && trace->merged_id < 0)
        rc = execute(db, DELETE_SYMBOLS);
    else if (rc == SQLITE_OK)
        rc = execute_with(db, DELETE_SYMBOLS " AND trace = %lld", trace->merged_id);
    if (rc == SQLITE_OK && trace->merged_id < 0)
        rc = sqlite3_prepare_v2(db, INSERT_SYMBOL, -1, &row, NULL);
    else if (rc == SQLITE_OK) {
        rc = sqlite3_prepare_v2(db, INSERT_MERGED_SYMBOL, -1, &row, NULL);
        sqlite3_bind_int64(row, 7, trace->merged_id);
    }
    for (uint32_t i = 0; i < c->address_count && rc == SQLITE_OK; i++) {
        const struct xs_callsite_address *address = &c->addresses[i];
        for (uint32_t k = 0; is_new(c, address) && k < address->frames && rc == SQLITE_OK; k++)
            rc = insert(row, c->modules[address->module].id, address->address, k, &c->frames[address->first + k]);
    }
    sqlite3_finalize(row);
    return rc;
}

static int write_symbols(const struct xs_trace *trace, const struct xs_callsites *c,
                         const struct xs_source_rows *lines) {
    sqlite3 *db = NULL;
    char *path = xs_strdup(trace->path);
    path[xs_traces_file_bytes(path)] = '\0';
    if (!is_alone(path, trace->file)) {
        free(path);
        return XS_EXIT_ERROR;
    }
    int rc = open_for_writing(trace->file, &db);
    if (rc == SQLITE_OK)
        rc = execute(db, "BEGIN IMMEDIATE");
    if (rc == SQLITE_OK)
        rc = write_rows(db, trace, c);
    if (rc == SQLITE_OK)
        rc = xs_source_rows_write(db, trace->merged_id, lines);
    if (rc == SQLITE_OK)
        rc = execute(db, "COMMIT");
    if (rc != SQLITE_OK && db && sqlite3_extended_errcode(db) == SQLITE_READONLY_DIRECTORY)
        xs_complain("%s: symbols could not be written: its folder has to be writable, too; symbolize a copy", path);
    else if (rc != SQLITE_OK)
        xs_complain("%s: symbols could not be written: %s", path, db ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
    sqlite3_close(db); /* rolls back what was not committed */
    free(path);
    return rc == SQLITE_OK ? XS_EXIT_OK : XS_EXIT_ERROR;
}

static void tell(const char *path, const struct xs_callsites *c, const struct counts *counts,
                 const struct xs_source_rows *lines) {
    char *name = xs_text_escaped(path);
    const char *note;
    if (!c->stack_count) {
        printf("%s: no stacks were recorded\n", name);
        free(name);
        return;
    }
    printf("%s: %" PRIu32 " addresses resolved", name, counts->found);
    if (counts->stored)
        printf(", %" PRIu32 " were before", counts->stored);
    if (counts->unknown)
        printf(", %" PRIu32 " are not known", counts->unknown);
    if (lines->count)
        printf(", and the text of %" PRIu32 " line%s", lines->count, lines->count == 1 ? "" : "s");
    putchar('\n');
    if (lines->withheld)
        printf("  the text of %" PRIu32 " line%s was not read: nothing shows that you recorded this trace on this "
               "machine; --source=DIR reads it below a folder\n",
               lines->withheld, lines->withheld == 1 ? "" : "s");
    for (size_t i = 0; (note = xs_callsites_note(c, i)); i++) {
        char *text = xs_text_escaped(note);
        printf("  %s\n", text);
        free(text);
    }
    free(name);
}

static int symbolize_stacks(const struct xs_trace *trace, bool force) {
    struct xs_callsites *callsites;
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    if (xs_callsites_open_with(trace, !force, &callsites, message) < 0) {
        xs_complain("%s", message);
        return XS_EXIT_ERROR;
    }
    struct counts counts = count(callsites);
    struct xs_source_rows lines;
    xs_source_rows_read(trace, callsites, &lines);
    int status = counts.found || lines.count ? write_symbols(trace, callsites, &lines) : XS_EXIT_OK;
    if (status == XS_EXIT_OK)
        tell(trace->path, callsites, &counts, &lines);
    xs_source_rows_free(&lines);
    xs_callsites_close(callsites);
    return status;
}

static int symbolize(const char *path, bool force) {
    struct xs_trace trace;
    int status = XS_EXIT_ERROR;
    if (xs_open(path, &trace, true) < 0)
        return status;
    if (trace.is_live)
        xs_complain_live(path, "symbolize");
    else
        status = symbolize_stacks(&trace, force);
    xs_trace_close(&trace);
    return status;
}

static const struct argp_child children[] = {XS_DEBUG_PATH_CHILD, XS_SOURCE_CHILD, {0}};
const struct xs_interface xs_interface_symbolize = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE...", .doc = doc, .children = children}};

int xs_command_symbolize(int argc, char **argv) {
    struct arguments arguments = {0};
    if (argp_parse(&xs_interface_symbolize.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    struct xs_traces traces;
    int status = xs_traces_expand(arguments.traces.traces, arguments.traces.count, &traces);
    for (int i = 0; i < traces.count; i++)
        if (symbolize(traces.names[i], arguments.force) != XS_EXIT_OK)
            status = XS_EXIT_ERROR;
    xs_traces_free(&traces);
    return status;
}
