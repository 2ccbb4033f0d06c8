/* xferspy run: adds the traces that the program left to fleet files. The preloaded library does not do it, because it
 * must not analyse a trace in the program's process. A child process does it, so that nothing in it can change how this
 * process ends. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/base/out.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/fleet_files/fleet_files.h"
#include "analyzer/commands/run/run.h"

/* Adds a trace if it is closed and of this run, like the lines in run_lines.c. */
static void add_trace(const char *folder, const char *path, int64_t since_ns) {
    const struct xs_reading_request request = {.analysis = &xs_fleet_analysis, .quietly = true};
    struct xs_trace trace;
    struct xs_reading reading;
    char message[XS_TRACE_MESSAGE_BYTES];
    if (xs_run_is_unclosed(path) || xs_trace_open(path, &trace, message) < 0)
        return;
    bool is_wanted = !trace.is_live && xs_trace_meta_int(&trace, "start_unix_ns", 0) >= since_ns;
    xs_trace_close(&trace);
    if (!is_wanted || xs_reading_open(path, &request, &reading) != XS_EXIT_OK)
        return;
    xs_fleet_write_run(folder, &reading);
    xs_reading_close(&reading);
}

void xs_run_add_to_fleet(const struct xs_run_files *files, int64_t since_ns) {
    const char *folder = getenv(XS_FLEET_DIR);
    pid_t self = getpid();
    int status = 0;
    if (!folder || !*folder || !files->count)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        for (size_t i = 0; i < files->count && getppid() == self; i++)
            add_trace(folder, files->paths[i], since_ns);
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid < 0 || WIFSIGNALED(status))
        xs_complain("%s: the run was not added: %s", folder,
                    pid < 0 ? strerror(errno) : "the process that does it was ended");
}
