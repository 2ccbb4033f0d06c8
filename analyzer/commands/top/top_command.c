/* xferspy top: shows a trace while it is written: the causes so far, and what runs now. It reads the trace again for
 * every display, so it never delays the program. */
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
#include "analyzer/commands/top/device_times.h"
#include "analyzer/trace/scan.h"
#include "schema/clock.h"

XS_DECLARE_COMMAND(top)

enum {
    OPTION_INTERVAL = 0x100,
    OPTION_ONCE,
    MOST_SECONDS = 3600,
    REST = 4 /* REST: the pause after reading is at least
                this many times as long as reading */
};
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

/* Values that grow, as they were at the last display. */
struct so_far {
    uint64_t run_ns, bytes[XS_DIRECTION_COUNT];
    uint64_t known_ns; /* up to this time, device times were complete */
};

static void measure(const struct xs_summary *summary, const struct xs_device_times *times, struct so_far *now) {
    *now = (struct so_far){.run_ns = summary->run.duration_ns, .known_ns = times->known_ns};
    for (size_t i = 0; i < summary->group_count; i++) {
        uint64_t *bytes = &now->bytes[summary->groups[i].direction];
        *bytes = xs_sum(*bytes, summary->groups[i].totals.bytes);
    }
}

static uint64_t less(uint64_t now, uint64_t then) { return now > then ? now - then : 0; }

/* Prints rates since the last display, or, at first, since the start of the run. Rates of devices refer to the time for
 * which there are device records. */
static void print_rates(const struct so_far *now, const struct so_far *then, const struct xs_device_times *times,
                        size_t devices, struct xs_out *out) {
    static const char *const names[XS_DIRECTION_COUNT] = {
        [XS_DIR_H2D] = "H2D", [XS_DIR_D2H] = "D2H", [XS_DIR_D2D] = "D2D", [XS_DIR_PEER] = "peer", [XS_DIR_H2H] = "H2H"};
    XS_SCOPED_STRING text = {0};
    uint64_t ns = less(now->run_ns, then->run_ns);
    uint64_t all_ns = less(now->known_ns, then->known_ns) * (devices ? devices : 1);
    for (size_t i = 0; i < XS_DIRECTION_COUNT && ns; i++) {
        uint64_t bytes = less(now->bytes[i], then->bytes[i]);
        if (bytes && names[i])
            xs_string_format(&text, "%s%s %s", text.length ? ", " : "", names[i], XS_RATE_TEXT(bytes, ns));
    }
    if (!text.length)
        xs_string_format(&text, "no copies");
    if (times->copy_ns)
        xs_string_format(&text, "; devices copy %s of the time", XS_SHARE_TEXT(times->copy_ns, all_ns));
    if (times->kernel_ns)
        xs_string_format(&text, "%s %s", times->copy_ns ? ", and run kernels" : "; devices run kernels",
                         XS_SHARE_TEXT(times->kernel_ns, all_ns));
    xs_out_fact(out, then->run_ns ? "now" : "so far", "%s", text.data);
}

/* Prints for how much of the run device times are missing, if that is much, because the savings of some causes are then
 * not known yet. */
static void print_missing(const struct xs_summary *summary, const struct xs_device_times *times, struct xs_out *out) {
    uint64_t run_ns = summary->run.duration_ns;
    const char *run = XS_NS_TEXT(run_ns);
    bool much = run_ns - times->known_ns > run_ns / 100 * MUCH_PERCENT;
    if (times->late && much)
        xs_out_fact(out, "devices", "%s%s of %s; the order of causes can still change",
                    times->known_ns ? "device times are known up to " : "no device times are known yet",
                    times->known_ns ? XS_NS_TEXT(times->known_ns) : "", run);
    int64_t ago_ns = xs_time_ns(CLOCK_REALTIME) - summary->run.start_unix_ns;
    if (summary->trace->is_live && summary->run.start_unix_ns > 0 && ago_ns > 0 &&
        less((uint64_t)ago_ns, run_ns) > SILENT_NS)
        xs_out_fact(out, "events",
                    "the newest is of %s ago: the program makes no CUDA calls, or is in a long one; a call is recorded "
                    "when it ends",
                    XS_NS_TEXT(less((uint64_t)ago_ns, run_ns)));
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

/* Reads and shows the trace. Returns an exit status. Sets `runs` to true if the process still runs. */
static int look(const char *path, struct so_far *then, struct xs_out *out, bool *runs) {
    struct xs_reading reading;
    FILE *file = out->file;
    char *text = NULL;
    size_t bytes = 0;
    struct so_far now;
    struct xs_device_times times;
    char message[XS_TRACE_MESSAGE_BYTES];
    int status = xs_reading_open(path, &(struct xs_reading_request){.quietly = true}, &reading);
    if (status != XS_EXIT_OK)
        return status;
    if (xs_device_times_read(&reading.summary, then->known_ns, &times, message) < 0) {
        xs_complain("%s", message);
        xs_reading_close(&reading);
        return XS_EXIT_ERROR;
    }
    struct xs_report report = {.summary = &reading.summary,
                               .diagnosis = reading.diagnosis,
                               .contents = reading.contents,
                               .sections = XS_SECTION_BIT(FINDINGS)};
    out->file = open_memstream(&text, &bytes);
    if (!out->file)
        xs_out_of_memory();
    *runs = reading.trace.is_live;
    measure(&reading.summary, &times, &now);
    print_rates(&now, then, &times, reading.summary.device_count, out);
    print_missing(&reading.summary, &times, out);
    xs_report_text(&report, out);
    if (fclose(out->file) != 0)
        xs_out_of_memory();
    out->file = file;
    show(text, out);
    free(text);
    *then = now;
    xs_reading_close(&reading);
    return XS_EXIT_OK;
}

static double seconds(void) { return (double)xs_time_ns(CLOCK_MONOTONIC) / 1e9; }

/* Waits until the next display; longer if reading the trace takes long. */
static void wait_for_next(long interval_s, double look_s) {
    double wait = look_s * REST > (double)interval_s ? look_s * REST : (double)interval_s;
    struct timespec rest = {.tv_sec = (time_t)wait, .tv_nsec = (long)((wait - (double)(time_t)wait) * 1e9)};
    nanosleep(&rest, NULL);
}

int xs_command_top(int argc, char **argv) {
    struct arguments arguments = {.interval_s = 2};
    struct xs_out out;
    struct so_far then = {0};
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
        double began = seconds();
        status = look(path, &then, &out, &runs);
        if (arguments.once || !runs || status != XS_EXIT_OK)
            break;
        wait_for_next(arguments.interval_s, seconds() - began);
    }
    return xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : status;
}
