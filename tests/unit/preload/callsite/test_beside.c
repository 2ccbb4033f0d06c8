/* When the frames of another thread are read: never for the main thread's own calls, not after too many failures, and
 * for a share of the time, in which each call site has its turn. The clocks are made up. */
#include "unit.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/callsite/beside.h"
#include "preload/core/notes.h"
#include "preload/core/quiescence.h"
#include "preload/core/thread_memory.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

enum { PERMILLE = 5 };

static uint64_t now_ns, cpu_ns;
static unsigned notes;
static struct xs_gate_slot slots[2]; /* the main thread, and the calling one */
static uint64_t memory[1 << 16];

int __wrap_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time) {
    uint64_t ns = id == CLOCK_THREAD_CPUTIME_ID ? cpu_ns : now_ns;
    *time = (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
    return 0;
}

XS_TLS struct xs_gate_slot *xs_gate_slot;
const struct xs_gate_slot *xs_gate_slot_at(uint32_t i) { return i < 2 ? &slots[i] : NULL; }
XS_TLS struct xs_thread_memory xs_thread_memory[XS_PARTS];
void *xs_thread_memory_map(enum xs_thread_part part, size_t bytes) {
    assert_int_equal(part, XS_PART_BESIDE);
    assert_true(bytes <= sizeof memory);
    return memory;
}
bool xs_python_is_ready(void) { return true; }
void xs_note(const char *topic, const char *format, ...) {
    (void)format;
    assert_string_equal(topic, "python");
    notes++;
}

static struct xs_stack_key site(uint64_t number) { return (struct xs_stack_key){.high = number, .low = number + 1}; }

/* A reading at this site that takes `took_ns` of processor time. False: it is not its turn. */
static bool reads(uint64_t number, uint64_t took_ns, enum xs_beside_outcome outcome) {
    uint64_t begun_ns;
    struct xs_beside_site *s = xs_beside_begin(site(number), &begun_ns);
    if (!s)
        return false;
    assert_int_equal(begun_ns, now_ns);
    cpu_ns += took_ns;
    xs_beside_end(s, begun_ns, outcome);
    return true;
}

static int begin(void **state) {
    (void)state;
    now_ns = cpu_ns = 1000 * SECOND;
    notes = 0;
    memset(memory, 0, sizeof memory);
    memset(slots, 0, sizeof slots);
    slots[0].owner = getpid();
    slots[0].python = slots[0].thread = 1;
    slots[1].owner = getpid() + 1;
    slots[1].thread = 2;
    xs_gate_slot = &slots[1];
    xs_beside_start(PERMILLE);
    return 0;
}

static void the_main_thread_works_for_itself(void **state) {
    (void)state;
    struct xs_beside_thread thread;
    assert_true(reads(1, 0, XS_BESIDE_READ));
    assert_true(xs_beside_find(&thread));
    assert_int_equal(thread.tid, getpid());
    xs_gate_slot = &slots[0];
    assert_false(reads(1, 0, XS_BESIDE_READ));
    assert_false(xs_beside_find(&thread)); /* the other thread runs no Python code */
}

enum { REST = 200, FOR_GOOD = 1000 };

/* Fails as often as there is a turn, at most so many times. */
static unsigned fails(unsigned times) {
    unsigned count = 0;
    while (count < times && reads(1, 0, XS_BESIDE_FAILED))
        count++;
    return count;
}

static void failures_are_given_up_for_a_while(void **state) {
    (void)state;
    assert_true(reads(1, 0, XS_BESIDE_READ));
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(fails(FOR_GOOD), REST);
        now_ns += 10 * SECOND - 1;
        assert_false(reads(1, 0, XS_BESIDE_READ));
        now_ns++;
    }
    assert_true(reads(1, 0, XS_BESIDE_READ));
    assert_int_equal(notes, 0);
    assert_int_equal(fails(FOR_GOOD), REST); /* counted from the success on */
}

/* That there is no other thread is no failure. */
static void nobody_is_no_failure(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2 * FOR_GOOD; i++)
        assert_true(reads(1, 0, XS_BESIDE_NO_THREAD));
    assert_int_equal(notes, 0);
}

static void what_never_worked_is_given_up_for_good(void **state) {
    (void)state;
    for (unsigned i = 0; i < FOR_GOOD / REST; i++) {
        assert_int_equal(notes, 0);
        assert_int_equal(fails(FOR_GOOD), REST);
        now_ns += 10 * SECOND;
    }
    assert_int_equal(notes, 1);
    now_ns += 1000000 * SECOND;
    assert_false(reads(1, 0, XS_BESIDE_READ));
    assert_false(reads(2, 0, XS_BESIDE_READ));
    assert_int_equal(notes, 1);
}

/* One site calls a hundred times a millisecond, another one once in 100 ms. */
static void each_site_has_its_turn(void **state) {
    (void)state;
    enum { RUN_MS = 20000, TOOK_NS = 20000 };
    unsigned often = 0, rare = 0;
    for (unsigned i = 0; i < RUN_MS * 100; i++, now_ns += MS / 100) {
        often += reads(1, TOOK_NS, XS_BESIDE_READ);
        rare += i % 10000 == 0 && reads(2, TOOK_NS, XS_BESIDE_READ);
    }
    uint64_t share_ns = RUN_MS * MS * PERMILLE / 1000;
    assert_true((often + rare) * TOOK_NS < share_ns * 11 / 10);
    assert_true((often + rare) * TOOK_NS > share_ns / 2);
    assert_int_equal(rare, RUN_MS / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_main_thread_works_for_itself, begin),
        cmocka_unit_test_setup(failures_are_given_up_for_a_while, begin),
        cmocka_unit_test_setup(nobody_is_no_failure, begin),
        cmocka_unit_test_setup(what_never_worked_is_given_up_for_good, begin),
        cmocka_unit_test_setup(each_site_has_its_turn, begin),
    };
    return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
