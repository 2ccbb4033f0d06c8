/* Tests what host-preparation saves, with and without samples of where the host was, and that needless uploads also
 * save the work that makes their bytes again. */
#include "run.h"

#include "analyzer/savings/plan/statement.h"

enum { STEPS = 20, COUNTED = STEPS - 1, CALL_US = 1000, COPY_US = 900, WORK_US = 5000, AFTER_US = 2000, GAP_US = 10 };

/* Line 3 of step() uploads. Stack 5 is of line 1 in another function. */
#define UPLOADS_IN_LINE_3                                                                                              \
    LINES(4)                                                                                                           \
    "INSERT INTO python_code VALUES (2,'/app/train.py','checkpoint',1);"                                               \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (5,0,1,0);"                                       \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (5*4096+2048,5,0,2,1,1);"                      \
    "UPDATE transfer SET stack = 3;"

/* A sample in the middle of the work before, or after, each upload from number `from` on, in this stack. */
#define SAMPLES(at, from, stack)                                                                                       \
    "INSERT INTO host_sample (thread, at_ns, ns, stack) SELECT thread, " at ", 1000000, " #stack                       \
    " FROM transfer WHERE id >= " #from ";"
#define BEFORE "enter_ns - 2500000"
#define AFTER "return_ns + 1000000"

/* Plays uploads. The host works before each upload, and for `after_us` after it, and launches a kernel of `kernel_us`.
 * The uploads use this many buffers of the host in turn, and have this many contents. */
static void play(uint64_t kernel_us, uint64_t after_us, uint64_t buffers, int contents) {
    play_begin(p);
    uint32_t id = alloc(A, MIB);
    kernel(kernel_us, id);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        works(WORK_US);
        up(A, MIB, i % contents, NOT_MEASURED, HOST + (uint64_t)i % buffers * MIB);
        works(after_us);
        kernel(kernel_us, id);
    }
}

static void saves_between(const char *sql, uint64_t least_us, uint64_t most_us) {
    diagnose(sql);
    FOUND("host-preparation", NULL, COUNTED);
    struct xs_saving of = saves("host-preparation");
    assert_false(of.bounds);
    assert_int_equal(of.least_ns, least_us * US);
    assert_int_equal(of.most_ns, most_us * US);
    is_in_order();
    play_end(p);
}

/* 0: the finding is advice. */
static void saves_up_to(const char *sql, uint64_t most_us) {
    if (most_us) {
        saves_between(sql, 0, most_us);
        return;
    }
    diagnose(sql);
    FOUND("host-preparation", NULL, COUNTED);
    assert_true(played_diagnosed(p, "host-preparation")->finding->advice);
    assert_false(played_diagnosed(p, "host-preparation")->saves.known);
    is_in_order();
    play_end(p);
}

/* A line of C has no samples, so nothing says that its work makes the data. */
static void work_of_unknown_kind_may_have_to_stay(void **state) {
    (void)state;
    play(2, 0, 1, STEPS);
    saves_up_to(NULL, 0);
}

static void work_in_the_uploading_function_goes_away(void **state) {
    (void)state;
    const uint64_t most_us = COUNTED * (WORK_US + GAP_US + CALL_US) - COUNTED * ASYNC_CALL_NS / 1000;
    play(2, 0, 1, STEPS);
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 2), most_us);
    play(2, 0, 1, STEPS); /* eight samples say where the host is */
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 13, 2), most_us);
    play(2, 0, 1, STEPS); /* seven do not */
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 14, 2), 0);
}

/* The least saving is the work in which the thread ran: of a thread that slept in every second sample, half of it. */
static void sleep_is_no_work(void **state) {
    (void)state;
    const uint64_t most_us = COUNTED * (WORK_US + GAP_US + CALL_US) - COUNTED * ASYNC_CALL_NS / 1000;
    const uint64_t stays_us = XS_STATEMENT_LIMIT_NS / 1000;
    play(2, 0, 1, STEPS);
    saves_between(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 2) "UPDATE host_sample SET is_asleep = 0;",
                  COUNTED * (WORK_US + GAP_US - stays_us), most_us);
    play(2, 0, 1, STEPS);
    saves_between(UPLOADS_IN_LINE_3 SAMPLES("enter_ns - 2600000", 1, 2)
                      SAMPLES(BEFORE, 1, 2) "UPDATE host_sample SET is_asleep = id > 20;",
                  COUNTED * ((WORK_US + GAP_US) / 2 - stays_us), most_us);
    play(2, 0, 1, STEPS);
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 2) "UPDATE host_sample SET is_asleep = 1;", most_us);
    play(2, 0, 1, STEPS); /* values that no reader may trust */
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 2) "UPDATE host_sample SET is_asleep = -7;", most_us);
}

/* Neither work at a later line, nor that of another function, is known to make the data. */
static void other_work_may_have_to_stay(void **state) {
    (void)state;
    play(2, 0, 1, STEPS);
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 4), 0);
    play(2, 0, 1, STEPS);
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 5), 0);
}

