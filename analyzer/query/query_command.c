/* xferspy query: a trace asked in SQL. Three things make sure that it only reads: the connection is read-only, an
 * authorizer refuses changes, and the prepared statement is checked. */
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/command/command.h"
#include "analyzer/query/query.h"
#include "analyzer/trace/scan.h"
#include "schema/merged.h"

XS_DECLARE_COMMAND(query)

#define NAME(id, name) name,
static const char *const format_names[] = {XS_QUERY_FORMATS(NAME) NULL};

struct arguments {
    struct xs_ask_arguments ask; /* in SQL */
    bool tables;
};

enum { OPTION_TABLES = 0x100 };
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to show:", 1},
    {"tables", OPTION_TABLES, NULL, 0, "list tables and views with their columns", 1},
    {0}};

static const char doc[] = "Asks a trace in SQL (SQLite's dialect). It can only be read: nothing in the statement can "
                          "change the trace or open "
                          "another file. SQL `-' is read from standard input."
                          "\v"
                          "Examples:\n"
                          "  xferspy query --tables run.db\n"
                          "  xferspy query run.db \"SELECT * FROM summary_by_direction\"\n"
                          "  xferspy query run.db \"SELECT entry_point, bytes, host_ns FROM transfers\n"
                          "      ORDER BY host_ns DESC LIMIT 10\"\n"
                          "  xferspy query job.db \"SELECT rank, sum(bytes) FROM transfers GROUP BY rank\"\n"
                          "  xferspy query --format=csv -o copies.csv run.db \"SELECT * FROM transfers\"\n"
                          "\n"
                          "The views are made for people: transfers, allocations, memsets, kernels, syncs, stacks, "
                          "fingerprints, graph_copies, device_copy_by_call, coverage, summary_by_direction, "
                          "summary_by_entry_point, summary_by_kernel. Times are nanoseconds since the start of "
                          "capture. Control characters in "
                          "texts come out escaped in every format.";

static const char tables_sql[] =
    "SELECT m.type AS type, m.name AS name, group_concat(c.name, ', ') AS columns"
    " FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')"
    " GROUP BY m.rowid ORDER BY m.type DESC, m.rowid";

/* The same of one trace in a merged file, which hides the tables of all of them. */
static const char merged_tables_sql[] =
    "SELECT CASE WHEN m.name IN (SELECT name FROM sqlite_master WHERE type = 'table') THEN 'table' ELSE 'view' END"
    " AS type, m.name AS name, group_concat(c.name, ', ') AS columns"
    " FROM sqlite_temp_master m JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')"
    " GROUP BY m.rowid ORDER BY 1 DESC, m.rowid";
static const char *sql_of_tables(const struct xs_trace *trace) {
    return trace->merged_id < 0 ? tables_sql : merged_tables_sql;
}

/* A merged file as a whole can be asked, too: its tables say which trace a row is of. */
static int open_asked(const char *path, struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES];
    if (!xs_merged_is(path))
        return xs_open(path, trace, true);
    int status = xs_merged_open_all(path, trace, message);
    if (status < 0)
        xs_complain("%s", message);
    return status;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->ask;
        return 0;
    case OPTION_TABLES:
        arguments->tables = true;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->ask.asked && !arguments->tables)
            argp_error(state, "no SQL; --tables lists what can be asked");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Pragmas that only tell. */
static const char *const telling[] = {"table_info",      "table_xinfo",      "table_list",    "index_list",
                                      "index_info",      "foreign_key_list", "database_list", "function_list",
                                      "compile_options", "integrity_check",  "quick_check"};

/* Their table form (pragma_table_info and so on) comes to be at its first use, by steps that look like writing to the
 * authorizer. So each is used once before there is one. */
static void prepare_pragmas(const struct xs_trace *trace) {
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
        sqlite3_stmt *statement = NULL;
        struct xs_string sql = {0};
        xs_string_format(&sql, "SELECT 1 FROM pragma_%s", telling[i]);
        sqlite3_prepare_v2(trace->db, sql.data, -1, &statement, NULL);
        sqlite3_finalize(statement);
        xs_string_free(&sql);
    }
}

static bool may_use_pragma(const char *name, const char *value) {
    static const char *const without_value[] = {"user_version",   "application_id", "page_count",  "page_size",
                                                "schema_version", "encoding",       "journal_mode"};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (!sqlite3_stricmp(name, telling[i]))
            return true;
    for (size_t i = 0; i < sizeof without_value / sizeof *without_value; i++)
        if (!value && !sqlite3_stricmp(name, without_value[i]))
            return true;
    return false;
}

static int authorize(void *denied, int action, const char *first, const char *second, const char *database,
                     const char *trigger) {
    bool allowed = false;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        allowed = true;
        break;
    case SQLITE_FUNCTION: /* its name comes second */
        allowed = second && sqlite3_stricmp(second, "load_extension") != 0;
        break;
    case SQLITE_PRAGMA:
        allowed = first && may_use_pragma(first, second);
        break;
    default:
        break;
    }
    if (!allowed)
        *(bool *)denied = true;
    return allowed ? SQLITE_OK : SQLITE_DENY;
}

static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal_number) { interrupted = signal_number; }

/* SQLite asks now and then whether to go on. (sqlite3_interrupt would miss a signal just before the first step.) */
static int is_interrupted(void *unused) {
    (void)unused;
    return interrupted != 0;
}

