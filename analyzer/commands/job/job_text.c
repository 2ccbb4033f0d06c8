/* Prints the first part of the report of a job as text: what ran. Other files print the findings, and how the processes
 * differ. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/job/job_words.h"

enum { NAMED = 6, PROGRAMS = 4, PROGRAMS_SHOWN = 2, NAME_COLUMNS = 60, COMMAND_COLUMNS = 200 };

/* Returns the processes that have the same text as process `first`; NULL if an earlier process has this text, too. */
static size_t *alike(const struct xs_job *job, size_t first, const char *(*of)(const struct xs_job_process *),
                     size_t *count) {
    const char *what = of(&job->processes[first]);
    size_t *processes = NULL;
    *count = 0;
    for (size_t i = 0; i < first; i++)
        if (!strcmp(of(&job->processes[i]), what))
            return NULL;
    processes = xs_realloc(NULL, job->process_count * sizeof *processes);
    for (size_t i = first; i < job->process_count; i++)
        if (!strcmp(of(&job->processes[i]), what))
            processes[(*count)++] = i;
    return processes;
}

/* Prints a line per host or program, with its processes. */
static void list(const struct xs_job *job, const char *label, const char *(*of)(const struct xs_job_process *),
                 bool all, struct xs_out *out) {
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < job->process_count; i++) {
        XS_SCOPED_STRING who = {0}, what = {0};
        size_t count, *processes = alike(job, i, of, &count);
        if (processes && shown == PROGRAMS_SHOWN && !all) {
            more++;
        } else if (processes) {
            (all ? xs_job_who : xs_job_who_short)(&who, job, processes, count);
            xs_string_add_cut(&what, *of(&job->processes[i]) ? of(&job->processes[i]) : "(not known)", COMMAND_COLUMNS);
            if (count < job->process_count)
                xs_out_fact(out, shown ? "" : label, "%s: %s", what.data, who.data);
            else
                xs_out_fact(out, label, "%s", what.data);
            shown++;
        }
        free(processes);
    }
    if (more)
        xs_out_fact(out, "", "and %zu more", more);
}
static const char *host_of(const struct xs_job_process *p) { return p->host; }
static const char *command_of(const struct xs_job_process *p) { return p->command; }

static void run_line(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *run = &job->columns[XS_JOB_WALL];
    XS_SCOPED_STRING text = {0};
    xs_string_format(&text, "the longest %s (", XS_NS_TEXT(run->max));
    xs_job_process_name(&text, job, run->most);
    xs_string_format(&text, "), mean %s", XS_NS_TEXT(run->mean));
    if (job->wall_ns)
        xs_string_format(&text, "; %s from the first start to the last end, %s", XS_NS_TEXT(job->wall_ns),
                         XS_UNIX_NS_TEXT(job->start_unix_ns));
    xs_out_fact(out, "run", "%s", text.data);
}

/* Prints the devices, and which of them were shared. */
static void device_lines(const struct xs_job *job, struct xs_out *out) {
    size_t shown = 0;
    for (size_t i = 0; i < job->device_count && shown < PROGRAMS; i++) {
        size_t same = 0, before = 0;
        for (size_t k = 0; k < job->device_count; k++) {
            bool alike_named = !strcmp(job->devices[k].name, job->devices[i].name);
            same += alike_named;
            before += alike_named && k < i;
        }
        if (before)
            continue;
        XS_SCOPED_STRING name = {0};
        xs_string_add_cut(&name, *job->devices[i].name ? job->devices[i].name : "unknown device", NAME_COLUMNS);
        xs_out_fact(out, shown++ ? "" : "devices", "%zu x %s", same, name.data);
    }
    shown = 0;
    for (size_t i = 0; i < job->device_count && shown < PROGRAMS; i++) {
        const struct xs_job_device *d = &job->devices[i];
        XS_SCOPED_STRING who = {0}, where = {0};
        if (d->process_count < 2 || !xs_job_is_concurrent(job))
            continue;
        xs_job_who(&who, job, d->processes, d->process_count);
        xs_string_format(&where, "%s", *d->host ? " of " : "");
        xs_string_add_cut(&where, d->host, NAME_COLUMNS);
        xs_string_format(&where, "%s", *d->pci_bus_id ? ", " : "");
        xs_string_add_cut(&where, d->pci_bus_id, NAME_COLUMNS / 2);
        xs_out_line(out, XS_STYLE_PLAIN, "Device %" PRId64 "%s is shared by %s.", d->id, where.data, who.data);
        shown++;
    }
}

static void missing_line(const struct xs_job *job, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    size_t named = 0;
    uint64_t missing = 0;
    for (struct xs_job_ranks ranks = {0}; xs_job_missing_ranks(job, &ranks);) {
        missing += (uint64_t)(ranks.last - ranks.first) + 1;
        if (named == NAMED)
            continue;
        xs_string_format(&text, "%s%" PRId64, named++ ? ", " : "", ranks.first);
        if (ranks.last > ranks.first)
            xs_string_format(&text, "-%" PRId64, ranks.last);
    }
    if (missing)
        xs_out_line(out, XS_STYLE_WARN, "Not the whole job: no trace of rank%s %s%s (of %" PRId64 ").",
                    missing == 1 ? "" : "s", text.data, named == NAMED ? ", ..." : "", job->world_size);
}

