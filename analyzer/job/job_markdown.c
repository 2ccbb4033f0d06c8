/* The report of a job in GitHub's Markdown: what the one that gains most gets back as its heading, a table and a list of findings,
 * how the processes differ folded away as the text report has it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/markdown.h"
#include "analyzer/base/units.h"
#include "analyzer/engine/detector.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/job/job_internal.h"
#include "analyzer/job/job_words.h"
#include "analyzer/trace/site.h"

enum { SHOWN = 5, ADVICE_SHOWN = 2, TABLE_COLUMNS = 120 };

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/* Names of files come from outside, ranks are numbers. */
static void add_process(struct xs_string *text, const struct xs_job *job, size_t process) {
    struct xs_string name = {0};
    xs_job_process_name(&name, job, process);
    if (job->processes[process].is_ranked)
        xs_string_format(text, "%s", name.data);
    else
        xs_markdown_code(text, name.data);
    xs_string_free(&name);
}

static void add_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    struct xs_string who = {0};
    bool plain = f->share_count == job->process_count;
    size_t ranked = 0;
    for (size_t i = 0; i < f->share_count; i++)
        ranked += job->processes[f->shares[i].process].is_ranked;
    plain = (plain && job->process_count > 1) || ranked == f->share_count;
    xs_job_finding_who(&who, job, f);
    if (!plain && f->share_count == 1) {
        add_process(text, job, f->shares[0].process);
        xs_string_format(text, "%s", job->process_count > 1 ? " only" : "");
    } else if (plain)
        xs_string_format(text, "%s", who.data);
    else
        xs_markdown_code(text, who.data);
    xs_string_free(&who);
}

/* `file.cu:42` in `function` (`entry point`), or the entry point alone. */
static void add_place(struct xs_string *text, const struct xs_job_finding *f, const struct xs_sites *sites,
                      bool with_function) {
    struct xs_string place = {0};
    if (!f->has_frame) {
        xs_markdown_code(text, f->entry_point);
        return;
    }
    if (f->frame.file) {
        xs_place_file(&place, f->frame.file, sites->cwd);
        if (f->frame.line)
            xs_string_format(&place, ":%" PRIu32, f->frame.line);
    } else {
        xs_place_text(&place, sites, &f->frame);
    }
    xs_markdown_code(text, place.data);
    xs_string_free(&place);
    if (!with_function)
        return;
    if (f->frame.file && f->frame.function) {
        xs_string_format(text, " in ");
        xs_markdown_code(text, f->frame.function);
    }
    xs_string_format(text, " (");
    xs_markdown_code(text, f->entry_point);
    xs_string_format(text, ")");
}

static struct xs_sites sites_of(const struct xs_job *job, const struct xs_job_finding *f) {
    const struct xs_job_process *home = &job->processes[f->home];
    return (struct xs_sites){.cwd = home->cwd, .start_unix_ns = home->start_unix_ns};
}

static void heading(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *back = &job->columns[XS_JOB_REMOVABLE];
    uint64_t run_ns = job->processes[back->most].columns[XS_JOB_WALL].value;
    char most[XS_UNIT_BYTES], run[XS_UNIT_BYTES], share[XS_UNIT_BYTES];
    fputs("## Transfers that were wasted: ", out->file);
    if (back->max)
        fprintf(out->file, "up to %s of %s (%s) in the process that gains most\n", xs_format_ns(most, back->max),
                xs_format_ns(run, run_ns), xs_format_share(share, back->max, run_ns));
    else
        fputs(job->finding_count ? "nothing that would give time back\n" : "nothing was found\n", out->file);
}

static void head(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *run = &job->columns[XS_JOB_WALL];
    char buffer[XS_UNIT_BYTES];
    struct xs_string text = {0}, filter = {0};
    heading(job, out);
    xs_string_format(&text, "A job of %zu process%s", job->process_count, job->process_count == 1 ? "" : "es");
    if (job->host_count)
        xs_string_format(&text, " on %zu host%s", job->host_count, plural(job->host_count));
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
    if (filter.length) {
        text.length = 0;
        xs_markdown_code(&text, filter.data);
        fprintf(out->file, "\nFilter: %s\n", text.data);
    }
    xs_string_free(&text);
    xs_string_free(&filter);
}

/* What a function for the text report prints, to be freed. */
static char *printed(void (*print)(const struct xs_job *job, bool all, struct xs_out *out), const struct xs_job *job,
                     bool all) {
    char *text = NULL;
    size_t bytes = 0;
    struct xs_out out = {.file = open_memstream(&text, &bytes), .utf8 = true, .columns = TABLE_COLUMNS};
    if (!out.file)
        return NULL;
    print(job, all, &out);
    return fclose(out.file) == 0 ? text : NULL;
}

/* The findings that are shown: of those that count the first few, of advice fewer. */
static bool is_shown(const struct xs_job_finding *f, bool all, size_t *counted, size_t *advice) {
    if (f->advice)
        return ++*advice <= ADVICE_SHOWN || all;
    return all || (!f->folded && ++*counted <= SHOWN);
}