#define ONLY_READS "%s: a query can only read"

/* One statement, and only a reading one. NULL after a message. */
static sqlite3_stmt *prepare(const struct xs_trace *trace, const char *sql, bool *denied) {
    sqlite3_stmt *statement = NULL, *rest = NULL;
    const char *tail = NULL;
    *denied = false;
    if (sqlite3_prepare_v2(trace->db, sql, -1, &statement, &tail) != SQLITE_OK) {
        if (*denied)
            xs_complain(ONLY_READS ": no changes, no other files", trace->path);
        else
            xs_complain("%s: SQL: %s", trace->path, sqlite3_errmsg(trace->db));
        return NULL;
    }
    if (!statement) {
        xs_complain("the SQL is empty");
        return NULL;
    }
    bool one = sqlite3_prepare_v2(trace->db, tail, -1, &rest, NULL) == SQLITE_OK && !rest;
    sqlite3_finalize(rest);
    if (one && sqlite3_stmt_readonly(statement))
        return statement;
    if (!one)
        xs_complain("one statement at a time; found more after the first `;'");
    else
        xs_complain(ONLY_READS, trace->path);
    sqlite3_finalize(statement);
    return NULL;
}

static int run_query(const struct xs_trace *trace, const char *sql, const struct arguments *arguments) {
    bool denied = false;
    struct xs_out out;
    sqlite3_limit(trace->db, SQLITE_LIMIT_ATTACHED, 0);
    prepare_pragmas(trace);
    sqlite3_set_authorizer(trace->db, authorize, &denied);
    sqlite3_stmt *statement = prepare(trace, sql, &denied);
    if (!statement)
        return XS_EXIT_ERROR;
    /* a second ^C ends us at once */
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    sqlite3_progress_handler(trace->db, 10000, is_interrupted, NULL);
    if (xs_out_open(&out, &arguments->ask.output) < 0) {
        sqlite3_finalize(statement);
        return XS_EXIT_ERROR;
    }
    int code = xs_query_print(statement, (enum xs_query_format)arguments->ask.format, &out);
    int status = code == SQLITE_DONE ? XS_EXIT_OK : XS_EXIT_ERROR;
    if (interrupted)
        xs_complain("interrupted");
    else if (code != SQLITE_DONE)
        xs_complain("%s: %s", trace->path, sqlite3_errmsg(trace->db));
    sqlite3_finalize(statement);
    if (xs_out_close(&out, status == XS_EXIT_OK) < 0)
        status = XS_EXIT_ERROR;
    sigaction(SIGINT, &before, NULL);
    if (interrupted)
        raise(SIGINT); /* so that a shell's loop around us stops too */
    return status;
}

/* For people: a line a table, its columns wrapped below. */
static int print_tables(const struct xs_trace *trace, const struct arguments *arguments) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    struct xs_out out;
    if (xs_out_open(&out, &arguments->ask.output) < 0)
        return XS_EXIT_ERROR;
    xs_scan_begin(&scan, trace, sql_of_tables(trace), message, NULL);
    while (xs_scan_row(&scan)) {
        char *name = xs_text_escaped(xs_scan_text(&scan, 1));
        fprintf(out.file, "%s%s%s%s\n", xs_style_on(&out, XS_STYLE_HEADING), name, xs_style_off(&out, XS_STYLE_HEADING),
                strcmp(xs_scan_text(&scan, 0), "view") == 0 ? " (view)" : "");
        xs_out_line(&out, XS_STYLE_PLAIN, "%s", xs_scan_text(&scan, 2));
        free(name);
    }
    int status = xs_scan_end(&scan);
    if (status < 0)
        xs_complain("%s", message);
    if (xs_out_close(&out, status >= 0) < 0)
        status = XS_ERROR_SYSTEM;
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static void read_sql(struct xs_string *sql) {
    char buffer[4096];
    size_t bytes;
    while ((bytes = fread(buffer, 1, sizeof buffer, stdin)) > 0)
        xs_string_add(sql, buffer, bytes);
    xs_string_add(sql, "", 0);
}

static const struct argp_child children[] = {XS_ASK_CHILD, {0}};
const struct xs_interface xs_interface_query = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE \"SQL\"", .doc = doc, .children = children},
    .formats = format_names};

int xs_command_query(int argc, char **argv) {
    struct arguments arguments = {
        .ask = {.formats = format_names, .one_only = "one trace and one statement; put the SQL in quotes"}};
    struct xs_trace trace;
    struct xs_string sql = {0};
    if (argp_parse(&xs_interface_query.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (xs_output_is_input(&arguments.ask.output, &arguments.ask.trace, 1))
        return XS_EXIT_ERROR;
    if (arguments.ask.asked && !strcmp(arguments.ask.asked, "-"))
        read_sql(&sql);
    if (open_asked(arguments.ask.trace, &trace) < 0) {
        xs_string_free(&sql);
        return XS_EXIT_ERROR;
    }
    const char *text = arguments.tables ? sql_of_tables(&trace) : arguments.ask.asked;
    int status;
    if (arguments.tables && arguments.ask.format == XS_QUERY_TABLE)
        status = print_tables(&trace, &arguments);
    else
        status = run_query(&trace, sql.data ? sql.data : text, &arguments);
    xs_string_free(&sql);
    xs_trace_close(&trace);
    return status;
}
