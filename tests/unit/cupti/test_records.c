/* Decodes records of every size that CUPTI ever wrote. Each record ends where its memory ends, so that the address
 * sanitizer finds a read past the record of an older version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/cupti/cupti_internal.h"
#include "schema/format/recording_cost.h"
#include "stubs.h"

#define OFFSET 5000u

static size_t record_bytes;

static CUptiResult next_record(uint8_t *data, size_t bytes, CUpti_Activity **record) {
    uint8_t *next = *record ? (uint8_t *)*record + record_bytes : data;
    if (next == data + bytes)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    if (next + record_bytes > data + bytes)
        return CUPTI_ERROR_INVALID_KIND;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

static struct xs_cupti_decoder decoder_of(uint32_t version) {
    memset(&stub_store, 0, sizeof stub_store);
    return (struct xs_cupti_decoder){
        .clock = &stub_clock, .next_record = next_record, .version = version, .offset_ns = OFFSET};
}

/* Decodes the first `bytes` bytes of a record `count` times. */
static int64_t decode(struct xs_cupti_decoder *decoder, const void *record, size_t bytes, size_t count) {
    uint8_t *data = malloc(bytes * count);
    assert_non_null(data);
    for (size_t i = 0; i < count; i++)
        memcpy(data + i * bytes, record, bytes);
    record_bytes = bytes;
    int64_t result = xs_cupti_decode(decoder, data, bytes * count);
    free(data);
    return result;
}

static CUpti_ActivityMemcpy6 a_copy(void) {
    CUpti_ActivityMemcpy6 r;
    memset(&r, 0xee, sizeof r); /* fields that an older version did not write must not be read */
    r.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    r.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    r.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    r.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
    r.bytes = UINT64_C(1) << 33;
    r.start = OFFSET + 100;
    r.end = OFFSET + 250;
    r.deviceId = 1;
    r.contextId = 2;
    r.streamId = 7;
    r.correlationId = 42;
    r.graphNodeId = 99;
    r.graphId = 5;
    r.copyCount = 3;
    return r;
}

static void copies_of_every_version(void **state) {
    (void)state;
    static const struct {
        uint32_t version;
        size_t bytes;
        uint32_t graph, copies;
    } versions[] = {{13, 72, 0, 1}, {14, 80, 5, 1}, {17, 88, 5, 1}, {24, 88, 5, 1}, {26, 96, 5, 3}, {130001, 96, 5, 3}};
    CUpti_ActivityMemcpy6 r = a_copy();
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct xs_cupti_decoder decoder = decoder_of(versions[i].version);
        assert_int_equal(decode(&decoder, &r, versions[i].bytes, 4), 4);
        assert_int_equal(decoder.records[XS_RECORD_COPY], 4);
        assert_int_equal(decoder.damaged, 0);
        const struct xs_device_copy *row = &stub_store.copy;
        assert_int_equal(row->kind, 1);
        assert_int_equal(row->src_kind, 2);
        assert_int_equal(row->dst_kind, 3);
        assert_int_equal(row->is_async, 1);
        assert_int_equal(row->bytes, UINT64_C(1) << 33);
        assert_int_equal(row->start_ns, 100);
        assert_int_equal(row->end_ns, 250);
        assert_int_equal(row->device, 1);
        assert_int_equal(row->src_device, -1);
        assert_int_equal(row->context, 2);
        assert_int_equal(row->stream, 7);
        assert_int_equal(row->correlation, 42);
        assert_int_equal(row->graph_node, 99);
        assert_int_equal(row->graph, versions[i].graph);
        assert_int_equal(row->copies, versions[i].copies);
    }
}

static void a_copy_without_times(void **state) {
    (void)state;
    CUpti_ActivityMemcpy6 r = a_copy();
    r.copyCount = 0;
    r.end = 0; /* a forced flush while the copy ran */
    struct xs_cupti_decoder decoder = decoder_of(130000);
    assert_int_equal(decode(&decoder, &r, sizeof r, 1), 1);
    assert_int_equal(stub_store.copy.start_ns, 0);
    assert_int_equal(stub_store.copy.end_ns, 0);
    assert_int_equal(stub_store.copy.copies, 1);
}

