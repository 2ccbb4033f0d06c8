/* Tests the analysis around the detectors: which bytes were written, shapes, times, the union, the link model, memory.
 */
#include "played.h"

#include <malloc.h>

enum { A = 0x10000, B = 0x20000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;

/* A pre counts only if every byte was written since the allocation, by writes or by a launch. */
static void pre_needs_every_byte_written(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, 4096), b = play_alloc(p, B, 4096);
    play_memset(p, A, 2048);
    play_memset(p, A + 2049, 2047);
    play_up(p, A, 4096, 1, 1, HOST); /* one byte was never written */
    play_free(p, a);
    a = play_alloc(p, A, 4096);
    play_memset(p, A, 2048);
    play_memset(p, A + 2048, 2048);
    play_up(p, A, 4096, 2, 2, HOST); /* all were */
    play_kernel(p, 1, &b);
    play_up(p, B, 4096, 3, 3, HOST); /* the launch may have */
    play_free(p, a);
    play_unseen_kernel(p);
    play_alloc(p, A, 4096);
    play_up(p, A, 4096, 4, 4, HOST); /* that one was before the allocation */
    play_analyse(p, NULL);
    assert_int_equal(played_found(p, "noop-upload", NULL), 2);
    play_end(p);
}

/* A 2D write leaves the bytes between its rows as they were. */
static void boxes_have_gaps(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_memset(p, A, BYTES);
    p->box = (struct xs_event_transfer){.height = 4, .depth = 1, .dst_pitch = 256};
    play_up(p, A, 4 * 64, 1, 0, HOST); /* the memset is not overwritten */
    play_up(p, A, 4 * 64, 2, 1, HOST); /* the same shape: the first one was unused */
    p->box = (struct xs_event_transfer){0};
    play_up(p, A, 64, 3, 2, HOST);    /* the first row alone */
    play_up(p, A, BYTES, 4, 0, HOST); /* all of it */
    play_analyse(p, NULL);
    assert_int_equal(played_found(p, "redundant-memset", NULL), 0);
    /* the first and the second box, the row */
    assert_int_equal(played_found(p, "unused-upload", "certain"), 3);
    play_end(p);
}

static void a_box_is_its_own_region(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    p->box = (struct xs_event_transfer){.height = 4, .depth = 1, .dst_pitch = 256};
    play_up(p, A, 4 * 64, 1, NOT_MEASURED, HOST);
    play_up(p, A, 4 * 64, 1, NOT_MEASURED, HOST); /* the same region: its content is known */
    p->box.dst_pitch = 128;
    play_up(p, A, 4 * 64, 1, NOT_MEASURED, HOST); /* another one, where not every byte was written */
    play_analyse(p, NULL);
    assert_int_equal(played_found(p, "noop-upload", NULL), 1);
    assert_int_equal(played_undecided(p, "noop-upload", "the destination's contents before were not measured"), 0);
    play_end(p);
}

static void play_repeats(const char *sql) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, 4096);
    for (int i = 0; i < 10; i++)
        play_up(p, A, 4096, 1, NOT_MEASURED, HOST);
    play_kernel(p, 1, &a);
    play_analyse(p, sql);
}

/* If calls are missing, one of them may have read the uploaded data, or overwritten it. */
static void gaps_are_calls_that_nobody_saw(void **state) {
    (void)state;
    play_repeats(NULL);
    assert_int_equal(played_found(p, "noop-upload", NULL), 9);
    assert_int_equal(played_found(p, "unused-upload", "certain"), 9);
    play_end(p);
    play_repeats("INSERT INTO meta VALUES ('thinned.rows', 5), ('thinned.from_ns', 0),"
                 " ('thinned.to_ns', 9000000000)");
    assert_int_equal(played_found(p, "noop-upload", NULL), 0);
    assert_int_equal(played_found(p, "unused-upload", "certain"), 0);
    play_end(p);
    play_repeats("INSERT INTO meta SELECT 'thinned.rows', 5 UNION SELECT 'thinned.from_ns', enter_ns - 1 FROM transfer"
                 " WHERE id = 4 UNION SELECT 'thinned.to_ns', enter_ns + 1 FROM transfer WHERE id = 6");
    /* 2 and 3 follow one that is known, 4 to 7 a gap */
    assert_int_equal(played_found(p, "noop-upload", NULL), 2 + 3);
    play_end(p);
}

