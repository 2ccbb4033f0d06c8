/* Tests needless-wait and launch-bound: each clause of docs/rules/analysis.md from both sides. */
#include "played.h"

#define US UINT64_C(1000)
enum { A = 0x10000000, HOST = 0x5000000, KIB = 1024, TIMES = 12 };
enum { STREAM = 7, OTHER_STREAM = 8, EVENT = 99 };

static struct played played, *p = &played;

/* --- needless-wait --- */

/* What the program does besides kernels and waits. */
enum how {
    PLAIN,
    BY_EVENT,
    RECORDS, /* an event before the wait for the stream */
    FOR_CONTEXT,
    DOWNLOADS,   /* an asynchronous download before the wait */
    READS_AFTER, /* a blocking download after the wait */
    UPLOADS,     /* an asynchronous upload from page-locked memory before the wait */
    OF_TWO,      /* two streams have work, and the context is waited for */
    GOES_ELSEWHERE,
    GIVES_HOST_MEMORY,
    HAS_HOST_MEMORY, /* no kernel is given it */
    BY_TWO_THREADS,
    UNSEEN, /* with host memory, and arguments are not seen */
    SHARES,
    ORDERS, /* the stream waits for an event of another one */
};

static void one_wait(enum how how) {
    if (how == BY_EVENT || how == RECORDS)
        play_record(p, EVENT);
    p->call_ns = 20 * US;
    if (how == BY_EVENT)
        play_wait(p, XS_SYNC_EVENT, EVENT);
    else if (how == FOR_CONTEXT || how == OF_TWO)
        play_sync(p);
    else
        play_wait(p, XS_SYNC_STREAM, 0);
    p->now_ns += p->call_ns;
    p->call_ns = 0;
}

static void step(enum how how, uint32_t host) {
    p->stream = STREAM;
    p->kernel_ns = 5 * US;
    if (how == ORDERS)
        play_stream_wait(p, EVENT);
    if (how == UNSEEN)
        play_unseen_kernel(p);
    else
        play_kernel(p, how == GIVES_HOST_MEMORY, &host);
    p->async = true;
    p->host = XS_MEM_PINNED;
    if (how == DOWNLOADS)
        play_down(p, A, 8 * KIB, NO_CONTENT, HOST);
    if (how == UPLOADS)
        play_up(p, A, 8 * KIB, NO_CONTENT, NOT_MEASURED, HOST);
    if (how == DOWNLOADS || how == UPLOADS)
        play_kernel(p, 0, NULL); /* the wait is not directly behind the copy */
    if (how == OF_TWO) {
        p->stream = OTHER_STREAM;
        play_kernel(p, 0, NULL);
    }
    one_wait(how);
    p->async = false;
    if (how == READS_AFTER)
        play_down(p, A, 8 * KIB, NO_CONTENT, HOST);
    if (how == GOES_ELSEWHERE || how == BY_TWO_THREADS) {
        p->thread = how == BY_TWO_THREADS ? 2 : 1;
        p->stream = OTHER_STREAM;
        play_kernel(p, 0, NULL);
        p->thread = 1;
    }
}

static void steps(enum how how, int times) {
    play_begin(p);
    play_alloc(p, A, 64 * KIB);
    p->memory = XS_MEM_PINNED;
    bool has_memory = how == GIVES_HOST_MEMORY || how == HAS_HOST_MEMORY || how == UNSEEN;
    uint32_t host = has_memory ? play_alloc(p, HOST, 64 * KIB) : 0;
    if (how == SHARES)
        play_share(p, A);
    for (int i = 0; i < times; i++)
        step(how, host);
    play_analyse(p, NULL);
}

static void waits_that_nothing_needs(void **state) {
    static const enum how hows[] = {PLAIN, FOR_CONTEXT, HAS_HOST_MEMORY, BY_TWO_THREADS};
    (void)state;
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        steps(hows[i], TIMES + 1); /* after the last wait comes no work */
        FOUND("needless-wait", NULL, TIMES);
        play_end(p);
    }
    steps(PLAIN, 10);
    NOT_FOUND("needless-wait");
    play_end(p);
}

