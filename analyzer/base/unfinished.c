/* Removes files and the line of progress on a signal; see unfinished.h. The handler does only that, and then ends the
 * program as the signal would have ended it. */
#include "analyzer/base/unfinished.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 8 };

static _Atomic(const char *) files[FILES];

static atomic_int line_columns;
static atomic_flag line_busy = ATOMIC_FLAG_INIT; /* somebody writes the line; the handler keeps this for ever */

/* Removes the line. It waits while another thread writes the line, but not long, because a terminal may be stopped. */
static void remove_line(void) {
    enum { MOST_COLUMNS = 120, WAIT_MS = 100 };
    char text[MOST_COLUMNS + 2];
    for (int ms = 0; ms < WAIT_MS && atomic_flag_test_and_set(&line_busy); ms++)
        poll(NULL, 0, 1);
    int columns = atomic_load(&line_columns);
    if (columns <= 0)
        return;
    columns = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
    memset(text, ' ', sizeof text);
    text[0] = text[columns + 1] = '\r';
    if (write(STDERR_FILENO, text, (size_t)columns + 2) < 0)
        atomic_store(&line_columns, 0); /* the terminal is gone */
}

static void on_end(int signal) {
    remove_line();
    for (int i = 0; i < FILES; i++) {
        const char *path = atomic_load(&files[i]);
        if (path)
            unlink(path);
    }
    raise(signal); /* SA_RESETHAND: now it ends the program */
}

static void handle(int signal) {
    struct sigaction action = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND}, before;
    sigfillset(&action.sa_mask);
    if (sigaction(signal, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
        sigaction(signal, &action, NULL);
}

/* Handles the signals, from the first call on. */
static void handle_all(void) {
    static atomic_flag handled = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&handled))
        return;
    handle(SIGINT);
    handle(SIGTERM);
    handle(SIGHUP);
}

void xs_unfinished(const char *path) {
    for (int i = 0; i < FILES; i++) {
        if (!atomic_load(&files[i])) {
            atomic_store(&files[i], path);
            break;
        }
    }
    handle_all();
}

void xs_unfinished_wait(sigset_t *before) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, before);
}

void xs_unfinished_go_on(const sigset_t *before) { pthread_sigmask(SIG_SETMASK, before, NULL); }

void xs_unfinished_line(const char *text, size_t bytes, int columns) {
    if (columns)
        handle_all();
    if (atomic_flag_test_and_set(&line_busy))
        return; /* the handler ends the program */
    atomic_store(&line_columns, columns);
    if (write(STDERR_FILENO, text, bytes) < 0)
        atomic_store(&line_columns, 0); /* the terminal is gone */
    atomic_flag_clear(&line_busy);
}

void xs_finished(const char *path) {
    for (int i = 0; i < FILES; i++)
        if (path && atomic_load(&files[i]) == path)
            atomic_store(&files[i], NULL);
}
