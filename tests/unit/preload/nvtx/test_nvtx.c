/* NVTX ranges, from the header that applications compile in to the number and the definition that events get. */
#include "nvtx_unit.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/asked_window.h"

static nvtxEventAttributes_t attributes(nvtxMessageType_t type, const void *message) {
    nvtxEventAttributes_t a = {0};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = (int32_t)type;
    a.message.ascii = message;
    return a;
}

static void pushes_nest(void **state) {
    (void)state;
    assert_string_equal(here(), "");
    assert_int_equal(nvtxRangePushA("outer"), 0);
    assert_string_equal(here(), "outer");
    assert_int_equal(nvtxRangePushA("inner"), 1);
    assert_string_equal(here(), "outer/inner");
    uint32_t first = xs_nvtx_range(NULL);
    assert_int_equal(nvtxRangePop(), 1);
    assert_string_equal(here(), "outer");
    assert_int_equal(nvtxRangePushA("inner"), 1);
    assert_int_equal(xs_nvtx_range(NULL), first); /* the same range again, and not defined again */
    assert_int_equal(nvtxRangePop(), 1);
    assert_int_equal(nvtxRangePop(), 0);
    assert_string_equal(here(), "");
}

static void unbalanced_pops_are_harmless(void **state) {
    (void)state;
    assert_true(nvtxRangePop() < 0);
    assert_true(nvtxDomainRangePop(nvtxDomainCreateA("never pushed")) < 0);
    assert_int_equal(nvtxRangePushA("after"), 0);
    assert_string_equal(here(), "after");
    assert_int_equal(nvtxRangePop(), 0);
    assert_true(nvtxRangePop() < 0);
}

static void messages_of_every_kind(void **state) {
    (void)state;
    nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_ASCII, "ascii");
    nvtxRangePushEx(&a);
    assert_string_equal(here(), "ascii");
    a = attributes(NVTX_MESSAGE_TYPE_UNICODE, L"z\u00e4hlen \u2192 \U0001f600\xd800");
    nvtxRangePushEx(&a);
    assert_string_equal(here(), "ascii/z\u00e4hlen \u2192 \U0001f600\ufffd");
    nvtxRangePushW(L"wide");
    assert_string_equal(strrchr(here(), '/'), "/wide");
    a = attributes(NVTX_MESSAGE_UNKNOWN, NULL);
    nvtxRangePushEx(&a);
    assert_string_equal(strrchr(here(), '/'), "/");
    uint32_t nameless = xs_nvtx_range(NULL);
    nvtxRangePop();
    a = attributes(NVTX_MESSAGE_TYPE_ASCII, "cut off");
    a.size = 8; /* no message within it */
    nvtxRangePushEx(&a);
    assert_int_equal(xs_nvtx_range(NULL), nameless);
    nvtxRangePop();
    nvtxRangePushA(NULL);
    assert_int_equal(xs_nvtx_range(NULL), nameless);
    nvtxRangePop();
    nvtxRangePushEx(NULL);
    assert_int_equal(xs_nvtx_range(NULL), nameless);
    for (int depth = 3; depth >= 0; depth--)
        assert_int_equal(nvtxRangePop(), depth);
}

static void long_names_keep_their_beginning(void **state) {
    char text[2048];
    (void)state;
    memset(text, 'n', sizeof text);
    text[sizeof text - 1] = '\0';
    memcpy(text + XS_RANGE_NAME_BYTES - 1, "\u00e4", 2); /* would be cut in its middle */
    nvtxRangePushA(text);
    text[XS_RANGE_NAME_BYTES - 1] = '\0';
    assert_string_equal(here(), text);
    nvtxRangePop();
    wchar_t wide[1024];
    for (size_t i = 0; i < COUNT_OF(wide) - 1; i++)
        wide[i] = 0xe4;
    wide[COUNT_OF(wide) - 1] = 0;
    nvtxRangePushW(wide);
    assert_int_equal(strlen(here()), XS_RANGE_NAME_BYTES - 1);
    nvtxRangePop();
}

