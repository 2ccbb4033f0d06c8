/* Random programs read known pages in known ways. No page that was read may count as unread, and pages that nobody read
 * must be found. */
#include "hostreads/hostreads_unit.h"

#include <stdio.h>
#include <unistd.h>

#define ROUNDS 300
#define MOST_REGIONS 4
#define MOST_PAGES 600

static uint64_t random_state = 1;

static unsigned below(unsigned limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((random_state >> 33) % limit);
}

struct memory {
    char *begin;
    unsigned pages;
    bool was_read[MOST_PAGES];
};

static void read_some(struct memory *memory) {
    unsigned first = below(memory->pages), count = 1 + below(below(4) ? 8 : memory->pages);
    count = first + count > memory->pages ? memory->pages - first : count;
    read_pages(below(WAYS), memory->begin + first * PAGE, count * PAGE);
    memset(memory->was_read + first, true, count);
}

static unsigned pages_read(const struct memory *memory, const struct xs_host_reads_piece *piece) {
    unsigned count = 0;
    for (uintptr_t at = piece->begin; at < piece->end; at += PAGE)
        count += memory->was_read[(at - (uintptr_t)memory->begin) / PAGE];
    return count;
}

/* Numbers of pages that nobody read, and of those that were found. */
static uint64_t unread, found;

static void check(const struct memory *memory, const struct xs_host_reads_region *region, unsigned round) {
    for (unsigned k = 0; k < region->n_pieces; k++) {
        const struct xs_host_reads_piece *piece = &region->pieces[k];
        uint64_t pages = (piece->end - piece->begin) / PAGE, really = pages_read(memory, piece);
        unread += pages - really;
        if (region->doubt)
            continue;
        if (piece->read_bytes < really * PAGE)
            fail_msg("round %u: %u pages of piece %u were read, but only %u bytes are said to be", round,
                     (unsigned)really, k, (unsigned)piece->read_bytes);
        found += pages - piece->read_bytes / PAGE;
    }
}

static void no_page_that_was_read_counts_as_unread(void **state) {
    (void)state;
    stay_on_one_processor();
    assert_true(xs_host_reads_start());
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct memory memories[MOST_REGIONS] = {0};
        struct xs_host_reads_region regions[MOST_REGIONS];
        unsigned count = 1 + below(MOST_REGIONS);
        for (unsigned i = 0; i < count; i++) {
            memories[i].pages = 66 + below(MOST_PAGES - 66);
            memories[i].begin = make_memory(below(MEMORY_KINDS), memories[i].pages * PAGE);
            regions[i] = (struct xs_host_reads_region){.address = (uintptr_t)memories[i].begin + below(PAGE),
                                                       .bytes = (memories[i].pages - 1) * PAGE};
        }
        xs_host_reads_watch(regions, count);
        for (unsigned rereads = 0; rereads < 2; rereads++) {
            for (unsigned reads = below(8); reads; reads--)
                read_some(&memories[below(count)]);
            xs_host_reads_read(regions, count);
            for (unsigned i = 0; i < count; i++) {
                check(&memories[i], &regions[i], round);
                memset(memories[i].was_read, 0, sizeof memories[i].was_read);
                xs_host_reads_clear(&regions[i]);
            }
        }
        xs_host_reads_release(regions, count);
        for (unsigned i = 0; i < count; i++)
            drop_memory(memories[i].begin, memories[i].pages * PAGE);
    }
    print_message("%llu of %llu unread pages found\n", (unsigned long long)found, (unsigned long long)unread);
    assert_true(unread > 100000);
    assert_true(found * 100 >= unread * 95);
}

int main(void) {
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_page_that_was_read_counts_as_unread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
