/* The line of progress; see progress.h. */
#include "analyzer/output/progress.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/output/text.h"

#define STEPS 200000 /* of SQLite's virtual machine between two looks at the clock: some milliseconds */
#define NAME_COLUMNS 40

static int64_t now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec;
}

/* Spaces and not an escape sequence take the line away: that holds on every terminal. */
static int tick(void *data) {
    struct xs_progress *progress = data;
    int64_t now = now_s();
    if (now - progress->began_s < 2 || now == progress->shown_s) /* whole seconds: 2 is more than one */
        return 0;
    char *name = xs_text_escaped(progress->trace->path);
    fprintf(stderr, "\rxferspy: reading %.*s, %" PRId64 " s ", (int)xs_text_fit(name, NAME_COLUMNS), name,
            now - progress->began_s);
    fflush(stderr);
    free(name);
    progress->shown = true;
    progress->shown_s = now;
    return 0;
}

void xs_progress_begin(struct xs_progress *progress, const struct xs_trace *trace) {
    *progress = (struct xs_progress){.trace = trace, .began_s = now_s()};
    if (isatty(STDERR_FILENO))
        sqlite3_progress_handler(trace->db, STEPS, tick, progress);
}

void xs_progress_end(struct xs_progress *progress) {
    sqlite3_progress_handler(progress->trace->db, 0, NULL, NULL);
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", NAME_COLUMNS + 32, "");
    progress->shown = false;
}
