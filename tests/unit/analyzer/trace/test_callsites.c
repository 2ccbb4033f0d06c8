/* Tests how people see stacks, with hand-made traces whose table `symbol` says what is at the addresses. */
#include "unit.h"

#include <sqlite3.h>

#include "analyzer/savings/idle/idle.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/shared_frame.h"
#include "analyzer/trace/site.h"
#include "schema/write/store.h"

/* Modules 1: the user's program, 2: the C library, 3: Python, 4: torch. Each was loaded at its number * 0x10000. */
#define MODULES                                                                                                        \
    "INSERT INTO module VALUES (1,'/nowhere/app',NULL,65536,131071,65536),"                                            \
    "(2,'/nowhere/libc.so.6',NULL,131072,196607,131072),(3,'/nowhere/python3.11',NULL,196608,262143,196608),"          \
    "(4,'/nowhere/libtorch_cuda.so',NULL,262144,327679,262144);"
#define STACK(id, cut) "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (" #id ",0,0," #cut ");"
#define NATIVE(stack, depth, module, address)                                                                          \
    "INSERT INTO stack_frame VALUES (" #stack "*4096+" #depth "," #stack "," #depth "," #module "*65536+" #address     \
    "," #module ",NULL,NULL,NULL);"
#define PYTHON(stack, depth, code, line, entry)                                                                        \
    "INSERT INTO stack_frame VALUES (" #stack "*4096+2048+" #depth "," #stack "," #depth ",NULL,NULL," #code "," #line \
    "," #entry ");"
#define SYMBOL(module, address, depth, function, file, line)                                                           \
    "INSERT INTO symbol (module,address,inline_depth,function,file,line) VALUES (" #module "," #address "," #depth     \
    "," function "," file "," #line ");"
#define CODE(id, file, function) "INSERT INTO python_code VALUES (" #id ",'" file "','" function "',1);"

struct case_ {
    char folder[64], path[128];
    struct xs_trace trace;
    struct xs_callsites *callsites;
};

