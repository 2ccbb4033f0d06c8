/* Prints the report of a job in GitHub's Markdown. The heading is the saving of the process that gains most. A table
 * and a list of the findings follow. A folded part shows how the processes differ, as in the text report. */
#include <inttypes.h>
#include <stdio.h>

#include "analyzer/base/markdown.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/findings_markdown.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

/* Adds a process's name. Ranks are numbers, but names of files come from outside. */
static void add_process(struct xs_string *text, const struct xs_job *job, size_t process) {
    XS_SCOPED_STRING name = {0};
    xs_job_process_name(&name, job, process);
    if (job->processes[process].is_ranked)
        xs_string_format(text, "%s", name.data);
    else
        xs_markdown_code(text, name.data);
}

static void add_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    XS_SCOPED_STRING who = {0};
    bool plain = f->share_count == job->process_count;
    size_t ranked = 0;
    for (size_t i = 0; i < f->share_count; i++)
        ranked += job->processes[f->shares[i].process].is_ranked;
    plain = (plain && job->process_count > 1) || ranked == f->share_count || (!ranked && f->share_count > 1);
    xs_job_finding_who(&who, job, f, false);
    if (!plain && f->share_count == 1) {
        add_process(text, job, f->shares[0].process);
        xs_string_format(text, "%s", job->process_count > 1 ? " only" : "");
    } else if (plain)
        xs_string_format(text, "%s", who.data);
    else
        xs_markdown_code(text, who.data);
}

static void add_place(struct xs_string *text, const struct xs_job_finding *f, const struct xs_sites *sites,
                      bool with_function) {
    xs_markdown_place(text, sites, f->has_frame ? &f->frame : NULL, f->entry_point, with_function);
}

static void heading(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *back = &job->columns[XS_JOB_SAVES];
    const struct xs_recorded_time *recorded = &job->processes[back->most].recorded;
    XS_SCOPED_STRING whole = {0};
    xs_say_recorded(&whole, recorded);
    fputs(XS_MARKDOWN_HEADING, out->file);
    if (back->max)
        fprintf(out->file, "saves %s%s of %s (%s) in the process that gains most\n",
                xs_saving_is_interval(&job->processes[back->most].together) ? XS_UP_TO : "", XS_NS_TEXT(back->max),
                whole.data, XS_SHARE_TEXT(back->max, recorded->ns));
    else
        fputs(job->finding_count ? "nothing that would save time\n" : "nothing was found\n", out->file);
}

static void head(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *run = &job->columns[XS_JOB_WALL];
    char buffer[XS_UNIT_BYTES];
    XS_SCOPED_STRING text = {0}, filter = {0};
    heading(job, out);
    xs_job_say_title(&text, job);
    if (job->program_count == 1) {
        const struct xs_job_process *first = &job->processes[0];
        xs_string_format(&text, ", ");
        xs_markdown_code(&text, *first->command ? first->command : first->executable);
    }
    xs_string_format(&text, "; the longest run took %s (", xs_format_ns(buffer, run->max));
    add_process(&text, job, run->most);
    xs_string_format(&text, "), the mean is %s", xs_format_ns(buffer, run->mean));
    if (job->start_unix_ns && *xs_format_unix_ns(buffer, job->start_unix_ns))
        xs_string_format(&text, "; %s", buffer);
    fprintf(out->file, "\n%s.\n", text.data);
    xs_job_filter_sentence(&filter, job);
    xs_markdown_filter(out, filter.data);
}

static void row(const struct xs_job *job, size_t index, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    const struct xs_sites sites = xs_job_sites(job, f);
    struct xs_string name = {0}, place = {0}, who = {0}, bound = {0};
    xs_finding_kind(&name, f->detector, f->verdict);
    add_place(&place, f, &sites, false);
    add_who(&who, job, f);
    xs_job_say_bound(&bound, f);
    xs_markdown_cause_row(out, &(struct xs_markdown_cause){.number = index + 1,
                                                           .name = name.data,
                                                           .bound = bound.data ? bound.data : "",
                                                           .advice = f->advice,
                                                           .saves_ns = f->saves_ns.max,
                                                           .recorded_ns = job->processes[f->saves_ns.most].recorded.ns,
                                                           .amount = xs_job_in_all(f),
                                                           .who = who.data,
                                                           .place = place.data});
    xs_string_free(&name);
    xs_string_free(&place);
    xs_string_free(&who);
    xs_string_free(&bound);
}

/* Prints a finding: its kind and place, the savings of the processes, what to do, and the text of the source line if it
 * is known. */
static void item(const struct xs_job *job, size_t index, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    const struct xs_detector *d = xs_detectors[f->detector];
    const struct xs_sites sites = xs_job_sites(job, f);
    XS_SCOPED_STRING name = {0}, place = {0}, spread = {0}, checked = {0};
    xs_finding_kind(&name, f->detector, f->verdict);
    add_place(&place, f, &sites, true);
    xs_job_say_spread(&spread, job, f, add_process);
    xs_job_say_checked(&checked, f);
    fprintf(out->file, "- **%zu. %s**%s: %s, %s%s. %s%s**%s**\n", index + 1, name.data,
            checked.length ? checked.data : "", d->title, xs_place_word(f->has_frame ? &f->frame : NULL), place.data,
            spread.length ? spread.data : "", spread.length ? " " : "", f->remedy);
    xs_markdown_source(out, f->text);
}

static void total(const struct xs_job *job, struct xs_out *out) {
    XS_SCOPED_STRING all = {0};
    xs_job_say_total(&all, job, XS_SAY_MARKDOWN, add_process);
    if (all.length)
        fprintf(out->file, "\n%s\n", all.data);
}

static bool is_shown(const struct xs_job_finding *f, bool all, size_t *counted, size_t *advised) {
    return !xs_job_saves_nothing(f) && xs_finding_is_shown(f->advice, f->folded || !f->leads, all, counted, advised);
}

static void findings(const struct xs_job *job, bool all, struct xs_out *out) {
    size_t counted = 0, advice = 0, shown = 0, of = 0;
    for (size_t i = 0; i < job->finding_count; i++) {
        of += !xs_job_saves_nothing(&job->findings[i]);
        if (!is_shown(&job->findings[i], all, &counted, &advice))
            continue;
        if (!shown++)
            xs_markdown_causes_head(out, xs_share_is_of(xs_job_recorded(job)), true);
        row(job, i, out);
    }
    fputs(shown ? "\n" : "", out->file);
    counted = advice = 0;
    for (size_t i = 0; i < job->finding_count; i++)
        if (is_shown(&job->findings[i], all, &counted, &advice))
            item(job, i, out);
    total(job, out);
    if (shown < of)
        fprintf(out->file, "\n%zu more: `--details` lists them.\n", of - shown);
}

void xs_job_markdown(const struct xs_job *job, bool all, struct xs_out *out) {
    if (!job->process_count)
        return;
    head(job, out);
    struct xs_markdown_lines lines;
    xs_markdown_lines_begin(&lines);
    xs_job_text_warnings(job, &lines.out);
    xs_markdown_lines_block(&lines, out);
    findings(job, all, out);
    xs_markdown_lines_begin(&lines);
    xs_job_text_processes(job, all, &lines.out);
    xs_markdown_lines_folded(&lines, "How the processes differ", out);
}
