/* Finds the command of a trace, and runs it to record a new trace; see program.h. */
#include "analyzer/commands/try/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/bench/start.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/run/run.h"
#include "schema/redact.h"

#define FOLDER "xferspy-try-XXXXXX"
#define WHOLE_FINGERPRINT "XFERSPY_FINGERPRINT=" /* these settings replace the user's settings */
#define WHOLE_BUDGET "XFERSPY_BUDGET="
#define WHOLE_HOST_READS "XFERSPY_HOST_READS="
enum { COMMAND_BYTES = 65536, PATH_BYTES = 4096 };

/* --- words --- */

static char **free_words(char **words) {
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
    return NULL;
}

static char **add_word(char **words, size_t count, char *word) {
    words = xs_realloc(words, (count + 2) * sizeof *words);
    words[count] = word;
    words[count + 1] = NULL;
    return words;
}

/* Returns the next word; NULL: a quote is not closed. */
static char *take_word(const char **at) {
    struct xs_string word = {0};
    const char *c = *at;
    xs_string_add(&word, "", 0);
    for (; *c && *c != ' '; c++) {
        if (*c == '\'') {
            const char *end = strchr(c + 1, '\'');
            if (!end) {
                xs_string_free(&word);
                return NULL;
            }
            xs_string_add(&word, c + 1, (size_t)(end - c - 1));
            c = end;
        } else {
            c += *c == '\\' && c[1];
            xs_string_add(&word, c, 1);
        }
    }
    *at = c;
    return word.data;
}

char **xs_program_words(const char *command) {
    char **words = NULL;
    size_t count = 0;
    for (command += strspn(command, " "); *command; command += strspn(command, " ")) {
        char *word = take_word(&command);
        if (!word)
            return free_words(words);
        words = add_word(words, count++, word);
    }
    return words;
}

/* --- the program --- */

int xs_program_begin(struct xs_program *program) {
    char *tried = NULL, **bare;
    struct xs_string preload = {0};
    *program = (struct xs_program){.library = xs_find_library(&tried)};
    if (!program->library) {
        xs_complain(XS_LIBRARY_NOT_FOUND_AT, tried);
        free(tried);
        return XS_EXIT_ERROR;
    }
    if (strpbrk(program->library, " :\t\n")) {
        xs_complain(XS_CANNOT_PRELOAD, program->library);
        return XS_EXIT_ERROR;
    }
    xs_string_format(&preload, "LD_PRELOAD=%s", program->library);
    bare = xs_environment_bare(environ, NULL);
    for (char **setting = bare; *setting; setting++)
        if (!strncmp(*setting, "LD_PRELOAD=", strlen("LD_PRELOAD=")) && (*setting)[strlen("LD_PRELOAD=")])
            xs_string_format(&preload, ":%s", *setting + strlen("LD_PRELOAD="));
    xs_environment_free(bare);
    program->preload = preload.data;
    return XS_EXIT_OK;
}

void xs_program_end(struct xs_program *program) {
    free_words(program->argv);
    free(program->folder);
    free(program->library);
    free(program->preload);
    *program = (struct xs_program){0};
}

void xs_program_set(struct xs_program *program, char *const *argv) {
    for (size_t i = 0; argv[i]; i++)
        program->argv = add_word(program->argv, i, xs_strdup(argv[i]));
}

/* Asks the user, and returns true if the answer is yes. If there is no terminal, prints a message that says what to
 * type. */
static bool ask(const char *trace, const char *command, const char *folder) {
    XS_SCOPED char *name = xs_text_escaped(trace), *shown = xs_text_escaped(command), *where = xs_text_escaped(folder);
    char answer[16] = "";
    bool can_ask = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (can_ask) {
        fprintf(stderr, "xferspy: the command in %s is: %s\nxferspy: Run it in %s? [y/N] ", name, shown, where);
        fflush(stderr);
        if (!fgets(answer, sizeof answer, stdin))
            putc('\n', stderr);
    } else {
        xs_complain("the command in %s is: %s", trace, command);
        xs_complain("anybody can write a command into a trace; add --yes to run it in %s", folder);
    }
    return *answer == 'y' || *answer == 'Y';
}

