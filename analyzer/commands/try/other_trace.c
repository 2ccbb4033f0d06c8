/* Takes predictions and plans of trials from another trace of the same program; see trials.h. */

#include "analyzer/base/memory.h"
#include "analyzer/commands/common/same_finding.h"
#include "analyzer/commands/try/trials.h"

/* --- what is predicted --- */

/* Returns, by index of the findings of `of`, the indexes of the same findings in another trace of the program;
 * XS_UNMATCHED: there is none. Their verdicts may differ, because one trace may prove more than the other. The caller
 * frees the array. */
static uint32_t *same_findings(const struct xs_diagnosis *of, const struct xs_diagnosis *in) {
    struct xs_texts texts = {0};
    struct xs_match_sites before, after;
    struct xs_match places;
    xs_match_sites_of(of, &texts, &before);
    xs_match_sites_of(in, &texts, &after);
    xs_match_places(before.places, before.count, after.places, after.count, &places);
    XS_SCOPED struct xs_match_finding *was = xs_match_findings_of(of, &before), *is = xs_match_findings_of(in, &after);
    uint32_t *after_of = xs_realloc(NULL, of->count * sizeof *after_of);
    XS_SCOPED uint32_t *before_of = xs_realloc(NULL, in->count * sizeof *before_of);
    xs_match_findings(&places, was, of->count, is, in->count, true, after_of, before_of);
    xs_match_free(&places);
    xs_match_sites_free(&before);
    xs_match_sites_free(&after);
    xs_texts_free(&texts);
    return after_of;
}

void xs_trials_predict(struct xs_trials *trials, const struct xs_diagnosis *planned,
                       const struct xs_diagnosis *predicting) {
    XS_SCOPED uint32_t *same = same_findings(planned, predicting);
    trials->together = predicting->together;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        struct xs_trial *trial = &trials->items[i];
        uint32_t k = same[trial->finding];
        trial->predicted = k != XS_UNMATCHED ? predicting->items[k].saves : (struct xs_saving){0};
        trial->predicted_part = k != XS_UNMATCHED ? xs_try_part_saves(&predicting->items[k]) : (struct xs_saving){0};
    }
}

/* --- the plan of another trace --- */

bool xs_trials_are_sampled(const struct xs_trials *trials, const struct xs_diagnosis *diagnosis) {
    bool sampled = false;
    if (trials->ordinals.uncertain) /* a trial of copies cannot be made in this case */
        return false;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        const struct xs_trial *trial = &trials->items[i];
        const struct xs_finding *f = diagnosis->items[trial->finding].finding;
        sampled |= xs_try_needs_proof(trial->repair) && f->sample.is_of_contents && f->sample.checked < f->sample.of;
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
    XS_SCOPED size_t *in_whole = xs_realloc(NULL, trials->count * sizeof *in_whole),
                     *of = xs_realloc(NULL, trials->count * sizeof *of);
    XS_SCOPED uint32_t *same = same_findings(diagnosis, whole->diagnosis);
    size_t count = 0;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        uint32_t k = same[trials->items[i].finding];
        if (k != XS_UNMATCHED && trials->items[i].repair != XS_TRY_NONE) {
            of[count] = i;
            in_whole[count++] = k;
        }
    }
    struct xs_trials planned = {0};
    int status = count ? xs_trials_make(&planned, whole, in_whole, count, message) : 0;
    for (size_t i = 0; status >= 0 && i < count; i++) {
        struct xs_trial *trial = &trials->items[of[i]], *better = &planned.items[i];
        /* If the new trace watched all downloads, it may have seen one read that the first trace did not watch. */
        if (better->state == XS_TRIAL_PLANNED || trial->state != XS_TRIAL_PLANNED ||
            trial->repair == XS_TRY_DROP_DOWNLOADS)
            take_plan(trial, better);
    }
    xs_trials_free(&planned);
    return status;
}
