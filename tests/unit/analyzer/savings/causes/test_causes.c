/* Tests how findings become causes: what belongs together, what all repairs save together, what is folded, what is
 * scaled up, what is not believed, and the order. The runs are made by hand, with known answers. */
#include <inttypes.h>

#include "run.h"

#include "analyzer/trace/callsites.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950 };

/* Plays uploads of the same bytes to one of these places; each place has its own line. All uploads but the first can be
 * dropped. */
static void play_line(uint64_t to, int droppable, uint64_t call_us) {
    takes(call_us, call_us - 50);
    for (int i = 0; i <= droppable; i++) {
        up(to, MIB, 1 + (int)(to >> 20), i ? 1 + (int)(to >> 20) : NOT_MEASURED, HOST);
        play_unseen_kernel(p);
    }
}

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, MIB);
    play_alloc(p, B, MIB);
    play_alloc(p, C, MIB);
}

#define BY_LINE                                                                                                        \
    LINES(4)                                                                                                           \
    "UPDATE transfer SET stack = CASE coalesce(dst_address, 0) WHEN 0x10000000 THEN 1 WHEN 0x20000000 THEN 2"          \
    " WHEN 0x30000000 THEN 3 ELSE 4 END;"

static const struct xs_cause *cause_of_line(uint32_t line) {
    for (size_t i = 0; i < p->diagnosis->cause_count; i++) {
        const struct xs_cause *cause = &p->diagnosis->causes[i];
        const struct xs_frame *frame =
            xs_site_frame(p->findings, p->diagnosis->items[cause->findings[0]].finding->site);
        if (frame && frame->line == line)
            return cause;
    }
    fail_msg("no cause of line %u", line);
    return NULL;
}

/* --- what belongs together --- */

static void lines_are_causes_of_their_own(void **state) {
    (void)state;
    begin();
    play_line(A, 2, 500);
    play_line(B, 3, 900);
    play_line(C, 1, 700);
    diagnose(PEAK BY_LINE);
    FOUND("pageable", NULL, 9);
    assert_int_equal(p->diagnosis->cause_count, 3);
    assert_ptr_equal(cause_of_line(2), &p->diagnosis->causes[0]);
    assert_int_equal(cause_of_line(2)->saves.most_ns, 3 * 900 * US);
    for (uint32_t line = 1; line <= 3; line++)
        assert_int_equal(cause_of_line(line)->count, 2);
    assert_int_equal(p->diagnosis->together.most_ns, (2 * 500 + 3 * 900) * US + cause_of_line(3)->saves.most_ns);
    is_in_order();
    play_end(p);
}

/* One line's uploads and its downloads are different things. */
static void uploads_and_downloads_of_a_line(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < STEPS; i++) {
        takes(CALL_US, COPY_US);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
        takes(700, 650);
        down(B, MIB, 2, OTHER);
        play_unseen_kernel(p);
    }
    diagnose(LINES(1) "UPDATE transfer SET stack = 1");
    assert_int_equal(p->diagnosis->cause_count, 2);
    assert_string_equal(within(0, 0), "noop-upload");
    assert_string_equal(within(1, 0), "repeat-download");
    /* the time before each is 10 us; half of it belongs to the kernel's launch if that comes before */
    assert_int_equal(p->diagnosis->together.most_ns, (STEPS - 1) * (CALL_US + 10 / 2 + 700 + 10) * US);
    is_in_order();
    play_end(p);
}

/* Downloads of the same bytes again and again; the last ones go back to the device. */
enum { DOWNLOADS = 100, DOWN_US = 700 };

