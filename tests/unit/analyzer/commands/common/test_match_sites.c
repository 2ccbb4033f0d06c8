/* Tests how call sites are matched: each stage of match_sites.c alone, and that nothing is matched twice. Also tests
 * which findings are matched at matched call sites. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/commands/common/same_finding.h"
#include "analyzer/findings/engine/detector.h"

#define UP "cuMemcpyHtoD_v2"
#define UP_ASYNC "cuMemcpyHtoDAsync_v2"
#define DOWN "cuMemcpyDtoH_v2"
#define AT(entry, in, of, at, source)                                                                                  \
    {                                                                                                                  \
        .entry_point = (entry), .category = XS_CAT_TRANSFER, .function = (in), .file = (of), .text = (source),         \
        .line = (at)                                                                                                   \
    }
#define COUNT(items) (sizeof(items) / sizeof *(items))

static struct xs_match match;

static void run(const struct xs_match_place *before, size_t n, const struct xs_match_place *after, size_t m) {
    xs_match_places(before, n, after, m, &match);
    for (size_t i = 0; i < n; i++) { /* a match is the same from both sides, and says how it was found */
        assert_int_equal(match.how[i] != XS_MATCH_NONE, match.after_of[i] != XS_UNMATCHED);
        if (match.after_of[i] != XS_UNMATCHED)
            assert_int_equal(match.before_of[match.after_of[i]], i);
    }
    for (size_t k = 0; k < m; k++)
        if (match.before_of[k] != XS_UNMATCHED)
            assert_int_equal(match.after_of[match.before_of[k]], k);
}

static void expect(size_t before, uint32_t after, enum xs_match_how how) {
    assert_int_equal(match.after_of[before], after);
    assert_string_equal(xs_match_names[match.how[before]], xs_match_names[how]);
}

/* Two lines were added above, so without the lines' texts, wrong lines would be nearer. */
static void texts_find_moved_lines(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "step", "a.cu", 10, "copy(x);"),
                                            AT(UP, "step", "a.cu", 12, "copy(y);")};
    const struct xs_match_place after[] = {AT(UP, "step", "a.cu", 12, "copy(x);"),
                                           AT(UP, "step", "a.cu", 14, "copy(y);")};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_TEXT);
    expect(1, 1, XS_MATCH_TEXT);
    xs_match_free(&match);
}

/* The source of BEFORE was edited since, so its texts are gone. */
static void order_finds_lines_without_texts(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "step", "a.cu", 10, NULL), AT(UP, "step", "a.cu", 12, NULL)};
    const struct xs_match_place after[] = {AT(UP, "step", "a.cu", 12, "copy(x);"),
                                           AT(UP, "step", "a.cu", 14, "copy(y);")};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_ORDER);
    expect(1, 1, XS_MATCH_ORDER);
    xs_match_free(&match);
}

/* One line of three is gone. The other lines of the function show how far the lines moved. */
static void others_say_how_far_lines_moved(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "step", "a.cu", 10, NULL), AT(UP, "step", "a.cu", 12, NULL),
                                            AT(UP, "step", "a.cu", 14, NULL), AT(DOWN, "step", "a.cu", 20, NULL),
                                            AT("cuMemFree_v2", "step", "a.cu", 30, NULL)};
    const struct xs_match_place after[] = {AT(UP, "step", "a.cu", 110, NULL), AT(UP, "step", "a.cu", 112, NULL),
                                           AT(DOWN, "step", "a.cu", 120, NULL),
                                           AT("cuMemFree_v2", "step", "a.cu", 130, NULL)};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_ORDER);
    expect(1, 1, XS_MATCH_ORDER);
    expect(2, XS_UNMATCHED, XS_MATCH_NONE);
    expect(3, 2, XS_MATCH_ORDER);
    xs_match_free(&match);
}

static void an_edited_line_is_the_same_one(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "step", "a.cu", 10, "cudaMemcpy(d, h, bytes, kind);"),
                                            AT(UP, "step", "a.cu", 11, "upload(weights);")};
    const struct xs_match_place after[] = {AT(UP, "step", "a.cu", 10, "cudaMemcpy(d, h, bytes / 2, kind);"),
                                           AT(UP, "step", "a.cu", 40, "send_quickly(other, thing);")};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_EDITED);
    expect(1, XS_UNMATCHED, XS_MATCH_NONE);
    assert_int_equal(match.before_of[1], XS_UNMATCHED);
    xs_match_free(&match);
}