static void row(const struct xs_job *job, size_t index, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    const struct xs_sites sites = sites_of(job, f);
    char ns[XS_UNIT_BYTES], share[XS_UNIT_BYTES], count[XS_UNIT_BYTES], bytes[XS_UNIT_BYTES];
    struct xs_string name = {0}, place = {0}, who = {0};
    const char *bound = f->advice || !f->gives_back.max ? ""
                        : f->at_most                    ? "at most "
                        : f->share_count > 1            ? "up to "
                                                        : "";
    xs_finding_kind(&name, f->detector, f->verdict);
    add_place(&place, f, &sites, false);
    add_who(&who, job, f);
    xs_format_share(share, f->gives_back.max, job->processes[f->gives_back.most].columns[XS_JOB_WALL].value);
    fprintf(out->file, "| %zu | %s | %s%s | %s | %s | %s | %s | %s |\n", index + 1, name.data, bound,
            f->advice ? "advice" : xs_format_ns(ns, f->gives_back.max), f->advice ? "" : share,
            xs_format_count(count, f->instances), f->bytes ? xs_format_bytes(bytes, f->bytes) : "", who.data,
            place.data);
    xs_string_free(&name);
    xs_string_free(&place);
    xs_string_free(&who);
}

/* What it is, where, what each has of it, and what to do; with the line itself where it can be had. */
static void item(const struct xs_job *job, size_t index, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    const struct xs_detector *d = xs_detectors[f->detector];
    const struct xs_sites sites = sites_of(job, f);
    char min[XS_UNIT_BYTES], median[XS_UNIT_BYTES], max[XS_UNIT_BYTES];
    struct xs_string name = {0}, place = {0}, spread = {0};
    char *source = f->has_frame ? xs_place_source(&sites, &f->frame) : NULL;
    xs_finding_kind(&name, f->detector, f->verdict);
    add_place(&place, f, &sites, true);
    if (!f->advice && f->gives_back.min != f->gives_back.max) {
        xs_string_format(&spread, "Of each: least %s, median %s, most %s (", xs_format_ns(min, f->gives_back.min),
                         xs_format_ns(median, f->gives_back.median), xs_format_ns(max, f->gives_back.max));
        add_process(&spread, job, f->gives_back.most);
        xs_string_format(&spread, "). ");
    }
    fprintf(out->file, "- **%zu. %s**: %s, at %s. %s**%s**\n", index + 1, name.data, d->title, place.data,
            spread.data ? spread.data : "", xs_detector_remedy(d, f->verdict));
    xs_markdown_source(out, source);
    free(source);
    xs_string_free(&name);
    xs_string_free(&place);
    xs_string_free(&spread);
}

static void total(const struct xs_job *job, struct xs_out *out) {
    const struct xs_job_spread *back = &job->columns[XS_JOB_REMOVABLE];
    const struct xs_job_process *slowest = &job->processes[job->slowest];
    char ns[XS_UNIT_BYTES];
    struct xs_string text = {0};
    if (back->max) {
        xs_string_format(&text, "Removing all of these would give back up to %s in ", xs_format_ns(ns, back->max));
        add_process(&text, job, back->most);
        xs_string_format(&text, ", which gains most");
        if (job->slowest != back->most) {
            xs_string_format(&text, ", and %s in the slowest, ",
                             xs_format_ns(ns, slowest->columns[XS_JOB_REMOVABLE].value));
            add_process(&text, job, job->slowest);
        }
        if (job->process_count > 1)
            xs_string_format(&text, "; %s on average. Processes run side by side: this does not add up",
                             xs_format_ns(ns, back->mean));
        fprintf(out->file, "\n%s.\n", text.data);
    }
    if (job->upper_bound_ns)
        fprintf(out->file, "\n%s most %s in one process by running copies and kernels side by side.\n",
                back->max ? "Beside that, at" : "At", xs_format_ns(ns, job->upper_bound_ns));
    xs_string_free(&text);
}

static void findings(const struct xs_job *job, bool all, struct xs_out *out) {
    size_t counted = 0, advice = 0, shown = 0;
    for (size_t i = 0; i < job->finding_count; i++) {
        if (!is_shown(&job->findings[i], all, &counted, &advice))
            continue;
        if (!shown++)
            fputs("\n| # | finding | gives back | of the run | count | size | in | where |\n"
                  "|--:|:--|--:|--:|--:|--:|:--|:--|\n",
                  out->file);
        row(job, i, out);
    }
    fputs(shown ? "\n" : "", out->file);
    counted = advice = 0;
    for (size_t i = 0; i < job->finding_count; i++)
        if (is_shown(&job->findings[i], all, &counted, &advice))
            item(job, i, out);
    total(job, out);
    if (shown < job->finding_count)
        fprintf(out->file, "\n%zu more: `--details` lists them.\n", job->finding_count - shown);
}

void xs_job_markdown(const struct xs_job *job, bool all, struct xs_out *out) {
    if (!job->process_count)
        return;
    head(job, out);
    char *text = printed(xs_job_text_warnings, job, all);
    if (text && *text)
        putc('\n', out->file);
    xs_markdown_block(out, text);
    free(text);
    findings(job, all, out);
    text = printed(xs_job_text_processes, job, all);
    xs_markdown_folded(out, "How the processes differ", text);
    free(text);
}
