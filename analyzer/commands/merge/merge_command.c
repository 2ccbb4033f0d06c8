/* xferspy merge: puts the traces of a job into one file. Every trace is first opened once, to find the order and the
 * names, and then copied, one trace at a time. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/base/unfinished.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/new_trace.h"
#include "analyzer/commands/common/traces.h"
#include "schema/read/merged.h"
#include "schema/read/merged_write.h"

XS_DECLARE_COMMAND(merge)

static const char doc[] =
    "Puts the traces of a job into one file that every command reads. Nothing is lost. Arguments are traces, folders "
    "with traces (*.db), and merged files. A trace that is given more than once is taken once, also as a copy. If a "
    "trace cannot be read, a message names it, it is left out, and the exit status is 1. A trace that is still being "
    "written is taken as it is now, which gives a snapshot of a running process."
    "\v"
    "Examples:\n"
    "  xferspy merge -o job.db run/\n"
    "  xferspy merge -o snapshot.db 4242      what process 4242 has written so far\n"
    "  xferspy report job.db                  the job: its ranks and findings\n"
    "  xferspy explain job.db:3 noop-upload   rank 3 alone\n"
    "  xferspy query job.db \"SELECT rank, sum(bytes) FROM transfers GROUP BY rank\"\n"
    "\n"
    "A trace in the file is named by its rank, `job.db:3'. If it has no rank, or several have the same rank, it is "
    "named "
    "by its file's name. `xferspy query job.db \"SELECT * FROM merged_trace\"' lists them.";

/* A trace to be merged, as it was when it was first opened. */
struct source {
    const char *path;
    int64_t rank, pid, start_unix_ns; /* rank -1: none */
    char *host, *file, *identity;     /* file: name without the folder; identity NULL: not known */
    char name[XS_MERGED_NAME_BYTES];
};

struct job {
    struct source *sources;
    size_t count;
    size_t unread; /* number of arguments that were left out */
};

/* Returns the file's name; for a trace of a merged file, the name it was merged under. */
static char *file_of(const struct xs_trace *trace, const char *path) {
    if (trace->merged_id < 0)
        return xs_strdup(xs_base_name(path));
    return xs_strdup(path + xs_merged_split(path) + 1);
}

static void free_source(struct source *source) {
    free(source->identity);
    free(source->file);
    free(source->host);
}

static void look_at(struct job *job, const char *path) {
    struct xs_trace trace;
    char host[256];
    if (xs_open(path, &trace, false) < 0) {
        job->unread++;
        return;
    }
    struct source source = {.path = path, .identity = xs_trace_identity(&trace), .file = file_of(&trace, path)};
    source.rank = xs_trace_meta_int(&trace, "rank", -1);
    source.pid = xs_trace_meta_int(&trace, "pid", -1);
    source.start_unix_ns = xs_trace_meta_int(&trace, "start_unix_ns", 0);
    source.host = xs_strdup(xs_trace_meta_text(&trace, "host", host, sizeof host, ""));
    xs_trace_close(&trace);
    for (size_t i = 0; i < job->count && source.identity; i++) {
        if (job->sources[i].identity && !strcmp(job->sources[i].identity, source.identity)) {
            xs_complain("%s: the same run as %s; taken once", path, job->sources[i].path);
            free_source(&source);
            return;
        }
    }
    job->sources = xs_realloc(job->sources, (job->count + 1) * sizeof *job->sources);
    job->sources[job->count++] = source;
}

/* Sorts by rank, traces without a rank last, then by data that does not depend on the order of the arguments. */
static int by_rank(const void *left, const void *right) {
    const struct source *a = left, *b = right;
    return xs_compare(a->rank < 0, b->rank < 0) ?: xs_compare(a->rank, b->rank) ?: strcmp(a->host, b->host)
        ?: xs_compare(a->start_unix_ns, b->start_unix_ns) ?: xs_compare(a->pid, b->pid) ?: strcmp(a->file, b->file);
}

static bool is_taken(const struct job *job, size_t before, const char *name) {
    for (size_t i = 0; i < before; i++)
        if (!strcmp(job->sources[i].name, name))
            return true;
    return false;
}

/* Gives each trace a name: its rank if it is unique, else its file name without .db, with ~2 and so on if the name is
 * used already. */
static void name_sources(struct job *job) {
    for (size_t i = 0; i < job->count; i++) {
        struct source *s = &job->sources[i];
        size_t length = strlen(s->file), same = 0;
        for (size_t k = 0; k < job->count; k++)
            same += job->sources[k].rank == s->rank;
        length -= length > 3 && xs_text_ends_with(s->file, ".db") ? 3 : 0;
        length = length < 200 ? length : 200;
        if (s->rank >= 0 && same == 1)
            snprintf(s->name, sizeof s->name, "%" PRId64, s->rank);
        else
            snprintf(s->name, sizeof s->name, "%.*s", (int)length, s->file);
        for (int n = 2; is_taken(job, i, s->name); n++)
            snprintf(s->name, sizeof s->name, "%.*s~%d", (int)length, s->file, n);
    }
}

