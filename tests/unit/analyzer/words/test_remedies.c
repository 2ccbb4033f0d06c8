/* Tests remedies in the words of a line's framework: each row of the table is complete and can be reached, and a site
 * gets the words of the framework that it calls. */
#include "played.h"

#include <ctype.h>
#include <sqlite3.h>

#include "analyzer/trace/callsites.h"
#include "analyzer/words/remedies.h"

static const struct row {
    const char *finding, *verdict;
    enum xs_framework framework;
    enum xs_remedy_way way;
    const char *text;
} rows[] = {
#define XS_REMEDY(finding, verdict, framework, way, text)                                                              \
    {finding, verdict, XS_FRAMEWORK_##framework, XS_REMEDY_##way, text},
#include "analyzer/words/remedies_by_framework.def"
#undef XS_REMEDY
};
enum { ROWS = sizeof rows / sizeof *rows };

static unsigned detector_of(const char *id) {
    for (unsigned i = 0; i < xs_detector_count; i++)
        if (!strcmp(xs_detectors[i]->id, id))
            return i;
    fail_msg("there is no finding %s", id);
    return 0;
}

/* Returns the index of the verdict with this name; XS_VERDICTS: there is none. */
static unsigned verdict_of(const struct xs_detector *detector, const char *name) {
    unsigned v = 0;
    while (v < XS_VERDICTS && (!detector->verdicts[v].name || strcmp(detector->verdicts[v].name, name) != 0))
        v++;
    return v;
}

static void expect(bool holds, const struct row *row, const char *what) {
    if (!holds)
        fail_msg("%s/%s, \"%s\": %s", row->finding, row->verdict, row->text, what);
}

static void rows_name_what_there_is(void **state) {
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        const struct xs_detector *d = xs_detectors[detector_of(row->finding)];
        expect(!*row->verdict || verdict_of(d, row->verdict) < XS_VERDICTS, row, "there is no such verdict");
        /* "after making sure that no kernel reaches it" is true in every language */
        expect(*row->verdict || !d->unsure_verdicts || strstr(row->text, "unless"), row,
               "it would be said of an unsure verdict, too");
        for (const struct row *other = rows; other < row; other++)
            expect(strcmp(row->finding, other->finding) != 0 || strcmp(row->verdict, other->verdict) != 0 ||
                       row->framework != other->framework || (row->way != other->way && other->way != XS_REMEDY_ANY),
                   row, "a row before it is of the same");
    }
}

/* The texts are plain words that fit a line or two, in any terminal, with calls in pairs of backquotes. */
static void texts_are_sentences(void **state) {
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        size_t length = strlen(row->text), quotes = 0;
        expect(isupper((unsigned char)row->text[0]) && row->text[length - 1] == '.', row, "it is no sentence");
        expect(length <= 150, row, "it is too long");
        for (const char *c = row->text; *c; c++) {
            expect(*c >= ' ' && *c <= '~', row, "it is not plain ASCII");
            quotes += *c == '`';
        }
        expect(quotes % 2 == 0, row, "a backquote is missing");
    }
}

/* A text for users of PyTorch does not name calls of CuPy. */
static void frameworks_keep_to_their_own_calls(void **state) {
    static const char *const calls[XS_FRAMEWORKS][4] = {
        [XS_FRAMEWORK_PYTORCH] = {"torch.", "PyTorch", ".cpu()", ".to('cuda"},
        [XS_FRAMEWORK_CUPY] = {"cupy.", "cupyx.", "CuPy"},
        [XS_FRAMEWORK_JAX] = {"jax.", "JAX", "copy_to_host_async"},
        [XS_FRAMEWORK_NUMBA] = {" `cuda.", "copy_to_host(", "copy_to_device(", "Numba"}};
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++)
        for (unsigned f = 0; f < XS_FRAMEWORKS; f++)
            for (unsigned i = 0; i < 4 && calls[f][i] && f != row->framework; i++)
                expect(!strstr(row->text, calls[f][i]), row, calls[f][i]);
}

static void each_row_is_said(void **state) {
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        unsigned detector = detector_of(row->finding);
        const struct xs_detector *d = xs_detectors[detector];
        bool said = false;
        for (unsigned v = 0; v < XS_VERDICTS; v++) {
            bool is_of_row = *row->verdict ? verdict_of(d, row->verdict) == v : !v || d->verdicts[v].name != NULL;
            said = said || (is_of_row && !strcmp(xs_remedy_in(detector, v, row->framework, row->way), row->text));
        }
        expect(said, row, "nobody is told it");
    }
}

