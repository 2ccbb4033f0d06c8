/* The repair `prefetch`: managed memory that is on the host is moved to the device in one piece before a kernel that
 * takes it as an argument. Without the repair, each page is moved by its own fault. The repair does not move memory
 * back to the host; the host's faults do that. On an H100 (driver 580), a prefetch of 256 MiB to the host took 26 ms,
 * while faults made the host's loop over them only 6 ms longer.
 *
 * A prefetch is only a hint. It moves pages and changes no byte. It is queued in the stream of the launch, right before
 * the launch, so no work waits for more other work than before. A wrong guess costs only time.
 *
 * The process's own page table (mincore) tells where pages are: the driver takes a page of managed memory out of it
 * when the page goes to a device, and puts it back when the host touches it. A few pages of each allocation are
 * checked, at most once after each time that the host has waited for the device: between two waits the host of a
 * correct program touches nothing that a kernel uses. Other sources are not used: cuMemRangeGetAttribute only tells to
 * where the last prefetch was, and CUPTI's counters arrive late and can be enabled only once in a process.
 *
 * Tables have a fixed size, and each field is read and written separately. If two threads change an entry at the same
 * time, the worst result is a wrong guess. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/capture/arguments.h"
#include "preload/driver/real.h"
#include "preload/repair/repair_hooks.h"
#include "preload/repair/repair_plan.h"

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

#define MOST 256u   /* known allocations at one time */
#define DEVICES 64u /* further devices get no prefetches */
/* An allocation is divided into this many parts. One page of each part is checked, and whole parts are moved. */
#define PARTS 16u
#define POSITIONS 16u /* arguments that are read with one system call */

/* Bits of `marks`. */
/* Attached to a stream or to the host, or the program gave advice: the program decides where the pages are. */
#define PLACED_BY_PROGRAM 1u
#define NOT_PLANNED 2u

#define FREE UINT64_C(0)
#define BEING_FILLED UINT64_C(1)

static struct managed {
    _Atomic uint64_t start, end; /* start FREE: the entry is unused */
    _Atomic uint32_t marks;
    _Atomic uint32_t looked;   /* value of `waits` when its pages were last checked, plus 1 */
    _Atomic uint32_t promised; /* 1 + the device on which room is reserved for it; 0: none */
} allocations[MOST];

static _Atomic uint32_t known;                /* number of known allocations */
static _Atomic uint64_t lowest = UINT64_MAX;  /* all allocations so far lie in [lowest, highest) */
static _Atomic uint64_t highest;              /* see `lowest` */
static _Atomic uint32_t waits;                /* how often the host has waited for the device */
static _Atomic bool is_over;                  /* the process ends */
static _Atomic bool is_blind;                 /* a sandbox forbids reading arguments */
static _Atomic uint64_t promised[DEVICES];    /* bytes of all allocations for which room is reserved */
static _Atomic uint8_t device_known[DEVICES]; /* 0: not determined yet; else enum fitness */
static size_t page_bytes;

enum fitness { FIT = 1, UNFIT = 2 };

static void refuse(const char *reason) { xs_repair_refused(XS_REPAIR_PREFETCH, reason); }

/* ---- known allocations ---- */

static struct managed *find(uint64_t address) {
    if (address < LOAD(lowest) || address >= LOAD(highest))
        return NULL;
    for (unsigned i = 0; i < MOST; i++) {
        uint64_t start = LOAD(allocations[i].start);
        if (start > BEING_FILLED && address >= start && address < LOAD(allocations[i].end))
            return &allocations[i];
    }
    return NULL;
}

static void forget(struct managed *m) {
    uint64_t start = LOAD(m->start);
    if (start <= BEING_FILLED || !atomic_compare_exchange_strong(&m->start, &start, BEING_FILLED))
        return; /* another thread is doing it */
    uint32_t device = LOAD(m->promised);
    if (device)
        atomic_fetch_sub_explicit(&promised[device - 1], LOAD(m->end) - start, memory_order_relaxed);
    atomic_fetch_sub_explicit(&known, 1, memory_order_relaxed);
    atomic_store(&m->start, FREE);
}

static void widen(uint64_t start, uint64_t end) {
    uint64_t low = LOAD(lowest), high = LOAD(highest);
    while (start < low && !atomic_compare_exchange_weak(&lowest, &low, start)) {
    }
    while (end > high && !atomic_compare_exchange_weak(&highest, &high, end)) {
    }
}

/* Forgets allocations that overlap a new one. They were freed with their context, so no call has freed them. */
static void forget_overlapping(uint64_t start, uint64_t end) {
    for (unsigned i = 0; i < MOST; i++) {
        uint64_t there = LOAD(allocations[i].start);
        if (there > BEING_FILLED && there < end && LOAD(allocations[i].end) > start)
            forget(&allocations[i]);
    }
}