static void domains_have_depths_of_their_own(void **state) {
    (void)state;
    nvtxDomainHandle_t cudf = nvtxDomainCreateA("cudf"), torch = nvtxDomainCreateW(L"torch");
    assert_non_null(cudf);
    assert_non_null(torch);
    assert_ptr_not_equal(cudf, torch);
    assert_ptr_equal(nvtxDomainCreateA("cudf"), cudf);
    nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_ASCII, "join"),
                          b = attributes(NVTX_MESSAGE_TYPE_ASCII, "step");
    assert_int_equal(nvtxDomainRangePushEx(cudf, &a), 0);
    assert_int_equal(nvtxDomainRangePushEx(torch, &b), 0);
    assert_int_equal(nvtxRangePushA("plain"), 0);
    assert_string_equal(here(), "cudf:join/torch:step/plain");
    assert_int_equal(nvtxDomainRangePop(cudf), 0); /* not the innermost: the others stay */
    assert_string_equal(here(), "torch:step/plain");
    assert_int_equal(nvtxRangePop(), 0);
    assert_string_equal(here(), "torch:step");
    assert_int_equal(nvtxDomainRangePop(torch), 0);
    assert_string_equal(here(), "");
    nvtxDomainDestroy(torch);
    assert_int_equal(nvtxDomainRangePushEx((nvtxDomainHandle_t)(void *)&a, &a), 0); /* no domain of ours */
    assert_string_equal(here(), "join");
    assert_int_equal(nvtxRangePop(), 0);
}

static void registered_strings(void **state) {
    (void)state;
    nvtxDomainHandle_t one = nvtxDomainCreateA("one"), two = nvtxDomainCreateA("two");
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(one, "registered"),
                       wide = nvtxDomainRegisterStringW(two, L"\u00fc");
    assert_non_null(string);
    assert_non_null(wide);
    assert_non_null(nvtxDomainRegisterStringA(NULL, NULL));
    nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_REGISTERED, string);
    nvtxDomainRangePushEx(one, &a);
    uint32_t range = xs_nvtx_range(NULL);
    assert_string_equal(here(), "one:registered");
    nvtxDomainRangePop(one);
    a = attributes(NVTX_MESSAGE_TYPE_ASCII, "registered");
    nvtxDomainRangePushEx(one, &a);
    assert_int_equal(xs_nvtx_range(NULL), range); /* how it is said makes no other range of it */
    nvtxDomainRangePop(one);
    a = attributes(NVTX_MESSAGE_TYPE_REGISTERED, wide);
    nvtxDomainRangePushEx(one, &a); /* the other domain's */
    assert_string_equal(here(), "one:\u00fc");
    nvtxDomainRangePop(one);
    const void *wrong[] = {NULL,
                           &a,
                           (const void *)-1,
                           one,
                           (const char *)(const void *)string + 1,
                           (const char *)(const void *)string + 8};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        a = attributes(NVTX_MESSAGE_TYPE_REGISTERED, wrong[i]);
        assert_int_equal(nvtxDomainRangePushEx(one, &a), 0);
        assert_true(xs_nvtx_range(NULL) > 0);
        assert_int_equal(nvtxDomainRangePop(one), 0);
    }
}

static void started_ranges_overlap(void **state) {
    (void)state;
    nvtxRangeId_t a = nvtxRangeStartA("a");
    assert_string_equal(here(), "a");
    nvtxRangePushA("pushed");
    nvtxRangeId_t b = nvtxRangeStartW(L"b");
    assert_string_equal(here(), "a/pushed/b");
    assert_true(a && b && a != b);
    assert_int_equal(nvtxRangePop(), 0); /* ends the push, not the start inside it */
    assert_string_equal(here(), "a/b");
    nvtxRangeEnd(a);
    assert_string_equal(here(), "b");
    nvtxRangeEnd(b);
    assert_string_equal(here(), "");
    const nvtxRangeId_t wrong[] = {0, a, b, 1, (nvtxRangeId_t)-1, 2049, 4095, b + 4096};
    nvtxRangePushA("still");
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        nvtxRangeEnd(wrong[i]);
        nvtxDomainRangeEnd(NULL, wrong[i]);
    }
    assert_string_equal(here(), "still");
    nvtxRangePop();
}

/* Guards the table of ranges: one that starts before the last one ended is no new range every time. */
static void ranges_of_a_pipeline(void **state) {
    (void)state;
    nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_ASCII, "prefetch");
    nvtxRangeId_t before = nvtxRangeStartEx(&a);
    uint32_t first = xs_nvtx_range(NULL), most = 0;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(nvtxRangePushA("iteration"), 0);
        nvtxRangeId_t next = nvtxRangeStartEx(&a);
        assert_string_equal(here(), "prefetch/iteration/prefetch");
        nvtxRangeEnd(before);
        assert_string_equal(here(), "iteration/prefetch");
        assert_int_equal(nvtxRangePop(), 0);
        assert_string_equal(here(), "prefetch");
        most = xs_nvtx_range(NULL) > most ? xs_nvtx_range(NULL) : most;
        before = next;
    }
    nvtxRangeEnd(before);
    assert_string_equal(here(), "");
    assert_true(most < first + 10);
}