static void expect_words(const char *id, const char *verdict, enum xs_framework framework, enum xs_remedy_way way,
                         const char *part) {
    unsigned detector = detector_of(id);
    unsigned v = *verdict ? verdict_of(xs_detectors[detector], verdict) : 0;
    const char *text = xs_remedy_in(detector, v, framework, way);
    if (!strstr(text, part))
        fail_msg("%s/%s: \"%s\" is not in \"%s\"", id, verdict, part, text);
}

static void the_nearest_words_are_chosen(void **state) {
    (void)state;
    expect_words("pageable", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_UP, "DataLoader(..., pin_memory=True)");
    expect_words("pageable", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_DOWN, "out.copy_(x)");
    expect_words("pageable", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_ANY, "through a pinned one that is kept");
    expect_words("round-trip", "same-device", XS_FRAMEWORK_NONE, XS_REMEDY_UP, "`from_dlpack()`");
    expect_words("constant-content", "", XS_FRAMEWORK_NONE, XS_REMEDY_UP, "Create the array on the GPU");
    expect_words("duplicate-upload", "elsewhere", XS_FRAMEWORK_CUPY, XS_REMEDY_UP, ".copy()");
    expect_words("duplicate-upload", "freed", XS_FRAMEWORK_JAX, XS_REMEDY_UP, "jax.device_put()");
    /* a constant is moved once, so a copy of it would be only for the code that changes it */
    expect_words("duplicate-upload", "overwritten", XS_FRAMEWORK_PYTORCH, XS_REMEDY_UP, "`register_buffer`");
    expect_words("duplicate-upload", "freed", XS_FRAMEWORK_PYTORCH, XS_REMEDY_UP, "`register_buffer`");
    expect_words("duplicate-upload", "overwritten", XS_FRAMEWORK_CUPY, XS_REMEDY_UP, "once, before the loop");
    expect_words("duplicate-upload", "overwritten", XS_FRAMEWORK_NUMBA, XS_REMEDY_UP, "once, before the loop");
    /* `.item()` takes no `non_blocking`. */
    expect_words("immediate-sync", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_VALUE, "only once in many steps");
    expect_words("immediate-sync", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_DOWN, "non_blocking=True");
    expect_words("pageable", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_VALUE, "out.copy_(x)");
    expect_words("no-overlap", "", XS_FRAMEWORK_NUMBA, XS_REMEDY_VALUE, "copy_to_host(out, stream=copies)");
    expect_words("redundant-memset", "certain", XS_FRAMEWORK_JAX, XS_REMEDY_ANY, "Remove the memset.");
    expect_words("unused-upload", "likely", XS_FRAMEWORK_PYTORCH, XS_REMEDY_UP, "after making sure that no kernel");
    expect_words("low-bandwidth", "", XS_FRAMEWORK_PYTORCH, XS_REMEDY_UP, "NUMA");
}

/* --- by the stack of the call --- */

#define MODULES                                                                                                        \
    "INSERT INTO module VALUES (1,'/nowhere/app',NULL,65536,131071,65536),"                                            \
    "(2,'/nowhere/python3.11',NULL,131072,196607,131072),(3,'/nowhere/libtorch_cuda.so',NULL,196608,262143,196608);"   \
    "INSERT INTO symbol (module,address,inline_depth,function,file,line) VALUES "                                      \
    "(1,100,0,'work','/app/work.c',7),(2,100,0,'_PyEval_EvalFrameDefault',NULL,NULL),(3,100,0,'copy',NULL,NULL);"
#define PACKAGES "/v/lib/python3.12/site-packages/"
#define CODES                                                                                                          \
    "INSERT INTO python_code VALUES (1,'/app/train.py','step',1),(2,'" PACKAGES "torch/_tensor.py','cpu',1),"          \
    "(3,'" PACKAGES "cupy/_creation/from_data.py','asarray',1),(4,'" PACKAGES "jax/_src/api.py','device_put',1),"      \
    "(5,'" PACKAGES "numpy/lib/f.py','stack',1),(6,'" PACKAGES "numba/cuda/api.py','to_device',1);"
#define STACK(id) "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (" #id ",0,0,0);"
#define NATIVE(stack, depth, module)                                                                                   \
    "INSERT INTO stack_frame VALUES (" #stack "*4096+" #depth "," #stack "," #depth "," #module "*65536+100," #module  \
    ",NULL,NULL,NULL);"
#define PYTHON(stack, depth, code, line)                                                                               \
    "INSERT INTO stack_frame VALUES (" #stack "*4096+2048+" #depth "," #stack "," #depth ",NULL,NULL," #code "," #line \
    ",0);"
#define LAST(stack, depth, code, line)                                                                                 \
    "INSERT INTO stack_frame VALUES (" #stack "*4096+2048+" #depth "," #stack "," #depth ",NULL,NULL," #code "," #line \
    ",1);"

enum { BYTES = 0x10000, A = 0x100000, HOST = 0x5000000, STACKS = 7 };
static struct played played, *p = &played;

