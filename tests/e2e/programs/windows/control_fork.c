/* A child of a process that can be controlled is forked, and ends by exit: the socket of its parent stays, and answers
 * for the parent. A child that was forked before the first CUDA call has a socket of its own.
 *
 * link: cuda
 * only: no-repairs cupti
 * env: XFERSPY_START=off XFERSPY_CONTROL=$dir
 * traces: 2
 * stdout: data ok
 *
 * $ for t in $traces; do q $t "SELECT grid_x, count(*) FROM launch GROUP BY grid_x"; done | sort
 * 1|10
 * 3|10
 *
 * $ ls $dir | grep -c "[.]control"
 * 0
 */
#include <sys/wait.h>

#include "control.h"

static void await(pid_t child) {
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void work_when_started(unsigned grid) {
    asked_begin();
    control_ask("start", "ok\t");
    asked_await(true);
    asked_work(grid);
    control_ask("stop", "ok\t");
}

int main(void) {
    pid_t early = fork();
    if (early == 0) {
        work_when_started(1);
        exit(0);
    }
    await(early);
    asked_begin();
    control_ask("status", "ok\t");
    pid_t late = fork();
    if (late == 0)
        exit(0);
    await(late);
    char pid[32];
    snprintf(pid, sizeof pid, "ok\tpid=%ld\t", (long)getpid());
    control_ask("start", pid);
    asked_await(true);
    asked_work(3);
    control_ask("stop", pid);
    return asked_end();
}
