/* Python stacks of an interpreter that is made up here: the layout of CPython 3.14, moved to where only its debug
 * offsets say, and interpreters that must be refused. Real ones: tests/python. */
#include "unit.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "preload/callsite/python_layout.h"
#include "preload/core/notes.h"
#include "schema/format/event.h"

#define EXPORT __attribute__((visibility("default"), used))

/* ---- the interpreter ---- */

/* The offsets of 3.14 are different. */
enum { T_ID = 8, T_CURRENT = 40 };
enum { F_PREVIOUS = 16, F_CODE = 8, F_AT = 24, F_OWNER = 33 };
enum { C_FILENAME = 24, C_NAME = 32, C_QUALNAME = 40, C_LINES = 48, C_FIRST_LINE = 56, C_BODY = 104 };
enum { C_TRACEABLE = C_BODY - 16, C_TAG = 92 };

typedef uint64_t object[32]; /* memory for an object of any type */

EXPORT uint64_t _PyRuntime[64];
EXPORT object PyCode_Type;
static object text_type, bytes_type;
static const char *version;
static int is_finalizing, is_initialized;
static object thread;
static void *this_thread;

EXPORT const char *Py_GetVersion(void);
EXPORT void *PyGILState_GetThisThreadState(void);
EXPORT int Py_IsInitialized(void);
EXPORT int Py_IsFinalizing(void);
const char *Py_GetVersion(void) { return version; }
void *PyGILState_GetThisThreadState(void) { return this_thread; }
int Py_IsInitialized(void) { return is_initialized; }
int Py_IsFinalizing(void) { return is_finalizing; }

#define PUT(type, to, offset, what) (*(type *)((char *)(to) + (offset)) = (type)(what))
#define PUT_ADDRESS(to, offset, what) PUT(uintptr_t, to, offset, (uintptr_t)(what))

static void make_text(object o, const char *text) {
    PUT_ADDRESS(o, 8, text_type);
    PUT(uint64_t, o, 16, strlen(text));
    PUT(uint32_t, o, 32, 1u << 2 | 1u << 5 | 1u << 6);
    strcpy((char *)o + 40, text);
}

static void make_bytes(object o, const void *bytes, size_t count) {
    PUT_ADDRESS(o, 8, bytes_type);
    PUT(uint64_t, o, 16, count);
    memcpy((char *)o + 32, bytes, count);
}

struct code {
    object object, filename, name, lines;
};

/* Eight instructions; the line table has one line for every two of them, from the first line on. */
static void make_code(struct code *c, const char *name, int first_line) {
    static const uint8_t lines[] = {0x80 | 10 << 3 | 1, 0, 0, 0x80 | 11 << 3 | 1, 0, 0, 0x80 | 15 << 3 | 1,
                                    0x80 | 13 << 3 | 1, 2};
    memset(c, 0, sizeof *c);
    make_text(c->filename, "made_up.py");
    make_text(c->name, name);
    make_bytes(c->lines, lines, sizeof lines);
    PUT_ADDRESS(c->object, 8, PyCode_Type);
    PUT(uint64_t, c->object, 16, 8);
    PUT_ADDRESS(c->object, C_FILENAME, c->filename);
    PUT_ADDRESS(c->object, C_NAME, c->name);
    PUT_ADDRESS(c->object, C_QUALNAME, c->name);
    PUT_ADDRESS(c->object, C_LINES, c->lines);
    PUT(int32_t, c->object, C_FIRST_LINE, first_line);
    PUT(int32_t, c->object, C_TRACEABLE, 2);
}

static object frames[8];
static struct code codes[3];