/* The kernel runs for 5 us of the 20 us of the wait, and 10 us lie before the next launch. */
static void the_device_was_idle(void **state) {
    (void)state;
    steps(PLAIN, TIMES + 1);
    const struct xs_finding *finding = played_finding(p, "needless-wait");
    assert_int_equal(finding->cost.host_ns, TIMES * (20 + 10) * US);
    assert_in_range(finding->removable.host_ns, TIMES * (20 + 10 - 5) * US, TIMES * (20 + 10) * US);
    play_end(p);
}

static void waits_that_may_be_needed(void **state) {
    static const enum how needed[] = {BY_EVENT,       RECORDS,           DOWNLOADS, READS_AFTER, UPLOADS, OF_TWO,
                                      GOES_ELSEWHERE, GIVES_HOST_MEMORY, UNSEEN,    SHARES,      ORDERS};
    (void)state;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        steps(needed[i], TIMES + 1);
        NOT_FOUND("needless-wait");
        play_end(p);
    }
}

/* Shares of the run count only if the trace has its duration. */
static void analyse_with_duration(void) {
    xs_store_meta_int(p->store, "duration_ns", (int64_t)p->now_ns);
    play_analyse(p, NULL);
}

/* If kernels run during the whole waits, nothing can be gained. */
static void waits_behind_a_busy_device(void **state) {
    (void)state;
    play_begin(p);
    p->stream = STREAM;
    for (int i = 0; i <= TIMES; i++) {
        p->kernel_ns = 2000 * US;
        p->kernel_delay_ns = 1 * US;
        play_kernel(p, 0, NULL);
        p->call_ns = 1995 * US;
        play_wait(p, XS_SYNC_STREAM, 0);
        p->now_ns += p->call_ns;
        p->call_ns = 0;
    }
    analyse_with_duration();
    NOT_FOUND("needless-wait");
    play_end(p);
}

static void a_few_waits_of_a_long_run(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i <= TIMES; i++)
        step(PLAIN, 0);
    p->now_ns += 100000 * US;
    analyse_with_duration();
    NOT_FOUND("needless-wait"); /* less than 5 % of the run */
    play_end(p);
}

/* --- launch-bound --- */

enum differ { ALL_ALIKE, BY_COUNT, BY_GRID };

/* Plays runs of launches, 10 us apart, each before a wait. `longer_us` is the program's own time between two launches.
 */
static void play_runs(int times, int launches, uint64_t kernel_us, uint64_t longer_us, enum differ differ) {
    play_begin(p);
    p->stream = STREAM;
    p->kernel_ns = kernel_us * US;
    for (int i = 0; i < times; i++) {
        for (int k = 0; k < launches + (differ == BY_COUNT ? i % 2 : 0); k++) {
            p->kernel_blocks = differ == BY_GRID ? 1 + (uint32_t)i % 2 : 1;
            play_kernel(p, 0, NULL);
            p->now_ns += longer_us * US;
        }
        play_wait(p, XS_SYNC_STREAM, 0);
    }
}

static void runs(int times, int launches, uint64_t kernel_us, uint64_t longer_us, enum differ differ) {
    play_runs(times, launches, kernel_us, longer_us, differ);
    play_analyse(p, NULL);
}

static void the_host_launches_slowly(void **state) {
    (void)state;
    runs(TIMES + 1, 8, 2, 0, ALL_ALIKE); /* the first run is compared with none */
    FOUND("launch-bound", NULL, TIMES);
    const struct xs_finding *finding = played_finding(p, "launch-bound");
    assert_int_equal(finding->cost.host_ns, TIMES * 7 * 10 * US);
    assert_int_equal(finding->removable.host_ns, TIMES * (7 * (10 - 2) * US - 10 * US));
    play_end(p);
    runs(10, 8, 2, 0, ALL_ALIKE);
    NOT_FOUND("launch-bound");
    play_end(p);
    runs(TIMES + 1, 3, 2, 0, ALL_ALIKE);
    NOT_FOUND("launch-bound");
    play_end(p);
    runs(TIMES + 1, 8, 10, 0, ALL_ALIKE); /* the device is busy */
    NOT_FOUND("launch-bound");
    play_end(p);
    runs(TIMES + 1, 8, 2, 40, ALL_ALIKE); /* the host does something else between the launches */
    NOT_FOUND("launch-bound");
    play_end(p);
    for (enum differ differ = BY_COUNT; differ <= BY_GRID; differ++) {
        runs(TIMES + 1, 8, 2, 0, differ);
        NOT_FOUND("launch-bound");
        play_end(p);
    }
}