static void peer_copies(void **state) {
    (void)state;
    static const struct {
        uint32_t version;
        size_t bytes;
        uint32_t graph;
    } versions[] = {{13, 80, 0}, {14, 88, 6}, {130001, sizeof(CUpti_ActivityMemcpyPtoP4), 6}};
    CUpti_ActivityMemcpyPtoP4 r;
    memset(&r, 0xee, sizeof r);
    r.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    r.flags = 0;
    r.bytes = 4096;
    r.srcDeviceId = 2;
    r.dstDeviceId = 3;
    r.graphNodeId = 0;
    r.graphId = 6;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct xs_cupti_decoder decoder = decoder_of(versions[i].version);
        assert_int_equal(decode(&decoder, &r, versions[i].bytes, 2), 2);
        assert_int_equal(stub_store.copy.kind, 10);
        assert_int_equal(stub_store.copy.src_device, 2);
        assert_int_equal(stub_store.copy.dst_device, 3);
        assert_int_equal(stub_store.copy.is_async, 0);
        assert_int_equal(stub_store.copy.graph, versions[i].graph);
        assert_int_equal(stub_store.copy.copies, 1);
    }
}

static void memsets_and_kernels(void **state) {
    (void)state;
    CUpti_ActivityMemset4 set;
    memset(&set, 0xee, sizeof set);
    set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    set.value = 0xab;
    set.bytes = 512;
    set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    set.graphId = 4;
    struct xs_cupti_decoder decoder = decoder_of(13);
    assert_int_equal(decode(&decoder, &set, 72, 1), 1);
    assert_int_equal(stub_store.memset.value, 0xab);
    assert_int_equal(stub_store.memset.memory_kind, 5);
    assert_int_equal(stub_store.memset.graph, 0);

    CUpti_ActivityKernel10 kernel;
    memset(&kernel, 0xee, sizeof kernel);
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.name = "_Z3addPf";
    kernel.gridX = 7;
    kernel.blockZ = 2;
    kernel.graphId = 4;
    kernel.graphNodeId = 0;
    static const size_t sizes[] = {sizeof(CUpti_ActivityKernel6), sizeof(CUpti_ActivityKernel8),
                                   sizeof(CUpti_ActivityKernel9), sizeof(CUpti_ActivityKernel10)};
    static const uint32_t versions[] = {15, 17, 18, 130001};
    for (size_t i = 0; i < 4; i++) {
        decoder = decoder_of(versions[i]);
        assert_int_equal(decode(&decoder, &kernel, sizes[i], 3), 3);
        assert_int_equal(decoder.records[XS_RECORD_KERNEL], 3);
        assert_string_equal(stub_store.kernel.name, "_Z3addPf");
        assert_int_equal(stub_store.kernel.grid[0], 7);
        assert_int_equal(stub_store.kernel.block[2], 2);
        assert_int_equal(stub_store.kernel.graph, 4);
    }
}

static void syncs(void **state) {
    (void)state;
    CUpti_ActivitySynchronization2 r;
    memset(&r, 0xee, sizeof r);
    r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    r.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    r.streamId = 7;
    r.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    struct xs_cupti_decoder decoder = decoder_of(24);
    assert_int_equal(decode(&decoder, &r, sizeof(CUpti_ActivitySynchronization), 1), 1);
    assert_int_equal(stub_store.sync.kind, 3);
    assert_int_equal(stub_store.sync.stream, 7);
    assert_int_equal(stub_store.sync.event, 0);
}

/* The kind of counter decides which fields have a meaning: the value of a fault is a program counter, and not a size.
 */
static void migrations(void **state) {
    (void)state;
    CUpti_ActivityUnifiedMemoryCounter3 r;
    memset(&r, 0xee, sizeof r);
    r.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    r.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
    r.value = 65536;
    r.start = OFFSET + 10;
    r.end = OFFSET + 20;
    r.address = 0x7000;
    r.srcId = CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID;
    r.dstId = 1;
    r.processId = 1234;
    struct xs_cupti_decoder decoder = decoder_of(24);
    const struct xs_device_migration *row = &stub_store.migration;
    assert_int_equal(decode(&decoder, &r, sizeof(CUpti_ActivityUnifiedMemoryCounter2), 2), 2);
    assert_int_equal(row->kind, 1);
    assert_int_equal(row->bytes, 65536);
    assert_int_equal(row->src_device, -1);
    assert_int_equal(row->dst_device, 1);
    assert_int_equal(row->end_ns, 20);
    assert_int_equal(row->process, 1234);

    r.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT;
    assert_int_equal(decode(&decoder, &r, sizeof r, 1), 1);
    assert_int_equal(row->bytes, 0);
    assert_int_equal(row->dst_device, -1);
    assert_int_equal(row->end_ns, 10);

    r.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING;
    r.srcId = 3; /* a bit mask */
    assert_int_equal(decode(&decoder, &r, sizeof r, 1), 1);
    assert_int_equal(row->bytes, 65536);
    assert_int_equal(row->src_device, -1);
}

