/* Makes plans from causes; see trials.h. */
#include "analyzer/commands/try/trials.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "schema/format/kinds.h"

const char *const xs_try_repair_names[] = {
#define XS_REPAIR(id, symbol, name, what) name,
#include "schema/repairs.def"
#undef XS_REPAIR
    NULL};
const char *const xs_trial_state_names[] = {"planned", "cannot-be-tried", "failed", "measured"};

/* --- the repair --- */

static const struct {
    const char *finding;
    enum xs_try_repair repair;
    const char *why;
} kinds[] = {
#define XS_TRY_REPAIR(finding, repair, why) {finding, XS_TRY_##repair, why},
#include "analyzer/commands/try/try_repairs.def"
#undef XS_TRY_REPAIR
};

enum xs_try_repair xs_try_repair_of(unsigned detector, unsigned verdict, const char **why) {
    XS_SCOPED_STRING kind = {0};
    size_t i = 0;
    xs_finding_kind(&kind, detector, verdict);
    for (; i < sizeof kinds / sizeof *kinds; i++) {
        size_t bytes = strlen(kinds[i].finding);
        if (!strncmp(kinds[i].finding, kind.data, bytes) && (!kind.data[bytes] || kind.data[bytes] == '/'))
            break;
    }
    bool known = i < sizeof kinds / sizeof *kinds;
    if (why)
        *why = known ? kinds[i].why : "nothing outside of the program can repair it";
    return known ? kinds[i].repair : XS_TRY_NONE;
}

/* Returns the repair of a finding. If the finding has several verdicts, returns the repair of the first verdict that
 * has a repair. */
static enum xs_try_repair repair_of(const struct xs_diagnosis *diagnosis, size_t finding, const char **why) {
    const struct xs_finding *f = diagnosis->items[finding].finding;
    enum xs_try_repair repair = XS_TRY_NONE;
    for (unsigned verdict = 0; verdict < XS_VERDICTS && repair == XS_TRY_NONE; verdict++)
        if (xs_finding_has_verdict(f, verdict))
            repair = xs_try_repair_of(f->detector, verdict, why);
    return repair;
}

bool xs_try_has_repair(unsigned detector, unsigned verdict) {
    return xs_try_repair_of(detector, verdict, NULL) != XS_TRY_NONE;
}

bool xs_try_is_about_copies(enum xs_try_repair repair) {
    return repair == XS_TRY_DROP_UPLOADS || repair == XS_TRY_STAY_ON_DEVICE || repair == XS_TRY_DROP_DOWNLOADS ||
           repair == XS_TRY_STAGE || repair == XS_TRY_GATHER;
}

bool xs_try_needs_proof(enum xs_try_repair repair) {
    return repair == XS_TRY_DROP_UPLOADS || repair == XS_TRY_STAY_ON_DEVICE || repair == XS_TRY_DROP_DOWNLOADS;
}

/* Returns the index of the first of a cause's findings that has a repair that can be tried; SIZE_MAX: none. */
static size_t finding_of(const struct xs_diagnosis *diagnosis, const struct xs_cause *cause) {
    for (size_t i = 0; i < cause->count; i++)
        if (repair_of(diagnosis, cause->findings[i], NULL) != XS_TRY_NONE)
            return cause->findings[i];
    return SIZE_MAX;
}

/* True if a report shows the cause by name. */
static bool is_shown(const struct xs_cause *cause) { return !cause->folded && cause->saves.most_ns; }

bool xs_try_is_worth(const struct xs_diagnosis *diagnosis, const struct xs_trace *trace) {
    XS_SCOPED char *doubt = xs_ordinals_doubt(trace);
    bool worth = false;
    for (size_t i = 0; i < diagnosis->cause_count && !worth; i++) {
        const struct xs_cause *cause = &diagnosis->causes[i];
        size_t finding = is_shown(cause) ? finding_of(diagnosis, cause) : SIZE_MAX;
        worth = finding != SIZE_MAX && !(doubt && xs_try_is_about_copies(repair_of(diagnosis, finding, NULL)));
    }
    return worth;
}

/* --- lines --- */

struct making {
    struct xs_trials *trials;
    const struct xs_reading *reading;
    struct xs_hash sizes; /* allocation.id to its bytes plus 1 */
    struct xs_hash kinds; /* allocation.id to its kind plus 1, if it is registered or managed */
    const char *left_out; /* why some copies are not in this trial's plan; NULL: no copy was left out because of its
                             kind */
};