static void play_trips(int trips, uint64_t up_us) {
    begin();
    for (int i = 0; i < DOWNLOADS; i++) {
        takes(DOWN_US, DOWN_US - 50);
        down(A, MIB, 1, HOST);
        takes(up_us, up_us - 50);
        if (i >= DOWNLOADS - trips)
            up(B, MIB, 1, 100 + i, HOST);
        play_unseen_kernel(p);
    }
    diagnose(NULL);
    FOUND("round-trip", NULL, (uint64_t)trips);
    saves_exactly("repeat-download", (DOWNLOADS - 1) * DOWN_US * US);
    assert_int_equal(saves("round-trip").least_ns, (uint64_t)trips * up_us * US);
    assert_int_equal(saves("round-trip").most_ns, (uint64_t)trips * (up_us + DOWN_US) * US);
    is_in_order();
}

/* These downloads are in both causes, and counted once. Most of them are not the round trip's, so there are two causes,
 * whichever saves more. */
static void what_two_causes_share_counts_once(void **state) {
    enum { TRIPS = 30 };
    (void)state;
    for (uint64_t up_us = 1000; up_us <= 5000; up_us += 4000) {
        play_trips(TRIPS, up_us);
        assert_int_equal(p->diagnosis->cause_count, 2);
        assert_string_equal(within(0, 0), up_us == 1000 ? "repeat-download" : "round-trip");
        uint64_t together = ((DOWNLOADS - 1) * DOWN_US + TRIPS * up_us) * US;
        assert_int_equal(p->diagnosis->together.least_ns, together);
        assert_int_equal(p->diagnosis->together.most_ns, together);
        play_end(p);
    }
}

/* If most of them belong to that cause, all of them are a part of it. */
static void what_a_larger_cause_covers_is_a_part_of_it(void **state) {
    (void)state;
    play_trips(60, 5000);
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_string_equal(within(0, 0), "round-trip");
    assert_int_equal(p->diagnosis->together.most_ns, saves("round-trip").most_ns);
    play_end(p);
}

/* --- what is not sure --- */

/* Between an upload and the end of its memory, a kernel ran that was given other memory. */
static void a_likely_finding_saves_nothing_at_least(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    const uint32_t other = play_alloc(p, B, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        up(A, MIB, NO_CONTENT, NOT_MEASURED, HOST);
        play_kernel(p, 1, &other);
    }
    diagnose(NULL);
    FOUND("unused-upload", "likely", STEPS - 1);
    assert_int_equal(saves("unused-upload").least_ns, 0);
    assert_int_equal(saves("unused-upload").most_ns, (STEPS - 1) * CALL_US * US);
    assert_int_equal(p->diagnosis->together.least_ns, 0);
    assert_int_equal(p->diagnosis->together.most_ns, (STEPS - 1) * CALL_US * US);
    is_in_order();
    play_end(p);
}

/* The device took two copies in another order than they came, and the model knows no reason for this: the wait for one
 * of them would return 1 ms later, in a run of 5 ms. So there are bounds. */
static void a_replay_that_is_wrong_is_not_believed(void **state) {
    enum { FIRST = 0x70, SECOND = 0x80 };
    (void)state;
    begin();
    play_line(A, 2, CALL_US);
    p->host = XS_MEM_PINNED;
    p->async = true;
    takes(1, 1000);
    p->stream = FIRST;
    p->delay_ns = 1020 * US;
    up(B, MIB, NO_CONTENT, NOT_MEASURED, HOST);
    p->stream = SECOND;
    p->delay_ns = 2 * US;
    up(C, MIB, NO_CONTENT, NOT_MEASURED, HOST);
    p->call_ns = 1000 * US;
    play_wait(p, XS_SYNC_STREAM, SECOND);
    returned();
    p->stream = FIRST;
    play_wait(p, XS_SYNC_STREAM, FIRST);
    returned();
    play_unseen_kernel(p);
    diagnose(NULL);
    assert_false(p->diagnosis->replayed);
    assert_true(p->diagnosis->replay_error > 0.15 && p->diagnosis->replay_error < 0.25);
    const struct xs_diagnosed *noop = played_diagnosed(p, "noop-upload");
    assert_true(noop->saves.known && noop->saves.bounds);
    assert_int_equal(noop->saves.least_ns, 0);
    assert_int_equal(noop->saves.most_ns, noop->finding->claimed_ns);
    assert_int_equal(noop->finding->claimed_ns, 2 * COPY_US * US);
    assert_true(p->diagnosis->together.bounds);
    assert_int_equal(p->diagnosis->together.least_ns, 0);
    is_in_order();
    play_end(p);
}

