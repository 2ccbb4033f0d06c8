/* Writes the sentences that the text and the Markdown of a job share; see job_words.h. */
#include "analyzer/commands/job/job_words.h"

#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/saving_words.h"

void xs_job_say_title(struct xs_string *text, const struct xs_job *job) {
    xs_string_format(text, "A job of %zu process%s", job->process_count, job->process_count == 1 ? "" : "es");
    if (job->host_count)
        xs_string_format(text, " on %zu host%s", job->host_count, job->host_count == 1 ? "" : "s");
}

void xs_job_say_spread(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f,
                       xs_job_name_fn *name) {
    if (f->advice || f->saves_ns.min == f->saves_ns.max)
        return;
    xs_string_format(text, "Of each: least %s, median %s, most %s (", XS_NS_TEXT(f->saves_ns.min),
                     XS_NS_TEXT(f->saves_ns.median), XS_NS_TEXT(f->saves_ns.max));
    name(text, job, f->saves_ns.most);
    xs_string_format(text, ").");
}

/* The processes run at the same time, so savings are not added up. */
void xs_job_say_total(struct xs_string *text, const struct xs_job *job, enum xs_say_form form, xs_job_name_fn *name) {
    const struct xs_job_spread *back = &job->columns[XS_JOB_SAVES];
    if (!back->max)
        return;
    xs_say_total(text, xs_saving_is_interval(&job->processes[back->most].together), back->max);
    if (form == XS_SAY_TEXT) {
        xs_string_format(text, " of ");
        xs_say_recorded(text, &job->processes[back->most].recorded);
    }
    xs_string_format(text, " in ");
    name(text, job, back->most);
    if (job->process_count > 1)
        xs_string_format(text, " (the largest saving%s)",
                         back->most == job->slowest ? ", and the slowest process" : "");
    if (back->most != job->slowest) {
        xs_string_format(text, ", %s in ", XS_NS_TEXT(job->processes[job->slowest].columns[XS_JOB_SAVES].value));
        name(text, job, job->slowest);
        xs_string_format(text, " (the slowest process)");
    }
    if (job->process_count > 1)
        xs_string_format(text, ", %s on average. The processes run at the same time, so do not add up their savings",
                         XS_NS_TEXT(back->mean));
    xs_string_add(text, ".", 1);
}

struct xs_amount xs_job_in_all(const struct xs_job_finding *f) {
    return xs_amount_in_all(&f->sample, f->instances, f->transfers, f->bytes);
}

void xs_job_say_checked(struct xs_string *text, const struct xs_job_finding *f) {
    XS_SCOPED_STRING checked = {0};
    xs_sample_checked(&checked, &f->sample);
    if (checked.length)
        xs_string_format(text, " (%s)", checked.data);
}

bool xs_job_say_bound(struct xs_string *text, const struct xs_job_finding *f) {
    char min[XS_UNIT_BYTES], max[XS_UNIT_BYTES];
    if (f->advice)
        return false;
    if (xs_saving_is_interval(&f->saves))
        xs_string_format(text, XS_UP_TO);
    if (!strcmp(xs_format_ns(min, f->saves_ns.min), xs_format_ns(max, f->saves_ns.max)))
        return false;
    char *unit = strchr(min, ' '), *same = strchr(max, ' ');
    if (unit && same && !strcmp(unit, same)) /* "128 to 146 ms" */
        *unit = '\0';
    xs_string_format(text, "%s to ", min);
    return true;
}

void xs_job_say_gain(struct xs_string *text, const struct xs_job *job, const struct xs_job_finding *f) {
    char share[XS_UNIT_BYTES];
    XS_SCOPED_STRING bound = {0};
    uint64_t ns = f->saves_ns.max;
    const struct xs_recorded_time *recorded = &job->processes[f->saves_ns.most].recorded;
    if (xs_job_say_bound(&bound, f)) {
        xs_string_format(text, "saves %s%s by process", bound.data, XS_NS_TEXT(ns));
        if (ns <= recorded->ns && *xs_format_share(share, ns, recorded->ns))
            xs_string_format(text, ", up to %s %s", share, xs_share_is_of(recorded));
    } else {
        xs_say_gain(text, bound.data ? bound.data : "", ns, recorded);
    }
}

const struct xs_recorded_time *xs_job_recorded(const struct xs_job *job) {
    size_t i = 0;
    while (i + 1 < job->process_count && !job->processes[i].recorded.in_part)
        i++;
    return &job->processes[i].recorded;
}

struct xs_sites xs_job_sites(const struct xs_job *job, const struct xs_job_finding *f) {
    const struct xs_job_process *home = &job->processes[f->home];
    return (struct xs_sites){.cwd = home->cwd};
}

bool xs_job_saves_nothing(const struct xs_job_finding *finding) {
    return !finding->advice && finding->saves.known && !finding->saves.most_ns;
}
