/* Shows on standard error how far a long command is, if standard error is a terminal: one line, which appears after one
 * second and is renewed at most five times a second. Nothing is shown on a terminal that cannot move its cursor
 * (TERM=dumb). */
#ifndef XFERSPY_ANALYZER_BASE_PROGRESS_H
#define XFERSPY_ANALYZER_BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct xs_trace;

/* The steps of a command, in their order. progress.c says how much of the time each step takes. */
enum xs_progress_step {
    XS_PROGRESS_UNKNOWN, /* the share that was shown last stays; if there is none, the seconds are shown */
    XS_PROGRESS_SITES,
    XS_PROGRESS_FINDINGS,
    XS_PROGRESS_MODEL,
    XS_PROGRESS_SAVINGS,
    XS_PROGRESS_CAUSES,
    XS_PROGRESS_SUMMARY,
    XS_PROGRESS_WRITE, /* this step takes the whole range (xs_progress_range) */
    XS_PROGRESS_STEPS
};

/* Must be called before the command reads or writes a trace; the line shows the name of this trace. Starts a thread if
 * the line can be shown. Calls nest: only the outermost xs_progress_end removes the line. Only one thread of the
 * program may call these functions. */
void xs_progress_begin(const struct xs_trace *trace);
/* Does what xs_progress_begin does, for a file that is no trace. `rows` is the number of its rows; 0: not known. */
void xs_progress_begin_file(const char *path, uint64_t rows);
void xs_progress_end(void);

/* Sets the part of the command's time, called the range, in which the next steps run. `from` and `to` are shares of the
 * whole command (0 to 1). The time between them is divided into `count` equal parts, and the range is part `i`, counted
 * from 0. After the outermost xs_progress_begin, the range is the whole command. */
void xs_progress_range(double from, double to, size_t i, size_t count);
/* These are the shares of the time that reading takes in commands that read a trace and then write its events. The
 * values were measured on the trace that progress.c names. In `export`, reading takes 45 % of the time for perfetto and
 * jsonl, and 55 % for csv; the other formats write little. */
#define XS_PROGRESS_READ_HTML 0.82
#define XS_PROGRESS_READ_EXPORT 0.5

/* Begins a step of the present range. */
void xs_progress_at(enum xs_progress_step step);
/* Says how much of the present step is done, for a step that reads no rows: `done` of `all`. */
void xs_progress_did(size_t done, size_t all);

/* Says that the summary is computed by another thread, so the other steps before it take the whole range. The next
 * xs_progress_range or outermost xs_progress_begin ends this. */
void xs_progress_without_summary(void);

/* Removes the line before a message is printed; the line is shown again later. */
void xs_progress_hide(void);

#endif
