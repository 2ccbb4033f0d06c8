/* Tests what is said of memory that was read, not read, or treated in odd ways while it was watched. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* process_vm_readv, memfd_create */
#endif
#include "hostreads/hostreads_unit.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/hostreads/mappings.h"

#define BYTES (UINT64_C(8) << 20)

static int start(void **state) {
    (void)state;
    stay_on_one_processor();
    return xs_host_reads_start() ? 0 : -1;
}

static struct xs_host_reads_region watch(const char *memory) {
    struct xs_host_reads_region region = {.address = (uintptr_t)memory, .bytes = BYTES};
    xs_host_reads_watch(&region, 1);
    return region;
}

static void expect_doubt(const char *memory, enum xs_host_reads_doubt doubt) {
    struct xs_host_reads_region region = watch(memory);
    assert_int_equal(region.doubt, doubt);
    assert_false(region.is_watched);
}

static void expect_read(struct xs_host_reads_region *region, uint64_t bytes) {
    xs_host_reads_read(region, 1);
    assert_int_equal(region->doubt, XS_HOST_READS_NO_DOUBT);
    assert_int_equal(region->watched_bytes, BYTES);
    assert_int_equal(region->read_bytes, bytes);
}

static void expect_doubtful(struct xs_host_reads_region *region, enum xs_host_reads_doubt doubt) {
    assert_true(region->is_watched);
    xs_host_reads_read(region, 1);
    assert_int_equal(region->doubt, doubt);
    xs_host_reads_release(region, 1);
}

static uint64_t count_mappings(void) {
    struct xs_mappings_glance glance;
    assert_true(xs_mappings_glance(&glance));
    return glance.count;
}

static void every_way_of_reading_is_seen(void **state) {
    (void)state;
    for (enum memory_kind kind = 0; kind < MEMORY_KINDS; kind++) {
        char *memory = make_memory(kind, BYTES);
        for (enum way way = 0; way < WAYS; way++) {
            struct xs_host_reads_region region = watch(memory);
            assert_int_equal(region.n_pieces, XS_HOST_READS_PIECES);
            expect_read(&region, 0);
            read_pages(way, memory + 5 * PAGE, PAGE);
            expect_read(&region, PAGE);
            assert_int_equal(region.pieces[0].read_bytes, PAGE);
            xs_host_reads_clear(&region);
            expect_read(&region, 0);
            read_pages(way, memory, BYTES);
            expect_read(&region, BYTES);
            xs_host_reads_release(&region, 1);
        }
        drop_memory(memory, BYTES);
    }
}

/* The kernel marks a page as referenced at the first of these reads, and takes the mark off at the second. */
static void reads_of_other_processes_are_seen(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES), *copy = calloc(1, BYTES);
    for (int times = 1; times <= 5; times++) {
        struct xs_host_reads_region region = watch(memory);
        struct iovec to = {copy, BYTES}, from = {memory, BYTES};
        for (int i = 0; i < times; i++)
            if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)BYTES)
                skip(); /* forbidden here */
        expect_read(&region, BYTES);
        xs_host_reads_release(&region, 1);
    }
    free(copy);
    drop_memory(memory, BYTES);
}

static void mappings_merge_again(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    uint64_t before = count_mappings();
    struct xs_host_reads_region region = watch(memory);
    assert_int_equal(count_mappings(), before + XS_HOST_READS_PIECES - 1);
    expect_read(&region, 0);
    xs_host_reads_release(&region, 1);
    assert_int_equal(count_mappings(), before);
    drop_memory(memory, BYTES);
}

