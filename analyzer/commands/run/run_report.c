/* xferspy run: runs the program as a child, then prints the report of the traces that it left, or why it left none. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/run/run.h"
#include "schema/clock.h"
#include "schema/safe_open/side_files.h"

enum { SHELLS_SIGNALS = 128 }; /* a shell whose program was killed ends with this plus the signal's number */

/* Makes the template absolute, because the program may change its directory before CUDA starts, and its traces must be
 * found nevertheless. Without a template the traces get their default names in this directory, unless it is not
 * writable: the program may go to one that is. */
static void make_template_absolute(void) {
    const char *given = getenv("XFERSPY_OUTPUT"), *template = given ? given : "";
    XS_SCOPED char *cwd = getcwd(NULL, 0);
    XS_SCOPED_STRING absolute = {0};
    if (!cwd || *template == '/' || (!*template && access(cwd, W_OK | X_OK) != 0))
        return;
    for (const char *c = cwd; *c; c++)
        xs_string_format(&absolute, *c == '%' ? "%%%%" : "%c", *c);
    xs_string_format(&absolute, "/%s", template);
    setenv("XFERSPY_OUTPUT", absolute.data, 1);
}

/* True if the capture of the trace began after `since`. Other traces were copied by the program. */
static bool is_of_this_run(const char *path, int64_t since) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    if (xs_trace_open(path, &trace, message) < 0)
        return false;
    bool mine = xs_trace_meta_int(&trace, "start_unix_ns", 0) >= since;
    xs_trace_close(&trace);
    return mine;
}

static bool is_silent(void) {
    return xs_option_is_on(getenv("XFERSPY_QUIET")) || xs_option_is_off(getenv("XFERSPY_ENABLE"));
}

bool xs_run_is_unclosed(const char *path) {
    struct xs_side_files side;
    char file[XS_PATH_BYTES];
    xs_resolve(path, file);
    xs_side_files_look(file, &side);
    return side.unfinished;
}

/* Prints the names of the traces that were not closed by their processes. */
static void name_unclosed(const struct xs_run_files *files, int status) {
    const char *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < files->count; i++) {
        bool is_unclosed = xs_run_is_unclosed(files->paths[i]);
        more += first && is_unclosed;
        first = !first && is_unclosed ? files->paths[i] : first;
    }
    if (!first)
        return;
    XS_SCOPED char *word = xs_text_shell_word(first);
    XS_SCOPED_STRING end = {0};
    if (WIFSIGNALED(status))
        xs_string_format(&end, "SIG%s ended the program", sigabbrev_np(WTERMSIG(status)));
    else
        xs_string_format(&end, "a process was killed");
    if (more)
        xs_string_format(&end, "; %s and %zu more", first, more);
    else
        xs_string_format(&end, "; %s", first);
    xs_complain("%s %s what was recorded until then: `xferspy report %s' shows it", end.data, more ? "have" : "has",
                word);
}

/* Looks for traces, and, if there are none, prints why. It does not open traces, because that would recover traces of
 * killed processes. */
static void look_for_traces(const char *program, const struct xs_run_files *files, int status) {
    if (is_silent())
        return;
    if (!files->count)
        xs_say_no_trace(program);
    else if (WIFSIGNALED(status) || WEXITSTATUS(status) > SHELLS_SIGNALS)
        name_unclosed(files, status);
}

static int report(const char *program, bool warned, const struct xs_run_files *files, int64_t since,
                  const struct xs_out_options *options) {
    XS_SCOPED char **mine = xs_realloc(NULL, files->count * sizeof *mine);
    struct xs_out out;
    int count = 0, status = XS_EXIT_OK;
    for (size_t i = 0; i < files->count; i++)
        if (is_of_this_run(files->paths[i], since))
            mine[count++] = files->paths[i];
    if (!count && xs_option_is_off(getenv("XFERSPY_ENABLE"))) {
        xs_complain("no trace: capture was switched off");
    } else if (!count) {
        if (!warned)
            xs_say_no_trace(program);
    } else if (!options->path) {
        xs_out_stderr(&out, options);
        putc('\n', stderr);
        status = xs_report_traces(mine, count, &out);
    } else if (xs_out_open(&out, options) >= 0) {
        status = xs_report_traces(mine, count, &out);
        xs_out_close(&out, true);
    }
    return status;
}

/* Ends as the child ended. If that was by a signal, ends by the same signal, without a second core file. */
static int end_like(int status) {
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(number, SIG_DFL);
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, number);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        fflush(NULL);
        raise(number);
        return 128 + number;
    }
    return WEXITSTATUS(status);
}

/* The child process, to which signals are passed on. A terminal's ^C and ^\ come from the kernel and reach the child
 * directly; a signal that was sent to this process alone is passed on. */
static volatile pid_t child;
static void pass_on(int number, siginfo_t *info, void *context) {
    (void)context;
    if (child > 0 && info->si_code != SI_KERNEL && info->si_pid != child)
        kill(child, number);
}

static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

static pid_t start_child(char **argv) {
    struct sigaction before[PASSED_ON], pass = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    void (*ended)(int) = signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, the status of the child would be lost */
    sigset_t all, mask;
    pid_t self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* so that no signal is lost between fork and the child's number */
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &pass, &before[i]);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a user who kills this process by its number wants to kill the program */
        if (getppid() != self)
            raise(SIGKILL);
        for (int i = 0; i < PASSED_ON; i++)
            sigaction(passed_on[i], &before[i], NULL);
        signal(SIGCHLD, ended);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        _exit(xs_exec_program(argv));
    }
    child = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

int xs_run_program(char **argv, const struct xs_out_options *options, bool warned) {
    int64_t since = xs_time_ns(CLOCK_REALTIME);
    int status = 0;
    make_template_absolute();
    struct xs_run_files before = xs_run_files();
    pid_t pid = start_child(argv);
    if (pid < 0) {
        xs_complain(XS_CANNOT_START, strerror(errno));
        xs_run_files_free(&before);
        return XS_EXIT_ERROR;
    }
    xs_watch_steps(pid, &before);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    unsetenv("LD_PRELOAD");
    struct xs_run_files files = xs_run_files_since(&before);
    bool started = !WIFEXITED(status) ||
                   (WEXITSTATUS(status) != XS_EXIT_NOT_FOUND && WEXITSTATUS(status) != XS_EXIT_NOT_EXECUTABLE);
    if (started)
        xs_run_keep_lines(&files, since, is_silent());
    if (started)
        xs_run_add_to_fleet(&files, since);
    if (started && options)
        report(argv[0], warned, &files, since, options);
    else if (started && !warned)
        look_for_traces(argv[0], &files, status);
    if (started && status != 0 && !is_silent())
        xs_offer_without_cupti(argv, &files);
    xs_run_files_free(&before);
    xs_run_files_free(&files);
    return end_like(status);
}
