/* Tests what is dropped with a call that a statement of Python made: the interpreter's time before it, a library's
 * copy into page-locked memory, the event after it and the wait for this event. The runs are made by hand and their
 * answers are known. */
#include "run.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950, STREAM = 0x70, EVENT = 0x90 };

/* All copies are of line 1. */
#define OF_A_LINE LINES(3) "UPDATE transfer SET stack = 1;"

/* --- the time before it --- */

/* Uploads of the same bytes, so long after the call before them; all but the first can be dropped. */
static void play_after(int uploads, uint64_t (*gap_us)(int upload)) {
    play_begin(p);
    alloc(A, MIB);
    p->host = XS_MEM_PINNED;
    takes(CALL_US, COPY_US);
    for (int i = 0; i < uploads; i++) {
        works(gap_us(i) - 10);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
    }
}

/* 20, 25, 30, ... us, mixed: a tenth are shorter than 30. */
static uint64_t mixed(int upload) { return 20 + 5 * ((uint64_t)upload * 7 % STEPS); }

/* A line's statements take what the tenth of them takes; one that had less before it has no more to give. */
static void the_tenth_is_the_statement_s_own(void **state) {
    (void)state;
    play_after(STEPS, mixed);
    diagnose(OF_A_LINE);
    FOUND("noop-upload", NULL, STEPS - 1);
    assert_int_equal(saves("noop-upload").least_ns, ((STEPS - 1) * CALL_US + (STEPS - 2) * 30 + 25) * US);
    play_end(p);
}

/* After a call of another line, half of the time belongs to that line. */
static void half_is_the_end_of_another_statement(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        play_kernel(p, 1, &a);
        works(mixed(i) - 10);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
    }
    diagnose(OF_A_LINE);
    saves_exactly("noop-upload", (STEPS - 1) * (CALL_US + 30 / 2) * US);
    play_end(p);
}

/* Without a line of Python, what is between the calls is the program's. */
static void other_programs_keep_their_time(void **state) {
    (void)state;
    play_after(STEPS, mixed);
    diagnose(NULL);
    saves_exactly("noop-upload", (STEPS - 1) * CALL_US * US);
    play_end(p);
}

static void few_calls_say_nothing(void **state) {
    (void)state;
    for (int uploads = 7; uploads <= 8; uploads++) {
        play_after(uploads, mixed);
        diagnose(OF_A_LINE);
        /* the shortest of 8: 20 us */
        uint64_t before_us = uploads == 8 ? 20 : 0;
        assert_int_equal(saves("noop-upload").least_ns, (uint64_t)(uploads - 1) * (CALL_US + before_us) * US);
        play_end(p);
    }
}

static uint64_t long_gaps(int upload) { return upload < STEPS ? 500 : 0; }

static void no_statement_takes_longer_than_the_limit(void **state) {
    (void)state;
    play_after(STEPS, long_gaps);
    diagnose(OF_A_LINE);
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * (CALL_US + 100) * US);
    play_end(p);
}

/* --- staging --- */

static uint64_t rarely_short(int upload) { return upload < 3 ? 40 : 1000; }

/* The time that the library may take to copy 1 MiB into page-locked memory: 0.25 ns for each byte, but not more than
 * there is. */
static void staging_is_in_the_most(void **state) {
    (void)state;
    play_after(STEPS, rarely_short);
    diagnose(OF_A_LINE);
    uint64_t least = (STEPS - 1) * (CALL_US + 40) * US;
    assert_int_equal(saves("noop-upload").least_ns, least);
    assert_int_equal(saves("noop-upload").most_ns, least + (STEPS - 3) * (MIB / 4));
    play_end(p);
}

