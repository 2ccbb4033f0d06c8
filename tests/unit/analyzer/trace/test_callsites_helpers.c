/* Which line stands for copies that go through a helper: of hand-made traces the place of each stack. */
#include "unit.h"

#include <sqlite3.h>
#include <stdarg.h>

#include "analyzer/base/text.h"
#include "analyzer/trace/callsites.h"
#include "schema/write/store.h"

enum { H2D = 1, ADDRESS = 0x10000 };

struct made {
    struct xs_string sql;
    int frames, codes, transfers, shapes;
    char folder[64], path[128];
    struct xs_trace trace;
    struct xs_callsites *callsites;
};

static void add(struct made *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&m->sql, format, arguments);
    va_end(arguments);
}

static void begin(struct made *m) {
    *m = (struct made){0};
    add(m, "BEGIN; INSERT INTO module VALUES (1,'/nowhere/app',NULL,0,9999999,0),"
           "(2,'/nowhere/libcudart.so.13',NULL,10000000,19999999,10000000),"
           "(3,'/nowhere/python3.11',NULL,20000000,29999999,20000000);"
           "INSERT INTO symbol (module,address,inline_depth,function) VALUES (2,1,0,'cudaMemcpy'),"
           "(3,1,0,'_PyEval_EvalFrameDefault');");
}

/* One stack, innermost first: "upload memory.h:27 > push memory.h:91 < step main.cpp:5". What is left of a ">" was
 * inlined into what is right of it. "lib" is a library's frame. */
static void native(struct made *m, int stack, const char *text) {
    char function[64], file[64], how = '<';
    int depth = 1, inlined = 0, line, used;
    add(m,
        "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (%d,0,0,0); INSERT INTO stack_frame VALUES "
        "(%d*4096,%d,0,10000001,2,NULL,NULL,NULL);",
        stack, stack, stack);
    for (; how; text += used) {
        used = 0;
        if (sscanf(text, "%63s %63[^:]:%d %c%n", function, file, &line, &how, &used) < 3)
            fail_msg("%s", text);
        how = used ? how : 0;
        if (!inlined)
            add(m, "INSERT INTO stack_frame VALUES (%d*4096+%d,%d,%d,%d,1,NULL,NULL,NULL);", stack, depth, stack, depth,
                1000 + m->frames++);
        add(m, "INSERT INTO symbol (module,address,inline_depth,function,file,line) VALUES (1,%d,%d,'%s','%s',%d);",
            999 + m->frames, inlined, function, file, line);
        inlined = how == '>' ? inlined + 1 : 0;
        depth += how == '<';
    }
}

static void python(struct made *m, int stack, const char *text) {
    char function[64], file[128], how = '<';
    int depth = 0, line, used;
    add(m,
        "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (%d,0,0,0); INSERT INTO stack_frame VALUES "
        "(%d*4096,%d,0,20000001,3,NULL,NULL,NULL);",
        stack, stack, stack);
    for (; how; text += used, depth++) {
        used = 0;
        if (sscanf(text, "%63s %127[^:]:%d %c%n", function, file, &line, &how, &used) < 3)
            fail_msg("%s", text);
        how = used ? how : 0;
        add(m, "INSERT INTO python_code VALUES (%d,'%s','%s',1);", ++m->codes, file, function);
        add(m, "INSERT INTO stack_frame VALUES (%d*4096+2048+%d,%d,%d,NULL,NULL,%d,%d,%d);", stack, depth, stack, depth,
            m->codes, line, !how);
    }
}

/* Some transfers of the same bytes from one stack to one address of an allocation. */
static void move(struct made *m, int stack, int count, long bytes, int allocation, long offset) {
    add(m,
        "INSERT INTO transfer_shape (id,direction,bytes,dst_address,dst_allocation,stack) VALUES "
        "(%d,%d,%ld,%ld,%d,%d);",
        ++m->shapes, H2D, bytes, allocation * (long)ADDRESS + offset, allocation, stack);
    for (int i = 0; i < count; i++, m->transfers++)
        add(m, "INSERT INTO transfer_row (id,shape,enter_ns) VALUES (%d,%d,%d);", m->transfers + 1, m->shapes,
            m->transfers + 1);
}

