/* NVTX ranges, from the header that applications compile in to the number and the definition that events get. The
 * sources are linked in, and the header finds them as it finds a tool that is linked in. */
#include "unit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <nvtx3/nvToolsExt.h>

#include "preload/core/asked_window.h"
#include "preload/core/hooks.h"
#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/open.h"

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

XS_TLS struct xs_guard xs_guard;
static unsigned window_changes;
static void window_asked(void) { window_changes++; }
const struct xs_hooks xs_hooks = {.window_asked = window_asked};
void *xs_real_dlsym(void *handle, const char *name) { return dlsym(handle, name); }

/* What events were told. */
static struct definition {
    unsigned times;
    uint32_t parent;
    char domain[300], name[300];
} * told;
static bool spool_is_full;
static pthread_mutex_t told_lock = PTHREAD_MUTEX_INITIALIZER;

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    struct xs_define_range head;
    (void)e;
    assert_int_equal(what, XS_DEFINE_RANGE);
    assert_true(id > 0 && id < XS_RANGES_MOST);
    if (spool_is_full) {
        return false;
    }
    memcpy(&head, data, sizeof head);
    assert_int_equal(bytes, sizeof head + head.domain_bytes + head.name_bytes);
    const char *text = (const char *)data + sizeof head;
    pthread_mutex_lock(&told_lock);
    struct definition *d = &told[id];
    d->times++;
    d->parent = head.parent;
    snprintf(d->domain, sizeof d->domain, "%.*s", (int)head.domain_bytes, text);
    snprintf(d->name, sizeof d->name, "%.*s", (int)head.name_bytes, text + head.domain_bytes);
    pthread_mutex_unlock(&told_lock);
    return true;
}

static __thread char path[4096];

static void add_to_path(uint32_t range) {
    const struct definition *d = &told[range];
    if (d->parent) {
        add_to_path(d->parent);
    }
    size_t n = strlen(path);
    assert_int_equal(d->times, 1);
    snprintf(path + n, sizeof path - n, "%s%s%s%s", n ? "/" : "", d->domain, *d->domain ? ":" : "", d->name);
}

/* The ranges that an event would carry, outermost first. */
static const char *here(void) {
    uint32_t range = xs_nvtx_range(NULL);
    *path = '\0';
    if (range) {
        add_to_path(range);
    }
    return path;
}

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
    for (int depth = 3; depth >= 0; depth--) {
        assert_int_equal(nvtxRangePop(), depth);
    }
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
    for (size_t i = 0; i < COUNT_OF(wide) - 1; i++) {
        wide[i] = 0xe4;
    }
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
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(nvtxRangePushA("deep"), i);
    }
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

static void *start_on_a_thread(void *id) {
    assert_true(nvtxRangePop() < 0); /* the other thread's is not this one's */
    assert_string_equal(here(), "");
    nvtxRangeEnd(*(nvtxRangeId_t *)id);
    nvtxRangePushA("of the thread");
    assert_string_equal(here(), "of the thread");
    *(nvtxRangeId_t *)id = nvtxRangeStartA("outlives it");
    return NULL;
}

static void any_thread_may_end_a_range(void **state) {
    pthread_t thread;
    (void)state;
    nvtxRangeId_t id = nvtxRangeStartA("started here");
    nvtxRangePushA("mine");
    assert_int_equal(pthread_create(&thread, NULL, start_on_a_thread, &id), 0);
    pthread_join(thread, NULL);
    assert_string_equal(here(), "mine");
    nvtxRangePop();
    assert_string_equal(here(), "");
    nvtxRangeEnd(id); /* its thread is gone, and this one may have its place */
    assert_string_equal(here(), "");
}

static _Atomic nvtxRangeId_t to_end;
static _Atomic bool enough;

static void *end_what_is_given(void *unused) {
    (void)unused;
    while (!enough) {
        nvtxRangeEnd(atomic_exchange(&to_end, 0));
    }
    nvtxRangeEnd(to_end);
    return NULL;
}

/* Guards the closing of holes against an end at the same time: a range that was ended must not come back. */
static void ends_race_with_closing_holes(void **state) {
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, end_what_is_given, NULL), 0);
    for (int i = 0; i < 200000; i++) {
        nvtxRangeId_t mine = nvtxRangeStartA("mine"), its = nvtxRangeStartA("its");
        nvtxRangeId_t last = atomic_exchange(&to_end, its);
        nvtxRangeEnd(mine);
        nvtxRangeEnd(last);
    }
    enough = true;
    pthread_join(thread, NULL);
    assert_string_equal(here(), "");
}

static volatile sig_atomic_t signals, wrong_in_handler;

