/* Tests what other findings save if their downloads were watched and nobody read them, with runs made by hand whose
 * answers are known. */
#include "run.h"

#include "analyzer/base/text.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/unread_words.h"

enum { STEPS = 20, UP_US = 1000, DOWN_US = 700, KERNEL_US = 2000, WORK_US = 3000 };

static uint32_t memory;

/* The next downloads are watched, and the host reads so much of them. */
static void read_next(uint64_t bytes) {
    p->host_read =
        (struct xs_host_read){.watched_bytes = MIB, .read_bytes = bytes, .pieces = 16, .read_pieces = bytes ? 1 : 0};
}

static void do_not_watch(void) { p->host_read = (struct xs_host_read){0}; }

static void begin(void) {
    play_begin(p);
    memory = play_alloc(p, A, MIB);
    play_alloc(p, B, MIB);
    do_not_watch();
}

static void fetch(int content, uint64_t to) {
    takes(DOWN_US, DOWN_US - 50);
    down(A, MIB, content, to);
}

static void send(int content, int before, uint64_t from) {
    takes(UP_US, UP_US - 50);
    up(B, MIB, content, before, from);
}

/* A result of a kernel goes to the host and comes back at another place. */
static void trip(int i) {
    fetch(100 + i, HOST);
    send(100 + i, i ? 99 + i : NOT_MEASURED, HOST);
    play_unseen_kernel(p);
}

static void expect_said(const char *id, const char *words) {
    struct xs_string text = {0};
    xs_say_unread(&text, p->findings, played_diagnosed(p, id)->finding);
    assert_string_equal(text.data ? text.data : "", words);
    xs_string_free(&text);
}

static void expect_why(const char *id, bool has_sentence) {
    struct xs_string text = {0};
    xs_finding_why_interval(&text, p->diagnosis, played_diagnosed(p, id));
    assert_int_equal(text.length > 0, has_sentence);
    xs_string_free(&text);
}

static void both_ways_go_if_nobody_reads_the_downloads(void **state) {
    (void)state;
    begin();
    read_next(0);
    for (int i = 0; i < STEPS; i++)
        trip(i);
    diagnose(PEAK);
    FOUND("round-trip", "same-device", STEPS);
    saves_exactly("round-trip", STEPS * (UP_US + DOWN_US) * US);
    expect_said("round-trip", "Nobody read the 20 downloads of these that were watched. Both ways go.");
    expect_why("round-trip", false);
    is_in_order();
    play_end(p);
}

static void the_host_reads_some(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < STEPS; i++) {
        read_next(i % 4 ? 0 : 4096);
        trip(i);
    }
    diagnose(PEAK);
    struct xs_saving saved = saves("round-trip");
    assert_int_equal(saved.least_ns, (STEPS * UP_US + STEPS * 3 / 4 * DOWN_US) * US);
    assert_int_equal(saved.most_ns, STEPS * (UP_US + DOWN_US) * US);
    expect_said("round-trip", "Nobody read 15 of the 20 downloads of these that were watched.");
    expect_why("round-trip", true);
    play_end(p);
}

static void the_host_reads_all(void **state) {
    (void)state;
    begin();
    read_next(4096);
    for (int i = 0; i < STEPS; i++)
        trip(i);
    diagnose(PEAK);
    assert_int_equal(saves("round-trip").least_ns, STEPS * UP_US * US);
    assert_int_equal(saves("round-trip").most_ns, STEPS * (UP_US + DOWN_US) * US);
    expect_said("round-trip", "");
    play_end(p);
}

/* Another upload needs the download, before the next one replaces it. */
static void another_upload_reads_it(void **state) {
    (void)state;
    begin();
    read_next(0);
    for (int i = 0; i < STEPS; i++) {
        trip(i);
        send(500 + i, NOT_MEASURED, HOST + 4096);
    }
    diagnose(PEAK);
    FOUND("round-trip", "same-device", STEPS);
    assert_int_equal(saves("round-trip").least_ns, STEPS * UP_US * US);
    expect_said("round-trip", "");
    play_end(p);
}

/* The upload that reads the download is not the one that brings its bytes back. */
static void the_bytes_come_back_from_elsewhere(void **state) {
    (void)state;
    begin();
    read_next(0);
    for (int i = 0; i < STEPS; i++) {
        fetch(100 + i, HOST);
        send(500 + i, NOT_MEASURED, HOST);
        send(100 + i, NOT_MEASURED, OTHER);
    }
    diagnose(PEAK);
    FOUND("round-trip", "same-device", STEPS);
    assert_int_equal(saves("round-trip").least_ns, STEPS * UP_US * US);
    expect_said("round-trip", "");
    play_end(p);
}

