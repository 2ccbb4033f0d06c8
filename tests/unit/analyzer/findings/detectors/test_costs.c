/* costly-pinning and context-again: each clause of docs/rules/analysis.md from both sides, with what it claims. */
#include "played.h"

#define MS UINT64_C(1000000)
enum { A = 0x10000000, HOST = 0x50000000, OTHER = 0x60000000, LOCKED = 0x70000000, MIB = 1 << 20, BYTES = 16 * MIB };
/* Durations for BYTES: copies, and the first touch of pageable memory. */
enum { PAGEABLE_NS = 4000000, PINNED_NS = 800000, WORTH_NS = PAGEABLE_NS - PINNED_NS, TOUCH_NS = 6710886 };
enum { LOCK_NS = 12000000, UNLOCK_NS = 3000000, REGISTER_NS = 4000000, UNREGISTER_NS = 1000000 };

static struct played played, *p = &played;

/* --- costly-pinning --- */

/* Plays copies from which the link model takes its rates. */
static void rates(enum xs_memory_kind host, uint64_t ns, uint64_t from) {
    p->host = host;
    for (unsigned i = 0; i < 8; i++) {
        unsigned part = i % 2 ? 1 : 4;
        p->device_ns = ns / part;
        play_up(p, A, BYTES / part, NO_CONTENT, NOT_MEASURED, from);
        play_down(p, A, BYTES / part, NO_CONTENT, from);
        p->now_ns += 2 * ns;
    }
    p->device_ns = 0;
}

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    rates(XS_MEM_PAGEABLE, PAGEABLE_NS, HOST);
    rates(XS_MEM_PINNED, PINNED_NS, OTHER);
}

static uint32_t lock(enum xs_memory_kind kind, uint64_t address, uint64_t ns) {
    p->memory = kind;
    p->call_ns = ns;
    uint32_t id = play_alloc(p, address, BYTES);
    p->now_ns += ns;
    p->call_ns = 0;
    p->memory = XS_MEM_DEVICE;
    return id;
}

static void unlock(uint32_t id, uint64_t ns) {
    p->call_ns = ns;
    play_free(p, id);
    p->now_ns += ns;
    p->call_ns = 0;
}

static void copy(enum xs_memory_kind host, bool up) {
    p->host = host;
    p->device_ns = PINNED_NS;
    if (up)
        play_up(p, A, BYTES, NO_CONTENT, NOT_MEASURED, LOCKED);
    else
        play_down(p, A, BYTES, NO_CONTENT, LOCKED);
    p->now_ns += 2 * PINNED_NS;
    p->device_ns = 0;
}

static void pinned_for(unsigned copies) {
    uint32_t id = lock(XS_MEM_PINNED, LOCKED, LOCK_NS);
    for (unsigned i = 0; i < copies; i++)
        copy(XS_MEM_PINNED, i % 2 == 0);
    unlock(id, UNLOCK_NS);
}

static void registered_for(unsigned copies, uint64_t register_ns, uint64_t unregister_ns) {
    uint32_t id = lock(XS_MEM_REGISTERED, LOCKED, register_ns);
    for (unsigned i = 0; i < copies; i++)
        copy(XS_MEM_REGISTERED, true);
    unlock(id, unregister_ns);
}

static void is_about(uint64_t ns, uint64_t expected) { assert_in_range(ns, expected - MS / 20, expected + MS / 20); }

/* The memory that is allocated instead has to be touched for the first time, which takes time. */
static void pinned_for_one_copy(void **state) {
    (void)state;
    begin();
    pinned_for(1);
    play_analyse(p, NULL);
    FOUND("costly-pinning", NULL, 1);
    const struct xs_finding *finding = played_finding(p, "costly-pinning");
    assert_int_equal(finding->bytes, BYTES);
    assert_int_equal(finding->transfers, 0);
    assert_int_equal(finding->cost.host_ns, LOCK_NS + UNLOCK_NS);
    is_about(finding->claimed_ns, LOCK_NS + UNLOCK_NS - TOUCH_NS - WORTH_NS);
    assert_int_equal(finding->first[0].evidence[0].table, XS_EVIDENCE_ALLOCATION);
    assert_int_equal(finding->first[0].evidence[0].row, 2);
    play_end(p);
}

static void enough_copies_are_worth_it(void **state) {
    (void)state;
    for (unsigned copies = 2; copies <= 3; copies++) { /* 15 ms against 6.7 and 3.2 a copy */
        begin();
        pinned_for(copies);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, copies == 2);
        UNDECIDED("costly-pinning", "no rate of pageable copies", 0);
        play_end(p);
    }
}

