/* Finds the rows that pass a filter; see selection.h. For this each table is read once more, so only commands with a
 * filter take longer. */
#include "analyzer/findings/engine/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"

/* Capture numbers rows from 1. A damaged trace may have any number, so larger numbers are kept in a hash table instead
 * of bits. */
enum { FAR = 1 << 30 };

static bool has(const struct xs_selected *rows, int64_t row) {
    if (row < 0 || row >= FAR)
        return xs_hash_find(&rows->far, (uint64_t)row, 0) != NULL;
    size_t word = (size_t)row / 64;
    return word < rows->count && rows->words[word] >> (row % 64) & 1;
}

static void add(struct xs_selected *rows, int64_t row) {
    if (row < 0 || row >= FAR) {
        *xs_hash_put(&rows->far, (uint64_t)row, 0) = 1;
        return;
    }
    size_t word = (size_t)row / 64;
    if (word >= rows->count)
        xs_reach(&rows->words, &rows->count, word * 2 + 15, sizeof *rows->words);
    rows->words[word] |= (uint64_t)1 << (row % 64);
}

bool xs_selection_has(const struct xs_selection *s, enum xs_evidence_table table, int64_t row) {
    return !s || s->all_rows || has(&s->tables[table], row);
}

bool xs_selection_wants(const struct xs_selection *s, unsigned detector, const struct xs_instance *instance) {
    if (!xs_filter_wants(s->filter, detector, instance->verdict))
        return false;
    return s->all_rows ||
           (instance->evidence_count && xs_selection_has(s, instance->evidence[0].table, instance->evidence[0].row));
}

/* --- making it --- */

struct work {
    const struct xs_trace *trace;
    const struct xs_filter *filter;
    struct xs_selection *selection;
    struct xs_sites *sites;
    char *message;
    struct xs_hash threads, streams;                  /* ids of threads and streams that fit */
    struct xs_hash stacks_met, texts_met, ranges_met; /* results so far; 1: does not fit, 2: fits */
};

#define CALLED_FROM "t.entry_point, t.stack, t.nvtx_range, t.thread, t.stream"
#define CALLED_FROM_UNKNOWN_STACK "t.entry_point, NULL, NULL, t.thread, t.stream"
const struct xs_evidence_columns xs_evidence_columns[XS_SELECTION_TABLES] = {
    [XS_EVIDENCE_TRANSFER] = {CALLED_FROM,
                              "coalesce(CASE t.direction WHEN 1 THEN t.dst_device ELSE t.src_device END, t.dst_device,"
                              " " XS_DEVICE_OF_CONTEXT ")"},
    [XS_EVIDENCE_MEMSET] = {CALLED_FROM, "coalesce(t.device, " XS_DEVICE_OF_CONTEXT ")"},
    [XS_EVIDENCE_ALLOCATION] = {CALLED_FROM, "coalesce(t.device, " XS_DEVICE_OF_CONTEXT ")"},
    [XS_EVIDENCE_LAUNCH] = {CALLED_FROM_UNKNOWN_STACK, XS_DEVICE_OF_CONTEXT},
    [XS_EVIDENCE_SYNC] = {CALLED_FROM, XS_DEVICE_OF_CONTEXT},
    [XS_EVIDENCE_API_CALL] = {CALLED_FROM_UNKNOWN_STACK, XS_DEVICE_OF_CONTEXT},
    [XS_EVIDENCE_MIGRATION] = {"NULL, NULL, NULL, NULL, NULL", "coalesce(t.dst_device, t.src_device)"},
};
enum { ID, ENTRY, STACK, RANGE, THREAD, STREAM, ON_DEVICE, AT, DIRECTION, BYTES, RAN };

/* True if a word fits the file name of a frame, such as "train.py", or its path or the end of its path, with or without
 * the line. */
static bool fits_file(const char *word, const struct xs_frame *frame) {
    struct xs_string place = {0};
    bool fits = xs_filter_fits(word, frame->file);
    for (const char *file = frame->file; file && !fits; file = strchr(file, '/') ? strchr(file, '/') + 1 : NULL) {
        place.length = 0;
        xs_string_format(&place, "%s:%" PRIu32, file, frame->line);
        fits = xs_filter_fits(word, place.data) || xs_filter_fits(word, file);
    }
    xs_string_free(&place);
    return fits;
}

