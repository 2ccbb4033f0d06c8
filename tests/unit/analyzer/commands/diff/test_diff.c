/* Compares two sides: what becomes of findings and call sites, every conclusion, and what is said about sides that are
 * hard to compare. Traces are played, so that all numbers are known. */
#include "diagnosed.h"

#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/diff/diff.h"
#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/totals/summary/summary_by.h"

enum { A = 0x10000, BYTES = 0x4000, HOST = 0x500000, COPY_NS = 4000, CALL_NS = 1000 }; /* 1 us for 4 KiB */
enum { APART_NS = 10000, GAP_NS = APART_NS - CALL_NS, MS = 1000000 }; /* from call to call, between calls */

/* Lines 12 and 14 of step() are called by transfers with even and odd numbers; in the other trace, the same lines are
 * ten lines further down. */
#define STACKS(a, b)                                                                                                   \
    "INSERT INTO python_code VALUES (1,'/gone/train.py','step',1);"                                                    \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,1,0),(2,0,1,0);"                             \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (6144,1,0,1," #a ",0),(10240,2,0,1," #b ",0);" \
    "UPDATE transfer SET stack = 1 + id % 2;"

#define COST(ns) "INSERT OR REPLACE INTO meta VALUES ('cost.events', 1), ('cost.fingerprint_call_ns', " #ns ")"

struct recipe {
    int uploads; /* all but the first upload what is already there, or, if `fresh`, something new */
    bool fresh;
    int content;      /* 0: fingerprints; else what takes their place */
    uint64_t wall_ns; /* 0: the trace has no end */
    const char *sql;
    int allocations; /* number of allocations of the same size, each freed at once */
};
static struct xs_side before, after;
static struct xs_diff c;

static void add(struct xs_side *side, size_t runs, const struct recipe *recipe) {
    static struct played p;
    char sql[2048];
    struct xs_reading reading;
    static int64_t start_ns = 1000000000;
    start_ns += 1000000000;
    play_begin(&p);
    play_alloc(&p, A, BYTES);
    for (int i = 0; i < recipe->uploads; i++) {
        int content = recipe->content ? recipe->content : recipe->fresh ? i + 1 : 1;
        play_up(&p, A, BYTES, content, recipe->content ? NOT_MEASURED : recipe->fresh || !i ? i : 1, HOST);
    }
    for (int i = 0; i < recipe->allocations; i++)
        play_free(&p, play_alloc(&p, 2 * A, BYTES));
    snprintf(sql, sizeof sql,
             "%s; INSERT OR REPLACE INTO meta VALUES ('duration_ns', %s%llu), ('start_unix_ns', %lld), ('host', 'h'),"
             " ('executable', '/bin/app'), ('command', 'app 1'), ('pid', %zu)",
             recipe->sql ? recipe->sql : "", recipe->wall_ns ? "" : "NULL AND ", (unsigned long long)recipe->wall_ns,
             (long long)start_ns, side->run_count + 1);
    play_analyse(&p, sql);
    assert_int_equal(xs_reading_open(p.path, NULL, &reading), 0);
    xs_side_add(side, runs, &reading);
    xs_reading_close(&reading);
    play_end(&p);
}

static void compare(const struct recipe *was, const struct recipe *is) {
    add(&before, 1, was);
    add(&after, 1, is);
    xs_diff_compute(&before, &after, &c);
}

static void end(void) {
    xs_diff_free(&c);
    xs_side_free(&before);
    xs_side_free(&after);
}

static const struct xs_change *finding(const char *id, size_t n) {
    for (size_t i = 0; i < c.finding_count; i++) {
        const struct xs_change *change = &c.findings[i];
        unsigned detector = change->before != XS_UNMATCHED ? before.findings[change->before].detector
                                                           : after.findings[change->after].detector;
        if (!strcmp(xs_detectors[detector]->id, id) && !n--)
            return change;
    }
    return NULL;
}