static void load(struct made *m) {
    struct xs_store *store;
    sqlite3 *db;
    char message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    strcpy(m->folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(m->folder));
    snprintf(m->path, sizeof m->path, "%s/trace.db", m->folder);
    assert_int_equal(xs_store_create(m->path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
    add(m, "COMMIT;");
    if (sqlite3_exec(db, m->sql.data, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(m->path, &m->trace, message) < 0 || xs_callsites_open(&m->trace, &m->callsites, message) < 0)
        fail_msg("%s", message);
}

static void drop(struct made *m) {
    xs_callsites_close(m->callsites);
    xs_trace_close(&m->trace);
    xs_string_free(&m->sql);
    unlink(m->path);
    rmdir(m->folder);
}

/* "main.cpp:5", and where it goes through a helper "main.cpp:5 through memory.h:27". */
static void check_place(const struct made *m, int stack, const char *expected) {
    char text[256];
    const struct xs_frame *frame = xs_callsites_user_frame(m->callsites, stack);
    assert_non_null(frame);
    int length = snprintf(text, sizeof text, "%s:%u", frame->file, frame->line);
    if (frame->through)
        snprintf(text + length, sizeof text - (size_t)length, " through %s:%u", frame->through->file,
                 frame->through->line);
    assert_string_equal(text, expected);
}

static void callers_that_move_different_sizes(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "upload buffer.cpp:27 < load main.cpp:5 < main main.cpp:90");
    native(&m, 2, "upload buffer.cpp:27 < step main.cpp:15 < main main.cpp:91");
    native(&m, 3, "upload buffer.cpp:27 < step main.cpp:15 < main main.cpp:92"); /* both callers copy the same things,
                                                                                    so this is no helper */
    native(&m, 4, "other main.cpp:40 < main main.cpp:93");
    move(&m, 1, 1, 1 << 20, 1, 0);
    for (int i = 0; i < 10; i++) {
        move(&m, 2, 1, 4096, 2, 0);
        move(&m, 3, 1, 4096, 2, 0);
    }
    move(&m, 4, 1, 64, 3, 0);
    load(&m);
    check_place(&m, 1, "main.cpp:5 through buffer.cpp:27");
    check_place(&m, 2, "main.cpp:15 through buffer.cpp:27");
    check_place(&m, 3, "main.cpp:15 through buffer.cpp:27");
    check_place(&m, 4, "main.cpp:40");
    assert_int_equal(xs_callsites_place(m.callsites, 2), xs_callsites_place(m.callsites, 3));
    assert_int_equal(xs_callsites_place_count(m.callsites), 3);
    drop(&m);
}

/* A function with a copy in it that a warm-up and a loop call: its line is the place. */
static void callers_that_move_the_same(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "step solver.cu:12 < main main.cu:20");
    native(&m, 2, "step solver.cu:12 < main main.cu:30");
    native(&m, 3, "run solver.cu:50 < main main.cu:21"); /* allocates its memory in each call */
    native(&m, 4, "run solver.cu:50 < main main.cu:31");
    native(&m, 5, "chunk solver.cu:70 < main main.cu:22"); /* the last chunk of a buffer is shorter */
    native(&m, 6, "chunk solver.cu:70 < main main.cu:32");
    move(&m, 1, 3, 4096, 1, 0);
    move(&m, 3, 50, 4096, 2, 0);
    move(&m, 5, 9, 8192, 4, 0);
    move(&m, 2, 100, 4096, 1, 0);
    move(&m, 4, 50, 4096, 3, 0);
    move(&m, 6, 1, 100, 4, 0);
    load(&m);
    check_place(&m, 1, "solver.cu:12");
    check_place(&m, 2, "solver.cu:12");
    check_place(&m, 3, "solver.cu:50");
    check_place(&m, 4, "solver.cu:50");
    check_place(&m, 5, "solver.cu:70");
    check_place(&m, 6, "solver.cu:70");
    drop(&m);
}

/* Two buffers of one size: they are different things if both are there at the same time. */
static void buffers_of_one_size(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "upload buffer.cpp:27 < step main.cpp:15");
    native(&m, 2, "upload buffer.cpp:27 < step main.cpp:16");
    native(&m, 3, "refresh buffer.cpp:40 < step main.cpp:17"); /* memory is new with each call */
    native(&m, 4, "refresh buffer.cpp:40 < step main.cpp:18");
    for (int i = 0; i < 10; i++) {
        move(&m, 1, 1, 4096, 1, 0);
        move(&m, 2, 1, 4096, 2, 0);
        move(&m, 3, 1, 4096, 100 + i, 0);
        move(&m, 4, 1, 4096, 200 + i, 0);
    }
    load(&m);
    check_place(&m, 1, "main.cpp:15 through buffer.cpp:27");
    check_place(&m, 2, "main.cpp:16 through buffer.cpp:27");
    check_place(&m, 3, "buffer.cpp:40");
    check_place(&m, 4, "buffer.cpp:40");
    drop(&m);
}