/* True if one of the words fits a text, or a frame's file and line. Equal texts have the same address
 * (analyzer/base/interned.h), so each text is compared only once, even if it occurs in many stacks. */
static bool any_fits(struct work *w, const char *name, const struct xs_frame *frame) {
    uint64_t *met =
        xs_hash_put(&w->texts_met, (uint64_t)(uintptr_t)(frame ? frame->file : name), frame ? frame->line : UINT64_MAX);
    bool fits = *met == 2;
    for (size_t i = 0; i < w->filter->sites.count && !*met && !fits; i++) {
        const char *word = w->filter->sites.items[i];
        fits = frame ? fits_file(word, frame) : xs_filter_fits(word, name);
    }
    *met = fits ? 2 : 1;
    return fits;
}

static bool frame_fits(struct work *w, const struct xs_frame *frame) {
    return (frame->function && any_fits(w, frame->function, NULL)) || (frame->file && any_fits(w, NULL, frame));
}

/* True if a stack fits. The filter is compared with the program's own frames and with the frame of the place, which
 * belongs to a library if all frames belong to libraries. */
static bool stack_fits(struct work *w, int64_t stack) {
    const struct xs_callsites *callsites = w->sites->callsites;
    if (stack <= 0 || !callsites)
        return false;
    uint64_t *met = xs_hash_put(&w->stacks_met, (uint64_t)stack, 0);
    if (*met)
        return *met == 2;
    size_t count = 0;
    const struct xs_frame *frames = xs_callsites_frames(callsites, stack, &count);
    const struct xs_frame *place = xs_callsites_user_frame(callsites, stack);
    bool fits = place && frame_fits(w, place);
    for (size_t i = 0; i < count && !fits; i++)
        fits = !frames[i].library && frame_fits(w, &frames[i]);
    *met = fits ? 2 : 1;
    return fits;
}

static bool site_fits(struct work *w, int64_t entry_point, int64_t stack) {
    return any_fits(w, xs_site_entry(w->sites, xs_site_of(w->sites, entry_point, 0))->name, NULL) ||
           stack_fits(w, stack);
}

static bool range_fits(struct work *w, int64_t range) {
    uint64_t *met = xs_hash_put(&w->ranges_met, (uint64_t)range, 0);
    if (*met)
        return *met == 2;
    const char *name = w->sites->callsites ? xs_callsites_range(w->sites->callsites, range) : NULL;
    bool fits = false;
    for (size_t i = 0; i < w->filter->ranges.count && !fits; i++)
        fits = xs_filter_fits(w->filter->ranges.items[i], name);
    *met = fits ? 2 : 1;
    return fits;
}

static bool device_fits(const struct work *w, struct xs_scan *scan) {
    if (xs_scan_null(scan, ON_DEVICE))
        return false;
    for (size_t i = 0; i < w->filter->devices.count; i++) {
        const char *word = w->filter->devices.items[i];
        if (strtoll(word + (*word == '#'), NULL, 10) == xs_scan_int(scan, ON_DEVICE))
            return true;
    }
    return false;
}

static bool transfer_passes(const struct work *w, struct xs_scan *scan) {
    const struct xs_filter *f = w->filter;
    unsigned direction = (unsigned)(xs_scan_int(scan, DIRECTION) & 31);
    int64_t bytes = xs_scan_int(scan, BYTES);
    uint64_t size = bytes > 0 ? (uint64_t)bytes : 0;
    return (!f->directions || f->directions >> direction & 1) && (!f->has_min_bytes || size >= f->min_bytes) &&
           (!f->has_max_bytes || size <= f->max_bytes);
}

