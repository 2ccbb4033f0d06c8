/* Tests findings by call site: which calls are one place, how many findings there may be, and what a place is called.
 * SQL puts the stacks into the played traces. */
#include "played.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/place.h"

enum { A = 0x10000, B = 0x90000, BYTES = 0x10000, HOST = 0x500000 };
static struct played played, *p = &played;

/* Three stacks: two of line 12 with different callers, one of line 14. */
#define STACKS                                                                                                         \
    "INSERT INTO python_code VALUES "                                                                                  \
    "(1,'/app/train.py','step',1),(2,'/app/train.py','main',1),(3,'/app/other.py','run',1);"                           \
    "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,2,0),(2,0,2,0),(3,0,2,0);"                   \
    "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (6144,1,0,1,12,0),(6145,1,1,2,30,1),"          \
    "(10240,2,0,1,12,0),(10241,2,1,3,7,1),(14336,3,0,1,14,0),(14337,3,1,2,31,1);"

static void play_uploads(int count) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < count; i++)
        play_up(p, A, BYTES, 1, i ? 1 : 0, HOST); /* all but the first are no-ops */
}

static const struct xs_finding *nth(const char *id, size_t n) {
    for (size_t i = 0; i < p->findings->count; i++)
        if (!strcmp(xs_detectors[p->findings->items[i].detector]->id, id) && !n--)
            return &p->findings->items[i];
    return NULL;
}

static void two_stacks_of_one_line_are_one_finding(void **state) {
    (void)state;
    play_uploads(7);
    play_analyse(p, STACKS "UPDATE transfer SET stack = 1 + id % 2");
    const struct xs_finding *finding = nth("noop-upload", 0);
    assert_int_equal(finding->instances, 6);
    assert_null(nth("noop-upload", 1));
    const struct xs_frame *frame = xs_site_frame(p->findings, finding->site);
    assert_non_null(frame);
    assert_string_equal(frame->function, "step");
    assert_int_equal(frame->line, 12);
    assert_string_equal(xs_site_name(p->findings, finding->site), "cuMemcpyHtoD_v2");
    play_end(p);
}

static void two_lines_are_two_findings(void **state) {
    (void)state;
    play_uploads(7);
    play_analyse(p, STACKS "UPDATE transfer SET stack = CASE WHEN id < 6 THEN 1 ELSE 3 END");
    assert_int_equal(nth("noop-upload", 0)->instances, 4);
    assert_int_equal(xs_site_frame(p->findings, nth("noop-upload", 0)->site)->line, 12);
    assert_int_equal(nth("noop-upload", 1)->instances, 2);
    assert_int_equal(xs_site_frame(p->findings, nth("noop-upload", 1)->site)->line, 14);
    play_end(p);
}

/* One line may call several entry points, and a call without a stack belongs to no line. */
static void entry_points_of_a_line_differ(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 3; i++) {
        play_up(p, A, BYTES, 1, i ? 1 : 0, HOST);
        play_down(p, A, BYTES, 1, HOST);
    }
    play_analyse(p, STACKS "UPDATE transfer SET stack = 1 WHERE id < 5");
    const struct xs_sites *sites = p->findings->sites;
    uint32_t up = nth("noop-upload", 1)->site, down = nth("repeat-download", 1)->site;
    assert_int_not_equal(up, down);
    assert_int_equal(xs_site_parts(sites, up).place, xs_site_parts(sites, down).place);
    assert_non_null(xs_site_frame(p->findings, up));
    assert_null(xs_site_frame(p->findings, nth("noop-upload", 0)->site)); /* transfer 5 */
    play_end(p);
}

static void allocations_have_sites_too(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 4; i++)
        play_alloc(p, A + (uint64_t)i * BYTES, BYTES);
    play_analyse(p, STACKS "UPDATE allocation SET stack = CASE WHEN id = 4 THEN 3 ELSE 2 END");
    assert_int_equal(nth("unused-allocation", 0)->instances, 3);
    assert_int_equal(xs_site_frame(p->findings, nth("unused-allocation", 1)->site)->line, 14);
    play_end(p);
}

static void a_trace_without_stacks_has_entry_points(void **state) {
    (void)state;
    play_uploads(3);
    play_analyse(p, NULL);
    const struct xs_finding *finding = nth("noop-upload", 0);
    assert_int_equal(finding->instances, 2);
    assert_null(xs_site_frame(p->findings, finding->site));
    assert_null(p->findings->sites->callsites);
    assert_true(finding->site < p->findings->sites->count);
    play_end(p);
}

/* Numbers of stacks that do not exist, or lie beyond any table, belong to no place. */
static void numbers_that_mean_nothing(void **state) {
    (void)state;
    play_uploads(6);
    play_analyse(
        p,
        STACKS "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (9000000000000000000,0,0,0),(-4,0,0,0);"
               "UPDATE transfer SET stack = CASE id WHEN 2 THEN 9000000000000000000 WHEN 3 THEN -4"
               " WHEN 4 THEN 77 WHEN 5 THEN 9000000000000000001 ELSE 1 END");
    assert_int_equal(nth("noop-upload", 0)->instances + nth("noop-upload", 1)->instances, 5);
    assert_null(nth("noop-upload", 2));
    play_end(p);
}

