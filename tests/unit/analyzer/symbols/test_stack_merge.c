/* Tests that Python's frames replace the interpreter's. A stack is written from inside. Its native frames are letters:
 * o is another function, g glue, i the interpreter, E its loop. Its Python frames are letters, too: p is a call within
 * the loop, e the frame with which the loop was entered. The merged stack has N0, N1, ... and P0, P1, ... */
#include "unit.h"

#include "analyzer/trace/stack_merge.h"

static void check_cut(const char *native, const char *python, bool cut, const char *expected) {
    uint8_t roles[64];
    bool entry[64];
    int32_t merged[128];
    char text[1024] = "";
    size_t natives = strlen(native), pythons = strlen(python);
    for (size_t i = 0; i < natives; i++)
        roles[i] = native[i] == 'o'   ? XS_NATIVE_OTHER
                   : native[i] == 'g' ? XS_NATIVE_GLUE
                   : native[i] == 'i' ? XS_NATIVE_INTERPRETER
                                      : XS_NATIVE_EVAL;
    for (size_t i = 0; i < pythons; i++)
        entry[i] = python[i] == 'e';
    size_t count = xs_stack_merge(roles, natives, entry, pythons, cut, merged);
    assert_true(count <= natives + pythons);
    for (size_t i = 0, length = 0; i < count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%c%d", i ? " " : "",
                                   merged[i] < 0 ? 'P' : 'N', merged[i] < 0 ? -1 - merged[i] : merged[i]);
    assert_string_equal(text, expected);
}
static void check(const char *native, const char *python, const char *expected) {
    check_cut(native, python, false, expected);
}

static void a_loop_takes_frames_up_to_its_entry(void **state) {
    (void)state;
    check("oEo", "e", "N0 P0 N2");
    check("oEo", "ppe", "N0 P0 P1 P2 N2");
    check("oiEiio", "pe", "N0 P0 P1 N5");
    check("oiEiioiEio", "pepe", "N0 P0 P1 N5 P2 P3 N9");
    check("oEEo", "epe", "N0 P0 P1 P2 N3");
}

static void frames_of_other_code_stay_between(void **state) {
    (void)state;
    /* cuMemcpy, an extension, Python, another extension that calls back, Python, main */
    check("ooiEioogiEiioo", "pepe", "N0 N1 P0 P1 N5 N6 P2 P3 N12 N13");
    check("ogEgo", "e", "N0 P0 N4");
}

static void without_symbols_each_stretch_is_a_loop(void **state) {
    (void)state;
    check("oiio", "pe", "N0 P0 P1 N3");
    check("oiioiiio", "pepe", "N0 P0 P1 N3 P2 P3 N7");
    check("oigio", "ee", "N0 P0 P1 N4");
    check("oiio", "pepe", "N0 P0 P1 P2 P3 N3");
}

static void frames_without_a_loop_are_kept(void **state) {
    (void)state;
    check("oEio", "epepp", "N0 P0 P1 P2 P3 P4 N3"); /* more entries than loops: at the outermost */
    check("oEooEo", "eee", "N0 P0 N2 N3 P1 P2 N5");
    check("oEooEo", "e", "N0 P0 N2 N3 N5"); /* fewer */
    check("oo", "pe", "N0 N1 P0 P1");       /* none */
    check("", "pe", "P0 P1");
    check_cut("oEo", "eee", true, "N0 P0 N2 P1 P2"); /* the other loops are behind the cut */
}

static void without_python_native_frames_stay(void **state) {
    (void)state;
    check("oiEgo", "", "N0 N1 N2 N3 N4");
    check("", "", "");
}

/* For all short stacks, no Python frame is lost, none comes twice, and the order is kept. */
static void every_short_stack(void **state) {
    (void)state;
    static const uint8_t kinds[] = {XS_NATIVE_OTHER, XS_NATIVE_GLUE, XS_NATIVE_INTERPRETER, XS_NATIVE_EVAL};
    for (unsigned n = 0; n < 4 * 4 * 4 * 4 * 4; n++) {
        for (unsigned p = 0; p < 32; p++) {
            uint8_t roles[5];
            bool entry[5];
            int32_t merged[10];
            for (unsigned i = 0; i < 5; i++) {
                roles[i] = kinds[n >> 2 * i & 3];
                entry[i] = p >> i & 1;
            }
            size_t pythons = n % 6, count = xs_stack_merge(roles, 5, entry, pythons, p & 1, merged);
            int32_t python = 0, native = -1;
            for (size_t i = 0; i < count; i++)
                if (merged[i] < 0)
                    assert_int_equal(merged[i], -1 - python++);
                else
                    assert_true(merged[i] > native && (native = merged[i]) < 5);
            assert_int_equal(python, pythons);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_takes_frames_up_to_its_entry),    cmocka_unit_test(frames_of_other_code_stay_between),
        cmocka_unit_test(without_symbols_each_stretch_is_a_loop), cmocka_unit_test(frames_without_a_loop_are_kept),
        cmocka_unit_test(without_python_native_frames_stay),      cmocka_unit_test(every_short_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
