/* Tests what is saved if calls are made in another way: gathered, replaced by work on the device, with fewer bytes, or
 * at the same time as kernels. The runs are made by hand and their answers are known. */
#include "run.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950 };

static uint64_t rounded(double ns) { return (uint64_t)(ns + 0.5); }

/* --- small copies --- */

enum { SMALL = 4 * KIB, RUN = 50, SMALL_CALL_US = 20, SMALL_COPY_US = 3 };

/* Uploads to adjacent memory, so that no upload overwrites another one. */
static void play_small(unsigned runs) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, 16 * MIB);
    p->host = XS_MEM_PINNED;
    takes(SMALL_CALL_US, SMALL_COPY_US);
    for (unsigned i = 0; i < runs; i++) {
        for (unsigned k = 0; k < RUN; k++)
            up(A + (uint64_t)(i * RUN + k) * SMALL, SMALL, NO_CONTENT, NOT_MEASURED, HOST);
        play_kernel(p, 1, &a);
    }
}

/* One copy of all bytes remains, and so does the host's work of putting the bytes together. */
static void small_copies_become_one(void **state) {
    (void)state;
    for (unsigned runs = 1; runs <= 4; runs++) {
        play_small(runs);
        diagnose(PEAK);
        FOUND("small-transfers", NULL, runs);
        double more_ns = (RUN - 1) * SMALL / 17.0, gather_ns = RUN * SMALL * 0.1;
        uint64_t each = (RUN - 1) * SMALL_CALL_US * US - rounded(more_ns) - rounded(gather_ns);
        struct xs_saving of = saves("small-transfers");
        assert_in_range(of.least_ns, runs * (each - 2), runs * (each + 2));
        assert_int_equal(of.least_ns, of.most_ns);
        is_in_order();
        play_end(p);
    }
}

/* --- work on the device in place of an upload --- */

#define ON_DEVICE_NS(bytes) (2000 + (bytes) / 500.0)

/* Uploads of zeros, each followed by a wait. They are large, so the memset takes longer than the host. */
static void a_memset_s_time_stays(void **state) {
    enum { BYTES = 1 << 30, LONG_US = 60000 };
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < STEPS; i++) {
        takes(LONG_US, LONG_US - 50);
        p->constant = true;
        up(A, BYTES, i, i ? i - 1 : NOT_MEASURED, HOST);
        play_unseen_kernel(p);
        waits(1);
    }
    diagnose(NULL);
    FOUND("constant-content", NULL, STEPS);
    /* The memset begins with its call, as the upload did. The kernel comes 12.5 us after the memset's end, as long as
     * it came after the upload's end, and it was done before the wait. */
    struct xs_saving of = saves("constant-content");
    uint64_t stays = LATENCY_US * US + rounded(ON_DEVICE_NS(BYTES)) + GAP_NS + 2000 + NOTICE_NS;
    assert_int_equal(of.least_ns, STEPS * ((LONG_US + 10 + 10 + 1) * US - stays));
    assert_int_equal(of.least_ns, of.most_ns);
    is_in_order();
    play_end(p);
}

/* The copy is small enough that the copy within the device does not hold the host. */
static void a_copy_on_the_device(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    play_alloc(p, B, MIB);
    for (int i = 0; i < STEPS; i++) {
        takes(CALL_US, COPY_US);
        up(A, MIB, 10 + i, i ? 9 + i : NOT_MEASURED, HOST);
        up(B, MIB, 10 + i, i ? 9 + i : NOT_MEASURED, HOST);
        waits(1);
    }
    diagnose(NULL);
    FOUND("duplicate-upload", "elsewhere", STEPS);
    saves_exactly("duplicate-upload", STEPS * (CALL_US * US - ASYNC_CALL_NS));
    play_end(p);
}

/* Plays a round trip to another device. A peer copy replaces its upload, and takes as long as the trace's own peer
 * copies. */
static void play_to_another_device(const char *sql) {
    play_begin(p);
    play_alloc(p, A, MIB);
    p->device = 1;
    play_alloc(p, B, MIB);
    for (int i = 0; i < STEPS; i++) {
        p->device = 0;
        takes(500, 450);
        down(A, MIB, 10 + i, HOST);
        p->device = 1;
        takes(CALL_US, COPY_US);
        up(B, MIB, 10 + i, i ? 9 + i : NOT_MEASURED, HOST);
        waits(1);
    }
    diagnose(sql);
    FOUND("round-trip", "cross-device", STEPS);
}