/* Two recorded ranges: one ends at a transfer, and one begins at the next transfer. Launches between them were left
 * out. */
#define TWO_RANGES(last)                                                                                               \
    "INSERT INTO meta SELECT 'range.windows', '0+' || (max(enter_ns) / 1000 + 3) || ',' || (max(enter_ns) / 1000 + 6)" \
    " || '+1000000' FROM transfer WHERE id <= " #last ";"                                                              \
    "INSERT INTO meta VALUES ('range.count', 2), ('range.recorded_ns', 1000000), ('range.left_out_launches', 1)"

/* Within each range all is as usual. The first upload of the second range may overwrite anything. */
static void nothing_is_claimed_across_the_edge_of_a_range(void **state) {
    (void)state;
    play_repeats(TWO_RANGES(3));
    assert_true(p->findings->has_gaps);
    assert_int_equal(played_found(p, "noop-upload", NULL), 2 + 6);
    assert_int_equal(played_undecided(p, "noop-upload", "the destination's contents before were not measured"), 1);
    assert_int_equal(played_found(p, "unused-upload", "certain"), 2 + 6);
    assert_int_equal(played_found(p, "duplicate-upload", NULL), 0);
    play_end(p);
    play_repeats("INSERT INTO meta VALUES ('range.windows', '0+100000000'), ('range.left_out_launches', 0),"
                 " ('status', 'complete') ON CONFLICT DO UPDATE SET value = excluded.value");
    assert_false(p->findings->has_gaps); /* all of it is in the range */
    assert_int_equal(played_found(p, "noop-upload", NULL), 9);
    play_end(p);
    play_repeats("INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_launches', 1)");
    assert_int_equal(played_found(p, "noop-upload", NULL), 0); /* each lies in none: by itself */
    assert_int_equal(played_found(p, "unused-upload", NULL), 0);
    play_end(p);
}

static void play_there_and_back(const char *sql) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), unused = play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_down(p, A, BYTES, 1, HOST + BYTES);
    play_down(p, A, BYTES, 1, HOST + BYTES);
    play_up(p, A, BYTES, 1, 2, HOST + BYTES);
    play_free(p, unused);
    play_free(p, a);
    play_analyse(p, sql);
}

static uint64_t found_there_and_back(const char *sql) {
    play_there_and_back(sql);
    uint64_t found = played_found(p, "bounce", NULL) + played_found(p, "repeat-download", NULL) +
                     played_found(p, "round-trip", NULL) + played_found(p, "duplicate-upload", NULL);
    play_end(p);
    return found;
}

/* Findings about two copies are found only if both copies are in one range. */
static void pairs_lie_in_one_range(void **state) {
    (void)state;
    /* a bounce by each download, the second one is a repeat; the last upload is a round trip and a duplicate */
    assert_int_equal(found_there_and_back(NULL), 5);
    assert_int_equal(found_there_and_back(TWO_RANGES(1)), 2); /* repeat and round trip */
    assert_int_equal(found_there_and_back(TWO_RANGES(2)), 2); /* a bounce, and the round trip */
    assert_int_equal(found_there_and_back(TWO_RANGES(3)), 3);
}

/* The memory is freed after the last range, so what was uploaded before may have been read, and the memory may have
 * been used. */