static void a_call_becomes_its_asynchronous_form(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "step", "a.cu", 10, "cudaMemcpy(d, h, n, H2D);"),
                                            AT(DOWN, "main", "a.cu", 30, NULL), AT(UP, "main", "a.cu", 50, NULL)};
    const struct xs_match_place after[] = {AT(UP_ASYNC, "step", "a.cu", 10, "cudaMemcpyAsync(d, h, n, H2D, s);"),
                                           AT(UP_ASYNC, "main", "a.cu", 30, NULL)};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_CALL);
    expect(1, XS_UNMATCHED, XS_MATCH_NONE); /* a download is no upload, however near */
    expect(2, 1, XS_MATCH_CALL);
    xs_match_free(&match);
}

static void a_line_moves_into_another_function(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "main", "a.cu", 10, "copy(constants);"),
                                            AT(UP, "main", "a.cu", 11, "a(b);")};
    const struct xs_match_place after[] = {AT(UP, "setup", "a.cu", 5, "copy(constants);"),
                                           AT(UP, "init", "b.cu", 6, "a(b);")};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_MOVED);
    expect(1, XS_UNMATCHED, XS_MATCH_NONE); /* too short to be known by itself */
    xs_match_free(&match);
}

static void a_file_gets_another_name(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "step", "wasteful.cu", 10, NULL),
                                            AT(UP, "other", "kept.cu", 3, NULL)};
    const struct xs_match_place after[] = {AT(UP, "step", "repaired.cu", 15, NULL), AT(UP, "step", "kept.cu", 9, NULL)};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 0, XS_MATCH_FILE);
    expect(1, XS_UNMATCHED, XS_MATCH_NONE); /* its file is there, its function is not */
    xs_match_free(&match);
}

static void without_stacks_there_are_entry_points(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, NULL, NULL, 0, NULL), AT(DOWN, NULL, NULL, 0, NULL)};
    const struct xs_match_place after[] = {AT(DOWN, NULL, NULL, 0, NULL), AT(UP, "step", "a.cu", 3, NULL)};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, XS_UNMATCHED, XS_MATCH_NONE);
    expect(1, 0, XS_MATCH_ENTRY);
    xs_match_free(&match);
}

/* Only the form of an entry point has changed. Calls of other kinds do not disturb the match. */
static void without_stacks_forms_of_an_entry_point_match(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, NULL, NULL, 0, NULL), AT(DOWN, NULL, NULL, 0, NULL),
                                            AT("cuMemcpy", NULL, NULL, 0, NULL)};
    const struct xs_match_place after[] = {AT("cuMemcpyDtoHAsync_v2_ptsz", NULL, NULL, 0, NULL),
                                           AT(UP_ASYNC, NULL, NULL, 0, NULL)};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 1, XS_MATCH_CALL);
    expect(1, 0, XS_MATCH_CALL);
    expect(2, XS_UNMATCHED, XS_MATCH_NONE);
    xs_match_free(&match);
}

static void functions_of_one_name_in_two_files_stay_apart(void **state) {
    (void)state;
    const struct xs_match_place before[] = {AT(UP, "copy", "a.cu", 10, NULL), AT(UP, "copy", "b.cu", 10, NULL)};
    const struct xs_match_place after[] = {AT(UP, "copy", "b.cu", 10, NULL), AT(UP, "copy", "a.cu", 10, NULL)};
    run(before, COUNT(before), after, COUNT(after));
    expect(0, 1, XS_MATCH_ORDER);
    expect(1, 0, XS_MATCH_ORDER);
    xs_match_free(&match);
}

/* Lines with equal texts are matched in their order. A further line with this text is new, and no line is matched to
 * two lines. */
