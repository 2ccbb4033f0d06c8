/* Tests what follows from what the host read of downloads. */
#include "played.h"

enum { BYTES = 1 << 20, A = 0x1000000, HOST = 0x5000000, OTHER = 0x6000000 };

static struct played played, *p = &played;

/* The next downloads are watched, and the host reads so much of them. */
static void read_next(uint64_t bytes, uint32_t pieces) {
    p->host_read =
        (struct xs_host_read){.watched_bytes = BYTES, .read_bytes = bytes, .pieces = 16, .read_pieces = pieces};
}

static void doubt_next(enum xs_host_reads_doubt doubt) {
    p->host_read = (struct xs_host_read){.watched_bytes = BYTES, .doubt = doubt};
}

static void do_not_watch(void) { p->host_read = (struct xs_host_read){0}; }

static uint32_t begin(void) {
    play_begin(p);
    return play_alloc(p, A, BYTES);
}

static void down(void) { play_down(p, A, BYTES, NO_CONTENT, HOST); }

static void unread_downloads(void **state) {
    (void)state;
    begin();
    read_next(0, 0);
    down();
    down();
    read_next(4096, 1);
    down();
    read_next(0, 0);
    down();
    play_analyse(p, NULL);
    FOUND("unread-download", "overwritten", 2);
    FOUND("unread-download", "never-read", 1);
    const struct xs_finding *finding = played_finding(p, "unread-download");
    assert_int_equal(finding->claimed_ns, finding->removable.device_ns);
    assert_int_equal(finding->removable.device_ns, finding->cost.device_ns);
    assert_int_equal(finding->first[0].evidence[0].row, 1);
    assert_int_equal(finding->first[0].evidence[1].row, 2);
    play_end(p);
}

static void one_page_is_read(void **state) {
    (void)state;
    begin();
    read_next(4096, 1 << 7);
    down();
    down();
    play_analyse(p, NULL);
    NOT_FOUND("unread-download");
    play_end(p);
}

static void partly_read_downloads(void **state) {
    (void)state;
    begin();
    read_next(BYTES / 4 - 4096, 7);
    down();
    read_next(BYTES / 4, 15);
    down();
    read_next(0, 0);
    down();
    doubt_next(XS_HOST_READS_LATE);
    down();
    read_next(4096, 1);
    down();
    play_up(p, A, 16, NO_CONTENT, NOT_MEASURED, HOST); /* the device reads it, too */
    play_analyse(p, NULL);
    FOUND("partly-read-download", "inside", 1);
    UNDECIDED("partly-read-download", "nobody looked before it was written again", 1);
    const struct xs_finding *finding = played_finding(p, "partly-read-download");
    assert_int_equal(finding->cost.device_ns, 256000);
    assert_int_equal(finding->removable.device_ns, 256000 * 193 / 256);
    play_end(p);
}

/* Whoever read the pages at both ends may have read something else in them. */
static void only_the_edges_are_read(void **state) {
    (void)state;
    begin();
    read_next(8192, 1 << 15 | 1);
    p->host_read.edge_read_bytes = 8192;
    down();
    p->host_read.edge_read_bytes = 4096;
    down();
    read_next(BYTES, 0xffff);
    p->host_read.edge_read_bytes = 8192;
    down();
    play_analyse(p, NULL);
    FOUND("partly-read-download", "edges", 1);
    FOUND("partly-read-download", "inside", 1);
    NOT_FOUND("unread-download");
    const struct xs_finding *finding = played_finding(p, "partly-read-download");
    assert_int_equal(finding->removable.device_ns, 256000 * 254 / 256);
    play_end(p);
}

static void much_is_no_part(void **state) {
    (void)state;
    begin();
    read_next(BYTES / 2, 0xff);
    down();
    play_analyse(p, NULL);
    NOT_FOUND("partly-read-download");
    play_end(p);
}

/* The accessed bits do not show what the device reads. */
static void what_the_device_reads_is_read(void **state) {
    (void)state;
    uint32_t a = begin();
    read_next(0, 0);
    down();
    play_up(p, A, 16, NO_CONTENT, NOT_MEASURED, HOST + BYTES - 16);
    p->memory = XS_MEM_PINNED;
    uint32_t pinned = play_alloc(p, HOST, BYTES);
    p->host = XS_MEM_PINNED;
    down();
    play_kernel(p, 2, (uint32_t[]){a, pinned});
    play_free(p, pinned);
    play_analyse(p, NULL);
    NOT_FOUND("unread-download");
    play_end(p);
}