static void load(struct case_ *c, const char *sql) {
    struct xs_store *store;
    sqlite3 *db;
    char message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    strcpy(c->folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->path, sizeof c->path, "%s/trace.db", c->folder);
    assert_int_equal(xs_store_create(c->path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(c->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(c->path, &c->trace, message) < 0 || xs_callsites_open(&c->trace, &c->callsites, message) < 0)
        fail_msg("%s", message);
}

static void drop(struct case_ *c) {
    xs_callsites_close(c->callsites);
    xs_trace_close(&c->trace);
    unlink(c->path);
    rmdir(c->folder);
}

/* Compares the functions of a stack's frames with a text. Functions that are not the user's are in brackets, and "> "
 * comes after an inlined one. */
static void check_frames(const struct case_ *c, int64_t stack, const char *expected) {
    char text[1024] = "";
    size_t count, length = 0;
    const struct xs_frame *frames = xs_callsites_frames(c->callsites, stack, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = frames[i].function ? frames[i].function : "?";
        length += (size_t)snprintf(text + length, sizeof text - length, frames[i].library ? "%s[%s]%s" : "%s%s%s",
                                   i ? " " : "", name, frames[i].inlined ? ">" : "");
    }
    assert_string_equal(text, expected);
}

static void nothing(void **state) {
    struct case_ c;
    size_t count = 7;
    (void)state;
    load(&c, "");
    assert_null(xs_callsites_frames(c.callsites, 0, &count));
    assert_int_equal(count, 0);
    assert_null(xs_callsites_frames(c.callsites, 1, &count));
    assert_null(xs_callsites_user_frame(c.callsites, 1));
    assert_int_equal(xs_callsites_place(c.callsites, 1), 0);
    assert_int_equal(xs_callsites_place_count(c.callsites), 0);
    assert_null(xs_callsites_place_frame(c.callsites, 0));
    assert_null(xs_callsites_place_frame(c.callsites, 1));
    assert_null(xs_callsites_note(c.callsites, 0));
    assert_null(xs_callsites_range(c.callsites, 1));
    assert_false(xs_callsites_cut(c.callsites, 1));
    drop(&c);
}

/* The innermost inlined line that belongs to the user is the place; a line of std:: inside it is not. */
static void inlined_frames(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES STACK(1, 1) NATIVE(1, 0, 1, 100) NATIVE(1, 1, 1, 200) NATIVE(1, 2, 2, 300)    /**/
         SYMBOL(1, 100, 0, "'std::copy<int*>'", "'/usr/include/c++/12/bits/stl_algobase.h'", 9)    /**/
         SYMBOL(1, 100, 1, "'upload'", "'app.cc'", 20) SYMBOL(1, 100, 2, "'step'", "'app.cc'", 30) /**/
         SYMBOL(1, 200, 0, "'main'", "'app.cc'", 40) SYMBOL(2, 300, 0, "'__libc_start_main'", "NULL", NULL));
    check_frames(&c, 1, "[std::copy<int*>]> upload> step main [__libc_start_main]");
    const struct xs_frame *frame = xs_callsites_user_frame(c.callsites, 1);
    assert_string_equal(frame->function, "upload");
    assert_string_equal(frame->file, "app.cc");
    assert_int_equal(frame->line, 20);
    assert_string_equal(frame->module, "/nowhere/app");
    assert_int_equal(frame->address, 100);
    assert_true(xs_callsites_cut(c.callsites, 1));
    assert_null(xs_callsites_note(c.callsites, 0));
    drop(&c);
}

/* If a Python script calls torch, the script's line is the place, although torch's frames are nearer. */
static void python_frames(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES CODE(1, "/v/lib/python3.11/site-packages/torch/nn/modules/module.py", "_call_impl")          /**/
         CODE(2, "/home/me/train.py", "step") CODE(3, "/home/me/train.py", "<module>")                            /**/
         STACK(5, 0) NATIVE(5, 0, 4, 100) NATIVE(5, 1, 3, 10) NATIVE(5, 2, 3, 20) NATIVE(5, 3, 3, 30)             /**/
         NATIVE(5, 4, 2, 300) PYTHON(5, 0, 1, 1500, 0) PYTHON(5, 1, 2, 12, 0) PYTHON(5, 2, 3, 40, 1)              /**/
         SYMBOL(4, 100, 0, "'at::native::copy_'", "NULL", NULL) SYMBOL(3, 10, 0, "'PyObject_Call'", "NULL", NULL) /**/
         SYMBOL(3, 20, 0, "'_PyEval_EvalFrameDefault'", "NULL", NULL)
             SYMBOL(3, 30, 0, "'Py_RunMain'", "NULL", NULL) /**/
         SYMBOL(2, 300, 0, "'__libc_start_main'", "NULL", NULL));
    check_frames(&c, 5, "[at::native::copy_] [_call_impl] step <module> [__libc_start_main]");
    const struct xs_frame *frame = xs_callsites_user_frame(c.callsites, 5);
    assert_string_equal(frame->file, "/home/me/train.py");
    assert_int_equal(frame->line, 12);
    assert_true(frame->python);
    assert_null(frame->module);
    drop(&c);
}

/* The function of a kernel's name is nvcc's, inlined or not. The program's line is the one that calls it. Optimized
 * code without debug information may have no such function: the launching function calls the stub. A template kernel
 * has one more function between the two. */
