/* Random programs of uploads, downloads, copies, sets and kernels over a few buffers, made so that contents, regions
 * and host addresses meet again. All bytes are kept beside the device's (shadow), and compared. */
#include "program.h"

#include <string.h>

/* ---- chance ------------------------------------------------------------------------------------------------------ */

static uint32_t chance(struct program *p, uint32_t below) { /* splitmix64 */
    uint64_t x = p->random += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return (uint32_t)((x ^ (x >> 31)) >> 33) % below;
}

static bool percent(struct program *p, uint32_t share) { return chance(p, 100) < share; }

/* Under a leaf and just over, small content, and enough leaves for a changed one to be under a quarter. */
static const size_t lengths[] = {4, 8, 24, 60, 64, 64, 256, 1001, 4096, 4100, 12288, 20480, 24576, 40960};
static const size_t sizes[] = {64, 4096, 8192, 24576, 40960, 40960};

static size_t scaled(const struct program *p, size_t bytes) { return p->scale > 0 ? bytes * p->scale : bytes; }

/* ---- words: the program's tag above, 20 bits below --------------------------------------------------------------- */

static uint32_t pool_word(const struct program *p, uint32_t content, size_t i) {
    return p->tag | ((uint32_t)(i * 40503u + content * 0x9E3779B1u) * 2246822519u >> 12);
}

static uint32_t pool_constant(const struct program *p, uint32_t content) { return p->tag | (content + 1); }

static void fill_pool(const struct program *p, unsigned char *memory, size_t bytes, uint32_t content) {
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word = pool_word(p, content, i / 4);
        memcpy(memory + i, &word, bytes - i < 4 ? bytes - i : 4);
    }
}

static void fill_words(unsigned char *memory, size_t bytes, uint32_t word) {
    for (size_t i = 0; i < bytes; i += 4)
        memcpy(memory + i, &word, bytes - i < 4 ? bytes - i : 4);
}

/* ---- host memory ------------------------------------------------------------------------------------------------- */

void host_buffers_start(struct host_buffer *host, size_t bytes) {
    for (int i = 0; i < HOST_BUFFERS; i++) {
        host[i].bytes = bytes;
        host[i].pageable = i >= FIRST_PAGEABLE;
        host[i].shadow = malloc(bytes);
        if (i < 2) {
            OK(cuMemAllocHost((void **)&host[i].memory, bytes));
        } else {
            REQUIRE(posix_memalign((void **)&host[i].memory, 4096, bytes) == 0);
            if (i == 2)
                OK(cuMemHostRegister(host[i].memory, bytes, CU_MEMHOSTREGISTER_PORTABLE));
        }
    }
}

void host_buffers_end(struct host_buffer *host) {
    for (int i = 0; i < HOST_BUFFERS; i++) {
        free(host[i].shadow);
        if (i == 2)
            OK(cuMemHostUnregister(host[i].memory));
        if (i < 2)
            OK(cuMemFreeHost(host[i].memory));
        else
            free(host[i].memory);
    }
}

static void settle(struct program *p) {
    machine_wait(p->machine);
    for (int i = 0; i < HOST_BUFFERS; i++) {
        p->host[i].pending = false;
        REQUIRE(memcmp(p->host[i].memory, p->host[i].shadow, p->host[i].bytes) == 0);
    }
}

/* Gives part of a host buffer new content, leaves its content, or changes one byte of it. */
static void prepare(struct program *p, struct host_buffer *host, size_t offset, size_t bytes) {
    uint32_t dice = chance(p, 100);
    if (percent(p, p->leave))
        return;
    if (host->pending)
        settle(p);
    if (dice < 65)
        fill_pool(p, host->shadow + offset, bytes, chance(p, p->contents));
    else if (dice < 82)
        fill_words(host->shadow + offset, bytes, pool_constant(p, chance(p, p->contents)));
    else
        host->shadow[offset + 4 * (chance(p, (uint32_t)bytes) / 4)] ^= (unsigned char)(1 + chance(p, 2));
    memcpy(host->memory + offset, host->shadow + offset, bytes);
}

/* ---- device memory and events ------------------------------------------------------------------------------------ */

static struct event *event(struct program *p, enum event_kind kind) {
    struct event *e = &p->events[p->count++];
    memset(e, 0, sizeof *e);
    e->kind = kind;
    e->to.allocation = e->from.allocation = -1;
    e->to.device = e->from.device = -1;
    return e;
}

