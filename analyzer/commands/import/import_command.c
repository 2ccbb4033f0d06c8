/* xferspy import: makes traces from an Nsight Systems export, for the findings that need no contents. */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/new_trace.h"
#include "analyzer/commands/import/import.h"
#include "analyzer/words/saving_words.h"

XS_DECLARE_COMMAND(import)

enum { OPTION_PID = 0x100 };
enum { PROCESSES_NAMED = 8 };

struct arguments {
    struct xs_new_trace_arguments files;
    int64_t pid; /* -1: all */
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to import:", 1},
    {"pid", OPTION_PID, "PID", 0, "this process only, where the export has several", 1},
    XS_NEW_TRACE_OPTIONS("the trace to write; %p in its name is the pid"),
    {0}};

static const char doc[] =
    "Makes an xferspy trace from the SQLite export of an Nsight Systems profile. It gives the findings that need no "
    "contents: pageable, slow and small copies, waits, missing overlap, allocations."
    "\v"
    "Examples:\n"
    "  nsys export --type sqlite -o app.sqlite app.nsys-rep\n"
    "  xferspy import app.sqlite -o app.db && xferspy report app.db\n"
    "  xferspy import job.sqlite -o 'rank.%p.db'      one trace a process\n"
    "\n"
    "Profiles with --trace=cuda,nvtx --cuda-memory-usage=true --cudabacktrace=all give more findings. Contents, launch "
    "arguments and the addresses of copies are not in an export, so findings that need them cannot be "
    "made.";

static char *help(int key, const char *text, void *input) {
    (void)input;
    return xs_help_with_page(key, text, "use/import.md");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    char *end;
    switch (key) {
    case OPTION_PID:
        arguments->pid = strtoll(argument, &end, 10);
        if (end == argument || *end || arguments->pid < 0)
            argp_error(state, "--pid=%s: is no process number", argument);
        return 0;
    default:
        return xs_parse_new_trace(key, argument, &arguments->files, state);
    }
}

/* Returns the file name of a process's trace. */
static char *expand(const char *template, int64_t pid) {
    struct xs_string name = {0};
    for (const char *p = template; *p; p++) {
        if (p[0] == '%' && p[1] == 'p') {
            xs_string_format(&name, "%" PRId64, pid);
            p++;
        } else {
            xs_string_add(&name, p, 1);
            p += p[0] == '%' && p[1] == '%';
        }
    }
    return name.data ? name.data : xs_strdup("");
}

static void tell_part(struct xs_string *text, uint64_t count, const char *one, const char *many) {
    if (count)
        xs_string_format(text, "%s%s %s", text->length ? ", " : "", XS_COUNT_TEXT(count), count == 1 ? one : many);
}

static void tell(const char *path, const struct xs_nsys_counts *c, uint64_t skipped) {
    XS_SCOPED_STRING text = {0};
    XS_SCOPED char *name = xs_text_escaped(path);
    tell_part(&text, c->transfers, "transfer", "transfers");
    tell_part(&text, c->memsets, "memset", "memsets");
    tell_part(&text, c->kernels, "kernel", "kernels");
    tell_part(&text, c->waits, "wait", "waits");
    tell_part(&text, c->allocations, "allocation", "allocations");
    tell_part(&text, c->migrations, "page migration or fault", "page migrations and faults");
    printf("%s: %s\n", name, text.length ? text.data : "no transfers");
    xs_string_free(&text);
    tell_part(&text, skipped, "row was left out: it holds values that cannot be true",
              "rows were left out: they hold values that cannot be true");
    if (text.length)
        printf("  %s\n", text.data);
}

static int import_process(struct xs_nsys *nsys, const struct xs_nsys_process *process, bool only,
                          const struct arguments *arguments) {
    struct xs_new_trace trace;
    struct xs_nsys_counts counts;
    char *path = expand(arguments->files.output, process->pid), *source = (char *)(uintptr_t)arguments->files.input;
    struct xs_out_options output = {.path = path};
    if (xs_output_is_input(&output, &source, 1)) {
        free(path);
        return XS_EXIT_ERROR;
    }
    int status = xs_new_trace_begin(&trace, path, arguments->files.force);
    if (status >= 0) {
        xs_progress_at(XS_PROGRESS_WRITE);
        status = xs_nsys_import(nsys, process, only, trace.db, &counts);
        int ended = xs_new_trace_end(&trace, status >= 0);
        status = status < 0 ? status : ended;
    }
    if (status >= 0)
        tell(path, &counts, nsys->skipped);
    free(path);
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static void complain_several(const char *source, const struct xs_nsys_processes *all) {
    XS_SCOPED_STRING text = {0};
    for (size_t i = 0; i < all->count && i < PROCESSES_NAMED; i++)
        xs_string_format(&text, "%s%" PRId64 "%s%s%s", i ? ", " : "", all->items[i].pid, all->items[i].name ? " (" : "",
                         all->items[i].name ? all->items[i].name : "", all->items[i].name ? ")" : "");
    xs_complain("%s: has %zu processes (%s%s): choose one with --pid, or a trace each with %%p in -o", source,
                all->count, text.data, all->count > PROCESSES_NAMED ? ", ..." : "");
}

static int import_processes(struct xs_nsys *nsys, const struct xs_nsys_processes *all,
                            const struct arguments *arguments) {
    int status = XS_EXIT_OK;
    size_t chosen = 0;
    for (size_t i = 0; i < all->count; i++)
        chosen += arguments->pid < 0 || all->items[i].pid == arguments->pid;
    if (!all->count) {
        xs_complain("%s: has no calls of CUDA", arguments->files.input);
        return XS_EXIT_ERROR;
    }
    if (!chosen) {
        xs_complain("%s: has no calls of CUDA of process %" PRId64, arguments->files.input, arguments->pid);
        return XS_EXIT_ERROR;
    }
    if (chosen > 1 && !strstr(arguments->files.output, "%p")) {
        complain_several(arguments->files.input, all);
        return XS_EXIT_ERROR;
    }
    xs_progress_begin_file(arguments->files.input, xs_nsys_rows(nsys));
    for (size_t i = 0, n = 0; i < all->count && status == XS_EXIT_OK; i++)
        if (arguments->pid < 0 || all->items[i].pid == arguments->pid) {
            xs_progress_range(0, 1, n++, chosen);
            status = import_process(nsys, &all->items[i], all->count == 1, arguments);
        }
    xs_progress_end();
    return status;
}

const struct xs_interface xs_interface_import = {
    .argp = {.options = options, .parser = parse, .args_doc = "FILE", .doc = doc, .help_filter = help}};

int xs_command_import(int argc, char **argv) {
    struct arguments arguments = {.files = {.input_is = "export", .output_is = "TRACE.db"}, .pid = -1};
    struct xs_nsys nsys;
    struct xs_nsys_processes processes = {0};
    if (argp_parse(&xs_interface_import.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    int status = XS_EXIT_ERROR;
    if (xs_nsys_open(&nsys, arguments.files.input) >= 0 && xs_nsys_processes_read(&nsys, &processes) >= 0)
        status = import_processes(&nsys, &processes, &arguments);
    xs_nsys_processes_free(&processes);
    xs_nsys_close(&nsys);
    return status;
}