static void kernels(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES STACK(1, 0) NATIVE(1, 0, 1, 100) NATIVE(1, 1, 1, 110) NATIVE(1, 2, 1, 120) /**/
         STACK(2, 0) NATIVE(2, 0, 1, 130) NATIVE(2, 1, 1, 120)                                  /**/
         SYMBOL(1, 100, 0, "'__device_stub__Z4scalPf'", "'/tmp/app.stub.c'", 1)
             SYMBOL(1, 110, 0, "'scal'", "'app.cu'", 2) SYMBOL(1, 120, 0, "'forward'", "'app.cu'", 12) /**/
         SYMBOL(1, 130, 0, "'__device_stub__Z4axpyPf'", "'/tmp/app.stub.c'", 9)
             SYMBOL(1, 130, 1, "'axpy'", "'app.cu'", 4)                                                  /**/
         STACK(3, 0) NATIVE(3, 0, 1, 140) NATIVE(3, 1, 1, 150) NATIVE(3, 2, 1, 160)                      /**/
         STACK(4, 0) NATIVE(4, 0, 1, 170) NATIVE(4, 1, 1, 180) NATIVE(4, 2, 1, 190) NATIVE(4, 3, 1, 150) /**/
         STACK(5, 0) NATIVE(5, 0, 1, 170) NATIVE(5, 1, 1, 200) NATIVE(5, 2, 1, 150)                      /**/
         SYMBOL(1, 140, 0, "'__device_stub__Z4scalPf'", "NULL", NULL) SYMBOL(1, 150, 0, "'forward'", "NULL", NULL)
             SYMBOL(1, 160, 0, "'main'", "NULL", NULL) /**/
         SYMBOL(1, 170, 0, "'__device_stub__ZN2ns4tmplIfEEvPT_'", "NULL", NULL)
             SYMBOL(1, 180, 0, "'ns::__wrapper__device_stub_tmpl<float>'", "NULL", NULL)
                 SYMBOL(1, 190, 0, "'ns::tmpl<float>'", "NULL", NULL) /**/
         SYMBOL(1, 200, 0, "'tmpl<float>'", "'app.cu'", 4));
    for (int64_t stack = 1; stack <= 5; stack++) {
        const struct xs_frame *frame = xs_callsites_user_frame(c.callsites, stack);
        assert_string_equal(frame->function, "forward");
        assert_int_equal(frame->line, stack <= 2 ? 12 : 0);
    }
    drop(&c);
}

static void places(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES CODE(1, "a.py", "f") CODE(2, "a.py", "f") CODE(3, "a.py", "g")                            /**/
         STACK(1, 0) NATIVE(1, 0, 1, 100) STACK(2, 0) NATIVE(2, 0, 2, 300) NATIVE(2, 1, 1, 110)                /**/
         STACK(3, 0) NATIVE(3, 0, 1, 120) STACK(4, 0) NATIVE(4, 0, 1, 130) STACK(5, 0) NATIVE(5, 0, 1, 140)    /**/
         STACK(6, 0) PYTHON(6, 0, 1, 5, 1) STACK(7, 0) PYTHON(7, 0, 2, 5, 1) STACK(8, 0) PYTHON(8, 0, 3, 5, 1) /**/
         STACK(9, 0) NATIVE(9, 0, 2, 300) NATIVE(9, 1, 2, 310) STACK(10, 0) NATIVE(10, 0, 2, 320) STACK(11, 0) /**/
         SYMBOL(1, 100, 0, "'f'", "'app.c'", 1) SYMBOL(1, 110, 0, "'f'", "'app.c'", 1) /* 1 and 2: one line */
         SYMBOL(1, 120, 0, "'f'", "'app.c'", 2) SYMBOL(1, 130, 0, "'f'", "NULL", NULL) /**/
         SYMBOL(2, 300, 0, "'memcpy'", "NULL", NULL) SYMBOL(2, 310, 0, "'start'", "NULL", NULL));
    static const uint32_t expected[] = {1, 1, 2, 3, 4, 5, 5, 6, 7, 0, 0};
    for (int i = 0; i < 11; i++)
        assert_int_equal(xs_callsites_place(c.callsites, i + 1), expected[i]);
    assert_int_equal(xs_callsites_place_count(c.callsites), 7);
    /* a function without a line: its calls are told apart by their addresses */
    assert_string_equal(xs_callsites_place_frame(c.callsites, 3)->function, "f");
    assert_null(xs_callsites_place_frame(c.callsites, 4)->function);
    assert_string_equal(xs_callsites_place_frame(c.callsites, 4)->module, "/nowhere/app");
    assert_int_equal(xs_callsites_place_frame(c.callsites, 4)->address, 140);
    /* all of libraries: the outermost that is known */
    assert_string_equal(xs_callsites_place_frame(c.callsites, 7)->function, "start");
    assert_non_null(strstr(xs_callsites_note(c.callsites, 0), "/nowhere/app"));
    drop(&c);
}

