/* Diagnoses played traces (played.h): computes what repairs save, and the causes. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_DIAGNOSED_H
#define XFERSPY_TESTS_UNIT_ANALYZER_DIAGNOSED_H

#include "played.h"

#include "analyzer/savings/causes/find_savings.h"

static inline void play_forget(struct played *p) { xs_diagnosis_free(p->diagnosis); }

/* Ends the trace, executes `sql` as play_analyse does, and diagnoses the trace. */
static inline void play_diagnose(struct played *p, const char *sql) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    play_open(p, sql, &trace);
    if (xs_diagnose(&trace, &p->options, &p->diagnosis, message) < 0)
        fail_msg("%s", message);
    xs_trace_close(&trace);
    p->findings = p->diagnosis->findings;
    p->forget = play_forget;
}

/* Returns the first finding of this kind in the order of the diagnosis. */
static inline const struct xs_diagnosed *played_diagnosed(const struct played *p, const char *id) {
    for (size_t i = 0; i < p->diagnosis->count; i++)
        if (strcmp(xs_detectors[p->diagnosis->items[i].finding->detector]->id, id) == 0)
            return &p->diagnosis->items[i];
    fail_msg("no finding %s", id);
    return NULL;
}

#endif