static void make_frame(unsigned i, struct code *c, int instruction, unsigned owner) {
    memset(frames[i], 0, sizeof frames[i]);
    PUT_ADDRESS(frames[i], F_PREVIOUS, i + 1 < COUNT_OF(frames) ? frames[i + 1] : NULL);
    PUT_ADDRESS(frames[i], F_CODE, c ? (uintptr_t)c->object | 1 : 1); /* tagged */
    PUT_ADDRESS(frames[i], F_AT, (uintptr_t)(c ? c->object : NULL) + (uintptr_t)(C_BODY + 2 * instruction));
    PUT(uint8_t, frames[i], F_OWNER, owner);
}

static void make_runtime(void) {
    static const struct {
        unsigned word, value;
    } offsets[] = {
        {22 + 4, T_CURRENT},    {22 + 5, T_ID},       {31 + 1, F_PREVIOUS}, {31 + 2, F_CODE},     {31 + 3, F_AT},
        {31 + 5, F_OWNER},      {39 + 1, C_FILENAME}, {39 + 2, C_NAME},     {39 + 3, C_QUALNAME}, {39 + 4, C_LINES},
        {39 + 5, C_FIRST_LINE}, {39 + 9, C_BODY},     {4, 8 * 60},
    };
    memset(_PyRuntime, 0, sizeof _PyRuntime);
    memcpy(_PyRuntime, "xdebugpy", 8);
    _PyRuntime[1] = 0x030e00f0;
    for (size_t i = 0; i < COUNT_OF(offsets); i++)
        _PyRuntime[offsets[i].word] = offsets[i].value;
}

static char note[1024];

static int make_interpreter(void **state) {
    (void)state;
    version = "3.14.0 (main, Oct  7 2025) [GCC 14.2.0]";
    is_finalizing = 0, is_initialized = 1, this_thread = thread, note[0] = '\0';
    PUT(uint64_t, text_type, XS_PYTHON_TP_FLAGS, 1u << 28);
    PUT(uint64_t, bytes_type, XS_PYTHON_TP_FLAGS, 1u << 27);
    make_runtime();
    make_code(&codes[0], "inner", 10);
    make_code(&codes[1], "middle", 20);
    make_code(&codes[2], "outer", 30);
    make_frame(0, &codes[0], 1, 0); /* has not begun */
    make_frame(1, &codes[0], 2, 0);
    make_frame(2, &codes[1], 0, XS_PYTHON_OWNER_GENERATOR);
    make_frame(3, NULL, 0, 3);
    make_frame(4, NULL, 0, 3); /* a call that is over */
    make_frame(5, &codes[2], 7, 0);
    make_frame(6, &codes[2], 5, 2);
    make_frame(7, NULL, 0, 4);
    memset(thread, 0, sizeof thread);
    PUT_ADDRESS(thread, T_ID, pthread_self());
    PUT_ADDRESS(thread, T_CURRENT, frames[0]);
    memset(&xs_python, 0, sizeof xs_python);
    xs_python_forget();
    return 0;
}

/* ---- what the walk calls ---- */

static char defined[256];
static bool may_define = true;

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    const struct xs_define_code *code = data;
    (void)e;
    assert_int_equal(what, XS_DEFINE_CODE);
    assert_int_not_equal(id, 0);
    assert_int_equal(bytes, sizeof *code + code->file_bytes + code->function_bytes);
    snprintf(defined, sizeof defined, "%u %.*s:%u", id, (int)(bytes - sizeof *code), (const char *)(code + 1),
             code->first_line);
    return may_define;
}

void xs_note(const char *topic, const char *format, ...) {
    va_list arguments;
    assert_string_equal(topic, "python");
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
}

static bool is_local; /* symbols are not in the global scope */
void *xs_real_dlsym(void *handle, const char *name) {
    extern void *dlsym(void *, const char *);
    return is_local ? NULL : dlsym(handle, name);
}

static struct xs_python_frame walked[16];

static unsigned walk(unsigned limit, bool cut) {
    bool is_cut;
    unsigned n = xs_python_walk(walked, limit, &is_cut);
    assert_int_equal(is_cut, cut);
    return n;
}