/* Returns the finding of this kind whose place was this line in the trace before. */
static const struct xs_change *finding_of_line(const char *id, uint32_t line) {
    const struct xs_change *change;
    for (size_t i = 0; (change = finding(id, i)); i++)
        if (change->before != XS_UNMATCHED && before.places[before.findings[change->before].place].frame.line == line)
            return change;
    return NULL;
}

static bool noted(const char *text) {
    for (size_t i = 0; i < c.note_count; i++)
        if (strstr(c.notes[i], text))
            return true;
    return false;
}

static void expect_kind(const struct xs_change *change, enum xs_change_kind kind) {
    assert_non_null(change);
    assert_string_equal(xs_change_names[change->kind], xs_change_names[kind]);
}

static void expect_paid(enum xs_paid paid) {
    assert_string_equal(xs_paid_names[c.conclusion.paid], xs_paid_names[paid]);
}

/* --- findings and call sites --- */

static void a_finding_disappears(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 201, .wall_ns = 100 * MS}, &(struct recipe){.uploads = 1, .wall_ns = 90 * MS});
    const struct xs_change *change = finding("noop-upload", 0);
    expect_kind(change, XS_DISAPPEARED);
    assert_int_equal(change->of[XS_MEASURE_COUNT].before.median, 200);
    assert_int_equal(change->of[XS_MEASURE_BYTES].before.median, 200 * BYTES);
    assert_int_equal(change->of[XS_MEASURE_DEVICE_NS].before.median, 200 * COPY_NS);
    assert_int_equal(change->of[XS_MEASURE_EXPOSED_NS].before.median, 200 * COPY_NS);
    assert_int_equal(change->of[XS_MEASURE_COUNT].after.median, 0);
    /* the run does not wait for the device: what is saved is the host's time */
    assert_int_equal(xs_difference_delta(&change->of[XS_MEASURE_SAVES_NS]), -200 * CALL_NS);
    expect_paid(XS_DID_LESS);
    assert_int_equal(c.conclusion.gone, 2); /* the cause and a finding beneath it, about the same copies */
    assert_int_equal(c.conclusion.new, 0);
    assert_int_equal(c.conclusion.gone_ns, 200 * COPY_NS);
    assert_int_equal(c.conclusion.bytes_less, 200 * BYTES);
    assert_int_equal(c.conclusion.transfers_less, 200);
    assert_int_equal(c.site_count, 1);
    expect_kind(&c.sites[0], XS_SHRANK);
    assert_int_equal(c.note_count, 0);
    end();
}

/* The time that fingerprints took in the program's calls is no gain of a change that removes the copies. */
static void own_time_is_no_gain(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 201, .wall_ns = 100 * MS, .sql = COST(20000000)},
            &(struct recipe){.uploads = 1, .wall_ns = 81 * MS, .sql = COST(1000000)});
    assert_int_equal(xs_diff_time(&c), XS_METRIC_BARE_TIME);
    assert_int_equal(xs_diff_wall(&c)->before.median, 80 * MS);
    assert_int_equal(xs_diff_wall(&c)->after.median, 80 * MS);
    assert_int_equal(c.prediction.own.before.median, 20 * MS);
    assert_int_equal(c.prediction.achieved_ns, 0);
    end();
    compare(&(struct recipe){.uploads = 201, .wall_ns = 100 * MS, .sql = COST(20000000)},
            &(struct recipe){.uploads = 1, .wall_ns = 81 * MS}); /* it is not known how much it was before */
    assert_int_equal(xs_diff_time(&c), XS_METRIC_WALL_TIME);
    end();
}

static void what_was_predicted_of_what_is_gone(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 201, .wall_ns = 100 * MS}, &(struct recipe){.uploads = 1, .wall_ns = 90 * MS});
    assert_true(c.prediction.known);
    assert_int_equal(c.prediction.most_ns, 200 * CALL_NS);
    assert_int_equal(c.prediction.least_ns, 200 * CALL_NS);
    assert_int_equal(c.prediction.all_most_ns, 200 * CALL_NS);
    assert_int_equal(c.prediction.achieved_ns, 10 * MS);
    end();
    compare(&(struct recipe){.uploads = 201, .wall_ns = 100 * MS},
            &(struct recipe){.uploads = 101, .wall_ns = 90 * MS}); /* half of it is gone */
    assert_int_equal(c.prediction.most_ns, 100 * CALL_NS);
    end();
    compare(&(struct recipe){.uploads = 101, .wall_ns = 100 * MS},
            &(struct recipe){.uploads = 101, .wall_ns = 90 * MS});
    assert_false(c.prediction.known);
    end();
}

