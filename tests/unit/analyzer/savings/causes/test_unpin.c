/* Tests what is saved if memory is not page-locked, or if a context or a stream is not created again, with runs made by
 * hand whose answers are known. */
#include "diagnosed.h"

#define MS UINT64_C(1000000)
enum {
    A = 0x10000000,
    B = 0x20000000,
    HOST = 0x50000000,
    OTHER = 0x60000000,
    LOCKED = 0x70000000,
    MIB = 1 << 20,
    BYTES = 16 * MIB
};
/* Of BYTES: copies, and the first touch of pageable memory. */
enum { PAGEABLE_NS = 4000000, PINNED_NS = 800000, WORTH_NS = PAGEABLE_NS - PINNED_NS, TOUCH_NS = 6710886 };
enum { LOCK_NS = 12000000, UNLOCK_NS = 3000000, DELAY_NS = 20000, CONTEXT_NS = 100000000, END_NS = 20000000 };
enum { STREAM_NS = 2000000 };

static struct played played, *p = &played;
static struct xs_diagnosis *diagnosis;

static void diagnose_with(const char *sql) {
    xs_store_meta_int(p->store, "duration_ns", (int64_t)p->now_ns + 1000000);
    play_diagnose(p, sql);
    diagnosis = p->diagnosis;
    assert_true(diagnosis->replayed);
}

static void diagnose(void) { diagnose_with(NULL); }

static void end(void) { play_end(p); }

static struct xs_saving saves(const char *id) {
    for (size_t i = 0; i < diagnosis->count; i++)
        if (strcmp(xs_detectors[diagnosis->items[i].finding->detector]->id, id) == 0)
            return diagnosis->items[i].saves;
    fail_msg("no %s", id);
    return (struct xs_saving){0};
}

static void is_about(uint64_t ns, uint64_t expected) { assert_in_range(ns, expected - MS / 10, expected + MS / 10); }

/* Plays a copy. Its call lasts as long as the copy; if `async`, the call only begins the copy. */
static void copy(enum xs_memory_kind host, uint64_t from, uint64_t bytes, uint64_t ns, bool async) {
    p->host = host;
    p->async = async;
    p->delay_ns = DELAY_NS;
    p->device_ns = ns;
    p->call_ns = async ? 4000 : DELAY_NS + ns + 10000;
    play_up(p, A, bytes, NO_CONTENT, NOT_MEASURED, from);
    p->now_ns += p->call_ns;
    p->call_ns = 0;
    p->async = false;
}

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (unsigned i = 0; i < 8; i++) {
        unsigned part = i % 2 ? 1 : 4;
        copy(XS_MEM_PAGEABLE, HOST, BYTES / part, PAGEABLE_NS / part, false);
        copy(XS_MEM_PINNED, OTHER, BYTES / part, PINNED_NS / part, false);
    }
}

static uint32_t lock(enum xs_memory_kind kind) {
    p->memory = kind;
    p->call_ns = LOCK_NS;
    uint32_t id = play_alloc(p, LOCKED, BYTES);
    p->now_ns += LOCK_NS;
    p->call_ns = 0;
    p->memory = XS_MEM_DEVICE;
    return id;
}

static void unlock(uint32_t id) {
    p->call_ns = UNLOCK_NS;
    play_free(p, id);
    p->now_ns += UNLOCK_NS;
    p->call_ns = 0;
}

/* For the least saving, the first touch of the memory that is allocated instead is subtracted. */
static void the_calls_go_and_the_copy_takes_longer(void **state) {
    (void)state;
    begin();
    uint32_t id = lock(XS_MEM_PINNED);
    copy(XS_MEM_PINNED, LOCKED, BYTES, PINNED_NS, false);
    unlock(id);
    play_sync(p);
    diagnose();
    is_about(saves("costly-pinning").least_ns, LOCK_NS + UNLOCK_NS - WORTH_NS - TOUCH_NS);
    is_about(saves("costly-pinning").most_ns, LOCK_NS + UNLOCK_NS - WORTH_NS);
    end();
}

/* Other allocations that had a part of its addresses before or afterwards do not hide it. */
static void memory_that_does_not_live_hides_nothing(void **state) {
    (void)state;
    for (unsigned after = 0; after < 2; after++) {
        begin();
        p->memory = XS_MEM_PINNED;
        if (!after)
            play_free(p, play_alloc(p, LOCKED + 4096, 4096));
        uint32_t id = lock(XS_MEM_PINNED);
        copy(XS_MEM_PINNED, LOCKED + BYTES / 2, BYTES / 2, PINNED_NS / 2, false);
        copy(XS_MEM_PINNED, LOCKED, BYTES / 2, PINNED_NS / 2, false);
        unlock(id);
        p->memory = XS_MEM_PINNED;
        if (after)
            play_free(p, play_alloc(p, LOCKED + 4096, 4096));
        play_sync(p);
        diagnose();
        is_about(saves("costly-pinning").most_ns, LOCK_NS + UNLOCK_NS - WORTH_NS);
        end();
    }
}

/* Copies of a batch call also use it: all but the first copy belong to one call. */
static void copies_of_a_batch_use_it(void **state) {
    enum { COPIES = 4, PART = BYTES / COPIES };
    (void)state;
    begin();
    uint32_t id = lock(XS_MEM_PINNED);
    uint64_t before_ns = p->now_ns;
    unsigned correlation = p->correlation;
    p->host = XS_MEM_PINNED;
    p->call_ns = DELAY_NS + PINNED_NS + 10000;
    p->device_ns = PINNED_NS / COPIES;
    for (unsigned i = 0; i < COPIES; i++) {
        p->now_ns = before_ns;
        p->correlation = correlation;
        p->delay_ns = DELAY_NS + i * p->device_ns;
        play_up(p, A + i * PART, PART, NO_CONTENT, NOT_MEASURED, i ? LOCKED + i * PART : OTHER);
    }
    p->now_ns += p->call_ns;
    unlock(id);
    play_sync(p);
    diagnose_with("UPDATE transfer SET batch_index = id - 17 WHERE id > 16");
    is_about(saves("costly-pinning").most_ns, LOCK_NS + UNLOCK_NS - WORTH_NS / COPIES * (COPIES - 1));
    end();
}

