/* Computes totals by call site, thread, and so on; see summary_by.h. The tables are read again for this, so that a
 * report without --by does not take longer. */
#include "analyzer/totals/summary/summary_by.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/interned.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/totals/summary/summary_internal.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/site.h"
#include "analyzer/trace/windows/device_windows.h"
#include "schema/write/store_thin.h"

const char *const xs_by_names[] = {"site", "function", "file", "module", "nvtx", "thread", "stream", "device", NULL};

void xs_by_claim(void *marks, unsigned detector, const struct xs_instance *instance) {
    if (xs_detector_repair(xs_detectors[detector], instance->verdict))
        xs_marks_take(marks, detector, instance);
}

/* --- rows --- */

struct work {
    const struct xs_trace *trace;
    struct xs_sites *sites;
    const struct xs_diagnosis *diagnosis;
    const struct xs_selection *selection; /* transfers that count; NULL: all */
    struct xs_by *by;
    char *message;
    size_t capacity;
    struct xs_hash by_id; /* number of a group to index + 1 */
    struct xs_texts texts;
    struct xs_hash by_text; /* a group's texts and their mark to index + 1 */
    struct xs_records records;
    struct xs_hash rows;      /* from table and row to the largest saving of a cause for this row, plus 1 */
    struct xs_hash counting;  /* from the identity of a finding that counts to its index + 1 */
    struct xs_mark_run *runs; /* sorted by site, then by first row; ns is for each transfer */
    size_t run_count;
    struct xs_hash run_of_site; /* from a site to index + 1 of its present or next run */
};

static size_t add_row(struct work *w) {
    struct xs_by *by = w->by;
    xs_grow(&by->rows, by->count, &w->capacity, sizeof *by->rows);
    by->rows[by->count] = (struct xs_by_row){.number = -1, .device = -1};
    return by->count++;
}

/* Returns the index of the row for a text; adds the row if it is missing. `mark` is the kind of text. */
static size_t row_of_text(struct work *w, char mark, const char *text, const char *beside) {
    uint64_t first = (uint64_t)(uintptr_t)xs_texts_keep(&w->texts, text ? text : "");
    uint64_t second = (uint64_t)(uintptr_t)xs_texts_keep(&w->texts, beside ? beside : "");
    uint64_t *row = xs_hash_put(&w->by_text, first, second << 8 | (unsigned char)mark);
    if (!*row)
        *row = add_row(w) + 1;
    return (size_t)*row - 1;
}

static size_t row_of_frame(struct work *w, const struct xs_frame *frame) {
    size_t row;
    if (!frame)
        return row_of_text(w, 0, NULL, NULL);
    const char *owner = frame->file ? frame->file : frame->module;
    if (w->by->key == XS_BY_FUNCTION && frame->function)
        row = row_of_text(w, 'f', frame->function, owner);
    else if (w->by->key != XS_BY_MODULE && frame->file)
        row = row_of_text(w, 'F', frame->file, NULL);
    else
        row = row_of_text(w, 'm', frame->module, NULL); /* Python's frames have no module, and are one row */
    if (!w->by->rows[row].frame)
        w->by->rows[row].frame = frame;
    return row;
}

/* Columns of every query below. */
enum { ID, ENTRY, STACK, RANGE, THREAD, STREAM, DEVICE, BYTES, ENTER, RETURN, CORRELATION, BATCH };

/* Returns a number for a row's group. Rows with equal numbers are in one group; rows with different numbers may
 * be, too. */
static int64_t group_of(struct work *w, const struct xs_scan *scan) {
    switch (w->by->key) {
    case XS_BY_SITE:
        return xs_site_of(w->sites, xs_scan_int(scan, ENTRY), xs_scan_int(scan, STACK));
    case XS_BY_NVTX:
        return xs_scan_int(scan, RANGE);
    case XS_BY_THREAD:
        return xs_scan_int(scan, THREAD);
    case XS_BY_STREAM:
        return xs_scan_int(scan, STREAM);
    case XS_BY_DEVICE:
        return xs_scan_null(scan, DEVICE) || xs_scan_int(scan, DEVICE) < 0 ? -1 : xs_scan_int(scan, DEVICE);
    default:
        return xs_sites_place(w->sites, xs_scan_int(scan, STACK));
    }
}