static void a_finding_appears_grows_and_shrinks(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 1, .wall_ns = 100 * MS}, &(struct recipe){.uploads = 101, .wall_ns = 110 * MS});
    expect_kind(finding("noop-upload", 0), XS_APPEARED);
    expect_paid(XS_DID_MORE);
    end();
    compare(&(struct recipe){.uploads = 101, .wall_ns = 100 * MS},
            &(struct recipe){.uploads = 201, .wall_ns = 100 * MS});
    expect_kind(finding("noop-upload", 0), XS_GREW);
    end();
    compare(&(struct recipe){.uploads = 201, .wall_ns = 100 * MS},
            &(struct recipe){.uploads = 101, .wall_ns = 100 * MS});
    expect_kind(finding("noop-upload", 0), XS_SHRANK);
    end();
    compare(&(struct recipe){.uploads = 101, .wall_ns = 100 * MS},
            &(struct recipe){.uploads = 101, .wall_ns = 100 * MS});
    expect_kind(finding("noop-upload", 0), XS_UNCHANGED);
    expect_kind(&c.sites[0], XS_UNCHANGED);
    expect_paid(XS_DID_AS_MUCH);
    end();
}

/* One line of two is repaired, and both stand ten lines further down. */
static void lines_that_moved_are_the_same_lines(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 200, .wall_ns = 100 * MS, .sql = STACKS(12, 14)},
            &(struct recipe){.uploads = 200, .wall_ns = 100 * MS, .sql = STACKS(22, 24)});
    assert_int_equal(c.site_count, 2);
    for (size_t i = 0; i < 2; i++) {
        expect_kind(&c.sites[i], XS_UNCHANGED);
        assert_int_equal(c.sites[i].how, XS_MATCH_ORDER);
        assert_int_equal(after.places[c.sites[i].after].frame.line, before.places[c.sites[i].before].frame.line + 10);
    }
    expect_kind(finding("noop-upload", 0), XS_UNCHANGED);
    expect_kind(finding("noop-upload", 1), XS_UNCHANGED);
    assert_null(finding("noop-upload", 2));
    end();
    compare(&(struct recipe){.uploads = 200, .wall_ns = 100 * MS, .sql = STACKS(12, 14)},
            &(struct recipe){.uploads = 200,
                             .wall_ns = 100 * MS,
                             .sql = STACKS(22, 24) "DELETE FROM transfer WHERE id % 2 AND id > 1"});
    expect_kind(finding_of_line("noop-upload", 14), XS_DISAPPEARED);
    /* The other line has as many instances, but the time before each was half the other line's, and is now its own. So
     * its saving changes most, and it comes first. */
    const struct xs_change *other = finding_of_line("noop-upload", 12);
    assert_ptr_equal(other, finding("noop-upload", 0));
    expect_kind(other, XS_TIME_ONLY);
    assert_int_equal(other->decided_by, XS_MEASURE_SAVES_NS);
    assert_int_equal(other->of[XS_MEASURE_COUNT].before.median, 100);
    assert_int_equal(other->of[XS_MEASURE_COUNT].after.median, 100);
    assert_int_equal(other->of[XS_MEASURE_SAVES_NS].before.median, 100 * (CALL_NS + GAP_NS / 2));
    /* the first one directly follows the only upload that line 14 still has, and no more time lies before it */
    assert_int_equal(other->of[XS_MEASURE_SAVES_NS].after.median,
                     99 * (CALL_NS + GAP_NS + APART_NS) + CALL_NS + GAP_NS);
    end();
}