static const char *bounds_of(const struct xs_job_process *p) { return p->bounds; }
static const char *contents_unknown_of(const struct xs_job_process *p) { return p->contents_unknown; }

/* A sentence about some processes, and the field that says to which processes it applies. */
static const struct {
    size_t field;
    enum xs_style style;
    const char *sentence;
} said_of_some[] = {
    {offsetof(struct xs_job_process, repaired), XS_STYLE_WARN,
     "Recorded with repairs (XFERSPY_REPAIR), so counts and findings are of calls that a repair left out, too: %s."},
    {offsetof(struct xs_job_process, in_part), XS_STYLE_WARN,
     "Calls were recorded in parts of the run only (XFERSPY_OUTSIDE, XFERSPY_STEPS): %s."},
    {offsetof(struct xs_job_process, modelled), XS_STYLE_PLAIN,
     "Device times recorded in windows, the rest of them modelled: %s."},
    {offsetof(struct xs_job_process, is_live), XS_STYLE_WARN, "Still running: %s. These are the numbers so far."},
    {offsetof(struct xs_job_process, is_snapshot), XS_STYLE_WARN,
     "Snapshots of running processes: %s. These are the numbers until then."},
    {offsetof(struct xs_job_process, is_cut), XS_STYLE_WARN,
     "Killed, or not closed: %s. The last moments may be missing."},
};

static void warnings(const struct xs_job *job, struct xs_out *out) {
    XS_SCOPED_STRING simulated = {0}, said = {0};
    if (xs_job_who_is(&simulated, job, offsetof(struct xs_job_process, simulated))) {
        xs_say_simulated(&said, simulated.data, "times");
        xs_out_line(out, XS_STYLE_BAD, "%s", said.data);
    }
    for (size_t i = 0; i < sizeof said_of_some / sizeof *said_of_some; i++) {
        XS_SCOPED_STRING who = {0};
        if (xs_job_who_is(&who, job, said_of_some[i].field))
            xs_out_line(out, said_of_some[i].style, said_of_some[i].sentence, who.data);
    }
    missing_line(job, out);
    if (job->program_count > 1)
        xs_out_line(out, XS_STYLE_WARN, "These are traces of %zu programs; what is below is over all of them.",
                    job->program_count);
    if (!xs_job_is_concurrent(job))
        xs_out_line(out, XS_STYLE_WARN,
                    "They did not run at the same time: is this one job? `--each' shows them one by one.");
}

static void print_run(const struct xs_job *job, bool all, struct xs_out *out) {
    size_t ranked = 0, commands = 0;
    for (size_t i = 0; i < job->process_count; i++) {
        size_t count, *processes = alike(job, i, command_of, &count);
        ranked += job->processes[i].is_ranked;
        commands += processes != NULL;
        free(processes);
    }
    XS_SCOPED_STRING title = {0};
    xs_job_say_title(&title, job);
    fprintf(out->file, "%s%s%s\n", xs_style_on(out, XS_STYLE_HEADING), title.data, xs_style_off(out, XS_STYLE_HEADING));
    if (commands == 1)
        list(job, "command", command_of, all, out);
    else
        list(job, "program", xs_job_program, all, out);
    if (ranked && job->world_size > 0)
        xs_out_fact(out, "ranks", "%zu of %" PRId64, ranked, job->world_size);
    list(job, "host", host_of, all, out);
    run_line(job, out);
    device_lines(job, out);
    XS_SCOPED_STRING filter = {0};
    xs_job_filter_sentence(&filter, job);
    if (filter.length)
        xs_out_fact(out, "filter", "%s", filter.data);
    warnings(job, out);
}

/* Prints sentences that differ between processes, each with its processes. */
static void lines_of(const struct xs_job *job, const char *(*of)(const struct xs_job_process *), enum xs_style style,
                     struct xs_out *out) {
    size_t shown = 0;
    for (size_t i = 0; i < job->process_count && shown < PROGRAMS; i++) {
        XS_SCOPED_STRING who = {0};
        size_t count, *processes = *of(&job->processes[i]) ? alike(job, i, of, &count) : NULL;
        if (!processes)
            continue;
        xs_job_who(&who, job, processes, count);
        xs_out_line(out, style, "%s: %s", who.data, of(&job->processes[i]));
        shown++;
        free(processes);
    }
}

void xs_job_text_warnings(const struct xs_job *job, struct xs_out *out) {
    warnings(job, out);
    lines_of(job, contents_unknown_of, XS_STYLE_WARN, out);
    lines_of(job, bounds_of, XS_STYLE_WARN, out);
}

void xs_job_text(const struct xs_job *job, bool all, struct xs_out *out) {
    if (!job->process_count)
        return;
    print_run(job, all, out);
    xs_job_text_findings(job, all, out);
    lines_of(job, contents_unknown_of, XS_STYLE_WARN, out);
    lines_of(job, bounds_of, XS_STYLE_WARN, out);
    xs_job_text_processes(job, all, out);
    xs_out_line(out, XS_STYLE_DIM, "--each shows the report of every process.");
}