static void add_line(struct xs_trial *trial, const struct xs_try_line *line) {
    xs_grow(&trial->lines, trial->line_count, &trial->line_capacity, sizeof *trial->lines);
    trial->lines[trial->line_count++] = *line;
}

/* Returns why a copy cannot be repaired; NULL: it can be repaired. No copy of a batch call can be repaired. */
static const char *unfit(const struct xs_ordinal *copy) {
    if (copy->is_of_batch)
        return "no repair takes copies of a batch";
    return copy->is_plain ? NULL : "no repair takes copies in two or three dimensions, of arrays or of managed memory";
}

static void add_copy(struct making *m, struct xs_trial *trial, enum xs_try_repair repair, const struct xs_ordinal *copy,
                     const struct xs_ordinal *from) {
    const char *why = copy ? unfit(copy) : NULL;
    if (!why && from)
        why = unfit(from);
    m->left_out = why ? why : m->left_out;
    if (!copy || why)
        return;
    add_line(trial, &(struct xs_try_line){.repair = repair,
                                          .thread = copy->thread,
                                          .ordinal = copy->ordinal,
                                          .bytes = copy->bytes,
                                          .has_from = from != NULL,
                                          .from_thread = from ? from->thread : 0,
                                          .from_ordinal = from ? from->ordinal : 0});
    trial->planned++;
}

/* Adds a run to the plan: all copies of its place and thread, from its first copy to its last. */
static void add_run(struct making *m, struct xs_trial *trial, const struct xs_repairable *instance) {
    const struct xs_ordinals *o = &m->trials->ordinals;
    const struct xs_ordinal *first = xs_ordinals_find(o, instance->rows[0]);
    for (const struct xs_ordinal *at = first; at && at < o->items + o->count && at->row <= instance->rows[1]; at++)
        if (at->site == first->site && at->thread == first->thread)
            add_copy(m, trial, trial->repair, at, NULL);
}

/* Adds a copy whose bytes need not leave the device: they are copied from another region of the device, or are already
 * there. */
static void add_held(struct making *m, struct xs_trial *trial, const struct xs_repairable *instance) {
    const struct xs_ordinals *o = &m->trials->ordinals;
    const struct xs_ordinal *copy = xs_ordinals_find(o, instance->rows[0]);
    const struct xs_ordinal *from = xs_ordinals_find(o, instance->rows[1]);
    if (!copy || !from || !instance->held)
        return;
    if (copy->device && copy->device == from->device && copy->bytes == from->bytes)
        add_copy(m, trial, XS_TRY_DROP_UPLOADS, copy, NULL);
    else
        add_copy(m, trial, trial->repair, copy, from);
}

static const char *why_not_kept(const struct making *m, enum xs_try_repair repair, int64_t row) {
    const uint64_t *kind = xs_hash_find(&m->kinds, (uint64_t)row, 0);
    if (kind && *kind == XS_MEM_REGISTERED)
        return "registrations are not kept: nobody can watch safely whether their memory stays mapped";
    return kind && repair == XS_TRY_KEEP_ALLOCATIONS ? "managed memory is not kept" : NULL;
}

static void add_allocation(struct making *m, struct xs_trial *trial, int64_t row) {
    const uint64_t *bytes = xs_hash_find(&m->sizes, (uint64_t)row, 0);
    const char *why = why_not_kept(m, trial->repair, row);
    m->left_out = why ? why : m->left_out;
    if (!bytes || why)
        return;
    add_line(trial, &(struct xs_try_line){.repair = trial->repair, .is_any = true, .bytes = *bytes - 1});
    trial->planned++;
}

static void add_instance(struct making *m, struct xs_trial *trial, const struct xs_repairable *instance) {
    const struct xs_ordinals *o = &m->trials->ordinals;
    switch (trial->repair) {
    case XS_TRY_STAY_ON_DEVICE:
        add_held(m, trial, instance);
        break;
    case XS_TRY_KEEP_ALLOCATIONS:
    case XS_TRY_KEEP_PINNED:
    case XS_TRY_PREFETCH:
        add_allocation(m, trial, instance->rows[0]);
        break;
    case XS_TRY_DROP_UPLOADS:
    case XS_TRY_DROP_DOWNLOADS:
    case XS_TRY_STAGE:
    case XS_TRY_GATHER:
        if (instance->is_run)
            add_run(m, trial, instance);
        else
            add_copy(m, trial, trial->repair, xs_ordinals_find(o, instance->rows[0]), NULL);
        break;
    case XS_TRY_NONE:
        break;
    }
}