static void learn(uint64_t start, uint64_t bytes, uint32_t marks) {
    forget_overlapping(start, start + bytes);
    for (unsigned i = 0; i < MOST; i++) {
        struct managed *m = &allocations[i];
        uint64_t expected = FREE;
        if (atomic_compare_exchange_strong(&m->start, &expected, BEING_FILLED)) {
            STORE(m->end, start + bytes);
            STORE(m->marks, marks | (xs_plan_has_size(XS_REPAIR_PREFETCH, bytes) ? 0 : NOT_PLANNED));
            STORE(m->looked, 0);
            STORE(m->promised, 0);
            widen(start, start + bytes);
            atomic_fetch_add_explicit(&known, 1, memory_order_relaxed);
            atomic_store(&m->start, start);
            return;
        }
    }
    refuse("too many managed allocations");
}

static void mark(uint64_t start, uint64_t bytes) {
    for (unsigned i = 0; i < MOST; i++) {
        uint64_t there = LOAD(allocations[i].start);
        if (there > BEING_FILLED && there < start + (bytes ? bytes : 1) && LOAD(allocations[i].end) > start)
            atomic_fetch_or_explicit(&allocations[i].marks, PLACED_BY_PROGRAM, memory_order_relaxed);
    }
}

/* ---- where the pages are ---- */

/* Returns the index of a part's first page in the allocation. */
static uint64_t part_begins(uint64_t pages, unsigned part) { return pages * part / PARTS; }

static bool is_on_host(uint64_t page) {
    unsigned char resident = 0;
    int kept = errno;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of managed memory
    bool is_known = mincore((void *)page, page_bytes, &resident) == 0;
    errno = kept;
    return is_known && (resident & 1);
}

struct extent {
    uint64_t start, end;   /* address range of the allocation */
    uint64_t first, pages; /* address of its first page, and number of its pages */
};
static struct extent extent_of(const struct managed *m) {
    uint64_t start = LOAD(m->start), end = LOAD(m->end), first = start & ~(uint64_t)(page_bytes - 1);
    bool is_there = start > BEING_FILLED && end > start;
    return (struct extent){start, end, first, is_there ? (end - first + page_bytes - 1) / page_bytes : 0};
}

/* Returns a bit for each part that is on the host. Checks the first page of each part, and the allocation's last page.
 */
static uint32_t parts_on_host(const struct extent *e) {
    uint32_t parts = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        uint64_t begins = part_begins(e->pages, part), ends = part_begins(e->pages, part + 1);
        if (begins == ends) /* a part without pages gets the bit of the previous part: it must not split a run */
            parts |= (parts << 1) & 1u << part;
        else if (is_on_host(e->first + begins * page_bytes) ||
                 (ends == e->pages && is_on_host(e->first + (ends - 1) * page_bytes)))
            parts |= 1u << part;
    }
    return parts;
}

/* ---- moving ---- */

static bool is_fit(CUdevice device) {
    int is_concurrent = 0, has_host_tables = 0;
    __typeof__(&cuDeviceGetAttribute) ask = xs_driver(cuDeviceGetAttribute);
    if (device < 0 || device >= (int)DEVICES || !ask)
        return false;
    if (!LOAD(device_known[device])) {
        bool fits =
            ask(&is_concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, device) == CUDA_SUCCESS && is_concurrent;
        /* On devices with this attribute, the host's page table also has the pages that are on the device. */
        fits &= ask(&has_host_tables, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, device) !=
                    CUDA_SUCCESS ||
                !has_host_tables;
        STORE(device_known[device], fits ? FIT : UNFIT);
    }
    return LOAD(device_known[device]) == FIT;
}

/* True if the device has room for the allocation; reserves this room. The driver is asked only before the first
 * prefetch to this device, when no page of the allocation is there. Later, the pages that are there would be missing
 * from the free memory. */
static bool has_room(struct managed *m, CUdevice device) {
    size_t free = 0, total = 0;
    uint64_t bytes = LOAD(m->end) - LOAD(m->start);
    __typeof__(&cuMemGetInfo_v2) ask = (__typeof__(ask))xs_real_gated_of(XS_GATED_cuMemGetInfo_v2);
    uint32_t there = LOAD(m->promised);
    if (there == (uint32_t)device + 1)
        return true;
    if (!ask || ask(&free, &total) != CUDA_SUCCESS || bytes > free || LOAD(promised[device]) + bytes > total)
        return false;
    if (atomic_compare_exchange_strong(&m->promised, &there, (uint32_t)device + 1)) {
        atomic_fetch_add_explicit(&promised[device], bytes, memory_order_relaxed);
        if (there)
            atomic_fetch_sub_explicit(&promised[there - 1], bytes, memory_order_relaxed);
    }
    return true;
}

