/* The report of a job as text: what ran, what was found in its processes, and how they differ. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/engine/detector.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/job/job_internal.h"
#include "analyzer/job/job_words.h"
#include "analyzer/trace/site.h"

enum {
    SHOWN = 5,
    ADVICE_SHOWN = 2,
    ROWS = 16,
    NAMED = 6,
    PROGRAMS = 4,
    INDENT = 6,
    NAME_COLUMNS = 60,
    COMMAND_COLUMNS = 200,
    NARROW = 75 /* columns of a terminal, in which host and device are not all that has to go */
};

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/* --- what ran --- */

/* The processes that have the same as process `first`, where none before has it. */
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

/* A line a host, or a program, with its processes. */
static void list(const struct xs_job *job, const char *label, const char *(*of)(const struct xs_job_process *),
                 struct xs_out *out) {
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < job->process_count; i++) {
        struct xs_string who = {0}, what = {0};
        size_t count, *processes = alike(job, i, of, &count);
        if (processes && shown == PROGRAMS) {
            more++;
        } else if (processes) {
            xs_job_who(&who, job, processes, count);
            xs_string_add_cut(&what, *of(&job->processes[i]) ? of(&job->processes[i]) : "(not known)", COMMAND_COLUMNS);
            if (count < job->process_count)
                xs_out_fact(out, shown ? "" : label, "%s: %s", what.data, who.data);
            else
                xs_out_fact(out, label, "%s", what.data);
            shown++;
        }
        free(processes);
        xs_string_free(&who);
        xs_string_free(&what);
    }
    if (more)
        xs_out_fact(out, "", "and %zu more", more);
}
static const char *host_of(const struct xs_job_process *p) { return p->host; }
static const char *command_of(const struct xs_job_process *p) { return p->command; }

static void run_line(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *run = &job->columns[XS_JOB_WALL];
    char wall[XS_UNIT_BYTES], longest[XS_UNIT_BYTES], mean[XS_UNIT_BYTES], start[XS_UNIT_BYTES];
    struct xs_string text = {0};
    xs_string_format(&text, "the longest %s (", xs_format_ns(longest, run->max));
    xs_job_process_name(&text, job, run->most);
    xs_string_format(&text, "), mean %s", xs_format_ns(mean, run->mean));
    if (job->wall_ns)
        xs_string_format(&text, "; %s from the first start to the last end, %s", xs_format_ns(wall, job->wall_ns),
                         xs_format_unix_ns(start, job->start_unix_ns));
    xs_out_fact(out, "run", "%s", text.data);
    xs_string_free(&text);
}

/* Which devices, and that some were shared. */
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
        struct xs_string name = {0};
        xs_string_add_cut(&name, *job->devices[i].name ? job->devices[i].name : "unknown device", NAME_COLUMNS);
        xs_out_fact(out, shown++ ? "" : "devices", "%zu x %s", same, name.data);
        xs_string_free(&name);
    }
    shown = 0;
    for (size_t i = 0; i < job->device_count && shown < PROGRAMS; i++) {
        const struct xs_job_device *d = &job->devices[i];
        struct xs_string who = {0}, where = {0};
        if (d->process_count < 2 || !xs_job_is_concurrent(job))
            continue;
        xs_job_who(&who, job, d->processes, d->process_count);
        xs_string_format(&where, "%s", *d->host ? " of " : "");
        xs_string_add_cut(&where, d->host, NAME_COLUMNS);
        xs_string_format(&where, "%s", *d->pci_bus_id ? ", " : "");
        xs_string_add_cut(&where, d->pci_bus_id, NAME_COLUMNS / 2);
        xs_out_line(out, XS_STYLE_PLAIN, "Device %" PRId64 "%s is shared by %s.", d->id, where.data, who.data);
        xs_string_free(&who);
        xs_string_free(&where);
        shown++;
    }
}