static int by_call(const void *a, const void *b) {
    const struct xs_try_line *x = a, *y = b;
    if (x->repair == y->repair && (x->is_any || y->is_any))
        return xs_compare_uint64(x->bytes, y->bytes);
    return xs_compare(x->repair, y->repair) ?: xs_compare(x->thread, y->thread) ?: xs_compare(x->ordinal, y->ordinal);
}

/* Sorts the lines, and removes repeated ones. */
static void tidy(struct xs_trial *trial) {
    size_t kept = 0;
    xs_sort(trial->lines, trial->line_count, sizeof *trial->lines, by_call);
    for (size_t i = 0; i < trial->line_count; i++)
        if (!kept || by_call(&trial->lines[kept - 1], &trial->lines[i]) != 0)
            trial->lines[kept++] = trial->lines[i];
    trial->line_count = kept;
}

/* Returns how many copies the finding is about, including an estimate for copies with unknown contents. */
static uint64_t in_all(const struct xs_finding *f, enum xs_try_repair repair) {
    if (f->sample.is_of_contents && f->sample.checked < f->sample.of && f->sample.estimate > (double)f->instances)
        return (uint64_t)(f->sample.estimate + 0.5);
    return repair == XS_TRY_GATHER ? f->transfers : f->instances;
}

/* --- a trial --- */

void xs_trial_end(struct xs_trial *trial, enum xs_trial_state state, const char *format, ...) {
    struct xs_string text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    free(trial->why);
    trial->why = text.data;
    trial->state = state;
}

static const char *why_no_line(const struct making *m, const struct xs_trial *trial) {
    if (m->left_out)
        return m->left_out;
    return trial->repair == XS_TRY_STAY_ON_DEVICE
               ? "the trace does not prove of any upload that the device still holds its bytes"
               : "its calls are not in the trace";
}

static void note_left_out(struct xs_trial *trial, const struct xs_finding *f) {
    trial->left_out_count = 0;
    for (unsigned verdict = 0; verdict < XS_VERDICTS && f->verdict == XS_SEVERAL_VERDICTS; verdict++) {
        const struct xs_variant *variant = &f->variants[verdict];
        uint64_t all = (uint64_t)(variant->estimate + 0.5);
        const char *why;
        if (variant->instances && xs_try_repair_of(f->detector, verdict, &why) == XS_TRY_NONE)
            trial->left_out[trial->left_out_count++] =
                (struct xs_try_left_out){.verdict = xs_detectors[f->detector]->verdicts[verdict].name,
                                         .instances = all > variant->instances ? all : variant->instances,
                                         .why = why};
    }
}

struct xs_saving xs_try_part_saves(const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    if (f->verdict == XS_SEVERAL_VERDICTS)
        return d->part_saves;
    return xs_try_has_repair(f->detector, f->verdict) ? d->saves : (struct xs_saving){0};
}

const struct xs_saving *xs_trial_predicted(const struct xs_trial *trial) {
    return trial->left_out_count ? &trial->predicted_part : &trial->predicted;
}

/* Returns how many watched downloads of the finding's place were read. Each verdict has a finding of its own. */
static uint64_t read_ones(const struct xs_diagnosis *diagnosis, const struct xs_finding *f) {
    uint64_t unread = 0;
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *other = diagnosis->items[i].finding;
        if (other->detector == f->detector && other->site == f->site)
            unread += other->sample.hits;
    }
    return f->sample.checked > unread ? f->sample.checked - unread : 0;
}

