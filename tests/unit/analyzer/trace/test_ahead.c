/* Tests that tables which a second thread reads give the same rows as tables which the caller's thread reads, and that
 * the thread ends whenever the caller ends. */
#include "played.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/trace/ahead.h"
#include "analyzer/trace/events.h"

enum { A = 0x10000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;

/* Plays more events than the thread may be ahead: 1,500 uploads, 300 downloads, 375 launches and 150 waits. */
static void play_run(const char *sql, struct xs_trace *trace) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    for (int i = 0; i < 1500; i++) {
        play_up(p, A, (uint64_t)(BYTES - i % 3), 1 + i % 3, i % 5, HOST);
        if (i % 4 == 3)
            play_kernel(p, 1, &a);
        if (i % 5 == 4)
            play_down(p, A, BYTES, 1 + i % 3, HOST);
        if (i % 10 == 9)
            play_sync(p);
    }
    play_open(p, sql, trace);
}

static void end_run(struct xs_trace *trace) {
    xs_trace_close(trace);
    play_end(p);
}

struct reading {
    struct xs_ahead *ahead;
    struct xs_merge merge;
    uint64_t damaged;
    int status;
    char message[XS_TRACE_MESSAGE_BYTES];
};

static void begin(struct reading *r, const struct xs_trace *trace, bool is_ahead) {
    *r = (struct reading){0};
    setenv("XFERSPY_TEST_THREADS", is_ahead ? "2" : "1", true);
    r->ahead = xs_ahead_begin(trace);
    assert_int_equal(r->ahead != NULL, is_ahead);
    r->status = xs_events_begin(&r->merge, trace, r->ahead, 0, r->message, &r->damaged);
}

static const struct xs_row_event *next(struct reading *r, unsigned *source) {
    int64_t ns;
    if (r->status >= 0)
        r->status = xs_merge_peek(&r->merge, &ns, source);
    return r->status > 0 ? xs_merge_take(&r->merge, *source) : NULL;
}

static void end(struct reading *r) {
    xs_merge_end(&r->merge);
    xs_ahead_end(r->ahead);
}

/* Compares all rows of both readings. Returns how many there are. */
static int compare(struct reading *one, struct reading *two) {
    for (int rows = 0;; rows++) {
        unsigned source_of_one = 0, source_of_two = 0;
        const struct xs_row_event *a = next(one, &source_of_one), *b = next(two, &source_of_two);
        assert_int_equal(a != NULL, b != NULL);
        if (!a)
            return rows;
        assert_int_equal(source_of_one, source_of_two);
        assert_memory_equal(a, b, offsetof(struct xs_row_event, allocation));
        if (source_of_one == XS_SOURCE_ALLOCATION)
            assert_memory_equal(&a->allocation, &b->allocation, sizeof a->allocation);
    }
}

/* Damaged rows are counted as often, and rows that are out of order are sorted. */
static void gives_the_same_rows(void **state) {
    (void)state;
    static const char *const changes[] = {
        NULL,
        "UPDATE transfer SET return_ns = enter_ns - 1 WHERE id % 100 = 0; UPDATE sync SET return_ns = 5 WHERE id = 7;",
        ("CREATE TABLE r AS SELECT * FROM transfer; DELETE FROM transfer; UPDATE r SET id = 100000 - id;"
         "INSERT INTO transfer SELECT * FROM r; DROP TABLE r;"),
    };
    static const uint64_t damaged[] = {0, 19, 0};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct xs_trace trace;
        struct reading one, two;
        play_run(changes[i], &trace);
        begin(&one, &trace, false);
        begin(&two, &trace, true);
        assert_int_equal(compare(&one, &two), 1 + 1800 + 375 + 150);
        assert_int_equal(one.status, 0);
        assert_int_equal(two.status, 0);
        end(&one);
        end(&two);
        assert_int_equal(one.damaged, damaged[i]);
        assert_int_equal(two.damaged, damaged[i]);
        end_run(&trace);
    }
}

/* The caller may end before the last row, when the thread waits for it or still reads. */
static void ends_before_the_last_row(void **state) {
    (void)state;
    static const int rows[] = {0, 1, 500, 2000};
    struct xs_trace trace;
    play_run(NULL, &trace);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reading r;
        unsigned source;
        begin(&r, &trace, true);
        for (int k = 0; k < rows[i]; k++)
            assert_non_null(next(&r, &source));
        end(&r);
    }
    end_run(&trace);
}

/* Overwrites a part of the file with zeros. */
static void damage_file(int tenth) {
    static const char zeros[8 * 4096];
    struct stat st;
    int fd = open(p->path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(pwrite(fd, zeros, sizeof zeros, st.st_size / 4096 * tenth / 10 * 4096), sizeof zeros);
    close(fd);
}

static int read_to_the_end(struct reading *r) {
    unsigned source;
    int rows = 0;
    while (next(r, &source))
        rows++;
    return rows;
}

/* An error of the second thread is reported like one of the caller's. Without an error, the damaged pages are not those
 * of events. */
static void an_error_ends_the_rows(void **state) {
    (void)state;
    unsigned errors = 0;
    for (int tenth = 2; tenth < 9; tenth++) {
        char message[XS_TRACE_MESSAGE_BYTES];
        struct xs_trace trace;
        struct reading one, two;
        play_run(NULL, &trace);
        xs_trace_close(&trace);
        damage_file(tenth);
        if (xs_trace_open(p->path, &trace, message) < 0) { /* the pages are needed to open the file */
            play_end(p);
            continue;
        }
        begin(&one, &trace, false);
        begin(&two, &trace, true);
        int rows = read_to_the_end(&one);
        assert_true(read_to_the_end(&two) >= rows); /* those of its last batches, too */
        assert_int_equal(two.status, one.status);
        assert_string_equal(two.message, one.message);
        errors += two.status < 0;
        end(&one);
        end(&two);
        end_run(&trace);
    }
    assert_true(errors > 0);
}

/* A caller that needs one table only does not wait for the others, even if the thread cannot go on with them. */
static void tables_do_not_wait_for_each_other(void **state) {
    (void)state;
    static const unsigned tables[] = {XS_SOURCE_TRANSFER, XS_SOURCE_LAUNCH};
    static const int rows[] = {1800, 375};
    struct xs_trace trace;
    struct reading r;
    unsigned source;
    play_run(NULL, &trace);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct xs_order_key key;
        int status, count = 0;
        begin(&r, &trace, true);
        assert_non_null(next(&r, &source));
        while (xs_source_peek(r.merge.sources[tables[i]], &key, &status)) {
            xs_source_pop(r.merge.sources[tables[i]]);
            count++;
        }
        assert_int_equal(status, 0);
        assert_int_equal(count, rows[i]);
        end(&r);
    }
    end_run(&trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_rows),
        cmocka_unit_test(ends_before_the_last_row),
        cmocka_unit_test(an_error_ends_the_rows),
        cmocka_unit_test(tables_do_not_wait_for_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
