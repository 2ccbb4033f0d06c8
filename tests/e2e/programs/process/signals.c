/* A program with timers of its own: SIGALRM and SIGPROF storms with handlers that only count, and a signal mask and
 * dispositions that must be as it left them.
 *
 * link: cuda
 * stdout: alarms yes, profiles yes, handlers kept, mask kept
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2000|8192000|0
 * h2d|2000|8192000|0
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "../check.h"

static volatile sig_atomic_t alarms, profiles;

static void on_alarm(int number) {
    (void)number;
    alarms++;
}

static void on_profile(int number) {
    (void)number;
    profiles++;
}

int main(void) {
    struct sigaction alarm_action = {.sa_handler = on_alarm}, profile_action = {.sa_handler = on_profile}, now;
    struct itimerval fast = {.it_interval = {0, 500}, .it_value = {0, 500}}, off = {{0, 0}, {0, 0}};
    unsigned char host[4096], back[4096];
    sigset_t blocked, after;
    CUdeviceptr device;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    REQUIRE(sigaction(SIGALRM, &alarm_action, NULL) == 0 && sigaction(SIGPROF, &profile_action, NULL) == 0);
    REQUIRE(sigprocmask(SIG_BLOCK, &blocked, NULL) == 0);
    REQUIRE(setitimer(ITIMER_REAL, &fast, NULL) == 0 && setitimer(ITIMER_PROF, &fast, NULL) == 0);

    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    for (unsigned i = 0; i < 2000 || alarms < 5 || profiles < 5; i++) {
        e2e_fill(host, sizeof host, i);
        if (i < 2000) {
            OK(cuMemcpyHtoD(device, host, sizeof host));
            OK(cuMemcpyDtoH(back, device, sizeof back));
            e2e_expect(back, sizeof back, i);
        }
    }
    REQUIRE(setitimer(ITIMER_REAL, &off, NULL) == 0 && setitimer(ITIMER_PROF, &off, NULL) == 0);
    OK(cuMemFree(device));

    REQUIRE(sigaction(SIGALRM, NULL, &now) == 0);
    int kept = now.sa_handler == on_alarm && (now.sa_flags & (SA_RESTART | SA_SIGINFO)) == 0;
    REQUIRE(sigaction(SIGPROF, NULL, &now) == 0);
    kept = kept && now.sa_handler == on_profile;
    REQUIRE(sigaction(SIGSEGV, NULL, &now) == 0);
    kept = kept && now.sa_handler == SIG_DFL;
    REQUIRE(sigprocmask(SIG_BLOCK, NULL, &after) == 0);
    printf("alarms %s, profiles %s, handlers %s, mask %s\n", alarms >= 5 ? "yes" : "no", profiles >= 5 ? "yes" : "no",
           kept ? "kept" : "changed",
           sigismember(&after, SIGUSR2) && !sigismember(&after, SIGUSR1) ? "kept" : "changed");
    puts("data ok");
    return 0;
}
