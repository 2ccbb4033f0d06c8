/* The line of progress; see progress.h. A thread prints it, because no function is called regularly while a trace is
 * read: SQLite reads some parts, other code reads others, and some time is not spent on reading. */
#include "analyzer/commands/common/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/base/text.h"
#include "schema/clock.h"

enum { NAME_COLUMNS = 40, WORDS_COLUMNS = 32, LEAST_NAME_COLUMNS = 8 };
#define BEFORE_MS 1000 /* work that is shorter ends before anybody needs to know */

static int64_t now_ms(void) { return xs_time_ns(CLOCK_MONOTONIC) / 1000000; }

/* Returns how many columns of the name are shown. The line must not wrap, because a wrapped line could not be removed.
 */
static int name_columns(void) {
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col;
    int columns = (known ? size.ws_col : 80) - WORDS_COLUMNS - 1;
    return columns > NAME_COLUMNS ? NAME_COLUMNS : columns < LEAST_NAME_COLUMNS ? LEAST_NAME_COLUMNS : columns;
}

/* Shows the line. It is removed by printing spaces, because that works on every terminal, unlike an escape sequence. */
static void *show(void *data) {
    struct xs_progress *progress = data;
    pthread_mutex_lock(&progress->lock);
    for (int64_t seconds = BEFORE_MS / 1000; !progress->ends; seconds++) {
        int64_t at_ms = progress->began_ms + seconds * 1000;
        struct timespec at = {.tv_sec = at_ms / 1000, .tv_nsec = at_ms % 1000 * 1000000};
        while (!progress->ends && now_ms() < at_ms)
            pthread_cond_timedwait(&progress->end, &progress->lock, &at);
        if (progress->ends)
            break;
        fprintf(stderr, "\rxferspy: reading %.*s, %" PRId64 " s ",
                (int)xs_text_fit(progress->name, progress->name_columns), progress->name, seconds);
        fflush(stderr);
        progress->shown = true;
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void xs_progress_begin(struct xs_progress *progress, const struct xs_trace *trace) {
    pthread_condattr_t attributes;
    sigset_t all, before;
    *progress = (struct xs_progress){.began_ms = now_ms()};
    if (!isatty(STDERR_FILENO))
        return;
    progress->name = xs_text_escaped(trace->path);
    progress->name_columns = name_columns();
    pthread_mutex_init(&progress->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->end, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&all); /* the thread that reads the trace gets the signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress->runs = pthread_create(&progress->thread, NULL, show, progress) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void xs_progress_end(struct xs_progress *progress) {
    if (progress->runs) {
        pthread_mutex_lock(&progress->lock);
        progress->ends = true;
        pthread_cond_signal(&progress->end);
        pthread_mutex_unlock(&progress->lock);
        pthread_join(progress->thread, NULL);
    }
    if (progress->name) {
        pthread_cond_destroy(&progress->end);
        pthread_mutex_destroy(&progress->lock);
    }
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", progress->name_columns + WORDS_COLUMNS, "");
    free(progress->name);
    *progress = (struct xs_progress){0};
}