static void registered_memory_is_there(void **state) {
    (void)state;
    for (unsigned copies = 1; copies <= 2; copies++) { /* 5 ms against 3.2 a copy */
        begin();
        registered_for(copies, REGISTER_NS, UNREGISTER_NS);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, copies == 1);
        if (copies == 1)
            is_about(played_finding(p, "costly-pinning")->claimed_ns, REGISTER_NS + UNREGISTER_NS - WORTH_NS);
        play_end(p);
    }
}

/* As far as can be told, the host did other things during the copy. */
static void an_asynchronous_copy_saves_all_of_its_time(void **state) {
    (void)state;
    for (uint64_t register_ns = 3 * MS; register_ns <= 4 * MS; register_ns += MS) { /* and 0.5 ms, against 4.0 */
        begin();
        p->async = true;
        registered_for(1, register_ns, MS / 2);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, register_ns == 4 * MS);
        if (register_ns == 4 * MS)
            is_about(played_finding(p, "costly-pinning")->claimed_ns, MS / 2);
        play_end(p);
    }
}

static void what_costs_little_does_not_count(void **state) {
    (void)state;
    for (unsigned cheap = 0; cheap < 2; cheap++) {
        begin();
        registered_for(0, (cheap ? 799 : 801) * MS / 1000, MS / 5);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, !cheap);
        play_end(p);
    }
}

/* Memory without copies: a registration of it was needless. If it was allocated as pinned memory, this is the finding
 * unused-allocation. */
static void without_any_copy(void **state) {
    (void)state;
    begin();
    pinned_for(0);
    play_analyse(p, NULL);
    NOT_FOUND("costly-pinning");
    FOUND("unused-allocation", "likely", 1);
    play_end(p);
    for (unsigned kernels = 0; kernels < 2; kernels++) { /* a kernel may find the address in device memory */
        begin();
        uint32_t id = lock(XS_MEM_REGISTERED, LOCKED, REGISTER_NS);
        if (kernels)
            play_kernel(p, 0, NULL);
        unlock(id, UNREGISTER_NS);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, !kernels);
        play_end(p);
    }
}

static void what_kernels_or_others_use_is_none(void **state) {
    (void)state;
    for (unsigned how = 0; how < 4; how++) {
        begin();
        uint32_t id = lock(XS_MEM_PINNED, LOCKED, LOCK_NS);
        copy(XS_MEM_PINNED, true);
        if (how == 0)
            play_kernel(p, 0, NULL); /* not this memory */
        if (how == 1)
            play_kernel(p, 1, &id);
        if (how == 2)
            play_share(p, LOCKED);
        if (how == 3)
            play_memset(p, LOCKED, BYTES);
        unlock(id, UNLOCK_NS);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, how == 0);
        play_end(p);
    }
}

/* The time for which the free waits for kernels is no price, because without the free something else waits for them. */
static void waiting_for_kernels_is_no_price(void **state) {
    (void)state;
    for (uint64_t kernel_ms = 1; kernel_ms <= 3; kernel_ms += 2) { /* of 5 ms, of which a copy is worth 3.2 */
        begin();
        uint32_t id = lock(XS_MEM_REGISTERED, LOCKED, MS);
        copy(XS_MEM_REGISTERED, true);
        p->kernel_delay_ns = 20000;
        p->kernel_ns = kernel_ms * MS;
        play_kernel(p, 0, NULL);
        unlock(id, 4 * MS);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, kernel_ms == 1);
        if (kernel_ms == 1)
            is_about(played_finding(p, "costly-pinning")->claimed_ns, 4 * MS - WORTH_NS);
        play_end(p);
    }
}

static void what_lives_to_the_end_costs_its_allocation(void **state) {
    (void)state;
    begin();
    lock(XS_MEM_PINNED, LOCKED, LOCK_NS);
    copy(XS_MEM_PINNED, true);
    play_analyse(p, NULL);
    FOUND("costly-pinning", NULL, 1);
    assert_int_equal(played_finding(p, "costly-pinning")->cost.host_ns, LOCK_NS);
    play_end(p);
}

/* From five pairs on, all of it is the finding pinned-churn. */
static void churned_memory_is_pinned_churn(void **state) {
    (void)state;
    for (unsigned times = 5; times <= 6; times++) {
        begin();
        for (unsigned i = 0; i < times; i++)
            pinned_for(1);
        play_analyse(p, NULL);
        FOUND("costly-pinning", NULL, times == 5 ? 5 : 0);
        FOUND("pinned-churn", NULL, times == 6 ? 5 : 0);
        play_end(p);
    }
}