/* A loader that reads files is a library, and its caller may be the uploading function. */
static void a_loader_reads_files(void **state) {
    (void)state;
    static const char *const files[] = {"/usr/lib/python3/site-packages/torch/utils/data/dataloader.py",
                                        "/usr/lib/python3/site-packages/torch/functional.py"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char sql[2048];
        snprintf(sql, sizeof sql,
                 UPLOADS_IN_LINE_3 "INSERT INTO python_code VALUES (3,'%s','inner',1);"
                                   "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (6,0,2,0);"
                                   "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry)"
                                   " VALUES (6*4096+2048,6,0,3,7,0), (6*4096+2049,6,1,1,2,1);" SAMPLES(BEFORE, 1, 6),
                 files[i]);
        play(2, 0, 1, STEPS);
        saves_up_to(sql, i ? COUNTED * (WORK_US + GAP_US + CALL_US) - COUNTED * ASYNC_CALL_NS / 1000 : 0);
    }
}

/* The function frees its data after the upload, before its statement ends. */
static void freeing_belongs_to_the_statement(void **state) {
    (void)state;
    const uint64_t before_us = WORK_US + GAP_US, after_us = AFTER_US + GAP_US;
    const uint64_t stay_us = ASYNC_CALL_NS / 1000;
    play(2, AFTER_US, 1, STEPS);
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 3) SAMPLES(AFTER, 1, 3),
                COUNTED * (before_us + CALL_US + after_us - 2 * stay_us));
    play(2, AFTER_US, 1, STEPS);
    saves_up_to(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 3) SAMPLES(AFTER, 1, 4),
                COUNTED * (before_us + CALL_US - stay_us));
}

/* While the device works, the host's preparation costs nothing. A step of the device is a kernel and a copy, one behind
 * the other. */
static void work_beside_the_device_saves_nothing(void **state) {
    enum { KERNEL_US = 4 * WORK_US, FIRST_US = 10000 };
    (void)state;
    play_begin(p);
    uint32_t id = alloc(A, MIB);
    p->async = true;
    p->host = XS_MEM_PINNED;
    p->now_ns = FIRST_US * US;
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t free_ns = (FIRST_US + GAP_US + 5 + i * (KERNEL_US + COPY_US)) * US;
        p->kernel_delay_ns = free_ns - p->now_ns - GAP_US * US;
        p->kernel_ns = KERNEL_US * US;
        play_kernel(p, 1, &id);
        works(WORK_US);
        takes(5, COPY_US);
        p->delay_ns = free_ns + KERNEL_US * US - p->now_ns - GAP_US * US;
        up(A, MIB, (int)i, NOT_MEASURED, HOST);
    }
    waits((FIRST_US * US + STEPS * (KERNEL_US + COPY_US) * US - p->now_ns) / US + GAP_US);
    diagnose(UPLOADS_IN_LINE_3 SAMPLES(BEFORE, 1, 2));
    FOUND("host-preparation", NULL, COUNTED);
    assert_false(played_diagnosed(p, "host-preparation")->saves.known);
    play_end(p);
}

/* The same bytes from other memory were made again, so the work is saved if they are not made. If the bytes come from
 * one buffer, nothing shows that the work made them. */
static void bytes_that_are_made_again(void **state) {
    (void)state;
    for (uint64_t buffers = 1; buffers <= 2; buffers++) {
        play(2, 0, buffers, 1);
        diagnose("UPDATE fingerprint SET before_low = content_low + 1, before_high = 1;");
        const struct xs_diagnosed *duplicate = nth("duplicate-upload", NULL, 0);
        assert_non_null(duplicate);
        uint64_t upload_ns = COUNTED * CALL_US * US, work_ns = COUNTED * (WORK_US + GAP_US) * US;
        assert_true(duplicate->saves.least_ns <= upload_ns && duplicate->saves.least_ns > upload_ns / 2);
        if (buffers == 1) {
            assert_null(duplicate->preparation);
            assert_true(duplicate->saves.most_ns <= upload_ns);
        } else {
            assert_non_null(duplicate->preparation);
            assert_int_equal(duplicate->saves.most_ns, upload_ns + work_ns - COUNTED * ASYNC_CALL_NS);
        }
        is_in_order();
        play_end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_unknown_kind_may_have_to_stay),
        cmocka_unit_test(work_in_the_uploading_function_goes_away),
        cmocka_unit_test(sleep_is_no_work),
        cmocka_unit_test(other_work_may_have_to_stay),
        cmocka_unit_test(a_loader_reads_files),
        cmocka_unit_test(freeing_belongs_to_the_statement),
        cmocka_unit_test(work_beside_the_device_saves_nothing),
        cmocka_unit_test(bytes_that_are_made_again),
    };
    return cmocka_run_group_tests_name("preparations", tests, NULL, NULL);
}