static void plan(struct making *m, struct xs_trial *trial) {
    const struct xs_finding *f = m->reading->diagnosis->items[trial->finding].finding;
    const char *why;
    trial->repair = repair_of(m->reading->diagnosis, trial->finding, &why);
    if (trial->repair == XS_TRY_NONE) {
        xs_trial_end(trial, XS_TRIAL_CANNOT, "%s", why);
        return;
    }
    if (xs_try_is_about_copies(trial->repair) && m->trials->ordinals.uncertain) {
        xs_trial_end(trial, XS_TRIAL_CANNOT, "which calls it is about is not certain: %s",
                     m->trials->ordinals.uncertain);
        return;
    }
    uint64_t read = trial->repair == XS_TRY_DROP_DOWNLOADS ? read_ones(m->reading->diagnosis, f) : 0;
    if (read) {
        xs_trial_end(trial, XS_TRIAL_CANNOT, "%s of the %s watched downloads of this place were read",
                     XS_COUNT_TEXT(read), XS_COUNT_TEXT(f->sample.checked));
        return;
    }
    note_left_out(trial, f);
    m->left_out = NULL;
    const struct xs_repairables *all = &m->reading->diagnosis->findings->repairables;
    size_t count, first = xs_repairables_of(all, f, &count);
    for (size_t i = first; i < first + count; i++)
        if (xs_try_has_repair(f->detector, all->items[i].verdict))
            add_instance(m, trial, &all->items[i]);
    trial->of = in_all(f, trial->repair);
    trial->of = trial->of > trial->planned ? trial->of : trial->planned;
    tidy(trial);
    if (!trial->line_count)
        xs_trial_end(trial, XS_TRIAL_CANNOT, "%s", why_no_line(m, trial));
}

static void add_trial(struct making *m, size_t number, size_t finding) {
    const struct xs_diagnosis *diagnosis = m->reading->diagnosis;
    struct xs_trial *trial = &m->trials->items[m->trials->count++];
    struct xs_string name = {0}, place = {0};
    *trial = (struct xs_trial){.number = number, .finding = finding, .repair = XS_TRY_NONE};
    xs_finding_name(&name, diagnosis, finding);
    xs_place_of_site(&place, diagnosis->findings, diagnosis->items[finding].finding->site);
    trial->name = name.data;
    trial->place = place.data;
    trial->predicted = diagnosis->items[finding].saves;
    trial->predicted_part = xs_try_part_saves(&diagnosis->items[finding]);
    plan(m, trial);
}

static void add_all(struct xs_trials *trials) {
    trials->items[trials->count++] =
        (struct xs_trial){.finding = SIZE_MAX, .name = xs_strdup("all"), .repair = XS_TRY_NONE};
}

static void free_trial(struct xs_trial *trial) {
    free(trial->name);
    free(trial->place);
    free(trial->why);
    free(trial->lines);
}

/* Adds the trial of a cause. If the cause has several findings, takes the first one for whose repair a plan can be
 * made. */
static void add_cause(struct making *m, size_t cause) {
    const struct xs_cause *c = &m->reading->diagnosis->causes[cause];
    size_t first = finding_of(m->reading->diagnosis, c), shown = m->trials->count;
    struct xs_trial *kept = &m->trials->items[shown], *other = kept + 1;
    add_trial(m, cause + 1, first == SIZE_MAX ? c->findings[0] : first);
    for (size_t i = 0; i < c->count && kept->state == XS_TRIAL_CANNOT; i++) {
        if (c->findings[i] == first || repair_of(m->reading->diagnosis, c->findings[i], NULL) == XS_TRY_NONE)
            continue;
        add_trial(m, cause + 1, c->findings[i]);
        struct xs_trial worse = other->state == XS_TRIAL_PLANNED ? *kept : *other;
        *kept = other->state == XS_TRIAL_PLANNED ? *other : *kept;
        free_trial(&worse);
        m->trials->count = shown + 1;
    }
}

static size_t cause_of(const struct xs_diagnosis *diagnosis, size_t finding) {
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        for (size_t k = 0; k < diagnosis->causes[i].count; k++)
            if (diagnosis->causes[i].findings[k] == finding)
                return i + 1;
    return 0;
}

static int read_sizes(struct making *m, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, &m->reading->trace, "SELECT id, bytes, kind FROM allocation", message, NULL);
    while (xs_scan_row(&scan)) {
        uint64_t row = (uint64_t)xs_scan_int(&scan, 0), kind = xs_scan_count(&scan, 2);
        *xs_hash_put(&m->sizes, row, 0) = xs_sum(xs_scan_count(&scan, 1), 1);
        if (kind == XS_MEM_REGISTERED || kind == XS_MEM_MANAGED)
            *xs_hash_put(&m->kinds, row, 0) = kind;
    }
    return xs_scan_end(&scan);
}