static void describe(const struct program *p, const char *what, const struct region *to, const struct region *from) {
    if (p->log == NULL)
        return;
    fprintf(p->log, "  transfer %-4d memset %-4d next: %s", p->transfers, p->memsets, what);
    if (to != NULL)
        fprintf(p->log, "  to %d[%zu+%zu]", to->allocation, to->offset, to->bytes);
    if (from != NULL)
        fprintf(p->log, "  from %d[%zu+%zu]", from->allocation, from->offset, from->bytes);
    fputc('\n', p->log);
}

static CUdeviceptr address(const struct program *p, const struct region *r) {
    return p->allocations[r->allocation].address + r->offset;
}

static unsigned char *shadow(const struct program *p, const struct region *r) {
    return p->allocations[r->allocation].shadow + r->offset;
}

static bool written(const struct program *p, const struct region *r) {
    return memchr(p->allocations[r->allocation].written + r->offset, 0, r->bytes) == NULL;
}

static struct region whole(const struct program *p, int allocation) {
    const struct allocation *a = &p->allocations[allocation];
    return (struct region){.allocation = allocation, .device = a->device, .bytes = a->bytes};
}

static void describe_host(const struct program *p, const char *what, bool blocking, int buffer, size_t offset,
                          const struct region *to, const struct region *from) {
    char text[80];
    const char *kind = p->host[buffer].pageable ? "pageable" : buffer == 2 ? "registered" : "pinned";
    snprintf(text, sizeof text, "%s%s, %s host memory %d+%zu", what, blocking ? "" : ", asynchronous", kind, buffer,
             offset);
    describe(p, text, to, from);
}

static unsigned char *copy_of(const void *bytes, size_t count) {
    unsigned char *copy = malloc(count);
    memcpy(copy, bytes, count);
    return copy;
}

/* The region now has these bytes. */
static void write_shadow(struct program *p, const struct region *r, const unsigned char *bytes) {
    memmove(shadow(p, r), bytes, r->bytes);
    memset(p->allocations[r->allocation].written + r->offset, 1, r->bytes);
}

static bool is_full(const struct program *p) {
    return p->count >= MAX_EVENTS - MAX_ALLOCATIONS || p->allocated >= MAX_ALLOCATIONS;
}

static void allocate(struct program *p) {
    if (is_full(p))
        return;
    struct allocation *a = &p->allocations[p->allocated];
    *a = (struct allocation){.bytes = scaled(p, sizes[chance(p, sizeof sizes / sizeof *sizes)]), .live = true};
    a->device = p->machine->devices > 1 && percent(p, 30);
    machine_order(p->machine, a->device, p->machine->last_stream);
    a->managed = p->scale > 0 && percent(p, 25);
    if (a->managed)
        OK(cuMemAllocManaged(&a->address, a->bytes, CU_MEM_ATTACH_GLOBAL));
    else
        OK(cuMemAlloc(&a->address, a->bytes));
    a->shadow = calloc(1, a->bytes);
    a->written = calloc(1, a->bytes);
    struct region all = whole(p, p->allocated++);
    describe(p, a->device ? "allocate on device 1" : "allocate", &all, NULL);
    event(p, ALLOCATE)->to = all;
}

/* Requires that the memory has the content that was written there. */
static void compare(const struct allocation *a) {
    unsigned char *memory = malloc(a->bytes);
    OK(cuMemcpyDtoH(memory, a->address, a->bytes));
    for (size_t i = 0; i < a->bytes; i++)
        REQUIRE(!a->written[i] || memory[i] == a->shadow[i]);
    free(memory);
}

static void release(struct program *p, int allocation) {
    struct allocation *a = &p->allocations[allocation];
    struct region all = whole(p, allocation);
    machine_order(p->machine, a->device, p->machine->last_stream);
    machine_wait(p->machine);
    if (p->scale > 0)
        compare(a);
    describe(p, "free", &all, NULL);
    event(p, FREE)->to = all;
    OK(cuMemFree(a->address));
    a->live = false;
}

static int some_allocation(struct program *p) {
    for (int tries = 0; tries < 200; tries++) {
        int i = (int)chance(p, (uint32_t)p->allocated);
        if (p->allocations[i].live)
            return i;
    }
    return -1;
}

