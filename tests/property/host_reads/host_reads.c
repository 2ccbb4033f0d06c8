/* Random programs that download into host memory, and read known pages of it in known ways. What is true of each
 * download is written down, in the order of the downloads:
 *
 *   host_reads SEED PROGRAMS FOLDER [ONLY]
 *
 * FOLDER/truth has one line for each download: PROGRAM tab HOST tab DEVICE tab UNREAD tab WHAT. HOST is the number of
 * units (a page's size each) of the download that the host read or wrote, DEVICE is 1 if the device read any, and
 * UNREAD is 1 if xferspy can know that nobody read any of it. That is so if it has 256 KiB or more, nobody accessed any
 * of the memory around it either, no child was forked meanwhile, the kernel can watch this kind of memory, and all of
 * the download was written again by one copy, or freed as page-locked memory, or there until the program's end.
 *
 * All programs use the same memory, except page-locked memory of the driver, which each program allocates. A program
 * ends with a download into each place, so that nothing of it is left for the next one. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getcpu */
#endif
#include "tests/property/machine.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "ways.h"

enum { PAGE = 4096, LEAST = 64 /* 256 KiB */, MOST = 160, SHARED_PLACES = 5, PLACES = 7, DOWNLOADS = 1 << 17 };

enum kind { PAGEABLE, REGISTERED, UNREGISTERED_FIRST, MAPPED_FILE, LOCKED };
static const char *const kind_names[] = {"pageable", "registered", "registered in turns", "mapped file", "page-locked"};

struct download {
    int program;
    struct place *place;
    unsigned first, count, left; /* its units; how many of them were not written again */
    unsigned host;               /* units that the host accessed */
    bool by_device, is_disturbed, is_async, is_decided, was_split;
    bool seen[MOST];
};

static struct place {
    enum kind kind;
    unsigned char *map, *memory; /* memory: begins within a page, or at its beginning */
    unsigned units;
    int file; /* -1: none */
    bool is_registered;
    int owner[MOST]; /* the download whose bytes lie there; -1: none */
} places[PLACES];

static struct download downloads[DOWNLOADS];
static int downloaded, program, alive_places;
static uint64_t random_state;
static struct machine machine;
static CUdeviceptr device;
static FILE *log_file;

static unsigned below(unsigned limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((random_state >> 33) % limit);
}

/* ---- what is true ---- */

/* Nobody can know any more whether the downloads in this place are read, or they cannot be watched. */
static void disturb(const struct place *p) {
    for (unsigned u = 0; u < p->units; u++)
        if (p->owner[u] >= 0)
            downloads[p->owner[u]].is_disturbed = true;
}

static void accessed(const struct place *p, unsigned first, unsigned count, bool by_device) {
    disturb(p);
    for (unsigned u = first; u < first + count; u++) {
        struct download *d = p->owner[u] >= 0 ? &downloads[p->owner[u]] : NULL;
        if (!d)
            continue;
        d->by_device |= by_device;
        d->host += !by_device && !d->seen[u];
        d->seen[u] |= !by_device;
    }
}

static void written_again(struct place *p, unsigned first, unsigned count) {
    for (unsigned u = first; u < first + count; u++) {
        struct download *d = p->owner[u] >= 0 ? &downloads[p->owner[u]] : NULL;
        p->owner[u] = -1;
        if (!d)
            continue;
        d->left--;
        if (d->first < first || d->first + d->count > first + count)
            d->was_split = true;
        else
            d->is_decided = true;
    }
}

static void gone(struct place *p, bool is_freed) {
    if (!is_freed)
        disturb(p);
    written_again(p, 0, p->units);
}

static void write_truth(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/truth", folder);
    FILE *to = fopen(path, "w");
    REQUIRE(to != NULL);
    for (int i = 0; i < downloaded; i++) {
        const struct download *d = &downloads[i];
        bool is_unread = d->count >= LEAST && !d->host && !d->by_device && !d->is_disturbed && !d->was_split &&
                         (d->is_decided || d->left == d->count);
        fprintf(to, "%d\t%u\t%d\t%d\t%s%s\n", d->program, d->host, d->by_device, is_unread, kind_names[d->place->kind],
                d->is_async ? ", asynchronous" : "");
    }
    REQUIRE(fclose(to) == 0);
}

