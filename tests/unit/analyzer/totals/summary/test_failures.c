/* Tests which failed calls count, since when calls failed, and which call failed first. */
#include "played.h"

#include <sqlite3.h>

#include "analyzer/totals/summary/summary_failures.h"
#include "analyzer/trace/cuda_errors.h"
#include "analyzer/words/failures_words.h"

enum { A = 0x10000000, HOST = 0x5000000, BYTES = 4096 };

static struct played played, *p = &played;
static struct xs_failures failures;

/* Plays ten uploads, ten kernels, ten waits and ten event records, in turns; runs `sql` on the trace, and reads what
 * failed. */
static void failing(const char *sql) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 10; i++) {
        play_up(p, A, BYTES, NO_CONTENT, NOT_MEASURED, HOST);
        play_kernel(p, 0, NULL);
        play_sync(p);
        play_record(p, 1);
    }
    play_analyse(p, sql);
    assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
    if (xs_failures_read(&trace, &failures, message) < 0)
        fail_msg("%s", message);
    xs_trace_close(&trace);
}

static void end(void) {
    xs_failures_free(&failures);
    play_end(p);
}

static void expect_words(const char *expected) {
    struct xs_string text = {0};
    xs_failures_say(&text, &failures, p->findings);
    assert_string_equal(text.data ? text.data : "", expected);
    xs_string_free(&text);
}

static void nothing_failed(void **state) {
    (void)state;
    failing(NULL);
    assert_int_equal(failures.count, 0);
    assert_int_equal(failures.calls, 0);
    expect_words("");
    end();
}

/* After a kernel has used an illegal address, everything after the third wait fails, in every table. */
static void everything_after_an_illegal_address(void **state) {
    (void)state;
    failing("UPDATE sync SET result = 700 WHERE id >= 3; UPDATE transfer SET result = 700 WHERE id > 3;"
            "UPDATE launch SET result = 700 WHERE id > 3; UPDATE api_call SET result = 700 WHERE id >= 3;"
            "UPDATE sync SET enter_ns = 1204000000 WHERE id >= 3; UPDATE transfer SET enter_ns = 1205000000 + id"
            " WHERE id > 3; UPDATE launch SET enter_ns = 1206000000 WHERE id > 3;"
            "UPDATE api_call SET enter_ns = 1207000000 WHERE id >= 3");
    assert_int_equal(failures.count, 1);
    assert_int_equal(failures.calls, 8 + 7 + 7 + 8);
    const struct xs_failure *failure = &failures.items[0];
    assert_int_equal(failure->result, 700);
    assert_true(failure->is_fatal);
    assert_int_equal(failure->calls, 30);
    assert_int_equal(failure->first_ns, 1204000000);
    assert_string_equal(failure->name, "cuCtxSynchronize");
    expect_words("CUDA calls fail: CUDA_ERROR_ILLEGAL_ADDRESS since 1.20 s, 30 calls, first cuCtxSynchronize");
    end();
}

#define META(key, value) "INSERT OR REPLACE INTO meta VALUES ('failure." key "', '" value "');"

/* Capture saw the device fail while CUPTI was attached: that may be the cause, and the user can try without. */
static void cupti_was_attached(void **state) {
    (void)state;
    failing("UPDATE sync SET result = 719, enter_ns = 1204000000 WHERE id = 10;" META("result", "719")
                META("entry_point", "cuCtxSynchronize") META("at_ns", "1205000000") META("cupti", "attached"));
    expect_words("CUDA calls fail: CUDA_ERROR_LAUNCH_FAILED since 1.20 s, 1 call, first cuCtxSynchronize"
                 ". CUPTI was attached then: if the program runs well without xferspy, record it with "
                 "XFERSPY_CUPTI=off");
    end();
    failing("UPDATE sync SET result = 719, enter_ns = 1204000000 WHERE id = 10;" META("result", "719")
                META("entry_point", "cuCtxSynchronize") META("at_ns", "1205000000") META("cupti", "detached"));
    expect_words("CUDA calls fail: CUDA_ERROR_LAUNCH_FAILED since 1.20 s, 1 call, first cuCtxSynchronize");
    end();
}

/* The call that failed first may be one that is not recorded, and the last one of the program. */
static void only_an_unrecorded_call_failed(void **state) {
    (void)state;
    failing(META("result", "719") META("entry_point", "cuStreamIsCapturing") META("at_ns", "1205000000")
                META("cupti", "attached"));
    assert_int_equal(failures.count, 0);
    expect_words("The device fails: CUDA_ERROR_LAUNCH_FAILED since 1.21 s, first cuStreamIsCapturing"
                 ". CUPTI was attached then: if the program runs well without xferspy, record it with "
                 "XFERSPY_CUPTI=off");
    end();
    failing("UPDATE transfer SET result = 1 WHERE id = 9;" META("result", "719")
                META("entry_point", "cuStreamIsCapturing") META("at_ns", "1205000000") META("cupti", "off"));
    struct xs_string text = {0};
    xs_failures_say(&text, &failures, p->findings);
    assert_non_null(strstr(text.data, "CUDA calls fail: CUDA_ERROR_INVALID_VALUE"));
    assert_non_null(strstr(text.data, ". The device fails: CUDA_ERROR_LAUNCH_FAILED"));
    assert_null(strstr(text.data, "CUPTI"));
    xs_string_free(&text);
    end();
}