/* A finding that could not be found does not count as gone. */
static void expect_gain(const char *part) {
    struct xs_string text = {0};
    xs_diff_gain(&text, &c, false);
    assert_non_null(text.data);
    assert_non_null(strstr(text.data, part));
    xs_string_free(&text);
}

static void what_could_not_be_made_did_not_disappear(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 101, .wall_ns = 100 * MS},
            &(struct recipe){.uploads = 101, .wall_ns = 100 * MS, .content = NO_CONTENT});
    expect_kind(finding("noop-upload", 0), XS_UNCHECKED);
    assert_true(noted("AFTER has no fingerprints"));
    expect_gain("predicted: not known, noop-upload could not be checked in AFTER (all repaired: ");
    end();
    compare(&(struct recipe){.uploads = 101, .wall_ns = 100 * MS, .content = NO_CONTENT},
            &(struct recipe){.uploads = 101, .wall_ns = 100 * MS});
    expect_kind(finding("noop-upload", 0), XS_UNCHECKED);
    end();
    compare(&(struct recipe){.uploads = 101, .wall_ns = 100 * MS}, /* the uploads themselves are gone */
            &(struct recipe){.uploads = 1, .wall_ns = 100 * MS, .content = NO_CONTENT});
    expect_kind(finding("noop-upload", 0), XS_DISAPPEARED);
    end();
    /* One of two lines has no uploads any more. The data that the other line uploads shows nothing about this. */
    compare(&(struct recipe){.uploads = 200, .wall_ns = 100 * MS, .sql = STACKS(12, 14)},
            &(struct recipe){.uploads = 200,
                             .wall_ns = 100 * MS,
                             .content = NO_CONTENT,
                             .sql = STACKS(22, 24) "DELETE FROM transfer WHERE id % 2 AND id > 1"});
    expect_kind(finding_of_line("noop-upload", 12), XS_UNCHECKED);
    expect_kind(finding_of_line("noop-upload", 14), XS_DISAPPEARED);
    end();
}

/* In each run of AFTER, 40 of 200 copies could not be checked. Together they are more than half of the 200 cases of one
 * run before, but a run can hide no more than 40. */
static void undecided_cases_of_several_runs_are_not_added(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        add(&before, 3, &(struct recipe){.uploads = 201, .wall_ns = 100 * MS});
        add(&after, 3,
            &(struct recipe){.uploads = 201,
                             .fresh = true,
                             .wall_ns = 100 * MS,
                             .sql = "UPDATE transfer SET fingerprint = NULL, skip = 1 WHERE id > 161"});
    }
    xs_diff_compute(&before, &after, &c);
    const struct xs_change *change = finding("noop-upload", 0);
    assert_non_null(change);
    assert_in_range(after.undecided[before.findings[change->before].detector], 40, 99);
    expect_kind(change, XS_DISAPPEARED);
    end();
}

static void one_side_without_call_sites(void **state) {
    (void)state;
    compare(&(struct recipe){.uploads = 200, .wall_ns = 100 * MS, .sql = STACKS(12, 14)},
            &(struct recipe){.uploads = 200, .wall_ns = 100 * MS});
    assert_true(noted("no call sites"));
    assert_int_equal(c.site_count, 1);
    expect_kind(&c.sites[0], XS_UNCHANGED);
    assert_int_equal(c.sites[0].of[XS_MEASURE_COUNT].before.median, 200);
    expect_kind(finding("noop-upload", 0), XS_UNCHANGED);
    assert_null(finding("noop-upload", 1));
    end();
}