static size_t new_row(struct work *w, int64_t group) {
    const char *range;
    size_t row;
    switch (w->by->key) {
    case XS_BY_FUNCTION:
    case XS_BY_FILE:
    case XS_BY_MODULE:
        return row_of_frame(w, group ? xs_callsites_place_frame(w->sites->callsites, (uint32_t)group) : NULL);
    case XS_BY_NVTX:
        range = w->sites->callsites ? xs_callsites_range(w->sites->callsites, group) : NULL;
        row = row_of_text(w, range ? 'r' : 0, range, NULL);
        if (range && !w->by->rows[row].name)
            w->by->rows[row].name = xs_strdup(range);
        return row;
    case XS_BY_SITE:
        row = add_row(w);
        w->by->rows[row].frame = xs_site_place_frame(w->sites, (uint32_t)group);
        w->by->rows[row].entry_point = xs_site_entry(w->sites, (uint32_t)group)->name;
        return row;
    default:
        row = add_row(w);
        w->by->rows[row].id = group;
        return row;
    }
}

static struct xs_by_row *row_of(struct work *w, const struct xs_scan *scan) {
    int64_t group = group_of(w, scan);
    const uint64_t *known = xs_hash_find(&w->by_id, (uint64_t)group, 0);
    size_t row = known ? (size_t)*known - 1 : new_row(w, group);
    if (!known)
        *xs_hash_put(&w->by_id, (uint64_t)group, 0) = row + 1;
    return &w->by->rows[row];
}

/* --- reading --- */

static void take_transfer(struct work *w, struct xs_scan *scan, struct xs_by_row *row) {
    uint64_t host_ns = 0, device_ns, bytes = xs_scan_count(scan, BYTES);
    const struct xs_record *record = xs_records_find(&w->records, xs_scan_correlation(scan, CORRELATION));
    row->transfers++;
    row->bytes = xs_sum(row->bytes, bytes);
    xs_scan_span(scan, ENTER, RETURN, &host_ns);
    if (xs_scan_int(scan, BATCH) == 0) /* all copies of a batch call have the whole call's host time */
        row->host_ns = xs_sum(row->host_ns, host_ns);
    if (xs_record_share(record, bytes, &device_ns)) {
        row->timed++;
        row->device_ns = xs_sum(row->device_ns, device_ns);
        row->modelled += xs_is_modelled(w->trace, record->correlation);
        w->by->timed = true;
    }
}

static const enum xs_evidence_table tables[] = {XS_EVIDENCE_TRANSFER, XS_EVIDENCE_MEMSET, XS_EVIDENCE_ALLOCATION,
                                                XS_EVIDENCE_SYNC,     XS_EVIDENCE_LAUNCH, XS_EVIDENCE_API_CALL,
                                                XS_EVIDENCE_MIGRATION};

/* Finds the findings that count: the first finding of each cause, or, if there are no causes, all findings whose saving
 * is no bound. */
static void find_counting(struct work *w, const struct xs_diagnosis *diagnosis) {
    xs_findings_index(&w->counting, diagnosis, diagnosis->cause_count ? diagnosis->cause_count : diagnosis->count);
}

static uint64_t share_of(const struct work *w, unsigned detector, unsigned verdict, uint32_t site, uint64_t ns) {
    const uint64_t *index = xs_findings_find(&w->counting, detector, verdict, site);
    if (!index)
        return 0;
    /* savings of copies that were not checked are shown at the rows of the checked ones */
    const struct xs_diagnosed *d = &w->diagnosis->items[*index - 1];
    uint64_t share = xs_finding_share_ns(d, ns);
    if (!d->saves.known || d->saves.scaled_most_ns >= d->saves.most_ns)
        return share;
    return (uint64_t)((long double)share * (long double)d->saves.most_ns /
                      (long double)(d->saves.most_ns - d->saves.scaled_most_ns));
}

static void take_claims(struct work *w, const struct xs_marks *claims) {
    for (size_t i = 0; i < claims->count; i++) {
        const struct xs_mark *item = &claims->items[i];
        uint64_t ns = share_of(w, item->detector, item->verdict, item->site, item->ns);
        uint64_t *most = ns ? xs_hash_put(&w->rows, (uint64_t)item->row, item->table) : NULL;
        if (most && *most < ns + 1)
            *most = ns + 1;
    }
    w->runs = xs_realloc(NULL, (claims->run_count + 1) * sizeof *w->runs);
    for (size_t i = 0; i < claims->run_count; i++) {
        struct xs_mark_run run = claims->runs[i];
        run.ns = share_of(w, run.detector, run.verdict, run.site, run.ns) / run.transfers;
        if (run.ns)
            w->runs[w->run_count++] = run;
    }
    xs_sort(w->runs, w->run_count, sizeof *w->runs, xs_mark_runs_by_site);
    for (size_t i = w->run_count; i-- > 0;)
        *xs_hash_put(&w->run_of_site, w->runs[i].site, 0) = i + 1;
}