static uint64_t saved_by_peer(uint64_t peer_ns) {
    return (CALL_US + 10 + 1) * US - (LATENCY_US * US + peer_ns + NOTICE_NS);
}

static void a_peer_copy_s_time_stays(void **state) {
    (void)state;
    play_to_another_device(PEAK "INSERT INTO device_copy (correlation, kind, bytes, start_ns, end_ns, copies)"
                                " VALUES (0, 10, 4194304, 1000, 401000, 1), (0, 10, 4096, 1000, 901000, 1)");
    assert_int_equal(saves("round-trip").least_ns, STEPS * saved_by_peer(100 * US));
    assert_int_equal(saves("round-trip").most_ns, STEPS * (saved_by_peer(100 * US) + 500 * US));
    is_in_order();
    play_end(p);
}

/* The time of a staged copy is the time of both legs. */
static void a_staged_peer_copy_s_time_stays(void **state) {
    (void)state;
    play_to_another_device(PEAK "INSERT INTO device_copy (correlation, kind, src_kind, dst_kind, bytes, start_ns,"
                                " end_ns, copies) VALUES (0, 2, 3, 3, 4194304, 1000, 301000, 1),"
                                " (0, 1, 3, 3, 4194304, 311000, 411000, 1)");
    assert_int_equal(saves("round-trip").least_ns, STEPS * saved_by_peer(100 * US));
    play_end(p);
}

static void a_peer_copy_of_no_known_rate(void **state) {
    (void)state;
    play_to_another_device(PEAK);
    assert_int_equal(saves("round-trip").least_ns, STEPS * saved_by_peer(PINNED_NS(MIB)));
    assert_int_equal(saves("round-trip").most_ns, STEPS * (CALL_US + 500) * US);
    is_in_order();
    play_end(p);
}

/* --- fewer bytes --- */

/* An eighth of the leaves is new. */
static void only_what_changed(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    takes(CALL_US, 800);
    for (int i = 0; i < STEPS; i++) {
        up(A, MIB, i, i ? i - 1 : NOT_MEASURED, HOST);
        play_unseen_kernel(p);
    }
    diagnose("UPDATE fingerprint SET changed_leaves = 32");
    FOUND("mostly-unchanged", NULL, STEPS - 1);
    saves_exactly("mostly-unchanged", (STEPS - 1) * 700 * US);
    play_end(p);
}

/* --- beside kernels --- */

/* Plays a blocking upload, and a kernel that uses it, so that the next upload has to wait for the kernel. After STEPS
 * of these come `apart` more, before which the host works for so long that the kernel is not next to the upload. */
static void play_turns_and(int apart, uint64_t work_us, uint64_t up_us, uint64_t kernel_us) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < STEPS + apart; i++) {
        takes(LATENCY_US + up_us + 5, up_us);
        if (i >= STEPS) {
            works(work_us);
        } else if (i) { /* 2 us behind the kernel, which began 5 us before this call */
            p->delay_ns = (kernel_us - 5 + 2) * US;
            p->call_ns = p->delay_ns + (up_us + 5) * US;
        }
        up(A, MIB, NO_CONTENT, NOT_MEASURED, HOST);
        kernel(kernel_us, a);
    }
    waits(kernel_us - 5 + 3);
    diagnose(NULL);
}

static void play_turns(uint64_t up_us, uint64_t kernel_us) { play_turns_and(0, 0, up_us, kernel_us); }

static void saves_at_most(uint64_t ns) {
    assert_int_equal(saves("no-overlap").least_ns, 0);
    assert_int_equal(saves("no-overlap").most_ns, ns);
    assert_false(saves("no-overlap").bounds);
    assert_int_equal(p->diagnosis->together.least_ns, 0);
    assert_int_equal(p->diagnosis->together.most_ns, ns);
    is_in_order();
}

/* Uploads are sent while the kernel before them runs: the copies stay, with the device's usual gap between them. A step
 * took 22 us besides copy and kernel. */
static void uploads_beside_shorter_kernels(void **state) {
    (void)state;
    play_turns(1000, 300);
    saves_at_most((STEPS - 1) * (300 + 22) * US - 9 * US - (STEPS - 2) * GAP_NS);
    play_end(p);
}