static void expect_frame(unsigned i, const struct code *c, uint32_t position, bool is_entry) {
    assert_true(walked[i].code == (c ? (uintptr_t)c->object : 0));
    assert_int_equal(walked[i].position, position);
    assert_int_equal(walked[i].is_entry, is_entry);
}

/* ---- tests ---- */

static void frames_of_314(void **state) {
    (void)state;
    assert_int_equal(walk(16, false), 5);
    expect_frame(0, &codes[0], 4, false);
    expect_frame(1, &codes[1], 0, true);
    expect_frame(2, NULL, 0, true);
    expect_frame(3, &codes[2], 14, false);
    expect_frame(4, &codes[2], 10, true);
    assert_int_equal(walk(5, false), 5);
    assert_int_equal(walk(4, true), 4);
    assert_int_equal(walk(0, true), 0);
    assert_string_equal(note, "");
}

static void numbers_and_lines(void **state) {
    static const uint32_t lines[] = {11, 20, 0, 32, 0};
    struct xs_event *none = NULL;
    (void)state;
    assert_int_equal(walk(16, false), 5);
    for (unsigned i = 0; i < 5; i++) {
        uint32_t line, number = xs_python_code(&walked[i], &line, &none);
        assert_int_equal(line, lines[i]);
        assert_int_equal(number == 0, i == 2);
    }
    assert_string_equal(defined, "3 made_up.pyouter:30");
    uint64_t identity = walked[4].identity;
    PUT(uint32_t, codes[2].object, C_TAG, 77); /* another one at the same address */
    make_text(codes[2].name, "other");
    walk(16, false);
    assert_true(walked[4].identity != identity);
    uint32_t line;
    assert_int_equal(xs_python_code(&walked[4], &line, &none), 4);
    assert_string_equal(defined, "4 made_up.pyother:30");
}

static void not_defined_yet(void **state) {
    struct xs_event *none = NULL;
    uint32_t line;
    (void)state;
    walk(1, true);
    may_define = false;
    uint32_t number = xs_python_code(&walked[0], &line, &none);
    may_define = true;
    defined[0] = '\0';
    assert_int_equal(xs_python_code(&walked[0], &line, &none), number);
    assert_string_equal(defined, "1 made_up.pyinner:10");
}

static void more_than_fit(void **state) {
    struct xs_event *none = NULL;
    uint32_t line, without = 0;
    (void)state;
    walk(1, true);
    for (unsigned i = 0; i < 300000; i++) {
        walked[0].identity = i;
        without += xs_python_code(&walked[0], &line, &none) == 0;
        assert_int_equal(line, without ? line : 11);
    }
    assert_in_range(without, 300000 - (1 << 17), 300000 - (1 << 16));
    assert_non_null(strstr(note, "have no name"));
}

static void tables_of_lines(void **state) {
    uint8_t bytes[64];
    (void)state;
    assert_int_equal(walk(1, true), 1);
    for (unsigned length = 0; length < 64; length++) { /* hostile, and cut anywhere */
        for (unsigned fill = 0; fill < 256; fill++) {
            memset(bytes, (int)fill, sizeof bytes);
            make_bytes(codes[0].lines, bytes, length);
            for (unsigned shape = 0; shape <= XS_PYTHON_FRAMES; shape++) {
                xs_python.layout.shape = (uint16_t)shape;
                xs_python_line((uintptr_t)codes[0].object, fill);
                xs_python_line((uintptr_t)codes[0].object, XS_PYTHON_BEFORE - 1);
            }
        }
    }
    PUT(int64_t, codes[0].lines, 16, -1);
    assert_int_equal(xs_python_line((uintptr_t)codes[0].object, 0), 0);
    assert_int_equal(xs_python_line((uintptr_t)codes[0].object, XS_PYTHON_BEFORE), 10);
}

