/* xferspy anonymize: makes a copy of a trace without its names, which can be given to other people. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/anonymize/anonymize.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/new_trace.h"
#include "analyzer/commands/common/traces.h"

XS_DECLARE_COMMAND(anonymize)

enum { OPTION_KEEP = 0x100 };

struct arguments {
    struct xs_new_trace_arguments files;
    struct xs_anonymizing how;
};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What stays:", 1},
    {"keep", OPTION_KEEP, "PARTS", 0,
     "leave these as they are, separated by commas: symbols, kernels, paths, ranges, threads, command, host, devices, "
     "notes, "
     "contents, addresses",
     1},
    XS_NEW_TRACE_OPTIONS("the copy to write"),
    {0}};

static const char doc[] =
    "Hides names in a copy of a trace: paths, arguments, and the names of hosts, functions, kernels, threads and NVTX "
    "ranges become numbered names; fingerprints and addresses become other numbers. Findings, sizes and times stay."
    "\v"
    "Examples:\n"
    "  xferspy anonymize run.db -o to-send.db\n"
    "  xferspy anonymize --keep=symbols,kernels run.db -o to-send.db\n"
    "\n"
    "A name gets the same pseudonym everywhere in one copy, and different ones in two copies. The names of CUDA's own "
    "functions and of well-known libraries stay.";

static void keep(struct arguments *arguments, const char *list, struct argp_state *state) {
    for (const char *p = list; *p; p += strspn(p, ",")) {
        size_t length = strcspn(p, ","), i = 0;
        while (i < xs_anonymous_group_count &&
               (strlen(xs_anonymous_groups[i].word) != length || strncmp(xs_anonymous_groups[i].word, p, length) != 0))
            i++;
        if (i == xs_anonymous_group_count) {
            argp_error(state, "--keep=%.*s: there is no such part; --help lists them", (int)length, p);
            return;
        }
        for (const enum xs_anonymous_kind *kind = xs_anonymous_groups[i].kinds; *kind != XS_ANONYMOUS_NUMBER; kind++)
            arguments->how.keep[*kind] = true;
        p += length;
    }
}

static char *help(int key, const char *text, void *input) {
    (void)input;
    return xs_help_with_page(key, text, "use/anonymize.md");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key != OPTION_KEEP)
        return xs_parse_new_trace(key, argument, &arguments->files, state);
    keep(arguments, argument, state);
    return 0;
}

static void tell(const struct arguments *arguments) {
    char count[XS_UNIT_BYTES];
    char *name = xs_text_escaped(arguments->files.output);
    printf("%s: %s names replaced\n", name, xs_format_count(count, arguments->how.pseudonyms));
    if (arguments->how.left_out)
        printf("  %s values were left out: they are no numbers where numbers belong\n",
               xs_format_count(count, arguments->how.left_out));
    free(name);
}

static int anonymize(struct arguments *arguments, const struct xs_trace *trace) {
    struct xs_new_trace copy;
    if (trace->is_live) {
        xs_complain_live(arguments->files.input, "anonymize");
        return XS_EXIT_ERROR;
    }
    int status = xs_new_trace_begin(&copy, arguments->files.output, arguments->files.force);
    if (status < 0)
        return XS_EXIT_ERROR;
    xs_progress_begin(trace);
    xs_progress_at(XS_PROGRESS_WRITE);
    status = xs_anonymize(trace, copy.db, &arguments->how);
    xs_progress_end();
    int ended = xs_new_trace_end(&copy, status >= 0);
    if (status < 0 || ended < 0)
        return XS_EXIT_ERROR;
    tell(arguments);
    return XS_EXIT_OK;
}

const struct xs_interface xs_interface_anonymize = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE", .doc = doc, .help_filter = help}};

int xs_command_anonymize(int argc, char **argv) {
    struct arguments arguments = {.files = {.input_is = "trace", .output_is = "COPY.db"}};
    struct xs_trace trace;
    if (argp_parse(&xs_interface_anonymize.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    char *input = (char *)(uintptr_t)arguments.files.input;
    struct xs_out_options output = {.path = arguments.files.output};
    struct xs_traces inputs = {.names = &input, .count = 1};
    if (xs_output_is_trace(&output, &inputs) || xs_open(arguments.files.input, &trace, true) < 0)
        return XS_EXIT_ERROR;
    int status = anonymize(&arguments, &trace);
    xs_trace_close(&trace);
    return status;
}
