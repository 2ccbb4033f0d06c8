/* Tests the busy times of random runs against a picture of each nanosecond: pieces of work that overlap in any way, on
 * several devices, with rows in any order, and calls during them. */
#include "loaded.h"

#include "analyzer/base/text.h"

enum { RUNS = 40, ROWS = 60, RUN_NS = 1500, DEVICES = 3, BEFORE_NS = 100, LONGEST_NS = 40 };

/* What happens in each nanosecond; the first BEFORE_NS are before the run. */
struct picture {
    bool copies[DEVICES][BEFORE_NS + RUN_NS + LONGEST_NS], kernels[DEVICES][BEFORE_NS + RUN_NS + LONGEST_NS];
    uint64_t copying_ns, waiting_ns; /* what the calls of the line waited for */
};

static uint64_t seed;

static int random_below(int end) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % (uint64_t)end);
}

static void add_work(struct xs_string *sql, struct picture *picture) {
    int start = random_below(RUN_NS + BEFORE_NS) - BEFORE_NS, end = start + random_below(LONGEST_NS);
    int device = random_below(DEVICES);
    bool is_copy = random_below(2);
    if (is_copy)
        xs_string_format(sql,
                         "INSERT INTO device_copy (correlation, kind, bytes, start_ns, end_ns, device, copies) VALUES "
                         "(9, 1, 64, %d, %d, %d, 1);",
                         start, end, device);
    else
        xs_string_format(sql,
                         "INSERT INTO device_kernel (correlation, name, start_ns, end_ns, device) VALUES "
                         "(8, 1, %d, %d, %d);",
                         start, end, device);
    for (int ns = start; ns < end; ns++)
        (is_copy ? picture->copies : picture->kernels)[device][BEFORE_NS + ns] = true;
}

static bool any(bool of[DEVICES][BEFORE_NS + RUN_NS + LONGEST_NS], int ns) {
    return of[0][BEFORE_NS + ns] || of[1][BEFORE_NS + ns] || of[2][BEFORE_NS + ns];
}

/* Adds calls one after the other: waits, and copies, which wait for kernels only. */
static void add_calls(struct xs_string *sql, struct picture *picture) {
    for (int enter = random_below(50) - BEFORE_NS, leave; enter < RUN_NS; enter = leave + random_below(30)) {
        bool is_copy = random_below(2);
        leave = enter + random_below(100);
        if (is_copy)
            xs_string_format(
                sql,
                "INSERT INTO transfer (entry_point, thread, direction, bytes, src_kind, dst_kind, is_async, "
                "is_captured, result, enter_ns, return_ns) VALUES (1, 1, 1, 64, 1, 4, 0, 0, 0, %d, %d);",
                enter, leave);
        else
            xs_string_format(sql,
                             "INSERT INTO sync (entry_point, thread, scope, result, enter_ns, return_ns) VALUES "
                             "(1, 1, 0, 0, %d, %d);",
                             enter, leave);
        for (int ns = enter < 0 ? 0 : enter; ns < leave && ns < RUN_NS; ns++) {
            bool copies = any(picture->copies, ns), kernels = any(picture->kernels, ns);
            picture->copying_ns += is_copy ? !kernels || copies : copies && !kernels;
            picture->waiting_ns += is_copy ? kernels && !copies : !copies || kernels;
        }
    }
}

static void expect(const struct xs_summary *summary, const struct picture *picture) {
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct xs_device_summary *d = &summary->devices[i];
        uint64_t copies = 0, kernels = 0, both = 0;
        for (int ns = 0; ns < BEFORE_NS + RUN_NS + LONGEST_NS; ns++) {
            copies += picture->copies[d->id][ns];
            kernels += picture->kernels[d->id][ns];
            both += picture->copies[d->id][ns] && picture->kernels[d->id][ns];
        }
        assert_int_equal(d->copy_busy_ns, copies);
        assert_int_equal(d->kernel_busy_ns, kernels);
        assert_int_equal(d->both_busy_ns, both);
    }
    assert_int_equal(summary->where.parts[XS_WHERE_COPY], picture->copying_ns);
    assert_int_equal(summary->where.parts[XS_WHERE_WAIT], picture->waiting_ns);
}

static void busy_times_are_those_of_each_nanosecond(void **state) {
    (void)state;
    for (int run = 1; run <= RUNS; run++) {
        XS_SCOPED_STRING sql = {0};
        struct picture picture = {.copying_ns = 0};
        struct case_ c;
        seed = (uint64_t)run;
        xs_string_format(&sql,
                         "BEGIN; INSERT OR REPLACE INTO meta VALUES ('duration_ns', %d), ('status', 'complete');"
                         "INSERT INTO thread VALUES (1, 41, 'main');",
                         RUN_NS);
        for (int i = 0; i < ROWS; i++)
            add_work(&sql, &picture);
        add_calls(&sql, &picture);
        xs_string_format(&sql, "COMMIT;");
        load(&c, sql.data);
        assert_int_equal(c.summary.device_count, DEVICES);
        expect(&c.summary, &picture);
        drop(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(busy_times_are_those_of_each_nanosecond)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