/* Sizes that vary tell nothing, and neither does a caller that moves a bit of everything. */
static void unsteady_sizes(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "encode model.cpp:27 < train main.cpp:15");
    native(&m, 2, "encode model.cpp:27 < test main.cpp:35");
    native(&m, 3, "send model.cpp:50 < train main.cpp:16");
    native(&m, 4, "send model.cpp:50 < test main.cpp:36");
    native(&m, 5, "pack model.cpp:70 < train main.cpp:17"); /* more sizes than are told apart */
    native(&m, 6, "pack model.cpp:70 < test main.cpp:37");
    for (int i = 0; i < 40; i++) {
        move(&m, 1, 1, 1000 + i, 100 + i, 0);
        move(&m, 2, 1, 2000 + i, 200 + i, 0);
    }
    for (int i = 0; i < 8; i++)
        move(&m, 3, 10, 1000 + i, 3 + i, 0);
    move(&m, 4, 10, 1003, 30, 0);
    for (int i = 0; i < 100; i++)
        move(&m, 5, 10, 1000 + i, 40, i);
    move(&m, 6, 10, 5000, 41, 0);
    load(&m);
    check_place(&m, 1, "model.cpp:27");
    check_place(&m, 2, "model.cpp:27");
    check_place(&m, 3, "model.cpp:50");
    check_place(&m, 4, "model.cpp:50");
    check_place(&m, 5, "model.cpp:70");
    check_place(&m, 6, "model.cpp:70");
    drop(&m);
}

/* A module is called through torch, and its line stays the place; a function that is called directly may be a helper,
 * though of the sizes only, because memory is handed out again. */
static void python_frames(void **state) {
#define TORCH "_call_impl /v/lib/python3.11/site-packages/torch/nn/modules/module.py:1500"
    struct made m;
    (void)state;
    begin(&m);
    python(&m, 1, "forward model.py:20 < " TORCH " < train train.py:31 < main train.py:90");
    python(&m, 2, "forward model.py:20 < " TORCH " < evaluate train.py:51 < main train.py:91");
    python(&m, 3, "to_dev util.py:5 < train train.py:30 < main train.py:90");
    python(&m, 4, "to_dev util.py:5 < evaluate train.py:50 < main train.py:91");
    python(&m, 5, "send util.py:9 < train train.py:33 < main train.py:90");
    python(&m, 6, "send util.py:9 < evaluate train.py:53 < main train.py:91");
    for (int i = 0; i < 10; i++)
        for (int stack = 1; stack <= 6; stack++)
            move(&m, stack, 1, stack > 4 || stack % 2 ? 4096 : 8192, stack, 0);
    load(&m);
    check_place(&m, 1, "model.py:20");
    check_place(&m, 2, "model.py:20");
    check_place(&m, 3, "train.py:30 through util.py:5");
    check_place(&m, 4, "train.py:50 through util.py:5");
    check_place(&m, 5, "util.py:9");
    check_place(&m, 6, "util.py:9");
    drop(&m);
}

