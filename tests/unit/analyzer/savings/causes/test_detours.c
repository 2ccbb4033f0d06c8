/* Tests detours over the host: downloads, work of the host, and uploads between two places of one function. The runs
 * are made by hand, with known answers. */
#include "run.h"

#include "analyzer/words/detour_words.h"

enum { TRIPS = 20, WORK_US = 3000, CALL_US = 1000, COPY_US = 950 };

/* Stacks 1 to 9 are lines 1 to 9 of step. Stack 12 is line 1 of fetch, called at line 3 of step. Stacks 13 and 14 are
 * line 1 of fetch, called at line 1 and at line 9 of main. Stack 15 is line 1 of send, called at line 5 of main. */
#define STACKS                                                                                                         \
    LINES(9)                                                                                                           \
    "INSERT INTO python_code VALUES (2,'/app/train.py','fetch',1), (3,'/app/train.py','main',1),"                      \
    " (4,'/app/train.py','send',1);"                                                                                   \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (12,0,2,0), (13,0,2,0), (14,0,2,0), (15,0,2,0);"  \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES"                                               \
    " (49152,12,0,2,1,1), (49153,12,1,1,3,1), (53248,13,0,2,1,1), (53249,13,1,3,1,1), (57344,14,0,2,1,1),"             \
    " (57345,14,1,3,9,1), (61440,15,0,4,1,1), (61441,15,1,3,5,1);"
/* Gives downloads the stack `down`, and uploads the stack `up` or 5. */
#define BETWEEN(down, up)                                                                                              \
    PEAK STACKS "UPDATE transfer SET stack = CASE direction WHEN 2 THEN " #down " ELSE " #up " END;"                   \
                "UPDATE sync SET stack = " #up ";"
#define FROM(down) BETWEEN(down, 5)

static uint32_t memory;

static void begin(void) {
    play_begin(p);
    alloc(A, MIB);
    memory = alloc(B, MIB);
}

/* Plays the download of a trip, and the host's work after it. */
static void fetch(uint64_t bytes) {
    takes(CALL_US, COPY_US);
    down(A, bytes, NO_CONTENT, HOST);
    works(WORK_US - 10);
}

static void send(void) {
    takes(CALL_US, COPY_US);
    up(B, MIB, NO_CONTENT, NOT_MEASURED, OTHER);
}

/* Plays the other half of a step: a kernel, and work of the host beside it, which are no part of the trip. */
static void compute(void) {
    takes(0, 0);
    kernel(2, memory);
    works(500);
}

static void play_trips(int trips, uint64_t bytes) {
    begin();
    for (int i = 0; i < trips; i++) {
        compute();
        fetch(bytes);
        send();
    }
}

static void is_no_detour(const char *sql) {
    diagnose(sql);
    assert_int_equal(p->diagnosis->detour_count, 0);
    for (size_t i = 0; i < p->diagnosis->count; i++)
        assert_int_equal(p->diagnosis->items[i].detour, 0);
    play_end(p);
}

/* --- what is one --- */

static void data_goes_over_the_host(void **state) {
    (void)state;
    play_trips(TRIPS, MIB);
    diagnose(FROM(4));
    FOUND("pageable", NULL, 2 * TRIPS);
    assert_int_equal(p->diagnosis->detour_count, 1);
    const struct xs_detour *detour = &p->diagnosis->detours[0];
    assert_int_equal(detour->trips, TRIPS);
    assert_int_equal(detour->host_ns, (uint64_t)TRIPS * WORK_US * US);
    /* both calls and the work between them; and the time that the download's statement takes before its call */
    uint64_t least = (uint64_t)TRIPS * (WORK_US + 2 * CALL_US) * US;
    assert_in_range(detour->most_ns, least, least + (uint64_t)TRIPS * 100 * US);
    /* of all findings about these copies; host-work saves all of it, and counts in the whole saving */
    for (size_t i = 0; i < p->diagnosis->count; i++)
        assert_int_equal(p->diagnosis->items[i].detour, 1);
    assert_int_equal(nth("host-work", NULL, 0)->saves.most_ns, detour->most_ns);
    /* at least, the copies are made, and only the host's work goes away; the last trip stays */
    least = (uint64_t)(TRIPS - 1) * (WORK_US + CALL_US - COPY_US) * US;
    assert_in_range(nth("host-work", NULL, 0)->saves.least_ns, least - least / 20, least + least / 20);
    assert_in_range(p->diagnosis->together.most_ns, detour->most_ns, p->findings->recorded.run_ns);
    struct xs_string text = {0};
    xs_say_detour(&text, p->diagnosis, nth("pageable", NULL, 0));
    assert_non_null(strstr(text.data, "60.0 ms: 20 times 3.00 ms"));
    xs_string_free(&text);
    is_in_order();
    play_end(p);
}

/* Most of the downloads are for something else, so the detour is shown only at the uploads. */
static void most_downloads_have_no_upload(void **state) {
    (void)state;
    play_trips(TRIPS, MIB);
    for (int i = 0; i < 2 * TRIPS; i++) {
        fetch(MIB);
        compute();
    }
    diagnose(FROM(4));
    assert_int_equal(p->diagnosis->detour_count, 1);
    for (size_t i = 0; i < 2; i++) {
        const struct xs_diagnosed *d = nth("pageable", NULL, i);
        bool are_uploads = d->finding->transfers == TRIPS;
        assert_true(are_uploads || d->finding->transfers == 3 * TRIPS);
        assert_int_equal(d->detour, are_uploads);
    }
    play_end(p);
}