/* A region of a live allocation: often one that an earlier event had. */
static bool some_region(struct program *p, struct region *out) {
    if (p->count > 0 && percent(p, p->again)) {
        const struct event *e = &p->events[chance(p, (uint32_t)p->count)];
        const struct region *r = e->from.allocation >= 0 && percent(p, 50) ? &e->from : &e->to;
        *out = *r;
        if (r->allocation >= 0 && p->allocations[r->allocation].live && e->kind != ALLOCATE)
            return true;
    }
    int allocation = some_allocation(p);
    if (allocation < 0)
        return false;
    *out = whole(p, allocation);
    size_t room = out->bytes, length = p->lengths[chance(p, 3)];
    if (length > room || percent(p, 15))
        length = percent(p, 60) ? room : 4 + 4 * chance(p, (uint32_t)room / 4);
    size_t offsets[] = {0, 0, 0, 64, 4096, length & ~(size_t)3, (room - length) & ~(size_t)3};
    out->offset = offsets[chance(p, sizeof offsets / sizeof *offsets)];
    if (out->offset + length > room)
        out->offset = 0;
    out->bytes = length;
    return true;
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static size_t host_place(struct program *p, int *buffer) {
    static const size_t places[] = {0, 0, 0, 1024, 8192};
    *buffer = (int)chance(p, HOST_BUFFERS);
    if (p->scale > 0 && percent(p, 75)) /* half of the repairs are about pageable memory */
        *buffer = FIRST_PAGEABLE + (int)chance(p, HOST_BUFFERS - FIRST_PAGEABLE);
    return scaled(p, places[chance(p, 5)]);
}

static void upload(struct program *p) {
    struct region to;
    int buffer;
    if (!some_region(p, &to))
        return;
    size_t offset = host_place(p, &buffer);
    struct host_buffer *host = &p->host[buffer];
    prepare(p, host, offset, to.bytes);
    bool blocking = percent(p, 50);
    if (blocking && host->pending)
        settle(p);
    CUstream stream = machine_order(p->machine, to.device, blocking ? 0 : (int)chance(p, STREAMS));

    describe_host(p, "upload", blocking, buffer, offset, &to, NULL);
    struct event *e = event(p, UPLOAD);
    e->ordinal = p->transfers++;
    e->to = to;
    e->host = (uint64_t)(uintptr_t)(host->memory + offset);
    e->content = copy_of(host->shadow + offset, to.bytes);
    e->before = copy_of(shadow(p, &to), to.bytes);
    write_shadow(p, &to, e->content);
    if (blocking) {
        OK(cuMemcpyHtoD(address(p, &to), host->memory + offset, to.bytes));
    } else {
        OK(cuMemcpyHtoDAsync(address(p, &to), host->memory + offset, to.bytes, stream));
        host->pending |= !host->pageable;
    }
}

static void download(struct program *p) {
    struct region from;
    int buffer;
    if (!some_region(p, &from) || !written(p, &from))
        return;
    size_t offset = host_place(p, &buffer);
    struct host_buffer *host = &p->host[buffer];
    bool blocking = percent(p, 50);
    if (host->pending && blocking)
        settle(p);
    CUstream stream = machine_order(p->machine, from.device, blocking ? 0 : (int)chance(p, STREAMS));

    describe(p,
             blocking         ? "download"
             : host->pageable ? "download, async pageable"
                              : "download, async pinned",
             NULL, &from);
    struct event *e = event(p, DOWNLOAD);
    e->ordinal = p->transfers++;
    e->from = from;
    e->host = (uint64_t)(uintptr_t)(host->memory + offset);
    e->content = copy_of(shadow(p, &from), from.bytes);
    memcpy(host->shadow + offset, e->content, from.bytes);
    if (blocking) {
        OK(cuMemcpyDtoH(host->memory + offset, address(p, &from), from.bytes));
    } else {
        OK(cuMemcpyDtoHAsync(host->memory + offset, address(p, &from), from.bytes, stream));
        host->pending |= !host->pageable;
    }
}

/* To another place of the device, or of the other one. */
static void copy(struct program *p) {
    struct region from, to;
    if (!some_region(p, &from) || !written(p, &from))
        return;
    for (int tries = 0;; tries++) {
        if (tries == 10 || !some_region(p, &to))
            return;
        to.bytes = from.bytes;
        bool apart = to.allocation != from.allocation || to.offset + to.bytes <= from.offset ||
                     from.offset + from.bytes <= to.offset;
        if (apart && to.offset + to.bytes <= p->allocations[to.allocation].bytes)
            break;
    }
    bool peer = to.device != from.device;
    CUstream stream = machine_order(p->machine, from.device, peer ? 0 : (int)chance(p, STREAMS));
    describe(p, peer ? "peer copy" : "device copy", &to, &from);
    struct event *e = event(p, peer ? PEER_COPY : DEVICE_COPY);
    e->ordinal = p->transfers++;
    e->to = to;
    e->from = from;
    write_shadow(p, &to, shadow(p, &from));
    if (peer)
        OK(cuMemcpyPeerAsync(address(p, &to), p->machine->context[to.device], address(p, &from),
                             p->machine->context[from.device], from.bytes, stream));
    else
        OK(cuMemcpyDtoDAsync(address(p, &to), address(p, &from), from.bytes, stream));
}

static void set(struct program *p) {
    struct region to;
    if (!some_region(p, &to))
        return;
    to.bytes &= ~(size_t)3;
    uint32_t word = pool_constant(p, chance(p, p->contents));
    CUstream stream = machine_order(p->machine, to.device, (int)chance(p, STREAMS));
    describe(p, "memset", &to, NULL);
    struct event *e = event(p, MEMSET);
    e->ordinal = p->memsets++;
    e->to = to;
    fill_words(shadow(p, &to), to.bytes, word);
    write_shadow(p, &to, shadow(p, &to));
    OK(cuMemsetD32Async(address(p, &to), word, to.bytes / 4, stream));
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static struct event *launch(struct program *p, int device, const char *what, const struct region *to,
                            const struct region *from) {
    describe(p, what, to, from);
    struct event *e = event(p, LAUNCH);
    e->device = device;
    e->arguments_seen = true;
    if (to != NULL)
        e->arguments |= 1ull << to->allocation;
    if (from != NULL)
        e->arguments |= 1ull << from->allocation;
    return e;
}

/* A kernel that changes some words, or all; memory that was not written yet is filled, so that it holds what is
 * known. */
static void launch_mix(struct program *p, CUstream stream, int allocation) {
    struct region to = whole(p, allocation);
    bool fill = !written(p, &to) || percent(p, 15);
    uint32_t salt = chance(p, 1000), keep = fill ? 0 : 0xffffffffu;
    if (!fill && percent(p, 60)) {
        size_t words = percent(p, 50) ? 1 : 1 + chance(p, (uint32_t)to.bytes / 4);
        to.offset = 4 * (size_t)chance(p, (uint32_t)(to.bytes / 4 - words + 1));
        to.bytes = 4 * words;
    }
    launch(p, to.device, fill ? "kernel fills" : "kernel changes", &to, NULL);
    for (size_t i = 0; i < to.bytes; i += 4) {
        uint32_t word;
        memcpy(&word, shadow(p, &to) + i, 4);
        word = (word & keep) ^ (fill ? p->tag : 0) ^ machine_noise((uint32_t)(i / 4) + salt);
        memcpy(shadow(p, &to) + i, &word, 4);
    }
    write_shadow(p, &to, shadow(p, &to));
    machine_mix(p->machine, stream, address(p, &to), to.bytes / 4, keep, fill ? p->tag : 0, salt);
}

/* A kernel that reads one allocation and writes another of the device. */
static void launch_copy(struct program *p, CUstream stream, int allocation) {
    struct region from = whole(p, allocation), to = whole(p, some_allocation(p));
    bool filled = to.bytes <= from.bytes || written(p, &to);
    if (to.allocation == allocation || to.device != from.device || !filled)
        return;
    to.bytes = from.bytes = to.bytes < from.bytes ? to.bytes : from.bytes;
    launch(p, from.device, "kernel copies", &to, &from);
    write_shadow(p, &to, shadow(p, &from));
    machine_copy(p->machine, stream, address(p, &to), address(p, &from), to.bytes / 4);
}

static void launch_graph(struct program *p, CUstream stream, int device) {
    if (p->scale > 0 && p->seed % 2 == 0)
        return;
    for (int i = 0; i < p->allocated; i++) {
        struct region all = whole(p, i);
        if (p->allocations[i].live && all.device == device && !written(p, &all))
            return; /* it would count as written, with bytes that are not known */
    }
    launch(p, device, "graph", NULL, NULL)->arguments_seen = false;
    OK(cuGraphLaunch(p->machine->graph[device], stream));
}

static void kernel(struct program *p) {
    int allocation = some_allocation(p);
    if (allocation < 0)
        return;
    struct region all = whole(p, allocation);
    CUstream stream = machine_order(p->machine, all.device, (int)chance(p, STREAMS));
    uint32_t dice = chance(p, 100);
    if (dice < 12) {
        launch(p, all.device, "kernel without arguments", NULL, NULL);
        machine_noop(p->machine, stream);
    } else if (dice < 20) {
        launch_graph(p, stream, all.device);
    } else if (dice < 50 || !written(p, &all)) {
        launch_mix(p, stream, allocation);
    } else if (dice < 80) {
        size_t at = 4 * (size_t)chance(p, (uint32_t)all.bytes / 4);
        launch(p, all.device, "kernel reads", NULL, &all);
        machine_read(p->machine, stream, address(p, &all) + at, (all.bytes - at) / 4);
    } else {
        launch_copy(p, stream, allocation);
    }
}

/* ---- a program --------------------------------------------------------------------------------------------------- */

/* The host reads managed memory and changes a byte of it. */
static void use_managed(struct program *p) {
    int allocation = some_allocation(p);
    struct region all;
    if (allocation < 0 || !p->allocations[allocation].managed)
        return;
    all = whole(p, allocation);
    if (!written(p, &all))
        return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): managed memory is the host's as well
    unsigned char *memory = (unsigned char *)(uintptr_t)p->allocations[allocation].address;
    REQUIRE(memcmp(memory, shadow(p, &all), all.bytes) == 0);
    memory[chance(p, (uint32_t)all.bytes)] ^= 1;
    memcpy(shadow(p, &all), memory, all.bytes);
}

static void wait_or_go_on(struct program *p) {
    if (percent(p, 50)) {
        settle(p);
        use_managed(p);
    }
}

static void allocate_more(struct program *p) {
    uint32_t live = 0;
    for (int i = 0; i < p->allocated; i++)
        live += p->allocations[i].live;
    if (live < p->live)
        allocate(p);
}

static void release_one(struct program *p) {
    int allocation = some_allocation(p);
    if (allocation >= 0)
        release(p, allocation);
}

static void (*const operations[8])(struct program *p) = {
    upload, download, kernel, copy, set, allocate_more, release_one, wait_or_go_on,
};

static void step(struct program *p) {
    uint32_t sum = 0, operation = 0;
    for (int i = 0; i < 8; i++)
        sum += p->weights[i];
    for (uint32_t dice = chance(p, sum); dice >= p->weights[operation]; operation++)
        dice -= p->weights[operation];
    if (p->allocated == 0)
        allocate(p);
    operations[operation](p);
}

/* Each program has its habits, so that what rarely meets in one often does in another. */
static void choose_habits(struct program *p) {
    static const uint32_t least[8] = {25, 10, 5, 0, 0, 4, 0, 2}, span[8] = {20, 30, 30, 15, 10, 8, 8, 6};
    uint32_t different = 1 + chance(p, 3);
    for (uint32_t i = 0; i < 3; i++)
        p->lengths[i] =
            i < different ? scaled(p, lengths[chance(p, sizeof lengths / sizeof *lengths)]) : p->lengths[i - different];
    p->contents = 1 + chance(p, 4);
    p->live = 1 + chance(p, 5);
    p->again = 30 + chance(p, 60);
    p->leave = 20 + chance(p, 50);
    for (int i = 0; i < 8; i++)
        p->weights[i] = least[i] + chance(p, span[i]);
}

void program_run(struct program *p, uint64_t seed, int number) {
    p->random = (seed << 20) + (uint64_t)number;
    p->seed = seed;
    p->tag = ((uint32_t)number & 0xfff) << 20;
    p->count = p->allocated = 0;
    if (p->log != NULL)
        fprintf(p->log, "program %d transfers from %d memsets from %d\n", number, p->transfers, p->memsets);
    choose_habits(p);
    if (p->scale > 0) {
        host_buffers_end(p->host);
        host_buffers_start(p->host, scaled(p, HOST_BYTES));
    }
    for (int i = 0; i < HOST_BUFFERS; i++) {
        fill_pool(p, p->host[i].shadow, p->host[i].bytes, 100 + (uint32_t)i);
        memcpy(p->host[i].memory, p->host[i].shadow, p->host[i].bytes);
    }
    for (uint32_t steps = 8 + chance(p, 72); steps > 0 && !is_full(p); steps--)
        step(p);
    settle(p);
    for (int i = 0; i < p->allocated; i++)
        if (p->allocations[i].live)
            release(p, i);
}

void program_clear(struct program *p) {
    for (int i = 0; i < p->count; i++) {
        free(p->events[i].content);
        free(p->events[i].before);
    }
    for (int i = 0; i < p->allocated; i++) {
        free(p->allocations[i].shadow);
        free(p->allocations[i].written);
    }
}
