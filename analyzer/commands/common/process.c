/* Finds traces of running processes by their open files; see process.h. */
#include "analyzer/commands/common/process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/interned.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "schema/read/trace.h"

enum { MOST_PROCESSES = 4096, NAMED = 8 /* NAMED: number of processes that a message names */ };

bool xs_is_process(const char *argument) {
    return *argument && !argument[strspn(argument, "0123456789")] && access(argument, F_OK) != 0;
}

/* --- traces that one process has open --- */

static bool is_trace_of(const char *path, int64_t pid) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES], magic[16] = "";
    struct stat st;
    bool regular = stat(path, &st) == 0 && S_ISREG(st.st_mode); /* opening a FIFO would wait */
    FILE *file = regular ? fopen(path, "rb") : NULL;
    size_t bytes = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file)
        fclose(file);
    if (bytes != sizeof magic || memcmp(magic, "SQLite format 3", sizeof magic) != 0 ||
        xs_trace_open(path, &trace, message) < 0)
        return false;
    bool mine = xs_trace_meta_int(&trace, "pid", 0) == pid;
    xs_trace_close(&trace);
    return mine;
}

static void add(struct xs_traces *traces, const char *path) {
    for (int i = 0; i < traces->count; i++)
        if (!strcmp(traces->names[i], path))
            return; /* it has several files of the same trace open */
    traces->names = xs_realloc(traces->names, ((size_t)traces->count + 1) * sizeof *traces->names);
    traces->names[traces->count++] = xs_strdup(path);
}

static bool is_new(struct xs_texts *seen, const char *path) {
    size_t before = seen->known.count;
    xs_texts_keep(seen, path);
    return seen->known.count > before;
}

/* Adds the traces of one table of open files. `seen` has the files that were checked already. Returns 0, or why the
 * table cannot be read. */
static int add_of_table(int64_t pid, const char *folder, struct xs_texts *seen, struct xs_traces *traces) {
    DIR *files = opendir(folder);
    int error = files ? 0 : errno;
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; files && (entry = readdir(files));) {
        char path[PATH_MAX], *name = xs_text_format("%s/%s", folder, entry->d_name);
        ssize_t length = readlink(name, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        if (*path == '/' && strncmp(path, "/dev/", 5) != 0 && is_new(seen, path) && is_trace_of(path, pid))
            add(traces, path);
        free(name);
    }
    if (files)
        closedir(files);
    return error;
}

/* Adds the open traces of every thread, because the thread that writes the trace has a separate table of open files.
 * Returns 0, or why no table can be read. */
static int add_open_ones(int64_t pid, struct xs_traces *traces) {
    XS_SCOPED_STRING folder = {0};
    struct xs_texts seen = {0};
    xs_string_format(&folder, "/proc/%" PRId64 "/task", pid);
    size_t bytes = folder.length;
    DIR *threads = opendir(folder.data);
    int first_error = threads ? 0 : errno;
    bool any = false;
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; threads && (entry = readdir(threads));) {
        if (*entry->d_name == '.')
            continue;
        folder.length = bytes;
        xs_string_format(&folder, "/%s/fd", entry->d_name);
        int error = add_of_table(pid, folder.data, &seen, traces);
        any |= !error;
        first_error = first_error ? first_error : error;
    }
    if (threads)
        closedir(threads);
    xs_texts_free(&seen);
    return any ? 0 : first_error;
}

/* --- processes that a process started --- */

char *xs_process_file(int64_t pid, const char *what, size_t *bytes) {
    XS_SCOPED char *path = xs_text_format("/proc/%" PRId64 "/%s", pid, what);
    struct xs_string text = {0};
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    xs_string_read(&text, file, SIZE_MAX);
    fclose(file);
    *bytes = text.length;
    return text.data;
}

struct process {
    int64_t pid, parent;
    bool is_meant;
};

/* The number of the parent is the second word after the name. The name is in brackets and may contain any
 * characters. */
int64_t xs_process_parent(int64_t pid) {
    size_t bytes = 0;
    XS_SCOPED char *stat = xs_process_file(pid, "stat", &bytes);
    const char *behind = stat ? strrchr(stat, ')') : NULL;
    return behind && strlen(behind) > 4 ? strtoll(behind + 4, NULL, 10) : 0;
}

static size_t list_processes(struct process *processes) {
    size_t count = 0;
    DIR *entries = opendir("/proc");
    // cppcheck-suppress readdirCalled ; the stream is this function's own
    for (struct dirent *entry; entries && count < MOST_PROCESSES && (entry = readdir(entries));)
        if (!entry->d_name[strspn(entry->d_name, "0123456789")]) {
            int64_t pid = strtoll(entry->d_name, NULL, 10);
            processes[count++] = (struct process){.pid = pid, .parent = xs_process_parent(pid)};
        }
    if (entries)
        closedir(entries);
    return count;
}

/* Marks children, their children, and so on. Processes do not have their numbers in the order of their starts, so this
 * is repeated until no new child is found. */
static void mean_descendants(struct process *processes, size_t count, int64_t pid) {
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            bool child = processes[i].parent == pid;
            for (size_t k = 0; k < count && !child; k++)
                child = processes[k].is_meant && processes[k].pid == processes[i].parent;
            more |= child && !processes[i].is_meant;
            processes[i].is_meant |= child;
        }
    }
}

/* Adds "4243 writes run.db, 4244 writes run.2.db". */
static void add_descendants(int64_t pid, struct xs_traces *traces, struct xs_string *who) {
    XS_SCOPED struct process *processes = xs_realloc(NULL, MOST_PROCESSES * sizeof *processes);
    size_t count = list_processes(processes);
    int named = 0;
    mean_descendants(processes, count, pid);
    for (size_t i = 0; i < count; i++) {
        int before = traces->count;
        if (!processes[i].is_meant)
            continue;
        add_open_ones(processes[i].pid, traces);
        for (int k = before; k < traces->count && named < NAMED; k++, named++)
            xs_string_format(who, "%s%" PRId64 " writes %s", named ? ", " : "", processes[i].pid, traces->names[k]);
    }
    if (traces->count > named)
        xs_string_format(who, ", and %d more", traces->count - named);
}

int xs_process_traces(const char *pid, struct xs_traces *traces) {
    XS_SCOPED_STRING who = {0};
    int64_t number = strtoll(pid, NULL, 10);
    *traces = (struct xs_traces){0};
    int error = add_open_ones(number, traces);
    if (!traces->count)
        add_descendants(number, traces, &who);
    if (who.length)
        xs_complain("process %s writes no trace itself; of those that it started, %s", pid, who.data);
    else if (!traces->count && error)
        xs_complain("process %s: %s", pid, strerror(error));
    else if (!traces->count)
        xs_complain("process %s writes no trace now, nor does a process that it started; was it started under xferspy, "
                    "and has it used CUDA?",
                    pid);
    return traces->count ? XS_EXIT_OK : XS_EXIT_ERROR;
}

char *xs_trace_named(const char *argument) {
    struct xs_traces traces = {0};
    char *name = NULL;
    if (!xs_is_process(argument))
        return xs_strdup(argument);
    if (xs_process_traces(argument, &traces) == XS_EXIT_OK && traces.count == 1)
        name = xs_strdup(traces.names[0]);
    else if (traces.count > 1)
        xs_complain("process %s: several traces; name one of them", argument);
    xs_traces_free(&traces);
    return name;
}