static void ranges(void **state) {
    struct case_ c;
    (void)state;
    load(&c,
         "INSERT INTO nvtx_range VALUES (1,NULL,NULL,'epoch'),(2,1,NULL,'batch'),(3,2,'d','copy'),(4,9,NULL,'lost'),"
         "(5,6,NULL,'a'),(6,5,NULL,'b');");
    assert_string_equal(xs_callsites_range(c.callsites, 1), "epoch");
    assert_string_equal(xs_callsites_range(c.callsites, 3), "epoch / batch / copy");
    assert_string_equal(xs_callsites_range(c.callsites, 2), "epoch / batch");
    assert_string_equal(xs_callsites_range(c.callsites, 4), "lost");
    assert_null(xs_callsites_range(c.callsites, 0));
    assert_non_null(xs_callsites_range(c.callsites, 5)); /* each in the other: it ends */
    assert_ptr_equal(xs_callsites_range(c.callsites, 3), xs_callsites_range(c.callsites, 3));
    drop(&c);
}

/* For a thread without Python code, the place is the main thread's line, unless the program's own native code made the
 * call. */
static void lines_of_the_main_thread(void **state) {
#define BESIDE(id, thread) "UPDATE stack SET python_thread = " #thread " WHERE id = " #id ";"
    struct case_ c;
    (void)state;
    load(&c, MODULES "INSERT INTO meta VALUES ('pid',70); INSERT INTO thread VALUES (1,70,'main'),(2,71,'pool');"
         /* clang-format off */
         SYMBOL(4, 100, 0, "'copy'", "NULL", NULL) SYMBOL(4, 200, 0, "'fetch'", "NULL", NULL)
         SYMBOL(1, 300, 0, "'own'", "'own.c'", 3)
         CODE(1, "train.py", "step") CODE(2, "/x/site-packages/jax/api.py", "call")
         /* the framework's own frames at the ends of both stacks are no places */
         STACK(1, 0) NATIVE(1, 0, 4, 100) PYTHON(1, 0, 2, 7, 0) PYTHON(1, 1, 1, 30, 1) BESIDE(1, 1)
         STACK(2, 0) NATIVE(2, 0, 4, 100) PYTHON(2, 0, 1, 31, 1) BESIDE(2, 1)
         STACK(3, 0) NATIVE(3, 0, 4, 100) PYTHON(3, 0, 1, 31, 1) BESIDE(3, 2) /* not the main thread */
         STACK(4, 0) NATIVE(4, 0, 4, 100) PYTHON(4, 0, 1, 31, 1)              /* its own */
         STACK(5, 0) NATIVE(5, 0, 4, 100)                                     /* not read, and one of two lines */
         STACK(6, 0) NATIVE(6, 0, 4, 200) PYTHON(6, 0, 1, 31, 1) BESIDE(6, 1)
         STACK(7, 0) NATIVE(7, 0, 4, 200)                                     /* not read, and there is only one line */
         STACK(8, 0) NATIVE(8, 0, 4, 200) NATIVE(8, 1, 1, 300) PYTHON(8, 0, 1, 31, 1) BESIDE(8, 1)
         STACK(9, 0) NATIVE(9, 0, 4, 200) NATIVE(9, 1, 4, 200) PYTHON(9, 0, 1, 31, 1) BESIDE(9, 77)); /* no thread */
    /* clang-format on */
    static const struct {
        int64_t stack;
        const char *function;
        uint32_t line;
        enum xs_frame_of of;
    } expected[] = {{1, "step", 30, XS_FRAME_MAIN}, {2, "step", 31, XS_FRAME_MAIN}, {3, "step", 31, XS_FRAME_OTHER},
                    {4, "step", 31, XS_FRAME_OWN},  {5, "copy", 0, XS_FRAME_OWN},   {6, "step", 31, XS_FRAME_MAIN},
                    {7, "step", 31, XS_FRAME_MAIN}, {8, "own", 3, XS_FRAME_OWN},    {9, "step", 31, XS_FRAME_OTHER}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct xs_frame *frame = xs_callsites_user_frame(c.callsites, expected[i].stack);
        assert_string_equal(frame->function, expected[i].function);
        assert_int_equal(frame->line, expected[i].line);
        assert_int_equal(frame->of, expected[i].of);
    }
    assert_int_equal(xs_callsites_place(c.callsites, 2), xs_callsites_place(c.callsites, 7));
    assert_int_not_equal(xs_callsites_place(c.callsites, 2), xs_callsites_place(c.callsites, 4));
    check_frames(&c, 1, "[copy] [call] step");
    check_frames(&c, 8, "[fetch] own");
    drop(&c);
}