static void sites_have_what_report_by_site_has(void **state) {
    (void)state;
    static struct played p;
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_by by;
    struct xs_marks claims = {0};
    play_begin(&p);
    play_alloc(&p, A, BYTES);
    for (int i = 0; i < 21; i++)
        play_up(&p, A, BYTES, 1, i ? 1 : 0, HOST);
    p.options = (struct xs_analysis_options){.on_instance = xs_by_claim, .data = &claims};
    play_diagnose(&p, STACKS(12, 14));
    assert_int_equal(xs_trace_open(p.path, &trace, message), 0);
    assert_int_equal(xs_by_compute(&trace, p.diagnosis, &claims, XS_BY_SITE, &by, message), 0);
    assert_int_equal(by.count, 2);
    for (size_t i = 0; i < by.count; i++) {
        bool found = false;
        for (uint32_t site = 0; site < p.findings->at_sites.count; site++) {
            const struct xs_site_total *total = &p.findings->at_sites.of[site];
            if (xs_site_frame(p.findings, site) != by.rows[i].frame)
                continue;
            found = true;
            assert_int_equal(total->transfers, by.rows[i].transfers);
            assert_int_equal(total->bytes, by.rows[i].bytes);
            assert_int_equal(total->device_ns, by.rows[i].device_ns);
            assert_int_equal(total->exposed_ns, by.rows[i].device_ns);
            assert_int_equal(total->host_ns, by.rows[i].host_ns);
            assert_int_equal(xs_saves_at(p.diagnosis, site), by.rows[i].saves_ns);
        }
        assert_true(found);
    }
    xs_by_free(&by);
    xs_marks_free(&claims);
    xs_trace_close(&trace);
    play_end(&p);
}

/* --- conclusions --- */

static void compare_runs(const uint64_t *was_ms, size_t n, const uint64_t *is_ms, size_t m, int uploads) {
    for (size_t i = 0; i < n; i++)
        add(&before, n, &(struct recipe){.uploads = 201, .wall_ns = was_ms[i] * MS});
    for (size_t i = 0; i < m; i++)
        add(&after, m, &(struct recipe){.uploads = uploads, .wall_ns = is_ms[i] * MS});
    xs_diff_compute(&before, &after, &c);
}

static void every_conclusion(void **state) {
    static const struct {
        int before, after; /* uploads */
        uint64_t is_ms[3]; /* times of the runs after the change; the runs before it take 100, 103 and 106 */
        enum xs_paid paid, of_one_run;
    } cases[] = {
        {201, 1, {90, 93, 96}, XS_PAID, XS_DID_LESS},
        {201, 201, {90, 93, 96}, XS_FASTER, XS_DID_AS_MUCH},
        {201, 1, {99, 101, 107}, XS_NOT_FASTER, XS_DID_LESS},
        {201, 1, {110, 111, 112}, XS_SLOWER_WITH_LESS, XS_DID_LESS},
        {201, 201, {99, 101, 107}, XS_NO_CHANGE, XS_DID_AS_MUCH},
        {201, 201, {110, 111, 112}, XS_WORSE, XS_DID_AS_MUCH},
        {1, 201, {99, 101, 107}, XS_NO_CHANGE, XS_DID_MORE},
        {0, 0, {99, 101, 107}, XS_NO_CHANGE, XS_DID_AS_MUCH},
        {201, 1, {0, 0, 0}, XS_CANNOT_TELL, XS_CANNOT_TELL},
        {201, 1, {60, 61, 101}, XS_CANNOT_TELL, XS_DID_LESS}, /* -41 %, and p = 0.1 */
        {201, 201, {102, 140, 141}, XS_CANNOT_TELL, XS_DID_AS_MUCH},
    };
    static const uint64_t was_ms[3] = {100, 103, 106};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t runs = 1; runs <= 3; runs += 2) {
            for (size_t r = 0; r < runs; r++) {
                add(&before, runs, &(struct recipe){.uploads = cases[i].before, .wall_ns = was_ms[r] * MS});
                add(&after, runs, &(struct recipe){.uploads = cases[i].after, .wall_ns = cases[i].is_ms[r] * MS});
            }
            xs_diff_compute(&before, &after, &c);
            expect_paid(runs == 1 ? cases[i].of_one_run : cases[i].paid);
            end();
        }
    }
}