static void without_rates_it_is_undecided(void **state) {
    (void)state;
    for (unsigned pageable = 0; pageable < 2; pageable++) {
        play_begin(p);
        play_alloc(p, A, BYTES);
        if (pageable)
            rates(XS_MEM_PAGEABLE, PAGEABLE_NS, HOST);
        lock(XS_MEM_PINNED, LOCKED, LOCK_NS);
        if (pageable) {
            p->host = XS_MEM_PINNED; /* a small copy says nothing of the rate */
            play_up(p, A, 4096, NO_CONTENT, NOT_MEASURED, LOCKED);
        } else {
            copy(XS_MEM_PINNED, true);
        }
        play_analyse(p, NULL);
        NOT_FOUND("costly-pinning");
        UNDECIDED("costly-pinning", "no rate of pageable copies", !pageable);
        UNDECIDED("costly-pinning", "no rate of pinned copies", pageable);
        play_end(p);
    }
}

/* What is left is so little at any rate that nobody would act on it. */
static void what_saves_little_is_not_undecided(void **state) {
    (void)state;
    for (unsigned enough = 0; enough < 2; enough++) {
        play_begin(p);
        play_alloc(p, A, BYTES);
        lock(XS_MEM_PINNED, LOCKED, TOUCH_NS + (enough ? MS * 6 / 5 : MS * 4 / 5));
        copy(XS_MEM_PINNED, true);
        play_analyse(p, NULL);
        NOT_FOUND("costly-pinning");
        UNDECIDED("costly-pinning", "no rate of pageable copies", enough);
        play_end(p);
    }
}

static void boxes_and_graphs_are_undecided(void **state) {
    (void)state;
    begin();
    p->box = (struct xs_event_transfer){.height = 4, .src_pitch = MIB, .dst_pitch = MIB};
    pinned_for(1);
    play_analyse(p, NULL);
    NOT_FOUND("costly-pinning");
    UNDECIDED("costly-pinning", "copies of two or three dimensions", 1);
    play_end(p);
    begin();
    pinned_for(2);
    play_analyse(p, "UPDATE transfer SET is_captured = 1 WHERE id = (SELECT max(id) FROM transfer)");
    NOT_FOUND("costly-pinning");
    UNDECIDED("costly-pinning", "copies of graphs", 1);
    play_end(p);
}

static void unseen_arguments_leave_it_undecided(void **state) {
    (void)state;
    begin();
    uint32_t id = lock(XS_MEM_PINNED, LOCKED, LOCK_NS);
    copy(XS_MEM_PINNED, true);
    play_unseen_kernel(p);
    unlock(id, UNLOCK_NS);
    play_analyse(p, NULL);
    NOT_FOUND("costly-pinning");
    UNDECIDED("costly-pinning", "launch arguments not seen", 1);
    play_end(p);
}

static void an_incomplete_trace_leaves_it_undecided(void **state) {
    (void)state;
    begin();
    pinned_for(1);
    lock(XS_MEM_PINNED, LOCKED, LOCK_NS);
    copy(XS_MEM_PINNED, true);
    play_analyse(p, "UPDATE meta SET value = 'recovered' WHERE key = 'status'");
    FOUND("costly-pinning", NULL, 1);
    UNDECIDED("costly-pinning", "the trace ends before the program", 1);
    play_end(p);
    begin();
    pinned_for(1);
    play_analyse(p, "INSERT OR REPLACE INTO meta VALUES ('coverage.dropped', 1)");
    NOT_FOUND("costly-pinning");
    UNDECIDED("costly-pinning", "calls not recorded", 1);
    play_end(p);
}

/* --- context-again --- */

static void context(enum play_context what, uint64_t handle, uint64_t ns) {
    p->call_ns = ns;
    play_context(p, what, handle);
    p->now_ns += ns;
    p->call_ns = 0;
}

static void primary_contexts_come_again(void **state) {
    (void)state;
    for (enum play_context end = PLAY_RELEASE; end <= PLAY_RESET; end++) {
        play_begin(p);
        for (unsigned i = 0; i < 3; i++) {
            context(PLAY_RETAIN, 0xc0, 100 * MS);
            context(PLAY_RETAIN, 0xc0, i ? 0 : 2 * MS); /* it lives: this one only waited */
            if (end == PLAY_RELEASE)
                context(PLAY_RELEASE, 0xc0, 5 * MS);
            context(end, 0xc0, 20 * MS);
        }
        play_analyse(p, NULL);
        FOUND("context-again", "ended-before", 2);
        FOUND("context-again", NULL, 2);
        const struct xs_finding *finding = played_finding(p, "context-again");
        assert_int_equal(finding->claimed_ns, 2 * 120 * MS);
        assert_int_equal(p->findings->total.claimed_ns, 2 * 120 * MS);
        assert_int_equal(finding->first[0].evidence[0].table, XS_EVIDENCE_API_CALL);
        assert_int_equal(finding->first[0].evidence[0].row, end == PLAY_RELEASE ? 5 : 4);
        assert_int_equal(finding->first[0].evidence[1].row, end == PLAY_RELEASE ? 4 : 3);
        play_end(p);
    }
}