/* Some rows are such as capture never writes: what can be used of them is used, and the rest is counted. */
static void damaged_rows(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES STACK(1, 0) STACK(2, 0) NATIVE(1, 0, 1, 100) NATIVE(77, 0, 1, 100) /* no such stack */
         "INSERT INTO stack_frame VALUES (999999,1,9,65636,1,NULL,NULL,NULL);" /* apart from its stack's others */
         "INSERT INTO stack_frame VALUES (8192,2,-5,-1,99,NULL,NULL,NULL);"    /* no such module */
         "INSERT INTO stack_frame VALUES (10240,2,0,NULL,NULL,55,-3,'x');"     /* no such code */
         "INSERT INTO symbol VALUES (1,1,100,0,x'ff00ff',NULL,-4),(2,1,100,0,'again','again',1),"
         "(3,-1,-1,-1,'f','f',99999999999);");
    size_t count;
    const struct xs_frame *frames = xs_callsites_frames(c.callsites, 1, &count);
    assert_int_equal(count, 2); /* both have one address, so they count as an inlined call */
    assert_string_equal(frames[0].function, "\xff");
    assert_int_equal(frames[0].line, 0);
    frames = xs_callsites_frames(c.callsites, 2, &count);
    assert_int_equal(count, 2);
    assert_null(frames[0].module);
    assert_true(frames[1].python);
    assert_int_equal(frames[1].line, 0);
    assert_int_equal(xs_callsites_place(c.callsites, 2), 0);
    assert_non_null(strstr(xs_callsites_note(c.callsites, 0), "2 rows"));
    assert_int_equal(xs_callsites_damaged(c.callsites), 2);
    drop(&c);
}

/* Stacks 1 and 2: solve() calls residual() at line 88 and correct() at line 92, which make the calls. Stack 3: solve()
 * makes the call itself, at line 90. Stack 4 has no outer frames. */
static void functions_that_two_stacks_share(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES STACK(1, 0) STACK(2, 0) STACK(3, 0) STACK(4, 1) NATIVE(1, 0, 1, 100) NATIVE(1, 1, 1, 300)
                 NATIVE(1, 2, 1, 400) NATIVE(2, 0, 1, 200) NATIVE(2, 1, 1, 310) NATIVE(2, 2, 1, 400)
                     NATIVE(3, 0, 1, 320) NATIVE(3, 1, 1, 400) NATIVE(4, 0, 1, 100) NATIVE(4, 1, 1, 300)
                         SYMBOL(1, 100, 0, "'residual'", "'/src/solver.cpp'", 20)
                             SYMBOL(1, 200, 0, "'correct'", "'/src/solver.cpp'", 30)
                                 SYMBOL(1, 300, 0, "'solve'", "'/src/solver.cpp'", 88)
                                     SYMBOL(1, 310, 0, "'solve'", "'/src/solver.cpp'", 92)
                                         SYMBOL(1, 320, 0, "'solve'", "'/src/solver.cpp'", 90)
                                             SYMBOL(1, 400, 0, "'main'", "'/src/main.cpp'", 7));
    const struct xs_frame *shared = xs_shared_frame(c.callsites, 1, 2);
    assert_non_null(shared);
    assert_string_equal(shared->function, "solve");
    assert_int_equal(shared->line, 88);
    assert_int_equal(xs_shared_frame(c.callsites, 2, 1)->line, 92);
    assert_int_equal(xs_shared_frame(c.callsites, 1, 3)->line, 88);
    assert_null(xs_shared_frame(c.callsites, 3, 1)); /* the line is the place itself */
    assert_null(xs_shared_frame(c.callsites, 1, 1));
    assert_null(xs_shared_frame(c.callsites, 1, 4));
    assert_null(xs_shared_frame(c.callsites, 1, 0));
    drop(&c);
}