static const char *remedy_at(const char *id, uint32_t line) {
    for (size_t i = 0; i < p->findings->count; i++) {
        const struct xs_finding *f = &p->findings->items[i];
        const struct xs_frame *frame = xs_site_frame(p->findings, f->site);
        if (!strcmp(xs_detectors[f->detector]->id, id) && (frame ? frame->line == line : !line))
            return xs_remedy_of(p->findings, &(struct xs_diagnosed){.finding = f});
    }
    fail_msg("no %s in line %u", id, line);
    return NULL;
}

/* Plays two uploads of the same bytes from each stack, and from no stack. */
static void a_site_has_the_words_of_what_it_calls(void **state) {
    static const char remedy_in_c[] = "Drop the upload, or do it only when the host's data has changed.";
    (void)state;
    play_begin(p);
    for (int i = 0; i <= STACKS; i++) {
        uint64_t at = A + (uint64_t)i * BYTES;
        play_alloc(p, at, BYTES);
        play_up(p, at, BYTES, i + 1, 0, HOST + (uint64_t)i * BYTES);
        play_up(p, at, BYTES, i + 1, i + 1, HOST + (uint64_t)i * BYTES);
    }
    play_analyse(p, MODULES CODES /* line 10: PyTorch, which is native there; 11: CuPy; 12: JAX by way of numpy */
                        STACK(1) NATIVE(1, 0, 3) NATIVE(1, 1, 2) LAST(1, 0, 1, 10) STACK(2) PYTHON(2, 0, 3, 5)
                            LAST(2, 1, 1, 11) STACK(3) PYTHON(3, 0, 4, 5) PYTHON(3, 1, 5, 5) LAST(3, 2, 1, 12)
                 /* 13: PyTorch, which asks CuPy; 14: who knows; C; 15: Numba */
                 STACK(4) PYTHON(4, 0, 3, 5) PYTHON(4, 1, 2, 5) LAST(4, 2, 1, 13) STACK(5) LAST(5, 0, 1, 14) STACK(6)
                     NATIVE(6, 0, 1) STACK(7) PYTHON(7, 0, 6, 5)
                         LAST(7, 1, 1, 15) "UPDATE transfer SET stack = (id - 1) / 2 WHERE id > 2");
    assert_non_null(strstr(remedy_at("noop-upload", 10), "`.to('cuda')` once"));
    assert_non_null(strstr(remedy_at("noop-upload", 11), "`cupy.asarray()` once"));
    assert_non_null(strstr(remedy_at("noop-upload", 12), "`jax.device_put()` once"));
    assert_non_null(strstr(remedy_at("noop-upload", 13), "`.to('cuda')` once"));
    assert_non_null(strstr(remedy_at("noop-upload", 14), remedy_in_c));
    assert_non_null(strstr(remedy_at("noop-upload", 15), "`cuda.to_device()` once"));
    assert_string_equal(remedy_at("noop-upload", 7), remedy_in_c);
    assert_string_equal(remedy_at("noop-upload", 0), remedy_in_c);
    play_end(p);
}

/* Pageable memory is pinned in different ways for an upload and for a download. */
static void a_site_has_the_words_of_its_way(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_down(p, A, BYTES, 2, HOST + BYTES);
    play_analyse(p, CODES STACK(1) PYTHON(1, 0, 2, 5) LAST(1, 1, 1, 10) STACK(2) PYTHON(2, 0, 2, 6)
                        LAST(2, 1, 1, 11) "UPDATE transfer SET stack = id");
    assert_non_null(strstr(remedy_at("pageable", 10), "DataLoader"));
    assert_non_null(strstr(remedy_at("pageable", 11), "`out.copy_(x)`"));
    play_end(p);
}

/* Programs that call a library cannot change how it copies. */
static void a_copy_of_a_library_has_words_for_its_caller(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 24; i++)
        play_down(p, A, BYTES, i, HOST);
    play_analyse(p, MODULES STACK(1) NATIVE(1, 0, 3) STACK(2)
                        NATIVE(2, 0, 1) "UPDATE transfer SET direction = 5, stack = 1 + id % 2");
    assert_non_null(strstr(remedy_at("host-copy", 0), "A library makes these copies"));
    assert_non_null(strstr(remedy_at("host-copy", 7), "`memcpy()`"));
    play_end(p);
}

/* Plays reads of values from address 0 on, `step` bytes apart, with a launch or an upload after each if requested. */
static const char *remedy_of_reads(int first, uint64_t step, bool launches, bool uploads, const char *sql) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 24; i++) {
        play_down(p, A + (uint64_t)(i < first ? 0 : i) * step, 4, i + 1, HOST + 4 * (uint64_t)i);
        if (launches)
            play_unseen_kernel(p);
        if (uploads)
            play_up(p, A + BYTES / 2, 4096, 100 + i, NOT_MEASURED, HOST + BYTES);
    }
    play_analyse(p, sql);
    return remedy_at("scalar-readback", *sql ? 10 : 0);
}

