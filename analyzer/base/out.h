/* Where a command's data goes: standard output or -o FILE, with what is known about the reader (colour, UTF-8, width).
 * Messages go to standard error, one line each. */
#ifndef XFERSPY_ANALYZER_BASE_OUT_H
#define XFERSPY_ANALYZER_BASE_OUT_H

#include <stdbool.h>
#include <stdio.h>

enum xs_color_when { XS_COLOR_AUTO = 0, XS_COLOR_ALWAYS, XS_COLOR_NEVER };

/* What the options of output say; shared by every command. */
struct xs_out_options {
    const char *path; /* NULL or "-": standard output */
    bool force;       /* an existing file may be replaced */
    enum xs_color_when color;
};

struct xs_out {
    FILE *file;
    bool color;
    bool utf8;   /* decorations may be other than ASCII */
    int columns; /* of the terminal; 0: no terminal, nothing is cut */
    int rows;    /* of the terminal; 0: no terminal, or not known */
    char *path, *temporary;
};

/* Opens the output; a message was printed when the result is negative. Nothing existing is touched before
 * xs_out_close, so that a command that fails midway leaves an old file as it was. */
int xs_out_open(struct xs_out *out, const struct xs_out_options *options);

/* Checks whether xs_out_open would refuse the file because it exists; negative after the same message. It is called
 * before a long run. */
int xs_out_check(const struct xs_out_options *options);

/* Whether `path` is one of the system's links to what is open already, as /dev/stdout and /dev/fd/1 are. Such a link is
 * followed and must never be replaced; every other symbolic link is replaced and never followed. */
bool xs_out_is_open_already(const char *path);

/* Standard error as an output, for `run --report`, whose standard output belongs to the application. */
void xs_out_stderr(struct xs_out *out, const struct xs_out_options *options);

/* Closes, and puts the file in its place if `keep`. Returns 0, or a negative status after printing what failed: a
 * full disk shows here at the latest. */
int xs_out_close(struct xs_out *out, bool keep);

enum xs_style { XS_STYLE_PLAIN = 0, XS_STYLE_HEADING, XS_STYLE_DIM, XS_STYLE_GOOD, XS_STYLE_WARN, XS_STYLE_BAD };
const char *xs_style_on(const struct xs_out *out, enum xs_style style);
const char *xs_style_off(const struct xs_out *out, enum xs_style style);

/* A heading with an empty line before it, and an indented line of text: escaped, and wrapped on a terminal
 * (lines.c). */
void xs_out_heading(struct xs_out *out, const char *title);
void xs_out_line(struct xs_out *out, enum xs_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with another indent, which the lines that follow share. */
void xs_out_indented(struct xs_out *out, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The rest of a line whose first `at` columns were printed already. */
void xs_out_rest(struct xs_out *out, int at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, where the lines that follow begin at that column, too. */
void xs_out_hanging(struct xs_out *out, int at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same after a label, which is a plain ASCII text. */
#define XS_FACT_LABEL 8
void xs_out_fact(struct xs_out *out, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What is wrong with a file that was named. */
#define XS_EXISTS "exists already; --force replaces it"
#define XS_NO_REGULAR_FILE "is no regular file"

/* "xferspy: ..." on standard error: escaped, one line, no full stop needed. */
void xs_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
