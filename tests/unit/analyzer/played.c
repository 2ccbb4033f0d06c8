/* Writing played sequences through the store; see played.h. */
#include "played.h"

#include <sqlite3.h>

enum {
    UP = 1,
    DOWN,
    COPY,
    ALLOC,
    FREE,
    MEMSET,
    LAUNCH,
    SYNC,
    RECORD,
    STREAM_WAIT,
    CONTEXT_END,
    PREFETCH,
    GET_HANDLE,
    EXPORT,
    CONTEXT_CALLS,
    STREAM_CALLS = CONTEXT_CALLS + PLAY_DESTROY + 1
};
enum { STEP_NS = 10000, CALL_NS = 1000 };

void play_begin(struct played *p) {
    static const struct {
        const char *name;
        unsigned id;
        enum xs_category category;
    } entries[] = {{"cuMemcpyHtoD_v2", UP, XS_CAT_TRANSFER},
                   {"cuMemcpyDtoH_v2", DOWN, XS_CAT_TRANSFER},
                   {"cuMemcpyDtoD_v2", COPY, XS_CAT_TRANSFER},
                   {"cuMemAlloc_v2", ALLOC, XS_CAT_ALLOCATE},
                   {"cuMemFree_v2", FREE, XS_CAT_FREE},
                   {"cuMemsetD8_v2", MEMSET, XS_CAT_MEMSET},
                   {"cuLaunchKernel", LAUNCH, XS_CAT_LAUNCH},
                   {"cuCtxSynchronize", SYNC, XS_CAT_SYNC},
                   {"cuEventRecord", RECORD, XS_CAT_SYNC},
                   {"cuStreamWaitEvent", STREAM_WAIT, XS_CAT_SYNC},
                   {"cuCtxDestroy_v2", CONTEXT_END, XS_CAT_CONTEXT},
                   {"cuMemPrefetchBatchAsync", PREFETCH, XS_CAT_MANAGED},
                   {"cuIpcGetMemHandle", GET_HANDLE, XS_CAT_LOOKUP},
                   {"cuMemExportToShareableHandle", EXPORT, XS_CAT_LOOKUP},
                   {XS_ENTRY_UNKNOWN_NAME, XS_ENTRY_UNKNOWN, XS_CAT_LOOKUP},
                   {"cuDevicePrimaryCtxRetain", CONTEXT_CALLS + PLAY_RETAIN, XS_CAT_CONTEXT},
                   {"cuDevicePrimaryCtxRelease_v2", CONTEXT_CALLS + PLAY_RELEASE, XS_CAT_CONTEXT},
                   {"cuDevicePrimaryCtxReset_v2", CONTEXT_CALLS + PLAY_RESET, XS_CAT_CONTEXT},
                   {"cuCtxCreate_v4", CONTEXT_CALLS + PLAY_CREATE, XS_CAT_CONTEXT},
                   {"cuCtxDestroy", CONTEXT_CALLS + PLAY_DESTROY, XS_CAT_CONTEXT},
                   {"cuStreamCreate", STREAM_CALLS + PLAY_STREAM_CREATE, XS_CAT_STREAM},
                   {"cuStreamCreateWithPriority", STREAM_CALLS + PLAY_STREAM_CREATE_WITH_PRIORITY, XS_CAT_STREAM},
                   {"cuStreamDestroy_v2", STREAM_CALLS + PLAY_STREAM_DESTROY, XS_CAT_STREAM}};
    memset(p, 0, sizeof *p);
    p->options.fold_nothing = true;
    strcpy(p->folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/trace.db", p->folder);
    assert_int_equal(xs_store_create(p->path, &p->store), 0);
    xs_store_begin(p->store);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        xs_store_entry_point(p->store, entries[i].id, entries[i].name, entries[i].category);
    p->thread = 1;
    xs_store_thread(p->store, 1, 1, "main");
    xs_store_thread(p->store, 2, 2, "other");
    xs_store_meta_int(p->store, "cupti.kernels", 1);
    for (int device = 0; device < 2; device++)
        xs_store_context(p->store, (uint64_t)device + 1, device);
}

static struct xs_event event_of(struct played *p, enum xs_event_kind kind, unsigned entry) {
    struct xs_event event = {.kind = (uint8_t)kind, .entry = (uint16_t)entry, .context = (uint64_t)p->device + 1};
    p->now_ns += STEP_NS;
    event.enter_tick = p->now_ns;
    event.return_tick = p->now_ns + (p->call_ns ? p->call_ns : CALL_NS);
    if (p->stream) {
        event.stream = p->stream;
        event.flags = XS_FLAG_HAS_STREAM;
    }
    event.correlation = ++p->correlation;
    return event;
}

static void put(struct played *p, const struct xs_event *event) {
    assert_int_equal(xs_store_event(p->store, event, p->thread, &p->clock), 0);
}

uint32_t play_alloc(struct played *p, uint64_t address, uint64_t bytes) {
    uint32_t id = ++p->allocation_count;
    struct xs_event event = event_of(p, XS_EVENT_ALLOC, ALLOC);
    assert_true(id < PLAYED_ALLOCATIONS);
    event.alloc = (struct xs_event_alloc){.address = address,
                                          .bytes = bytes,
                                          .id = id,
                                          .kind = (uint8_t)(p->memory ? p->memory : XS_MEM_DEVICE),
                                          .origin = (uint8_t)(p->origin ? p->origin : XS_ORIGIN_ALLOC),
                                          .device = (int8_t)p->device};
    if (p->memory == XS_MEM_PINNED || p->memory == XS_MEM_REGISTERED)
        event.alloc.device = -1;
    put(p, &event);
    p->allocations[id].address = address;
    p->allocations[id].bytes = bytes;
    p->allocations[id].lives = true;
    return id;
}

static void end_allocation(struct played *p, uint32_t id, unsigned entry) {
    struct xs_event event = event_of(p, XS_EVENT_FREE, entry);
    event.alloc.id = id;
    put(p, &event);
    p->allocations[id].lives = false;
}

void play_free(struct played *p, uint32_t id) { end_allocation(p, id, FREE); }

void play_context_end(struct played *p, uint32_t id) { end_allocation(p, id, CONTEXT_END); }

static uint32_t allocation_at(const struct played *p, uint64_t address) {
    for (uint32_t id = p->allocation_count; id > 0; id--)
        if (p->allocations[id].lives && address >= p->allocations[id].address &&
            address < p->allocations[id].address + p->allocations[id].bytes)
            return id;
    return 0;
}

static void put_content(struct played *p, struct xs_event *event, uint64_t bytes, int content, int before) {
    if (content == NO_CONTENT) {
        event->transfer.skip = XS_SKIP_BUDGET;
        return;
    }
    event->fingerprint_id = ++p->fingerprint;
    if (content == LOST)
        return;
    struct xs_event_fingerprint f = {.id = p->fingerprint,
                                     .content = {(uint64_t)content * 2654435761u, bytes ^ 77},
                                     .leaves = (uint32_t)((bytes + 4095) / 4096)};
    if (before != NOT_MEASURED) {
        f.before[0] = (uint64_t)before * 2654435761u;
        f.before[1] = bytes ^ 77;
        f.flags = XS_FINGERPRINT_BEFORE;
    }
    if (p->constant) {
        f.flags |= XS_FINGERPRINT_CONSTANT;
        f.constant_value = (uint32_t)content;
    }
    assert_int_equal(xs_store_fingerprint(p->store, &f), 0);
}

static enum xs_memory_kind host_kind(const struct played *p) { return p->host ? p->host : XS_MEM_PAGEABLE; }

static void put_watch(struct played *p, struct xs_event *event) {
    if (event->transfer.direction != XS_DIR_D2H || (!p->host_read.watched_bytes && !p->host_read.doubt))
        return;
    p->host_read.id = ++p->watches;
    event->flags |= XS_FLAG_WATCHED;
    event->transfer.host_read = p->watches;
    event->transfer.dst_allocation = allocation_at(p, event->transfer.dst);
    assert_int_equal(xs_store_host_read(p->store, &p->host_read), 0);
}

static int64_t transfer(struct played *p, unsigned entry, enum xs_direction direction,
                        const struct xs_event_transfer *sides, int content, int before) {
    struct xs_event event = event_of(p, XS_EVENT_TRANSFER, entry);
    uint64_t bytes = sides->bytes;
    event.transfer = *sides;
    event.transfer.direction = (uint8_t)direction;
    event.flags |= p->async ? XS_FLAG_ASYNC : 0;
    put_watch(p, &event);
    if (p->box.height) {
        event.flags |= XS_FLAG_BOX;
        event.transfer.height = p->box.height;
        event.transfer.depth = p->box.depth ? p->box.depth : 1;
        event.transfer.src_pitch = p->box.src_pitch;
        event.transfer.dst_pitch = p->box.dst_pitch;
    }
    put_content(p, &event, bytes, content, before);
    put(p, &event);
    unsigned host = host_kind(p) == XS_MEM_PAGEABLE ? 1 : 2, device = 3; /* CUPTI's numbers */
    uint64_t start_ns = p->now_ns + (p->delay_ns ? p->delay_ns : 100);
    struct xs_device_copy copy = {.correlation = event.correlation,
                                  .copies = 1,
                                  .kind = (uint8_t)(direction == XS_DIR_H2D   ? 1
                                                    : direction == XS_DIR_D2H ? 2
                                                                              : 8),
                                  .src_kind = (uint8_t)(direction == XS_DIR_H2D ? host : device),
                                  .dst_kind = (uint8_t)(direction == XS_DIR_D2H ? host : device),
                                  .device = p->device,
                                  .bytes = bytes,
                                  .start_ns = (int64_t)start_ns,
                                  .end_ns = (int64_t)(start_ns + (p->device_ns ? p->device_ns : bytes * 1000 / 4096))};
    assert_int_equal(xs_store_device_copy(p->store, &copy), 0);
    return ++p->transfer;
}

int64_t play_up(struct played *p, uint64_t to, uint64_t bytes, int content, int before, uint64_t from) {
    struct xs_event_transfer sides = {.dst = to,
                                      .src = from,
                                      .bytes = bytes,
                                      .dst_allocation = allocation_at(p, to),
                                      .dst_kind = XS_MEM_DEVICE,
                                      .src_kind = (uint8_t)host_kind(p),
                                      .dst_device = (int8_t)p->device,
                                      .src_device = -1};
    return transfer(p, UP, XS_DIR_H2D, &sides, content, before);
}

int64_t play_down(struct played *p, uint64_t from, uint64_t bytes, int content, uint64_t to) {
    struct xs_event_transfer sides = {.dst = to,
                                      .src = from,
                                      .bytes = bytes,
                                      .src_allocation = allocation_at(p, from),
                                      .dst_kind = (uint8_t)host_kind(p),
                                      .src_kind = XS_MEM_DEVICE,
                                      .dst_device = -1,
                                      .src_device = (int8_t)p->device};
    return transfer(p, DOWN, XS_DIR_D2H, &sides, content, NOT_MEASURED);
}

int64_t play_copy(struct played *p, uint64_t to, uint64_t from, uint64_t bytes) {
    struct xs_event_transfer sides = {.dst = to,
                                      .src = from,
                                      .bytes = bytes,
                                      .src_allocation = allocation_at(p, from),
                                      .dst_allocation = allocation_at(p, to),
                                      .dst_kind = XS_MEM_DEVICE,
                                      .src_kind = XS_MEM_DEVICE,
                                      .dst_device = (int8_t)p->device,
                                      .src_device = (int8_t)p->device};
    return transfer(p, COPY, XS_DIR_D2D, &sides, NO_CONTENT, NOT_MEASURED);
}

int64_t play_memset(struct played *p, uint64_t to, uint64_t bytes) {
    struct xs_event event = event_of(p, XS_EVENT_MEMSET, MEMSET);
    event.memset = (struct xs_event_memset){.address = to,
                                            .bytes = bytes,
                                            .allocation = allocation_at(p, to),
                                            .element_bytes = 1,
                                            .kind = XS_MEM_DEVICE,
                                            .device = (int8_t)p->device};
    put(p, &event);
    return ++p->memset_row;
}

static void launch(struct played *p, uint32_t set) {
    struct xs_event event = event_of(p, XS_EVENT_LAUNCH, LAUNCH);
    event.return_tick = 0;
    event.argument_set = set;
    uint32_t blocks = p->kernel_blocks ? p->kernel_blocks : 1;
    event.launch = (struct xs_event_launch){.function = 0x1000, .grid = {blocks, 1, 1}, .block = {1, 1, 1}};
    put(p, &event);
    uint64_t start_ns = p->now_ns + (p->kernel_delay_ns ? p->kernel_delay_ns : 500);
    struct xs_device_kernel kernel = {.correlation = event.correlation,
                                      .name = "k",
                                      .device = p->device,
                                      .start_ns = (int64_t)start_ns,
                                      .end_ns = (int64_t)(start_ns + (p->kernel_ns ? p->kernel_ns : 2000))};
    assert_int_equal(xs_store_device_kernel(p->store, &kernel), 0);
    p->launch++;
}

void play_kernel(struct played *p, unsigned count, const uint32_t *allocations) {
    struct xs_event set = {.kind = XS_EVENT_ARGUMENTS, .arguments = {.set = ++p->set, .count = (uint8_t)count}};
    assert_true(count <= XS_ARGUMENTS_EVENT_COUNT);
    for (unsigned i = 0; i < count; i++)
        set.arguments.allocations[i] = allocations[i];
    put(p, &set);
    launch(p, p->set);
}

void play_unseen_kernel(struct played *p) { launch(p, 0); }

void play_migration(struct played *p, bool up, uint64_t address, uint64_t bytes) {
    p->now_ns += STEP_NS;
    struct xs_device_migration row = {.kind = up ? 1 : 2,
                                      .address = address,
                                      .bytes = bytes,
                                      .src_device = up ? -1 : p->device,
                                      .dst_device = up ? p->device : -1,
                                      .start_ns = (int64_t)p->now_ns,
                                      .end_ns = (int64_t)p->now_ns + 1000};
    assert_int_equal(xs_store_device_migration(p->store, &row), 0);
}

void play_prefetch_batch(struct played *p, uint64_t address, uint64_t ranges) {
    struct xs_event event = event_of(p, XS_EVENT_API, PREFETCH);
    event.api = (struct xs_event_api){.object = ranges, .address = address};
    put(p, &event);
}

void play_sync(struct played *p) {
    struct xs_event event = event_of(p, XS_EVENT_SYNC, SYNC);
    put(p, &event);
}

void play_wait(struct played *p, enum xs_sync_scope scope, uint64_t object) {
    struct xs_event event = event_of(p, XS_EVENT_SYNC, SYNC);
    event.sync = (struct xs_event_sync){.object = object, .scope = (uint8_t)scope};
    put(p, &event);
}

static void api(struct played *p, unsigned entry, uint64_t object) {
    struct xs_event event = event_of(p, XS_EVENT_API, entry);
    event.api.object = object;
    put(p, &event);
}

void play_record(struct played *p, uint64_t object) { api(p, RECORD, object); }

void play_stream_wait(struct played *p, uint64_t object) { api(p, STREAM_WAIT, object); }

void play_context(struct played *p, enum play_context what, uint64_t object) {
    struct xs_event event = event_of(p, XS_EVENT_API, CONTEXT_CALLS + what);
    event.api = (struct xs_event_api){.object = object, .argument = (uint64_t)p->device};
    put(p, &event);
}

void play_stream(struct played *p, enum play_stream what, uint64_t object) {
    struct xs_event event = event_of(p, XS_EVENT_API, STREAM_CALLS + what);
    event.api = (struct xs_event_api){.object = object, .argument = what == PLAY_STREAM_DESTROY ? 0 : p->flags};
    put(p, &event);
}

void play_share(struct played *p, uint64_t address) {
    struct xs_event event = event_of(p, XS_EVENT_API, address ? GET_HANDLE : EXPORT);
    event.api.address = address;
    put(p, &event);
}

void play_unknown(struct played *p, bool for_good) {
    struct xs_event event = event_of(p, XS_EVENT_API, XS_ENTRY_UNKNOWN);
    event.api.argument = for_good ? XS_UNKNOWN_FOR_GOOD : XS_UNKNOWN_ONCE;
    put(p, &event);
}

void play_open(struct played *p, const char *sql, struct xs_trace *trace) {
    char message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    sqlite3 *db;
    assert_int_equal(xs_store_commit(p->store), 0);
    assert_int_equal(xs_store_finish(p->store, XS_STATUS_COMPLETE), 0);
    assert_int_equal(xs_store_close(p->store), 0);
    assert_int_equal(sqlite3_open(p->path, &db), SQLITE_OK);
    if (sql && sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(p->path, trace, message) < 0)
        fail_msg("%s", message);
}

void play_analyse(struct played *p, const char *sql) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    play_open(p, sql, &trace);
    if (xs_analyse(&trace, &p->options, &p->findings, message) < 0)
        fail_msg("%s", message);
    xs_trace_close(&trace);
}