static void open_in_a_handler(int signal_number) {
    (void)signal_number;
    int before = nvtxRangePushA("in the handler");
    nvtxRangeEnd(nvtxRangeStartA("started in the handler"));
    xs_nvtx_range(NULL);
    wrong_in_handler += before < 0 || nvtxRangePop() != before;
    signals++;
}

static void signal_handlers_may_open_ranges(void **state) {
    struct sigaction action = {.sa_handler = open_in_a_handler, .sa_flags = SA_RESTART}, old;
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    unsigned wrong = 0;
    (void)state;
    nvtxRangePushA("interrupted");
    nvtxRangePushA("also interrupted");
    const uint32_t inner = xs_nvtx_range(NULL);
    nvtxRangePop();
    const uint32_t outer = xs_nvtx_range(NULL);
    assert_string_equal(here(), "interrupted");
    spool_is_full = true; /* the lock of the test's own xs_define is not for handlers */
    sigaction(SIGALRM, &action, &old);
    setitimer(ITIMER_REAL, &often, NULL);
    while (signals < 2000) {
        wrong += nvtxRangePushA("also interrupted") != 1;
        wrong += xs_nvtx_range(NULL) != inner;
        nvtxRangeEnd(nvtxRangeStartA("started"));
        wrong += nvtxRangePop() != 1;
        wrong += xs_nvtx_range(NULL) != outer;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    spool_is_full = false;
    assert_int_equal(wrong, 0);
    assert_int_equal(wrong_in_handler, 0);
    assert_string_equal(here(), "interrupted");
    assert_int_equal(nvtxRangePop(), 0);
}

static void *same_names(void *barrier) {
    char name[32];
    pthread_barrier_wait(barrier);
    uintptr_t sum = 0;
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "shared %d", i);
        nvtxRangePushA(name);
        sum = sum * 31 + xs_nvtx_range(NULL);
        nvtxRangePop();
    }
    return (void *)sum;
}

static void threads_agree_on_numbers(void **state) {
    pthread_t threads[8];
    pthread_barrier_t barrier;
    void *first = NULL, *other;
    (void)state;
    pthread_barrier_init(&barrier, NULL, COUNT_OF(threads));
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, same_names, &barrier), 0);
    }
    pthread_join(threads[0], &first);
    for (size_t i = 1; i < COUNT_OF(threads); i++) {
        pthread_join(threads[i], &other);
        assert_ptr_equal(other, first);
    }
    pthread_barrier_destroy(&barrier);
    for (uint32_t i = 0; i < XS_RANGES_MOST; i++) {
        assert_true(told[i].times <= 1);
    }
}

static void *open_and_leave(void *unused) {
    (void)unused;
    nvtxRangePushA("left open");
    return NULL;
}

/* Guards the places of threads: they are given back, though the ranges were not. */
static void threads_come_and_go(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2 * XS_RANGE_THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, open_and_leave, NULL), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(nvtxRangePushA("there is still a place"), 0);
    assert_int_equal(nvtxRangePop(), 0);
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

static void forked_child_keeps_its_ranges(void **state) {
    int status;
    (void)state;
    nvtxRangePushA("before the fork");
    pid_t child = fork();
    if (child == 0) {
        xs_nvtx_forget();
        bool fine = nvtxRangePushA("in the child") == 1 && strcmp(here(), "before the fork/in the child") == 0 &&
                    nvtxRangePop() == 1 && nvtxRangePop() == 0 && nvtxRangePop() < 0;
        _exit(fine ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(here(), "before the fork");
    assert_int_equal(nvtxRangePop(), 0);
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
    assert_int_equal(window_changes, changes);
}

/* The window that a range of the name opens: by whoever, in whichever domain, and no other range does. */
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
    assert_true(grown < 16 << 20);
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
            for (int depth = 59; depth >= 0; depth--) {
                assert_int_equal(nvtxRangePop(), depth);
            }
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
        cmocka_unit_test(any_thread_may_end_a_range),
        cmocka_unit_test(ends_race_with_closing_holes),
        cmocka_unit_test(signal_handlers_may_open_ranges),
        cmocka_unit_test(threads_agree_on_numbers),
        cmocka_unit_test(threads_come_and_go),
        cmocka_unit_test(what_could_not_be_written_is_told_again),
        cmocka_unit_test(forked_child_keeps_its_ranges),
        cmocka_unit_test(report_costs),
        cmocka_unit_test(ranges_that_are_asked_for),
        cmocka_unit_test(domains_without_end),
        cmocka_unit_test(names_without_end),
    };
    unsetenv("NVTX_INJECTION64_PATH");
    InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2;
    told = calloc(XS_RANGES_MOST, sizeof *told);
    return told ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