/* True if a row passes; the most expensive conditions are checked last. */
static bool passes(struct work *w, struct xs_scan *scan, bool is_transfer) {
    const struct xs_filter *f = w->filter;
    int64_t at = xs_scan_int(scan, AT);
    if (at < w->selection->since_ns || at >= w->selection->until_ns)
        return false;
    if (is_transfer && !transfer_passes(w, scan))
        return false;
    if (f->threads.count && !xs_hash_find(&w->threads, (uint64_t)xs_scan_int(scan, THREAD), 0))
        return false;
    if (f->streams.count && !xs_hash_find(&w->streams, (uint64_t)xs_scan_int(scan, STREAM), 0))
        return false;
    if (f->devices.count && !device_fits(w, scan))
        return false;
    if (f->ranges.count && !range_fits(w, xs_scan_int(scan, RANGE)))
        return false;
    return !f->sites.count || site_fits(w, xs_scan_int(scan, ENTRY), xs_scan_int(scan, STACK));
}

static int read_table(struct work *w, enum xs_evidence_table table) {
    bool is_transfer = table == XS_EVIDENCE_TRANSFER;
    struct xs_scan scan;
    char sql[512];
    snprintf(sql, sizeof sql, "SELECT t.id, %s, %s, t.%s%s FROM %s t", xs_evidence_columns[table].called_from,
             w->filter->devices.count ? xs_evidence_columns[table].device : "NULL",
             table == XS_EVIDENCE_MIGRATION ? "start_ns" : "enter_ns",
             is_transfer ? ", t.direction, t.bytes, " XS_RAN : "", xs_evidence_table_names[table]);
    xs_scan_begin(&scan, w->trace, sql, w->message, NULL);
    while (xs_scan_row(&scan)) {
        bool passing = passes(w, &scan, is_transfer), ran = is_transfer && xs_scan_int(&scan, RAN) != 0;
        if (passing)
            add(&w->selection->tables[table], xs_scan_int(&scan, ID));
        w->selection->transfers += ran;
        w->selection->passing += ran && passing;
    }
    return xs_scan_end(&scan);
}

/* Reads the ids that fit: threads by number or name, streams by number or handle. */
static int read_names(struct work *w) {
    struct xs_scan scan;
    xs_scan_begin(&scan, w->trace, "SELECT id, tid, name FROM thread", w->message, NULL);
    while (xs_scan_row(&scan)) {
        for (size_t i = 0; i < w->filter->threads.count; i++) {
            const char *word = w->filter->threads.items[i];
            char *end = NULL;
            bool number = strtoll(word, &end, 10) == xs_scan_int(&scan, 1) && end != word && !*end;
            if (number || (!xs_scan_null(&scan, 2) && xs_filter_fits(word, xs_scan_text(&scan, 2))))
                *xs_hash_put(&w->threads, (uint64_t)xs_scan_int(&scan, 0), 0) = 1;
        }
    }
    int status = xs_scan_end(&scan);
    if (status < 0)
        return status;
    xs_scan_begin(&scan, w->trace, "SELECT id, handle FROM stream", w->message, NULL);
    while (xs_scan_row(&scan)) {
        for (size_t i = 0; i < w->filter->streams.count; i++) {
            const char *word = w->filter->streams.items[i];
            bool handle = !strncmp(word, "0x", 2);
            uint64_t number = handle ? strtoull(word, NULL, 16) : strtoull(word + (*word == '#'), NULL, 10);
            if (number == (uint64_t)xs_scan_int(&scan, handle))
                *xs_hash_put(&w->streams, (uint64_t)xs_scan_int(&scan, 0), 0) = 1;
        }
    }
    return xs_scan_end(&scan);
}

/* Reads the latest time of the trace, for a run that could not record its length. */
static int read_end(struct work *w, int64_t *end_ns) {
    struct xs_scan scan;
    *end_ns = xs_trace_meta_int(w->trace, "duration_ns", 0);
    if (*end_ns > 0)
        return XS_OK;
    xs_scan_begin(&scan, w->trace,
                  "SELECT max(ns) FROM (SELECT max(return_ns) AS ns FROM transfer UNION ALL"
                  " SELECT max(end_ns) FROM device_copy UNION ALL SELECT max(end_ns) FROM device_kernel UNION ALL"
                  " SELECT max(return_ns) FROM sync UNION ALL SELECT max(return_ns) FROM allocation UNION ALL"
                  " SELECT max(return_ns) FROM memset)",
                  w->message, NULL);
    *end_ns = xs_scan_row(&scan) ? xs_scan_int(&scan, 0) : 0;
    return xs_scan_end(&scan);
}

