/* Computes the summary in a second thread; see totals_thread.h. */
#include "analyzer/commands/common/totals_thread.h"

#include <sqlite3.h>
#include <string.h>

#include "analyzer/base/thread.h"
#include "schema/rows_read.h"

static void *compute(void *data) {
    struct xs_totals_thread *totals = data;
    xs_rows_uncounted = true;
    totals->status = xs_summary_compute(&totals->trace, NULL, &totals->summary, totals->message);
    if (totals->status < 0)
        return NULL;
    totals->status = xs_content_coverage_read(&totals->trace, &totals->contents, totals->message);
    if (totals->status < 0)
        xs_summary_free(&totals->summary);
    return NULL;
}

void xs_totals_thread_begin(struct xs_totals_thread *totals, const struct xs_trace *trace) {
    /* the model of device times is in the first connection only */
    if (trace->windows || !xs_thread_is_worth(xs_trace_event_rows(trace)) ||
        !xs_trace_open_again(trace, &totals->trace))
        return;
    totals->runs = xs_thread_begin(&totals->thread, compute, totals);
    if (!totals->runs)
        xs_trace_close(&totals->trace);
}

static void join(struct xs_totals_thread *totals) {
    pthread_join(totals->thread, NULL);
    xs_trace_close(&totals->trace);
    totals->runs = false;
}

int xs_totals_thread_end(struct xs_totals_thread *totals, const struct xs_trace *trace, struct xs_summary *summary,
                         struct xs_content_coverage *contents, char *message) {
    join(totals);
    if (totals->status < 0)
        memcpy(message, totals->message, sizeof totals->message);
    *summary = totals->summary; /* empty after an error */
    summary->trace = trace;
    *contents = totals->contents;
    return totals->status;
}

void xs_totals_thread_drop(struct xs_totals_thread *totals) {
    if (!totals->runs)
        return;
    sqlite3_interrupt(totals->trace.db);
    join(totals);
    xs_summary_free(&totals->summary);
}
