/* Tests what is saved if managed pages stay on the device, with runs made by hand whose answers are known: recorded as
 * a whole, and in windows. */
#include "managed_run.h"

#include "analyzer/savings/causes/find_savings.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
enum { A = 0x10000000, B = 0x40000000, MIB = 1 << 20, BYTES = 64 * MIB, STEPS = 20, PAGES = 400 };
enum { KERNEL_MS = 40, UNFAULTED_MS = 2, HOST_MS = 60, PREFETCH_MS = 8 /* PAGES at 20 us */ };
enum { WAITS_MS = 14 /* the host waits for each of PAGES for 50 us at first, and 20 us in the end */ };

static struct played played, *p = &played;
static struct xs_diagnosis *diagnosis;

static void diagnose(void) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    xs_store_meta_int(p->store, "duration_ns", (int64_t)p->now_ns + 1000000);
    assert_int_equal(xs_store_commit(p->store), 0);
    assert_int_equal(xs_store_finish(p->store, XS_STATUS_COMPLETE), 0);
    assert_int_equal(xs_store_close(p->store), 0);
    if (xs_trace_open(p->path, &trace, message) < 0 || xs_diagnose(&trace, &p->options, &diagnosis, message) < 0)
        fail_msg("%s", message);
    xs_trace_close(&trace);
}

static void end(void) {
    xs_diagnosis_free(diagnosis);
    play_end(p);
}

static struct xs_saving saves_by(const char *id) {
    for (size_t i = 0; i < diagnosis->count; i++)
        if (strcmp(xs_detectors[diagnosis->items[i].finding->detector]->id, id) == 0)
            return diagnosis->items[i].saves;
    fail_msg("no %s", id);
    return (struct xs_saving){0};
}

static struct xs_saving saves(void) { return saves_by("managed-thrash"); }

static void is_within(uint64_t ns, uint64_t expected_ms, uint64_t margin_ms) {
    assert_in_range(ns, (expected_ms - margin_ms) * MS, (expected_ms + margin_ms) * MS);
}

static void is_about(uint64_t ns, uint64_t expected_ms, unsigned percent) {
    is_within(ns, expected_ms, expected_ms * percent / 100);
}

/* Plays one step. */
struct step {
    bool kernel_faults, host_fetches;
    unsigned memories; /* that the kernel is given */
};

/* Each step: a kernel of KERNEL_MS, or UNFAULTED_MS where it finds its pages, and HOST_MS of the host's work. */
static void step(struct managed_run *run, const uint32_t *memories, const uint64_t *addresses, struct step what) {
    uint64_t kernel_ns = (what.kernel_faults ? KERNEL_MS : UNFAULTED_MS) * MS;
    p->kernel_delay_ns = 50 * US;
    p->kernel_ns = kernel_ns;
    play_kernel(p, what.memories, memories);
    uint64_t start = p->now_ns + 50 * US;
    for (unsigned i = 0; i < what.memories && what.kernel_faults; i++)
        managed_pages(run, MANAGED_UP, start + i * 20 * US, start + kernel_ns, PAGES, 80 * US, addresses[i], BYTES);
    p->call_ns = start + kernel_ns + 20 * US - p->now_ns - 10 * US;
    play_sync(p);
    uint64_t host = p->now_ns + p->call_ns;
    for (unsigned i = 0; i < what.memories && what.host_fetches; i++) {
        managed_pages(run, MANAGED_CPU_FAULT, host, host + HOST_MS * MS, PAGES, 150 * US, addresses[i], BYTES);
        managed_pages(run, MANAGED_DOWN, host + 30 * US, host + HOST_MS * MS, PAGES, 130 * US, addresses[i], BYTES);
    }
    p->now_ns = host + HOST_MS * MS;
    p->call_ns = 0;
}

/* The host fills the memory first, page by page, for 100 ms. */
static void begin(struct managed_run *run, uint32_t *memories, const uint64_t *addresses, unsigned count) {
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    for (unsigned i = 0; i < count; i++)
        memories[i] = play_alloc(p, addresses[i], BYTES);
    for (unsigned i = 0; i < count; i++)
        managed_pages(run, MANAGED_CPU_FAULT, p->now_ns + 10 * US, p->now_ns + 100 * MS, PAGES, 200 * US, addresses[i],
                      BYTES);
    p->now_ns += 100 * MS;
}