static void recursion(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "visit tree.cpp:20 < main main.cpp:5");
    native(&m, 2, "visit tree.cpp:20 < visit tree.cpp:22 < main main.cpp:5");
    native(&m, 3, "visit tree.cpp:20 < both tree.cpp:30 < visit tree.cpp:23 < main main.cpp:5");
    for (int stack = 1; stack <= 3; stack++)
        move(&m, stack, 10, 1000 * stack, stack, 0);
    load(&m);
    for (int stack = 1; stack <= 3; stack++)
        check_place(&m, stack, "tree.cpp:20");
    drop(&m);
}

/* A class in a header: an array in it copies through a buffer in it. What one file alone asks of the array is not known
 * to be a helper by what is moved, but it is in the header of one. */
static void helpers_of_helpers(void **state) {
    struct made m;
    (void)state;
    begin(&m);
#define PUSH(T) "Buffer<" T ">::upload memory.h:27 > Array<" T ">::push memory.h:91 > Array<" T ">::push memory.h:89"
    native(&m, 1, PUSH("float") " > Array<float>::device memory.h:80 < solve field.cu:95 < main main.cpp:9");
    native(&m, 2, PUSH("float") " > Array<float>::device memory.h:80 < move particles.cu:126 < main main.cpp:9");
    native(&m, 3, PUSH("char") " > Array<char>::device memory.h:80 < mask field.cu:40 < main main.cpp:9");
    native(&m, 4, "Buffer<float>::upload memory.h:27 > prepare field.cu:63 < main main.cpp:9");
    native(&m, 5,
           "Buffer<float>::download memory.h:33 > Array<float>::pull memory.h:86 > Array<float>::host memory.h:79"
           " < mean main.cpp:16 < main main.cpp:9");
    native(&m, 6, "Buffer<int>::download memory.h:33 < residual field.cu:89 < main main.cpp:9");
    for (int i = 0; i < 5; i++) {
        move(&m, 1, !i, 8192, 1, 0);
        move(&m, 2, 1, 8192, 1, 0);
        move(&m, 3, 1, 2048, 2, 0);
        move(&m, 4, 1, 1024, 3, 0);
        move(&m, 5, 1, 8192, 1, 0);
        move(&m, 6, 1, 4, 4, 0);
    }
    load(&m);
    check_place(&m, 1, "field.cu:95 through memory.h:27");
    check_place(&m, 2, "particles.cu:126 through memory.h:27");
    check_place(&m, 3, "field.cu:40 through memory.h:27");
    check_place(&m, 4, "field.cu:63 through memory.h:27");
    check_place(&m, 5, "main.cpp:16 through memory.h:33");
    check_place(&m, 6, "field.cu:89 through memory.h:33");
    drop(&m);
}

/* A helper that only its own file calls says nothing about who calls that file. */
static void helper_of_one_file(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "upload solver.h:10 < load solver.h:20 < main main.cpp:5");
    native(&m, 2, "upload solver.h:10 < step solver.h:30 < main main.cpp:6");
    native(&m, 3, "send solver.cu:10 < load solver.cu:20 < main main.cpp:5");
    native(&m, 4, "send solver.cu:10 < step other.cu:30 < main main.cpp:6");
    for (int i = 0; i < 5; i++)
        for (int stack = 1; stack <= 4; stack++)
            move(&m, stack, 1, stack * 1024, stack, 0);
    load(&m);
    check_place(&m, 1, "solver.h:20 through solver.h:10");
    check_place(&m, 2, "solver.h:30 through solver.h:10");
    check_place(&m, 3, "solver.cu:20 through solver.cu:10");
    check_place(&m, 4, "other.cu:30 through solver.cu:10");
    drop(&m);
}

/* One line alone calls at(): what is moved tells nothing, but it lies in a header of helpers, and copies in one line.
 */
static void beside_helpers(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "Buffer<float>::upload memory.h:27 > load field.cu:5 < main main.cpp:7");
    native(&m, 2, "Buffer<char>::upload memory.h:27 > mask field.cu:15 < main main.cpp:8");
    native(&m, 3, "Buffer<float>::at memory.h:48 > fluxes photometry.cu:34 < main main.cpp:9");
    native(&m, 4, "first memory.h:50 < main main.cpp:12");
    for (int stack = 1; stack <= 4; stack++)
        move(&m, stack, 5, stack * 1024, stack, 0);
    load(&m);
    check_place(&m, 3, "photometry.cu:34 through memory.h:48");
    check_place(&m, 4, "main.cpp:12 through memory.h:50");
    drop(&m);
}