/* Copies one trace. A negative status ends the merge. */
static int copy(struct job *job, struct xs_merged_writer *writer, const struct source *source, size_t *merged) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    int status = xs_trace_open(source->path, &trace, message);
    if (status >= 0) {
        xs_progress_begin(&trace);
        xs_progress_range(0, 1, (size_t)(source - job->sources), job->count);
        xs_progress_at(XS_PROGRESS_WRITE);
        status = xs_merged_add(writer, &trace, source->name, source->file, message);
        xs_progress_end();
        xs_trace_close(&trace);
    } else {
        status = XS_ERROR_CORRUPT;
    }
    if (status >= 0) {
        (*merged)++;
        return XS_OK;
    }
    xs_complain("%s", message);
    job->unread++;
    return status == XS_ERROR_CORRUPT ? XS_OK : status;
}

static void tell(const struct xs_out_options *options, size_t merged, size_t unread) {
    struct stat st;
    XS_SCOPED char *path = xs_text_escaped(options->path);
    int64_t size = stat(options->path, &st) == 0 ? st.st_size : 0;
    printf("%s: %zu trace%s, %s\n", path, merged, merged == 1 ? "" : "s", XS_BYTES_TEXT((uint64_t)size));
    if (unread)
        xs_complain("%s: is not the whole job: %zu of %zu traces could not be read", options->path, unread,
                    merged + unread);
}

static int merge(struct job *job, const char *temporary, const struct xs_out_options *options) {
    struct xs_merged_writer *writer;
    char message[XS_TRACE_MESSAGE_BYTES];
    size_t merged = 0;
    int status = xs_merged_create(temporary, options->path, &writer, message);
    if (status < 0) {
        xs_complain("%s", message);
        return XS_EXIT_ERROR;
    }
    xs_progress_begin_file(options->path, 0);
    for (size_t i = 0; i < job->count && status >= 0; i++)
        status = copy(job, writer, &job->sources[i], &merged);
    xs_progress_end();
    bool keep = status >= 0 && merged;
    if (xs_merged_close(writer, keep, message) < 0) {
        xs_complain("%s", message);
        keep = false;
    }
    if (!keep || xs_put_in_place(temporary, options->path, options->force) < 0)
        return XS_EXIT_ERROR;
    tell(options, merged, job->unread);
    return job->unread ? XS_EXIT_ERROR : XS_EXIT_OK;
}

/* Merges into a temporary file in the folder of the output, and renames it when it is complete. */
static int merge_into(struct job *job, const struct xs_out_options *options) {
    XS_SCOPED char *temporary = xs_text_format("%s.XXXXXX", options->path);
    sigset_t before;
    xs_unfinished_wait(&before);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd >= 0)
        xs_unfinished(temporary);
    xs_unfinished_go_on(&before);
    if (fd < 0) {
        xs_complain("%s: %s", options->path, strerror(errno));
        return XS_EXIT_ERROR;
    }
    if (fchmod(fd, 0600) != 0)
        errno = 0; /* not on this file system */
    close(fd);
    int status = merge(job, temporary, options);
    unlink(temporary);
    xs_finished(temporary);
    return status;
}

static int merge_traces(const struct xs_traces *traces, const struct xs_out_options *options) {
    struct job job = {0};
    for (int i = 0; i < traces->count; i++)
        look_at(&job, traces->names[i]);
    xs_sort(job.sources, job.count, sizeof *job.sources, by_rank);
    name_sources(&job);
    int status = job.count ? merge_into(&job, options) : XS_EXIT_ERROR;
    for (size_t i = 0; i < job.count; i++)
        free_source(&job.sources[i]);
    free(job.sources);
    return status;
}

static bool is_file_name(const struct xs_out_options *options) {
    struct stat st;
    return strcmp(options->path, "-") != 0 &&
           (stat(options->path, &st) != 0 || (S_ISREG(st.st_mode) && !xs_out_is_open_already(options->path)));
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct xs_traces_arguments *arguments = state->input;
    if (key == ARGP_KEY_END && !arguments->output.path)
        argp_error(state, "into which file? -o JOB.db");
    return xs_parse_traces(key, argument, state);
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, {0}};
const struct xs_interface xs_interface_merge = {
    .argp = {.parser = parse, .args_doc = "TRACE|PID...", .doc = doc, .children = children}};

int xs_command_merge(int argc, char **argv) {
    struct xs_traces_arguments arguments = {0};
    struct xs_traces traces;
    bool done = false;
    if (argp_parse(&xs_interface_merge.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    int status = xs_traces_expand(arguments.traces, arguments.count, &traces);
    if (!is_file_name(&arguments.output))
        xs_complain("%s: is no regular file; merge writes into one", arguments.output.path);
    else if (!xs_output_is_trace(&arguments.output, &traces) && xs_out_check(&arguments.output) >= 0 &&
             merge_traces(&traces, &arguments.output) == XS_EXIT_OK)
        done = true;
    xs_traces_free(&traces);
    return done ? status : XS_EXIT_ERROR;
}
