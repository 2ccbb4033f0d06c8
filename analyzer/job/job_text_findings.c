/* The report of a job as text: what was found in its processes. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/engine/detector.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/job/job_internal.h"

enum { INDENT = 6 };

void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    size_t *processes = xs_realloc(NULL, f->share_count * sizeof *processes);
    for (size_t i = 0; i < f->share_count; i++)
        processes[i] = f->shares[i].process;
    xs_job_who(text, job, processes, f->share_count);
    free(processes);
}

static void print_where(const struct xs_job *job, const struct xs_job_finding *f, struct xs_out *out) {
    const struct xs_sites sites = xs_job_sites(job, f);
    struct xs_string amount = {0}, place = {0};
    const struct xs_amount in_all = xs_job_in_all(f);
    xs_say_amount(&amount, &in_all);
    xs_string_format(&amount, ", in ");
    xs_job_finding_who(&amount, job, f);
    xs_place_text(&place, &sites, f->has_frame ? &f->frame : NULL);
    if (f->has_frame) {
        xs_out_indented(out, INDENT, "%s: %s", xs_detectors[f->detector]->title, amount.data);
        xs_out_indented(out, INDENT, "at %s (%s)", place.data, f->entry_point);
        xs_place_source_line(f->text, &f->frame, INDENT + 2, out);
    } else {
        xs_out_indented(out, INDENT, "%s: %s, at %s", xs_detectors[f->detector]->title, amount.data, f->entry_point);
    }
    xs_string_free(&amount);
    xs_string_free(&place);
}

/* "saves up to 6.30 ms, 6.3 % of the run": of the process that gains most. */
static void finding_gain(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    xs_say_gain(text, xs_job_bound(f), f->gives_back.max,
                job->processes[f->gives_back.most].columns[XS_JOB_WALL].value);
    xs_job_say_checked(text, f);
}

static void print_finding(const struct xs_job *job, size_t index, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    struct xs_string name = {0}, gain = {0}, spread = {0};
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
        xs_job_say_spread(&spread, job, f, xs_job_process_name);
        if (spread.length)
            xs_out_indented(out, INDENT, "%s", spread.data);
        xs_out_indented(out, INDENT, "%s", f->remedy);
    }
    xs_string_free(&name);
    xs_string_free(&gain);
    xs_string_free(&spread);
}

static void total_line(const struct xs_job *job, struct xs_out *out) {
    struct xs_string all = {0};
    xs_job_say_total(&all, job, XS_SAY_TEXT, xs_job_process_name);
    if (all.length)
        xs_out_line(out, XS_STYLE_GOOD, "%s", all.data);
    xs_string_free(&all);
}

static void rest_line(size_t causes, size_t beneath, size_t advice, struct xs_out *out) {
    struct xs_string text = {0};
    xs_say_rest(&text, causes, beneath, advice);
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "%s: --details shows all", text.data);
    xs_string_free(&text);
}

void xs_job_text_findings(const struct xs_job *job, bool all, struct xs_out *out) {
    size_t shown = 0, advice = 0, causes = 0, beneath = 0;
    xs_out_heading(out, "Causes");
    for (size_t i = 0; i < job->finding_count; i++) {
        const struct xs_job_finding *f = &job->findings[i];
        if (f->advice)
            advice++;
        else if (!f->leads && !all)
            beneath++;
        else if ((f->folded || shown >= XS_FINDINGS_SHOWN) && !all)
            causes++;
        else if (++shown)
            print_finding(job, i, out);
    }
    if (!shown)
        xs_out_line(out, XS_STYLE_PLAIN,
                    causes   ? XS_NONE_GIVES("1 ms and 0.1 %% of a run.")
                    : advice ? XS_NONE_GIVES_TIME
                             : XS_NO_FINDINGS);
    else
        total_line(job, out);
    size_t advised = 0;
    for (size_t i = 0; i < job->finding_count; i++)
        if (job->findings[i].advice && (advised < XS_ADVICE_SHOWN || all) && ++advised)
            print_finding(job, i, out);
    rest_line(causes, beneath, advice - advised, out);
}