/* Ranks of the job that there is no trace of. */
static void missing_line(const struct xs_job *job, struct xs_out *out) {
    struct xs_string text = {0};
    size_t named = 0;
    int64_t next = 0;
    uint64_t missing = 0;
    for (size_t i = 0; i <= job->process_count; i++) {
        int64_t rank = i < job->process_count ? job->processes[i].rank : job->world_size;
        if (i < job->process_count && rank < 0)
            rank = job->world_size;
        if (rank > next && next < job->world_size && named < NAMED) {
            int64_t last = (rank < job->world_size ? rank : job->world_size) - 1;
            xs_string_format(&text, "%s%" PRId64, named++ ? ", " : "", next);
            if (last > next)
                xs_string_format(&text, "-%" PRId64, last);
        }
        if (rank > next)
            missing += (uint64_t)((rank < job->world_size ? rank : job->world_size) - next);
        next = rank >= next ? rank + 1 : next;
        if (next > job->world_size)
            break;
    }
    if (missing && missing < (uint64_t)job->world_size)
        xs_out_line(out, XS_STYLE_WARN, "Not the whole job: no trace of rank%s %s%s (of %" PRId64 ").", plural(missing),
                    text.data, named == NAMED ? ", ..." : "", job->world_size);
    xs_string_free(&text);
}

static bool is_simulated(const struct xs_job_process *p) { return p->simulated; }
static bool is_live(const struct xs_job_process *p) { return p->is_live; }
static bool is_cut(const struct xs_job_process *p) { return !p->is_live && strcmp(p->status, "complete") != 0; }
static const char *contents_unknown_of(const struct xs_job_process *p) { return p->contents_unknown; }

static void warnings(const struct xs_job *job, struct xs_out *out) {
    struct xs_string simulated = {0}, live = {0}, cut = {0};
    if (xs_job_who_is(&simulated, job, is_simulated))
        xs_out_line(out, XS_STYLE_BAD, "SIMULATED GPU in %s: times are a model's, not measurements", simulated.data);
    if (xs_job_who_is(&live, job, is_live))
        xs_out_line(out, XS_STYLE_WARN, "Still running: %s. These are the numbers so far.", live.data);
    if (xs_job_who_is(&cut, job, is_cut))
        xs_out_line(out, XS_STYLE_WARN, "Killed, or not closed: %s. The last moments may be missing.", cut.data);
    missing_line(job, out);
    if (job->program_count > 1)
        xs_out_line(out, XS_STYLE_WARN, "These are traces of %zu programs; what is below is over all of them.",
                    job->program_count);
    if (!xs_job_is_concurrent(job))
        xs_out_line(out, XS_STYLE_WARN,
                    "They did not run at the same time: is this one job? `--each' shows them one by one.");
    xs_string_free(&simulated);
    xs_string_free(&live);
    xs_string_free(&cut);
}

static void print_run(const struct xs_job *job, struct xs_out *out) {
    size_t ranked = 0, commands = 0;
    for (size_t i = 0; i < job->process_count; i++) {
        size_t count, *processes = alike(job, i, command_of, &count);
        ranked += job->processes[i].is_ranked;
        commands += processes != NULL;
        free(processes);
    }
    fprintf(out->file, "%sA job of %zu process%s", xs_style_on(out, XS_STYLE_HEADING), job->process_count,
            job->process_count == 1 ? "" : "es");
    if (job->host_count)
        fprintf(out->file, " on %zu host%s", job->host_count, plural(job->host_count));
    fprintf(out->file, "%s\n", xs_style_off(out, XS_STYLE_HEADING));
    if (commands == 1)
        list(job, "command", command_of, out);
    else
        list(job, "program", xs_job_program, out);
    if (ranked && job->world_size > 0)
        xs_out_fact(out, "ranks", "%zu of %" PRId64, ranked, job->world_size);
    list(job, "host", host_of, out);
    run_line(job, out);
    device_lines(job, out);
    struct xs_string filter = {0};
    xs_job_filter_sentence(&filter, job);
    if (filter.length)
        xs_out_fact(out, "filter", "%s", filter.data);
    xs_string_free(&filter);
    warnings(job, out);
}

/* --- what was found --- */

void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    size_t *processes = xs_realloc(NULL, f->share_count * sizeof *processes);
    for (size_t i = 0; i < f->share_count; i++)
        processes[i] = f->shares[i].process;
    xs_job_who(text, job, processes, f->share_count);
    free(processes);
}