/* Returns the saving of a transfer as part of a run. Rows must come in the order of their ids. */
static uint64_t run_share(struct work *w, const struct xs_scan *scan) {
    int64_t id = xs_scan_int(scan, ID);
    if (!w->run_count)
        return 0;
    uint32_t site = xs_site_of(w->sites, xs_scan_int(scan, ENTRY), xs_scan_int(scan, STACK));
    uint64_t *next = xs_hash_find(&w->run_of_site, site, 0);
    while (next && *next <= w->run_count && w->runs[*next - 1].site == site && w->runs[*next - 1].last < id)
        ++*next;
    const struct xs_mark_run *run = next && *next <= w->run_count ? &w->runs[*next - 1] : NULL;
    return run && run->site == site && run->first <= id ? run->ns : 0;
}

static int read_table(struct work *w, enum xs_evidence_table table) {
    bool transfers = table == XS_EVIDENCE_TRANSFER;
    struct xs_scan scan;
    xs_scan_format(&scan, w->trace, w->message, NULL, "SELECT t.id, %s, %s%s FROM %s t%s",
                   xs_evidence_columns[table].called_from,
                   w->by->key == XS_BY_DEVICE ? xs_evidence_columns[table].device : "NULL",
                   transfers ? ", t.bytes, t.enter_ns, t.return_ns, t.correlation, t.batch_index" : "",
                   xs_evidence_table_names[table], transfers ? " WHERE " XS_RAN : "");
    while (xs_scan_row(&scan)) {
        const uint64_t *claim = xs_hash_find(&w->rows, (uint64_t)xs_scan_int(&scan, ID), table);
        if ((!claim && !transfers) || !xs_selection_has(w->selection, table, xs_scan_int(&scan, ID)))
            continue;
        struct xs_by_row *row = row_of(w, &scan);
        uint64_t share = transfers ? run_share(w, &scan) : 0, ns = claim ? *claim - 1 : 0;
        row->saves_ns = xs_sum(row->saves_ns, ns > share ? ns : share);
        if (transfers)
            take_transfer(w, &scan, row);
    }
    return xs_scan_end(&scan);
}

/* Adds rows that were thinned out. A filter cannot be applied to them. The shape of a transfer has the columns by which
 * it is grouped. */
static int read_thinned(struct work *w) {
    enum { ROWS = BYTES + 1, HOST, TIMED, DEVICE_TIME };
    struct xs_scan scan;
    if (w->selection || !xs_trace_meta_count(w->trace, XS_META_THINNED_ROWS))
        return XS_OK;
    xs_scan_format(&scan, w->trace, w->message, NULL,
                   "SELECT 0, %s, %s, g.bytes, g.rows, g.host_ns, g.timed, g.device_ns FROM thinned g"
                   " JOIN transfer_shape t ON t.id = g.shape WHERE g.source = 'transfer' AND " XS_RAN,
                   xs_evidence_columns[XS_EVIDENCE_TRANSFER].called_from,
                   w->by->key == XS_BY_DEVICE ? xs_evidence_columns[XS_EVIDENCE_TRANSFER].device : "NULL");
    while (xs_scan_row(&scan)) {
        struct xs_by_row *row = row_of(w, &scan);
        uint64_t rows = xs_scan_count(&scan, ROWS), timed = xs_scan_count(&scan, TIMED);
        row->transfers = xs_sum(row->transfers, rows);
        row->bytes = xs_sum(row->bytes, xs_scan_count(&scan, BYTES));
        row->host_ns = xs_sum(row->host_ns, xs_scan_count(&scan, HOST));
        row->timed = xs_sum(row->timed, timed < rows ? timed : rows); /* a copy can have several records */
        row->device_ns = xs_sum(row->device_ns, xs_scan_count(&scan, DEVICE_TIME));
        w->by->timed |= timed > 0;
    }
    return xs_scan_end(&scan);
}

