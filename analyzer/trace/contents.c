/* Reads fingerprints, what the host read of downloads, and argument sets; see contents.h. */
#include "analyzer/trace/contents.h"
#include "analyzer/base/grow.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/scan.h"

enum { RING = 8192 };
enum { ID, LOW, HIGH, BEFORE_LOW, BEFORE_HIGH, CHANGED, CONSTANT };
#define COLUMNS "id, content_low, content_high, before_low, before_high, changed_leaves, constant_value"

struct xs_content_row {
    int64_t id; /* 0: none */
    struct xs_fingerprint content, before;
    int64_t changed_leaves; /* -1: not known */
    uint32_t constant_value;
    bool has_before, is_constant;
};

int xs_contents_begin(struct xs_contents *contents, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    *contents = (struct xs_contents){.trace = trace};
    xs_scan_begin(&contents->forward, trace, "SELECT " COLUMNS " FROM fingerprint ORDER BY id", message, damaged);
    xs_scan_begin(&contents->single, trace, "SELECT " COLUMNS " FROM fingerprint WHERE id = ?", message, damaged);
    xs_scan_begin(
        &contents->reads, trace,
        "SELECT watched_bytes, read_bytes, pieces, read_pieces, doubt, edge_read_bytes FROM host_read WHERE id = ?",
        message, damaged);
    contents->ring = xs_zeroed(RING, sizeof *contents->ring);
    return contents->single.status < 0 ? contents->single.status : contents->reads.status;
}

int xs_contents_end(struct xs_contents *contents) {
    int status = xs_scan_end(&contents->forward);
    xs_scan_end(&contents->single);
    xs_scan_end(&contents->reads);
    free(contents->ring);
    contents->ring = NULL;
    return status;
}

/* True if a column is NULL. SQLite gives 0 for NULL, so only a value of 0 needs a check. */
static bool is_null(const struct xs_scan *scan, int column, int64_t value) {
    return value == 0 && xs_scan_null(scan, column);
}

static void read_row(const struct xs_scan *scan, struct xs_content_row *row) {
    int64_t before_low = xs_scan_int(scan, BEFORE_LOW), before_high = xs_scan_int(scan, BEFORE_HIGH);
    int64_t changed = xs_scan_int(scan, CHANGED), constant = xs_scan_int(scan, CONSTANT);
    row->id = xs_scan_int(scan, ID);
    row->content.low = (uint64_t)xs_scan_int(scan, LOW);
    row->content.high = (uint64_t)xs_scan_int(scan, HIGH);
    row->has_before = !is_null(scan, BEFORE_LOW, before_low) && !is_null(scan, BEFORE_HIGH, before_high);
    row->before = (struct xs_fingerprint){(uint64_t)before_low, (uint64_t)before_high};
    row->changed_leaves = changed < 0 || is_null(scan, CHANGED, changed) ? -1 : changed;
    row->is_constant = !is_null(scan, CONSTANT, constant);
    row->constant_value = (uint32_t)constant;
}

/* Reads the next row into the ring. Rows come in order of their numbers; a number that is skipped has no row. */
static void advance(struct xs_contents *contents) {
    if (!xs_scan_row(&contents->forward)) {
        contents->last = INT64_MAX;
        return;
    }
    struct xs_content_row row;
    read_row(&contents->forward, &row);
    contents->ring[(uint64_t)row.id % RING] = row;
    contents->last = row.id > contents->last ? row.id : contents->last;
}

/* Looks up one fingerprint in the table, because the ring no longer has it. False: the trace does not have it
 * either. */
static bool find_single(struct xs_contents *contents, int64_t id, struct xs_content_row *row) {
    sqlite3_bind_int64(contents->single.statement, 1, id);
    bool found = xs_scan_row(&contents->single);
    if (found)
        read_row(&contents->single, row);
    sqlite3_reset(contents->single.statement);
    return found;
}

static void take(struct xs_transfer_view *t, const struct xs_content_row *row) {
    uint64_t leaves = t->bytes / 4096 + (t->bytes % 4096 != 0);
    t->state = XS_CONTENT_KNOWN;
    t->content = row->content;
    t->leaves = leaves > UINT32_MAX ? UINT32_MAX : (uint32_t)leaves;
    t->changed_leaves = row->has_before ? row->changed_leaves : -1;
    t->is_constant = row->is_constant && t->bytes >= 8;
    t->constant_value = row->constant_value;
    t->is_small = t->bytes < 64 || t->is_constant;
    t->before = row->before;
    t->pre = t->direction != XS_DIR_H2D ? XS_PRE_NONE : row->has_before ? XS_PRE_MEASURED : XS_PRE_UNKNOWN;
}

