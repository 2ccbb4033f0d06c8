/* Writes a trace of any length for measuring the analysis:
 *   make_trace PATH TRANSFERS [BUFFERS [CONTENTS [LAUNCHES]]]
 * Uploads and downloads of 64 KiB over a fixed set of buffers and contents, each with its device record and
 * fingerprint, a kernel for every eighth, a wait for every 64th. LAUNCHES: so many kernels for each transfer instead.
 * The numbers repeat on every run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/write/store.h"

enum { BATCH = 65536, BYTES = 65536, STEP_NS = 4000, HOST_NS = 1000, DEVICE_NS = 2500 };
enum { ENTRY_UP = 1, ENTRY_DOWN, ENTRY_ALLOC, ENTRY_LAUNCH, ENTRY_SYNC };

struct maker {
    struct xs_store *store;
    struct xs_clock clock; /* zeroed: a tick is a nanosecond */
    uint64_t now_ns, random;
    uint32_t correlation, fingerprint, buffers, contents;
};

static _Noreturn void fail(const struct maker *m, const char *what) {
    fprintf(stderr, "make_trace: %s: %s\n", what, m->store ? xs_store_error(m->store) : "failed");
    exit(1);
}

/* splitmix64 */
static uint64_t mixed(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

static uint32_t choose(struct maker *m, uint32_t limit) {
    m->random = mixed(m->random);
    return (uint32_t)(m->random % limit);
}

static void put(struct maker *m, const struct xs_event *event) {
    if (xs_store_event(m->store, event, 1, &m->clock) < 0)
        fail(m, "event");
}

static struct xs_event event_of(struct maker *m, enum xs_event_kind kind, unsigned entry) {
    struct xs_event event = {
        .kind = (uint8_t)kind, .entry = (uint16_t)entry, .context = 1, .flags = XS_FLAG_HAS_STREAM};
    event.enter_tick = m->now_ns;
    event.return_tick = m->now_ns + HOST_NS;
    event.correlation = ++m->correlation;
    return event;
}

static uint64_t address_of(uint32_t buffer) { return 0x7f0000000000u + (uint64_t)buffer * 2 * BYTES; }

static void describe(struct maker *m) {
    static const struct {
        const char *name;
        unsigned id;
        enum xs_category category;
    } entries[] = {{"cuMemcpyHtoDAsync_v2", ENTRY_UP, XS_CAT_TRANSFER},
                   {"cuMemcpyDtoHAsync_v2", ENTRY_DOWN, XS_CAT_TRANSFER},
                   {"cuMemAlloc_v2", ENTRY_ALLOC, XS_CAT_ALLOCATE},
                   {"cuLaunchKernel", ENTRY_LAUNCH, XS_CAT_LAUNCH},
                   {"cuStreamSynchronize", ENTRY_SYNC, XS_CAT_SYNC}};
    struct xs_device_row device = {.name = "made up", .link_peak_bytes_per_s = 63000000000, .simulated = 1};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        xs_store_entry_point(m->store, entries[i].id, entries[i].name, entries[i].category);
    xs_store_thread(m->store, 1, 1, "main");
    xs_store_device(m->store, &device);
    xs_store_context(m->store, 1, 0);
    xs_store_meta_int(m->store, "cupti.kernels", 1);
}

static void allocate(struct maker *m) {
    for (uint32_t i = 0; i < m->buffers; i++) {
        struct xs_event event = event_of(m, XS_EVENT_ALLOC, ENTRY_ALLOC);
        event.alloc = (struct xs_event_alloc){
            .address = address_of(i), .bytes = BYTES, .id = i + 1, .kind = XS_MEM_DEVICE, .origin = XS_ORIGIN_ALLOC};
        put(m, &event);
        struct xs_event set = {.kind = XS_EVENT_ARGUMENTS,
                               .arguments = {.set = i + 1, .count = 1, .allocations = {i + 1}}};
        put(m, &set);
        m->now_ns += STEP_NS;
    }
}

static void transfer(struct maker *m, uint64_t i) {
    bool up = i % 5 != 0;
    uint32_t buffer = choose(m, m->buffers);
    uint64_t content = mixed(choose(m, m->contents)), before = mixed(choose(m, m->contents));
    struct xs_event event = event_of(m, XS_EVENT_TRANSFER, up ? ENTRY_UP : ENTRY_DOWN);
    struct xs_event_transfer *t = &event.transfer;
    event.flags |= XS_FLAG_ASYNC;
    event.fingerprint_id = ++m->fingerprint;
    *t = (struct xs_event_transfer){.bytes = BYTES, .direction = up ? XS_DIR_H2D : XS_DIR_D2H};
    t->dst = up ? address_of(buffer) : 0x10000u * (buffer + 1);
    t->src = up ? 0x10000u * (buffer + 1) : address_of(buffer);
    t->dst_kind = up ? XS_MEM_DEVICE : XS_MEM_PINNED;
    t->src_kind = up ? XS_MEM_PINNED : XS_MEM_DEVICE;
    t->dst_device = (int8_t)(up ? 0 : -1);
    t->src_device = (int8_t)(up ? -1 : 0);
    t->dst_allocation = up ? buffer + 1 : 0;
    t->src_allocation = up ? 0 : buffer + 1;
    put(m, &event);
    struct xs_event_fingerprint f = {.id = m->fingerprint, .content = {content, ~content}, .leaves = 16};
    if (up) {
        f.before[0] = before, f.before[1] = ~before;
        f.flags = XS_FINGERPRINT_BEFORE | XS_FINGERPRINT_CHANGED;
        f.changed_leaves = before == content ? 0 : 16;
    }
    struct xs_device_copy copy = {.correlation = event.correlation,
                                  .copies = 1,
                                  .kind = up ? 1 : 2,
                                  .src_kind = up ? 2 : 3,
                                  .dst_kind = up ? 3 : 2,
                                  .is_async = 1,
                                  .src_device = -1,
                                  .dst_device = -1,
                                  .context = 1,
                                  .stream = 7,
                                  .bytes = BYTES,
                                  .start_ns = (int64_t)m->now_ns + 1200,
                                  .end_ns = (int64_t)m->now_ns + 1200 + DEVICE_NS + (int64_t)(content % 64)};
    if (xs_store_fingerprint(m->store, &f) < 0 || xs_store_device_copy(m->store, &copy) < 0)
        fail(m, "device records");
    m->now_ns += STEP_NS;
}

static void launch(struct maker *m) {
    struct xs_event event = event_of(m, XS_EVENT_LAUNCH, ENTRY_LAUNCH);
    event.return_tick = 0;
    event.argument_set = 1 + choose(m, m->buffers);
    event.launch = (struct xs_event_launch){.function = 0x1000, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    put(m, &event);
    struct xs_device_kernel kernel = {.correlation = event.correlation,
                                      .name = "_Z4stepPf",
                                      .context = 1,
                                      .stream = 7,
                                      .start_ns = (int64_t)m->now_ns + 500,
                                      .end_ns = (int64_t)m->now_ns + 2500};
    if (xs_store_device_kernel(m->store, &kernel) < 0)
        fail(m, "kernel");
    m->now_ns += STEP_NS;
}

static void wait_for_all(struct maker *m) {
    struct xs_event event = event_of(m, XS_EVENT_SYNC, ENTRY_SYNC);
    event.sync.scope = XS_SYNC_STREAM;
    put(m, &event);
    m->now_ns += STEP_NS;
}

int main(int argc, char **argv) {
    struct maker m = {.now_ns = 1000};
    if (argc < 3) {
        fputs("usage: make_trace PATH TRANSFERS [BUFFERS [CONTENTS [LAUNCHES]]]\n", stderr);
        return 2;
    }
    uint64_t transfers = strtoull(argv[2], NULL, 10);
    m.buffers = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 100;
    m.contents = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 1000;
    uint32_t launches = argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : 0;
    if (!transfers || !m.buffers || !m.contents || xs_store_create(argv[1], &m.store) < 0)
        fail(&m, argv[1]);
    xs_store_begin(m.store);
    describe(&m);
    allocate(&m);
    for (uint64_t i = 0; i < transfers; i++) {
        transfer(&m, i);
        for (uint32_t k = launches ? launches : i % 8 == 7; k > 0; k--)
            launch(&m);
        if (i % 64 == 63)
            wait_for_all(&m);
        if (i % BATCH == BATCH - 1 && (xs_store_commit(m.store) < 0 || xs_store_begin(m.store) < 0))
            fail(&m, "commit");
    }
    if (xs_store_meta_int(m.store, "duration_ns", (int64_t)m.now_ns) < 0 || xs_store_commit(m.store) < 0 ||
        xs_store_finish(m.store, XS_STATUS_COMPLETE) < 0 || xs_store_close(m.store) < 0)
        fail(&m, "end");
    return 0;
}
