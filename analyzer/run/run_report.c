/* xferspy run: the program as a child, then the report of the traces that it left, or why it left none. */
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/command/command.h"
#include "analyzer/run/run.h"

/* The template with every % part as *, absolute, for finding what it became. Other characters that glob would take
 * for its own are quoted. */
static char *template_pattern(void) {
    const char *template = getenv("XFERSPY_OUTPUT");
    struct xs_string pattern = {0};
    if (!template || !*template)
        template = "xferspy-%*.db"; /* with rank and host too where a launcher set them */
    if (*template != '/') {
        char *cwd = getcwd(NULL, 0);
        for (const char *c = cwd ? cwd : "."; *c; c++)
            xs_string_format(&pattern, strchr("*?[\\", *c) ? "\\%c" : "%c", *c);
        xs_string_add(&pattern, "/", 1);
        free(cwd);
    }
    for (const char *c = template; *c; c++) {
        if (*c != '%') {
            xs_string_format(&pattern, strchr("*?[\\", *c) ? "\\%c" : "%c", *c);
        } else if (c[1] == '%') {
            xs_string_add(&pattern, "%", 1);
            c++;
        } else {
            const char *brace = c[1] == 'q' && c[2] == '{' ? strchr(c, '}') : NULL;
            xs_string_add(&pattern, "*", 1);
            c = brace ? brace : c[1] ? c + 1 : c;
        }
    }
    return pattern.data;
}

/* The program may change its directory before CUDA starts; its traces shall be found all the same. */
static void make_template_absolute(void) {
    const char *template = getenv("XFERSPY_OUTPUT");
    char *cwd = getcwd(NULL, 0);
    struct xs_string absolute = {0};
    if (cwd && template && *template && *template != '/') {
        for (const char *c = cwd; *c; c++)
            xs_string_format(&absolute, *c == '%' ? "%%%%" : "%c", *c);
        xs_string_format(&absolute, "/%s", template);
        setenv("XFERSPY_OUTPUT", absolute.data, 1);
        xs_string_free(&absolute);
    }
    free(cwd);
}

static int64_t now_unix_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whether a file was written since then. */
static bool is_new(const char *path, int64_t since) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (int64_t)st.st_mtim.tv_sec >= since / 1000000000 - 1;
}

/* True for a trace whose capture began after `since`: others may lie in the same directory. */
static bool is_of_this_run(const char *path, int64_t since) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    if (!is_new(path, since))
        return false;
    if (xs_trace_open(path, &trace, message) < 0)
        return false;
    bool mine = xs_trace_meta_int(&trace, "start_unix_ns", 0) >= since;
    xs_trace_close(&trace);
    return mine;
}

/* Where there is none, why. Traces are not opened: that would take over what a process that was killed left. */
static void look_for_traces(const char *program, int64_t since) {
    char *pattern = template_pattern();
    glob_t found = {0};
    bool any = false;
    if (xs_means_on(getenv("XFERSPY_QUIET")) || xs_means_off(getenv("XFERSPY_ENABLE"))) {
        free(pattern);
        return;
    }
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            any |= is_new(found.gl_pathv[i], since);
    if (!any)
        xs_say_no_trace(program);
    globfree(&found);
    free(pattern);
}

static int report(const char *program, bool warned, int64_t since, const struct xs_out_options *options) {
    char *pattern = template_pattern();
    glob_t found = {0};
    struct xs_out out;
    int count = 0, status = XS_EXIT_OK;
    if (glob(pattern, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        if (is_of_this_run(found.gl_pathv[i], since)) {
            char *path = found.gl_pathv[i];
            found.gl_pathv[i] = found.gl_pathv[count];
            found.gl_pathv[count++] = path;
        }
    }
    if (!count && xs_means_off(getenv("XFERSPY_ENABLE"))) {
        xs_complain("no trace: capture was switched off");
    } else if (!count) {
        if (!warned)
            xs_say_no_trace(program);
    } else if (!options->path) {
        xs_out_stderr(&out, options);
        putc('\n', stderr);
        status = xs_report_traces(found.gl_pathv, count, false, false, &out);
    } else if (xs_out_open(&out, options) >= 0) {
        status = xs_report_traces(found.gl_pathv, count, false, false, &out);
        xs_out_close(&out, true);
    }
    globfree(&found);
    free(pattern);
    return status;
}

/* Ends as the child ended; of a signal by the same signal, without a second core file. */
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

/* A terminal's ^C and ^\ reach the child by themselves, and come from the kernel; what is sent to us alone is passed
 * on. */
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
    sigset_t all, mask;
    pid_t self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* nothing is lost between fork and the child's number */
    for (int i = 0; i < PASSED_ON; i++)
        sigaction(passed_on[i], &pass, &before[i]);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* who kills what he started, by its number, means the program */
        if (getppid() != self)
            raise(SIGKILL);
        for (int i = 0; i < PASSED_ON; i++)
            sigaction(passed_on[i], &before[i], NULL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        _exit(xs_exec_program(argv));
    }
    child = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

int xs_run_program(char **argv, const struct xs_out_options *options, bool warned) {
    int64_t since = now_unix_ns();
    int status = 0;
    make_template_absolute();
    pid_t pid = start_child(argv);
    if (pid < 0) {
        xs_complain(XS_CANNOT_START, strerror(errno));
        return XS_EXIT_ERROR;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child = 0;
    unsetenv("LD_PRELOAD");
    bool started = !WIFEXITED(status) ||
                   (WEXITSTATUS(status) != XS_EXIT_NOT_FOUND && WEXITSTATUS(status) != XS_EXIT_NOT_EXECUTABLE);
    if (started && options)
        report(argv[0], warned, since, options);
    else if (started && !warned)
        look_for_traces(argv[0], since);
    return end_like(status);
}