static void other_memory_is_read(void **state) {
    (void)state;
    uint32_t a = begin();
    p->memory = XS_MEM_PINNED;
    uint32_t pinned = play_alloc(p, HOST, BYTES);
    p->host = XS_MEM_PINNED;
    read_next(0, 0);
    down();
    play_up(p, A, 16, NO_CONTENT, NOT_MEASURED, HOST + BYTES);
    play_kernel(p, 1, &a);
    play_free(p, pinned);
    play_analyse(p, NULL);
    FOUND("unread-download", "never-read", 1);
    play_end(p);
}

static void what_nobody_can_tell_is_undecided(void **state) {
    (void)state;
    begin();
    doubt_next(XS_HOST_READS_SHARED);
    down();
    doubt_next(200);
    down();
    read_next(0, 0);
    p->memory = XS_MEM_PINNED;
    play_alloc(p, HOST, BYTES);
    p->host = XS_MEM_PINNED;
    down();
    play_unseen_kernel(p);
    down();
    play_unknown(p, true);
    down();
    play_analyse(p, "DELETE FROM host_read WHERE id = 2");
    NOT_FOUND("unread-download");
    UNDECIDED("unread-download", "another process may have read it", 1);
    UNDECIDED("unread-download", "the watch came to no result", 1);
    UNDECIDED("unread-download", "launch arguments not seen", 1);
    UNDECIDED("unread-download", "calls not recorded", 2);
    play_end(p);
}

static void a_killed_program_may_read_it_later(void **state) {
    (void)state;
    begin();
    read_next(0, 0);
    down();
    play_analyse(p, "UPDATE meta SET value = 'recovered' WHERE key = 'status'");
    NOT_FOUND("unread-download");
    UNDECIDED("unread-download", "the trace ends before the program", 1);
    play_end(p);
}

/* Values that do not fit together count as not known. */
static void nonsense_is_undecided(void **state) {
    (void)state;
    static const char *const nonsense[] = {
        "UPDATE host_read SET read_bytes = -1",        "UPDATE host_read SET watched_bytes = NULL",
        "UPDATE host_read SET read_bytes = 1 << 40",   "UPDATE host_read SET pieces = 0",
        "UPDATE host_read SET pieces = 1 << 40",       "UPDATE host_read SET read_pieces = -1",
        "UPDATE host_read SET read_pieces = 1 << 20",  "UPDATE host_read SET read_pieces = 1",
        "UPDATE host_read SET read_bytes = NULL",      "UPDATE host_read SET doubt = 1 << 40",
        "UPDATE host_read SET edge_read_bytes = 4096", "UPDATE host_read SET edge_read_bytes = -1",
        "UPDATE transfer_row SET host_read = 1 << 40",
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        begin();
        read_next(0, 0);
        down();
        play_analyse(p, nonsense[i]);
        NOT_FOUND("unread-download");
        UNDECIDED("unread-download", "the watch came to no result", 1);
        play_end(p);
    }
}

/* A watched download stands for those of the same place and size that were not watched. */
static void downloads_that_were_not_watched_are_estimated(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 160; i++) {
        do_not_watch();
        if (i % 8 == 0)
            read_next(i % 16 ? 4096 : 0, i % 16 ? 1 : 0);
        down();
    }
    play_analyse(p, NULL);
    FOUND("unread-download", NULL, 10);
    const struct xs_sample *sample = &played_finding(p, "unread-download")->sample;
    assert_int_equal(sample->checked, 20);
    assert_int_equal(sample->of, 160);
    assert_true(sample->estimate > 60 && sample->estimate < 100);
    assert_true(sample->low < sample->estimate && sample->high > sample->estimate);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unread_downloads),
        cmocka_unit_test(one_page_is_read),
        cmocka_unit_test(partly_read_downloads),
        cmocka_unit_test(only_the_edges_are_read),
        cmocka_unit_test(much_is_no_part),
        cmocka_unit_test(what_the_device_reads_is_read),
        cmocka_unit_test(other_memory_is_read),
        cmocka_unit_test(what_nobody_can_tell_is_undecided),
        cmocka_unit_test(a_killed_program_may_read_it_later),
        cmocka_unit_test(nonsense_is_undecided),
        cmocka_unit_test(downloads_that_were_not_watched_are_estimated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
