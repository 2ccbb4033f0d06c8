/* The windows in which device times are recorded: programs of several kinds, played with a clock that is a number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "preload/cupti/random.h"
#include "preload/cupti/window_decision.h"

#define BEGIN UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define COUNTED 61 /* calls are counted in such steps */

/* A program that calls the driver at an even pace. What a call takes without recording, and how much longer with. */
struct program {
    uint64_t call_ns, recorded_ns, others_percent, switch_ns;
    uint64_t idle_ns;       /* before its first call */
    uint64_t graph_kernels; /* kernels of each graph; not 0: the program's calls are launches of such graphs */
};

static const struct xs_window_spec nothing_asked;

struct run {
    struct xs_windows w;
    struct xs_windows_facts facts;
    double calls, recorded;
    uint64_t spent_ns; /* really */
};

static void look(struct run *r, const struct program *p) {
    enum xs_windows_state before = r->w.state, to = xs_windows_look(&r->w, &r->facts);
    if (to != before) {
        uint64_t at = r->facts.now_ns;
        r->facts.now_ns += p->switch_ns;
        r->spent_ns += p->switch_ns;
        xs_windows_switched(&r->w, to, at, r->facts.now_ns);
    }
}

static void play(struct run *r, const struct program *p, uint64_t length_ns) {
    memset(r, 0, sizeof *r);
    r->facts = (struct xs_windows_facts){.now_ns = BEGIN};
    assert_int_equal(xs_windows_start(&r->w, 2, &nothing_asked, &r->facts), XS_WINDOWS_RECORDING);
    while (r->facts.now_ns < BEGIN + length_ns) {
        uint64_t wait = xs_windows_wait_ms(&r->w) * MS;
        uint64_t extra = r->w.state == XS_WINDOWS_RECORDING ? p->recorded_ns : 0;
        bool idle = r->facts.now_ns < BEGIN + p->idle_ns;
        double calls = idle ? 0 : (double)wait / (double)(p->call_ns + extra);
        assert_int_not_equal(wait, 0);
        r->facts.now_ns += wait;
        r->facts.others_ns += wait / 100 * p->others_percent;
        r->calls += calls;
        r->facts.calls = (uint64_t)r->calls / COUNTED * COUNTED;
        if (r->w.state == XS_WINDOWS_RECORDING) {
            r->recorded += calls;
            *(p->graph_kernels ? &r->facts.graphs : &r->facts.launches) = (uint64_t)r->recorded;
            r->facts.graph_kernels = (uint64_t)r->recorded * p->graph_kernels;
        }
        r->spent_ns += (uint64_t)(calls * (double)extra);
        look(r, p);
    }
}

static double share(const struct run *r) { return 100.0 * (double)r->spent_ns / (double)(r->facts.now_ns - BEGIN); }

static void cheap_programs_are_recorded_throughout(void **state) {
    static const struct program slow = {.call_ns = 400000, .recorded_ns = 2500};
    struct run r;
    (void)state;
    play(&r, &slow, 20 * SECOND);
    assert_int_equal(r.w.detachments, 0);
    assert_int_equal(r.w.state, XS_WINDOWS_RECORDING);
}

static void without_a_budget_nothing_stops(void **state) {
    struct xs_windows w;
    (void)state;
    struct xs_windows_facts facts = {.now_ns = BEGIN};
    xs_windows_start(&w, 0, &nothing_asked, &facts);
    facts = (struct xs_windows_facts){.now_ns = BEGIN + SECOND, .launches = 100000000, .calls = 100000000};
    assert_int_equal(xs_windows_look(&w, &facts), XS_WINDOWS_RECORDING);
    assert_int_equal(xs_windows_wait_ms(&w), 0);
}

/* The launches of a framework: recorded, the program takes almost twice as long. */
static void dear_programs_keep_to_the_budget(void **state) {
    static const struct program launches = {.call_ns = 5000, .recorded_ns = 4500, .switch_ns = 12 * MS};
    static const uint64_t lengths[] = {3 * SECOND, 10 * SECOND, 60 * SECOND};
    (void)state;
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct run r;
        play(&r, &launches, lengths[i]);
        assert_true(share(&r) < 3);
        assert_true(r.w.detachments >= 1);
        if (lengths[i] >= 10 * SECOND) {
            assert_true(r.w.windows.ended >= 3);
            assert_true(share(&r) < 2.3);
        }
    }
}

/* Where the rest takes more than the budget, a quarter of it is still for device times. */
static void there_are_windows_whatever_the_rest_costs(void **state) {
    static const struct program launches = {
        .call_ns = 5000, .recorded_ns = 4500, .others_percent = 3, .switch_ns = 12 * MS};
    struct run r;
    (void)state;
    play(&r, &launches, 60 * SECOND);
    assert_true(r.w.windows.ended >= 3);
    assert_true(share(&r) < 1);
}