/* The kernels stay, 2 us apart. */
static void uploads_beside_longer_kernels(void **state) {
    (void)state;
    play_turns(300, 1000);
    saves_at_most((STEPS - 1) * (300 + 22 - 2) * US);
    play_end(p);
}

/* Copies that are no instances move only together with an instance that comes before the place's next copy. After the
 * last instance the place uploads again and again, while the host works in between. If these copies were moved, they
 * would take no time of the host any more, and this time is more than that of all turns together. */
static void later_copies_of_the_place_stay(void **state) {
    enum { APART = 5 * STEPS, UP_US = 1000, KERNEL_US = 300, WORK_US = 2000 };
    (void)state;
    play_turns_and(APART, WORK_US, UP_US, KERNEL_US);
    FOUND("no-overlap", NULL, STEPS - 1);
    assert_int_equal(saves("no-overlap").least_ns, 0);
    assert_in_range(saves("no-overlap").most_ns, (STEPS - 1) * KERNEL_US * US,
                    STEPS * (KERNEL_US + 22) * US + 2 * UP_US * US); /* the host waits for no instance any more */
    is_in_order();
    play_end(p);
}

/* Copies and kernels are in one stream, and the host is far ahead of them. This is the time of the device at which they
 * run. */
static uint64_t device_us;

static void play_ahead(uint64_t us, int what, uint64_t memory, uint32_t id) {
    enum { BEFORE_US = 10, APART_US = 2 };
    uint64_t delay_ns = device_us * US - (p->now_ns + BEFORE_US * US);
    p->delay_ns = p->kernel_delay_ns = delay_ns;
    p->device_ns = p->kernel_ns = us * US;
    p->call_ns = US;
    if (what > 0)
        up(memory, MIB, NO_CONTENT, NOT_MEASURED, HOST);
    else if (what < 0)
        down(memory, MIB, NO_CONTENT, OTHER);
    else
        play_kernel(p, 1, &id);
    device_us += us + APART_US;
}

static void play_pipeline(bool uploads) {
    enum { LONG_US = 1000, SHORT_US = 400 };
    play_begin(p);
    uint32_t ids[] = {play_alloc(p, A, MIB), play_alloc(p, B, MIB)};
    p->host = XS_MEM_PINNED;
    p->async = true;
    device_us = p->now_ns / US + 10 + 5; /* the first begins 5 us after its call */
    for (int i = 0; i < STEPS; i++) {
        uint64_t memory = i % 2 ? B : A;
        if (uploads)
            play_ahead(LONG_US, 1, memory, 0);
        play_ahead(LONG_US, 0, 0, ids[i % 2]);
        play_ahead(uploads ? LONG_US : SHORT_US, -1, memory, 0);
    }
    waits(device_us - 2 + 3 - p->now_ns / US - 10);
    diagnose(NULL);
}

static void downloads_beside_kernels(void **state) {
    (void)state;
    play_pipeline(false);
    FOUND("no-overlap", NULL, STEPS - 1);
    saves_at_most((STEPS - 1) * (400 + 2) * US);
    play_end(p);
}

/* An upload, a kernel and a download took turns. The kernels remain, with the first upload and the last download; the
 * first download remains, too, because it comes before the first upload that can be sent early. */
static void both_directions_beside_kernels(void **state) {
    (void)state;
    play_pipeline(true);
    saves_at_most(((STEPS - 1) * 2 - 1) * (1000 + 2) * US);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_copies_become_one),        cmocka_unit_test(a_memset_s_time_stays),
        cmocka_unit_test(a_copy_on_the_device),           cmocka_unit_test(only_what_changed),
        cmocka_unit_test(uploads_beside_shorter_kernels), cmocka_unit_test(uploads_beside_longer_kernels),
        cmocka_unit_test(later_copies_of_the_place_stay), cmocka_unit_test(a_peer_copy_s_time_stays),
        cmocka_unit_test(a_peer_copy_of_no_known_rate),   cmocka_unit_test(a_staged_peer_copy_s_time_stays),
        cmocka_unit_test(downloads_beside_kernels),       cmocka_unit_test(both_directions_beside_kernels),
    };
    return cmocka_run_group_tests_name("changed", tests, NULL, NULL);
}