static void print_where(const struct xs_job *job, const struct xs_job_finding *f, struct xs_out *out) {
    const struct xs_job_process *home = &job->processes[f->home];
    const struct xs_sites sites = {.cwd = home->cwd, .start_unix_ns = home->start_unix_ns};
    char count[XS_UNIT_BYTES], bytes[XS_UNIT_BYTES];
    struct xs_string amount = {0}, place = {0};
    xs_string_format(&amount, "%s", xs_format_count(count, f->instances));
    if (f->transfers > f->instances)
        xs_string_format(&amount, " (%s transfers)", xs_format_count(count, f->transfers));
    if (f->bytes)
        xs_string_format(&amount, ", %s", xs_format_bytes(bytes, f->bytes));
    xs_string_format(&amount, ", in ");
    xs_job_finding_who(&amount, job, f);
    xs_place_text(&place, &sites, f->has_frame ? &f->frame : NULL);
    if (f->has_frame) {
        xs_out_indented(out, INDENT, "%s: %s", xs_detectors[f->detector]->title, amount.data);
        xs_out_indented(out, INDENT, "at %s (%s)", place.data, f->entry_point);
        xs_place_source_line(&sites, &f->frame, INDENT + 2, out);
    } else {
        xs_out_indented(out, INDENT, "%s: %s, at %s", xs_detectors[f->detector]->title, amount.data, f->entry_point);
    }
    xs_string_free(&amount);
    xs_string_free(&place);
}

/* What each of several gets back. */
static void print_spread(const struct xs_job *job, const struct xs_job_finding *f, struct xs_out *out) {
    char min[XS_UNIT_BYTES], median[XS_UNIT_BYTES], max[XS_UNIT_BYTES];
    struct xs_string most = {0};
    if (f->gives_back.min == f->gives_back.max)
        return;
    xs_job_process_name(&most, job, f->gives_back.most);
    xs_out_indented(out, INDENT, "Of each: least %s, median %s, most %s (%s).", xs_format_ns(min, f->gives_back.min),
                    xs_format_ns(median, f->gives_back.median), xs_format_ns(max, f->gives_back.max), most.data);
    xs_string_free(&most);
}

/* "gives back up to 6.30 ms, 6.3 % of the run": of the process that gains most. */
static void finding_gain(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    char ns[XS_UNIT_BYTES], share[XS_UNIT_BYTES];
    uint64_t run_ns = job->processes[f->gives_back.most].columns[XS_JOB_WALL].value;
    const char *bound = f->at_most && f->gives_back.max ? "at most " : f->share_count > 1 ? "up to " : "";
    xs_string_format(text, "gives back %s%s", bound, xs_format_ns(ns, f->gives_back.max));
    if (run_ns && f->gives_back.max > run_ns)
        xs_string_format(text, ", some of it at the same time");
    else if (*xs_format_share(share, f->gives_back.max, run_ns))
        xs_string_format(text, ", %s of the run", share);
}

static void print_finding(const struct xs_job *job, size_t index, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    struct xs_string name = {0}, gain = {0};
    xs_finding_kind(&name, f->detector, f->verdict);
    if (!f->advice)
        finding_gain(&gain, job, f);
    bool fits = !out->columns || INDENT + name.length + 2 + gain.length <= (size_t)out->columns;
    fprintf(out->file, "  %2zu  %s%s%s%s%s\n", index + 1, xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING), fits ? "  " : "",
            !fits       ? ""
            : f->advice ? "(advice)"
                        : gain.data);
    if (!fits)
        xs_out_indented(out, INDENT, "%s", gain.data);
    print_where(job, f, out);
    if (!f->advice) {
        print_spread(job, f, out);
        xs_out_indented(out, INDENT, "%s", xs_detector_remedy(xs_detectors[f->detector], f->verdict));
    }
    xs_string_free(&name);
    xs_string_free(&gain);
}

/* Processes run side by side: what they get back is no sum. */
static void total_line(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *back = &job->columns[XS_JOB_REMOVABLE];
    const struct xs_job_process *slowest = &job->processes[job->slowest];
    char most[XS_UNIT_BYTES], run[XS_UNIT_BYTES], mean[XS_UNIT_BYTES], slow[XS_UNIT_BYTES], bound[XS_UNIT_BYTES];
    struct xs_string who = {0}, slow_who = {0}, text = {0};
    xs_job_process_name(&who, job, back->most);
    xs_job_process_name(&slow_who, job, job->slowest);
    if (back->max) {
        xs_string_format(&text, "Removing all of these would give back up to %s of %s in %s, which gains most",
                         xs_format_ns(most, back->max),
                         xs_format_ns(run, job->processes[back->most].columns[XS_JOB_WALL].value), who.data);
        if (back->most != job->slowest)
            xs_string_format(&text, ", and %s in the slowest, %s",
                             xs_format_ns(slow, slowest->columns[XS_JOB_REMOVABLE].value), slow_who.data);
        else if (job->process_count > 1)
            xs_string_format(&text, " and is the slowest");
        if (job->process_count > 1)
            xs_string_format(&text, "; %s on average. Processes run side by side: this does not add up",
                             xs_format_ns(mean, back->mean));
        xs_out_line(out, XS_STYLE_GOOD, "%s.", text.data);
    }
    if (job->upper_bound_ns)
        xs_out_line(out, XS_STYLE_PLAIN,
                    "%s at most %s in one process by running copies and kernels side by side (upper bound).",
                    back->max ? "Beside that" : "This would give back", xs_format_ns(bound, job->upper_bound_ns));
    xs_string_free(&who);
    xs_string_free(&slow_who);
    xs_string_free(&text);
}

