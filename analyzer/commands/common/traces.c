/* Finds the names of traces from a command's arguments; see traces.h. */
#include "analyzer/commands/common/traces.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/process.h"
#include "schema/read/merged.h"
#include "schema/spool/spool_location.h"
#include "schema/write/store.h"

enum { NOTES = 3 }; /* lines about files in a folder that are no traces */

/* Identifies a trace. Two names of the same trace have equal sources. */
struct source {
    dev_t device;
    ino_t inode;
    char *member; /* name of the trace in a merged file; "" for other files */
};

struct expansion {
    struct xs_traces *traces;
    struct source *sources; /* one per name; inode 0: no such file */
    int status;
};

static bool is_same(const struct source *a, const struct source *b) {
    return a->inode && a->inode == b->inode && a->device == b->device && !strcmp(a->member, b->member);
}

/* Adds a trace, unless it was added before. `file` must exist for it. */
static void add(struct expansion *e, const char *name, const char *file, const char *member) {
    struct xs_traces *traces = e->traces;
    struct stat st;
    struct source source = {.member = xs_strdup(member)};
    if (stat(file, &st) == 0) {
        source.device = st.st_dev;
        source.inode = st.st_ino;
    }
    for (int i = 0; i < traces->count; i++) {
        if (is_same(&e->sources[i], &source)) {
            if (strcmp(traces->names[i], name) != 0)
                xs_complain("%s: is %s, which was named before; counted once", name, traces->names[i]);
            else
                xs_complain("%s: named twice; counted once", name);
            free(source.member);
            return;
        }
    }
    traces->names = xs_realloc(traces->names, ((size_t)traces->count + 1) * sizeof *traces->names);
    e->sources = xs_realloc(e->sources, ((size_t)traces->count + 1) * sizeof *e->sources);
    e->sources[traces->count] = source;
    traces->names[traces->count++] = xs_strdup(name);
}

static void add_merged(struct expansion *e, const char *file) {
    struct xs_merged_trace *members;
    size_t count;
    char message[XS_TRACE_MESSAGE_BYTES];
    if (xs_merged_list(file, &members, &count, message) < 0) {
        xs_complain("%s", message);
        e->status = XS_EXIT_ERROR;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        XS_SCOPED char *name = xs_text_format("%s:%s", file, members[i].name);
        add(e, name, file, members[i].name);
    }
    free(members);
}

/* True if a file is a trace, by its first bytes. If the trace cannot be read, opening it will show that. */
static bool is_trace(const char *path) {
    unsigned char header[100] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno != ENOENT; /* a later message says why it cannot be read */
    ssize_t n = pread(fd, header, sizeof header, 0);
    close(fd);
    uint32_t id = (uint32_t)header[68] << 24 | (uint32_t)header[69] << 16 | (uint32_t)header[70] << 8 | header[71];
    return n == sizeof header && memcmp(header, "SQLite format 3", 16) == 0 && id == XS_APPLICATION_ID;
}

static int is_database(const struct dirent *entry) {
    return entry->d_name[0] != '.' && xs_text_ends_with(entry->d_name, ".db");
}

/* Deletes files that a process left because it was killed while it started. They are no traces, and useless for a user.
 */
static void clear_unstarted(const char *folder) {
    DIR *entries = opendir(folder);
    /* cppcheck-suppress readdirCalled ; of a stream of this thread's own */
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (xs_text_ends_with(entry->d_name, ".db.spool")) {
            size_t bytes = strlen(entry->d_name) - strlen(".spool");
            XS_SCOPED char *path = xs_text_format("%s/%.*s", folder, (int)bytes, entry->d_name);
            xs_spool_clear_unstarted(path);
        }
    }
    if (entries)
        closedir(entries);
}