static void deep_nesting_is_counted(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(nvtxRangePushA("deep"), i);
    uint32_t deepest = xs_nvtx_range(NULL);
    nvtxRangeId_t started = nvtxRangeStartA("not kept");
    assert_int_not_equal(started, 0);
    assert_int_equal(xs_nvtx_range(NULL), deepest);
    nvtxRangeEnd(started);
    for (int i = 999; i >= 0; i--) {
        assert_int_equal(nvtxRangePop(), i);
        assert_true(i < (int)XS_RANGES_OPEN ? xs_nvtx_range(NULL) < deepest : xs_nvtx_range(NULL) == deepest);
    }
    assert_string_equal(here(), "");
}

static void what_could_not_be_written_is_told_again(void **state) {
    (void)state;
    nvtxRangePushA("around");
    nvtxRangePushA("within");
    spool_is_full = true;
    uint32_t range = xs_nvtx_range(NULL);
    spool_is_full = false;
    assert_int_equal(told[range].times, 0);
    assert_string_equal(here(), "around/within");
    nvtxRangePop();
    nvtxRangePop();
}

static size_t resident_bytes(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*u %lu", &pages), 1); // NOLINT(cert-err34-c): the kernel's own numbers
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void *opens_and_ends(void *id) {
    *(nvtxRangeId_t *)id = nvtxRangeStartA("asked");
    nvtxRangePushA("asked");
    return NULL; /* with both open */
}

static void *ends(void *id) {
    nvtxRangeEnd(*(nvtxRangeId_t *)id);
    return NULL;
}

static void on_thread(void *(*function)(void *), void *data) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, data), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void expect_asked(int ranges, unsigned changes) {
    assert_int_equal(atomic_load(&xs_asked_ranges), ranges);
    assert_int_equal(nvtx_unit_window_changes, changes);
}

/* Only a range with the requested name opens the window, whichever thread opens the range and in whichever domain. */
static void ranges_that_are_asked_for(void **state) {
    nvtxRangeId_t id;
    nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_ASCII, "asked");
    nvtxDomainHandle_t torch = nvtxDomainCreateA("torch");
    (void)state;
    nvtxRangePushA("asked"); /* before it is asked for */
    xs_range_ask("asked");
    nvtxRangePop();
    nvtxRangePushA("asked for");
    expect_asked(0, 0);
    nvtxRangePushA("asked");
    expect_asked(1, 1);
    assert_int_equal(nvtxDomainRangePushEx(torch, &a), 0);
    expect_asked(2, 1);
    nvtxRangePop();
    expect_asked(1, 1);
    nvtxRangePop(); /* "asked for" */
    expect_asked(1, 1);
    nvtxDomainRangePop(torch);
    expect_asked(0, 2);
    id = nvtxRangeStartA("asked");
    expect_asked(1, 3);
    on_thread(ends, &id);
    expect_asked(0, 4);
    nvtxRangeEnd(id); /* once more */
    expect_asked(0, 4);
    on_thread(opens_and_ends, &id); /* who watches sees that they are gone */
    expect_asked(0, 5);
    nvtxRangeEnd(id);
    expect_asked(0, 5);
    a = attributes(NVTX_MESSAGE_TYPE_REGISTERED, nvtxDomainRegisterStringA(NULL, "asked"));
    nvtxRangePushEx(&a);
    expect_asked(1, 6);
    nvtxRangePushA("around"); /* closed later than what is in it */
    id = nvtxRangeStartA("asked");
    nvtxRangePop();
    nvtxRangePop();
    expect_asked(1, 6);
    nvtxRangeEnd(id);
    expect_asked(0, 7);
    assert_string_equal(here(), "");
    atomic_store(&xs_range_asked, 0);
}

/* A number for each #, and nothing else; all of them are one range, so that any number of steps has room. */
static void numbered_ranges_that_are_asked_for(void **state) {
    static const struct {
        const char *name;
        bool is_asked;
    } cases[] = {{"it 1 of 20", true}, {"it 20 of 20", true},  {"it # of #", true}, {"it 1 of ", false},
                 {"it  of 20", false}, {"it 1 of 20x", false}, {"it 1", false},     {"it x of 20", false}};
    (void)state;
    nvtx_unit_window_changes = 0;
    xs_range_ask("it # of #");
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        nvtxEventAttributes_t a =
            attributes(NVTX_MESSAGE_TYPE_REGISTERED, nvtxDomainRegisterStringA(NULL, cases[i].name));
        for (int registered = 0; registered < 2; registered++) {
            nvtx_unit_window_changes = 0;
            if (registered)
                nvtxRangePushEx(&a);
            else
                nvtxRangePushA(cases[i].name);
            expect_asked(cases[i].is_asked, cases[i].is_asked);
            assert_string_equal(here(), cases[i].is_asked ? "it # of #" : cases[i].name);
            nvtxRangePop();
        }
    }
    xs_range_ask("");
    atomic_store(&xs_range_asked, 0);
}