static void the_first_call_has_its_line(void **state) {
    (void)state;
    failing("INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,1,0),(2,0,1,0);"
            "INSERT INTO python_code VALUES (1,'/app/train.py','step',1);"
            "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (6144,1,0,1,12,1),(10240,2,0,1,14,1);"
            "UPDATE transfer SET stack = 1; UPDATE transfer SET stack = 2, result = 1 WHERE id = 8;"
            "UPDATE transfer SET result = 1 WHERE id = 9");
    assert_int_equal(failures.items[0].calls, 2);
    assert_int_equal(failures.items[0].stack, 2);
    assert_false(failures.items[0].is_fatal);
    struct xs_string text = {0};
    xs_failures_say(&text, &failures, p->findings);
    assert_non_null(strstr(text.data, "CUDA_ERROR_INVALID_VALUE since "));
    assert_non_null(strstr(text.data, "2 calls, first cuMemcpyHtoD_v2 at app/train.py:14 in step"));
    xs_string_free(&text);
    end();
}

/* Fatal errors come first; the others are sorted by their calls. An error without a name is shown by its number. */
static void several_errors(void **state) {
    (void)state;
    failing("UPDATE transfer SET result = 1 WHERE id < 6; UPDATE sync SET result = 719 WHERE id = 10;"
            "UPDATE launch SET result = 98 WHERE id < 4; UPDATE api_call SET result = 400 WHERE id = 1");
    assert_int_equal(failures.count, 4);
    assert_int_equal(failures.items[0].result, 719);
    assert_int_equal(failures.items[1].result, 1);
    assert_int_equal(failures.items[2].result, 98);
    assert_int_equal(failures.items[3].result, 400);
    struct xs_string text = {0};
    xs_failures_say(&text, &failures, p->findings);
    assert_non_null(strstr(text.data, "; CUDA_ERROR_INVALID_VALUE since "));
    assert_non_null(strstr(text.data, "; error 98 since "));
    assert_non_null(strstr(text.data, "; 1 more error"));
    xs_string_free(&text);
    end();
}

/* All copies of a batch call count as one call. */
static void a_batch_call_fails_once(void **state) {
    (void)state;
    failing("UPDATE transfer SET result = 1, batch_index = id - 1");
    assert_int_equal(failures.calls, 1);
    end();
}

#define LOAD                                                                                                           \
    "UPDATE entry_point SET category = (SELECT id FROM category WHERE name = 'load') WHERE id = 13;"                   \
    "UPDATE api_call SET entry_point = 13,"

static void harmless_calls_do_not_count(void **state) {
    static const struct {
        const char *sql;
        uint64_t calls;
    } cases[] = {
        {"UPDATE sync SET result = 600", 0},                       /* not ready */
        {"UPDATE transfer SET result = 4 WHERE id = 10", 0},       /* deinitialized */
        {"UPDATE api_call SET result = 3", 0},                     /* not initialized */
        {"UPDATE api_call SET result = 704", 0},                   /* peer access already enabled */
        {"UPDATE api_call SET result = 712", 0},                   /* already registered */
        {"UPDATE api_call SET result = 500, entry_point = 13", 0}, /* looked for, in a lookup */
        {"UPDATE api_call SET result = 500", 10},                  /* in an event's call */
        {"UPDATE api_call SET result = 1, entry_point = 13", 0},   /* cuIpcGetMemHandle */
        {"UPDATE api_call SET result = 709, entry_point = 5", 0},  /* a free after its context */
        {"UPDATE transfer SET result = 709", 10},                  /* a copy after its context */
        {"UPDATE api_call SET result = 101, entry_point = 12", 0}, /* prefetch: the device cannot */
        {"UPDATE transfer SET result = 101", 10},
        {LOAD " result = 200", 0}, /* the program loads another image */
        {LOAD " result = 209", 0},
        {LOAD " result = 222", 0},
        {LOAD " result = 1", 10}, /* harmless in a lookup */
        {LOAD " result = 500", 10},
        {"UPDATE api_call SET result = 200, entry_point = 13", 10},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        failing(cases[i].sql);
        if (failures.calls != cases[i].calls)
            fail_msg("%s: %llu calls", cases[i].sql, (unsigned long long)failures.calls);
        assert_true(failures.calls || failures.harmless);
        end();
    }
}

/* If an allocation is refused, and a later one of the same size succeeds in the same thread, an allocator has made
 * room. */
static void a_refusal_that_was_overcome(void **state) {
    static const struct {
        const char *sql;
        uint64_t calls;
    } cases[] = {
        {"", 0},
        {"UPDATE api_call SET bytes = 4097", 1},
        {"UPDATE allocation SET thread = 2", 1},
        {"UPDATE allocation SET enter_ns = 100, return_ns = 200", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[300];
        snprintf(sql, sizeof sql,
                 "DELETE FROM api_call WHERE id > 1; UPDATE api_call SET result = 2, entry_point = 4, bytes = 4096;"
                 "UPDATE allocation SET enter_ns = 900000, return_ns = 901000; %s",
                 cases[i].sql);
        failing(sql);
        assert_int_equal(failures.calls, cases[i].calls);
        assert_int_equal(failures.count, cases[i].calls);
        end();
    }
}

static void names_of_errors(void **state) {
    char buffer[XS_CUDA_ERROR_BYTES];
    (void)state;
    assert_string_equal(xs_cuda_error_name(700, buffer), "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_string_equal(xs_cuda_error_name(999, buffer), "CUDA_ERROR_UNKNOWN");
    assert_string_equal(xs_cuda_error_name(-5, buffer), "error -5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_failed),
        cmocka_unit_test(everything_after_an_illegal_address),
        cmocka_unit_test(cupti_was_attached),
        cmocka_unit_test(only_an_unrecorded_call_failed),
        cmocka_unit_test(the_first_call_has_its_line),
        cmocka_unit_test(several_errors),
        cmocka_unit_test(a_batch_call_fails_once),
        cmocka_unit_test(harmless_calls_do_not_count),
        cmocka_unit_test(a_refusal_that_was_overcome),
        cmocka_unit_test(names_of_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