static void one_that_lives_or_of_another_device_is_none(void **state) {
    (void)state;
    play_begin(p);
    context(PLAY_RETAIN, 0xc0, 100 * MS);
    context(PLAY_RETAIN, 0xc0, 100 * MS);
    context(PLAY_RELEASE, 0xc0, 20 * MS);
    context(PLAY_RETAIN, 0xc0, 100 * MS);
    p->device = 1;
    context(PLAY_RETAIN, 0xc1, 100 * MS);
    p->device = 0;
    play_analyse(p, NULL);
    NOT_FOUND("context-again");
    play_end(p);
}

static void one_that_is_made_quickly_is_none(void **state) {
    (void)state;
    for (unsigned quick = 0; quick < 2; quick++) {
        play_begin(p);
        context(PLAY_RETAIN, 0xc0, 100 * MS);
        context(PLAY_RESET, 0xc0, 20 * MS);
        context(PLAY_RETAIN, 0xc0, quick ? MS - 1 : MS);
        play_analyse(p, NULL);
        FOUND("context-again", NULL, !quick);
        play_end(p);
    }
}

static void own_contexts_come_again(void **state) {
    (void)state;
    play_begin(p);
    context(PLAY_CREATE, 0xa0, 100 * MS);
    context(PLAY_DESTROY, 0xa0, 20 * MS);
    context(PLAY_CREATE, 0xa1, 100 * MS); /* could have been the first */
    context(PLAY_CREATE, 0xa2, 80 * MS);  /* beside it */
    context(PLAY_DESTROY, 0xbb, 20 * MS); /* not known */
    context(PLAY_RETAIN, 0xc0, 70 * MS);  /* beside both */
    play_analyse(p, NULL);
    FOUND("context-again", "ended-before", 1);
    FOUND("context-again", "beside", 2);
    assert_int_equal(p->findings->total.claimed_ns, (120 + 80 + 70) * MS);
    play_end(p);
}

static void a_call_that_failed_makes_none(void **state) {
    (void)state;
    play_begin(p);
    context(PLAY_CREATE, 0, 100 * MS);
    context(PLAY_CREATE, 0xa1, 100 * MS);
    play_analyse(p, "UPDATE api_call SET result = 2 WHERE id = 1");
    NOT_FOUND("context-again");
    play_end(p);
}

/* Another call waits for the work for which the end of the context waits. */
static void the_end_waits_for_kernels(void **state) {
    (void)state;
    play_begin(p);
    context(PLAY_RETAIN, 0xc0, 100 * MS);
    p->kernel_delay_ns = 20000;
    p->kernel_ns = 15 * MS;
    play_kernel(p, 0, NULL);
    context(PLAY_RESET, 0xc0, 20 * MS);
    context(PLAY_RETAIN, 0xc0, 100 * MS);
    play_analyse(p, NULL);
    FOUND("context-again", "ended-before", 1);
    assert_int_equal(played_finding(p, "context-again")->claimed_ns, 105 * MS);
    play_end(p);
}

/* An import does not say for which device a context is. */
static void an_import_leaves_it_undecided(void **state) {
    (void)state;
    play_begin(p);
    context(PLAY_CREATE, 0xa0, 100 * MS);
    context(PLAY_CREATE, 0xa1, 100 * MS);
    play_analyse(p, "INSERT OR REPLACE INTO meta VALUES ('importer', 'nsys')");
    NOT_FOUND("context-again");
    UNDECIDED("context-again", "devices of contexts not recorded", 2);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_for_one_copy),
        cmocka_unit_test(enough_copies_are_worth_it),
        cmocka_unit_test(registered_memory_is_there),
        cmocka_unit_test(an_asynchronous_copy_saves_all_of_its_time),
        cmocka_unit_test(what_costs_little_does_not_count),
        cmocka_unit_test(without_any_copy),
        cmocka_unit_test(what_kernels_or_others_use_is_none),
        cmocka_unit_test(waiting_for_kernels_is_no_price),
        cmocka_unit_test(what_lives_to_the_end_costs_its_allocation),
        cmocka_unit_test(churned_memory_is_pinned_churn),
        cmocka_unit_test(without_rates_it_is_undecided),
        cmocka_unit_test(what_saves_little_is_not_undecided),
        cmocka_unit_test(boxes_and_graphs_are_undecided),
        cmocka_unit_test(unseen_arguments_leave_it_undecided),
        cmocka_unit_test(an_incomplete_trace_leaves_it_undecided),
        cmocka_unit_test(primary_contexts_come_again),
        cmocka_unit_test(one_that_lives_or_of_another_device_is_none),
        cmocka_unit_test(one_that_is_made_quickly_is_none),
        cmocka_unit_test(own_contexts_come_again),
        cmocka_unit_test(a_call_that_failed_makes_none),
        cmocka_unit_test(the_end_waits_for_kernels),
        cmocka_unit_test(an_import_leaves_it_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