static void thrash(struct managed_run *run) {
    static const uint64_t addresses[] = {A};
    uint32_t memories[1];
    begin(run, memories, addresses, 1);
    for (int i = 0; i < STEPS; i++)
        step(run, memories, addresses, (struct step){true, true, 1});
    play_sync(p);
    managed_windows(run);
    diagnose();
}

/* For the least saving, each kernel has no faults, its pages are sent before it, and they are copied back instead of
 * the host's waits for them. For the most, the pages are sent once and come back once, and the device does the host's
 * walk through them. The host's first touch of the memory is never saved. */
static void the_whole_run(void **state) {
    (void)state;
    struct managed_run run = {.p = p};
    thrash(&run);
    assert_true(diagnosis->replayed);
    is_within(saves().least_ns, STEPS * (KERNEL_MS - PREFETCH_MS + WAITS_MS - PREFETCH_MS), PREFETCH_MS - 2);
    /* less some 5 ms: the kernels without faults, and the ends of streaks */
    is_within(saves().most_ns, STEPS * (KERNEL_MS + HOST_MS) - 2 * PREFETCH_MS - 5, 3);
    assert_int_equal(diagnosis->cause_count, 1);
    assert_int_equal(diagnosis->together.most_ns, diagnosis->causes[0].saves.most_ns);
    end();
}

/* Windows at random moments of a run of 2.1 s. Some of the kernels and gaps lie in windows, and others do not. */
static const struct managed_window some[] = {
    {0, 108 * MS},       {193 * MS, 8 * MS},  {231 * MS, 8 * MS},  {366 * MS, 8 * MS},  {409 * MS, 8 * MS},
    {517 * MS, 8 * MS},  {641 * MS, 8 * MS},  {677 * MS, 8 * MS},  {805 * MS, 8 * MS},  {918 * MS, 8 * MS},
    {1011 * MS, 8 * MS}, {1107 * MS, 8 * MS}, {1160 * MS, 8 * MS}, {1284 * MS, 8 * MS}, {1330 * MS, 8 * MS},
    {1425 * MS, 8 * MS}, {1563 * MS, 8 * MS}, {1610 * MS, 8 * MS}, {1742 * MS, 8 * MS}, {1803 * MS, 8 * MS},
    {1911 * MS, 8 * MS}, {1989 * MS, 8 * MS}};

/* The share in the windows is assumed for the rest of the run, with a margin. The records that are lost at each
 * window's end do not matter. */
static void windows_of_the_run(void **state) {
    (void)state;
    for (uint64_t lost_us = 0; lost_us <= 4500; lost_us += 4500) {
        struct managed_run run = {
            .p = p, .windows = some, .window_count = sizeof some / sizeof *some, .lost_ns = lost_us * US};
        thrash(&run);
        is_about(saves().least_ns, STEPS * (KERNEL_MS - PREFETCH_MS), 15);
        assert_true(saves().least_ns <= STEPS * (KERNEL_MS - PREFETCH_MS) * MS);
        is_about(saves().most_ns, STEPS * (KERNEL_MS + HOST_MS) - 2 * PREFETCH_MS, 5);
        end();
    }
}

/* If there are few windows, the margin is wide. */
static void two_windows_are_not_sure(void **state) {
    (void)state;
    static const struct managed_window two[] = {
        {0, 105 * MS}, {231 * MS, 8 * MS}, {366 * MS, 8 * MS}, {517 * MS, 8 * MS}, {590 * MS, 8 * MS}};
    struct managed_run run = {.p = p, .windows = two, .window_count = 5};
    thrash(&run);
    assert_in_range(saves().least_ns, STEPS * (KERNEL_MS - PREFETCH_MS) * MS / 3, STEPS * KERNEL_MS * MS * 7 / 10);
    is_about(saves().most_ns, STEPS * (KERNEL_MS + HOST_MS) - 2 * PREFETCH_MS, 5);
    end();
}

