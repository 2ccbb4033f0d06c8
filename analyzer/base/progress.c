/* Shows the line of progress; see progress.h. A thread prints it, because no function is called regularly while a trace
 * is read: SQLite reads some parts, other code reads others, and some time is not spent on reading. */
#include "analyzer/base/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/base/text.h"
#include "analyzer/base/unfinished.h"
#include "analyzer/base/units.h"
#include "schema/clock.h"
#include "schema/read/trace.h"
#include "schema/rows_read.h"

enum { NAME_COLUMNS = 40, WORDS_COLUMNS = 60, LEAST_NAME_COLUMNS = 8 };
enum { FIRST_MS = 1000, EVERY_MS = 200 }; /* work that is shorter ends before anybody needs to know */

/* The part of the reading's time that is over when a step ends, and how many rows the step reads for each row of the
 * trace's events. The values were measured with `report` on 300,000 transfers of tests/bench/make_trace. */
static const struct {
    double until, rows;
} steps[XS_PROGRESS_STEPS] = {
    [XS_PROGRESS_SITES] = {0.02, 0.28}, [XS_PROGRESS_FINDINGS] = {0.37, 1.4}, [XS_PROGRESS_MODEL] = {0.58, 0.7},
    [XS_PROGRESS_SAVINGS] = {0.77, 0},  [XS_PROGRESS_CAUSES] = {0.81, 0},     [XS_PROGRESS_SUMMARY] = {1, 2},
    [XS_PROGRESS_WRITE] = {1, 1},
};

static struct {
    unsigned depth;
    bool runs; /* the thread was started; the fields below have a value only then */
    pthread_t thread;
    pthread_cond_t end;
    bool ends;
    char *name; /* escaped */
    int columns;
    bool shown;
    int64_t began_ms;
    uint64_t began_rows;
    uint64_t trace_rows; /* 0: not known */
    double from, to;     /* the present range */
    double whole;        /* the share of the range's steps that this thread takes */
    enum xs_progress_step step;
    uint64_t step_rows; /* xs_rows_read when the step began */
    double did;         /* of the step; -1: it is counted by rows */
    double reached;     /* the largest share that was shown */
} line;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the fields that the thread reads */

static int64_t now_ms(void) { return xs_time_ns(CLOCK_MONOTONIC) / 1000000; }