/* --- what chance left out --- */

/* One upload in ten is looked at, and the others take this time on the device; two thirds of the uploads bring what is
 * already there. There are also some downloads, which were all looked at. */
enum { UPLOADS = 600, FOUND_ONES = 40, LEFT_OUT_BY_CHANCE = 21, REPEATED = 5 };

static void play_sample(uint64_t left_out_us) {
    char sql[128];
    begin();
    takes(CALL_US, COPY_US);
    up(A, MIB, 1, NOT_MEASURED, HOST);
    for (int i = 0; i < UPLOADS; i++) {
        uint64_t us = i % 10 ? left_out_us : COPY_US;
        play_unseen_kernel(p);
        takes(us + 50, us);
        up(A, MIB, i % 10 ? NO_CONTENT : i % 30 ? 1 : 2 + i, 1, HOST);
    }
    takes(DOWN_US, DOWN_US - 50);
    for (int i = 0; i <= REPEATED; i++)
        down(B, MIB, 5, OTHER);
    snprintf(sql, sizeof sql, "UPDATE transfer SET skip = %d WHERE skip = %d", LEFT_OUT_BY_CHANCE, XS_SKIP_BUDGET);
    diagnose(sql);
    FOUND("noop-upload", NULL, FOUND_ONES);
    is_in_order();
}

static void is_near(uint64_t ns, double expected_ms, double margin_ms) {
    double ms = (double)ns / MS;
    if (ms < expected_ms - margin_ms || ms > expected_ms + margin_ms)
        fail_msg("%g ms, not %g +- %g", ms, expected_ms, margin_ms);
}

static void the_sample_stands_for_the_others(void **state) {
    (void)state;
    play_sample(COPY_US);
    const struct xs_diagnosed *noop = played_diagnosed(p, "noop-upload");
    assert_int_equal(noop->saves.least_ns, noop->saves.most_ns);
    assert_int_equal(noop->saves.scaled_most_ns, noop->saves.most_ns - FOUND_ONES * CALL_US * US);
    is_near(noop->saves.most_ns, noop->finding->sample.estimate * CALL_US / 1000, 0.001);
    is_near(noop->saves.most_ns, 400 * CALL_US / 1000.0, 10);
    saves_exactly("repeat-download", REPEATED * DOWN_US * US);
    assert_int_equal(p->diagnosis->together.most_ns, noop->saves.most_ns + REPEATED * DOWN_US * US);
    play_end(p);
}

/* The observed downloads of the sample cover those that were left out by chance, so their memory need not be
 * page-locked, too. */
static void the_sample_covers_the_others(void **state) {
    char sql[256];
    (void)state;
    begin();
    for (int i = 0; i < UPLOADS; i++) {
        int content = i % 10 ? NO_CONTENT : 10 + i;
        takes(DOWN_US, DOWN_US - 50);
        down(A, MIB, content, HOST);
        takes(CALL_US, COPY_US);
        up(B, MIB, content, 1, HOST);
        play_unseen_kernel(p);
    }
    snprintf(sql, sizeof sql, PEAK "UPDATE transfer SET skip = %d WHERE skip = %d", LEFT_OUT_BY_CHANCE, XS_SKIP_BUDGET);
    diagnose(sql);
    FOUND("round-trip", NULL, UPLOADS / 10);
    FOUND("pageable", NULL, 2 * UPLOADS); /* both ways */
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_string_equal(within(0, 0), "round-trip");
    assert_int_equal(p->diagnosis->together.most_ns, saves("round-trip").most_ns);
    play_end(p);
}

