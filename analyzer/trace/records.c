/* Keeps device records by correlation number; see records.h. */
#include "analyzer/trace/records.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/kind_words.h"

uint64_t xs_record_bytes(struct xs_scan *scan, int first) {
    bool is_second =
        xs_is_second_leg(xs_scan_int(scan, first + XS_RECORD_KIND), xs_scan_int(scan, first + XS_RECORD_SRC_KIND),
                         xs_scan_int(scan, first + XS_RECORD_DST_KIND));
    return is_second ? 0 : xs_scan_count(scan, first + XS_RECORD_BYTES);
}

unsigned xs_record_kind(struct xs_scan *scan, int first) {
    return (unsigned)xs_kind_of_copy(xs_scan_kind(scan, first + XS_RECORD_KIND, XS_COPY_KIND_COUNT),
                                     xs_scan_int(scan, first + XS_RECORD_SRC_KIND),
                                     xs_scan_int(scan, first + XS_RECORD_DST_KIND));
}

struct xs_record xs_record_read(struct xs_scan *scan, int first) {
    struct xs_record record = {.correlation = xs_scan_correlation(scan, first + XS_RECORD_CORRELATION),
                               .records = 1,
                               .bytes = xs_record_bytes(scan, first)};
    record.untimed = !xs_scan_span(scan, first + XS_RECORD_START, first + XS_RECORD_END, &record.ns);
    return record;
}

void xs_record_fold(struct xs_record *into, const struct xs_record *from) {
    into->records = (into->records + from->records) & 0x3fffffffu;
    into->untimed |= from->untimed;
    into->bytes = xs_sum(into->bytes, from->bytes);
    into->ns = xs_sum(into->ns, from->ns);
}

void xs_records_add(struct xs_records *records, const struct xs_record *row) {
    if (!row->correlation)
        return;
    if (records->count) {
        struct xs_record *last = &records->items[records->count - 1];
        if (last->correlation == row->correlation) {
            xs_record_fold(last, row);
            return;
        }
        records->unordered |= row->correlation < last->correlation;
    }
    xs_grow(&records->items, records->count, &records->capacity, sizeof *records->items);
    records->items[records->count++] = *row;
}

static int by_correlation(const void *a, const void *b) {
    const struct xs_record *x = a, *y = b;
    return xs_compare(x->correlation, y->correlation);
}

void xs_records_sort(struct xs_records *records) {
    size_t kept = 0;
    if (!records->unordered)
        return;
    xs_sort(records->items, records->count, sizeof *records->items, by_correlation);
    for (size_t i = 0; i < records->count; i++)
        if (kept && records->items[kept - 1].correlation == records->items[i].correlation)
            xs_record_fold(&records->items[kept - 1], &records->items[i]);
        else
            records->items[kept++] = records->items[i];
    records->count = kept;
    records->unordered = false;
}

static bool is_less(const void *record, const void *correlation) {
    return ((const struct xs_record *)record)->correlation < *(const uint32_t *)correlation;
}

struct xs_record *xs_records_find(struct xs_records *records, uint32_t correlation) {
    for (size_t i = records->cursor; i < records->count && i < records->cursor + 4; i++) {
        if (records->items[i].correlation == correlation) {
            records->cursor = i;
            return &records->items[i];
        }
    }
    size_t found = xs_search(records->items, records->count, sizeof *records->items, is_less, &correlation);
    records->cursor = found;
    return found < records->count && records->items[found].correlation == correlation ? &records->items[found] : NULL;
}

bool xs_record_share(const struct xs_record *record, uint64_t bytes, uint64_t *ns) {
    if (!record || record->untimed)
        return false;
    *ns = bytes < record->bytes ? (uint64_t)((double)record->ns * ((double)bytes / (double)record->bytes) + 0.5)
                                : record->ns;
    return true;
}

void xs_records_free(struct xs_records *records) {
    free(records->items);
    *records = (struct xs_records){0};
}