static int64_t moment_ns(const struct xs_moment *moment, int64_t run_ns, int64_t otherwise) {
    if (!moment->given)
        return otherwise;
    return moment->is_share ? (int64_t)((double)run_ns * moment->share) : moment->ns;
}

/* Converts the wanted steps into times. If the trace has no such steps, the status is negative, because it is not known
 * which calls are meant. */
static int choose_steps(struct work *w, const struct xs_steps *steps) {
    const struct xs_filter *f = w->filter;
    struct xs_selection *s = w->selection;
    if (!xs_filter_chooses_steps(f))
        return XS_OK;
    if (f->skip_steps >= steps->count) {
        if (steps->count)
            snprintf(w->message, XS_TRACE_MESSAGE_BYTES,
                     "%s: it has %zu step%s, and --skip-steps=%" PRIu64 " leaves none", w->trace->path, steps->count,
                     steps->count == 1 ? "" : "s", f->skip_steps);
        else
            snprintf(w->message, XS_TRACE_MESSAGE_BYTES,
                     "%s: no steps were found in it: nothing comes again and again in equal distances; use --since and"
                     " --until",
                     w->trace->path);
        return XS_ERROR_NOT_FOUND;
    }
    uint64_t rest = steps->count - f->skip_steps, end = f->skip_steps + (f->steps && f->steps < rest ? f->steps : rest);
    int64_t since_ns = steps->items[f->skip_steps].begin_ns, until_ns = steps->items[end].begin_ns;
    s->since_ns = since_ns > s->since_ns ? since_ns : s->since_ns;
    s->until_ns = until_ns < s->until_ns ? until_ns : s->until_ns;
    return XS_OK;
}

static int make(struct work *w, const struct xs_steps *steps) {
    const struct xs_filter *f = w->filter;
    int64_t run_ns = 0;
    int status = f->since.is_share || f->until.is_share ? read_end(w, &run_ns) : XS_OK;
    w->selection->since_ns = moment_ns(&f->since, run_ns, INT64_MIN);
    /* the whole run includes its last call, whatever the recorded length is */
    w->selection->until_ns =
        f->until.is_share && f->until.share >= 1 ? INT64_MAX : moment_ns(&f->until, run_ns, INT64_MAX);
    if (status >= 0)
        status = choose_steps(w, steps);
    if (status >= 0 && (f->threads.count || f->streams.count))
        status = read_names(w);
    for (unsigned table = 0; table < XS_SELECTION_TABLES && status >= 0; table++)
        if (table == XS_EVIDENCE_TRANSFER || (!w->selection->all_rows && !xs_filter_is_of_transfers(f)))
            status = read_table(w, (enum xs_evidence_table)table);
    return status;
}

int xs_selection_make(const struct xs_trace *trace, const struct xs_filter *filter, const struct xs_findings *findings,
                      struct xs_selection **out, char *message) {
    struct xs_selection *selection = xs_realloc(NULL, sizeof *selection);
    *selection = (struct xs_selection){.filter = filter, .all_rows = !xs_filter_chooses_rows(filter)};
    struct work w = {
        .trace = trace, .filter = filter, .selection = selection, .sites = findings->sites, .message = message};
    int status = make(&w, &findings->steps);
    xs_hash_free(&w.threads);
    xs_hash_free(&w.streams);
    xs_hash_free(&w.stacks_met);
    xs_hash_free(&w.texts_met);
    xs_hash_free(&w.ranges_met);
    *out = NULL;
    if (status < 0)
        xs_selection_free(selection);
    else
        *out = selection;
    return status;
}

void xs_selection_free(struct xs_selection *selection) {
    for (unsigned i = 0; selection && i < XS_SELECTION_TABLES; i++) {
        free(selection->tables[i].words);
        xs_hash_free(&selection->tables[i].far);
    }
    free(selection);
}
