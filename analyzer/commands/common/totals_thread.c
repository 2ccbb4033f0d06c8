/* Computes the summary in a second thread; see totals_thread.h. */
#include "analyzer/commands/common/totals_thread.h"

#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "schema/rows_read.h"

enum { FEW_ROWS = 100000 }; /* they are read in less time than it takes to open the file again and to start a thread */

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

static bool has_two_processors(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1;
}

static bool is_wanted(const struct xs_trace *trace) {
    const char *threads = getenv("XFERSPY_TEST_THREADS");
    if (threads)
        return strcmp(threads, "2") == 0;
    return has_two_processors() && xs_trace_event_rows(trace) > FEW_ROWS;
}

void xs_totals_thread_begin(struct xs_totals_thread *totals, const struct xs_trace *trace) {
    sigset_t all, before;
    /* the model of device times is in the first connection only */
    if (trace->windows || !is_wanted(trace) || !xs_trace_open_again(trace, &totals->trace))
        return;
    sigfillset(&all); /* the thread that reads the findings gets the signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    totals->runs = pthread_create(&totals->thread, NULL, compute, totals) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
