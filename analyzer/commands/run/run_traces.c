/* xferspy run: finds the traces that the program writes: the new files under names that the template can become. A
 * trace never replaces a file, so new files are those that did not exist before; times of files are not compared. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/run/run.h"

/* Adds a text, and quotes the characters that glob would interpret. */
static void add_literal(struct xs_string *pattern, const char *text, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        xs_string_format(pattern, strchr("*?[\\", text[i]) ? "\\%c" : "%c", text[i]);
}

/* Returns the template as an absolute pattern with * for every % part. */
static char *template_pattern(void) {
    const char *template = getenv("XFERSPY_OUTPUT");
    struct xs_string pattern = {0};
    if (!template)
        template = "";
    if (*template != '/') {
        char *cwd = getcwd(NULL, 0);
        add_literal(&pattern, cwd ? cwd : ".", strlen(cwd ? cwd : "."));
        xs_string_add(&pattern, "/", 1);
        free(cwd);
    }
    for (const char *c = template; *c; c++) {
        if (*c != '%') {
            add_literal(&pattern, c, 1);
        } else if (c[1] == '%') {
            xs_string_add(&pattern, "%", 1);
            c++;
        } else {
            const char *brace = c[1] == 'q' && c[2] == '{' ? strchr(c, '}') : NULL;
            xs_string_add(&pattern, "*", 1);
            c = brace ? brace : c[1] ? c + 1 : c;
        }
    }
    if (xs_text_ends_with(pattern.data, "/"))
        xs_string_format(&pattern, "xferspy-*.db"); /* a default name has the rank and the host in a launcher's job */
    return pattern.data;
}

static bool is_beside_a_trace(const char *path) {
    return xs_text_ends_with(path, "-wal") || xs_text_ends_with(path, "-shm") || xs_text_ends_with(path, "-journal") ||
           xs_text_ends_with(path, ".spool");
}

static void add(struct xs_run_files *files, const char *path) {
    struct stat st;
    if (is_beside_a_trace(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    for (size_t i = 0; i < files->count; i++)
        if (!strcmp(files->paths[i], path))
            return;
    files->paths = xs_realloc(files->paths, (files->count + 1) * sizeof *files->paths);
    files->numbers = xs_realloc(files->numbers, (files->count + 1) * sizeof *files->numbers);
    files->paths[files->count] = xs_strdup(path);
    files->numbers[files->count++] = (struct xs_file_number){st.st_dev, st.st_ino};
}

static void add_matching(struct xs_run_files *files, const char *pattern) {
    glob_t found = {0};
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add(files, found.gl_pathv[i]);
    globfree(&found);
}

struct xs_run_files xs_run_files(void) {
    struct xs_run_files files = {0};
    XS_SCOPED char *pattern = template_pattern(), *numbered = xs_output_numbered(pattern, "[0-9]*");
    add_matching(&files, pattern);
    add_matching(&files, numbered);
    return files;
}

static bool has(const struct xs_run_files *files, const char *path, struct xs_file_number number) {
    for (size_t i = 0; i < files->count; i++)
        if (files->numbers[i].inode == number.inode && files->numbers[i].device == number.device &&
            !strcmp(files->paths[i], path))
            return true;
    return false;
}

struct xs_run_files xs_run_files_since(const struct xs_run_files *before) {
    struct xs_run_files now = xs_run_files(), files = {0};
    for (size_t i = 0; i < now.count; i++)
        if (!has(before, now.paths[i], now.numbers[i]))
            add(&files, now.paths[i]);
    xs_run_files_free(&now);
    return files;
}

void xs_run_files_free(struct xs_run_files *files) {
    for (size_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    free(files->paths);
    free(files->numbers);
    *files = (struct xs_run_files){0};
}