/* Every other step finds its pages on the device: those kernels say how long one lasts without faults, and are not
 * made shorter. */
static void kernels_that_do_not_fault(void **state) {
    (void)state;
    static const uint64_t addresses[] = {A};
    uint32_t memories[1];
    struct managed_run run = {.p = p};
    begin(&run, memories, addresses, 1);
    for (int i = 0; i < STEPS; i++)
        step(&run, memories, addresses, (struct step){i % 2 == 0, i % 2 != 0, 1});
    play_sync(p);
    managed_windows(&run);
    diagnose();
    is_about(saves().least_ns, STEPS / 2 * (KERNEL_MS - UNFAULTED_MS + WAITS_MS - 2 * PREFETCH_MS), 2);
    is_about(saves().most_ns, STEPS / 2 * (KERNEL_MS - UNFAULTED_MS + HOST_MS) - 2 * PREFETCH_MS, 2);
    end();
}

/* Both arrays of a kernel go back and forth, and the kernel's time is saved only once. The host waits for pages of both
 * arrays at the same time. Copies would take longer than that, so the least saving has no copies. */
static void two_arrays(void **state) {
    (void)state;
    static const uint64_t addresses[] = {A, B};
    uint32_t memories[2];
    struct managed_run run = {.p = p};
    begin(&run, memories, addresses, 2);
    for (int i = 0; i < STEPS; i++)
        step(&run, memories, addresses, (struct step){true, true, 2});
    play_sync(p);
    managed_windows(&run);
    diagnose();
    is_about(saves().least_ns, STEPS * (KERNEL_MS - 2 * PREFETCH_MS), 3);
    is_about(saves().most_ns, STEPS * (KERNEL_MS + HOST_MS) - 4 * PREFETCH_MS, 2);
    end();
}

/* In every other step the host does not fetch pages back: it fills fresh memory, which no kernel was given yet. */
static void a_first_touch_is_no_stall(void **state) {
    (void)state;
    static const uint64_t addresses[] = {A, B};
    uint32_t memories[2];
    struct managed_run run = {.p = p};
    begin(&run, memories, addresses, 2);
    for (int i = 0; i < STEPS; i++) {
        bool fetches = i % 2 == 0;
        step(&run, memories, addresses, (struct step){!(i % 2), fetches, 1});
        if (!fetches)
            managed_pages(&run, MANAGED_CPU_FAULT, p->now_ns - HOST_MS * MS, p->now_ns, PAGES, 100 * US,
                          B + (uint64_t)i * MIB, MIB);
    }
    step(&run, memories, addresses, (struct step){true, false, 2});
    play_sync(p);
    managed_windows(&run);
    diagnose();
    is_about(saves().most_ns, STEPS / 2 * (KERNEL_MS - UNFAULTED_MS + HOST_MS) - 2 * PREFETCH_MS, 3);
    end();
}

/* Nobody waits for pages that a prefetch moves beside kernels. */
static void prefetched_pages_are_no_stall(void **state) {
    (void)state;
    static const uint64_t addresses[] = {A};
    uint32_t memories[1];
    struct managed_run run = {.p = p};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    memories[0] = play_alloc(p, A, BYTES);
    play_prefetch_batch(p, A, 1);
    for (int i = 0; i < STEPS; i++) {
        step(&run, memories, addresses, (struct step){true, false, 1});
        managed_pages(&run, MANAGED_DOWN, p->now_ns - 20 * MS, p->now_ns - 10 * MS, PAGES, 5 * US, A, BYTES);
    }
    play_sync(p);
    managed_windows(&run);
    diagnose();
    assert_int_equal(saves().least_ns, 0);
    assert_true(saves().most_ns < 400 * MS); /* no part of the migrations' time can be replayed */
    end();
}

/* --- pages that the driver lets the device use across the link --- */

enum { TRIPS = 8, PAGE = 65536, FAULT_MS = 1, REMOTE_MS = 10 };

/* One page goes to and fro; half of the kernels find it on the device. Then the driver may put it on the host, and
 * kernels take REMOTE_MS and have no faults. */