static void add_folder(struct expansion *e, const char *folder) {
    clear_unstarted(folder);
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_database, versionsort), found = 0, others = 0;
    size_t length = strlen(folder);
    if (count < 0) {
        xs_complain("%s: %s", folder, strerror(errno));
        e->status = XS_EXIT_ERROR;
        return;
    }
    for (int i = 0; i < count; i++) {
        XS_SCOPED_STRING path = {0};
        struct stat st;
        xs_string_format(&path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/", entries[i]->d_name);
        bool is_file = stat(path.data, &st) == 0 && S_ISREG(st.st_mode);
        if (is_file && xs_merged_is(path.data)) {
            add_merged(e, path.data);
            found++;
        } else if (is_file && is_trace(path.data)) {
            add(e, path.data, path.data, "");
            found++;
        } else if (others++ < NOTES) {
            xs_complain("%s: not an xferspy trace; left out", path.data);
        }
        free(entries[i]);
    }
    free(entries);
    if (others > NOTES)
        xs_complain("%s: %d more that are no traces left out", folder, others - NOTES);
    if (!found) {
        xs_complain("%s: has no traces (*.db) in it", folder);
        e->status = XS_EXIT_ERROR;
    }
}

bool xs_complain_folder(const char *path) {
    struct stat st;
    struct dirent **entries = NULL;
    XS_SCOPED_STRING names = {0};
    int found = 0;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return false;
    int count = scandir(path, &entries, is_database, versionsort);
    for (int i = 0; i < count; i++) {
        XS_SCOPED char *name =
            xs_text_format("%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entries[i]->d_name);
        if (is_trace(name) && found++ < NOTES)
            xs_string_format(&names, "%s%s", found > 1 ? ", " : "", name);
        free(entries[i]);
    }
    free(entries);
    XS_SCOPED char *word = xs_text_shell_word(path);
    if (!found)
        xs_complain("%s: is a folder without traces (*.db)", path);
    else {
        if (found > NOTES)
            xs_string_format(&names, " or one of %d more", found - NOTES);
        xs_complain("%s: is a folder; name one of its traces: %s; `xferspy report %s' reads all of them", path,
                    names.data, word);
    }
    return true;
}

static void add_process(struct expansion *e, const char *pid) {
    struct xs_traces written;
    if (xs_process_traces(pid, &written) != XS_EXIT_OK)
        e->status = XS_EXIT_ERROR;
    for (int i = 0; i < written.count; i++)
        add(e, written.names[i], written.names[i], "");
    xs_traces_free(&written);
}

static void add_argument(struct expansion *e, const char *argument) {
    struct stat st;
    size_t split = xs_merged_split(argument);
    if (split) {
        XS_SCOPED char *file = xs_traces_file(argument);
        add(e, argument, file, argument + split + 1);
    } else if (stat(argument, &st) == 0 && S_ISDIR(st.st_mode)) {
        add_folder(e, argument);
    } else if (stat(argument, &st) == 0 && S_ISREG(st.st_mode) && xs_merged_is(argument)) {
        add_merged(e, argument);
    } else if (xs_is_process(argument)) {
        add_process(e, argument);
    } else {
        add(e, argument, argument, "");
    }
}

int xs_traces_expand(char *const *arguments, int count, struct xs_traces *traces) {
    struct expansion e = {.traces = traces, .status = XS_EXIT_OK};
    *traces = (struct xs_traces){0};
    for (int i = 0; i < count; i++)
        add_argument(&e, arguments[i]);
    for (int i = 0; i < traces->count; i++)
        free(e.sources[i].member);
    free(e.sources);
    return e.status;
}

void xs_traces_free(struct xs_traces *traces) {
    for (int i = 0; i < traces->count; i++)
        free(traces->names[i]);
    free(traces->names);
    *traces = (struct xs_traces){0};
}

char *xs_traces_file(const char *name) {
    size_t split = xs_merged_split(name);
    return xs_text_format("%.*s", split ? (int)split : -1, name);
}

char *xs_trace_identity(const struct xs_trace *trace) {
    char host[256];
    struct xs_string text = {0};
    int64_t start_ns = xs_trace_meta_int(trace, "start_unix_ns", 0);
    int64_t pid = xs_trace_meta_int(trace, "pid", -1);
    if (start_ns <= 0 || pid < 0)
        return NULL;
    xs_string_format(&text, "%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64,
                     xs_trace_meta_text(trace, "host", host, sizeof host, ""), pid,
                     xs_trace_meta_int(trace, "rank", -1), start_ns);
    return text.data;
}

bool xs_output_is_trace(const struct xs_out_options *options, const struct xs_traces *traces) {
    for (int i = 0; i < traces->count; i++) {
        char *file = xs_traces_file(traces->names[i]);
        bool is_input = xs_output_is_input(options, &file, 1);
        free(file);
        if (is_input)
            return true;
    }
    return false;
}