/* ---- what a program does ---- */

static void register_place(struct place *p) {
    if (!p->is_registered)
        OK(cuMemHostRegister(p->map, (MOST + 1) * PAGE, 0));
    p->is_registered = true;
}

/* Memory that the program registered stays there when it is not registered any more. */
static void unregister_place(struct place *p) {
    if (!p->is_registered)
        return;
    OK(cuMemHostUnregister(p->map));
    p->is_registered = false;
    disturb(p);
}

static void download(struct place *p, unsigned first, unsigned count) {
    REQUIRE(downloaded < DOWNLOADS);
    struct download *d = &downloads[downloaded];
    const bool is_async = below(4) == 0;
    *d = (struct download){.program = program, .place = p, .first = first, .count = count, .left = count};
    d->is_async = is_async;
    d->is_disturbed = p->kind == MAPPED_FILE;
    fprintf(log_file, "  download %d: units %u to %u of %u of place %d, %s%s\n", downloaded, first, first + count - 1,
            p->units, (int)(p - places), kind_names[p->kind], is_async ? ", asynchronous" : "");
    written_again(p, first, count);
    if (is_async)
        OK(cuMemcpyDtoHAsync(p->memory + first * PAGE, device, count * PAGE, machine.stream[0][1]));
    else
        OK(cuMemcpyDtoH(p->memory + first * PAGE, device, count * PAGE));
    if (is_async)
        OK(cuStreamSynchronize(machine.stream[0][1]));
    for (unsigned u = first; u < first + count; u++)
        p->owner[u] = downloaded;
    downloaded++;
}

static void download_some(struct place *p) {
    unsigned least = below(4) ? p->units : 1 + below(p->units), first = below(p->units - least + 1);
    download(p, first, least);
}

static void read_some(struct place *p) {
    unsigned first = below(p->units), count = 1 + below(below(4) ? 8 : p->units);
    count = first + count > p->units ? p->units - first : count;
    enum way way = below(WAYS);
    fprintf(log_file, "  %s: units %u to %u of place %d\n", way_names[way], first, first + count - 1,
            (int)(p - places));
    way_read(way, p->memory + first * PAGE, count * PAGE, p->file, (size_t)(p->memory - p->map) + (size_t)first * PAGE);
    accessed(p, first, count, false);
    for (int i = 0; way == WAY_FORK && i < alive_places; i++)
        disturb(&places[i]);
}

/* The driver itself reads pageable memory with the processor. */
static void upload_some(const struct place *p) {
    unsigned first = below(p->units), count = 1 + below(p->units - first);
    fprintf(log_file, "  upload: units %u to %u of place %d\n", first, first + count - 1, (int)(p - places));
    OK(cuMemcpyHtoD(device, p->memory + first * PAGE, count * PAGE));
    accessed(p, first, count, true);
}

static void read_by_kernel(const struct place *p) {
    unsigned first = below(p->units);
    if (p->kind != LOCKED)
        return;
    fprintf(log_file, "  kernel: unit %u of place %d\n", first, (int)(p - places));
    machine_read(&machine, machine.stream[0][0], (CUdeviceptr)(uintptr_t)(p->memory + first * PAGE), 1);
    machine_wait(&machine);
    accessed(p, first, 1, true);
}

/* Other memory at the same address. */
static void map_again(struct place *p) {
    if (p->kind != PAGEABLE)
        return;
    fprintf(log_file, "  mapped again: place %d\n", (int)(p - places));
    const void *again = mmap(p->map, (MOST + 1) * PAGE, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_POPULATE, -1, 0);
    REQUIRE(again == p->map);
    gone(p, false);
}

static void turn_registration(struct place *p) {
    if (p->kind != UNREGISTERED_FIRST)
        return;
    fprintf(log_file, "  %sregistered: place %d\n", p->is_registered ? "un" : "", (int)(p - places));
    if (p->is_registered)
        unregister_place(p);
    else
        register_place(p);
}

