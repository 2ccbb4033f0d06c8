/* What another trace of the same program says of the trials: what is predicted, and the plans; see trials.h. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/commands/try/trials.h"
#include "analyzer/words/place.h"

/* --- what is predicted --- */

/* Of the same kind at the same place; `any_verdict`: what the trace could prove of it may differ. */
static bool is_alike(const struct xs_diagnosed *diagnosed, const struct xs_diagnosis *of, const struct xs_finding *f,
                     const char *place, bool any_verdict) {
    const struct xs_finding *x = diagnosed->finding;
    struct xs_string other = {0};
    xs_place_of_site(&other, of->findings, x->site);
    bool is = x->detector == f->detector && (any_verdict || x->verdict == f->verdict) && !strcmp(other.data, place);
    xs_string_free(&other);
    return is;
}

/* Of several at one place, as of two ways to it, the same one in rank. NULL: there is none. */
static const struct xs_diagnosed *same_finding(const struct xs_diagnosis *of, size_t index,
                                               const struct xs_diagnosis *in, bool any_verdict) {
    const struct xs_finding *f = of->items[index].finding;
    const struct xs_diagnosed *same = NULL;
    struct xs_string place = {0};
    size_t before = 0;
    xs_place_of_site(&place, of->findings, f->site);
    for (const struct xs_diagnosed *x = of->items; x < &of->items[index]; x++)
        before += is_alike(x, of, f, place.data, any_verdict);
    for (size_t i = 0; i < in->count && !same; i++)
        if (is_alike(&in->items[i], in, f, place.data, any_verdict) && !before--)
            same = &in->items[i];
    xs_string_free(&place);
    return same;
}

void xs_trials_predict(struct xs_trials *trials, const struct xs_diagnosis *planned,
                       const struct xs_diagnosis *predicting) {
    trials->together = predicting->together;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        struct xs_trial *trial = &trials->items[i];
        const struct xs_diagnosed *same = same_finding(planned, trial->finding, predicting, false);
        if (!same)
            same = same_finding(planned, trial->finding, predicting, true);
        trial->predicted = same ? same->saves : (struct xs_saving){0};
        trial->predicted_part = same ? xs_try_part_saves(same) : (struct xs_saving){0};
    }
}

/* --- the plan of another trace --- */

bool xs_trials_are_sampled(const struct xs_trials *trials, const struct xs_diagnosis *diagnosis) {
    bool sampled = false;
    if (trials->ordinals.uncertain) /* a trial of copies cannot be made, whatever was sampled */
        return false;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        const struct xs_trial *trial = &trials->items[i];
        const struct xs_finding *f = diagnosis->items[trial->finding].finding;
        sampled |= xs_try_is_by_contents(trial->repair) && f->sample.is_of_contents && f->sample.checked < f->sample.of;
    }
    return sampled;
}

static void take_plan(struct xs_trial *trial, struct xs_trial *from) {
    const struct xs_trial was = *trial;
    *trial = *from;
    *from = was;
    trial->number = was.number;
    trial->finding = was.finding;
    trial->predicted = was.predicted;
    trial->predicted_part = was.predicted_part;
    from->name = trial->name;
    from->place = trial->place;
    trial->name = was.name;
    trial->place = was.place;
}

int xs_trials_plan_by(struct xs_trials *trials, const struct xs_diagnosis *diagnosis, const struct xs_reading *whole,
                      char *message) {
    size_t *in_whole = xs_realloc(NULL, trials->count * sizeof *in_whole),
           *of = xs_realloc(NULL, trials->count * sizeof *of);
    size_t count = 0;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        const struct xs_diagnosed *same = same_finding(diagnosis, trials->items[i].finding, whole->diagnosis, false);
        if (!same)
            same = same_finding(diagnosis, trials->items[i].finding, whole->diagnosis, true);
        if (same && trials->items[i].repair != XS_TRY_NONE) {
            of[count] = i;
            in_whole[count++] = (size_t)(same - whole->diagnosis->items);
        }
    }
    struct xs_trials planned = {0};
    int status = count ? xs_trials_make(&planned, whole, in_whole, count, message) : 0;
    for (size_t i = 0; status >= 0 && i < count; i++)
        if (planned.items[i].state == XS_TRIAL_PLANNED || trials->items[of[i]].state != XS_TRIAL_PLANNED)
            take_plan(&trials->items[of[i]], &planned.items[i]);
    xs_trials_free(&planned);
    free(in_whole);
    free(of);
    return status;
}