/* Four of five copies are instances, and take longer than the others. By their time, nearly all of what was left out
 * is saved, but not by their number: the other copies still need the host's page-locked memory. */
static void memory_of_copies_that_stay_is_needed(void **state) {
    enum { LONG_US = 900, SHORT_US = 100 };
    char sql[256];
    (void)state;
    begin();
    p->host = XS_MEM_PINNED;
    p->memory = XS_MEM_PINNED;
    p->call_ns = 20 * MS;
    play_alloc(p, HOST, MIB);
    returned();
    p->memory = 0;
    takes(CALL_US, COPY_US);
    up(A, MIB, 1, NOT_MEASURED, OTHER);
    for (int i = 0; i < UPLOADS; i++) {
        bool is_looked_at = i % 10 == 0, is_new = is_looked_at ? i / 10 % 5 == 4 : i % 5 == 4;
        play_unseen_kernel(p);
        takes(is_new ? SHORT_US + 50 : LONG_US + 50, is_new ? SHORT_US : LONG_US);
        up(A, MIB, !is_looked_at ? NO_CONTENT : is_new ? 2 + i : 1, 1, is_looked_at && is_new ? OTHER : HOST);
    }
    snprintf(sql, sizeof sql, "UPDATE transfer SET skip = %d WHERE skip = %d", LEFT_OUT_BY_CHANCE, XS_SKIP_BUDGET);
    diagnose(sql);
    const struct xs_diagnosed *noop = played_diagnosed(p, "noop-upload");
    assert_int_equal(noop->saves.most_ns, noop->saves.least_ns); /* the most would be without the memory */
    play_end(p);
}

/* Copies that are looked at may take longer for it: the others are counted with the time of their own calls. By number
 * alone, they would save twice the run. */
static void the_others_count_with_their_time(void **state) {
    enum { LEFT_OUT_CALL_US = 200 };
    (void)state;
    play_sample(LEFT_OUT_CALL_US - 50);
    const struct xs_diagnosed *noop = played_diagnosed(p, "noop-upload");
    assert_int_equal(noop->saves.scaled_most_ns, noop->saves.most_ns - FOUND_ONES * CALL_US * US);
    is_near(noop->saves.most_ns,
            FOUND_ONES * CALL_US / 1000.0 + (noop->finding->sample.estimate - FOUND_ONES) * LEFT_OUT_CALL_US / 1000,
            0.1);
    play_end(p);
}

/* A part that is scaled up for the most is not in the least: these are uploads of Python, and at most the staging
 * around them is saved, too. */
static void the_least_of_all_is_scaled_as_the_least(void **state) {
    enum { OWN_US = 30 };
    (void)state;
    char sql[512];
    begin();
    p->host = XS_MEM_PINNED;
    takes(CALL_US, COPY_US);
    up(A, MIB, 1, NOT_MEASURED, HOST);
    for (int i = 0; i < UPLOADS; i++) {
        play_unseen_kernel(p);
        works(i % 20 ? 90 : OWN_US);
        up(A, MIB, i % 10 ? NO_CONTENT : i % 30 ? 1 : 2 + i, 1, HOST);
    }
    snprintf(sql, sizeof sql, LINES(1) "UPDATE transfer SET stack = 1, skip = CASE skip WHEN %d THEN %d ELSE skip END",
             XS_SKIP_BUDGET, LEFT_OUT_BY_CHANCE);
    diagnose(sql);
    const struct xs_diagnosed *noop = played_diagnosed(p, "noop-upload");
    assert_true(noop->saves.scaled_least_ns > 0 && noop->saves.scaled_least_ns + MS < noop->saves.scaled_most_ns);
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_in_range(p->diagnosis->together.least_ns, noop->saves.least_ns, noop->saves.least_ns + 1);
    assert_in_range(p->diagnosis->together.most_ns, noop->saves.most_ns, noop->saves.most_ns + 1);
    play_end(p);
}

