/* Makes, orders and frees the diagnosis of a trace; see diagnosis.h. */
#include "analyzer/savings/causes/diagnosis.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/findings/engine/detector.h"

static void number(struct xs_diagnosis *diagnosis) {
    enum { KINDS = XS_SEVERAL_VERDICTS + 1 };
    size_t *met = xs_zeroed(xs_detector_count * KINDS, sizeof *met);
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding;
        diagnosis->items[i].ordinal = ++met[f->detector * KINDS + f->verdict % KINDS];
    }
    free(met);
}

struct xs_diagnosis *xs_diagnosis_of(struct xs_findings *findings) {
    struct xs_diagnosis *diagnosis = xs_realloc(NULL, sizeof *diagnosis);
    *diagnosis = (struct xs_diagnosis){.findings = findings, .count = findings->count};
    diagnosis->items = xs_realloc(NULL, (findings->count + 1) * sizeof *diagnosis->items);
    for (size_t i = 0; i < findings->count; i++)
        diagnosis->items[i] = (struct xs_diagnosed){.finding = &findings->items[i]};
    number(diagnosis);
    return diagnosis;
}

void xs_diagnosis_reorder(struct xs_diagnosis *diagnosis, const size_t *places) {
    struct xs_diagnosed *items = xs_realloc(NULL, (diagnosis->count + 1) * sizeof *items);
    for (size_t i = 0; i < diagnosis->count; i++)
        items[places[i]] = diagnosis->items[i];
    free(diagnosis->items);
    diagnosis->items = items;
    number(diagnosis);
}

uint64_t xs_finding_share_ns(const struct xs_diagnosed *d, uint64_t claimed_ns) {
    const struct xs_finding *f = d->finding;
    uint64_t found_ns = d->saves.most_ns > d->saves.scaled_most_ns ? d->saves.most_ns - d->saves.scaled_most_ns : 0;
    if (f->claimed_ns)
        return (uint64_t)((long double)found_ns * (long double)claimed_ns / (long double)f->claimed_ns);
    return f->instances ? found_ns / f->instances : 0;
}

void xs_diagnosis_free(struct xs_diagnosis *diagnosis) {
    if (!diagnosis)
        return;
    for (size_t i = 0; i < diagnosis->count; i++)
        free(diagnosis->items[i].context);
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        free(diagnosis->causes[i].findings);
    free(diagnosis->items);
    free(diagnosis->causes);
    free(diagnosis->saves_at);
    free(diagnosis->detours);
    xs_idle_free(&diagnosis->idle);
    xs_waits_paid_free(&diagnosis->waits);
    xs_findings_free(diagnosis->findings);
    free(diagnosis);
}