/* Of the downloads that were not watched, as many go as surely nobody reads: 72 % or more, if nobody read 10 of 10. */
static void some_are_watched(void **state) {
    (void)state;
    enum { TRIPS = 400, WATCHED = 10 };
    begin();
    for (int i = 0; i < TRIPS; i++) {
        do_not_watch();
        if (i % (TRIPS / WATCHED) == 0)
            read_next(0);
        trip(i);
    }
    diagnose(PEAK);
    FOUND("round-trip", "same-device", TRIPS);
    struct xs_saving saved = saves("round-trip");
    assert_int_equal(saved.most_ns, (uint64_t)TRIPS * (UP_US + DOWN_US) * US);
    uint64_t downloads = (saved.least_ns - (uint64_t)TRIPS * UP_US * US) / (DOWN_US * US);
    assert_in_range(downloads, TRIPS * 66 / 100, TRIPS * 79 / 100);
    expect_said("round-trip", "Nobody read the 10 downloads of these that were watched. Both ways go.");
    expect_why("round-trip", true);
    play_end(p);
}

/* The trace may lack calls that read the memory, so nobody can say. */
static void a_killed_program_may_read_it_later(void **state) {
    (void)state;
    begin();
    read_next(0);
    for (int i = 0; i < STEPS; i++)
        trip(i);
    diagnose(PEAK "UPDATE meta SET value = 'recovered' WHERE key = 'status';");
    struct xs_unread unread = xs_finding_unread(p->findings, played_diagnosed(p, "round-trip")->finding);
    assert_int_equal(unread.known, STEPS - 1); /* the last one is not overwritten */
    assert_int_equal(unread.unread, STEPS - 1);
    play_end(p);
}

/* --- waits --- */

/* The host waits for a kernel and for the copy of its result. */
static void play_readbacks(void) {
    begin();
    for (int i = 0; i < STEPS; i++) {
        kernel(KERNEL_US, memory);
        p->delay_ns = (KERNEL_US + 5) * US;
        p->device_ns = 100 * US;
        p->call_ns = (KERNEL_US + 5 + 100 + 5) * US;
        read_next(0);
        play_down(p, A, MIB, NO_CONTENT, HOST);
        returned();
        works(WORK_US);
    }
    waits(1);
}

static void a_wait_for_what_nobody_reads(void **state) {
    (void)state;
    play_readbacks();
    p->options.judged_waits = XS_JUDGES_WAITS;
    diagnose(PEAK);
    FOUND("blocking-readback", NULL, STEPS);
    struct xs_saving saved = saves("blocking-readback");
    assert_true(saved.least_ns > 0);
    assert_int_equal(saved.least_ns, saved.most_ns);
    expect_said("blocking-readback",
                "Nobody read the 20 downloads of these that were watched. Drop them; then the host does not have to "
                "wait.");
    const struct xs_wait_row *row = &p->diagnosis->waits.rows[0];
    assert_int_equal(row->call.direction, XS_DIR_D2H);
    assert_int_equal(row->unread.known, STEPS);
    assert_int_equal(row->unread.unread, STEPS);
    XS_SCOPED_STRING text = {0};
    xs_say_unread_wait(&text, &row->unread);
    assert_string_equal(text.data, "nobody read what 20 of them brought, so such waits are not needed");
    play_end(p);
}

/* What the host does then is not about the data, so that the saving has nothing of it. */
static void the_host_works_on_something_else(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < STEPS; i++) {
        takes(0, 0);
        kernel(2, memory);
        read_next(0);
        fetch(NO_CONTENT, HOST);
        works(WORK_US);
    }
    diagnose(PEAK);
    struct xs_saving saved = saves("host-work");
    assert_int_equal(saved.least_ns, saved.most_ns);
    assert_in_range(saved.most_ns, (STEPS - 2) * DOWN_US * US, STEPS * DOWN_US * US);
    expect_said("host-work", "Nobody read the 19 downloads of these that were watched. The host's work is not about "
                             "their data: drop the downloads.");
    play_end(p);
}

static void one_of_them(void **state) {
    (void)state;
    XS_SCOPED_STRING text = {0};
    xs_say_unread_wait(&text, &(struct xs_unread){.known = 3, .unread = 1});
    assert_string_equal(text.data, "nobody read what 1 of the 3 watched ones brought");
    XS_SCOPED_STRING none = {0};
    xs_say_unread_wait(&none, &(struct xs_unread){.known = 3});
    assert_int_equal(none.length, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_go_if_nobody_reads_the_downloads),
        cmocka_unit_test(the_host_reads_some),
        cmocka_unit_test(the_host_reads_all),
        cmocka_unit_test(another_upload_reads_it),
        cmocka_unit_test(the_bytes_come_back_from_elsewhere),
        cmocka_unit_test(some_are_watched),
        cmocka_unit_test(a_killed_program_may_read_it_later),
        cmocka_unit_test(a_wait_for_what_nobody_reads),
        cmocka_unit_test(the_host_works_on_something_else),
        cmocka_unit_test(one_of_them),
    };
    return cmocka_run_group_tests_name("unread", tests, NULL, NULL);
}
