/* Tests which labels a trace has: those of meta, which of them were given, and those that are elsewhere. */
#include "played.h"

#include "analyzer/trace/labels.h"

static struct played played, *p = &played;

static void read_labels(const char *sql, struct xs_labels *labels) {
    struct xs_trace trace;
    play_begin(p);
    play_alloc(p, 0x10000, 64);
    play_open(p, sql, &trace);
    xs_labels_read(&trace, labels);
    xs_trace_close(&trace);
    play_end(p);
}

static void expect(const struct xs_labels *labels, const char *key, const char *value, bool is_given) {
    for (size_t i = 0; i < labels->count; i++) {
        if (strcmp(labels->items[i].key, key) != 0)
            continue;
        assert_string_equal(labels->items[i].value, value);
        assert_int_equal(labels->items[i].is_given, is_given);
        return;
    }
    fail_msg("no label %s", key);
}

static void given_ones_and_own_ones(void **state) {
    struct xs_labels labels;
    (void)state;
    read_labels("DELETE FROM meta WHERE key IN ('host', 'rank', 'local_rank', 'world_size'); DELETE FROM device;"
                "INSERT INTO meta VALUES ('label.team', 'vision'), ('label.teams', 'x'), ('label.user', 'ann'),"
                " ('labels.given', 'night,team'), ('label.night', '3'), ('host', 'node07'), ('rank', 3),"
                " ('world_size', 8); INSERT INTO device (id, name) VALUES (1, 'B'), (0, 'A')",
                &labels);
    expect(&labels, "team", "vision", true);
    expect(&labels, "night", "3", true);
    expect(&labels, "teams", "x", false);
    expect(&labels, "user", "ann", false);
    expect(&labels, "host", "node07", false);
    expect(&labels, "rank", "3", false);
    expect(&labels, "world_size", "8", false);
    expect(&labels, "gpu", "A", false);
    assert_int_equal(labels.count, 8);
    assert_null(xs_labels_value(&labels, "local_rank"));
    assert_string_equal(xs_labels_value(&labels, "night"), "3");
    for (size_t i = 1; i < labels.count; i++)
        assert_true(strcmp(labels.items[i - 1].key, labels.items[i].key) < 0);
    xs_labels_free(&labels);
}

static void a_given_one_replaces_what_is_elsewhere(void **state) {
    struct xs_labels labels;
    (void)state;
    read_labels("INSERT OR REPLACE INTO meta VALUES ('label.host', 'cluster-a'), ('labels.given', 'host'),"
                " ('host', 'node07')",
                &labels);
    expect(&labels, "host", "cluster-a", true);
    xs_labels_free(&labels);
}

/* A trace is a file that others wrote. */
static void nonsense(void **state) {
    struct xs_labels labels;
    (void)state;
    read_labels("DELETE FROM meta WHERE key = 'host'; DELETE FROM device;"
                "INSERT OR REPLACE INTO meta VALUES ('label.', 'no key'), ('label.n', 7), ('label.b', x'00ff'),"
                " ('label.0', NULL), ('label.long', printf('%.*c', 100000, 'x')), ('labels.given', x'00'),"
                " ('rank', 'first');"
                "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 5000)"
                " INSERT INTO meta SELECT 'label.z' || n, n FROM i",
                &labels);
    assert_true(labels.count > 64 && labels.count < 256);
    expect(&labels, "n", "7", false);
    expect(&labels, "0", "", false);
    assert_true(strlen(xs_labels_value(&labels, "long")) < 5000);
    assert_null(xs_labels_value(&labels, ""));
    xs_labels_free(&labels);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_ones_and_own_ones),
        cmocka_unit_test(a_given_one_replaces_what_is_elsewhere),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