static void diagnose_by_chance(void) {
    char sql[128];
    snprintf(sql, sizeof sql, "UPDATE transfer SET skip = %d WHERE skip = %d", LEFT_OUT_BY_CHANCE, XS_SKIP_BUDGET);
    diagnose(sql);
}

/* Looking at the first copy takes 50 ms, because kernels are loaded for it, and 4 of 500 are looked at. That was
 * multiplied by 125: 78 ms of calls could save 1.56 s. */
static void looking_at_a_copy_is_not_multiplied(void **state) {
    enum { COPIES = 500, LOOKED_AT = 4, ONE_US = 150, FIRST_US = 50000 };
    (void)state;
    begin();
    p->constant = true;
    takes(FIRST_US, ONE_US - 50);
    up(A, MIB, 1, 1, HOST);
    for (int i = 1; i < COPIES; i++) {
        works(2000);
        takes(ONE_US + (i % (COPIES / LOOKED_AT) ? 0 : 700), ONE_US - 50);
        up(A, MIB, i % (COPIES / LOOKED_AT) ? NO_CONTENT : 1, 1, HOST);
    }
    p->constant = false;
    diagnose_by_chance();
    const struct xs_diagnosed *of_one = played_diagnosed(p, "constant-content");
    assert_int_equal(of_one->finding->sample.checked, LOOKED_AT);
    is_near(of_one->saves.most_ns, COPIES * (ONE_US - ASYNC_CALL_NS / 1000) / 1000.0, 1);
    /* and of four, the interval is shown */
    assert_true(of_one->saves.least_ns < of_one->saves.most_ns * 3 / 4);
    is_near(of_one->saves.least_ns, of_one->finding->sample.low * (ONE_US - ASYNC_CALL_NS / 1000) / 1000, 1);
    is_in_order();
    play_end(p);
}

/* Two repairs may save one wait: the download waits for the copy of the upload before it. */
static void one_wait_is_not_saved_twice(void **state) {
    enum { COPIES = 400, UP_US = 20, COPY_BEHIND_US = 200, WAIT_US = 220 };
    (void)state;
    uint64_t calls_us = 0;
    begin();
    for (int i = 0; i < COPIES; i++) {
        works(1000);
        p->async = true;
        p->host = XS_MEM_PINNED;
        takes(UP_US, COPY_BEHIND_US);
        up(A, MIB, i % 80 ? NO_CONTENT : 1, 1, HOST);
        p->async = false;
        p->host = XS_MEM_PAGEABLE;
        p->call_ns = WAIT_US * US;
        p->delay_ns = (WAIT_US - 8) * US;
        p->device_ns = 3 * US;
        play_down(p, B, 4, 7, OTHER);
        returned();
        calls_us += UP_US + WAIT_US;
    }
    diagnose_by_chance();
    assert_true(p->diagnosis->together.most_ns <= calls_us * US);
    is_in_order();
    play_end(p);
}

/* The time that runs of random copies took, by direction: the calls, and the work on the device after them. */
struct took {
    uint64_t up_ns, down_ns;
};

