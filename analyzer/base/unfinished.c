/* Removes files on a signal; see unfinished.h. The handler only removes the files, and then ends the program as the
 * signal would have ended it. */
#include "analyzer/base/unfinished.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

enum { FILES = 8 };

static _Atomic(const char *) files[FILES];

static void on_end(int signal) {
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

void xs_unfinished(const char *path) {
    static bool handled;
    for (int i = 0; i < FILES; i++) {
        if (!atomic_load(&files[i])) {
            atomic_store(&files[i], path);
            break;
        }
    }
    if (!handled) {
        handle(SIGINT);
        handle(SIGTERM);
        handle(SIGHUP);
        handled = true;
    }
}

void xs_finished(const char *path) {
    for (int i = 0; i < FILES; i++)
        if (path && atomic_load(&files[i]) == path)
            atomic_store(&files[i], NULL);
}
