/* A command writes its data to standard output or to the file of -o, in a form that suits the output (colour, UTF-8,
 * width). Messages are written to standard error, one line each. */
#ifndef XFERSPY_ANALYZER_BASE_OUT_H
#define XFERSPY_ANALYZER_BASE_OUT_H

#include <stdbool.h>
#include <stdio.h>

enum xs_color_when { XS_COLOR_AUTO = 0, XS_COLOR_ALWAYS, XS_COLOR_NEVER };

/* All commands share these output options. */
struct xs_out_options {
    const char *path; /* NULL or "-": standard output */
    bool force;       /* an existing file may be replaced */
    enum xs_color_when color;
};

struct xs_out {
    FILE *file;
    bool color;
    bool utf8;   /* decorations need not be ASCII */
    int columns; /* terminal columns; 0: no terminal, so nothing is cut */
    int rows;    /* terminal rows; 0: no terminal, or not known */
    char *path, *temporary;
};

/* Opens the output; a negative result means that a message was printed. An existing regular file stays untouched until
 * xs_out_close, so a command that fails does not change it. */
int xs_out_open(struct xs_out *out, const struct xs_out_options *options);

/* Must be called before a long run, whose result would be lost if the output could not be opened. If xs_out_open would
 * refuse the file because it exists, prints the same message and returns a negative value. */
int xs_out_check(const struct xs_out_options *options);

/* True if `path` is a symbolic link in /dev or /proc that leads to a file that is open already, such as /dev/stdout or
 * /dev/fd/1. Such a link is followed and must never be replaced; every other symbolic link is replaced and never
 * followed. */
bool xs_out_is_open_already(const char *path);

/* Makes standard error the output, for `run --report`, because standard output belongs to the application. */
void xs_out_stderr(struct xs_out *out, const struct xs_out_options *options);

/* Closes the output. If `keep` is true, the new file replaces the existing one; otherwise the new file is removed.
 * Returns 0, or a negative status after printing what failed. A full disk is noticed here at the latest. */
int xs_out_close(struct xs_out *out, bool keep);

enum xs_style { XS_STYLE_PLAIN = 0, XS_STYLE_HEADING, XS_STYLE_DIM, XS_STYLE_GOOD, XS_STYLE_WARN, XS_STYLE_BAD };
const char *xs_style_on(const struct xs_out *out, enum xs_style style);
const char *xs_style_off(const struct xs_out *out, enum xs_style style);

/* xs_out_heading prints a heading after an empty line. xs_out_line prints an indented line of text, which is escaped,
 * and wrapped on a terminal (out_lines.c). */
void xs_out_heading(struct xs_out *out, const char *title);
void xs_out_line(struct xs_out *out, enum xs_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints a line. The line and its continuation lines have the given indent. */
void xs_out_indented(struct xs_out *out, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints the rest of a line that already has `at` columns. Continuation lines have the given indent. */
void xs_out_rest(struct xs_out *out, int at, int indent, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Prints a label, which must be plain ASCII, and a line of text after it. */
#define XS_FACT_LABEL 8
void xs_out_fact(struct xs_out *out, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* These functions print a text as a line or as a fact, and free it. They print nothing if the text is empty. */
struct xs_string; /* text.h */
void xs_out_take_line(struct xs_out *out, enum xs_style style, struct xs_string *text);
void xs_out_take_fact(struct xs_out *out, const char *label, struct xs_string *text);

/* These texts are reasons why a named file cannot be written. */
#define XS_EXISTS "exists already; --force replaces it"
#define XS_NO_REGULAR_FILE "is no regular file"

/* Prints "xferspy: ..." on standard error as one escaped line. The text needs no full stop. */
void xs_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