/* Moves parts of the allocation to the device, each run of parts with one call. */
static void move(struct managed *m, uint32_t parts, CUdevice device, CUstream stream) {
    const struct extent e = extent_of(m);
    for (unsigned part = 0; part < PARTS; part++) {
        unsigned first = part;
        while (part < PARTS && parts & 1u << part)
            part++;
        uint64_t from = e.first + part_begins(e.pages, first) * page_bytes;
        uint64_t end = e.first + part_begins(e.pages, part) * page_bytes;
        from = from > e.start ? from : e.start;
        end = end < e.end ? end : e.end;
        if (part == first || from >= end)
            continue;
        if (xs_beneath(cuMemPrefetchAsync)(from, end - from, device, stream) != CUDA_SUCCESS) {
            refuse("the driver refused it");
            forget(m);
            return;
        }
        xs_repair_applied(XS_REPAIR_PREFETCH, end - from);
    }
}

/* Runs before the launch of a kernel that takes the allocation. */
static void take(struct managed *m, CUdevice device, CUstream stream) {
    uint32_t now = LOAD(waits) + 1;
    uint32_t marks = LOAD(m->marks);
    if (marks) {
        if (marks & PLACED_BY_PROGRAM)
            refuse("the program places it itself");
        return;
    }
    if (atomic_exchange_explicit(&m->looked, now, memory_order_relaxed) == now)
        return;
    const struct extent e = extent_of(m);
    uint32_t parts = parts_on_host(&e);
    if (!parts)
        return;
    if (!has_room(m, device)) {
        refuse("more than the device has free");
        return;
    }
    move(m, parts, device, stream);
}

/* ---- what a launch takes ---- */

/* Replaces each address by the word at that address. The operating system reads the words, so that a wrong pointer does
 * no harm: the driver might refuse the launch without reading it. */
static bool read_words(uint64_t *words, unsigned count) {
    struct iovec local = {words, count * sizeof *words}, remote[POSITIONS];
    int kept = errno;
    for (unsigned i = 0; i < count; i++) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that may be anything
        remote[i] = (struct iovec){(void *)words[i], sizeof *words};
    }
    long bytes = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, remote, (unsigned long)count, 0UL);
    if (bytes < 0 && errno != EFAULT) {
        STORE(is_blind, true);
        refuse("a sandbox forbids to read arguments");
    }
    errno = kept;
    return bytes == (long)(count * sizeof *words);
}

static void take_arguments(const struct xs_layout *layout, void **params, CUdevice device, CUstream stream) {
    uint64_t words[POSITIONS];
    for (uint32_t first = 0; first < layout->count; first += POSITIONS) {
        const struct xs_pointer_position *positions = &layout->positions[first];
        unsigned count = layout->count - first < POSITIONS ? layout->count - first : POSITIONS;
        for (unsigned i = 0; i < count; i++)
            words[i] = (uint64_t)(uintptr_t)(params + positions[i].parameter);
        if (!read_words(words, count))
            return;
        for (unsigned i = 0; i < count; i++)
            words[i] += positions[i].offset;
        if (!read_words(words, count))
            return;
        for (unsigned i = 0; i < count; i++) {
            struct managed *m = find(words[i]);
            if (m)
                take(m, device, stream);
        }
    }
}

static void launching(CUfunction function, void **params, void **extra, CUstream stream, bool is_per_thread) {
    CUdevice device = -1;
    __typeof__(&cuCtxGetDevice) get_device = xs_driver(cuCtxGetDevice);
    if (XS_LIKELY(LOAD(known) == 0) || LOAD(is_over) || LOAD(is_blind))
        return;
    if (LOAD(xs_repair_captures) > 0) {
        refuse(XS_REPAIR_CAPTURING);
        return;
    }
    if (!get_device || get_device(&device) != CUDA_SUCCESS || !is_fit(device)) {
        refuse("host and device cannot use managed memory at once");
        return;
    }
    const struct xs_layout *layout = xs_layout_of(function);
    if (!layout)
        refuse("the driver does not tell the kernel's parameters");
    else if (layout->count > 0 && !params)
        refuse(extra ? "the kernel's parameters are in a buffer" : "the kernel's parameters are missing");
    else
        take_arguments(layout, params, device, xs_stream_handle(stream, is_per_thread));
}

/* ---- beneath the program's calls ---- */

#define LAUNCH_KERNEL(symbol, is_per_thread)                                                                           \
    static __typeof__(&symbol) next_##symbol;                                                                          \
    static CUresult CUDAAPI over_##symbol(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,            \
                                          unsigned by, unsigned bz, unsigned shared, CUstream stream, void **params,   \
                                          void **extra) {                                                              \
        launching(f, params, extra, stream, is_per_thread);                                                            \
        return next_##symbol(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra);                                \
    }