static void equal_lines_stay_in_order(void **state) {
    (void)state;
    struct xs_match_place before[3] = {AT(UP, "f", "a.cu", 10, "copy(x);"), AT(UP, "f", "a.cu", 20, "copy(x);"),
                                       AT(UP, "f", "a.cu", 30, "copy(x);")};
    struct xs_match_place after[2] = {before[1], before[2]};
    run(before, 3, after, 2);
    expect(0, XS_UNMATCHED, XS_MATCH_NONE);
    expect(1, 0, XS_MATCH_TEXT);
    expect(2, 1, XS_MATCH_TEXT);
    xs_match_free(&match);
    run(after, 2, before, 3);
    expect(0, 1, XS_MATCH_TEXT);
    assert_int_equal(match.before_of[0], XS_UNMATCHED);
    xs_match_free(&match);
}

/* The matching ends, and is sound, with line numbers that no source has, with thousands of lines in one function, and
 * with no lines. */
static void what_cannot_be_true_ends_well(void **state) {
    (void)state;
    enum { MANY = 3000 };
    struct xs_match_place *places = xs_realloc(NULL, MANY * sizeof *places);
    for (size_t i = 0; i < MANY; i++)
        places[i] = (struct xs_match_place)AT(UP, "f", "a.cu", i % 2 ? UINT64_MAX - i : i << 40, NULL);
    run(places, MANY, places, MANY);
    for (size_t i = 0; i < MANY; i++)
        expect(i, (uint32_t)i, XS_MATCH_ORDER);
    xs_match_free(&match);
    run(places, MANY, NULL, 0);
    xs_match_free(&match);
    run(NULL, 0, places, 3);
    xs_match_free(&match);
    free(places);
}

/* A finding is matched to the finding of its kind at the matched call site. Verdicts that join are one kind. Other
 * verdicts are matched to each other only if the caller allows any verdict. */
static void findings_are_matched_by_kind(void **state) {
    (void)state;
    unsigned joins = 0, several = 0;
    while (!xs_detectors[joins]->verdicts_join)
        joins++;
    while (xs_detectors[several]->verdicts_join || !xs_detectors[several]->verdicts[1].name)
        several++;
    const struct xs_match_place before[] = {AT(UP, "step", "a.cu", 10, NULL), AT(DOWN, "step", "a.cu", 11, NULL)};
    const struct xs_match_place after[] = {AT(DOWN, "step", "a.cu", 31, NULL), AT(UP_ASYNC, "step", "a.cu", 30, NULL),
                                           AT("cuMemAlloc_v2", "load", "b.cu", 5, NULL)};
    const struct xs_match_finding was[] = {{0, joins, 0}, {0, several, 0}, {0, several, 1}, {1, joins, 0}};
    const struct xs_match_finding is[] = {
        {1, several, 1}, {1, joins, XS_SEVERAL_VERDICTS}, {1, several, 2}, {2, joins, 0}};
    uint32_t after_of[4], before_of[4];
    run(before, COUNT(before), after, COUNT(after));
    xs_match_findings(&match, was, 4, is, 4, false, after_of, before_of);
    const uint32_t exactly[] = {1, XS_UNMATCHED, 0, XS_UNMATCHED}, back[] = {2, 0, XS_UNMATCHED, XS_UNMATCHED};
    assert_memory_equal(after_of, exactly, sizeof exactly);
    assert_memory_equal(before_of, back, sizeof back);
    xs_match_findings(&match, was, 4, is, 4, true, after_of, before_of);
    const uint32_t roughly[] = {1, 2, 0, XS_UNMATCHED}, all_back[] = {2, 0, 1, XS_UNMATCHED};
    assert_memory_equal(after_of, roughly, sizeof roughly);
    assert_memory_equal(before_of, all_back, sizeof all_back);
    xs_match_free(&match);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_find_moved_lines),
        cmocka_unit_test(order_finds_lines_without_texts),
        cmocka_unit_test(others_say_how_far_lines_moved),
        cmocka_unit_test(an_edited_line_is_the_same_one),
        cmocka_unit_test(a_call_becomes_its_asynchronous_form),
        cmocka_unit_test(a_line_moves_into_another_function),
        cmocka_unit_test(a_file_gets_another_name),
        cmocka_unit_test(without_stacks_there_are_entry_points),
        cmocka_unit_test(without_stacks_forms_of_an_entry_point_match),
        cmocka_unit_test(functions_of_one_name_in_two_files_stay_apart),
        cmocka_unit_test(equal_lines_stay_in_order),
        cmocka_unit_test(what_cannot_be_true_ends_well),
        cmocka_unit_test(findings_are_matched_by_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