/* Plays three idle times between the calls of stacks 1 and 2, as long as asked for, and accounts for them. All stacks
 * with one line in front are of one place. */
static const struct xs_frame *shared_of(struct case_ *c, const int64_t pause_us[3]) {
    struct xs_sites sites = {.callsites = c->callsites};
    struct xs_model_call calls[7] = {{0}};
    struct xs_model_operation operations[4] = {{0}};
    struct xs_idle idle;
    const struct xs_frame *shared = NULL;
    int64_t now_ns = 0;
    for (uint32_t i = 0; i < 7; i++) {
        static const uint32_t stacks[] = {0, 1, 2, 3, 4, 5, 6};
        calls[i] = (struct xs_model_call){.kind = i % 2 ? XS_MODEL_TRANSFER : XS_MODEL_MEMSET,
                                          .stack = stacks[i],
                                          .enter_ns = now_ns,
                                          .return_ns = now_ns + 1000,
                                          .previous = i ? i - 1 : XS_NO_CALL,
                                          .next = i < 6 ? i + 1 : XS_NO_CALL,
                                          .operation = XS_NO_OPERATION};
        now_ns += 1000 + (i % 2 ? pause_us[i / 2] * 1000 : 0);
        if (i % 2 == 0)
            operations[i / 2] = (struct xs_model_operation){.call = i, .start_ns = now_ns - 500, .end_ns = now_ns};
    }
    struct xs_model model = {
        .calls = calls, .call_count = 7, .operations = operations, .operation_count = 4, .devices = 1, .threads = 1};
    xs_idle_account(&idle, &model, &sites, NULL, 0, now_ns);
    for (size_t i = 0; i < idle.count; i++) {
        const struct xs_idle_row *row = &idle.rows[i];
        bool is_between = row->reason == XS_IDLE_HOST && row->before.kind == XS_MODEL_TRANSFER;
        if (is_between && row->stack_before)
            shared = xs_shared_frame(c->callsites, row->stack_before, row->stack_after);
    }
    xs_idle_free(&idle);
    return shared;
}

/* Stacks 1 and 2 are called at line 88 of solve(), stacks 3 and 4 at line 90, and so are stacks 5 and 6. A line is said
 * if more than half of the time between the calls is at it. */
static void most_idle_times_share_a_line(void **state) {
    struct case_ c;
    (void)state;
    load(&c, MODULES STACK(1, 0) STACK(2, 0) STACK(3, 0) STACK(4, 0) STACK(5, 0) STACK(6, 0) /**/
         NATIVE(1, 0, 1, 100) NATIVE(1, 1, 1, 300) NATIVE(2, 0, 1, 200) NATIVE(2, 1, 1, 300) /**/
         NATIVE(3, 0, 1, 100) NATIVE(3, 1, 1, 310) NATIVE(4, 0, 1, 200) NATIVE(4, 1, 1, 310) /**/
         NATIVE(5, 0, 1, 100) NATIVE(5, 1, 1, 310) NATIVE(6, 0, 1, 200) NATIVE(6, 1, 1, 310) /**/
         SYMBOL(1, 100, 0, "'residual'", "'/src/solver.cpp'", 20)
             SYMBOL(1, 200, 0, "'correct'", "'/src/solver.cpp'", 30)
                 SYMBOL(1, 300, 0, "'solve'", "'/src/solver.cpp'", 88)
                     SYMBOL(1, 310, 0, "'solve'", "'/src/solver.cpp'", 90));
    assert_int_equal(shared_of(&c, (const int64_t[]){500, 300, 300})->line, 90);
    assert_int_equal(shared_of(&c, (const int64_t[]){900, 300, 300})->line, 88);
    assert_null(shared_of(&c, (const int64_t[]){600, 300, 300}));
    drop(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(inlined_frames),
        cmocka_unit_test(python_frames),
        cmocka_unit_test(lines_of_the_main_thread),
        cmocka_unit_test(places),
        cmocka_unit_test(kernels),
        cmocka_unit_test(ranges),
        cmocka_unit_test(damaged_rows),
        cmocka_unit_test(functions_that_two_stacks_share),
        cmocka_unit_test(most_idle_times_share_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
