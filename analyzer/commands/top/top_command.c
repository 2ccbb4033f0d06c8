/* xferspy top: shows a trace while it is written: what runs now, and the causes so far. Every display reads the rows
 * that are new (so_far.h). The causes depend on all rows, so they are read anew only while top takes little of a
 * processor, and when the process has ended. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/process.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/report/report.h"
#include "analyzer/commands/top/so_far.h"
#include "analyzer/trace/scan.h"
#include "schema/clock.h"

XS_DECLARE_COMMAND(top)

enum { OPTION_INTERVAL = 0x100, OPTION_ONCE, MOST_SECONDS = 3600 };
/* How much processor time top may take, if reading the rows that are new does not take more; and how much of it the
 * causes may take in any case. */
#define SHARE 0.02
#define SHARE_OF_CAUSES 0.005
enum { MUCH_PERCENT = 2 /* a part of the run larger than this is mentioned */ };
#define SILENT_NS UINT64_C(2000000000)

struct arguments {
    const char *what; /* a trace, or the number of a process */
    long interval_s;
    bool once;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How:", 1},
    {"interval", OPTION_INTERVAL, "SECONDS", 0, "how long to wait between two refreshes (default: 2)", 1},
    {"once", OPTION_ONCE, NULL, 0, "show it once and end", 1},
    {0}};

static const char doc[] =
    "Shows a trace while it is written, like top: the causes of waste so far, and how fast the program copies now. PID "
    "is the process that writes it, or a launcher that started this process. It ends when the process ends."
    "\v"
    "Examples:\n"
    "  xferspy top 4242\n"
    "  xferspy top --interval=10 xferspy-app.4242.db\n"
    "  xferspy top --once run.db\n"
    "\n"
    "The newest events may still be missing: less than a second of them, or at most what one spool can hold.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    char *end = NULL;
    switch (key) {
    case OPTION_INTERVAL:
        arguments->interval_s = strtol(argument, &end, 10);
        if (end == argument || *end || arguments->interval_s < 1 || arguments->interval_s > MOST_SECONDS)
            argp_error(state, "--interval=%s: use 1 to %d seconds", argument, MOST_SECONDS);
        return 0;
    case OPTION_ONCE:
        arguments->once = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num)
            argp_error(state, "`%s': one trace or process only", argument);
        arguments->what = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which trace, or which process?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
const struct xs_interface xs_interface_top = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE|PID", .doc = doc}};

/* --- one look --- */

/* What the last display showed, and what is kept for the next one. */
struct display {
    struct xs_so_far now;
    uint64_t run_ns, bytes[XS_DIRECTION_COUNT]; /* of the last display */
    char *causes;                               /* text, NULL: not read yet */
    uint64_t causes_ns;                         /* the text is about this time since the start of the run */
    double began_s, causes_read_s;              /* when top began, and when it read the causes */
    double causes_cpu_s;                        /* processor time that reading them took */
};

static uint64_t less(uint64_t now, uint64_t then) { return now > then ? now - then : 0; }

/* Prints rates since the last display, or, at first, since the start of the run. Rates of devices refer to the time in
 * which device times were recorded. */
static void print_rates(const struct display *d, struct xs_out *out) {
    static const char *const names[XS_DIRECTION_COUNT] = {
        [XS_DIR_H2D] = "H2D", [XS_DIR_D2H] = "D2H", [XS_DIR_D2D] = "D2D", [XS_DIR_PEER] = "peer", [XS_DIR_H2H] = "H2H"};
    XS_SCOPED_STRING text = {0};
    const struct xs_so_far *now = &d->now;
    uint64_t ns = less(now->run_ns, d->run_ns);
    uint64_t all_ns = now->looked_at_ns * (now->device_count ? now->device_count : 1);
    for (size_t i = 0; i < XS_DIRECTION_COUNT && ns; i++) {
        uint64_t bytes = less(now->bytes[i], d->bytes[i]);
        if (bytes && names[i])
            xs_string_format(&text, "%s%s %s", text.length ? ", " : "", names[i], XS_RATE_TEXT(bytes, ns));
    }
    if (!text.length)
        xs_string_format(&text, "no copies");
    if (now->copy_ns && all_ns)
        xs_string_format(&text, "; devices copy %s of the time", XS_SHARE_TEXT(now->copy_ns, all_ns));
    if (now->kernel_ns && all_ns)
        xs_string_format(&text, "%s %s", now->copy_ns ? ", and run kernels" : "; devices run kernels",
                         XS_SHARE_TEXT(now->kernel_ns, all_ns));
    xs_out_fact(out, d->run_ns ? "now" : "so far", "%s", text.data);
}

/* Prints for how much of the run device times are missing, if that is much, because the savings of some causes are then
 * not known yet. */
static void print_missing(const struct xs_so_far *now, const struct xs_trace *trace, struct xs_out *out) {
    bool much = now->run_ns - now->known_ns > now->run_ns / 100 * MUCH_PERCENT;
    if (now->late && much)
        xs_out_fact(out, "devices", "%s%s of %s; the order of causes can still change",
                    now->known_ns ? "device times are known up to " : "no device times are known yet",
                    now->known_ns ? XS_NS_TEXT(now->known_ns) : "", XS_NS_TEXT(now->run_ns));
    int64_t ago_ns = xs_time_ns(CLOCK_REALTIME) - now->start_unix_ns;
    if (trace->is_live && now->start_unix_ns > 0 && ago_ns > 0 && less((uint64_t)ago_ns, now->run_ns) > SILENT_NS)
        xs_out_fact(out, "events",
                    "the newest is of %s ago: the program makes no CUDA calls, or is in a long one; a call is recorded "
                    "when it ends",
                    XS_NS_TEXT(less((uint64_t)ago_ns, now->run_ns)));
}

