/* xferspy query: runs an SQL statement on a trace. Three things make sure that a query only reads: a read-only
 * connection, a guard that refuses everything not allowed, and a check of the prepared statement. */
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/query/allowed.h"
#include "analyzer/commands/query/query.h"
#include "analyzer/trace/scan.h"
#include "schema/clock.h"
#include "schema/read/merged.h"
#include "schema/safe_open/step_limit.h"

XS_DECLARE_COMMAND(query)

static const char *const format_names[] = {[XS_QUERY_TABLE] = "table",
                                           [XS_QUERY_CSV] = "csv",
                                           [XS_QUERY_JSON] = "json",
                                           [XS_QUERY_TSV] = "tsv",
                                           [XS_QUERY_FORMATS] = NULL};

struct arguments {
    struct xs_ask_arguments ask; /* the arguments; the question is in SQL */
    bool tables, no_limit;
};

enum { OPTION_TABLES = 0x100, OPTION_NO_LIMIT };
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to show:", 1},
    {"tables", OPTION_TABLES, NULL, 0, "list tables and views with their columns", 1},
    {"no-limit", OPTION_NO_LIMIT, NULL, 0, "let a statement take as long as it takes", 1},
    {0}};

static const char doc[] = "Runs an SQL statement on a trace (SQLite's dialect). A statement can only read: it cannot "
                          "change the trace or open another file. SQL `-' is read from standard input."
                          "\v"
                          "Examples:\n"
                          "  xferspy query --tables run.db\n"
                          "  xferspy query run.db \"SELECT * FROM summary_by_direction\"\n"
                          "  xferspy query run.db \"SELECT entry_point, bytes, host_ns FROM transfers\n"
                          "      ORDER BY host_ns DESC LIMIT 10\"\n"
                          "  xferspy query --format=csv -o copies.csv run.db \"SELECT * FROM transfers\"\n"
                          "  xferspy query job.db \"SELECT rank, sum(bytes) FROM transfers GROUP BY rank\"\n"
                          "      (job.db is made by `xferspy merge'; other traces have no column rank)\n"
                          "\n"
                          "The views are made for people: transfers, allocations, memsets, kernels, syncs, stacks, "
                          "fingerprints, graph_copies, device_copy_by_call, coverage, summary_by_direction, "
                          "summary_by_entry_point, summary_by_kernel. The views transfer, launch, device_copy "
                          "and device_kernel have the rows with numbers instead of names. Times are nanoseconds "
                          "since the start of capture. Control characters in texts are escaped in every format.";

static const char tables_sql[] =
    "SELECT m.type AS type, m.name AS name, group_concat(c.name, ', ') AS columns"
    " FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')"
    " GROUP BY m.rowid ORDER BY m.type DESC, m.rowid";

/* Lists the tables of one trace in a merged file; its views have the names of the tables, and hide the tables, which
 * have the rows of all traces. */
static const char merged_tables_sql[] =
    "SELECT CASE WHEN m.name IN (SELECT name FROM sqlite_master WHERE type = 'table') THEN 'table' ELSE 'view' END"
    " AS type, m.name AS name, group_concat(c.name, ', ') AS columns"
    " FROM sqlite_temp_master m JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')"
    " GROUP BY m.rowid ORDER BY 1 DESC, m.rowid";
static const char *sql_of_tables(const struct xs_trace *trace) {
    return trace->merged_id < 0 ? tables_sql : merged_tables_sql;
}

/* Opens a trace, or a merged file as a whole; the tables of a merged file say which trace a row belongs to. */
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
    case OPTION_NO_LIMIT:
        arguments->no_limit = true;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->ask.asked && !arguments->tables)
            argp_error(state, "no SQL; --tables lists what can be asked");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static volatile sig_atomic_t interrupted;
static struct sigaction before; /* what a SIGINT did before: it removes a file that is not complete */
static void on_interrupt(int signal_number) {
    interrupted = signal_number;
    sigaction(SIGINT, &before, NULL); /* a second ^C ends the process at once */
}