/* There are thousands of places: each is a finding, their names differ, and memory does not grow with kept instances.
 */
static void many_places(void **state) {
    enum { PLACES = 6000 };
    (void)state;
    play_uploads(2 * PLACES + 1);
    play_analyse(
        p, "INSERT INTO python_code VALUES (1,'/app/train.py','step',1);"
           "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 6000)"
           " INSERT INTO stack SELECT n, 0, 1, 0, NULL, NULL FROM i;"
           "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) SELECT id*4096+2048,id,0,1,id,1 FROM stack;"
           "UPDATE transfer SET stack = 1 + (id - 2) / 2 WHERE id > 1");
    size_t found = 0, kept = 0;
    for (size_t i = 0; i < p->findings->count; i++) {
        const struct xs_finding *finding = &p->findings->items[i];
        if (strcmp(xs_detectors[finding->detector]->id, "noop-upload") != 0)
            continue;
        assert_int_equal(finding->instances, 2);
        found++;
        kept += finding->first_count + finding->largest_count;
    }
    assert_int_equal(found, PLACES);
    assert_true(kept < 4 * PLACES);
    play_end(p);
}

/* --- names --- */

static void expect_file(const char *file, const char *cwd, const char *expected) {
    struct xs_string text = {0};
    xs_place_file(&text, file, cwd);
    assert_string_equal(text.data, expected);
    xs_string_free(&text);
}

static void files_are_short(void **state) {
    (void)state;
    expect_file("/home/me/app/train.py", "/home/me/app", "train.py");
    expect_file("/home/me/app/data/loader.py", "/home/me/app/", "data/loader.py");
    expect_file("/home/me/apple/train.py", "/home/me/app", "apple/train.py");
    expect_file("/usr/include/c++/12/bits/stl_vector.h", "/home/me", "bits/stl_vector.h");
    expect_file("/main.c", "/", "main.c");
    expect_file("/src/main.c", "/", "src/main.c");
    expect_file("src/deep/main.c", "/home", "src/deep/main.c");
    expect_file("./main.c", "", "main.c");
    expect_file("../../lib/a/main.c", "/home", "a/main.c");
    expect_file("/src/gpu/kernels/../common.h", "/home", "gpu/common.h");
    expect_file("/src/gpu/a/b/../../common.h", "/src", "gpu/common.h");
    expect_file("/../../main.c", "", "../main.c");
    expect_file("a/..", "", "a/..");
    expect_file("<string>", "/home", "<string>");
    expect_file("", "/home", "");
    expect_file("/", "", "/");
    expect_file("/home/", "/home", "/home/");
    expect_file("/a\033b/c\n.py", "", "a\\x1bb/c\\n.py");
}

static void expect_place(const struct xs_frame *frame, const char *expected) {
    struct xs_string text = {0};
    struct xs_sites sites = {.cwd = xs_strdup("/app")};
    xs_place_text(&text, &sites, frame);
    assert_string_equal(text.data ? text.data : "", expected);
    xs_string_free(&text);
    free(sites.cwd);
}

static void places_have_names(void **state) {
    (void)state;
    expect_place(NULL, "");
    expect_place(&(struct xs_frame){.function = "step", .file = "/app/a.py", .line = 3, .python = true},
                 "a.py:3 in step");
    expect_place(&(struct xs_frame){.file = "/app/a.py", .line = 3}, "a.py:3");
    expect_place(&(struct xs_frame){.function = "step", .module = "/usr/lib/libx.so"}, "step in libx.so");
    expect_place(&(struct xs_frame){.function = "step", .module = "/usr/lib/libx.so", .address = 0x1f40},
                 "step in libx.so+0x1f40");
    expect_place(&(struct xs_frame){.module = "/usr/lib/libx.so", .address = 0x1f40}, "libx.so+0x1f40");
    expect_place(&(struct xs_frame){.address = 0x1f40}, "an unknown module+0x1f40");
    char name[5000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    struct xs_string text = {0};
    struct xs_sites sites = {.cwd = name};
    xs_place_text(&text, &sites, &(struct xs_frame){.function = name, .file = name, .module = name});
    assert_true(text.length < 300);
    xs_string_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_stacks_of_one_line_are_one_finding),
        cmocka_unit_test(two_lines_are_two_findings),
        cmocka_unit_test(entry_points_of_a_line_differ),
        cmocka_unit_test(allocations_have_sites_too),
        cmocka_unit_test(a_trace_without_stacks_has_entry_points),
        cmocka_unit_test(numbers_that_mean_nothing),
        cmocka_unit_test(many_places),
        cmocka_unit_test(files_are_short),
        cmocka_unit_test(places_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