static void remote(bool is_mapped) {
    static const uint64_t addresses[] = {A};
    uint32_t memories[1];
    struct managed_run run = {.p = p};
    begin(&run, memories, addresses, 1);
    p->kernel_delay_ns = 50 * US;
    for (int i = 0; i < TRIPS + STEPS; i++) {
        bool is_remote = i >= TRIPS, faults = !is_remote && i % 2;
        uint64_t start = p->now_ns + 10 * US + 50 * US;
        if (i == TRIPS && is_mapped)
            managed_pages(&run, MANAGED_REMOTE_MAP, p->now_ns, p->now_ns, 1, 0, A, PAGE);
        p->kernel_ns = is_remote ? REMOTE_MS * MS : (faults ? UNFAULTED_MS + FAULT_MS : UNFAULTED_MS) * MS;
        play_kernel(p, 1, memories);
        if (faults) {
            managed_pages(&run, MANAGED_GPU_FAULT, start, start + FAULT_MS * MS, 1, 0, A, PAGE);
            managed_pages(&run, MANAGED_UP, start + FAULT_MS * MS - 20 * US, start + FAULT_MS * MS, 1, 0, A, PAGE);
        }
        p->call_ns = start + p->kernel_ns + 20 * US - p->now_ns;
        play_sync(p);
        uint64_t host = p->now_ns + p->call_ns;
        if (!is_remote) {
            managed_pages(&run, MANAGED_CPU_FAULT, host, host, 1, 0, A, PAGE);
            managed_pages(&run, MANAGED_DOWN, host + 30 * US, host + 50 * US, 1, 0, A, PAGE);
        }
        p->now_ns = host + 5 * MS;
        p->call_ns = 0;
    }
    play_sync(p);
    managed_windows(&run);
    diagnose();
}

/* Each such kernel takes as long as those did that found the page on the device. The host then needs copies, which are
 * not saved. */
static void pages_across_the_link(void **state) {
    (void)state;
    remote(true);
    is_about(saves().most_ns, STEPS * (REMOTE_MS - UNFAULTED_MS) + TRIPS / 2 * FAULT_MS, 2);
    is_about(saves().least_ns, STEPS * (REMOTE_MS - UNFAULTED_MS) + TRIPS / 2 * FAULT_MS, 4);
    assert_true(saves().least_ns < saves().most_ns - STEPS * 40 * US);
    end();
    remote(false); /* nothing shows that they wait for pages */
    assert_true(saves().most_ns < (TRIPS / 2 * FAULT_MS + 2) * MS);
    end();
}

/* --- new pages --- */

enum { POOL = 256 * MIB, BLOCK = 2 * MIB, PART = 32 * MIB, BLOCKS = PART / BLOCK };

/* A kernel that is given `id` and makes the pages of a part of its memory, or gets them from the host. */
static void first_use(struct managed_run *run, uint32_t id, uint64_t address, bool come) {
    p->kernel_delay_ns = 50 * US;
    p->kernel_ns = KERNEL_MS * MS;
    play_kernel(p, 1, &id);
    uint64_t start = p->now_ns + 50 * US, end = start + KERNEL_MS * MS;
    managed_pages(run, MANAGED_GPU_FAULT, start, end, BLOCKS, 10 * US, address, PART);
    if (come)
        managed_pages(run, MANAGED_UP, start, end, BLOCKS, 2400 * US /* of 2500 */, address, PART);
    p->call_ns = KERNEL_MS * MS + 60 * US;
    play_sync(p);
    p->now_ns += p->call_ns;
    p->call_ns = 0;
}

/* One allocation; each of its kernels is the first one that uses another part of it. For the least saving, recording
 * the faults took as long as on an H200, and so did making the pages. */
static void kernels_make_the_pages_of_a_pool(void **state) {
    (void)state;
    struct managed_run run = {.p = p};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    uint32_t pool = play_alloc(p, A, POOL);
    for (uint64_t part = 0; part < POOL / PART; part++)
        first_use(&run, pool, A + part * PART, false);
    managed_windows(&run);
    diagnose();
    is_about(saves_by("managed-first-touch").most_ns, POOL / PART * KERNEL_MS, 4);
    is_about(saves_by("managed-first-touch").least_ns, POOL / PART * KERNEL_MS - POOL / BLOCK * (36 + 10) / 1000, 4);
    assert_true(saves_by("managed-first-touch").least_ns < saves_by("managed-first-touch").most_ns - 5 * MS);
    end();
}