/* Late, for there is no room for another domain after it. */
static void domains_without_end(void **state) {
    (void)state;
    nvtxEventAttributes_t a = attributes(NVTX_MESSAGE_TYPE_ASCII, "join");
    char name[32], last[64] = "";
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "domain %d", i);
        nvtxDomainHandle_t one = nvtxDomainCreateA(name);
        assert_non_null(one);
        assert_int_equal(nvtxDomainRangePushEx(one, &a), 0);
        snprintf(last, sizeof last, "%s", here());
        assert_int_equal(nvtxDomainRangePop(one), 0);
    }
    assert_string_equal(last, "(others):join");
}

/* The last of the tests: nothing new has room after it. */
static void names_without_end(void **state) {
    char name[64];
    unsigned others = 0;
    (void)state;
    assert_true(xs_ranges_bytes() < 16 << 20);
    assert_int_equal(nvtxRangePushA("train"), 0);
    here(); /* the definitions of this test are not counted */
    spool_is_full = true;
    size_t before = resident_bytes();
    uint32_t last = 0, copy = 0;
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "step %d of a training loop", i);
        assert_int_equal(nvtxRangePushA(name), 1);
        uint32_t step = xs_nvtx_range(NULL);
        others += step == last;
        last = step;
        assert_int_equal(nvtxRangePushA("copy"), 2);
        copy = xs_nvtx_range(NULL);
        assert_int_not_equal(copy, step);
        assert_int_equal(nvtxRangePop(), 2);
        assert_int_equal(nvtxRangePop(), 1);
    }
    size_t grown = resident_bytes() - before;
    spool_is_full = false;
    assert_true(others > 80000 && others < 95000);
#if !defined(__SANITIZE_THREAD__) /* which has memory of its own for all that is touched */
    assert_true(grown < 16 << 20);
#else
    (void)grown;
#endif
    nvtxRangePushA("step 99999 of a training loop");
    nvtxRangePushA("copy");
    assert_int_equal(xs_nvtx_range(NULL), copy);
    assert_string_equal(here(), "train/(others)/copy");
    nvtxRangePop();
    nvtxRangePop();
    xs_range_ask("asked"); /* has its name all the same */
    nvtxRangePushA("asked");
    assert_int_equal(atomic_load(&xs_asked_ranges), 1);
    nvtxRangePop();
    assert_int_equal(atomic_load(&xs_asked_ranges), 0);
    nvtxRangePushA("step 0 of a training loop");
    assert_string_equal(here(), "train/step 0 of a training loop");
    nvtxRangePop();
    nvtxRangePop();
    /* Everything is full, at every depth, and goes on. */
    for (int i = 0; i < 400000; i++) {
        snprintf(name, sizeof name, "%d", i);
        assert_int_equal(nvtxRangePushA(name), i % 60);
        assert_non_null(nvtxDomainRegisterStringA(NULL, name));
        if (i % 60 == 59) {
            assert_true(xs_nvtx_range(NULL) > 0);
            for (int depth = 59; depth >= 0; depth--)
                assert_int_equal(nvtxRangePop(), depth);
        }
    }
    while (nvtxRangePop() >= 0) {
    }
    print_message("names without end: %zu KiB resident, %u of 100,000 steps in (others)\n", grown >> 10, others);
}

static void report_costs(void **state) {
    struct timespec from, to;
    enum { TIMES = 2000000 };
    (void)state;
    const char *names[] = {"forward", "backward pass of the model", "optimizer step", "copy"};
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < TIMES; i++) {
        nvtxRangePushA(names[i % 4]);
        nvtxRangePop();
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    print_message("a push and its pop: %.1f ns\n", ns / TIMES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushes_nest),
        cmocka_unit_test(unbalanced_pops_are_harmless),
        cmocka_unit_test(messages_of_every_kind),
        cmocka_unit_test(long_names_keep_their_beginning),
        cmocka_unit_test(domains_have_depths_of_their_own),
        cmocka_unit_test(registered_strings),
        cmocka_unit_test(started_ranges_overlap),
        cmocka_unit_test(ranges_of_a_pipeline),
        cmocka_unit_test(deep_nesting_is_counted),
        cmocka_unit_test(what_could_not_be_written_is_told_again),
        cmocka_unit_test(report_costs),
        cmocka_unit_test(ranges_that_are_asked_for),
        cmocka_unit_test(numbered_ranges_that_are_asked_for),
        cmocka_unit_test(domains_without_end),
        cmocka_unit_test(names_without_end),
    };
    return nvtx_unit_prepare() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