/* Stacks 1 and 2 are of two lines in one function, stack 3 is of another function. */
#define STACKS                                                                                                         \
    "INSERT INTO python_code VALUES (1,'/app/decode.py','forward',1), (2,'/app/decode.py','other',50);"                \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,1,0), (2,0,1,0), (3,0,1,0);"                 \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry)"                                                      \
    " VALUES (4096+2048,1,0,1,5,1), (2*4096+2048,2,0,1,6,1), (3*4096+2048,3,0,2,50,1);"

/* Few launches have a stack. The site of the finding is that of the wait, whichever launches have one. Beside it stands
 * the line of the first launch that has a stack, unless launches come from several functions. */
static void runs_say_where_they_are_launched(void **state) {
    (void)state;
    static const struct {
        const char *sql;
        unsigned line; /* 0: not known */
    } cases[] = {
        {NULL, 0},
        {STACKS "UPDATE launch_row SET stack = 1 WHERE id = 91;", 5},
        {STACKS "UPDATE launch_row SET stack = 2 WHERE id = 11; UPDATE launch_row SET stack = 1 WHERE id IN (13, 30);",
         6},
        {STACKS "UPDATE launch_row SET stack = 1 WHERE id = 11; UPDATE launch_row SET stack = 3 WHERE id = 90;", 0},
        {STACKS "UPDATE launch_row SET stack = 1 WHERE id = 11; UPDATE launch_row SET stack = 3 WHERE id = 13;", 0},
        {STACKS "UPDATE launch_row SET stack = 77 WHERE id = 11; UPDATE launch_row SET stack = -1 WHERE id = 30;", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        play_runs(TIMES + 1, 8, 2, 0, ALL_ALIKE);
        play_analyse(p, cases[i].sql);
        FOUND("launch-bound", NULL, TIMES);
        const struct xs_finding *finding = played_finding(p, "launch-bound");
        const struct xs_frame *frame = xs_site_frame(p->findings, finding->launched_at);
        assert_int_equal(frame ? frame->line : 0, cases[i].line);
        assert_string_equal(xs_site_name(p->findings, finding->site), "cuCtxSynchronize");
        play_end(p);
    }
}

/* --- damaged traces --- */

/* An entry point that is not known, or impossible, is no function of the driver. Number 0 is one. */
static void an_unknown_entry_point_has_no_name(void **state) {
    static const char *const impossible[] = {"UPDATE sync SET entry_point = -5;",
                                             "UPDATE sync SET entry_point = 4294967296;"};
    (void)state;
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        play_runs(TIMES + 1, 8, 2, 0, ALL_ALIKE);
        xs_store_entry_point(p->store, 0, "cuMemcpy", XS_CAT_TRANSFER);
        play_analyse(p, impossible[i]);
        assert_string_equal(xs_site_name(p->findings, played_finding(p, "launch-bound")->site), "unknown");
        play_end(p);
    }
    play_begin(p);
    xs_store_entry_point(p->store, 0, "cuMemcpy", XS_CAT_TRANSFER);
    play_alloc(p, A, 64 * KIB);
    for (int i = 0; i < TIMES; i++)
        play_up(p, A, 8 * KIB, 1, i ? 1 : NOT_MEASURED, HOST);
    play_analyse(p, "UPDATE transfer_shape SET entry_point = NULL;");
    assert_string_equal(xs_site_name(p->findings, played_finding(p, "noop-upload")->site), "unknown");
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_that_nothing_needs),         cmocka_unit_test(the_device_was_idle),
        cmocka_unit_test(waits_that_may_be_needed),         cmocka_unit_test(waits_behind_a_busy_device),
        cmocka_unit_test(a_few_waits_of_a_long_run),        cmocka_unit_test(the_host_launches_slowly),
        cmocka_unit_test(runs_say_where_they_are_launched), cmocka_unit_test(an_unknown_entry_point_has_no_name),
    };
    return cmocka_run_group_tests_name("waits_and_launches", tests, NULL, NULL);
}