enum { FAULTS = 100 };

/* Counts a buffer of so many faults of the device, one after the other in this distance, after the last one's end.
 * Nothing happens for `gap_ns` after the first half of them. */
static struct xs_migration_tally faults_in_distance(uint64_t distance_ns, uint64_t gap_ns) {
    static uint64_t now_ns = OFFSET;
    CUpti_ActivityUnifiedMemoryCounter3 records[FAULTS];
    memset(records, 0, sizeof records);
    for (unsigned i = 0; i < FAULTS; i++) {
        records[i].kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
        records[i].counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT;
        now_ns += i == FAULTS / 2 ? gap_ns : 0;
        records[i].start = now_ns;
        records[i].end = now_ns += distance_ns;
    }
    struct xs_cupti_buffer buffer = {.data = (uint8_t *)records, .valid_bytes = sizeof records};
    struct xs_cupti_decoder decoder = decoder_of(130000);
    record_bytes = sizeof *records;
    for (unsigned i = 0; i < 2; i++) /* a second time changes nothing */
        xs_cupti_count_migrations(&decoder, &buffer);
    return buffer.migrations;
}

/* A fault costs what was measured, but no more than the time since the fault before it. A pause between two bursts of
 * faults is not a cost. */
static void faults_cost_what_they_can(void **state) {
    (void)state;
    struct xs_migration_tally tally = faults_in_distance(200000, 0);
    assert_int_equal(tally.records, FAULTS);
    assert_int_equal(tally.cost_ns, FAULTS * XS_RECORD_FAULT_NS);
    tally = faults_in_distance(6000, 0);
    assert_int_equal(tally.records, FAULTS);
    assert_int_equal(tally.cost_ns, FAULTS * 6000);
    tally = faults_in_distance(6000, 10000000);
    assert_int_equal(tally.cost_ns, (FAULTS - 1) * 6000 + XS_RECORD_FAULT_NS);
    tally = faults_in_distance(0, 10000000); /* the first half has the time of the last fault above */
    assert_int_equal(tally.cost_ns, FAULTS / 2 * XS_RECORD_FAULT_NS);
}

static void unknown_and_broken(void **state) {
    (void)state;
    CUpti_ActivityMemcpy6 r = a_copy();
    r.kind = CUPTI_ACTIVITY_KIND_NAME;
    struct xs_cupti_decoder decoder = decoder_of(130000);
    assert_int_equal(decode(&decoder, &r, sizeof r, 2), 0);
    assert_int_equal(stub_store.rows, 0);
    assert_int_equal(decoder.damaged, 0);

    uint8_t data[40] __attribute__((aligned(8))) = {0};
    record_bytes = sizeof r;
    assert_int_equal(xs_cupti_decode(&decoder, data, sizeof data), 0);
    assert_int_equal(decoder.damaged, 1);

    r = a_copy();
    stub_store.fail = XS_ERROR_FULL;
    assert_int_equal(decode(&decoder, &r, sizeof r, 2), XS_ERROR_FULL);
    assert_int_equal(decoder.records[XS_RECORD_COPY], 0);
}

static void names_outlive_cupti(void **state) {
    (void)state;
    CUpti_ActivityKernel10 kernels[2];
    memset(kernels, 0, sizeof kernels);
    char *name = strdup("kernel_of_a_module");
    kernels[0].kind = kernels[1].kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernels[0].name = kernels[1].name = name;
    struct xs_cupti_decoder decoder = decoder_of(130000);
    record_bytes = sizeof kernels[0];
    xs_cupti_keep_names(&decoder, (uint8_t *)kernels, sizeof kernels);
    free(name);
    assert_int_equal(xs_cupti_decode(&decoder, (uint8_t *)kernels, sizeof kernels), 2);
    assert_string_equal(stub_store.kernel.name, "kernel_of_a_module");
    assert_ptr_equal(kernels[0].name, kernels[1].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_every_version),
        cmocka_unit_test(a_copy_without_times),
        cmocka_unit_test(peer_copies),
        cmocka_unit_test(memsets_and_kernels),
        cmocka_unit_test(syncs),
        cmocka_unit_test(migrations),
        cmocka_unit_test(faults_cost_what_they_can),
        cmocka_unit_test(unknown_and_broken),
        cmocka_unit_test(names_outlive_cupti),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