/* A thread of a library that uploads from page-locked memory has copied the program's data there. */
static void a_library_s_own_thread_stages(void **state) {
    (void)state;
    play_after(STEPS, rarely_short);
    diagnose("INSERT INTO module VALUES (1,'/usr/lib/python3/site-packages/jaxlib/xla.so',NULL,4096,8192,4096);"
             "INSERT INTO symbol VALUES (1,1,904,0,'run',NULL,NULL); INSERT INTO "
             "stack(id,native_frames,python_frames,is_cut) VALUES (1,1,0,0);"
             "INSERT INTO stack_frame (id,stack,depth,address,module) VALUES (4096,1,0,5000,1);"
             "UPDATE transfer SET stack = 1");
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * CALL_US * US);
    assert_int_equal(saves("noop-upload").most_ns,
                     (STEPS - 1) * CALL_US * US + (STEPS - 3) * (MIB / 4) + 2 * (uint64_t)40 * US);
    play_end(p);
}

static void pageable_copies_are_not_staged_by_a_library(void **state) {
    (void)state;
    play_begin(p);
    alloc(A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        works(rarely_short(i) - 10);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
    }
    diagnose(OF_A_LINE);
    saves_exactly("noop-upload", (STEPS - 1) * (CALL_US + 40) * US);
    play_end(p);
}

/* If a memset replaces the upload, there is no staging, and no statement before the copy. */
static void a_memset_needs_no_statement_of_the_library(void **state) {
    (void)state;
    play_begin(p);
    alloc(A, MIB);
    p->constant = true;
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        works(20);
        up(A, MIB, 1 + i, i ? i : NOT_MEASURED, HOST);
    }
    diagnose(OF_A_LINE);
    /* before the first one, half of it is the allocation's */
    saves_exactly("constant-content", STEPS * ((CALL_US + 30) * US - ASYNC_CALL_NS) - 15 * US);
    play_end(p);
}

/* --- what is behind it --- */

enum { SHORT_CALL_US = 5, LONG_COPY_US = 300, BEFORE_US = 30, OWN_WAIT_US = 2 };

/* The calls after the asynchronous upload. */
struct behind {
    uint64_t record_after_us; /* 0: there is no event */
    enum xs_sync_scope scope; /* scope of the wait */
    uint64_t kernel_us;       /* duration of the kernel before the upload; 0: there is none */
};

/* Plays 305 us from the upload's call to the return of the wait for it, with 30 us before the call. */
static void play_behind(struct behind what) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    p->host = XS_MEM_PINNED;
    p->async = true;
    p->stream = STREAM;
    for (int i = 0; i < STEPS; i++) {
        takes(SHORT_CALL_US, LONG_COPY_US);
        if (what.kernel_us) {
            kernel(what.kernel_us, a);
            p->delay_ns = (5 + what.kernel_us + 2 - BEFORE_US) * US; /* 2 us behind the kernel */
        }
        works(BEFORE_US - 10);
        play_up(p, A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
        uint64_t ends_ns = p->now_ns + p->delay_ns + p->device_ns;
        returned();
        if (what.record_after_us) {
            p->call_ns = US;
            works(what.record_after_us - 10);
            play_record(p, EVENT);
            returned();
        }
        p->call_ns = ends_ns + 3 * US - (p->now_ns + 10 * US);
        play_wait(p, what.scope, what.scope == XS_SYNC_EVENT ? EVENT : STREAM);
        returned();
    }
}

#define STEP_US (BEFORE_US + LATENCY_US + LONG_COPY_US + 3)

static void a_line_s_wait_and_event_go_with_its_copy(void **state) {
    (void)state;
    play_behind((struct behind){10, XS_SYNC_STREAM, 0});
    diagnose(OF_A_LINE "UPDATE sync SET stack = 1");
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * STEP_US * US);
    play_end(p);
    play_behind((struct behind){0, XS_SYNC_STREAM, 0}); /* without an event */
    diagnose(OF_A_LINE "UPDATE sync SET stack = 1");
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * STEP_US * US);
    play_end(p);
}

/* The wait stays, 10 us after the event, and has nothing to wait for. Half of the time before the upload belongs to
 * the upload. */