int xs_program_of_trace(struct xs_program *program, const struct xs_trace *trace, bool is_agreed) {
    char *command = xs_realloc(NULL, COMMAND_BYTES), folder[PATH_BYTES];
    const char *why = NULL;
    xs_trace_meta_text(trace, "command", command, COMMAND_BYTES, "");
    xs_trace_meta_text(trace, "cwd", folder, sizeof folder, "");
    size_t length = strlen(command);
    static const char cut[] = " ...";
    if (!length || folder[0] != '/')
        why = "does not say which command it is of";
    else if (strstr(command, XS_REDACT_HIDDEN))
        why = "has a command that XFERSPY_REDACT hid a part of";
    else if (length >= strlen(cut) && !strcmp(command + length - strlen(cut), cut))
        why = "has a command that is too long to be kept whole";
    if (!why && !(program->argv = xs_program_words(command)))
        why = "has a command that cannot be read";
    if (why) {
        XS_SCOPED char *word = xs_text_shell_word(trace->path);
        xs_complain("%s %s; say it: xferspy try %s -- PROGRAM [ARGUMENTS]", trace->path, why, word);
    } else {
        program->folder = xs_strdup(folder);
    }
    bool runs = !why && (is_agreed || ask(trace->path, command, folder));
    free(command);
    return runs ? XS_EXIT_OK : XS_EXIT_ERROR;
}

bool xs_program_enter(const struct xs_program *program, int *back) {
    *back = program->folder ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (!program->folder || (*back >= 0 && chdir(program->folder) == 0))
        return true;
    xs_complain("%s, where the trace was recorded, cannot be entered: %s", program->folder, strerror(errno));
    xs_program_leave(*back);
    return false;
}

void xs_program_leave(int back) {
    if (back < 0)
        return;
    if (fchdir(back) != 0)
        xs_complain("cannot go back to the folder before: %s", strerror(errno));
    close(back);
}

/* --- recording --- */

/* True if a setting is kept while recording. Every call must be in the trace, as the program made it, so settings for
 * parts of the run and for repairs are not kept. */
static bool is_for_recording(const char *setting, bool is_whole) {
    static const char *const others[] = {
        "XFERSPY_OUTPUT=",     "XFERSPY_WINDOW=", "XFERSPY_OUTSIDE=", "XFERSPY_STEP=", "XFERSPY_STEPS=",
        "XFERSPY_SKIP_STEPS=", "XFERSPY_REPAIR",  WHOLE_FINGERPRINT,  WHOLE_BUDGET,    WHOLE_HOST_READS};
    const size_t count = sizeof others / sizeof *others - (is_whole ? 0 : 3);
    bool is = !strncmp(setting, "XFERSPY_", strlen("XFERSPY_"));
    for (size_t i = 0; i < count; i++)
        is = is && strncmp(setting, others[i], strlen(others[i])) != 0;
    return is;
}

/* True if a trace `whole` has to watch all downloads. */
static bool watches_all(const struct xs_program *program) {
    const char *wish = getenv("XFERSPY_HOST_READS");
    return program->watches_all || (wish && *wish && strcmp(wish, "off") != 0);
}

/* Returns the settings for a recording. The settings of the user are kept, but with `is_whole`, contents and device
 * times of all copies are recorded. */
static char **settings_of(const struct xs_program *program, const char *output, bool is_whole) {
    char **settings = NULL;
    size_t count = 0;
    for (char **setting = environ; *setting; setting++)
        if (is_for_recording(*setting, is_whole))
            settings = add_word(settings, count++, xs_strdup(*setting));
    if (!getenv("XFERSPY_QUIET"))
        settings = add_word(settings, count++, xs_strdup("XFERSPY_QUIET=on"));
    if (is_whole) {
        settings = add_word(settings, count++, xs_strdup(WHOLE_FINGERPRINT "all"));
        settings = add_word(settings, count++, xs_strdup(WHOLE_BUDGET "off"));
        if (watches_all(program))
            settings = add_word(settings, count++, xs_strdup(WHOLE_HOST_READS "all"));
    }
    settings = add_word(settings, count++, xs_text_format("XFERSPY_OUTPUT=%s", output));
    if (!getenv("NVTX_INJECTION64_PATH"))
        settings = add_word(settings, count++, xs_text_format("NVTX_INJECTION64_PATH=%s", program->library));
    return add_word(settings, count, xs_strdup(program->preload));
}

/* Runs the program and drops its output. If the result is not XS_RAN_TO_END, a message says why, unless it was
 * interrupted. */
static enum xs_ran run_recorded(const struct xs_program *program, const char *output, bool is_whole) {
    char **settings = settings_of(program, output, is_whole), **environment = xs_environment_bare(environ, settings);
    FILE *nothing = fopen("/dev/null", "r+e");
    struct xs_watch watch;
    uint64_t wall_ns;
    int ended;
    enum xs_ran ran = XS_RAN_NOT;
    if (!nothing) {
        xs_complain("/dev/null: %s", strerror(errno));
    } else {
        xs_watch_begin(&watch);
        ran = xs_run_once(program->argv, environment, nothing, nothing, &watch, program->deadline_ns, &wall_ns, &ended);
        xs_watch_end(&watch);
        fclose(nothing);
    }
    if (ran == XS_RAN_TOO_LONG)
        xs_complain("the time limit came before the end of the recording");
    xs_environment_free(environment);
    xs_environment_free(settings);
    return ran;
}

