/* Prints the findings of a job as text. */

#include "analyzer/base/memory.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

enum { INDENT = 6 };

void xs_job_finding_who(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f, bool named) {
    XS_SCOPED size_t *processes = xs_realloc(NULL, f->share_count * sizeof *processes);
    for (size_t i = 0; i < f->share_count; i++)
        processes[i] = f->shares[i].process;
    (named ? xs_job_who : xs_job_who_short)(text, job, processes, f->share_count);
}

/* How much of a cause is shown. The first causes show more. The numbers are chosen so that the first screen fits a
 * terminal of 24 lines. */
enum { CAUSES_SHOWN = 4, WITH_SOURCE = 1, WITH_REMEDY = 2 };

static void print_where(const struct xs_job *job, const struct xs_job_finding *f, bool with_text, bool all,
                        struct xs_out *out) {
    const struct xs_sites sites = xs_job_sites(job, f);
    const struct xs_amount in_all = xs_job_in_all(f);
    XS_SCOPED_STRING what = {0};
    xs_say_amount(&what, &in_all);
    xs_string_format(&what, ", in ");
    xs_job_finding_who(&what, job, f, all);
    xs_string_format(&what, f->has_frame ? ", " : ", at ");
    if (f->has_frame) {
        xs_place_at(&what, &sites, &f->frame);
        xs_string_format(&what, " (%s)", f->entry_point);
    } else {
        xs_string_format(&what, "%s", f->entry_point);
    }
    xs_out_indented(out, INDENT, "%s: %s", xs_detectors[f->detector]->title, what.data);
    if (f->has_frame && with_text)
        xs_place_source_line(f->text, &f->frame, INDENT + 2, out);
}

/* Prints finding `index`, the `number`-th that is shown (from 0). */
static void print_finding(const struct xs_job *job, size_t index, size_t number, bool all, struct xs_out *out) {
    const struct xs_job_finding *f = &job->findings[index];
    XS_SCOPED_STRING name = {0}, gain = {0}, spread = {0};
    xs_finding_kind(&name, f->detector, f->verdict);
    if (!f->advice) {
        xs_job_say_gain(&gain, job, f);
        xs_job_say_checked(&gain, f);
    }
    bool fits = !out->columns || INDENT + name.length + 2 + gain.length <= (size_t)out->columns;
    fprintf(out->file, "  %2zu  %s%s%s%s%s\n", index + 1, xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING), fits ? "  " : "",
            !fits       ? ""
            : f->advice ? "(advice)"
                        : gain.data);
    if (!fits)
        xs_out_indented(out, INDENT, "%s", gain.data);
    print_where(job, f, all || number < WITH_SOURCE, all, out);
    if (!f->advice && all) {
        xs_job_say_spread(&spread, job, f, xs_job_process_name);
        if (spread.length)
            xs_out_indented(out, INDENT, "%s", spread.data);
    }
    if (!f->advice && (all || number < WITH_REMEDY))
        xs_out_indented(out, INDENT, "%s", f->remedy);
}

static void total_line(const struct xs_job *job, struct xs_out *out) {
    struct xs_string all = {0};
    xs_job_say_total(&all, job, XS_SAY_TEXT, xs_job_process_name);
    xs_out_take_line(out, XS_STYLE_GOOD, &all);
}

static void rest_line(size_t causes, size_t beneath, size_t advice, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    xs_say_rest(&text, causes, beneath, advice);
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "%s: --details shows all", text.data);
}

void xs_job_text_findings(const struct xs_job *job, bool all, struct xs_out *out) {
    size_t shown = 0, advice = 0, causes = 0, beneath = 0;
    xs_out_heading(out, "Causes");
    for (size_t i = 0; i < job->finding_count; i++) {
        const struct xs_job_finding *f = &job->findings[i];
        if (xs_job_saves_nothing(f))
            continue;
        if (f->advice)
            advice++;
        else if (!f->leads && !all)
            beneath++;
        else if ((f->folded || shown >= CAUSES_SHOWN) && !all)
            causes++;
        else
            print_finding(job, i, shown++, all, out);
    }
    if (!shown)
        xs_out_line(out, XS_STYLE_PLAIN,
                    causes   ? "None that would save 1 ms and 0.1 %% of a run."
                    : advice ? XS_NONE_GIVES_TIME
                             : XS_NO_FINDINGS);
    else
        total_line(job, out);
    for (size_t i = 0; i < job->finding_count && all; i++)
        if (job->findings[i].advice)
            print_finding(job, i, shown++, all, out);
    rest_line(causes, beneath, all ? 0 : advice, out);
}
