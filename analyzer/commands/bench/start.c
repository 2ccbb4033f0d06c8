/* Starts programs and waits for them; see start.h. There are no signal handlers: this code waits for signals, so
 * they can only interrupt the waiting. */
#include "analyzer/commands/bench/start.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/run/run.h"
#include "schema/clock.h"

#define LIBRARY "libxferspy.so"
enum { PATIENCE_S = 2 /* time that a program gets to end after SIGTERM */ };
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

/* --- signals --- */

void xs_watch_begin(struct xs_watch *watch) {
    struct sigaction action;
    sigemptyset(&watch->signals);
    sigaddset(&watch->signals, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) /* ignored signals stay ignored,
                                                                                         as under nohup */
            sigaddset(&watch->signals, ending[i]);
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, the status of a child would be lost */
    sigprocmask(SIG_BLOCK, &watch->signals, &watch->before);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* makes this process the parent of processes that a run left running, so that it
                                         can wait for them */
}

void xs_watch_end(const struct xs_watch *watch) {
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    sigprocmask(SIG_SETMASK, &watch->before, NULL);
}

/* Waits for a signal and returns it; 0: none came within `ns` nanoseconds. Negative `ns`: waits without a limit. */
static int next_signal(const struct xs_watch *watch, int64_t ns) {
    struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    int number = ns < 0 ? sigwaitinfo(&watch->signals, NULL) : sigtimedwait(&watch->signals, NULL, &time);
    return number > 0 ? number : 0;
}

int xs_watch_poll(const struct xs_watch *watch) {
    int number;
    while ((number = next_signal(watch, 0)) == SIGCHLD)
        continue;
    return number;
}

/* --- the environment --- */

static bool is_ours(const char *path, size_t bytes) {
    const char *name = memrchr(path, '/', bytes);
    size_t skip = name ? (size_t)(name + 1 - path) : 0;
    return bytes - skip >= strlen(LIBRARY) && !memcmp(path + skip, LIBRARY, strlen(LIBRARY));
}