static void what_is_freed_outside_may_have_been_used(void **state) {
    (void)state;
    play_there_and_back(NULL);
    assert_int_equal(played_found(p, "unused-upload", NULL), 1);
    assert_int_equal(played_found(p, "unused-allocation", NULL), 1);
    play_end(p);
    play_there_and_back("INSERT INTO meta SELECT 'range.windows', '0+' || (max(enter_ns) / 1000 + 3) FROM transfer;"
                        "INSERT INTO meta VALUES ('range.left_out_launches', 1)");
    assert_int_equal(played_found(p, "unused-upload", NULL), 0);
    assert_int_equal(played_found(p, "unused-allocation", NULL), 0);
    assert_int_equal(played_undecided(p, "unused-allocation", "calls not recorded"), 1);
    play_end(p);
}

/* Copies before a gap and after it are no run. */
static void runs_end_at_the_edge_of_a_range(void **state) {
    (void)state;
    for (unsigned gap = 0; gap < 2; gap++) {
        play_begin(p);
        play_alloc(p, A, BYTES);
        for (unsigned i = 0; i < 12; i++)
            play_up(p, A + i * 64, 64, (int)i + 1, 0, HOST + (uint64_t)i * 4096);
        play_analyse(p, gap ? TWO_RANGES(6) : NULL);
        assert_int_equal(played_found(p, "small-transfers", NULL), gap ? 0 : 1);
        play_end(p);
    }
}

/* Upload 2 is a no-op, a round trip and then unused: it counts once. */
static void the_total_is_a_union(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, 4096);
    play_up(p, A, 4096, 1, 0, HOST);
    play_down(p, A, 4096, 1, HOST);
    play_up(p, A, 4096, 1, 1, HOST);
    play_up(p, A, 4096, 2, 1, HOST);
    play_analyse(p, "DELETE FROM device_kernel; UPDATE meta SET value = 0 WHERE key = 'cupti.kernels'");
    assert_int_equal(played_found(p, "noop-upload", NULL), 1);
    assert_int_equal(played_found(p, "round-trip", NULL), 1);
    assert_int_equal(played_found(p, "unused-upload", NULL), 1);
    assert_int_equal(played_found(p, "bounce", NULL), 1); /* the download */
    assert_int_equal(p->findings->total.transfers, 2);
    assert_int_equal(p->findings->total.device_ns, 2000);
    assert_false(p->findings->exposed_known);
    assert_int_equal(p->findings->total.claimed_ns, 2000);
    play_end(p);
}

/* A no-op claims its whole time, and a constant its time less a memset. The larger claim counts, whichever comes
 * first. */
static void the_largest_claim_counts(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, 1 << 20);
    p->constant = true;
    play_up(p, A, 1 << 20, 1, 0, HOST); /* constant only */
    play_kernel(p, 1, &a);
    play_up(p, A, 1 << 20, 1, 1, HOST); /* a no-op as well */
    play_kernel(p, 1, &a);
    play_analyse(p, NULL);
    uint64_t noop = played_finding(p, "noop-upload")->removable.device_ns;
    uint64_t constant = played_finding(p, "constant-content")->removable.device_ns;
    assert_int_equal(noop, 256000);
    assert_true(constant > noop && constant < 2 * noop);
    assert_int_equal(p->findings->total.device_ns, noop + constant / 2);
    assert_int_equal(p->findings->total.transfers, 2);
    play_end(p);
}

static void a_batch_shares_its_record(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    for (int i = 0; i < 2; i++) {
        play_up(p, A, 1024, 1, i ? 1 : 0, HOST);
        play_up(p, B, 3072, 2, i ? 2 : 0, HOST);
    }
    play_analyse(
        p, "UPDATE transfer SET batch_index = 1 - id % 2, correlation = 3 + (id - 1) / 2,"
           " enter_ns = 1000000 * ((id + 1) / 2), return_ns = 1000000 * ((id + 1) / 2) + 100;"
           "DELETE FROM device_copy WHERE id % 2 = 0; UPDATE device_copy SET correlation = 3 + (id - 1) / 2,"
           " bytes = 4096, copies = 2, start_ns = 1000500 * ((id + 1) / 2), end_ns = 1000500 * ((id + 1) / 2) + 4000;");
    const struct xs_finding *finding = played_finding(p, "noop-upload");
    assert_int_equal(finding->instances, 2);
    assert_int_equal(finding->cost.device_ns, 4000);
    assert_int_equal(finding->largest[0].cost.device_ns, 3000);
    assert_int_equal(finding->largest[1].cost.device_ns, 1000);
    assert_int_equal(finding->first[0].evidence[0].row, 3);
    play_end(p);
}

