/* Opens, writes and closes the output of a command; see out.h. */
#include "analyzer/base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/base/unfinished.h"
#include "schema/error.h"
#include "schema/safe_open/private_file.h"

void xs_complain(const char *format, ...) {
    XS_SCOPED_STRING plain = {0}, escaped = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&plain, format, arguments);
    va_end(arguments);
    xs_string_escape(&escaped, plain.data, plain.length);
    xs_progress_hide();
    fflush(stdout); /* keeps data and messages in order if both are written to the same terminal or file */
    fprintf(stderr, "xferspy: %s\n", escaped.data);
}

static bool wants_color(const struct xs_out_options *options, int fd) {
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    if (options->color != XS_COLOR_AUTO)
        return options->color == XS_COLOR_ALWAYS;
    return isatty(fd) && !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
}

static void look_at_reader(struct xs_out *out, const struct xs_out_options *options) {
    int fd = fileno(out->file);
    struct winsize size;
    out->color = wants_color(options, fd);
    out->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    out->columns = out->rows = 0;
    if (isatty(fd)) {
        const char *columns = getenv("COLUMNS");
        bool known = ioctl(fd, TIOCGWINSZ, &size) == 0;
        if (columns && atoi(columns) >= 40)
            out->columns = atoi(columns);
        else
            out->columns = known && size.ws_col >= 40 ? size.ws_col : 80;
        out->rows = known ? size.ws_row : 0;
    }
}

static void complain_exists(const char *path) { xs_complain("%s: %s", path, XS_EXISTS); }

bool xs_out_is_open_already(const char *path) {
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
        return false;
    const char *slash = strrchr(path, '/');
    XS_SCOPED_STRING folder = {0};
    xs_string_format(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    XS_SCOPED char *real = realpath(folder.data, NULL);
    return real && (!strcmp(real, "/dev") || !strncmp(real, "/dev/", 5) || !strncmp(real, "/proc/", 6));
}

/* True if the output must be written to directly and never replaced: a device, a pipe, or a file that the shell has
 * opened. */
static bool is_written_to(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || xs_out_is_open_already(path));
}

/* Opens the output. A new file has its final name at once. An existing file is replaced at the end: a temporary file in
 * the same folder is renamed. A symbolic link itself is replaced, because following it could write to any file that
 * somebody has linked to. */
static int open_file(struct xs_out *out, const struct xs_out_options *options) {
    struct stat st;
    int fd;
    out->path = xs_strdup(options->path);
    if (is_written_to(out->path)) {
        fd = open(out->path, O_WRONLY | O_APPEND | O_CLOEXEC);
        free(out->path);
        out->path = NULL;
    } else if (options->force && lstat(out->path, &st) == 0) {
        struct xs_string name = {0};
        xs_string_format(&name, "%s.XXXXXX", out->path);
        out->temporary = name.data;
        fd = mkostemp(out->temporary, O_CLOEXEC);
        if (fd >= 0 && S_ISREG(st.st_mode) && fchmod(fd, st.st_mode & 0777) != 0)
            errno = 0; /* its owner can read the file in any case */
    } else {
        fd = xs_create_private(out->path);
    }
    if (fd < 0) {
        if (errno == EEXIST)
            complain_exists(options->path);
        else
            xs_complain("%s: %s", options->path, strerror(errno));
        free(out->path);
        free(out->temporary);
        *out = (struct xs_out){0};
        return XS_ERROR_SYSTEM;
    }
    if (out->path)
        xs_unfinished(out->temporary ? out->temporary : out->path);
    out->file = fdopen(fd, "w");
    if (!out->file)
        xs_out_of_memory();
    return XS_OK;
}

int xs_out_open(struct xs_out *out, const struct xs_out_options *options) {
    *out = (struct xs_out){.file = stdout};
    if (options->path && strcmp(options->path, "-") != 0) {
        sigset_t before;
        xs_unfinished_wait(&before);
        int status = open_file(out, options);
        xs_unfinished_go_on(&before);
        if (status < 0)
            return status;
    }
    look_at_reader(out, options);
    return XS_OK;
}

int xs_out_check(const struct xs_out_options *options) {
    struct stat st;
    if (!options->path || !strcmp(options->path, "-") || options->force || lstat(options->path, &st) != 0)
        return XS_OK;
    if (is_written_to(options->path))
        return XS_OK;
    complain_exists(options->path);
    return XS_ERROR_SYSTEM;
}

void xs_out_stderr(struct xs_out *out, const struct xs_out_options *options) {
    *out = (struct xs_out){.file = stderr};
    look_at_reader(out, options);
}

int xs_out_close(struct xs_out *out, bool keep) {
    const char *name = out->path ? out->path : "output";
    int status = XS_OK;
    if (!out->file)
        return status;
    if (fflush(out->file) != 0 || ferror(out->file)) {
        xs_complain("%s: %s", name, errno ? strerror(errno) : "cannot be written");
        status = XS_ERROR_SYSTEM;
    }
    if (out->file != stdout && out->file != stderr && fclose(out->file) != 0 && status == XS_OK) {
        xs_complain("%s: %s", name, strerror(errno));
        status = XS_ERROR_SYSTEM;
    }
    keep = keep && status == XS_OK;
    if (out->temporary && keep && rename(out->temporary, out->path) != 0) {
        xs_complain("%s: %s", name, strerror(errno));
        status = XS_ERROR_SYSTEM;
        keep = false;
    }
    if (out->path && !keep)
        unlink(out->temporary ? out->temporary : out->path);
    xs_finished(out->temporary ? out->temporary : out->path);
    free(out->path);
    free(out->temporary);
    *out = (struct xs_out){0};
    return status;
}

const char *xs_style_on(const struct xs_out *out, enum xs_style style) {
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[32m", "\033[33m", "\033[1;31m"};
    return out->color ? codes[style] : "";
}

const char *xs_style_off(const struct xs_out *out, enum xs_style style) {
    return out->color && style != XS_STYLE_PLAIN ? "\033[0m" : "";
}
