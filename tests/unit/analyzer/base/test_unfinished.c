/* Tests what happens to incomplete files when a signal ends the program. */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "analyzer/base/unfinished.h"

static void make(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
}

/* Returns how a child ends that has one unfinished file, has finished another one, and gets the signal. */
static int end_of_child(const char *half, const char *whole, int signal, bool ignores) {
    int status = 0;
    make(half);
    make(whole);
    pid_t pid = fork();
    if (pid == 0) {
        sigaction(signal, &(struct sigaction){.sa_handler = ignores ? SIG_IGN : SIG_DFL}, NULL);
        xs_unfinished(whole);
        xs_unfinished(half);
        xs_finished(whole);
        raise(signal);
        _exit(7);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void a_signal_takes_what_is_not_whole(void **state) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char folder[] = "/tmp/xferspy-unfinished-XXXXXX", half[64], whole[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(half, sizeof half, "%s/half", folder);
    snprintf(whole, sizeof whole, "%s/whole", folder);
    for (size_t i = 0; i < 3; i++) {
        int status = end_of_child(half, whole, signals[i], false);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_int_not_equal(access(half, F_OK), 0);
        assert_int_equal(access(whole, F_OK), 0);
    }
    /* nohup: it goes on */
    int status = end_of_child(half, whole, SIGHUP, true);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(access(half, F_OK), 0);
    unlink(half);
    unlink(whole);
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_signal_takes_what_is_not_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