static void broken_chains(void **state) {
    (void)state;
    assert_int_equal(walk(16, false), 5);
    PUT_ADDRESS(frames[6], F_PREVIOUS, frames[5]); /* round and round */
    walk(16, true);
    PUT_ADDRESS(frames[1], F_PREVIOUS, frames[0]);
    make_frame(1, &codes[0], 0, 0); /* with nothing to show */
    PUT_ADDRESS(frames[1], F_PREVIOUS, frames[0]);
    assert_int_equal(walk(16, true), 0);
    PUT_ADDRESS(frames[0], F_PREVIOUS, 12345);
    assert_int_equal(walk(16, true), 0);
    make_frame(0, &codes[0], 5, 0);
    make_frame(1, NULL, 0, 0); /* no code object */
    assert_int_equal(walk(16, true), 1);
    PUT_ADDRESS(frames[1], F_CODE, text_type);
    assert_int_equal(walk(16, true), 1);
}

static void no_frames(void **state) {
    (void)state;
    PUT_ADDRESS(thread, T_CURRENT, NULL);
    assert_int_equal(walk(16, false), 0); /* no reason to doubt the layout */
    this_thread = NULL;
    assert_int_equal(walk(16, false), 0);
    assert_true(xs_python_present());
    make_interpreter(NULL);
    assert_int_equal(walk(16, false), 5);
    _PyRuntime[60] = (uintptr_t)thread; /* the interpreter ends */
    assert_int_equal(walk(16, false), 0);
    _PyRuntime[60] = 0;
    assert_int_equal(walk(16, false), 5);
    is_initialized = 0;
    assert_int_equal(walk(16, false), 0);
}

static void refused(const char *why) {
    assert_int_equal(walk(16, false), 0);
    assert_false(xs_python_present());
    assert_non_null(strstr(note, why));
    make_interpreter(NULL);
}

static void refused_interpreters(void **state) {
    (void)state;
    version = "3.15.0a1 (main)";
    refused("CPython 3.15.0a1 is not among the versions");
    version = "nonsense";
    refused("is not among the versions");
    version = "3.14.0 experimental free-threading build (main)";
    refused("free-threaded");
    _PyRuntime[2] = 1;
    refused("does not say");
    _PyRuntime[0]++;
    refused("does not say");
    _PyRuntime[1] = 0x030d00f0;
    refused("does not say");
    _PyRuntime[39 + 9] = 1u << 20;
    refused("does not say");
}

/* Any offset that is wrong is found out before anything is read by it directly. */
static void wrong_offsets(void **state) {
    static const unsigned words[] = {26, 27, 32, 33, 34, 40, 41, 42, 43, 48};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        for (unsigned offset = 0; offset < 4096; offset += offset < 256 ? 4 : 500) {
            if (_PyRuntime[words[i]] == offset || (words[i] == 41 && offset == C_QUALNAME) ||
                (words[i] >= 40 && words[i] <= 42 && offset >= C_FILENAME && offset <= C_QUALNAME))
                continue; /* a text like the right one */
            _PyRuntime[words[i]] = offset;
            PUT_ADDRESS(thread, 80, (uintptr_t)0xdead0000); /* what is read instead leads nowhere */
            for (unsigned n = 0; n < 4; n++) {
                bool is_cut;
                assert_int_equal(xs_python_walk(walked, 16, &is_cut), 0);
            }
            make_interpreter(NULL);
        }
    }
}

static void found_later(void **state) {
    (void)state;
    is_local = true;
    assert_int_equal(walk(16, false), 0);
    assert_false(xs_python_present());
    is_local = false;
    xs_python_forget(); /* in place of a second's wait */
    assert_true(xs_python_present());
    assert_int_equal(walk(16, false), 5);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup(f, make_interpreter)
    const struct CMUnitTest tests[] = {
        TEST(frames_of_314),   TEST(numbers_and_lines), TEST(not_defined_yet), TEST(more_than_fit),
        TEST(tables_of_lines), TEST(broken_chains),     TEST(no_frames),       TEST(refused_interpreters),
        TEST(wrong_offsets),   TEST(found_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