/* A table that is wrong by a factor is put right by the program's pace. */
static void costs_are_learnt(void **state) {
    static const struct program dear = {.call_ns = 6000, .recorded_ns = 7500, .switch_ns = 12 * MS};
    struct run r;
    (void)state;
    play(&r, &dear, 60 * SECOND);
    assert_in_range(r.w.cost_percent, 220, 340);
    assert_true(share(&r) < 2.6);
}

/* Budget that a program did not use while it made no calls may not be spent at once afterwards. */
static void little_is_saved_up(void **state) {
    static const struct program late = {
        .call_ns = 5000, .recorded_ns = 4500, .switch_ns = 12 * MS, .idle_ns = 10 * SECOND};
    struct run r;
    (void)state;
    play(&r, &late, 13 * SECOND);
    assert_true(r.w.detachments >= 1);
    assert_true(r.spent_ns < (10 + 20 + 60 + 20) * MS); /* the advance, what is saved up, 2 % of 3 s, what is late */
    assert_true(r.spent_ns > 25 * MS);
}

/* Launches that cost less than the table says: what is learnt too low would record them for good. Neither it nor a
 * change of the program's pace makes it spend more than the budget for long. */
static void cheap_launches_keep_to_the_budget(void **state) {
    static const uint64_t costs[] = {800, 1000, 1200, 1500, 1800};
    (void)state;
    for (unsigned i = 0; i < sizeof costs / sizeof costs[0]; i++)
        for (uint64_t call_ns = 17000; call_ns <= 23000; call_ns += 1500) {
            struct program launches = {.call_ns = call_ns, .recorded_ns = costs[i], .switch_ns = 12 * MS};
            struct run r;
            play(&r, &launches, 300 * SECOND);
            assert_true(share(&r) < 2.6);
            assert_true(r.w.detachments > 3);
        }
}

/* A long start does not take the later windows away. */
static void there_are_windows_after_a_long_start(void **state) {
    static const struct program late = {
        .call_ns = 5000, .recorded_ns = 4500, .others_percent = 4, .switch_ns = 12 * MS, .idle_ns = 60 * SECOND};
    struct run r;
    (void)state;
    play(&r, &late, 160 * SECOND);
    assert_true(r.w.windows.ended >= 4);
}

/* Recorded graphs may cost much more than launches do, or little: all keep to the budget. */
static void graphs_keep_to_the_budget(void **state) {
    static const struct program dear = {
        .call_ns = 340000, .recorded_ns = 70000, .switch_ns = 12 * MS, .graph_kernels = 6};
    static const struct program large = {
        .call_ns = 50 * MS, .recorded_ns = 2200000, .switch_ns = 12 * MS, .graph_kernels = 1000};
    static const struct program cheap = {
        .call_ns = 400000, .recorded_ns = 6000, .switch_ns = 12 * MS, .graph_kernels = 1};
    struct run r;
    (void)state;
    play(&r, &dear, 3 * SECOND);
    assert_true(share(&r) < 3.5);
    play(&r, &dear, 60 * SECOND);
    assert_true(share(&r) < 2.4);
    play(&r, &large, 60 * SECOND);
    assert_true(share(&r) < 2.5);
    play(&r, &cheap, 60 * SECOND);
    assert_true(share(&r) < 2.3);
    assert_true(r.w.windows.ended >= 3);
}

/* Windows follow no period: their distances differ. */
static void distances_differ(void **state) {
    static const struct program launches = {.call_ns = 5000, .recorded_ns = 4500, .switch_ns = 12 * MS};
    struct run r;
    uint64_t least = UINT64_MAX, most = 0;
    (void)state;
    play(&r, &launches, 120 * SECOND);
    assert_true(r.w.windows.count > 10);
    for (uint32_t i = 2; i < r.w.windows.count; i++) {
        uint64_t distance = r.w.windows.windows[i].start_ns - r.w.windows.windows[i - 1].start_ns;
        least = distance < least ? distance : least;
        most = distance > most ? distance : most;
    }
    assert_true(most * 10 > least * 13);
}

/* Steps of 120 ms in four parts of 30 ms, each with kernels of its own. The program waits for the device behind the
 * first and the last part. A window that is due at any time begins with each of the parts often enough. */
