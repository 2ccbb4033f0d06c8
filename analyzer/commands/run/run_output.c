/* xferspy run: checks before the program starts whether the trace of -o can be made under its name. Otherwise, a long
 * run could end without a trace, or with a trace under another name. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/run/run.h"
#include "schema/rank.h"
#include "schema/safe_open/side_files.h"
#include "schema/spool/spool_location.h"

/* The path that a template gives, as far as it is known before the program starts. */
struct expected {
    struct xs_string path;
    bool is_unknown;      /* the template has %p, or has %n, which avoids existing names */
    bool is_of_many;      /* the template has %r, and the program itself starts the ranks */
    bool is_wrong;        /* the library would use the default name */
    size_t literal_bytes; /* length of the path before its first unknown part */
};

/* Adds a value as the library does (preload/session/naming.c), so that no value can name another folder. */
static void add_value(struct xs_string *path, const char *value) {
    bool dots = value[strspn(value, ".")] == '\0';
    for (; *value; value++)
        xs_string_add(path, dots || *value == '/' ? "_" : value, 1);
}

static void add_executable(struct xs_string *path, const char *program) {
    XS_SCOPED char *real = program ? realpath(program, NULL) : NULL;
    add_value(path, real ? xs_base_name(real) : "unknown");
}

/* Adds the text for %q{VAR}. Returns a pointer to the last character of the field; NULL: it is malformed. */
static const char *add_variable(struct xs_string *path, const char *c) {
    const char *close = c[1] == '{' ? strchr(c, '}') : NULL;
    if (!close || close == c + 2)
        return NULL;
    XS_SCOPED char *name = xs_text_format("%.*s", (int)(close - c - 2), c + 2);
    const char *value = getenv(name);
    add_value(path, value ? value : "");
    return close;
}

/* Adds the text for % and the character after it. Returns a pointer to the last character of the field; NULL: the field
 * is unknown. */
static const char *add_field(struct expected *e, const char *c, const char *program) {
    char host[256] = "";
    switch (*c) {
    case 'h':
        gethostname(host, sizeof host - 1);
        add_value(&e->path, host);
        return c;
    case 'r':
        e->is_of_many |= xs_rank(NULL) < 0;
        xs_string_format(&e->path, "%ld", xs_rank(NULL) >= 0 ? xs_rank(NULL) : 0);
        return c;
    case 'e':
        add_executable(&e->path, program);
        return c;
    case 'q':
        return add_variable(&e->path, c);
    case 'p':
    case 'n':
        e->is_unknown = true;
        return c;
    default:
        return NULL;
    }
}

static struct expected expect(const char *template, const char *program) {
    struct expected e = {0};
    bool is_literal = true;
    xs_string_add(&e.path, "", 0);
    for (const char *c = template; c && *c; c = c ? c + 1 : NULL) {
        if (*c != '%' || c[1] == '%') {
            c += *c == '%';
            xs_string_add(&e.path, c, 1);
            e.literal_bytes += is_literal;
        } else {
            is_literal = false;
            c = add_field(&e, c + 1, program);
            e.is_wrong |= !c;
        }
    }
    return e;
}

char *xs_output_folder(void) {
    const char *template = getenv("XFERSPY_OUTPUT");
    struct expected e = expect(template ? template : "", NULL);
    e.path.data[e.literal_bytes] = '\0';
    char *slash = strrchr(e.path.data, '/');
    if (slash)
        slash[slash == e.path.data] = '\0';
    char *folder = xs_strdup(slash ? e.path.data : ".");
    xs_string_free(&e.path);
    return folder;
}

/* Makes a folder and its parents. If a parent cannot be made, making the folder fails, too. */
static int make_folder(const char *folder) {
    XS_SCOPED char *path = xs_strdup(folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    return mkdir(folder, 0700) == 0 || errno == EEXIST ? 0 : -1;
}

static int prepare_folder(void) {
    XS_SCOPED char *folder = xs_output_folder();
    struct stat st;
    int status = XS_EXIT_ERROR;
    if (stat(folder, &st) != 0 && make_folder(folder) != 0)
        xs_complain("the folder %s cannot be made: %s; give another place with --output", folder, strerror(errno));
    else if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode))
        xs_complain("%s: is no folder; give another place with --output", folder);
    else if (access(folder, W_OK | X_OK) != 0)
        xs_complain(XS_NO_WAY_INTO, folder, strerror(errno));
    else
        status = XS_EXIT_OK;
    return status;
}

static const char *const side_suffixes[] = {".spool", "-wal", "-journal", "-shm"};
enum {
    SIDE_SUFFIXES = sizeof side_suffixes / sizeof *side_suffixes,
    LONGEST_NAME = NAME_MAX - (sizeof "-journal" - 1), /* so that the files beside the trace fit, too */
};

/* Returns, as a new string, the existing file that makes the name unusable: a trace, or another file that an earlier
 * trace left. NULL: there is none. */
static char *taken_name(const char *path) {
    struct stat st;
    if (lstat(path, &st) == 0)
        return xs_strdup(path);
    xs_spool_clear_unstarted(path);
    for (int i = 0; i < SIDE_SUFFIXES; i++) {
        char *beside = xs_text_format("%s%s", path, side_suffixes[i]);
        if (lstat(beside, &st) == 0)
            return beside;
        free(beside);
    }
    return NULL;
}

char *xs_output_numbered(const char *template, const char *number) {
    const char *slash = strrchr(template, '/'), *dot = strrchr(template, '.');
    bool has_suffix = dot && (!slash || dot > slash + 1) && dot > template;
    size_t bytes = has_suffix ? (size_t)(dot - template) : strlen(template);
    return xs_text_format("%.*s.%s%s", (int)bytes, template, number, has_suffix ? dot : "");
}

