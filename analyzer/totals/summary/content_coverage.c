/* Counts how many contents are known; see content_coverage.h. */
#include "analyzer/totals/summary/content_coverage.h"

#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"

#define NAME_ROW(n, id, name) [n] = name,
const char *const xs_skip_names[] = {XS_FINGERPRINT_SKIPS(NAME_ROW)};

/* True if the transfer or launch ran, which the column `result` and the next one show. */
static bool ran(const struct xs_scan *scan, int result) {
    return !xs_scan_null(scan, result) && xs_ran(xs_scan_int(scan, result), xs_scan_int(scan, result + 1) != 0);
}

static int read_transfers(const struct xs_trace *trace, struct xs_content_coverage *c, uint64_t *with_number,
                          char *message) {
    struct xs_scan scan;
    xs_scan_columns(&scan, trace, "transfer", "direction, bytes, skip, fingerprint, result, is_captured", message,
                    NULL);
    while (xs_scan_row(&scan)) {
        int64_t direction = xs_scan_int(&scan, 0);
        bool has_number = !xs_scan_null(&scan, 3);
        *with_number += has_number;
        if (!ran(&scan, 4) || (direction != XS_DIR_H2D && direction != XS_DIR_D2H) || xs_scan_int(&scan, 1) <= 0)
            continue;
        c->eligible++;
        if (has_number)
            c->taken++;
        else
            c->skipped[xs_scan_kind(&scan, 2, XS_SKIP_COUNT)]++;
    }
    return xs_scan_end(&scan);
}

/* Counts fingerprints that transfers refer to but that are missing. Searches them one by one only if the counts show
 * that some are missing. */
static int read_lost(const struct xs_trace *trace, uint64_t with_number, struct xs_content_coverage *c, char *message) {
    int64_t rows = 0, lost = 0;
    int status = xs_scan_one(trace, "SELECT count(*) FROM fingerprint", &rows, message);
    if (status >= 0 && (uint64_t)rows < with_number)
        status = xs_scan_one(trace,
                             "SELECT count(*) FROM transfer t WHERE direction IN (1, 2) AND bytes > 0 AND " XS_RAN
                             " AND fingerprint IS NOT NULL"
                             " AND NOT EXISTS (SELECT 1 FROM fingerprint f WHERE f.id = t.fingerprint)",
                             &lost, message);
    c->lost = (uint64_t)lost;
    c->taken -= c->lost < c->taken ? c->lost : c->taken;
    return status;
}

static int read_launches(const struct xs_trace *trace, struct xs_content_coverage *c, char *message) {
    struct xs_scan scan;
    xs_scan_columns(&scan, trace, "launch", "kind, arguments, result, is_captured", message, NULL);
    while (xs_scan_row(&scan)) {
        int64_t kind = xs_scan_int(&scan, 0);
        if (!ran(&scan, 2))
            continue;
        c->graphs += kind == XS_LAUNCH_GRAPH;
        if (kind == XS_LAUNCH_KERNEL || kind == XS_LAUNCH_COOPERATIVE) {
            c->kernels++;
            c->kernels_unseen += xs_scan_null(&scan, 1);
        }
    }
    return xs_scan_end(&scan);
}

int xs_content_coverage_read(const struct xs_trace *trace, struct xs_content_coverage *contents, char *message) {
    uint64_t with_number = 0;
    *contents = (struct xs_content_coverage){0};
    contents->migration_rests = xs_trace_meta_count(trace, "cupti.migration_rests");
    contents->migrations_ns = xs_trace_meta_count(trace, "cupti.migrations_ns");
    contents->run_ns = xs_trace_meta_count(trace, "duration_ns");
    xs_trace_meta_text(trace, "option.fingerprint", contents->mode, sizeof contents->mode, "");
    int status = read_transfers(trace, contents, &with_number, message);
    status = status < 0 ? status : read_lost(trace, with_number, contents, message);
    return status < 0 ? status : read_launches(trace, contents, message);
}

const char *const xs_no_contents_names[] = {[XS_CONTENTS_KNOWN] = NULL,
                                            [XS_CONTENTS_IMPORTED] = "imported",
                                            [XS_CONTENTS_OFF] = "off",
                                            [XS_CONTENTS_LOST] = "lost",
                                            [XS_CONTENTS_SKIPPED] = "skipped"};

static unsigned most_skipped(const struct xs_content_coverage *c) {
    unsigned most = 0;
    for (unsigned i = 1; i < XS_SKIP_COUNT; i++)
        if (c->skipped[i] > c->skipped[most])
            most = i;
    return most;
}

enum xs_no_contents xs_content_coverage_none(const struct xs_content_coverage *c) {
    unsigned most = most_skipped(c);
    if (!c->eligible || c->taken)
        return XS_CONTENTS_KNOWN;
    if (most == XS_SKIP_IMPORTED)
        return XS_CONTENTS_IMPORTED;
    if (most == XS_SKIP_OFF || !strcmp(c->mode, "off"))
        return XS_CONTENTS_OFF;
    return c->lost > c->skipped[most] ? XS_CONTENTS_LOST : XS_CONTENTS_SKIPPED;
}

void xs_content_coverage_why_none(struct xs_string *text, const struct xs_content_coverage *c) {
    static const char *const texts[] = {
        [XS_CONTENTS_IMPORTED] =
            "Contents were not checked: the trace was imported, and a profile has none. Record the "
            "program with xferspy to find needless copies.",
        [XS_CONTENTS_OFF] =
            "Contents were not checked: fingerprints were off, so needless copies are not found. Record "
            "without --fingerprint=off (XFERSPY_FINGERPRINT=off).",
        [XS_CONTENTS_LOST] = "Contents were not checked: the trace ends before the fingerprints."};
    enum xs_no_contents none = xs_content_coverage_none(c);
    unsigned most = most_skipped(c);
    if (none == XS_CONTENTS_SKIPPED && !most)
        xs_string_format(text, "Contents were not checked: the trace has no fingerprints, and does not say why.");
    else if (none == XS_CONTENTS_SKIPPED)
        xs_string_format(text, "Contents were not checked: no transfer has a fingerprint. The trace says why: %s.",
                         xs_skip_names[most]);
    else if (none != XS_CONTENTS_KNOWN)
        xs_string_format(text, "%s", texts[none]);
}

void xs_content_coverage_migrations(struct xs_string *text, const struct xs_content_coverage *c) {
    if (c->migration_rests)
        xs_string_format(text,
                         "Page migrations of managed memory were recorded for only %s of %s, because they slow down "
                         "the program. XFERSPY_MIGRATIONS=all records them all.",
                         XS_NS_TEXT(c->migrations_ns), XS_NS_TEXT(c->run_ns));
}