/* Returns the setting "LD_PRELOAD=..." without libxferspy.so, as a new string; NULL: no library is left. */
static char *without_library(const char *setting) {
    struct xs_string kept = {0};
    const char *value = strchr(setting, '=') + 1;
    for (size_t bytes; *value; value += bytes + (value[bytes] != '\0')) {
        bytes = strcspn(value, " :");
        if (bytes && !is_ours(value, bytes))
            xs_string_format(&kept, "%s%.*s", kept.length ? ":" : "LD_PRELOAD=", (int)bytes, value);
    }
    return kept.data;
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool is_set_again(const char *setting, char *const *settings) {
    size_t name = strcspn(setting, "=") + 1;
    for (; settings && *settings; settings++)
        if (!strncmp(*settings, setting, name))
            return true;
    return false;
}

char **xs_environment_bare(char *const *environment, char *const *settings) {
    size_t count = 0, n = 0;
    while (environment[count])
        count++;
    for (size_t i = 0; settings && settings[i]; i++)
        count++;
    char **bare = xs_realloc(NULL, (count + 1) * sizeof *bare);
    for (; *environment; environment++) {
        const char *nvtx = "NVTX_INJECTION64_PATH=";
        bool capture = begins(*environment, "XFERSPY_") && !begins(*environment, "XFERSPY_SIM_");
        if (capture || is_set_again(*environment, settings) ||
            (begins(*environment, nvtx) && is_ours(*environment + strlen(nvtx), strlen(*environment + strlen(nvtx)))))
            continue;
        bare[n] = begins(*environment, "LD_PRELOAD=") ? without_library(*environment) : xs_strdup(*environment);
        n += bare[n] != NULL;
    }
    for (; settings && *settings; settings++)
        bare[n++] = xs_strdup(*settings);
    bare[n] = NULL;
    return bare;
}

void xs_environment_free(char **environment) {
    for (char **setting = environment; setting && *setting; setting++)
        free(*setting);
    free(environment);
}

/* --- a run --- */

static int spawn(char *const *argv, char **environment, FILE *output, FILE *errors, const struct xs_watch *watch,
                 pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &watch->before);
    posix_spawnattr_setpgroup(&attributes, 0); /* so that processes that it starts can be ended together with it */
    int error = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static bool has_ended(pid_t pid, int *status) {
    pid_t ended;
    while ((ended = waitpid(pid, status, WNOHANG)) < 0 && errno == EINTR)
        continue;
    return ended == pid || ended < 0;
}

/* Tells the program and all processes that it started to end by a signal, then kills those that still run. */
static void end_program(pid_t pid, int number, const struct xs_watch *watch) {
    int64_t until = xs_time_ns(CLOCK_MONOTONIC) + (int64_t)PATIENCE_S * 1000000000;
    int status;
    kill(-pid, number);
    while (!has_ended(pid, &status)) {
        int64_t left = until - xs_time_ns(CLOCK_MONOTONIC);
        if (left <= 0) {
            kill(-pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                continue;
            break;
        }
        next_signal(watch, left);
    }
    kill(-pid, SIGKILL); /* processes that it started and that still run */
}

/* Reaps all ended processes of a group. True: no process of the group is left. */
static bool is_group_gone(pid_t group) {
    pid_t ended;
    int status;
    while ((ended = waitpid(-group, &status, WNOHANG)) > 0 || (ended < 0 && errno == EINTR))
        continue;
    return ended < 0;
}

/* Sends a signal to a process group, and waits until the group has ended, at most for PATIENCE_S. Returns a signal of
 * `watch` that came during this time; 0: none. */
static int end_group(pid_t group, int with, const struct xs_watch *watch) {
    int64_t until = xs_time_ns(CLOCK_MONOTONIC) + (int64_t)PATIENCE_S * 1000000000, left;
    int number = 0;
    kill(-group, with);
    kill(-group, SIGCONT); /* a stopped process gets the signal when it continues */
    while (!is_group_gone(group) && !number && (left = until - xs_time_ns(CLOCK_MONOTONIC)) > 0) {
        number = next_signal(watch, left);
        number = number == SIGCHLD ? 0 : number;
    }
    return number;
}

/* Ends the processes that a program left running, so that they do not slow down the next run. Processes that ignore
 * SIGTERM to clean up after the program, as Python's resource tracker does, get time for that. */
static int end_rest(pid_t pid, const struct xs_watch *watch) {
    if (is_group_gone(pid) && kill(-pid, 0) != 0)
        return 0;
    int asked = end_group(pid, SIGTERM, watch), made = end_group(pid, SIGKILL, watch);
    return asked ? asked : made;
}

enum xs_ran xs_run_once(char *const *argv, char **environment, FILE *output, FILE *errors, const struct xs_watch *watch,
                        int64_t deadline_ns, uint64_t *wall_ns, int *status) {
    pid_t pid;
    int64_t begin = xs_time_ns(CLOCK_MONOTONIC);
    int error = spawn(argv, environment, output, errors, watch, &pid);
    if (error) {
        xs_complain_cannot_start(argv[0], error);
        return XS_RAN_NOT;
    }
    while (!has_ended(pid, status)) {
        int64_t left = deadline_ns ? deadline_ns - xs_time_ns(CLOCK_MONOTONIC) : -1;
        int number = deadline_ns && left <= 0 ? SIGTERM : next_signal(watch, left);
        if (!number || number == SIGCHLD)
            continue;
        end_program(pid, number, watch);
        return deadline_ns && left <= 0 ? XS_RAN_TOO_LONG : XS_RAN_INTERRUPTED;
    }
    *wall_ns = (uint64_t)(xs_time_ns(CLOCK_MONOTONIC) - begin);
    return end_rest(pid, watch) ? XS_RAN_INTERRUPTED : XS_RAN_TO_END;
}
