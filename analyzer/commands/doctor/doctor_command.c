/* xferspy doctor: checks whether capture will work on this machine, and says what to do if something is missing. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/doctor/doctor.h"
#include "analyzer/commands/run/run.h"
#include "schema/clock.h"

XS_DECLARE_COMMAND(doctor)

#define XS_DOCTOR_JSON_VERSION 1

struct arguments {
    struct xs_out_options output;
    bool json;
    int timeout_s;
};

enum { OPTION_JSON = 0x100, OPTION_FORMAT, OPTION_TIMEOUT };
static const char *const formats[] = {"text", "json", NULL};
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How:", 1},
    {"timeout", OPTION_TIMEOUT, "SECONDS", 0, "how long the driver may take to answer (default: 60)", 1},
    {"format", OPTION_FORMAT, "text|json", 0, "text is the default", 1},
    {"json", OPTION_JSON, NULL, 0, "the same as --format=json: format \"xferspy-doctor\"", 1},
    {0}};

static const char doc[] =
    "Says whether capture will work on this machine: driver, GPU, link, CUPTI, libxferspy.so; and what to do if "
    "something is missing. Run it where the program runs: in the same container, environment and directory."
    "\v"
    "Each line begins with ok, note, warn or FAIL. Exit status: 0 if capture works, at least in part; 1 if it does "
    "not.\n"
    "\n"
    "Examples:\n"
    "  xferspy doctor\n"
    "  xferspy doctor --json | jq '.checks[] | select(.level != \"ok\")'";

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->output;
        return 0;
    case OPTION_FORMAT:
        arguments->json = xs_parse_word("format", argument, formats, state) != 0;
        return 0;
    case OPTION_JSON:
        arguments->json = true;
        return 0;
    case OPTION_TIMEOUT:
        arguments->timeout_s = atoi(argument);
        if (arguments->timeout_s < 1 || arguments->timeout_s > 3600)
            argp_error(state, "--timeout=%s: use 1 to 3600 seconds", argument);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "`%s': doctor takes no arguments", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void add(struct xs_doctor_results *results, enum xs_doctor_level level, const char *what, const char *text,
                const char *remedy) {
    results->items = xs_realloc(results->items, (results->count + 1) * sizeof *results->items);
    results->items[results->count++] =
        (struct xs_doctor_result){level, xs_strdup(what), xs_strdup(text), xs_strdup(remedy)};
}

void xs_doctor_add(struct xs_doctor_results *results, enum xs_doctor_level level, const char *what, const char *remedy,
                   const char *format, ...) {
    XS_SCOPED_STRING text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    add(results, level, what, text.data, remedy ? remedy : "");
}

void xs_doctor_results_free(struct xs_doctor_results *results) {
    for (size_t i = 0; i < results->count; i++) {
        free(results->items[i].what);
        free(results->items[i].text);
        free(results->items[i].remedy);
    }
    free(results->items);
    *results = (struct xs_doctor_results){0};
}

/* Runs the probe and sends its results through the pipe. Each result is sent as its level, which is one digit, and
 * three strings with their NULs. */
static _Noreturn void probe_and_send(int pipe_fd, void (*probe)(struct xs_doctor_results *)) {
    struct xs_doctor_results results = {0};
    struct xs_string bytes = {0};
    int null = open("/dev/null", O_RDWR);
    if (null >= 0) { /* drivers print messages */
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    setenv("XFERSPY_ENABLE", "off", 1); /* if LD_PRELOAD is set for all programs, doctor must not write a trace */
    probe(&results);
    for (size_t i = 0; i < results.count; i++) {
        const struct xs_doctor_result *c = &results.items[i];
        xs_string_format(&bytes, "%d", (int)c->level);
        xs_string_add(&bytes, c->what, strlen(c->what) + 1);
        xs_string_add(&bytes, c->text, strlen(c->text) + 1);
        xs_string_add(&bytes, c->remedy, strlen(c->remedy) + 1);
    }
    for (size_t sent = 0; sent < bytes.length;) {
        ssize_t n = write(pipe_fd, bytes.data + sent, bytes.length - sent);
        if (n <= 0)
            break;
        sent += (size_t)n;
    }
    _exit(0); /* runs no destructors of loaded libraries */
}

static void receive(struct xs_doctor_results *results, const struct xs_string *bytes) {
    for (size_t at = 0; at < bytes->length;) {
        const char *fields[3];
        int level = bytes->data[at++] - '0';
        for (int i = 0; i < 3; i++) {
            if (at >= bytes->length)
                return;
            fields[i] = bytes->data + at;
            at += strlen(fields[i]) + 1;
        }
        if (level >= XS_DOCTOR_OK && level <= XS_DOCTOR_FAIL)
            add(results, (enum xs_doctor_level)level, fields[0], fields[1], fields[2]);
    }
}

/* Reads to the end of the pipe. False: the time limit was reached first. */
static bool read_all(int fd, int timeout_s, struct xs_string *bytes) {
    int64_t end_ns = xs_time_ns(CLOCK_MONOTONIC) + (int64_t)timeout_s * 1000000000;
    for (;;) {
        char buffer[4096];
        int64_t left_ms = (end_ns - xs_time_ns(CLOCK_MONOTONIC)) / 1000000;
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (left_ms <= 0)
            return false;
        if (poll(&wait, 1, (int)left_ms) <= 0)
            continue;
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n == 0)
            return true;
        if (n > 0)
            xs_string_add(bytes, buffer, (size_t)n);
        else if (errno != EINTR)
            return true;
    }
}