/* An allocation that is gone copies nothing, but its cost is the gain of the repair. */
static void a_repair_need_not_be_of_copies(void **state) {
    (void)state;
    struct xs_string text = {0};
    for (int r = 0; r < 3; r++) {
        add(&before, 3, &(struct recipe){.uploads = 1, .allocations = 1000, .wall_ns = (100 + (uint64_t)r) * MS});
        add(&after, 3, &(struct recipe){.uploads = 1, .allocations = 1, .wall_ns = (90 + (uint64_t)r) * MS});
    }
    xs_diff_compute(&before, &after, &c);
    assert_true(c.prediction.most_ns >= MS);
    assert_int_equal(c.conclusion.bytes_less, 0);
    expect_paid(XS_PAID);
    xs_diff_conclusion(&text, &c);
    assert_non_null(strstr(text.data, "; findings are gone that cost "));
    xs_string_free(&text);
    end();
}

/* "grew" and "shrank" come before what grew or shrank. */
static void words_follow_the_sign_of_what_they_stand_before(void **state) {
    (void)state;
    struct xs_string text = {0};
    struct xs_change change = {.kind = XS_SHRANK, .decided_by = XS_MEASURE_BYTES};
    change.of[XS_MEASURE_BYTES].before.median = 100;
    change.of[XS_MEASURE_BYTES].after.median = 50;
    change.of[XS_MEASURE_COUNT].before.median = 3;
    change.of[XS_MEASURE_COUNT].after.median = 4;
    xs_diff_kind_before(&text, &change, XS_MEASURE_COUNT);
    assert_string_equal(text.data, "< shrank in size");
    xs_string_free(&text);
    change.of[XS_MEASURE_COUNT].after.median = 2;
    xs_diff_kind_before(&text, &change, XS_MEASURE_COUNT);
    assert_string_equal(text.data, "< shrank");
    xs_string_free(&text);
}

/* The copies take half of the time. */
static void a_time_alone_has_a_verdict_from_three_runs_on(void **state) {
    static const struct recipe is = {.uploads = 201,
                                     .wall_ns = 100 * MS,
                                     .sql = "UPDATE device_copy SET end_ns = end_ns - (end_ns - start_ns) / 2;"
                                            "UPDATE transfer SET return_ns = return_ns - (return_ns - enter_ns) / 2"};
    static const enum xs_change_kind kinds[] = {XS_TIME_ONLY, XS_TIME_ONLY, XS_SHRANK};
    (void)state;
    for (size_t runs = 1; runs <= 3; runs++) {
        for (size_t r = 0; r < runs; r++) {
            add(&before, runs, &(struct recipe){.uploads = 201, .wall_ns = 100 * MS});
            add(&after, runs, &is);
        }
        xs_diff_compute(&before, &after, &c);
        const struct xs_change *change = finding("noop-upload", 0);
        expect_kind(change, kinds[runs - 1]);
        assert_int_equal(change->decided_by, XS_MEASURE_SAVES_NS);
        expect_kind(&c.sites[0], kinds[runs - 1]);
        assert_int_equal(c.sites[0].decided_by, XS_MEASURE_DEVICE_NS);
        assert_true(xs_difference_delta(&c.sites[0].of[XS_MEASURE_DEVICE_NS]) < 0);
        assert_int_equal(xs_diff_kind_style(change->kind), runs < 3 ? XS_STYLE_PLAIN : XS_STYLE_GOOD);
        assert_int_equal(c.prediction.known, runs == 3); /* with fewer, nothing is known to be smaller */
        if (runs < 3)
            expect_paid(XS_DID_AS_MUCH);
        end();
    }
}