static void rest_line(size_t more, size_t folded, size_t advice, struct xs_out *out) {
    struct xs_string text = {0};
    if (more)
        xs_string_format(&text, "%zu more finding%s", more, plural(more));
    if (folded)
        xs_string_format(&text, "%s%zu smaller finding%s", text.length ? ", " : "", folded, plural(folded));
    if (advice)
        xs_string_format(&text, "%s%zu more of advice", text.length ? ", " : "", advice);
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "%s: --details shows all", text.data);
    xs_string_free(&text);
}

/* What could not be found, and in which processes. */
static void unknown_contents_lines(const struct xs_job *job, struct xs_out *out) {
    size_t shown = 0;
    for (size_t i = 0; i < job->process_count && shown < PROGRAMS; i++) {
        struct xs_string who = {0};
        size_t count,
            *processes = *job->processes[i].contents_unknown ? alike(job, i, contents_unknown_of, &count) : NULL;
        if (!processes)
            continue;
        xs_job_who(&who, job, processes, count);
        xs_out_line(out, XS_STYLE_WARN, "%s: %s", who.data, job->processes[i].contents_unknown);
        shown++;
        free(processes);
        xs_string_free(&who);
    }
}

void xs_job_text_warnings(const struct xs_job *job, bool all, struct xs_out *out) {
    (void)all;
    warnings(job, out);
    unknown_contents_lines(job, out);
}

static void print_findings(const struct xs_job *job, bool all, struct xs_out *out) {
    size_t shown = 0, advice = 0, folded = 0, more = 0;
    xs_out_heading(out, "Findings");
    for (size_t i = 0; i < job->finding_count; i++) {
        const struct xs_job_finding *f = &job->findings[i];
        if (f->advice)
            advice++;
        else if (f->folded && !all)
            folded++;
        else if (shown >= SHOWN && !all)
            more++;
        else if (++shown)
            print_finding(job, i, out);
    }
    if (!shown)
        xs_out_line(out, XS_STYLE_PLAIN,
                    folded   ? "None that would give back 1 ms and 0.1 %% of a run."
                    : advice ? "None that would give time back."
                             : "No findings.");
    else
        total_line(job, out);
    size_t advised = 0;
    for (size_t i = 0; i < job->finding_count; i++)
        if (job->findings[i].advice && (advised < ADVICE_SHOWN || all) && ++advised)
            print_finding(job, i, out);
    rest_line(more, folded, advice - advised, out);
    unknown_contents_lines(job, out);
}

/* --- how they differ --- */

static void value_cell(struct xs_table *table, unsigned column, const struct xs_metric_value *value, bool outlier) {
    char buffer[XS_UNIT_BYTES];
    if (!value->known)
        xs_table_cell(table, "-");
    else
        xs_table_format(table, "%s%s", outlier ? "*" : "",
                        column == XS_JOB_COPIED ? xs_format_bytes(buffer, value->value)
                                                : xs_format_ns(buffer, value->value));
}

static void device_cell(struct xs_table *table, const struct xs_job *job, size_t process) {
    struct xs_string text = {0};
    for (size_t i = 0; i < job->device_count; i++)
        for (size_t k = 0; k < job->devices[i].process_count; k++)
            if (job->devices[i].processes[k] == process)
                xs_string_format(&text, "%s%" PRId64, text.length ? "," : "", job->devices[i].id);
    xs_table_cell(table, text.data);
    xs_string_free(&text);
}