/* Finds the trace that was written. If there is not exactly one, prints a message and returns false. `stays`: the
 * traces are kept, so if there are several, the user can choose one. */
static bool find_trace(const struct xs_program *program, const char *folder, const char *prefix, bool stays,
                       char **trace) {
    XS_SCOPED_STRING pattern = {0};
    glob_t found = {0};
    xs_string_format(&pattern, "%s/%s[0-9]*.db", folder, prefix);
    if (glob(pattern.data, 0, NULL, &found) != 0)
        found.gl_pathc = 0;
    if (found.gl_pathc == 1)
        *trace = xs_strdup(found.gl_pathv[0]);
    else if (!found.gl_pathc)
        xs_say_no_trace(program->argv[0]);
    else if (stays)
        xs_complain("%zu processes of the program use CUDA; their traces are in %s: try one of them, with the command "
                    "of its process",
                    found.gl_pathc, folder);
    else
        xs_complain("%zu processes of the program use CUDA", found.gl_pathc);
    globfree(&found);
    return *trace != NULL;
}

static void add_escaped(struct xs_string *output, const char *path) {
    for (const char *c = path; *c; c++) /* in the template of capture, % begins a field, so it is doubled */
        xs_string_format(output, *c == '%' ? "%%%%" : "%c", *c);
}

/* Records into a folder below `here`, or, if `here` is empty, into a temporary one. */
static enum xs_ran record(const struct xs_program *program, const char *here, const char *folder, bool is_whole,
                          char **trace) {
    const char *prefix = is_whole ? "" : "predicts.";
    XS_SCOPED_STRING output = {0};
    xs_complain(is_whole ? "recording it once more, with the contents of all copies" : "recording the program");
    add_escaped(&output, here);
    xs_string_format(&output, "%s", *here ? "/" : "");
    add_escaped(&output, folder);
    xs_string_format(&output, "/%s%%p.db", prefix);
    enum xs_ran ran = run_recorded(program, output.data, is_whole);
    if (ran == XS_RAN_TO_END && !find_trace(program, folder, prefix, *here != '\0', trace))
        ran = XS_RAN_NOT;
    return ran;
}

void xs_remove_folder(const char *path) {
    DIR *folder = opendir(path);
    // cppcheck-suppress readdirCalled ; no other thread reads this folder
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

int xs_program_record(const struct xs_program *program, struct xs_program_traces *recorded) {
    char folder[] = FOLDER, *here = getcwd(NULL, 0);
    *recorded = (struct xs_program_traces){0};
    if (!here || !mkdtemp(folder)) {
        xs_complain("cannot make a folder for the trace: %s", strerror(errno));
        free(here);
        return XS_EXIT_ERROR;
    }
    enum xs_ran ran = record(program, here, folder, false, &recorded->predicts);
    if (ran == XS_RAN_TO_END)
        ran = record(program, here, folder, true, &recorded->whole);
    if (ran == XS_RAN_TOO_LONG || ran == XS_RAN_INTERRUPTED)
        xs_remove_folder(folder); /* also deletes an incomplete trace */
    else
        rmdir(folder); /* succeeds only if the folder is empty */
    free(here);
    return ran == XS_RAN_TO_END ? XS_EXIT_OK : XS_EXIT_ERROR;
}

bool xs_make_folder(char *folder, size_t bytes) {
    const char *base = getenv("TMPDIR");
    if (snprintf(folder, bytes, "%s/" FOLDER, base && *base == '/' ? base : "/tmp") >= (int)bytes)
        snprintf(folder, bytes, "/tmp/" FOLDER);
    if (mkdtemp(folder))
        return true;
    xs_complain("%s: %s", folder, strerror(errno));
    *folder = '\0';
    return false;
}

bool xs_program_record_whole(const struct xs_program *program, struct xs_program_traces *recorded,
                             bool *is_interrupted) {
    char folder[PATH_BYTES];
    int back;
    enum xs_ran ran = XS_RAN_NOT;
    *recorded = (struct xs_program_traces){0};
    *is_interrupted = false;
    if (!xs_make_folder(folder, sizeof folder))
        return false;
    if (xs_program_enter(program, &back)) {
        ran = record(program, "", folder, true, &recorded->whole);
        xs_program_leave(back);
    }
    if (ran != XS_RAN_TO_END)
        xs_remove_folder(folder);
    *is_interrupted = ran == XS_RAN_INTERRUPTED;
    return ran == XS_RAN_TO_END;
}

void xs_program_forget(const struct xs_program_traces *recorded) {
    XS_SCOPED char *folder = xs_strdup(recorded->whole);
    *strrchr(folder, '/') = '\0';
    xs_remove_folder(folder);
}

void xs_recorded_free(struct xs_program_traces *recorded) {
    free(recorded->predicts);
    free(recorded->whole);
    *recorded = (struct xs_program_traces){0};
}