void play_end(struct played *p) {
    if (p->forget)
        p->forget(p);
    else
        xs_findings_free(p->findings);
    unlink(p->path);
    rmdir(p->folder);
}

uint64_t played_found(const struct played *p, const char *id, const char *verdict) {
    uint64_t instances = 0;
    for (size_t i = 0; i < p->findings->count; i++) {
        const struct xs_finding *finding = &p->findings->items[i];
        const struct xs_detector *detector = xs_detectors[finding->detector];
        if (strcmp(detector->id, id) != 0)
            continue;
        if (!verdict)
            instances += finding->instances;
        for (unsigned v = 0; verdict && v < XS_VERDICTS; v++)
            if (detector->verdicts[v].name && !strcmp(detector->verdicts[v].name, verdict) &&
                xs_finding_has_verdict(finding, v))
                instances +=
                    finding->verdict == XS_SEVERAL_VERDICTS ? finding->variants[v].instances : finding->instances;
    }
    return instances;
}

uint64_t played_all(const struct played *p) {
    uint64_t instances = 0;
    for (size_t i = 0; i < p->findings->count; i++)
        instances += p->findings->items[i].advice ? 0 : p->findings->items[i].instances;
    return instances;
}

const struct xs_finding *played_finding(const struct played *p, const char *id) {
    for (size_t i = 0; i < p->findings->count; i++)
        if (strcmp(xs_detectors[p->findings->items[i].detector]->id, id) == 0)
            return &p->findings->items[i];
    fail_msg("no finding %s", id);
    return NULL;
}

uint64_t played_undecided(const struct played *p, const char *id, const char *reason) {
    for (size_t i = 0; i < p->findings->undecided_count; i++)
        if (strcmp(xs_detectors[p->findings->undecided[i].detector]->id, id) == 0 &&
            strcmp(p->findings->undecided[i].reason, reason) == 0)
            return p->findings->undecided[i].count;
    return 0;
}