static void process_row(struct xs_table *table, const struct xs_job *job, size_t index) {
    const struct xs_job_process *p = &job->processes[index];
    char share[XS_UNIT_BYTES];
    struct xs_string name = {0}, host = {0};
    xs_string_add_cut(&name, p->label, NAME_COLUMNS);
    xs_table_cell(table, name.data);
    xs_string_add_cut(&host, p->host, NAME_COLUMNS / 2);
    xs_table_cell(table, job->host_count > 1 ? host.data : NULL);
    device_cell(table, job, index);
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
        value_cell(table, column, &p->columns[column], p->outlier[column]);
    xs_table_cell(table, xs_format_share(share, p->columns[XS_JOB_REMOVABLE].value, p->columns[XS_JOB_WALL].value));
    xs_string_free(&name);
    xs_string_free(&host);
}

/* Under each column: the mean, and how far the largest is from it. */
static void spread_rows(struct xs_table *table, const struct xs_job *job) {
    static const char *const labels[] = {"mean", "max / mean"};
    for (unsigned row = 0; row < 2; row++) {
        xs_table_cell(table, labels[row]);
        xs_table_cell(table, NULL);
        xs_table_cell(table, NULL);
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++) {
            const struct xs_job_spread *s = &job->columns[column];
            const struct xs_metric_value mean = {.value = s->mean, .known = s->count > 0};
            if (!row || !s->count)
                value_cell(table, column, &mean, false);
            else if (!s->mean)
                xs_table_cell(table, "-");
            else
                xs_table_format(table, "%.2f", (double)s->max / (double)s->mean);
        }
        xs_table_cell(table, NULL);
    }
}

/* All where they fit on a screen; else those that differ most: the ends of each column, then what is far from the others. */
static bool *choose_rows(const struct xs_job *job, bool all) {
    bool *chosen = xs_realloc(NULL, job->process_count * sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < job->process_count; i++)
        chosen[i] = all || job->process_count <= ROWS;
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++) {
        if (job->columns[column].count)
            chosen[job->columns[column].least] = chosen[job->columns[column].most] = true;
    }
    for (size_t i = 0; i < job->process_count; i++)
        count += chosen[i];
    for (size_t i = 0; i < job->process_count && count < ROWS; i++) {
        bool outlier = false;
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
            outlier = outlier || job->processes[i].outlier[column];
        count += outlier && !chosen[i];
        chosen[i] = chosen[i] || outlier;
    }
    return chosen;
}

void xs_job_text_processes(const struct xs_job *job, bool all, struct xs_out *out) {
    static const char *const titles[] = {
#define X(id, metric, key, title) title,
        XS_JOB_COLUMNS(X)
#undef X
    };
    bool *chosen = choose_rows(job, all), marked = false, ranked = true;
    size_t left_out = 0;
    for (size_t i = 0; i < job->process_count; i++)
        ranked = ranked && job->processes[i].is_ranked;
    xs_out_heading(out, ranked ? "Ranks" : "Processes");
    struct xs_table *table = xs_table_new(2);
    xs_table_column(table, ranked ? "rank" : "process", false);
    xs_table_column(table, "host", false);
    xs_table_optional(table);
    xs_table_column(table, "device", true);
    xs_table_optional(table);
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++) {
        xs_table_column(table, titles[column], true);
        if (out->columns && out->columns < NARROW && column != XS_JOB_WALL && column != XS_JOB_REMOVABLE)
            xs_table_optional(table);
    }
    xs_table_column(table, "of run", true);
    for (size_t i = 0; i < job->process_count; i++) {
        left_out += !chosen[i];
        if (!chosen[i])
            continue;
        process_row(table, job, i);
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
            marked = marked || job->processes[i].outlier[column];
    }
    if (job->process_count > 1)
        spread_rows(table, job);
    xs_table_print(table, out);
    xs_table_free(table);
    if (marked)
        xs_out_line(out, XS_STYLE_WARN, "* far from the others.");
    if (left_out)
        xs_out_line(out, XS_STYLE_DIM, "%zu more between these: --details shows all.", left_out);
    free(chosen);
}

void xs_job_text(const struct xs_job *job, bool all, struct xs_out *out) {
    if (!job->process_count)
        return;
    print_run(job, out);
    print_findings(job, all, out);
    xs_job_text_processes(job, all, out);
    xs_out_line(out, XS_STYLE_DIM, "--each shows the report of every process.");
}