#define PYTHON_READS CODES STACK(1) PYTHON(1, 0, 2, 5) LAST(1, 1, 1, 10) "UPDATE transfer SET stack = 1"

static void neighbours_are_read_together(void **state) {
    static const char seldom[] = "Keep the value on the device, or read it less often.";
    (void)state;
    assert_string_equal(remedy_of_reads(0, 4, false, false, ""), "Read neighbouring values with one copy.");
    play_end(p);
    assert_string_equal(remedy_of_reads(0, 64, false, false, ""), "Read neighbouring values with one copy.");
    play_end(p);
    assert_string_equal(remedy_of_reads(0, 69, false, false, ""), seldom); /* too far away */
    play_end(p);
    assert_string_equal(remedy_of_reads(0, 0, false, false, ""), seldom); /* one value again and again */
    play_end(p);
    assert_string_equal(remedy_of_reads(16, 4, false, false, ""), seldom); /* most are */
    play_end(p);
    assert_string_equal(remedy_of_reads(0, 4, true, false, ""), seldom); /* a kernel may write the next one */
    play_end(p);
    assert_string_equal(remedy_of_reads(0, 4, false, true, ""), seldom);
    play_end(p);
    assert_non_null(strstr(remedy_of_reads(0, 4, false, false, PYTHON_READS), "one copy: `.tolist()` or `.cpu()`"));
    play_end(p);
    assert_non_null(strstr(remedy_of_reads(0, 0, false, false, PYTHON_READS), "only once in many steps"));
    play_end(p);
}

/* Small copies are gathered where they come from. */
static void small_copies_by_their_way(void **state) {
    (void)state;
    unsigned detector = detector_of("small-transfers");
    assert_non_null(strstr(xs_remedy_in(detector, 0, XS_FRAMEWORK_NATIVE, XS_REMEDY_UP), "on the host and send them"));
    assert_non_null(strstr(xs_remedy_in(detector, 0, XS_FRAMEWORK_NATIVE, XS_REMEDY_DOWN), "Read neighbouring values"));
    assert_non_null(
        strstr(xs_remedy_in(detector, 0, XS_FRAMEWORK_NATIVE, XS_REMEDY_VALUE), "Read neighbouring values"));
    assert_non_null(strstr(xs_remedy_in(detector, 0, XS_FRAMEWORK_NATIVE, XS_REMEDY_ANY), "Gather them into one copy"));
}

/* Indexing by a mask reads the number of chosen elements back. To keep the value on the device is no advice there. */
static void an_index_by_a_mask_reads_its_size(void **state) {
    (void)state;
    unsigned detector = 0;
    while (strcmp(xs_detectors[detector]->id, "scalar-readback") != 0)
        detector++;
    struct xs_finding finding = {.detector = detector};
    struct xs_framework_context context = {.framework = XS_FRAMEWORK_PYTORCH, .operator_name = "aten::index"};
    struct xs_diagnosed d = {.finding = &finding, .context = &context};
    struct xs_findings none = {0};
    assert_non_null(strstr(xs_remedy_of(&none, &d), "`torch.where()`"));
    static const char *const without_mask[] = {"aten::item", "aten::unique", "aten::_unique2"};
    for (size_t i = 0; i < sizeof without_mask / sizeof *without_mask; i++) {
        strcpy(context.operator_name, without_mask[i]);
        assert_null(strstr(xs_remedy_of(&none, &d), "`torch.where()`"));
    }
    context = (struct xs_framework_context){.framework = XS_FRAMEWORK_CUPY, .call = "cupy.ndarray.__getitem__"};
    assert_non_null(strstr(xs_remedy_of(&none, &d), "`cupy.where()`"));
    context = (struct xs_framework_context){.framework = XS_FRAMEWORK_CUPY, .call = "cupy.unique"};
    assert_null(strstr(xs_remedy_of(&none, &d), "`cupy.where()`"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_name_what_there_is),
        cmocka_unit_test(texts_are_sentences),
        cmocka_unit_test(frameworks_keep_to_their_own_calls),
        cmocka_unit_test(each_row_is_said),
        cmocka_unit_test(the_nearest_words_are_chosen),
        cmocka_unit_test(a_site_has_the_words_of_what_it_calls),
        cmocka_unit_test(a_site_has_the_words_of_its_way),
        cmocka_unit_test(a_copy_of_a_library_has_words_for_its_caller),
        cmocka_unit_test(neighbours_are_read_together),
        cmocka_unit_test(small_copies_by_their_way),
        cmocka_unit_test(an_index_by_a_mask_reads_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