static void windows_begin_anywhere_in_a_step(void **state) {
    enum { PARTS = 4, WINDOWS = 4000 };
    const uint64_t part_ns = 30 * MS, step_ns = PARTS * part_ns;
    unsigned begun[PARTS] = {0};
    uint64_t chance = 12345;
    struct xs_windows w;
    const struct xs_windows_facts facts = {.now_ns = BEGIN};
    (void)state;
    xs_windows_start(&w, 2, &nothing_asked, &facts);
    for (unsigned i = 0; i < WINDOWS; i++) {
        uint64_t due = xs_random_below(&chance, step_ns), at = due;
        struct xs_window_moment moment = xs_windows_moment(&w, due);
        for (unsigned skip = moment.skip;; skip--) {
            uint64_t in_step = at % step_ns;
            at += in_step < part_ns ? part_ns - in_step : step_ns - in_step; /* the next wait */
            if (skip == 0 || at > moment.until_ns)
                break;
        }
        at = at > moment.until_ns ? moment.until_ns : at;
        begun[at % step_ns / part_ns]++;
    }
    for (unsigned part = 0; part < PARTS; part++)
        assert_in_range(begun[part], WINDOWS * 15 / 100, WINDOWS * 35 / 100);
}

static void the_list_thins_itself(void **state) {
    static struct xs_window_list list;
    static char text[XS_WINDOWS_TEXT_BYTES];
    const struct xs_clock clock = {.source = XS_CLOCK_MONOTONIC};
    (void)state;
    for (uint64_t i = 0; i < 3 * XS_WINDOWS_KEPT; i++)
        xs_window_list_add(&list, i * MS, i * MS + 500000);
    assert_int_equal(list.ended, 3 * XS_WINDOWS_KEPT);
    assert_true(list.count <= XS_WINDOWS_KEPT && list.count >= XS_WINDOWS_KEPT / 4);
    assert_int_equal(list.recorded_ns, 3 * XS_WINDOWS_KEPT * UINT64_C(500000));
    for (uint32_t i = 1; i < list.count; i++)
        assert_int_equal(list.windows[i].start_ns - list.windows[i - 1].start_ns, (list.skipped_of + 1) * MS);
    assert_true(xs_window_list_text(&list, &clock, text, sizeof text) > 0);
    assert_int_equal(strncmp(text, "0+500,", 6), 0);
    const struct xs_clock later = {.source = XS_CLOCK_MONOTONIC, .origin_ns = 200000};
    xs_window_list_text(&list, &later, text, sizeof text);
    assert_int_equal(strncmp(text, "0+300,", 6), 0); /* what lies before the trace's time 0 is cut off */
    xs_window_list_text(&list, &clock, text, 20);
    assert_true(strlen(text) < 20 && text[strlen(text) - 1] != ',');
}

static void asked_for(const char *text, uint64_t at_ns, bool wanted, uint64_t next_ns) {
    struct xs_window_spec spec;
    uint64_t next;
    assert_null(xs_window_spec_read(&spec, text));
    assert_true(xs_window_spec_is_set(&spec));
    assert_int_equal(xs_window_spec_wants(&spec, at_ns, true, &next), wanted);
    assert_int_equal(next, next_ns);
}

static void what_is_asked_for(void **state) {
    static const char *const wrong[] = {"nvtx:it ##", "nvtx:it #0", "..",    "10",     "10s",         "10s..5s",
                                        "1s..2s,",    "x..y",       "1s/1s", "0ms/1s", "1s..2s;3s..", "-1s..2s",
                                        "nvtx:",      "0..0",       "0/1s",  "nvtx",   "NVTX:train",  "profiler,1s..2s",
                                        "Profiler",   ".5s.."};
    struct xs_window_spec spec;
    (void)state;
    asked_for("10s..20s", 5 * SECOND, false, 10 * SECOND);
    asked_for("10s..20s", 10 * SECOND, true, 20 * SECOND);
    asked_for("10s..20s", 20 * SECOND, false, UINT64_MAX);
    asked_for("500ms..", 0, false, 500 * MS);
    asked_for("500ms..", SECOND, true, UINT64_MAX);
    asked_for("..1.5s", 0, true, 1500 * MS);
    asked_for("0..1.5s", 0, true, 1500 * MS);
    asked_for("1s..2s,1min..2min", 30 * SECOND, false, 60 * SECOND);
    asked_for("20ms/1s", 3 * SECOND, true, 3020 * MS);
    asked_for("20ms/1s", 3500 * MS, false, 4 * SECOND);
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_non_null(xs_window_spec_read(&spec, wrong[i]));
        assert_false(xs_window_spec_is_set(&spec));
    }
    assert_null(xs_window_spec_read(&spec, ""));
    assert_false(xs_window_spec_is_set(&spec));
    /* what `xferspy run' and the library say of it */
    const char *const ends_first = "the end of a part has to come after its beginning";
    assert_string_equal(xs_window_spec_read(&spec, "60ms..10ms"), ends_first);
    assert_string_equal(xs_window_spec_read(&spec, "1s..2s,0..0"), ends_first);
    assert_string_equal(xs_window_spec_read(&spec, "10s"), "use " XS_WINDOW_SPEC_FORMS);
    assert_null(xs_window_spec_read(&spec, "10ms..60ms"));
}

