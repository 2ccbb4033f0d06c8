/* Keeps device records in a hash table until their calls come; see device_records.h. Correlation numbers ascend, so
 * each number is its own hash, and records of neighbouring calls are neighbours in memory. */
#include "analyzer/trace/device_records.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/kind_words.h"

enum {
    FIRST_SLOTS = 1 << 8,     /* fits into a part of a cache; in most traces no more rows ever wait */
    SLOTS = 1 << 18,          /* the most hash slots: 12 MB */
    MOST_WAITING = SLOTS / 2, /* the most records that may wait */
    SETTLE = 16, /* number of rows that are read after a call's first row, because they may be of the same call */
    SWEEP_DISTANCE = 1 << 16 /* records of calls whose numbers are lower by more than this will not be searched again */
};
enum { NODE = XS_RECORD_NEXT, DEVICE, DESTINATION, SOURCE };

void xs_device_records_begin(struct xs_device_records *records, const struct xs_trace *trace, bool copies,
                             char *message, uint64_t *damaged) {
    *records = (struct xs_device_records){.mask = FIRST_SLOTS - 1};
    records->slots = xs_zeroed(FIRST_SLOTS, sizeof *records->slots);
    xs_scan_columns(&records->scan, trace, copies ? "device_copy" : "device_memset",
                    copies ? XS_COPY_RECORD_COLUMNS ", graph_node, device, dst_device, src_device"
                           : XS_RECORD_COLUMNS ", graph_node",
                    message, damaged);
}

static struct xs_device_record *slot_of(struct xs_device_records *records, uint32_t correlation) {
    uint32_t i = correlation & records->mask;
    while (records->slots[i].sums.correlation && records->slots[i].sums.correlation != correlation)
        i = (i + 1) & records->mask;
    return &records->slots[i];
}

/* Doubles the table when half of its hash slots are taken. */
static void make_room(struct xs_device_records *records) {
    struct xs_device_record *old = records->slots;
    uint32_t slots = records->mask + 1;
    if (records->count < slots / 2 || slots == SLOTS)
        return;
    records->slots = xs_zeroed((size_t)slots * 2, sizeof *records->slots);
    records->mask = slots * 2 - 1;
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].sums.correlation)
            *slot_of(records, old[i].sums.correlation) = old[i];
    free(old);
}

static void graph_copy(struct xs_device_records *records, uint32_t correlation) {
    struct xs_scan *scan = &records->scan;
    uint64_t ns;
    if (!records->on_graph_copy || !xs_scan_span(scan, XS_RECORD_START, XS_RECORD_END, &ns))
        return;
    int side = !xs_scan_null(scan, DEVICE) ? DEVICE : !xs_scan_null(scan, DESTINATION) ? DESTINATION : SOURCE;
    int64_t device = xs_scan_int(scan, side);
    struct xs_graph_copy copy = {.correlation = correlation,
                                 .kind = xs_scan_kind(scan, XS_RECORD_KIND, XS_COPY_KIND_COUNT),
                                 .device =
                                     xs_scan_null(scan, side) || device < 0 || device > 4095 ? -1 : (int32_t)device,
                                 .start_ns = xs_scan_int(scan, XS_RECORD_START),
                                 .end_ns = xs_scan_int(scan, XS_RECORD_END),
                                 .bytes = xs_record_bytes(scan, 0)};
    records->on_graph_copy(records->context, &copy);
}

/* Reads one row into its hash slot. False: no row is left. */
static bool advance(struct xs_device_records *records) {
    struct xs_scan *scan = &records->scan;
    if (records->ended || !xs_scan_row(scan)) {
        records->ended = true;
        return false;
    }
    records->rows++;
    uint32_t correlation = xs_scan_correlation(scan, XS_RECORD_CORRELATION);
    records->newest = correlation > records->newest ? correlation : records->newest;
    if (xs_scan_int(scan, NODE) != 0 || !xs_scan_null(scan, NODE)) {
        graph_copy(records, correlation);
        return true;
    }
    if (!correlation)
        return true;
    make_room(records);
    struct xs_device_record *slot = slot_of(records, correlation);
    struct xs_record row = xs_record_read(scan, 0);
    if (!slot->sums.correlation) {
        *slot = (struct xs_device_record){
            .sums.correlation = correlation, .row = records->rows, .start_ns = INT64_MAX, .end_ns = INT64_MIN};
        records->count++;
    }
    xs_record_fold(&slot->sums, &row);
    if (row.untimed)
        return true;
    int64_t start = xs_scan_int(scan, XS_RECORD_START), end = xs_scan_int(scan, XS_RECORD_END);
    slot->start_ns = start < slot->start_ns ? start : slot->start_ns;
    slot->end_ns = end > slot->end_ns ? end : slot->end_ns;
    return true;
}

static void take_out(struct xs_device_records *records, const struct xs_device_record *record) {
    uint32_t hole = (uint32_t)(record - records->slots), mask = records->mask;
    for (uint32_t i = (hole + 1) & mask; records->slots[i].sums.correlation; i = (i + 1) & mask) {
        uint32_t wanted = records->slots[i].sums.correlation & mask;
        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            records->slots[hole] = records->slots[i];
            hole = i;
        }
    }
    records->slots[hole].sums.correlation = 0;
    records->count--;
}

/* Makes room: drops the records of calls long ago, for which no event has come. */
static void sweep(struct xs_device_records *records, uint32_t correlation) {
    records->full = true;
    if (correlation < records->swept_at + SWEEP_DISTANCE / 4 && records->swept_at)
        return;
    records->swept_at = correlation;
    for (uint32_t i = 0; i <= records->mask; i++)
        while (records->slots[i].sums.correlation && records->slots[i].sums.correlation + SWEEP_DISTANCE < correlation)
            take_out(records, &records->slots[i]);
    records->full = records->count >= MOST_WAITING;
}

bool xs_device_records_take(struct xs_device_records *records, uint32_t correlation, bool keep,
                            struct xs_device_record *record) {
    struct xs_device_record *slot = slot_of(records, correlation);
    while (!slot->sums.correlation) {
        if (records->count >= MOST_WAITING)
            sweep(records, correlation);
        if (records->count >= MOST_WAITING || !advance(records))
            return false;
        slot = slot_of(records, correlation);
    }
    while (records->rows - slot->row < SETTLE && advance(records))
        slot = slot_of(records, correlation);
    *record = *slot;
    if (!keep)
        take_out(records, slot);
    return true;
}

void xs_device_records_reach(struct xs_device_records *records, uint32_t correlation) {
    while (records->newest <= correlation && records->count < MOST_WAITING && advance(records))
        ;
}

int xs_device_records_end(struct xs_device_records *records) {
    int status = xs_scan_end(&records->scan);
    free(records->slots);
    *records = (struct xs_device_records){0};
    return status;
}