static void step(void) {
    struct place *p = &places[below((unsigned)alive_places)];
    switch (below(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
        read_some(p);
        break;
    case 4:
        upload_some(p);
        break;
    case 5:
        read_by_kernel(p);
        break;
    case 6:
        map_again(p);
        break;
    case 7:
        turn_registration(p);
        break;
    default:
        download_some(p);
    }
}

static void begin_place(struct place *p, enum kind kind) {
    *p = (struct place){.kind = kind, .file = -1, .units = LEAST + below(MOST - LEAST)};
    for (unsigned u = 0; u < MOST; u++)
        p->owner[u] = -1;
}

static void make_shared_places(void) {
    static const enum kind kinds[SHARED_PLACES] = {PAGEABLE, PAGEABLE, REGISTERED, UNREGISTERED_FIRST, MAPPED_FILE};
    for (int i = 0; i < SHARED_PLACES; i++) {
        struct place *p = &places[i];
        char path[] = "/var/tmp/xferspy-place-XXXXXX";
        begin_place(p, kinds[i]);
        if (p->kind == MAPPED_FILE) {
            p->file = mkstemp(path);
            REQUIRE(p->file >= 0 && ftruncate(p->file, (MOST + 1) * PAGE) == 0);
            unlink(path);
        }
        int sharing = p->file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
        p->map = mmap(NULL, (MOST + 3) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(p->map != MAP_FAILED);
        p->map += PAGE; /* pages before and behind keep it apart from other mappings */
        const void *mapped = mmap(p->map, (MOST + 1) * PAGE, PROT_READ | PROT_WRITE, sharing | MAP_FIXED, p->file, 0);
        REQUIRE(mapped == p->map);
        (void)madvise(p->map, (MOST + 1) * PAGE, MADV_NOHUGEPAGE);
        memset(p->map, 1, (MOST + 1) * PAGE);
        if (p->kind == REGISTERED)
            register_place(p);
    }
}

static void run(uint64_t seed) {
    random_state = (seed << 20) + (uint64_t)program * 2654435761u + 1;
    below(2);
    fprintf(log_file, "program %d\n", program);
    alive_places = SHARED_PLACES + (int)below(PLACES - SHARED_PLACES + 1);
    for (int i = 0; i < SHARED_PLACES; i++) { /* the closing download of the program before is still there */
        places[i].units = LEAST + below(MOST - LEAST);
        places[i].memory = places[i].map + (below(2) ? 0 : 16 * below(PAGE / 16));
        gone(&places[i], false);
    }
    for (int i = SHARED_PLACES; i < alive_places; i++) {
        void *memory;
        begin_place(&places[i], LOCKED);
        OK(cuMemHostAlloc(&memory, MOST * PAGE, 0));
        places[i].memory = places[i].map = memory;
        memset(memory, 1, MOST * PAGE);
    }
    for (unsigned i = 10 + below(20); i-- > 0;)
        step();
    for (int i = SHARED_PLACES; i < alive_places; i++) {
        fprintf(log_file, "  free: place %d\n", i);
        gone(&places[i], true);
        OK(cuMemFreeHost(places[i].map));
    }
    for (int i = 0; i < SHARED_PLACES; i++)
        download(&places[i], 0, places[i].units);
}

int main(int argc, char **argv) {
    char path[4096];
    cpu_set_t one;
    if (argc < 4) {
        fprintf(stderr, "usage: host_reads SEED PROGRAMS FOLDER [ONLY]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 10);
    int programs = atoi(argv[2]), only = argc > 4 ? atoi(argv[4]) : -1;
    /* Another processor may keep back some pages that were just written, and these count as read. */
    CPU_ZERO(&one);
    CPU_SET((unsigned)sched_getcpu(), &one);
    OK(sched_setaffinity(0, sizeof one, &one));
    snprintf(path, sizeof path, "%s/programs", argv[3]);
    log_file = fopen(path, "w");
    REQUIRE(log_file != NULL && sysconf(_SC_PAGESIZE) == PAGE);
    setvbuf(log_file, NULL, _IONBF, 0); /* a forked child has nothing to write */
    machine_start(&machine);
    OK(cuMemAlloc(&device, MOST * PAGE));
    OK(cuMemsetD8(device, 3, MOST * PAGE));
    make_shared_places();
    for (program = 0; program < programs; program++)
        if (only < 0 || program == only)
            run(seed);
    write_truth(argv[3]);
    OK(cuMemFree(device));
    machine_end(&machine);
    printf("data ok%s\n", way_has_io_uring() ? ", io_uring" : "");
    return 0;
}