static void findings_are_ranked_and_folded(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, 1 << 20);
    p->options.fold_nothing = false;
    play_down(p, A, 4096, 1, HOST);
    play_down(p, A, 4096, 1, HOST); /* 1 us */
    for (int i = 0; i < 3; i++) {
        play_up(p, A, 1 << 20, 2, i ? 2 : 0, HOST); /* 256 us each */
        play_kernel(p, 1, &a);
    }
    play_analyse(p, "INSERT OR REPLACE INTO meta VALUES ('duration_ns', 100000000)");
    assert_int_equal(p->findings->floor_ns, 100000);
    assert_string_equal(xs_detectors[p->findings->items[0].detector]->id, "noop-upload");
    assert_false(p->findings->items[0].is_small);
    assert_true(played_finding(p, "repeat-download")->is_small);
    for (size_t i = 1; i < p->findings->count; i++)
        assert_true(p->findings->items[i - 1].claimed_ns >= p->findings->items[i].claimed_ns ||
                    p->findings->items[i].advice || p->findings->items[i].potential);
    play_end(p);
}

static void the_link_model_is_a_line(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, 0x10000000, 64 << 20);
    for (int i = 0; i < 200; i++)
        play_up(p, 0x10000000, 4096u << i % 14, 1 + i, NOT_MEASURED, HOST);
    play_analyse(p, "UPDATE device_copy SET end_ns = start_ns + 2500 + bytes / 50");
    const struct xs_link_line *line = &p->findings->link.lines[XS_LINK_H2D_PAGEABLE];
    assert_true(line->known && !line->assumed);
    assert_true(line->a_ns > 2400 && line->a_ns < 2600);
    assert_true(line->b_ns_per_byte > 0.0199 && line->b_ns_per_byte < 0.0201);
    assert_true(line->best_bytes_per_s > 49e9 && line->best_bytes_per_s < 51e9);
    assert_false(p->findings->link.lines[XS_LINK_H2D_PINNED].known); /* no peak to assume from */
    assert_true(p->findings->link.lines[XS_LINK_D2D].assumed);
    assert_int_equal(xs_link_ns(&p->findings->link, XS_LINK_H2D_PINNED, 4096), 0);
    assert_in_range(xs_link_ns(&p->findings->link, XS_LINK_H2D_PAGEABLE, 50000), 3400, 3600);
    play_end(p);
}

/* Small copies from pageable memory are staged as a whole, and faster per byte than large ones. The model's rate is
 * the rate of the large copies, and not a rate in between (an H100 had 35 GB/s at 256 KiB and 14 GB/s at 8 MiB, and
 * the model said 29). */
static void a_line_through_zero_has_the_rate_of_large_copies(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, 0x10000000, 64 << 20);
    for (int i = 0; i < 20; i++)
        play_up(p, 0x10000000, i % 2 ? 8 << 20 : 256 << 10, 1 + i, NOT_MEASURED, HOST);
    play_analyse(
        p, "UPDATE device_copy SET end_ns = start_ns + CASE WHEN bytes > 1000000 THEN bytes / 16 ELSE bytes / 32 END");
    const struct xs_link_line *line = &p->findings->link.lines[XS_LINK_H2D_PAGEABLE];
    assert_true(line->known && !line->rate_assumed && line->a_ns <= 0);
    assert_true(line->b_ns_per_byte > 0.0624 && line->b_ns_per_byte < 0.0626);
    play_end(p);
}

/* Many sizes that are staged as a whole do not outvote the one size that is not. An H100 had 48 GB/s at 1 MiB and 7
 * GB/s at 18 MiB, and the line of nine small sizes said 41 GB/s. */