static void regions_side_by_side_are_told_apart(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    uint64_t before = count_mappings();
    struct xs_host_reads_region regions[3];
    const uint64_t bytes = 5 * 64 * 1024 + PAGE; /* an odd number of pieces would make one mapping of two regions */
    for (unsigned i = 0; i < 3; i++)
        regions[i] = (struct xs_host_reads_region){.address = (uintptr_t)memory + i * bytes, .bytes = bytes};
    xs_host_reads_watch(regions, 3);
    read_pages(WAY_LOAD, memory + bytes, bytes);
    xs_host_reads_read(regions, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(regions[i].doubt, XS_HOST_READS_NO_DOUBT);
        assert_int_equal(regions[i].n_pieces, 4);
        assert_int_equal(regions[i].read_bytes, i == 1 ? bytes : 0);
    }
    xs_host_reads_release(regions, 3);
    assert_int_equal(count_mappings(), before);
    drop_memory(memory, BYTES);
}

/* A program may read only the first or the last value of an array, and its page belongs to other data as well. */
static void both_ends_are_watched(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    for (int at_end = 0; at_end < 2; at_end++) {
        struct xs_host_reads_region region = {.address = (uintptr_t)memory + 16, .bytes = BYTES - 4 * PAGE};
        xs_host_reads_watch(&region, 1);
        read_pages(WAY_LOAD, at_end ? memory + BYTES - 4 * PAGE : memory, 1);
        xs_host_reads_read(&region, 1);
        assert_int_equal(region.doubt, XS_HOST_READS_NO_DOUBT);
        assert_int_equal(region.watched_bytes, BYTES - 3 * PAGE);
        assert_int_equal(region.read_bytes, PAGE);
        assert_int_equal(region.edge_read_bytes, PAGE);
        assert_int_equal(region.pieces[at_end ? region.n_pieces - 1 : 0].read_bytes, PAGE);
        xs_host_reads_release(&region, 1);
    }
    drop_memory(memory, BYTES);
}

/* An edge is one page. The page beside it has only bytes of the array, and so has the first page if the array begins
 * with it. */