/* Registered memory exists anyway, and has been touched. */
static void registered_memory_is_not_touched_again(void **state) {
    (void)state;
    begin();
    uint32_t id = lock(XS_MEM_REGISTERED);
    for (unsigned i = 0; i < 2; i++)
        copy(XS_MEM_REGISTERED, LOCKED, BYTES, PINNED_NS, false);
    unlock(id);
    play_sync(p);
    diagnose();
    is_about(saves("costly-pinning").least_ns, LOCK_NS + UNLOCK_NS - 2 * WORTH_NS);
    is_about(saves("costly-pinning").most_ns, LOCK_NS + UNLOCK_NS - 2 * WORTH_NS);
    end();
}

/* The host worked for 5 ms while the copy ran; it will have to wait for the copy first. */
static void an_asynchronous_copy_holds_the_host(void **state) {
    (void)state;
    begin();
    uint32_t id = lock(XS_MEM_REGISTERED);
    copy(XS_MEM_REGISTERED, LOCKED, BYTES, PINNED_NS, true);
    p->now_ns += 5 * MS;
    play_sync(p);
    unlock(id);
    diagnose();
    is_about(saves("costly-pinning").least_ns, LOCK_NS + UNLOCK_NS - PAGEABLE_NS);
    is_about(saves("costly-pinning").most_ns, LOCK_NS + UNLOCK_NS - PAGEABLE_NS);
    end();
}

static void context(enum play_context what, uint64_t handle, uint64_t ns) {
    p->call_ns = ns;
    play_context(p, what, handle);
    p->now_ns += ns;
    p->call_ns = 0;
}

/* A context that is kept saves its end and the creation after it; a context beside another one saves its creation if
 * it is not needed. */
static void a_context_is_created_once(void **state) {
    (void)state;
    for (unsigned beside = 0; beside < 2; beside++) {
        begin();
        context(PLAY_RETAIN, 0xc0, CONTEXT_NS);
        if (!beside)
            context(PLAY_RESET, 0xc0, END_NS);
        context(beside ? PLAY_CREATE : PLAY_RETAIN, 0xc1, CONTEXT_NS);
        play_sync(p);
        diagnose();
        is_about(saves("context-again").most_ns, CONTEXT_NS + (beside ? 0 : END_NS));
        if (beside)
            assert_int_equal(saves("context-again").least_ns, 0);
        else
            is_about(saves("context-again").least_ns, CONTEXT_NS + END_NS);
        end();
    }
}

/* Streams that are kept save each end of one, and the creation after it. */
static void a_stream_is_created_once(void **state) {
    (void)state;
    begin();
    for (unsigned i = 0; i < 8; i++) {
        p->call_ns = STREAM_NS;
        play_stream(p, PLAY_STREAM_CREATE, 0xa0);
        p->now_ns += STREAM_NS;
        play_stream(p, PLAY_STREAM_DESTROY, 0xa0);
        p->now_ns += STREAM_NS;
    }
    p->call_ns = 0;
    play_sync(p);
    diagnose();
    is_about(saves("stream-churn").least_ns, 7 * 2 * STREAM_NS);
    is_about(saves("stream-churn").most_ns, 7 * 2 * STREAM_NS);
    end();
}

/* Round trips through page-locked memory that nothing else uses. Only some of the copies are looked at, by chance, and
 * of some trips only the download: all trips go, by what the sample says, and so the memory goes, too. */
static void memory_of_copies_that_chance_left_out(void **state) {
    enum { TRIPS = 24, LEFT_OUT_BY_CHANCE = 21 };
    char sql[96];
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    lock(XS_MEM_PINNED);
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < TRIPS; i++) {
        p->delay_ns = DELAY_NS;
        p->device_ns = PINNED_NS;
        p->call_ns = DELAY_NS + PINNED_NS + 10000;
        play_down(p, A, BYTES, i % 4 == 1 ? NO_CONTENT : 100 + i, LOCKED);
        p->now_ns += p->call_ns;
        play_up(p, B, BYTES, i % 4 ? NO_CONTENT : 100 + i, i ? 1000 + i : NOT_MEASURED, LOCKED);
        p->now_ns += p->call_ns;
        p->call_ns = 0;
        play_unseen_kernel(p);
    }
    snprintf(sql, sizeof sql, "UPDATE transfer SET skip = %d WHERE skip = %d", LEFT_OUT_BY_CHANCE, XS_SKIP_BUDGET);
    diagnose_with(sql);
    uint64_t trips_ns = 2 * TRIPS * (DELAY_NS + PINNED_NS + 10000);
    is_about(saves("round-trip").most_ns, trips_ns + LOCK_NS);
    assert_true(saves("round-trip").least_ns < trips_ns);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_calls_go_and_the_copy_takes_longer),
        cmocka_unit_test(memory_that_does_not_live_hides_nothing),
        cmocka_unit_test(copies_of_a_batch_use_it),
        cmocka_unit_test(registered_memory_is_not_touched_again),
        cmocka_unit_test(an_asynchronous_copy_holds_the_host),
        cmocka_unit_test(a_context_is_created_once),
        cmocka_unit_test(a_stream_is_created_once),
        cmocka_unit_test(memory_of_copies_that_chance_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