/* Functions that are not there for their callers alone: each stays the place. */
static void not_beside_helpers(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "upload solver.h:10 < load field.cu:5 < main main.cpp:7");
    native(&m, 2, "upload solver.h:10 < mask field.cu:15 < main main.cpp:8");
    native(&m, 3, "step solver.h:20 < main main.cpp:9"); /* two lines of it copy */
    native(&m, 4, "step solver.h:21 < main main.cpp:9");
    native(&m, 5, "twice solver.h:30 < main main.cpp:11"); /* both lines copy the same data */
    native(&m, 6, "twice solver.h:30 < main main.cpp:12");
    native(&m, 7, "inner solver.h:40 < outer solver.h:45 < main main.cpp:13"); /* its own header calls it */
    native(&m, 8, "upload device.cu:10 < load field.cu:6 < main main.cpp:7");  /* no header: it has kernels, too */
    native(&m, 9, "upload device.cu:10 < mask field.cu:16 < main main.cpp:8");
    native(&m, 10, "solve device.cu:20 < main main.cpp:14");
    native(&m, 11, "read other.h:10 < main main.cpp:15"); /* nothing is known about this header */
    for (int stack = 1; stack <= 11; stack++)
        move(&m, stack, 5, stack == 6 ? 5120 : stack * 1024, stack == 6 ? 5 : stack, 0);
    load(&m);
    check_place(&m, 1, "field.cu:5 through solver.h:10");
    check_place(&m, 3, "solver.h:20");
    check_place(&m, 4, "solver.h:21");
    check_place(&m, 5, "solver.h:30");
    check_place(&m, 6, "solver.h:30");
    check_place(&m, 7, "solver.h:40");
    check_place(&m, 8, "field.cu:6 through device.cu:10");
    check_place(&m, 10, "device.cu:20");
    check_place(&m, 11, "other.h:10");
    drop(&m);
}

/* One line that calls a function with two copies in it: each is a place, as before. */
static void two_helpers_of_one_line(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "send batch.cpp:10 < train main.cpp:5");
    native(&m, 2, "send batch.cpp:11 < train main.cpp:5");
    native(&m, 3, "send batch.cpp:10 < test main.cpp:6");
    native(&m, 4, "send batch.cpp:11 < test main.cpp:6");
    for (int stack = 1; stack <= 4; stack++)
        move(&m, stack, 5, stack * 1024, stack, 0);
    load(&m);
    check_place(&m, 1, "main.cpp:5 through batch.cpp:10");
    check_place(&m, 2, "main.cpp:5 through batch.cpp:11");
    assert_int_equal(xs_callsites_place_count(m.callsites), 4);
    drop(&m);
}

/* Allocations tell by their sizes, memsets like transfers. Without any the innermost line stays. */
static void other_calls(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "Buffer memory.cpp:20 < load main.cpp:5");
    native(&m, 2, "Buffer memory.cpp:20 < step main.cpp:15");
    native(&m, 3, "zero memory.cpp:30 < load main.cpp:6");
    native(&m, 4, "zero memory.cpp:30 < step main.cpp:16");
    native(&m, 5, "wait memory.cpp:40 < load main.cpp:7");
    native(&m, 6, "wait memory.cpp:40 < step main.cpp:17");
    native(&m, 7, "Same memory.cpp:50 < load main.cpp:8");
    native(&m, 8, "Same memory.cpp:50 < step main.cpp:18");
    add(&m, "INSERT INTO allocation (address,bytes,stack) VALUES (65536,100,1),(131072,200,2),(196608,100,7),"
            "(262144,100,8);");
