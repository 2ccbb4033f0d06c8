/* xferspy run --skip-steps: warns if a long run has no steps. While the trace is written, it contains what the library
 * knows about steps. This process reads it and prints the warning, because a warning of the library would be in the
 * output of the program. */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/run/run.h"
#include "schema/clock.h"

enum {
    LOOK_MS = 1000,
    PATIENCE_S = 5,   /* time after which a program without steps gets a warning if it makes many calls */
    BUSY_CALLS = 500, /* number of copies, launches and waits that is many: several steps would have so many */
    LONGEST_S = 60,   /* time for any program: one may load data for a long time, or have steps of seconds */
};

static bool asks_for_steps(void) {
    const char *skip = getenv("XFERSPY_SKIP_STEPS"), *steps = getenv("XFERSPY_STEPS");
    return (skip && atol(skip) > 0) || (steps && atol(steps) > 0);
}

/* Returns a descriptor that becomes readable when the process ends. -1: the kernel is too old, or there is no such
 * process. */
static int descriptor_of(pid_t process) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, process, 0);
#else
    (void)process;
    return -1;
#endif
}

static void say_not_found(const struct xs_trace *trace, int64_t seconds) {
    char wait[128];
    const char *name = getenv("XFERSPY_STEP");
    XS_SCOPED_STRING text = {0};
    int64_t most = xs_trace_meta_int(trace, "range.most_waits", 0);
    if (name && *name) {
        xs_string_format(&text, "no NVTX range \"%s\" came yet", name);
    } else {
        xs_string_format(&text, "of %" PRId64 " waits none comes regularly",
                         xs_trace_meta_int(trace, "range.waits", 0));
        if (most > 1)
            xs_string_format(&text, " (the most frequent is %s, which returned %" PRId64 " times to one place)",
                             xs_trace_meta_text(trace, "range.most_wait", wait, sizeof wait, "unknown"), most);
    }
    xs_complain("no step was found in the first %" PRId64 " s, so only allocations are recorded: %s. "
                "If you want more, end the program and start it again with --step and a range's name, or without "
                "the options of steps",
                seconds, text.data);
}

/* Reads the trace. Returns true if a warning was printed, or if none is needed any longer. */
static bool look_at(const char *path) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES], by[16];
    if (xs_trace_open(path, &trace, message) < 0)
        return false; /* the trace is being made */
    int64_t start_ns = xs_trace_meta_int(&trace, "start_unix_ns", 0), now_ns = xs_time_ns(CLOCK_REALTIME);
    int64_t seconds = now_ns / 1000000000 - start_ns / 1000000000;
    int64_t calls = xs_trace_meta_int(&trace, "range.left_out_transfers", 0) +
                    xs_trace_meta_int(&trace, "range.left_out_launches", 0) +
                    xs_trace_meta_int(&trace, "range.waits", 0);
    bool by_range = !strcmp(xs_trace_meta_text(&trace, "range.steps_by", by, sizeof by, ""), "range");
    bool is_open = by_range ? !xs_trace_meta_int(&trace, "range.steps_passed", 0) : !strcmp(by, "none");
    bool is_time = seconds >= LONGEST_S || (seconds >= PATIENCE_S && calls >= BUSY_CALLS);
    if (*by && is_open && is_time && trace.is_live)
        say_not_found(&trace, seconds);
    bool is_done = (*by && !is_open) || is_time;
    xs_trace_close(&trace);
    return is_done;
}

static bool look(const struct xs_run_files *before) {
    struct xs_run_files files = xs_run_files_since(before);
    bool is_done = false;
    for (size_t i = 0; i < files.count && !is_done; i++)
        is_done = look_at(files.paths[i]);
    xs_run_files_free(&files);
    return is_done;
}

void xs_watch_steps(pid_t program, const struct xs_run_files *before) {
    const char *quiet = getenv("XFERSPY_QUIET"), *enable = getenv("XFERSPY_ENABLE");
    if (!asks_for_steps() || xs_option_is_on(quiet) || xs_option_is_off(enable))
        return;
    struct pollfd end = {.fd = descriptor_of(program), .events = POLLIN};
    for (bool is_done = end.fd < 0; !is_done;) {
        int ended = poll(&end, 1, LOOK_MS);
        is_done = ended > 0 || (ended == 0 && look(before));
    }
    if (end.fd >= 0)
        close(end.fd);
}