void xs_probe_in_child(struct xs_doctor_results *results, const char *what, int timeout_s,
                       void (*probe)(struct xs_doctor_results *)) {
    int fds[2], status = 0;
    XS_SCOPED_STRING bytes = {0};
    if (pipe2(fds, O_CLOEXEC) != 0) {
        xs_doctor_add(results, XS_DOCTOR_FAIL, what, NULL, "cannot make a pipe: %s", strerror(errno));
        return;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        probe_and_send(fds[1], probe);
    }
    close(fds[1]);
    bool answered = pid > 0 && read_all(fds[0], timeout_s, &bytes);
    close(fds[0]);
    if (pid > 0 && !answered)
        kill(pid, SIGKILL);
    /* a child that hangs in a call of the driver may survive even SIGKILL; doctor then does not wait for it */
    for (int i = 0; pid > 0 && waitpid(pid, &status, answered ? 0 : WNOHANG) == 0 && i < 100; i++)
        poll(NULL, 0, 10);
    receive(results, &bytes);
    if (pid < 0)
        xs_doctor_add(results, XS_DOCTOR_FAIL, what, NULL, XS_CANNOT_START, strerror(errno));
    else if (!answered)
        xs_doctor_add(results, XS_DOCTOR_FAIL, what, "look at dmesg and nvidia-smi; --timeout=SECONDS waits longer",
                      "no answer within %d s", timeout_s);
    else if (WIFSIGNALED(status))
        xs_doctor_add(results, XS_DOCTOR_FAIL, what, "look at dmesg and nvidia-smi", "crashed with signal %d (%s)",
                      WTERMSIG(status), strsignal(WTERMSIG(status)));
}

static const char *const level_names[] = {"ok", "note", "warn", "FAIL"};

enum { TEXT_COLUMN = 18 }; /* the column at which the text begins, after the level and the topic */

static void print_text(const struct xs_doctor_results *results, bool works, struct xs_out *out) {
    static const enum xs_style styles[] = {XS_STYLE_GOOD, XS_STYLE_DIM, XS_STYLE_WARN, XS_STYLE_BAD};
    bool warned = false;
    for (size_t i = 0; i < results->count; i++) {
        const struct xs_doctor_result *c = &results->items[i];
        XS_SCOPED char *what = xs_text_escaped(c->what);
        fprintf(out->file, "%s%-4s%s  %-10s  ", xs_style_on(out, styles[c->level]), level_names[c->level],
                xs_style_off(out, styles[c->level]), what);
        xs_out_rest(out, TEXT_COLUMN, TEXT_COLUMN, "%s", c->text);
        if (*c->remedy) {
            const char *arrow = out->utf8 ? "\xe2\x86\x92" : "->";
            fprintf(out->file, "%*s%s ", TEXT_COLUMN, "", arrow);
            int column = TEXT_COLUMN + xs_text_width(arrow) + 1;
            xs_out_rest(out, column, column, "%s", c->remedy);
        }
        warned |= c->level == XS_DOCTOR_WARN;
    }
    fprintf(out->file, "\n%s%s%s\n", xs_style_on(out, XS_STYLE_HEADING),
            !works   ? "Capture will not work here yet."
            : warned ? "Capture works here, with less than everything."
                     : "Capture works here.",
            xs_style_off(out, XS_STYLE_HEADING));
}

static void print_json(const struct xs_doctor_results *results, bool works, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    xs_json_document(&json, "xferspy-doctor", XS_DOCTOR_JSON_VERSION);
    xs_json_bool(&json, "capture_works", works);
    xs_json_array(&json, "checks");
    for (size_t i = 0; i < results->count; i++) {
        const struct xs_doctor_result *c = &results->items[i];
        xs_json_object(&json, NULL);
        xs_json_text(&json, "level", c->level == XS_DOCTOR_FAIL ? "fail" : level_names[c->level]);
        xs_json_text(&json, "what", c->what);
        xs_json_text(&json, "text", c->text);
        xs_json_text(&json, "remedy", *c->remedy ? c->remedy : NULL);
        xs_json_end(&json, '}');
    }
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, {0}};
const struct xs_interface xs_interface_doctor = {
    .argp = {.options = options, .parser = parse, .doc = doc, .children = children}};

int xs_command_doctor(int argc, char **argv) {
    struct arguments arguments = {.timeout_s = 60};
    struct xs_doctor_results results = {0};
    struct xs_out out;
    bool works = true;
    if (argp_parse(&xs_interface_doctor.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (xs_out_open(&out, &arguments.output) < 0)
        return XS_EXIT_ERROR;
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, the status of a probe would be lost */
    xs_doctor_library(&results, arguments.timeout_s);
    xs_probe_in_child(&results, "driver", arguments.timeout_s, xs_probe_driver);
    xs_doctor_device_files(&results);
    xs_probe_in_child(&results, "CUPTI", arguments.timeout_s, xs_probe_cupti);
    xs_doctor_environment(&results);
    xs_doctor_checkpoints(&results);
    xs_doctor_shims(&results, "");
    xs_doctor_counters(&results, "", geteuid() == 0);
    xs_doctor_direct_access(&results, "");
    xs_doctor_contents(&results);
    xs_doctor_output(&results);
    for (size_t i = 0; i < results.count; i++)
        works &= results.items[i].level != XS_DOCTOR_FAIL;
    if (arguments.json)
        print_json(&results, works, &out);
    else
        print_text(&results, works, &out);
    xs_doctor_results_free(&results);
    return xs_out_close(&out, true) < 0 || !works ? XS_EXIT_ERROR : XS_EXIT_OK;
}