LAUNCH_KERNEL(cuLaunchKernel, false)
LAUNCH_KERNEL(cuLaunchKernel_ptsz, true)

#define LAUNCH_KERNEL_EX(symbol, is_per_thread)                                                                        \
    static __typeof__(&symbol) next_##symbol;                                                                          \
    static CUresult CUDAAPI over_##symbol(const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {   \
        if (config)                                                                                                    \
            launching(f, params, extra, config->hStream, is_per_thread);                                               \
        return next_##symbol(config, f, params, extra);                                                                \
    }
LAUNCH_KERNEL_EX(cuLaunchKernelEx, false)
LAUNCH_KERNEL_EX(cuLaunchKernelEx_ptsz, true)

#define PLACING(symbol, params, args)                                                                                  \
    static __typeof__(&symbol) next_##symbol;                                                                          \
    static CUresult CUDAAPI over_##symbol params {                                                                     \
        mark(p, bytes);                                                                                                \
        return next_##symbol args;                                                                                     \
    }
PLACING(cuMemAdvise, (CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device), (p, bytes, advice, device))
PLACING(cuMemAdvise_v2, (CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation location),
        (p, bytes, advice, location))
PLACING(cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr p, size_t bytes, unsigned flags),
        (stream, p, bytes, flags))
PLACING(cuStreamAttachMemAsync_ptsz, (CUstream stream, CUdeviceptr p, size_t bytes, unsigned flags),
        (stream, p, bytes, flags))

static __typeof__(&cuMemAllocManaged) next_cuMemAllocManaged;
static CUresult CUDAAPI over_cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags) {
    CUresult result = next_cuMemAllocManaged(out, bytes, flags);
    if (result == CUDA_SUCCESS && !LOAD(is_over))
        learn(*out, bytes, flags == CU_MEM_ATTACH_GLOBAL ? 0 : PLACED_BY_PROGRAM);
    return result;
}

/* Forgets the allocation before the real call, because another thread may get the address again during that call. */
static __typeof__(&cuMemFree_v2) next_cuMemFree_v2;
static CUresult CUDAAPI over_cuMemFree_v2(CUdeviceptr p) {
    struct managed *m = find(p);
    if (m && LOAD(m->start) == p)
        forget(m);
    return next_cuMemFree_v2(p);
}

#define PUT(symbol) (next_##symbol = XS_PUT_BENEATH(symbol, over_##symbol))

static bool start(const char **why) {
    long bytes = sysconf(_SC_PAGESIZE);
    page_bytes = bytes > 0 ? (size_t)bytes : 4096;
    if (!xs_beneath(cuMemPrefetchAsync)) {
        *why = "this driver prefetches no managed memory";
        return false;
    }
    PUT(cuLaunchKernel);
    PUT(cuLaunchKernel_ptsz);
    PUT(cuLaunchKernelEx);
    PUT(cuLaunchKernelEx_ptsz);
    PUT(cuMemAdvise);
    PUT(cuMemAdvise_v2);
    PUT(cuStreamAttachMemAsync);
    PUT(cuStreamAttachMemAsync_ptsz);
    PUT(cuMemAllocManaged);
    PUT(cuMemFree_v2);
    return true;
}

static void before(const struct xs_repair_call *call) {
    if (call->row == XS_ROW_cuModuleUnload || call->row == XS_ROW_cuLibraryUnload)
        xs_layouts_drop(); /* capture does this as well, but may be off */
}

static bool waits_for_device(const struct xs_repair_call *call) {
    switch (call->row) {
    case XS_ROW_cuCtxSynchronize:
    case XS_ROW_cuCtxSynchronize_v2:
    case XS_ROW_cuStreamSynchronize:
    case XS_ROW_cuStreamSynchronize_ptsz:
    case XS_ROW_cuStreamQuery:
    case XS_ROW_cuStreamQuery_ptsz:
    case XS_ROW_cuEventSynchronize:
    case XS_ROW_COUNT + XS_GATED_cuEventQuery:
        return true;
    default:
        return call->category == XS_CAT_FREE || (call->copy && call->copy->is_blocking);
    }
}

/* Runs after a call. Counts the calls that wait for the device: after a wait the host may touch what kernels used. */
static void after(const struct xs_repair_call *call) {
    if (waits_for_device(call) && call->result == CUDA_SUCCESS)
        atomic_fetch_add_explicit(&waits, 1, memory_order_relaxed);
}

static void finish(void) { STORE(is_over, true); }

const struct xs_repair_hooks xs_repair_prefetch = {.start = start, .before = before, .after = after, .finish = finish};