/* The limits of a statement. In addition to the steps, its time is limited, because one step may copy 16 MiB. */
struct limits {
    struct xs_step_limit *steps; /* NULL: there are none */
    double until_s;              /* the processor time at which it has to end, in seconds */
    bool late;
};

static double processor_s(void) { return (double)xs_time_ns(CLOCK_PROCESS_CPUTIME_ID) * 1e-9; }

/* SQLite calls this function regularly. (sqlite3_interrupt would have no effect if a signal came just before the first
 * step.) */
static int has_to_end(void *data) {
    struct limits *limits = data;
    limits->late = limits->late || (limits->steps && processor_s() > limits->until_s);
    return interrupted != 0 || limits->late || (limits->steps && xs_step_limit_spend(limits->steps));
}

/* Sets the limits. The memory limit also covers data that SQLite sorts. For a large trace, SQLite sorts in files, and
 * only the time is limited. */
static struct limits begin_limits(const struct xs_trace *trace, bool no_limit) {
    enum { MEMORY_BYTES = 256 << 20, SORTED_IN_MEMORY = 64 << 20, SECONDS = 8, SECONDS_A_MIB = 2 };
    struct stat st = {0};
    if (no_limit || stat(trace->file, &st) != 0)
        return (struct limits){0};
    int64_t held = (int64_t)st.st_blocks * 512;
    int64_t bytes = held > 0 && held < st.st_size ? held : st.st_size;
    sqlite3_hard_heap_limit64(MEMORY_BYTES);
    if (bytes < SORTED_IN_MEMORY)
        sqlite3_exec(trace->db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
    double mib = (double)bytes / (1 << 20);
    return (struct limits){.steps = trace->steps, .until_s = processor_s() + SECONDS + SECONDS_A_MIB * mib};
}

static void complain_sql(const struct xs_trace *trace, const char *sql) {
    XS_SCOPED_STRING error = {0}, hint = {0};
    xs_string_format(&error, "%s", sqlite3_errmsg(trace->db));
    sqlite3_set_authorizer(trace->db, NULL, NULL); /* the SQL of xs_query_hint must be allowed to read the columns */
    xs_query_hint(trace, sql, sql_of_tables(trace), error.data, &hint);
    xs_complain("%s: SQL: %s%s", trace->path, error.data, hint.length ? hint.data : "");
}

/* Prepares one statement that only reads. NULL: a message was printed. */
static sqlite3_stmt *prepare(const struct xs_trace *trace, const char *sql, struct xs_query_guard *guard) {
    sqlite3_stmt *statement = NULL, *rest = NULL;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(trace->db, sql, -1, &statement, &tail) != SQLITE_OK) {
        const char *refused = guard ? xs_query_refused(guard) : NULL;
        if (refused)
            xs_complain("%s: a query can only read: %s", trace->path, refused);
        else
            complain_sql(trace, sql);
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
        xs_complain("%s: a query can only read", trace->path);
    sqlite3_finalize(statement);
    return NULL;
}

static void complain_stopped(const struct xs_trace *trace, const struct limits *limits) {
    if (interrupted)
        xs_complain("interrupted");
    else if (xs_step_limit_is_reached(trace->steps))
        xs_complain(
            "%s: stopped: the statement takes more steps than a file of its size can justify; --no-limit lets it go on",
            trace->path);
    else if (limits->late)
        xs_complain(
            "%s: stopped: the statement takes more time than a file of its size can justify; --no-limit lets it go on",
            trace->path);
    else if (limits->steps && (sqlite3_errcode(trace->db) & 0xff) == SQLITE_NOMEM)
        xs_complain("%s: stopped: the statement takes more than 256 MiB of memory; --no-limit lets it go on",
                    trace->path);
    else
        xs_complain("%s: %s", trace->path, sqlite3_errmsg(trace->db));
}

static int print_rows(const struct xs_trace *trace, sqlite3_stmt *statement, const struct arguments *arguments) {
    struct xs_out out;
    const struct sigaction action = {.sa_handler = on_interrupt};
    if (xs_out_open(&out, &arguments->ask.output) < 0)
        return XS_EXIT_ERROR;
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    struct limits limits = begin_limits(trace, arguments->no_limit);
    sqlite3_progress_handler(trace->db, XS_STEPS_STRIDE, has_to_end, &limits);
    if (!out.columns) /* a terminal that gets the rows shows no line */
        xs_progress_begin_file(trace->path, 0);
    int code = xs_query_print(statement, (enum xs_query_format)arguments->ask.format, &out);
    if (!out.columns)
        xs_progress_end();
    int status = code == SQLITE_DONE ? XS_EXIT_OK : XS_EXIT_ERROR;
    if (code != SQLITE_DONE)
        complain_stopped(trace, &limits);
    if (xs_out_close(&out, status == XS_EXIT_OK) < 0)
        status = XS_EXIT_ERROR;
    sqlite3_progress_handler(trace->db, 0, NULL, NULL);
    sigaction(SIGINT, &before, NULL);
    return status;
}

static int run_query(const struct xs_trace *trace, const char *sql, const struct arguments *arguments) {
    /* the SQL of --tables, which is not the user's, must be allowed to read the columns */
    struct xs_query_guard *guard = arguments->tables ? NULL : xs_query_guard_begin(trace->db);
    sqlite3_stmt *statement = prepare(trace, sql, guard);
    int status = statement ? print_rows(trace, statement, arguments) : XS_EXIT_ERROR;
    sqlite3_finalize(statement);
    if (guard)
        xs_query_guard_end(guard);
    if (interrupted)
        raise(SIGINT); /* so that a shell loop that runs this command stops, too */
    return status;
}

/* Prints a line per table, with its columns wrapped below. */
static int print_tables(const struct xs_trace *trace, const struct arguments *arguments) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    struct xs_out out;
    if (xs_out_open(&out, &arguments->ask.output) < 0)
        return XS_EXIT_ERROR;
    xs_scan_begin(&scan, trace, sql_of_tables(trace), message, NULL);
    while (xs_scan_row(&scan)) {
        XS_SCOPED char *name = xs_text_escaped(xs_scan_text(&scan, 1));
        fprintf(out.file, "%s%s%s%s\n", xs_style_on(&out, XS_STYLE_HEADING), name, xs_style_off(&out, XS_STYLE_HEADING),
                strcmp(xs_scan_text(&scan, 0), "view") == 0 ? " (view)" : "");
        xs_out_line(&out, XS_STYLE_PLAIN, "%s", xs_scan_text(&scan, 2));
    }
    int status = xs_scan_end(&scan);
    if (status < 0)
        xs_complain("%s", message);
    if (xs_out_close(&out, status >= 0) < 0)
        status = XS_ERROR_SYSTEM;
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static const struct argp_child children[] = {XS_ASK_CHILD, {0}};
const struct xs_interface xs_interface_query = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE \"SQL\"", .doc = doc, .children = children},
    .formats = format_names};

int xs_command_query(int argc, char **argv) {
    struct arguments arguments = {
        .ask = {.formats = format_names, .one_only = "one trace and one statement; put the SQL in quotes"}};
    struct xs_trace trace;
    XS_SCOPED_STRING sql = {0};
    if (argp_parse(&xs_interface_query.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (xs_output_is_input(&arguments.ask.output, &arguments.ask.trace, 1))
        return XS_EXIT_ERROR;
    if (arguments.ask.asked && !strcmp(arguments.ask.asked, "-"))
        xs_string_read(&sql, stdin, SIZE_MAX);
    if (open_asked(arguments.ask.trace, &trace) < 0)
        return XS_EXIT_ERROR;
    const char *text = arguments.tables ? sql_of_tables(&trace) : arguments.ask.asked;
    int status;
    if (arguments.tables && arguments.ask.format == XS_QUERY_TABLE)
        status = print_tables(&trace, &arguments);
    else
        status = run_query(&trace, sql.data ? sql.data : text, &arguments);
    xs_trace_close(&trace);
    return status;
}