/* Clears the screen and prints the lines of the text that fit on the terminal. */
static void show(const char *text, struct xs_out *out) {
    size_t lines = 0;
    const char *end = text;
    while (*end && (!out->rows || lines + 1 < (size_t)out->rows)) {
        const char *next = strchr(end, '\n');
        end = next ? next + 1 : end + strlen(end);
        lines++;
    }
    if (out->rows)
        fputs("\033[H\033[2J", out->file);
    fwrite(text, 1, (size_t)(end - text), out->file);
    if (!out->rows)
        putc('\n', out->file);
    fflush(out->file);
}

static double seconds(clockid_t clock) { return (double)xs_time_ns(clock) / 1e9; }

/* Makes something be printed to a text, until end_text; the caller frees the text. */
static FILE *begin_text(struct xs_out *out, char **text, size_t *bytes) {
    FILE *file = out->file;
    out->file = open_memstream(text, bytes);
    if (!out->file)
        xs_out_of_memory();
    return file;
}
static void end_text(struct xs_out *out, FILE *file) {
    if (fclose(out->file) != 0)
        xs_out_of_memory();
    out->file = file;
}

/* Reads the whole trace, and keeps the text of its causes. Closes the trace if it fails. */
static int read_causes(struct display *d, struct xs_reading *reading, struct xs_out *out) {
    size_t bytes = 0;
    double began = seconds(CLOCK_PROCESS_CPUTIME_ID);
    int status = xs_reading_fill(reading->path, &(struct xs_reading_request){.quietly = true}, reading);
    if (status != XS_EXIT_OK)
        return status;
    struct xs_report report = {.summary = &reading->summary,
                               .diagnosis = reading->diagnosis,
                               .contents = reading->contents,
                               .sections = XS_SECTION_BIT(FINDINGS)};
    free(d->causes);
    FILE *file = begin_text(out, &d->causes, &bytes);
    xs_report_text(&report, out);
    end_text(out, file);
    d->causes_ns = reading->summary.run.duration_ns;
    d->causes_read_s = seconds(CLOCK_MONOTONIC);
    d->causes_cpu_s = seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
    return XS_EXIT_OK;
}

/* Decides whether the causes may be read again. How long that takes is estimated by how much longer the run is now. */
static bool is_time_for_causes(const struct display *d) {
    double now = seconds(CLOCK_MONOTONIC), spent = seconds(CLOCK_PROCESS_CPUTIME_ID);
    double longer = d->causes_ns ? (double)d->now.run_ns / (double)d->causes_ns : 1;
    double cost = d->causes_cpu_s * (longer > 1 ? longer : 1);
    return spent + cost <= (now - d->began_s) * SHARE || cost <= (now - d->causes_read_s) * SHARE_OF_CAUSES;
}

static void print(const struct display *d, const struct xs_trace *trace, struct xs_out *out) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = begin_text(out, &text, &bytes);
    print_rates(d, out);
    print_missing(&d->now, trace, out);
    if (trace->is_live && d->causes_ns < d->now.run_ns)
        xs_out_fact(out, "causes",
                    "of the first %s; to read them again now would take xferspy more than 2 %% of a core",
                    XS_NS_TEXT(d->causes_ns));
    fputs(d->causes, out->file);
    end_text(out, file);
    show(text, out);
    free(text);
}

/* Reads what is new, and the causes if it is time for that, and shows both. Returns an exit status. Sets `runs` to true
 * if the process still runs. */
static int look(const char *path, struct display *d, struct xs_out *out, bool *runs) {
    struct xs_reading reading = {.path = path};
    char message[XS_TRACE_MESSAGE_BYTES];
    if (xs_open(path, &reading.trace, true) < 0)
        return XS_EXIT_ERROR;
    *runs = reading.trace.is_live;
    if (!*runs) { /* the last look shows the whole run, as a look at its finished trace does */
        xs_so_far_free(&d->now);
        d->run_ns = 0;
        memset(d->bytes, 0, sizeof d->bytes);
    }
    if (xs_so_far_read(&d->now, &reading.trace, message) < 0) {
        xs_complain("%s", message);
        xs_reading_close(&reading);
        return XS_EXIT_ERROR;
    }
    if (!*runs || !d->causes || is_time_for_causes(d)) {
        int status = read_causes(d, &reading, out);
        if (status != XS_EXIT_OK)
            return status;
    }
    print(d, &reading.trace, out);
    d->run_ns = d->now.run_ns;
    memcpy(d->bytes, d->now.bytes, sizeof d->bytes);
    xs_reading_close(&reading);
    return XS_EXIT_OK;
}

int xs_command_top(int argc, char **argv) {
    struct arguments arguments = {.interval_s = 2};
    struct xs_out out;
    struct display display = {.began_s = seconds(CLOCK_MONOTONIC)};
    bool runs = true;
    int status = XS_EXIT_OK;
    if (argp_parse(&xs_interface_top.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    XS_SCOPED char *path = xs_trace_named(arguments.what);
    if (!path)
        return XS_EXIT_ERROR;
    if (xs_out_open(&out, &(struct xs_out_options){0}) < 0)
        return XS_EXIT_ERROR;
    while (runs && status == XS_EXIT_OK) {
        status = look(path, &display, &out, &runs);
        if (arguments.once || !runs || status != XS_EXIT_OK)
            break;
        nanosleep(&(struct timespec){.tv_sec = arguments.interval_s}, NULL);
    }
    xs_so_far_free(&display.now);
    free(display.causes);
    return xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : status;
}