static void complain_taken(const char *name, const char *why, const char *template) {
    XS_SCOPED char *numbered = xs_output_numbered(template, "%n"), *word = xs_text_shell_word(numbered);
    xs_complain("%s: %s, and -o %s takes the next free number; the program was not started", name, why, word);
}

/* True if a process of this machine still writes the trace. */
static bool is_written_now(const char *path) {
    struct xs_spool_found found;
    bool lives = false;
    if (xs_spool_find(path, &found) == XS_OK) {
        const struct xs_spool_header *header = xs_spool_found_header(&found);
        enum xs_writer writer = header ? xs_spool_writer(header, found.files.beside) : XS_WRITER_GONE;
        lives = writer == XS_WRITER_LIVES;
        xs_spool_found_free(&found);
    }
    return lives;
}

/* Removes a trace. If its name is a link, removes only the link, because the other files belong to another trace. */
static int remove_trace(const char *path) {
    struct xs_spool_found found;
    struct stat st;
    bool is_link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
    if (!is_link && xs_spool_find(path, &found) == XS_OK) {
        xs_spool_delete(&found.files);
        xs_spool_found_free(&found);
    }
    for (int i = 0; i < SIDE_SUFFIXES && !is_link; i++) {
        XS_SCOPED char *beside = xs_text_format("%s%s", path, side_suffixes[i]);
        unlink(beside);
    }
    return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

/* Prints which existing traces are not removed. The traces of a job's other processes have numbers, so a user who reads
 * all numbered traces would read the old ones, too. */
static void say_what_stays(const char *path) {
    struct xs_run_files files = xs_run_files();
    if (files.count > 1)
        xs_complain("%s is replaced; %s and %zu more are of earlier runs and stay", path, files.paths[0],
                    files.count - 1);
    else if (files.count)
        xs_complain("%s is replaced; %s is of an earlier run and stays", path, files.paths[0]);
    xs_run_files_free(&files);
}

static int replace(const char *path, const struct expected *e) {
    struct stat st;
    if (e->is_of_many)
        xs_complain("%s: --force replaces one trace, and with %%r there are several; delete them yourself", path);
    else if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && is_written_now(path))
        xs_complain("%s: a process still writes this trace; wait for it, or choose another name", path);
    else if (remove_trace(path) != 0)
        xs_complain("%s: %s", path, strerror(errno));
    else {
        if (!xs_option_is_on(getenv("XFERSPY_QUIET")) && !strcmp(path, getenv("XFERSPY_OUTPUT")))
            say_what_stays(path);
        return XS_EXIT_OK;
    }
    return XS_EXIT_ERROR;
}

/* True if another run has reserved the name. Ranks of one job share a name, and all but the first get a number; so does
 * a run that another run started. */
static bool is_reserved(const struct expected *e, bool is_within) {
    return !e->is_unknown && !is_within && !xs_is_rank_of_many() && !xs_output_reserve(e->path.data);
}

static int prepare_name(const struct expected *e, const char *template, bool force) {
    const char *path = e->path.data;
    struct stat st;
    size_t length = strlen(template);
    if (template[length - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode))) {
        xs_complain("%s: is a folder; name a file in it, such as %%e.%%n.db", template);
        return XS_EXIT_ERROR;
    }
    if (strlen(xs_base_name(path)) > LONGEST_NAME) {
        xs_complain("%s: a file cannot have such a long name; give a shorter one with --output", path);
        return XS_EXIT_ERROR;
    }
    XS_SCOPED char *taken = e->is_unknown ? NULL : taken_name(path);
    int status = XS_EXIT_OK;
    if (taken && lstat(taken, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode)) {
        xs_complain("%s: is no regular file, and a trace has to be one", taken);
        status = XS_EXIT_ERROR;
    } else if (taken && !xs_is_of_this_job(taken)) { /* if another rank made this trace, the library uses the next
                                                        number */
        status = force ? replace(path, e) : XS_EXIT_ERROR;
        if (!force)
            complain_taken(taken, XS_EXISTS, template);
    }
    return status;
}

int xs_output_prepare(const char *program, bool is_typed, bool force) {
    const char *template = getenv("XFERSPY_OUTPUT"), *preloaded = getenv("LD_PRELOAD");
    if (!template || !*template || xs_option_is_off(getenv("XFERSPY_ENABLE")))
        return XS_EXIT_OK;
    struct expected e = expect(template, program);
    bool has_default_name = !is_typed && xs_text_ends_with(template, "/"); /* no two processes have the same one */
    bool is_within = has_default_name || (preloaded && strstr(preloaded, "libxferspy.so"));
    bool is_inner = !is_typed && is_within;
    int status = XS_EXIT_OK;
    if (e.is_wrong || strlen(e.path.data) >= PATH_MAX) {
        xs_complain("--output=%s: is no usable name; the fields are %%p, %%h, %%e, %%r, %%q{VAR}, %%n and %%%%",
                    template);
        status = XS_EXIT_USAGE;
    } else {
        status = prepare_folder();
    }
    if (status == XS_EXIT_OK && is_reserved(&e, is_within)) {
        complain_taken(e.path.data, "another xferspy run writes this trace now", template);
        status = XS_EXIT_ERROR;
    } else if (status == XS_EXIT_OK && !is_inner) {
        status = prepare_name(&e, template, force);
    }
    xs_string_free(&e.path);
    return status;
}