/* True if there is a terminal that can show the line. */
static bool is_wanted(void) {
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

/* Returns how many columns the line may have. It must not wrap, because a wrapped line could not be removed. */
static int terminal_columns(void) {
    struct winsize size;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    return columns < NAME_COLUMNS + WORDS_COLUMNS ? columns - 1 : NAME_COLUMNS + WORDS_COLUMNS;
}

/* Returns the share of the command that is done; 0: it is not known. */
static double share(uint64_t rows) {
    double expected = steps[line.step].rows * (double)line.trace_rows;
    if (line.step == XS_PROGRESS_UNKNOWN || (line.did < 0 && expected <= 0))
        return line.reached;
    double before = line.step == XS_PROGRESS_WRITE ? 0 : steps[line.step - 1].until;
    double part = line.did >= 0 ? line.did : (double)(rows - line.step_rows) / expected;
    part = before + (part < 1 ? part : 1) * (steps[line.step].until - before);
    part = part < line.whole ? part / line.whole : 1;
    double now = line.from + part * (line.to - line.from);
    line.reached = now > line.reached ? now : line.reached;
    return line.reached;
}

/* Removes the line by spaces, because that works on every terminal, unlike an escape sequence. */
static void remove_line(void) {
    XS_SCOPED_STRING text = {0};
    if (!line.shown)
        return;
    xs_string_format(&text, "\r%*s\r", line.columns, "");
    xs_unfinished_line(text.data, text.length, 0);
    line.shown = false;
}

/* Adds whole seconds, because an estimate is not more exact. */
static void add_time(struct xs_string *words, double seconds) {
    int64_t left = (int64_t)seconds + 1;
    if (left >= 60)
        xs_string_format(words, ", %" PRId64 " min %02" PRId64 " s left", left / 60, left % 60);
    else
        xs_string_format(words, ", %" PRId64 " s left", left);
}

/* Shows the line in place of the line before. */
static void show_line(double seconds) {
    XS_SCOPED_STRING words = {0}, text = {0};
    uint64_t rows = atomic_load_explicit(&xs_rows_read, memory_order_relaxed), read = rows - line.began_rows;
    double done = share(rows);
    if (done > 0)
        xs_string_format(&words, ": %.0f %%", done * 100);
    else
        xs_string_format(&words, ": %.0f s", seconds);
    if (read)
        xs_string_format(&words, ", %s rows/s", XS_COUNT_TEXT((uint64_t)((double)read / seconds)));
    if (done > 0)
        add_time(&words, seconds / done * (1 - done));
    int room = line.columns - (int)(strlen("xferspy: ") + words.length);
    room = room < LEAST_NAME_COLUMNS ? LEAST_NAME_COLUMNS : room > NAME_COLUMNS ? NAME_COLUMNS : room;
    if (line.shown)
        xs_string_format(&text, "\r%*s", line.columns, "");
    xs_string_format(&text, "\rxferspy: %.*s%s", (int)xs_text_fit(line.name, room), line.name, words.data);
    xs_unfinished_line(text.data, text.length, line.columns);
    line.shown = true;
}

static void *show(void *data) {
    (void)data;
    pthread_mutex_lock(&lock);
    for (int64_t at_ms = line.began_ms + FIRST_MS; !line.ends; at_ms = now_ms() + EVERY_MS) {
        struct timespec at = {.tv_sec = at_ms / 1000, .tv_nsec = at_ms % 1000 * 1000000};
        while (!line.ends && now_ms() < at_ms)
            pthread_cond_timedwait(&line.end, &lock, &at);
        if (!line.ends)
            show_line((double)(now_ms() - line.began_ms) / 1000);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Sets what the next line shows. */
static void set_trace(const char *path, uint64_t rows) {
    pthread_mutex_lock(&lock);
    free(line.name);
    line.name = xs_text_escaped(path);
    line.trace_rows = rows;
    line.step = XS_PROGRESS_UNKNOWN;
    pthread_mutex_unlock(&lock);
}

static void start(void) {
    pthread_condattr_t attributes;
    sigset_t all, before;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&line.end, &attributes);
    pthread_condattr_destroy(&attributes);
    sigfillset(&all); /* the thread that reads the trace gets the signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line.runs = pthread_create(&line.thread, NULL, show, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void xs_progress_begin_file(const char *path, uint64_t rows) {
    if (line.depth++) {
        if (line.runs)
            set_trace(path, rows);
        return;
    }
    line.runs = false;
    if (!is_wanted())
        return;
    line.columns = terminal_columns();
    line.began_ms = now_ms();
    line.began_rows = atomic_load(&xs_rows_read);
    line.from = line.reached = 0;
    line.to = line.whole = 1;
    line.ends = line.shown = false;
    set_trace(path, rows);
    start();
}

void xs_progress_begin(const struct xs_trace *trace) {
    bool is_shown = line.depth ? line.runs : is_wanted();
    xs_progress_begin_file(trace->path, is_shown ? xs_trace_event_rows(trace) : 0);
}

void xs_progress_end(void) {
    if (!line.depth || --line.depth || !line.runs)
        return;
    pthread_mutex_lock(&lock);
    line.ends = true;
    pthread_cond_signal(&line.end);
    pthread_mutex_unlock(&lock);
    pthread_join(line.thread, NULL);
    pthread_cond_destroy(&line.end);
    remove_line();
    free(line.name);
    line.name = NULL;
    line.runs = false;
}

void xs_progress_range(double from, double to, size_t i, size_t count) {
    if (!line.runs)
        return;
    pthread_mutex_lock(&lock);
    line.from = from + (to - from) * (double)i / (double)count;
    line.to = from + (to - from) * (double)(i + 1) / (double)count;
    line.whole = 1;
    line.step = XS_PROGRESS_UNKNOWN;
    pthread_mutex_unlock(&lock);
}

void xs_progress_at(enum xs_progress_step step) {
    if (!line.runs)
        return;
    pthread_mutex_lock(&lock);
    line.step = step;
    line.step_rows = atomic_load(&xs_rows_read);
    line.did = steps[step].rows > 0 ? -1 : 0;
    pthread_mutex_unlock(&lock);
}

void xs_progress_did(size_t done, size_t all) {
    if (!line.runs || !all)
        return;
    pthread_mutex_lock(&lock);
    line.did = (double)done / (double)all;
    pthread_mutex_unlock(&lock);
}

void xs_progress_without_summary(void) {
    if (!line.runs)
        return;
    pthread_mutex_lock(&lock);
    line.whole = steps[XS_PROGRESS_CAUSES].until;
    pthread_mutex_unlock(&lock);
}

void xs_progress_hide(void) {
    if (!line.runs)
        return;
    pthread_mutex_lock(&lock);
    remove_line();
    pthread_mutex_unlock(&lock);
}