static int read_records(struct work *w) {
    struct xs_scan scan;
    xs_scan_columns(&scan, w->trace, "device_copy", XS_COPY_RECORD_COLUMNS ", graph_node", w->message, NULL);
    while (xs_scan_row(&scan)) {
        if (!xs_scan_null(&scan, XS_RECORD_NEXT))
            continue;
        struct xs_record record = xs_record_read(&scan, 0);
        xs_records_add(&w->records, &record);
    }
    int ended = xs_scan_end(&scan);
    xs_records_sort(&w->records);
    return ended;
}

/* Reads the names of threads, streams and devices. */
static int read_names(struct work *w) {
    enum { NAME_ID, NAME, NUMBER, CONTEXT, OF_DEVICE };
    const char *sql = w->by->key == XS_BY_THREAD   ? "SELECT id, name, tid, NULL, NULL FROM thread"
                      : w->by->key == XS_BY_DEVICE ? "SELECT id, name, NULL, NULL, NULL FROM device"
                      : w->by->key == XS_BY_STREAM ? "SELECT t.id, NULL, t.handle, t.context, " XS_DEVICE_OF_CONTEXT
                                                     " FROM stream t"
                                                   : NULL;
    struct xs_scan scan;
    if (!sql)
        return XS_OK;
    xs_scan_begin(&scan, w->trace, sql, w->message, NULL);
    while (xs_scan_row(&scan)) {
        const uint64_t *known = xs_hash_find(&w->by_id, (uint64_t)xs_scan_int(&scan, NAME_ID), 0);
        struct xs_by_row *row = known ? &w->by->rows[*known - 1] : NULL;
        if (!row || row->name)
            continue;
        row->name = xs_scan_null(&scan, NAME) ? NULL : xs_scan_name(&scan, NAME);
        row->number = xs_scan_null(&scan, NUMBER) ? -1 : xs_scan_int(&scan, NUMBER);
        row->context = xs_scan_int(&scan, CONTEXT);
        row->device = xs_scan_null(&scan, OF_DEVICE) ? -1 : xs_scan_int(&scan, OF_DEVICE);
    }
    return xs_scan_end(&scan);
}

/* Sorts by cost, then by values that make the order the same in every run. */
static int compare(const void *a, const void *b) {
    const struct xs_by_row *x = a, *y = b;
    return xs_compare_uint64(y->device_ns, x->device_ns) ?: xs_compare_uint64(y->host_ns, x->host_ns)
        ?: xs_compare_uint64(y->saves_ns, x->saves_ns) ?: xs_compare_uint64(y->bytes, x->bytes)
        ?: xs_compare_uint64(y->transfers, x->transfers) ?: xs_compare(x->id, y->id)
        ?: strcmp(x->name ?: x->entry_point ?: "", y->name ?: y->entry_point ?: "")
        ?: (x->frame && y->frame ? xs_compare_uint64(x->frame->line, y->frame->line) : 0);
}

static bool any_saving(const struct work *w, enum xs_evidence_table table) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&w->rows, entry));)
        if (entry->high == table)
            return true;
    return false;
}

int xs_by_compute(const struct xs_trace *trace, const struct xs_diagnosis *diagnosis, const struct xs_marks *claims,
                  enum xs_by_key key, struct xs_by *by, char *message) {
    struct work w = {.trace = trace,
                     .sites = diagnosis->findings->sites,
                     .diagnosis = diagnosis,
                     .selection = diagnosis->findings->selection,
                     .by = by,
                     .message = message};
    *by = (struct xs_by){.key = key};
    find_counting(&w, diagnosis);
    take_claims(&w, claims);
    int status = read_records(&w);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status >= 0; i++)
        if (tables[i] == XS_EVIDENCE_TRANSFER || any_saving(&w, tables[i]))
            status = read_table(&w, tables[i]);
    if (status >= 0)
        status = read_thinned(&w);
    if (status >= 0)
        status = read_names(&w);
    xs_sort(by->rows, by->count, sizeof *by->rows, compare);
    xs_hash_free(&w.by_id);
    xs_hash_free(&w.by_text);
    xs_texts_free(&w.texts);
    xs_hash_free(&w.run_of_site);
    xs_hash_free(&w.counting);
    xs_hash_free(&w.rows);
    free(w.runs);
    xs_records_free(&w.records);
    return status;
}

void xs_by_free(struct xs_by *by) {
    for (size_t i = 0; i < by->count; i++)
        free(by->rows[i].name);
    free(by->rows);
    *by = (struct xs_by){0};
}