static void edges_are_told_apart(void **state) {
    (void)state;
    enum { ARRAY = 400 * 1000 };
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    static const struct {
        uint64_t offset, bytes;
        bool has_edge[2];
        unsigned pieces;
    } cases[] = {{0, 100 * PAGE, {false, false}, 6},
                 {PAGE - 8, ARRAY, {true, true}, 6 + 2},
                 {0, ARRAY, {false, true}, 5 + 1},
                 {16, 100 * PAGE - 16, {true, false}, 5 + 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t end = (cases[i].offset + cases[i].bytes + PAGE - 1) / PAGE * PAGE;
        struct xs_host_reads_region region = {.address = (uintptr_t)memory + cases[i].offset, .bytes = cases[i].bytes};
        xs_host_reads_watch(&region, 1);
        assert_int_equal(region.doubt, XS_HOST_READS_NO_DOUBT);
        assert_int_equal(region.n_pieces, cases[i].pieces);
        assert_int_equal(region.watched_bytes, end);
        assert_int_equal(region.pieces[0].begin, (uintptr_t)memory);
        assert_int_equal(region.pieces[region.n_pieces - 1].end, (uintptr_t)memory + end);
        read_pages(WAY_LOAD, memory, 2 * PAGE);
        read_pages(WAY_LOAD, memory + end - 2 * PAGE, 2 * PAGE);
        xs_host_reads_read(&region, 1);
        assert_int_equal(region.doubt, XS_HOST_READS_NO_DOUBT);
        assert_int_equal(region.read_bytes, 4 * PAGE);
        assert_int_equal(region.edge_read_bytes, (cases[i].has_edge[0] + cases[i].has_edge[1]) * PAGE);
        xs_host_reads_release(&region, 1);
    }
    drop_memory(memory, BYTES);
}

/* Two regions that share a page cannot be told apart. */
static void only_the_first_of_overlapping_regions_is_watched(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    struct xs_host_reads_region regions[2] = {{.address = (uintptr_t)memory, .bytes = BYTES / 2 + 1},
                                              {.address = (uintptr_t)memory + BYTES / 2 + 1, .bytes = BYTES / 4}};
    xs_host_reads_watch(regions, 2);
    assert_true(regions[0].is_watched);
    assert_false(regions[1].is_watched);
    assert_int_equal(regions[1].doubt, XS_HOST_READS_FOREIGN);
    xs_host_reads_read(regions, 1);
    xs_host_reads_release(regions, 2);
    drop_memory(memory, BYTES);
}

static void what_a_child_may_have_read_is_doubtful(void **state) {
    (void)state;
    for (int lives = 0; lives < 2; lives++) {
        char *memory = make_memory(MEMORY_PRIVATE, BYTES);
        struct xs_host_reads_region region = watch(memory);
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (!child) {
            close(ends[1]);
            read_pages(WAY_LOAD, memory, BYTES);
            struct xs_host_reads_region own = {.address = (uintptr_t)memory, .bytes = BYTES};
            xs_host_reads_watch(&own, 1); /* does nothing in a child */
            char byte;
            bool is_wrong = own.is_watched || own.doubt != XS_HOST_READS_NO_KERNEL || read(ends[0], &byte, 1) != 0;
            _exit(is_wrong ? 1 : 0);
        }
        close(ends[0]);
        int status = 0;
        if (!lives) {
            close(ends[1]);
            assert_int_equal(waitpid(child, &status, 0), child);
        }
        expect_doubtful(&region, XS_HOST_READS_SHARED);
        if (lives) {
            expect_doubt(memory, XS_HOST_READS_SHARED);
            close(ends[1]);
            assert_int_equal(waitpid(child, &status, 0), child);
        }
        assert_int_equal(status, 0);
        drop_memory(memory, BYTES);
    }
}

static void memory_of_files_is_not_watched(void **state) {
    (void)state;
    int file = memfd_create("reads", MFD_CLOEXEC);
    assert_int_equal(ftruncate(file, BYTES), 0);
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    expect_doubt(memory, XS_HOST_READS_FOREIGN);
    munmap(memory, BYTES);
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    expect_doubt(memory, XS_HOST_READS_FOREIGN);
    munmap(memory, BYTES);
    close(file);
}

static void what_the_program_arranged_is_not_watched(void **state) {
    (void)state;
    static const int advices[] = {MADV_SEQUENTIAL, MADV_RANDOM, MADV_DONTDUMP, MADV_DONTFORK};
    for (size_t i = 0; i < COUNT_OF(advices); i++) {
        char *memory = make_memory(MEMORY_PRIVATE, BYTES);
        assert_int_equal(madvise(memory, BYTES, advices[i]), 0);
        expect_doubt(memory, XS_HOST_READS_FOREIGN);
        drop_memory(memory, BYTES);
    }
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    assert_int_equal(mprotect(memory + BYTES / 2, PAGE, PROT_READ), 0);
    expect_doubt(memory, XS_HOST_READS_FOREIGN);
    drop_memory(memory, BYTES);
    memory = make_memory(MEMORY_PRIVATE, BYTES);
    if (!syscall(SYS_mlock, memory, PAGE)) /* mlock does nothing where sanitizers replace it */
        expect_doubt(memory, XS_HOST_READS_FOREIGN);
    drop_memory(memory, BYTES);
}

static void small_regions_are_not_watched(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    struct xs_host_reads_region region = {.address = (uintptr_t)memory, .bytes = XS_HOST_READS_LEAST_BYTES - PAGE};
    xs_host_reads_watch(&region, 1);
    assert_int_equal(region.doubt, XS_HOST_READS_SMALL);
    region.bytes++;
    xs_host_reads_watch(&region, 1);
    assert_int_equal(region.doubt, XS_HOST_READS_NO_DOUBT);
    assert_int_equal(region.watched_bytes, XS_HOST_READS_LEAST_BYTES);
    xs_host_reads_read(&region, 1);
    xs_host_reads_release(&region, 1);
    drop_memory(memory, BYTES);
}

/* Something else lies there when the region is read, with advice that the program gave. That must stay. */
static void another_mapping_in_its_place_is_left_alone(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    struct xs_host_reads_region region = watch(memory);
    assert_ptr_equal(mmap(memory, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
                     memory);
    memset(memory, 1, BYTES);
    assert_int_equal(madvise(memory, BYTES, MADV_RANDOM), 0);
    expect_doubtful(&region, XS_HOST_READS_CHANGED);
    expect_doubt(memory, XS_HOST_READS_FOREIGN); /* it still has the program's advice */
    drop_memory(memory, BYTES);
}

static void pages_that_are_gone_are_doubtful(void **state) {
    (void)state;
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    struct xs_host_reads_region region = watch(memory);
    assert_int_equal(madvise(memory + BYTES / 2, PAGE, MADV_DONTNEED), 0);
    expect_doubtful(&region, XS_HOST_READS_SWAPPED);
    drop_memory(memory, BYTES);
}

struct huge {
    uintptr_t begin;
    uint64_t kib;
};

static void add_huge(const struct xs_mapping *mapping, void *context) {
    struct huge *huge = context;
    if (mapping->begin >= huge->begin && mapping->begin < huge->begin + 2 * BYTES)
        huge->kib += mapping->huge_kib;
}

static uint64_t huge_kib(const char *memory) {
    struct huge huge = {.begin = (uintptr_t)memory};
    assert_true(xs_mappings_walk(huge.begin + 2 * BYTES, add_huge, &huge));
    return huge.kib;
}

static void huge_pages_stay_whole(void **state) {
    (void)state;
    char *memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)madvise(memory, 2 * BYTES, MADV_HUGEPAGE);
    memset(memory, 1, 2 * BYTES);
    uint64_t before = huge_kib(memory);
    if (!before)
        skip();
    struct xs_host_reads_region region = {.address = (uintptr_t)memory + 3 * PAGE, .bytes = 2 * BYTES - 6 * PAGE};
    xs_host_reads_watch(&region, 1);
    assert_int_equal(region.doubt, XS_HOST_READS_NO_DOUBT);
    read_pages(WAY_LOAD, (char *)region.pieces[1].begin + 9 * PAGE, PAGE);
    xs_host_reads_read(&region, 1);
    assert_int_equal(region.doubt, XS_HOST_READS_NO_DOUBT);
    assert_int_equal(region.read_bytes, 2 << 20);
    assert_int_equal(region.pieces[1].read_bytes, 2 << 20);
    assert_int_equal(huge_kib(memory), before);
    xs_host_reads_release(&region, 1);
    munmap(memory, 2 * BYTES);
}

static void crowded_processes_are_left_alone(void **state) {
    (void)state;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    char text[32] = "";
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    const size_t most = strtoull(text, NULL, 10);
    if (most > 200000)
        skip(); /* it would take too long */
    char *memory = make_memory(MEMORY_PRIVATE, BYTES);
    char *many = mmap(NULL, most / 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < most / 2; i += 2)
        assert_int_equal(mprotect(many + i * PAGE, PAGE, PROT_READ), 0);
    expect_doubt(memory, XS_HOST_READS_CROWDED);
    munmap(many, most / 2 * PAGE);
    struct xs_host_reads_region region = watch(memory);
    expect_read(&region, 0);
    xs_host_reads_release(&region, 1);
    drop_memory(memory, BYTES);
}

int main(void) {
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_of_reading_is_seen),
        cmocka_unit_test(reads_of_other_processes_are_seen),
        cmocka_unit_test(mappings_merge_again),
        cmocka_unit_test(regions_side_by_side_are_told_apart),
        cmocka_unit_test(both_ends_are_watched),
        cmocka_unit_test(edges_are_told_apart),
        cmocka_unit_test(only_the_first_of_overlapping_regions_is_watched),
        cmocka_unit_test(what_a_child_may_have_read_is_doubtful),
        cmocka_unit_test(memory_of_files_is_not_watched),
        cmocka_unit_test(what_the_program_arranged_is_not_watched),
        cmocka_unit_test(small_regions_are_not_watched),
        cmocka_unit_test(another_mapping_in_its_place_is_left_alone),
        cmocka_unit_test(pages_that_are_gone_are_doubtful),
        cmocka_unit_test(huge_pages_stay_whole),
        cmocka_unit_test(crowded_processes_are_left_alone),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