int xs_trials_make(struct xs_trials *trials, const struct xs_reading *reading, const size_t *only, size_t only_count,
                   char *message) {
    const struct xs_diagnosis *diagnosis = reading->diagnosis;
    struct making m = {.trials = trials, .reading = reading};
    *trials = (struct xs_trials){.together = diagnosis->together};
    trials->items = xs_realloc(NULL, (diagnosis->cause_count + only_count + 2) * sizeof *trials->items);
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        trials->report_causes += is_shown(&diagnosis->causes[i]);
    int status = xs_ordinals_read(&trials->ordinals, &reading->trace, diagnosis->findings->sites, message);
    if (status >= 0)
        status = read_sizes(&m, message);
    if (status >= 0) {
        for (size_t i = 0; i < only_count; i++)
            add_trial(&m, cause_of(diagnosis, only[i]), only[i]);
        for (size_t i = 0; i < diagnosis->cause_count && !only_count; i++)
            if (is_shown(&diagnosis->causes[i]))
                add_cause(&m, i);
        add_all(trials);
    }
    xs_hash_free(&m.sizes);
    xs_hash_free(&m.kinds);
    return status;
}

void xs_trials_free(struct xs_trials *trials) {
    for (size_t i = 0; i < trials->count; i++)
        free_trial(&trials->items[i]);
    free(trials->items);
    xs_ordinals_free(&trials->ordinals);
    *trials = (struct xs_trials){0};
}

/* --- all together --- */

uint64_t xs_trial_left_out(const struct xs_trial *trial) {
    uint64_t count = 0;
    for (size_t i = 0; i < trial->line_count; i++)
        count += xs_try_needs_proof(trial->lines[i].repair);
    return count;
}

bool xs_trials_are_about_reads(const struct xs_trials *trials) {
    bool are = false;
    for (size_t i = 0; i < trials->count; i++)
        are |= trials->items[i].repair == XS_TRY_DROP_DOWNLOADS;
    return are;
}

/* Removes the repairs of copies that another repair leaves out. */
static void leave_out_what_is_gone(struct xs_trial *all) {
    XS_SCOPED_HASH gone = {0};
    size_t kept = 0;
    for (size_t i = 0; i < all->line_count; i++) {
        const struct xs_try_line line = all->lines[i];
        if (!line.is_any && xs_hash_find(&gone, line.thread, line.ordinal))
            continue;
        if (xs_try_needs_proof(line.repair))
            *xs_hash_put(&gone, line.thread, line.ordinal) = 1;
        all->lines[kept++] = line;
    }
    all->line_count = kept;
}

static void predict_together(struct xs_trial *all, const struct xs_trials *trials) {
    uint64_t least = 0, most = 0;
    bool known = true;
    bool every = trials->report_causes + 1 == trials->count;
    for (size_t i = 0; i + 1 < trials->count; i++) {
        const struct xs_trial *trial = &trials->items[i];
        const struct xs_saving *predicted = xs_trial_predicted(trial);
        every = every && trial->state == XS_TRIAL_PLANNED && !trial->left_out_count;
        if (trial->state != XS_TRIAL_PLANNED)
            continue;
        least = predicted->least_ns > least ? predicted->least_ns : least;
        most = xs_sum(most, predicted->most_ns);
        known = known && predicted->known;
    }
    const struct xs_saving *together = &trials->together;
    all->predicted = *together;
    all->predicted.known = together->known && known;
    if (!every) {
        all->predicted.least_ns = least < together->least_ns ? least : together->least_ns;
        all->predicted.most_ns = most < together->most_ns ? most : together->most_ns;
    }
}

size_t xs_trials_put_together(struct xs_trials *trials) {
    struct xs_trial *all = &trials->items[trials->count - 1];
    size_t count = 0;
    all->line_count = 0;
    all->planned = all->of = 0;
    predict_together(all, trials);
    for (size_t i = 0; i + 1 < trials->count; i++) {
        const struct xs_trial *trial = &trials->items[i];
        if (trial->state != XS_TRIAL_PLANNED)
            continue;
        for (size_t k = 0; k < trial->line_count; k++)
            add_line(all, &trial->lines[k]);
        count++;
        all->planned = xs_sum(all->planned, trial->planned);
        all->of = xs_sum(all->of, trial->of);
    }
    tidy(all); /* after this, the repairs that leave a copy out come first */
    leave_out_what_is_gone(all);
    return count;
}