/* Before the upload, its function calls the function that downloads. */
static void the_download_may_be_in_a_function_that_is_called(void **state) {
    (void)state;
    play_trips(TRIPS, MIB);
    diagnose(FROM(12));
    assert_int_equal(p->diagnosis->detour_count, 1);
    play_end(p);
}

/* A third function calls both, in this order or in the other one. */
static void both_may_be_in_functions_that_are_called(void **state) {
    (void)state;
    play_trips(TRIPS, MIB);
    diagnose(BETWEEN(13, 15));
    assert_int_equal(p->diagnosis->detour_count, 1);
    play_end(p);
    play_trips(TRIPS, MIB);
    is_no_detour(BETWEEN(14, 15));
}

/* An asynchronous download is there once the host has waited for it; what the host does before is not counted. */
static void the_host_waits_for_the_download(void **state) {
    (void)state;
    for (int waiting = 0; waiting < 2; waiting++) {
        begin();
        for (int i = 0; i < TRIPS; i++) {
            compute();
            takes(10, COPY_US);
            p->async = true;
            p->host = XS_MEM_PINNED;
            down(A, MIB, NO_CONTENT, HOST);
            works(400);
            if (waiting)
                waits(900);
            works(WORK_US - 10);
            p->async = false;
            p->host = XS_MEM_PAGEABLE;
            send();
        }
        diagnose(FROM(4));
        assert_int_equal(p->diagnosis->detour_count, waiting);
        if (waiting)
            assert_int_equal(p->diagnosis->detours[0].host_ns, (uint64_t)TRIPS * WORK_US * US);
        play_end(p);
    }
}

/* --- what is none --- */

static void a_value_is_read(void **state) {
    (void)state;
    play_trips(TRIPS, 64);
    is_no_detour(FROM(4));
    play_trips(TRIPS, 65);
    diagnose(FROM(4));
    assert_int_equal(p->diagnosis->detour_count, 1);
    play_end(p);
}

static void few_trips(void **state) {
    (void)state;
    play_trips(2, MIB);
    is_no_detour(FROM(4));
    play_trips(3, MIB);
    diagnose(FROM(4));
    assert_int_equal(p->diagnosis->detour_count, 1);
    play_end(p);
}

/* The downloads have the results of a round, and the uploads have the data of the next round. */
static void the_download_is_behind_the_upload(void **state) {
    (void)state;
    play_trips(TRIPS, MIB);
    is_no_detour(FROM(6));
    play_trips(TRIPS, MIB);
    is_no_detour(FROM(5)); /* in one line, either may be first */
}

static void they_are_of_other_functions(void **state) {
    (void)state;
    play_trips(TRIPS, MIB);
    is_no_detour(FROM(13));
    play_trips(TRIPS, MIB);
    is_no_detour(NULL); /* no known contents */
}

static void another_thread_uploads(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < TRIPS; i++) {
        compute();
        fetch(MIB);
        p->thread = 2;
        send();
        p->thread = 1;
    }
    is_no_detour(FROM(4));
}

/* The device gets work in between. This may be the work of a library that fills the array only directly before the
 * upload. */
static void something_is_launched_between(void **state) {
    (void)state;
    for (int far = 0; far < 2; far++) {
        begin();
        for (int i = 0; i < TRIPS; i++) {
            compute();
            fetch(MIB);
            takes(0, 0);
            kernel(2, memory);
            works(far ? 200 : 50);
            send();
        }
        diagnose(FROM(4));
        assert_int_equal(p->diagnosis->detour_count, far ? 0 : 1);
        play_end(p);
    }
}

/* The uploaded content is known, and is nothing that the host computes. */
static void the_same_is_uploaded_each_time(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < TRIPS; i++) {
        compute();
        fetch(MIB);
        takes(CALL_US, COPY_US);
        up(B, MIB, 1, i ? 1 : NOT_MEASURED, OTHER);
    }
    is_no_detour(FROM(4));
}

static void most_uploads_have_no_download(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < TRIPS; i++) {
        compute();
        fetch(MIB);
        send();
        send();
        send();
    }
    is_no_detour(FROM(4));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_goes_over_the_host),
        cmocka_unit_test(most_downloads_have_no_upload),
        cmocka_unit_test(the_download_may_be_in_a_function_that_is_called),
        cmocka_unit_test(both_may_be_in_functions_that_are_called),
        cmocka_unit_test(the_host_waits_for_the_download),
        cmocka_unit_test(a_value_is_read),
        cmocka_unit_test(few_trips),
        cmocka_unit_test(the_download_is_behind_the_upload),
        cmocka_unit_test(they_are_of_other_functions),
        cmocka_unit_test(another_thread_uploads),
        cmocka_unit_test(something_is_launched_between),
        cmocka_unit_test(the_same_is_uploaded_each_time),
        cmocka_unit_test(most_uploads_have_no_download),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