static void a_line_says_what_large_copies_take(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, 0x10000000, 64 << 20);
    for (int i = 0; i < 60; i++)
        play_up(p, 0x10000000, i % 6 ? 1024u << 2 * (i % 6) : 16 << 20, 1 + i, NOT_MEASURED, HOST);
    play_analyse(p, "UPDATE device_copy SET end_ns = start_ns + 850 + CASE WHEN bytes > 1048576 THEN bytes / 8 ELSE"
                    " bytes / 50 END");
    const struct xs_link_line *line = &p->findings->link.lines[XS_LINK_H2D_PAGEABLE];
    assert_true(line->known && !line->rate_assumed);
    assert_true(line->a_ns > 700 && line->a_ns < 1000);
    assert_in_range(xs_link_ns(&p->findings->link, XS_LINK_H2D_PAGEABLE, 16 << 20), 1900000, 2200000);
    assert_in_range(xs_link_ns(&p->findings->link, XS_LINK_H2D_PAGEABLE, 1024), 800, 1200);
    assert_true(line->best_bytes_per_s > 45e9); /* of the link */
    play_end(p);
}

/* Copies of 4 bytes show the fixed time of a copy, but not the rate. */
static void copies_of_one_small_size_say_no_rate(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 20; i++)
        play_down(p, A, 4, 1 + i, HOST);
    play_analyse(p, "UPDATE device_copy SET end_ns = start_ns + 1500;"
                    "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 40000000000)");
    const struct xs_link_line *line = &p->findings->link.lines[XS_LINK_D2H_PAGEABLE];
    assert_true(line->known && !line->assumed && line->rate_assumed);
    assert_true(line->a_ns > 1499 && line->a_ns <= 1500);
    assert_true(p->findings->link.lines[XS_LINK_D2H_PINNED].assumed);
    play_end(p);
}

/* Adds copies of some small sizes, which take 1.5 us and a little more for their bytes. */
static struct xs_link_line line_of(int copies, unsigned sizes, unsigned smallest, unsigned ns_per_64k) {
    char sql[200];
    play_begin(p);
    play_alloc(p, A, 1 << 20);
    for (int i = 0; i < copies; i++)
        play_down(p, A, (uint64_t)smallest << (unsigned)i % sizes, NO_CONTENT, HOST);
    snprintf(sql, sizeof sql,
             "UPDATE device_copy SET end_ns = start_ns + 1500 + bytes * %u / 65536;"
             "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 40000000000)",
             ns_per_64k);
    play_analyse(p, sql);
    struct xs_link_line line = p->findings->link.lines[XS_LINK_D2H_PAGEABLE];
    play_end(p);
    return line;
}

static void a_rate_takes_copies_and_sizes(void **state) {
    (void)state;
    struct xs_link_line line = line_of(8, 4, 16384, 3000); /* 16 to 128 KiB, 22 GB/s */
    assert_true(!line.rate_assumed && line.best_bytes_per_s > 0);
    assert_true(line.b_ns_per_byte > 0.0455 && line.b_ns_per_byte < 0.0460);
    assert_true(line_of(7, 4, 16384, 3000).rate_assumed); /* copies */
    assert_true(line_of(8, 2, 65536, 3000).rate_assumed); /* sizes */
    assert_true(line_of(8, 4, 4096, 3000).rate_assumed);  /* the largest has 32 KiB */
    assert_true(line_of(8, 4, 16384, 500).rate_assumed);  /* what a byte takes is not seen */
    line = line_of(3, 3, 4, 3000);
    assert_true(line.known && line.rate_assumed && line.best_bytes_per_s <= 0);
    assert_true(line.a_ns > 1499 && line.a_ns <= 1501);
    assert_false(line_of(1, 1, 1 << 20, 20000).rate_assumed); /* nearly all of it is the bytes */
}