/* Kernels are given the pool after recording has ended, too. At most, they wait for the pages that were not seen to be
 * made, and not for all of their time. */
static void pages_are_made_once(void **state) {
    (void)state;
    static const struct managed_window first[] = {{0, (POOL / PART - 1) * (KERNEL_MS + 1) * MS}};
    struct managed_run run = {.p = p, .windows = first, .window_count = 1};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    uint32_t pool = play_alloc(p, A, POOL);
    for (uint64_t part = 0; part < POOL / PART - 1; part++)
        first_use(&run, pool, A + part * PART, false);
    p->now_ns += 10 * MS;
    for (int i = 0; i < STEPS; i++) {
        p->kernel_ns = (i ? KERNEL_MS : 1) * MS;
        play_kernel(p, 1, &pool);
        p->call_ns = p->kernel_ns + 60 * US;
        play_sync(p);
        p->now_ns += p->call_ns;
        p->call_ns = 0;
    }
    managed_windows(&run);
    diagnose();
    is_about(saves_by("managed-first-touch").most_ns, POOL / PART * KERNEL_MS, 5);
    is_about(saves_by("managed-first-touch").least_ns, (POOL / PART - 1) * KERNEL_MS, 5);
    end();
}

/* Memory is allocated in each step. If an earlier allocation is kept, the kernel's time for new pages is saved, but
 * not its time for pages that the host has filled. */
static void allocate_in_each_step(bool come) {
    struct managed_run run = {.p = p};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    for (int i = 0; i < STEPS; i++) {
        uint32_t id = play_alloc(p, A, PART);
        first_use(&run, id, A, come);
        play_free(p, id);
    }
    managed_windows(&run);
    diagnose();
}

static void new_pages_in_each_step(void **state) {
    (void)state;
    allocate_in_each_step(false);
    is_about(saves_by("repeated-allocation").most_ns, (STEPS - 1) * KERNEL_MS, 5);
    end();
    allocate_in_each_step(true);
    assert_true(saves_by("repeated-allocation").most_ns < (STEPS - 1) * KERNEL_MS * MS / 20);
    is_about(saves_by("managed-first-touch").most_ns, STEPS * (KERNEL_MS - BLOCKS / 10), 4);
    end();
}

/* A prefetch before the first kernel saves nothing of what follows after pages went back. */
static void a_prefetch_is_for_the_first_use(void **state) {
    (void)state;
    struct managed_run run = {.p = p};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    uint32_t id = play_alloc(p, A, PART);
    for (int i = 0; i < STEPS; i++) {
        first_use(&run, id, A, i > 0);
        managed_pages(&run, MANAGED_DOWN, p->now_ns, p->now_ns + 1 * MS, BLOCKS, 0, A, PART);
        p->now_ns += 2 * MS;
    }
    play_sync(p);
    managed_windows(&run);
    diagnose();
    assert_true(saves_by("managed-first-touch").most_ns <= KERNEL_MS * MS);
    assert_true(saves().most_ns > (STEPS - 2) * KERNEL_MS * MS * 9 / 10);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_run),
        cmocka_unit_test(windows_of_the_run),
        cmocka_unit_test(two_windows_are_not_sure),
        cmocka_unit_test(kernels_that_do_not_fault),
        cmocka_unit_test(two_arrays),
        cmocka_unit_test(a_first_touch_is_no_stall),
        cmocka_unit_test(prefetched_pages_are_no_stall),
        cmocka_unit_test(pages_across_the_link),
        cmocka_unit_test(kernels_make_the_pages_of_a_pool),
        cmocka_unit_test(pages_are_made_once),
        cmocka_unit_test(new_pages_in_each_step),
        cmocka_unit_test(a_prefetch_is_for_the_first_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