#define MEMSET(address, bytes, allocation, stack)                                                                      \
    "INSERT INTO memset (entry_point,thread,address,bytes,value,element_bytes,kind,allocation,is_async,is_captured,"   \
    "result,enter_ns,return_ns,stack) VALUES (1,1," #address "," #bytes ",0,1,1," #allocation ",0,0,0,1,1," #stack     \
    ");"
    add(&m, MEMSET(65536, 100, 1, 3) MEMSET(131072, 200, 2, 4));
    add(&m, "INSERT INTO sync (entry_point,thread,scope,result,enter_ns,return_ns,stack) VALUES (1,1,1,0,1,2,5),"
            "(1,1,1,0,1,2,6);");
    load(&m);
    check_place(&m, 1, "main.cpp:5 through memory.cpp:20");
    check_place(&m, 2, "main.cpp:15 through memory.cpp:20");
    check_place(&m, 3, "main.cpp:6 through memory.cpp:30");
    check_place(&m, 4, "main.cpp:16 through memory.cpp:30");
    check_place(&m, 5, "memory.cpp:40");
    check_place(&m, 6, "memory.cpp:40");
    check_place(&m, 7, "memory.cpp:50");
    check_place(&m, 8, "memory.cpp:50");
    drop(&m);
}

/* Memory that a constructor allocates lives as long as the object, so the place is the line that makes the object. This
 * does not hold for copies, or for functions with names like that of a constructor. */
static void constructors(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "Pinned::Pinned pinned.h:12 < step main.cpp:15 < main main.cpp:90");
    native(&m, 2, "io::Pinned<float>::Pinned pinned.h:22 < step main.cpp:16 < main main.cpp:90");
    native(&m, 3, "io::Pinned<io::half>::get pinned.h:32 < step main.cpp:17 < main main.cpp:90");
    native(&m, 4, "Mesh::Mesh mesh.cpp:42 < step main.cpp:18 < main main.cpp:90");
    native(&m, 5, "Pinned::PinnedOther pinned.h:52 < step main.cpp:19 < main main.cpp:90");
    native(&m, 6, "Pinned::Pinned pinned.h:12"); /* a global object: no line of the program makes it */
    python(&m, 7, "__init__ pinned.py:3 < step main.py:8 < main main.py:20");
    for (int stack = 1; stack <= 7; stack++)
        if (stack != 4)
            add(&m, "INSERT INTO allocation (address,bytes,stack) VALUES (65536,100,%d);", stack);
    move(&m, 4, 5, 4096, 1, 0);
    load(&m);
    check_place(&m, 1, "main.cpp:15 through pinned.h:12");
    check_place(&m, 2, "main.cpp:16 through pinned.h:22");
    check_place(&m, 3, "pinned.h:32");
    check_place(&m, 4, "mesh.cpp:42");
    check_place(&m, 5, "pinned.h:52");
    check_place(&m, 6, "pinned.h:12");
    check_place(&m, 7, "main.py:8 through pinned.py:3");
    drop(&m);
}

/* In a long trace, only the beginning and parts of the rest are read. */
static void long_trace(void **state) {
    struct made m;
    (void)state;
    begin(&m);
    native(&m, 1, "upload buffer.cpp:27 < load main.cpp:5");
    native(&m, 2, "upload buffer.cpp:27 < step main.cpp:15");
    move(&m, 1, 1, 8192, 1, 0);
    move(&m, 2, 1, 4096, 2, 0);
    add(&m, "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 400000) INSERT INTO transfer_row"
            " (id, shape, enter_ns) SELECT i, 1 + (i > 200000 AND i < 390000), i FROM n;"
            "DELETE FROM transfer_row WHERE id = 2 OR id BETWEEN 250000 AND 300000;");
    load(&m);
    check_place(&m, 1, "main.cpp:5 through buffer.cpp:27");
    check_place(&m, 2, "main.cpp:15 through buffer.cpp:27");
    drop(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_that_move_different_sizes),
        cmocka_unit_test(callers_that_move_the_same),
        cmocka_unit_test(buffers_of_one_size),
        cmocka_unit_test(unsteady_sizes),
        cmocka_unit_test(python_frames),
        cmocka_unit_test(recursion),
        cmocka_unit_test(helpers_of_helpers),
        cmocka_unit_test(helper_of_one_file),
        cmocka_unit_test(beside_helpers),
        cmocka_unit_test(not_beside_helpers),
        cmocka_unit_test(two_helpers_of_one_line),
        cmocka_unit_test(other_calls),
        cmocka_unit_test(constructors),
        cmocka_unit_test(long_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
