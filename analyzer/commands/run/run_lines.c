/* xferspy run: stores the source lines of calls in the traces that the program left. This is done immediately, because
 * the next build may replace the binaries. A child process does it, because debug information can be very large, and
 * reading it can only be stopped by ending the process that reads. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/run/run.h"
#include "analyzer/trace/lines/lines.h"
#include "schema/clock.h"

enum { LIMIT_MS = 5000, SHOWN_AFTER_MS = 500, PATIENCE_MS = 1000 };

#define SHOWN "xferspy: looking up the lines that calls came from "

/* Stores the lines in a trace if it is of this run. The program may have copied traces of other runs here, and these
 * may come from a stranger. */
static void keep_lines(const char *path, int64_t since_ns) {
    struct xs_trace trace;
    struct xs_lines lines;
    char message[XS_TRACE_MESSAGE_BYTES], why[XS_LINES_WHY_BYTES];
    if (xs_run_is_unclosed(path) || xs_trace_open(path, &trace, message) < 0)
        return;
    if (!trace.is_live && xs_trace_meta_int(&trace, "start_unix_ns", 0) >= since_ns &&
        xs_lines_find(&trace, XS_LINES_RECORDED, false, &lines, message) >= 0) {
        if (lines.found || lines.text_count)
            xs_lines_write(&trace, &lines, PATIENCE_MS, why);
        xs_lines_free(&lines);
    }
    xs_trace_close(&trace);
}

static void keep_all(const struct xs_run_files *files, int64_t since_ns, pid_t parent) {
    static const int ending[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        return;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        signal(ending[i], SIG_DFL);
        sigaddset(&set, ending[i]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* the caller may have blocked them, and the limit of time needs them */
    for (size_t i = 0; i < files->count; i++)
        keep_lines(files->paths[i], since_ns);
}

/* Returns true if the other end was closed by then. */
static bool is_closed_by(int fd, int64_t until_ms) {
    for (;;) {
        int64_t left_ms = until_ms - (int64_t)(xs_monotonic_ns() / 1000000);
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        int ready = left_ms > 0 ? poll(&poll_fd, 1, (int)left_ms) : 0;
        if (ready != -1 || errno != EINTR)
            return ready == 1;
    }
}

static bool wait_for(int fd, bool is_silent) {
    int64_t start_ms = (int64_t)(xs_monotonic_ns() / 1000000);
    if (is_closed_by(fd, start_ms + SHOWN_AFTER_MS))
        return true;
    bool shown = !is_silent && isatty(STDERR_FILENO);
    if (shown)
        fputs(SHOWN, stderr);
    bool ended = is_closed_by(fd, start_ms + LIMIT_MS);
    if (shown)
        fprintf(stderr, "\r%*s\r", (int)sizeof SHOWN, "");
    return ended;
}

void xs_run_keep_lines(const struct xs_run_files *files, int64_t since_ns, bool is_silent) {
    int ends[2];
    pid_t self = getpid();
    if (!files->count || pipe2(ends, O_CLOEXEC) != 0)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        keep_all(files, since_ns, self);
        _exit(0);
    }
    close(ends[1]);
    bool ended = pid < 0 || wait_for(ends[0], is_silent);
    close(ends[0]);
    if (!ended)
        kill(pid, SIGTERM);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (!ended && !is_silent)
        xs_complain("finding the program's lines took more than five seconds and was ended; before the next build, "
                    "type `xferspy symbolize' and the trace's name");
}