/* Looks up what the host read of a download. Values that do not fit together count as not known. */
static void find_read(struct xs_contents *contents, struct xs_transfer_view *t) {
    enum { WATCHED, READ, PIECES, READ_PIECES, DOUBT, EDGE };
    struct xs_scan *scan = &contents->reads;
    t->host_read = (struct xs_host_read_view){.state = XS_HOST_READ_UNDECIDED};
    sqlite3_bind_int64(scan->statement, 1, t->host_read_id);
    if (xs_scan_row(scan)) {
        int64_t watched = xs_scan_int(scan, WATCHED), read = xs_scan_int(scan, READ),
                pieces = xs_scan_int(scan, PIECES), read_pieces = xs_scan_int(scan, READ_PIECES),
                doubt = xs_scan_int(scan, DOUBT), edge = xs_scan_int(scan, EDGE);
        bool is_known = xs_scan_null(scan, DOUBT) && !xs_scan_null(scan, READ);
        if (is_known && watched > 0 && read >= 0 && read <= watched && pieces > 0 && pieces <= 32 && read_pieces >= 0 &&
            read_pieces >> pieces == 0 && (read == 0) == (read_pieces == 0) && edge >= 0 && edge <= read)
            t->host_read = (struct xs_host_read_view){.state = XS_HOST_READ_KNOWN,
                                                      .watched_bytes = (uint64_t)watched,
                                                      .read_bytes = (uint64_t)read,
                                                      .pieces = (unsigned)pieces,
                                                      .read_pieces = (uint32_t)read_pieces,
                                                      .edge_read_bytes = (uint64_t)edge};
        else
            t->host_read.doubt = doubt > 0 && doubt < 256 ? (unsigned)doubt : 0;
    }
    sqlite3_reset(scan->statement);
}

int xs_contents_find(struct xs_contents *contents, struct xs_transfer_view *t) {
    if (t->host_read_id)
        find_read(contents, t);
    t->changed_leaves = -1;
    t->pre = t->direction == XS_DIR_H2D ? XS_PRE_UNKNOWN : XS_PRE_NONE;
    if (t->fingerprint <= 0)
        return contents->reads.status;
    struct xs_content_row *row = &contents->ring[(uint64_t)t->fingerprint % RING], single;
    t->state = XS_CONTENT_LOST;
    while (contents->last < t->fingerprint)
        advance(contents);
    if (row->id == t->fingerprint)
        take(t, row);
    else if (contents->forward.status >= 0 && find_single(contents, t->fingerprint, &single))
        take(t, &single);
    if (contents->reads.status < 0)
        return contents->reads.status;
    return contents->forward.status < 0 ? contents->forward.status : contents->single.status;
}

/* --- argument sets --- */

struct pair {
    int64_t set, allocation;
};

static int by_set(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    return x->set != y->set ? xs_compare(x->set, y->set) : xs_compare(x->allocation, y->allocation);
}

static void add_set(struct xs_arguments *arguments, int64_t set, size_t first, size_t count) {
    if (set > 0)
        *xs_hash_put(&arguments->sets, (uint64_t)set, 0) = (uint64_t)first << 24 | (count & 0x7fffff) << 1 | 1;
}

static void index_pairs(struct xs_arguments *arguments, struct pair *pairs, size_t count, bool in_order) {
    if (!in_order)
        xs_sort(pairs, count, sizeof *pairs, by_set);
    arguments->allocations = xs_realloc(NULL, count * sizeof *arguments->allocations);
    for (size_t i = 0; i < count;) {
        size_t first = i;
        for (; i < count && pairs[i].set == pairs[first].set; i++)
            arguments->allocations[i] = pairs[i].allocation;
        add_set(arguments, pairs[first].set, first, i - first);
    }
}

int xs_arguments_read(struct xs_arguments *arguments, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct xs_scan scan;
    struct pair *pairs = NULL;
    size_t count = 0, capacity = 0;
    bool in_order = true;
    *arguments = (struct xs_arguments){0};
    xs_scan_begin(&scan, trace, "SELECT id FROM argument_set", message, damaged);
    while (xs_scan_row(&scan))
        add_set(arguments, xs_scan_int(&scan, 0), 0, 0);
    int status = xs_scan_end(&scan);
    if (status < 0)
        return status;
    xs_scan_begin(&scan, trace, "SELECT argument_set, allocation FROM argument", message, damaged);
    while (xs_scan_row(&scan)) {
        xs_grow(&pairs, count, &capacity, sizeof *pairs);
        pairs[count] = (struct pair){xs_scan_int(&scan, 0), xs_scan_int(&scan, 1)};
        in_order &= !count || pairs[count - 1].set <= pairs[count].set;
        count++;
    }
    index_pairs(arguments, pairs, count, in_order);
    free(pairs);
    return xs_scan_end(&scan);
}

bool xs_arguments_find(const struct xs_arguments *arguments, int64_t set, struct xs_launch_view *launch) {
    const uint64_t *value = set > 0 ? xs_hash_find(&arguments->sets, (uint64_t)set, 0) : NULL;
    if (!value)
        return false;
    launch->arguments = arguments->allocations + (*value >> 24);
    launch->argument_count = (unsigned)(*value >> 1) & 0x7fffff;
    return true;
}

void xs_arguments_free(struct xs_arguments *arguments) {
    free(arguments->allocations);
    xs_hash_free(&arguments->sets);
    *arguments = (struct xs_arguments){0};
}