/* The name is all that follows, whatever is in it. */
static void what_the_program_opens(void **state) {
    struct xs_window_spec spec;
    uint64_t next;
    (void)state;
    assert_null(xs_window_spec_read(&spec, "nvtx:train, 1/2"));
    assert_true(xs_window_spec_is_set(&spec));
    assert_int_equal(spec.opener, XS_WINDOW_BY_RANGE);
    assert_string_equal(spec.range, "train, 1/2");
    assert_true(xs_window_spec_wants(&spec, 0, true, &next));
    assert_true(next == UINT64_MAX);
    assert_false(xs_window_spec_wants(&spec, SECOND, false, &next));
    assert_null(xs_window_spec_read(&spec, "nvtx:# of # 1#"));
    assert_null(xs_window_spec_read(&spec, "profiler"));
    assert_int_equal(spec.opener, XS_WINDOW_BY_PROFILER);
    assert_true(xs_window_spec_wants(&spec, 0, true, &next));
    assert_false(xs_window_spec_wants(&spec, 0, false, &next));
}

static void look_at(struct xs_windows *w, uint64_t at_ns, bool is_open, enum xs_windows_state expected) {
    struct xs_windows_facts facts = {.now_ns = at_ns, .is_open = is_open};
    enum xs_windows_state before = w->state, to = xs_windows_look(w, &facts);
    assert_int_equal(to, expected);
    if (to != before)
        xs_windows_switched(w, to, at_ns, at_ns + 10 * MS);
}

/* Nothing is recorded before the program opens a window, and no window is closed because of its cost. */
static void windows_of_the_program(void **state) {
    struct xs_window_spec spec;
    struct xs_windows w;
    struct xs_windows_facts facts = {.now_ns = BEGIN};
    (void)state;
    assert_null(xs_window_spec_read(&spec, "nvtx:train"));
    assert_int_equal(xs_windows_start(&w, 2, &spec, &facts), XS_WINDOWS_DETACHED);
    assert_false(xs_windows_are_unbounded(&w));
    look_at(&w, BEGIN + SECOND, false, XS_WINDOWS_DETACHED);
    look_at(&w, BEGIN + 2 * SECOND, true, XS_WINDOWS_RECORDING);
    facts = (struct xs_windows_facts){
        .now_ns = BEGIN + 3 * SECOND, .launches = 100000000, .calls = 100000000, .is_open = true};
    assert_int_equal(xs_windows_look(&w, &facts), XS_WINDOWS_RECORDING);
    look_at(&w, BEGIN + 3 * SECOND, false, XS_WINDOWS_DETACHED);
    look_at(&w, BEGIN + 4 * SECOND, true, XS_WINDOWS_RECORDING);
    xs_windows_end(&w, BEGIN + 5 * SECOND);
    assert_int_equal(w.windows.ended, 2);
    assert_int_equal(w.windows.recorded_ns, 2 * (SECOND - 10 * MS));
    facts = (struct xs_windows_facts){.now_ns = BEGIN, .is_open = true}; /* opened before CUDA began */
    assert_int_equal(xs_windows_start(&w, 2, &spec, &facts), XS_WINDOWS_RECORDING);
}

/* A window that comes later is not begun with. */
static void times_that_come_later(void **state) {
    struct xs_window_spec spec;
    struct xs_windows w;
    const struct xs_windows_facts facts = {.now_ns = BEGIN};
    (void)state;
    assert_null(xs_window_spec_read(&spec, "1s..2s"));
    assert_int_equal(xs_windows_start(&w, 2, &spec, &facts), XS_WINDOWS_DETACHED);
    assert_int_equal(xs_windows_wait_ms(&w), 1000);
    assert_null(xs_window_spec_read(&spec, "20ms/1s"));
    assert_int_equal(xs_windows_start(&w, 2, &spec, &facts), XS_WINDOWS_RECORDING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheap_programs_are_recorded_throughout),
        cmocka_unit_test(without_a_budget_nothing_stops),
        cmocka_unit_test(dear_programs_keep_to_the_budget),
        cmocka_unit_test(there_are_windows_whatever_the_rest_costs),
        cmocka_unit_test(costs_are_learnt),
        cmocka_unit_test(little_is_saved_up),
        cmocka_unit_test(cheap_launches_keep_to_the_budget),
        cmocka_unit_test(there_are_windows_after_a_long_start),
        cmocka_unit_test(graphs_keep_to_the_budget),
        cmocka_unit_test(distances_differ),
        cmocka_unit_test(windows_begin_anywhere_in_a_step),
        cmocka_unit_test(the_list_thins_itself),
        cmocka_unit_test(what_is_asked_for),
        cmocka_unit_test(what_the_program_opens),
        cmocka_unit_test(windows_of_the_program),
        cmocka_unit_test(times_that_come_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