static unsigned pick(unsigned *seed, unsigned below) {
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static void play_at_random(unsigned *seed, struct took *took) {
    unsigned one_in = 1 + pick(seed, 60), contents = 1 + pick(seed, 4), slow_in = 2 + pick(seed, 40);
    *took = (struct took){0};
    begin();
    for (int i = 0; i < 300; i++) {
        bool is_up = pick(seed, 3), is_looked_at = !pick(seed, one_in);
        uint64_t bytes = pick(seed, 2) ? MIB : KIB, us = 1 + pick(seed, 200);
        uint64_t more_us = is_looked_at ? pick(seed, slow_in) ? 300 : 40000 : 0;
        int content = is_looked_at ? 1 + (int)pick(seed, contents) : NO_CONTENT;
        works(pick(seed, 3000));
        p->constant = is_looked_at && pick(seed, 2);
        takes(us + more_us + LATENCY_US + 5, us);
        if (!pick(seed, 4))
            play_unseen_kernel(p);
        if (is_up)
            up(A, bytes, content, pick(seed, 3) ? 1 : NOT_MEASURED, HOST);
        else
            down(A, bytes, content, pick(seed, 2) ? HOST : OTHER);
        *(is_up ? &took->up_ns : &took->down_ns) += p->call_ns + p->device_ns + p->delay_ns;
    }
    p->constant = false;
    diagnose_by_chance();
}

/* Whatever was looked at, and however long that took, no repair saves more than the calls of its site and their work
 * on the device took; for a round trip, the calls of both directions. If few copies were checked, this limit is a
 * range. */
static void no_saving_is_larger_than_its_calls(void **state) {
    unsigned seed = 31, parts = 0, few = 0;
    (void)state;
    for (int run = 0; run < 60; run++) {
        struct took took;
        bool around = false;
        play_at_random(&seed, &took);
        for (size_t i = 0; i < p->diagnosis->count; i++) {
            const struct xs_diagnosed *f = &p->diagnosis->items[i];
            const char *name = xs_site_name(p->findings, f->finding->site);
            const char *id = xs_detectors[f->finding->detector]->id;
            bool both = !strcmp(id, "round-trip");
            if (!strcmp(id, "host-work") || !strcmp(id, "host-preparation")) { /* about the time between the calls */
                assert_true(f->saves.most_ns <= p->findings->recorded.run_ns);
                around = true;
                continue;
            }
            uint64_t most_ns = both || strstr(name, "HtoD") ? took.up_ns : 0;
            most_ns += both || strstr(name, "DtoH") ? took.down_ns : 0;
            if (f->saves.known && f->saves.most_ns > most_ns)
                fail_msg("run %d: %s saves %" PRIu64 " of %" PRIu64 " ns", run, xs_detectors[f->finding->detector]->id,
                         f->saves.most_ns, most_ns);
            assert_true(f->saves.least_ns <= f->saves.most_ns);
            parts += xs_sample_is_part(&f->finding->sample);
            few += xs_sample_is_few(&f->finding->sample) && f->saves.least_ns < f->saves.most_ns;
        }
        assert_true(p->diagnosis->together.most_ns <=
                    (around ? p->findings->recorded.run_ns : took.up_ns + took.down_ns));
        is_in_order();
        play_end(p);
    }
    assert_true(parts > 50 && few > 20); /* there was something to look at */
}

/* --- what is shown --- */

static void small_causes_are_folded(void **state) {
    (void)state;
    for (uint64_t idle_ms = 0; idle_ms <= 3000; idle_ms += 3000) {
        begin();
        p->options.fold_nothing = false;
        play_line(A, STEPS, CALL_US);
        play_line(B, 1, 900);
        play_line(C, 2, 800);
        works(idle_ms * 1000);
        waits(1);
        diagnose(BY_LINE);
        assert_int_equal(p->diagnosis->cause_count, 3);
        assert_false(cause_of_line(1)->folded);
        assert_true(cause_of_line(2)->folded);
        assert_int_equal(cause_of_line(3)->folded, idle_ms > 0); /* 1.6 ms are under a thousandth of the run */
        for (size_t i = 1; i < p->diagnosis->cause_count; i++)   /* the numbers of those that are shown have no gap */
            assert_true(p->diagnosis->causes[i].folded >= p->diagnosis->causes[i - 1].folded);
        is_in_order();
        play_end(p);
    }
}

static void the_first_is_not_folded(void **state) {
    (void)state;
    begin();
    p->options.fold_nothing = false;
    play_line(A, 1, 900);
    play_line(B, 1, 700);
    diagnose(BY_LINE);
    assert_false(p->diagnosis->causes[0].folded);
    assert_int_equal(p->diagnosis->causes[0].saves.most_ns, 900 * US);
    assert_true(p->diagnosis->causes[1].folded);
    play_end(p);
}

/* Only the largest findings are replayed by themselves; all of them are replayed together. */
static void more_findings_than_are_replayed(void **state) {
    enum { PLACES = 100, REPLAYED = 64, BYTES = 32 * KIB };
    uint64_t replayed = 0, all = 0;
    (void)state;
    play_begin(p);
    play_alloc(p, A, PLACES * MIB);
    for (uint64_t line = 1; line <= PLACES; line++) {
        takes(25 + line, 20 + line);
        for (int i = 0; i < 3; i++) { /* two can be dropped */
            up(A + (line - 1) * MIB, BYTES, (int)line, i ? (int)line : NOT_MEASURED, HOST);
            play_unseen_kernel(p);
        }
        all += 2 * (25 + line) * US;
        replayed += line > PLACES - REPLAYED ? 2 * (25 + line) * US : 0;
    }
    diagnose(LINES(100) "UPDATE transfer SET stack = 1 + (id - 1) / 3");
    FOUND("noop-upload", NULL, 2 * PLACES);
    assert_true(p->diagnosis->replayed);
    assert_int_equal(p->diagnosis->cause_count, PLACES);
    for (uint32_t line = 1; line <= PLACES; line++) {
        const struct xs_saving *of = &cause_of_line(line)->saves;
        bool is_replayed = line > PLACES - REPLAYED;
        assert_int_equal(of->bounds, !is_replayed);
        assert_int_equal(of->least_ns, is_replayed ? 2 * (25 + line) * US : 0);
        assert_int_equal(of->most_ns, 2 * ((is_replayed ? 25 : 20) + line) * US);
    }
    assert_int_equal(p->diagnosis->together.least_ns, replayed);
    assert_int_equal(p->diagnosis->together.most_ns, all);
    is_in_order();
    play_end(p);
}

/* Impossible values are left out of the model, and nothing overflows. */
static void calls_and_records_with_impossible_times_are_left_out(void **state) {
    static const char *const times[] = {
        "enter_ns = 9223372036854775807, return_ns = 9223372036854775807",
        "enter_ns = -9223372036854775807 - 1, return_ns = 9223372036854775807",
        "return_ns = enter_ns - 1",
    };
    static struct played own;
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char sql[256];
        play_begin(&own);
        own.options.shows_replay = true;
        for (int n = 0; n < 4; n++)
            play_up(&own, 0x10000000, 4096, n + 1, NOT_MEASURED, 0x500000);
        snprintf(sql, sizeof sql, "UPDATE transfer SET %s WHERE id = 2", times[i]);
        play_diagnose(&own, sql);
        assert_int_equal(own.diagnosis->replay_fit.calls, 3);
        play_end(&own);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_records_with_impossible_times_are_left_out),
        cmocka_unit_test(lines_are_causes_of_their_own),
        cmocka_unit_test(uploads_and_downloads_of_a_line),
        cmocka_unit_test(what_two_causes_share_counts_once),
        cmocka_unit_test(what_a_larger_cause_covers_is_a_part_of_it),
        cmocka_unit_test(a_likely_finding_saves_nothing_at_least),
        cmocka_unit_test(a_replay_that_is_wrong_is_not_believed),
        cmocka_unit_test(the_sample_stands_for_the_others),
        cmocka_unit_test(the_sample_covers_the_others),
        cmocka_unit_test(memory_of_copies_that_stay_is_needed),
        cmocka_unit_test(the_others_count_with_their_time),
        cmocka_unit_test(the_least_of_all_is_scaled_as_the_least),
        cmocka_unit_test(looking_at_a_copy_is_not_multiplied),
        cmocka_unit_test(one_wait_is_not_saved_twice),
        cmocka_unit_test(no_saving_is_larger_than_its_calls),
        cmocka_unit_test(small_causes_are_folded),
        cmocka_unit_test(the_first_is_not_folded),
        cmocka_unit_test(more_findings_than_are_replayed),
    };
    return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