/* The difference is two in a hundred, which one run a side cannot show. */
static void several_runs_show_what_one_cannot(void **state) {
    (void)state;
    compare_runs((uint64_t[]){100, 101, 102}, 3, (uint64_t[]){98, 99, 97}, 3, 1);
    assert_int_equal(xs_diff_wall(&c)->certainty, XS_BEYOND_SPREAD);
    assert_int_equal(xs_diff_wall(&c)->before.median, 101 * MS);
    assert_int_equal(xs_diff_wall(&c)->after.least, 97 * MS);
    expect_paid(XS_PAID);
    expect_kind(finding("noop-upload", 0), XS_DISAPPEARED);
    assert_int_equal(finding("noop-upload", 0)->of[XS_MEASURE_COUNT].before.median, 200);
    assert_int_equal(c.site_count, 1);
    end();
    compare_runs((uint64_t[]){100, 140, 130}, 3, (uint64_t[]){98, 120, 135}, 3, 1);
    assert_int_equal(xs_diff_wall(&c)->certainty, XS_WITHIN_SPREAD);
    expect_paid(XS_CANNOT_TELL); /* 8 % less, in the medians */
    end();
    compare_runs((uint64_t[]){100, 140}, 2, (uint64_t[]){80, 70}, 2, 201);
    assert_int_equal(xs_diff_wall(&c)->certainty, XS_TOO_FEW_RUNS);
    expect_paid(XS_DID_AS_MUCH);
    end();
}

/* A finding that one run of three lacks is there in the median; a finding that only one run has is not new. */
static void a_finding_of_some_runs(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        add(&before, 3, &(struct recipe){.uploads = i ? 101 : 1, .wall_ns = 100 * MS});
        add(&after, 3, &(struct recipe){.uploads = i ? 1 : 101, .wall_ns = 100 * MS});
    }
    xs_diff_compute(&before, &after, &c);
    const struct xs_change *change = finding("noop-upload", 0);
    assert_int_equal(change->of[XS_MEASURE_COUNT].before.median, 100);
    assert_int_equal(change->of[XS_MEASURE_COUNT].before.least, 0);
    assert_int_equal(change->of[XS_MEASURE_COUNT].after.median, 0);
    assert_int_equal(change->of[XS_MEASURE_COUNT].after.most, 100);
    assert_int_equal(change->of[XS_MEASURE_COUNT].certainty, XS_WITHIN_SPREAD);
    expect_kind(change, XS_UNCHANGED);
    end();
}

/* --- notes --- */

static void sides_that_are_hard_to_compare(void **state) {
    (void)state;
    struct recipe plain = {.uploads = 3, .wall_ns = 100 * MS};
    static const struct {
        const char *sql, *note;
    } cases[] = {
        {"INSERT OR REPLACE INTO meta VALUES ('option.fingerprint', 'all')",
         "Fingerprint modes differ: unknown before, all after"},
        {"INSERT OR REPLACE INTO meta VALUES ('driver_version', 13000)", NULL},
        {"INSERT OR REPLACE INTO meta VALUES ('rank', 3)", "Ranks differ: none before, 3 after"},
        {"DELETE FROM device_copy", "AFTER has no device times"},
        {"DELETE FROM transfer", "AFTER: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct recipe other = plain;
        other.sql = cases[i].sql;
        compare(&plain, &other);
        if (cases[i].note)
            assert_true(noted(cases[i].note));
        else
            assert_int_equal(c.note_count, 0);
        end();
    }
    add(&after, 1, &plain); /* first, and so earlier */
    add(&before, 1, &plain);
    xs_diff_compute(&before, &after, &c);
    assert_true(noted("are they swapped?"));
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_finding_disappears),
        cmocka_unit_test(own_time_is_no_gain),
        cmocka_unit_test(what_was_predicted_of_what_is_gone),
        cmocka_unit_test(a_finding_appears_grows_and_shrinks),
        cmocka_unit_test(lines_that_moved_are_the_same_lines),
        cmocka_unit_test(what_could_not_be_made_did_not_disappear),
        cmocka_unit_test(undecided_cases_of_several_runs_are_not_added),
        cmocka_unit_test(one_side_without_call_sites),
        cmocka_unit_test(sites_have_what_report_by_site_has),
        cmocka_unit_test(every_conclusion),
        cmocka_unit_test(a_repair_need_not_be_of_copies),
        cmocka_unit_test(words_follow_the_sign_of_what_they_stand_before),
        cmocka_unit_test(a_time_alone_has_a_verdict_from_three_runs_on),
        cmocka_unit_test(several_runs_show_what_one_cannot),
        cmocka_unit_test(a_finding_of_some_runs),
        cmocka_unit_test(sides_that_are_hard_to_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