static void a_wait_of_another_line_stays(void **state) {
    (void)state;
    play_behind((struct behind){10, XS_SYNC_STREAM, 0});
    diagnose(OF_A_LINE "UPDATE sync SET stack = 2");
    uint64_t stays = 10 + OWN_WAIT_US + BEFORE_US / 2;
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * (STEP_US - stays) * US);
    play_end(p);
}

/* Recording the event takes no time, and the wait for it still finds it. A kernel may run before it. */
static void a_wait_for_the_event_finds_it(void **state) {
    (void)state;
    play_behind((struct behind){10, XS_SYNC_EVENT, 0});
    diagnose(OF_A_LINE "UPDATE sync SET stack = 1");
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * (STEP_US - 10 - OWN_WAIT_US) * US);
    play_end(p);
    play_behind((struct behind){10, XS_SYNC_EVENT, 5000});
    diagnose(OF_A_LINE "UPDATE sync SET stack = 1");
    saves_exactly("noop-upload", (STEPS - 1) * (2 + LONG_COPY_US) * US);
    play_end(p);
}

/* A call more than 100 us later belongs to another statement, and so do the calls after it. */
static void a_late_event_is_another_statement_s(void **state) {
    (void)state;
    for (uint64_t us = 100; us <= 101; us++) {
        play_behind((struct behind){us, XS_SYNC_STREAM, 0});
        diagnose(OF_A_LINE "UPDATE sync SET stack = 1");
        uint64_t stays = us > 100 ? us + 1 + 10 + OWN_WAIT_US : 0;
        assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * (STEP_US - stays) * US);
        play_end(p);
    }
}

/* The line of events is not known, but the statement before an event is. */
static void an_event_is_of_the_copy_before_it(void **state) {
    (void)state;
    play_begin(p);
    alloc(A, MIB);
    p->host = XS_MEM_PINNED;
    p->async = true;
    p->stream = STREAM;
    for (int i = 0; i < STEPS; i++) {
        works(BEFORE_US - 10);
        takes(SHORT_CALL_US, 15);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
        p->call_ns = US;
        play_record(p, EVENT);
        returned();
    }
    diagnose(OF_A_LINE);
    assert_int_equal(saves("noop-upload").least_ns, (STEPS - 1) * (BEFORE_US + SHORT_CALL_US + 10 + 1) * US);
    play_end(p);
}

/* In a program that is not Python, only the call is dropped. */
static void other_programs_keep_what_is_behind(void **state) {
    (void)state;
    play_behind((struct behind){10, XS_SYNC_STREAM, 0});
    diagnose(NULL);
    saves_exactly("noop-upload", (STEPS - 1) * (STEP_US - BEFORE_US - 10 - 1 - 10 - OWN_WAIT_US) * US);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tenth_is_the_statement_s_own),
        cmocka_unit_test(half_is_the_end_of_another_statement),
        cmocka_unit_test(other_programs_keep_their_time),
        cmocka_unit_test(few_calls_say_nothing),
        cmocka_unit_test(no_statement_takes_longer_than_the_limit),
        cmocka_unit_test(staging_is_in_the_most),
        cmocka_unit_test(a_library_s_own_thread_stages),
        cmocka_unit_test(pageable_copies_are_not_staged_by_a_library),
        cmocka_unit_test(a_memset_needs_no_statement_of_the_library),
        cmocka_unit_test(a_line_s_wait_and_event_go_with_its_copy),
        cmocka_unit_test(a_wait_of_another_line_stays),
        cmocka_unit_test(a_wait_for_the_event_finds_it),
        cmocka_unit_test(a_late_event_is_another_statement_s),
        cmocka_unit_test(an_event_is_of_the_copy_before_it),
        cmocka_unit_test(other_programs_keep_what_is_behind),
    };
    return cmocka_run_group_tests_name("statements", tests, NULL, NULL);
}