static void without_device_times_host_times_rank(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 3; i++)
        play_up(p, A, BYTES, 1, i ? 1 : 0, HOST);
    play_analyse(p, "DELETE FROM device_copy");
    const struct xs_finding *finding = played_finding(p, "noop-upload");
    assert_false(finding->removable.device_known);
    assert_int_equal(finding->claimed_ns, 2000); /* two calls of 1 us */
    assert_true(p->findings->link.from_host_times);
    play_end(p);
}

/* Only this detector runs. The number of rows of evidence is limited; the first and the most expensive rows are kept.
 */
static void evidence_is_the_first_and_the_largest(void **state) {
    (void)state;
    play_begin(p);
    p->options.only_detector = "noop-upload";
    uint32_t a = play_alloc(p, A, 1 << 20);
    for (int i = 0; i < 40; i++) {
        play_up(p, A, 4096u * (unsigned)(i + 1), 1, 1, HOST);
        play_kernel(p, 1, &a);
    }
    play_analyse(p, NULL);
    const struct xs_finding *finding = played_finding(p, "noop-upload");
    assert_int_equal(p->findings->count, 1);
    assert_int_equal(finding->instances, 39);
    assert_int_equal(finding->first_count, XS_KEPT_INSTANCES);
    assert_int_equal(finding->first[0].evidence[0].row, 2);
    assert_int_equal(finding->largest[0].evidence[0].row, 40);
    assert_int_equal(finding->largest[7].evidence[0].row, 33);
    play_end(p);
}

static void note_memory(void *data, unsigned detector, const struct xs_instance *instance) {
    size_t *most = data;
    struct mallinfo2 now = mallinfo2();
    (void)detector;
    (void)instance;
    *most = now.uordblks + now.hblkhd > *most ? now.uordblks + now.hblkhd : *most;
}

/* Ten times the events over the same buffers and contents take the same memory. */
static void memory_is_flat(void **state) {
    (void)state;
    size_t most[2] = {0};
    for (int round = 0; round < 2; round++) {
        play_begin(p);
        uint32_t a = play_alloc(p, A, BYTES);
        for (int i = 0; i < (round ? 40000 : 4000); i++) {
            play_up(p, A, BYTES, 1 + i % 10, i % 7, HOST);
            if (i % 4 == 0)
                play_unseen_kernel(p);
            if (i % 4 == 1)
                play_down(p, A, BYTES, 1 + i % 10, HOST);
        }
        play_free(p, a);
        p->options.on_instance = note_memory;
        p->options.data = &most[round];
        struct mallinfo2 before = mallinfo2();
        play_analyse(p, NULL);
        size_t already = before.uordblks + before.hblkhd;
        most[round] -= most[round] > already ? already : most[round];
        play_end(p);
    }
    if (most[0]) /* a sanitizer's allocator does not tell */
        assert_true(most[1] < most[0] + most[0] / 4 + (1u << 20));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pre_needs_every_byte_written),
        cmocka_unit_test(boxes_have_gaps),
        cmocka_unit_test(a_box_is_its_own_region),
        cmocka_unit_test(gaps_are_calls_that_nobody_saw),
        cmocka_unit_test(nothing_is_claimed_across_the_edge_of_a_range),
        cmocka_unit_test(pairs_lie_in_one_range),
        cmocka_unit_test(what_is_freed_outside_may_have_been_used),
        cmocka_unit_test(runs_end_at_the_edge_of_a_range),
        cmocka_unit_test(the_total_is_a_union),
        cmocka_unit_test(the_largest_claim_counts),
        cmocka_unit_test(a_batch_shares_its_record),
        cmocka_unit_test(findings_are_ranked_and_folded),
        cmocka_unit_test(the_link_model_is_a_line),
        cmocka_unit_test(a_line_says_what_large_copies_take),
        cmocka_unit_test(a_line_through_zero_has_the_rate_of_large_copies),
        cmocka_unit_test(copies_of_one_small_size_say_no_rate),
        cmocka_unit_test(a_rate_takes_copies_and_sizes),
        cmocka_unit_test(without_device_times_host_times_rank),
        cmocka_unit_test(evidence_is_the_first_and_the_largest),
        cmocka_unit_test(memory_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
