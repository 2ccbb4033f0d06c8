/* Tests what is saved by calls that are not made any more, with runs made by hand whose answers are known: the calls'
 * time, and nothing of a wait that only moves. */
#include "run.h"

#include "analyzer/base/text.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/remedies.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950 };

/* --- uploads --- */

/* The first brings the bytes, the others bring them again. */
static void play_same_uploads(int unmeasured) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        up(A, MIB, 1, i && i != unmeasured ? 1 : NOT_MEASURED, HOST);
        play_kernel(p, 1, &a);
    }
}

/* All uploads but the first can be dropped. If the uploads have to stay, their memory can be pinned; this is not a
 * separate cause. */
static void uploads_of_what_is_there(void **state) {
    (void)state;
    play_same_uploads(0);
    diagnose(PEAK);
    assert_true(p->diagnosis->replayed && p->diagnosis->replay_error < 1e-6);
    saves_exactly("noop-upload", (STEPS - 1) * CALL_US * US);
    uint64_t pinned_ns = LATENCY_US * US + PINNED_NS(MIB) + BEHIND_COPY_NS;
    assert_int_equal(saves("pageable").most_ns, STEPS * (CALL_US * US - pinned_ns));
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_int_equal(p->diagnosis->causes[0].count, 2);
    assert_string_equal(within(0, 0), "noop-upload");
    assert_string_equal(within(0, 1), "pageable");
    assert_int_equal(p->diagnosis->together.least_ns, (STEPS - 1) * CALL_US * US);
    assert_int_equal(p->diagnosis->together.most_ns, (STEPS - 1) * CALL_US * US);
    is_in_order();
    play_end(p);
}

/* One upload, whose destination's earlier content is not known, has another verdict than the others, but belongs to
 * the same cause. */
static void one_that_was_not_measured(void **state) {
    (void)state;
    play_same_uploads(7);
    diagnose(PEAK);
    FOUND("duplicate-upload", "unknown", 1);
    saves_exactly("noop-upload", (STEPS - 2) * CALL_US * US);
    saves_exactly("duplicate-upload", CALL_US * US);
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_int_equal(p->diagnosis->causes[0].count, 3);
    assert_string_equal(within(0, 0), "noop-upload");
    assert_int_equal(p->diagnosis->together.most_ns, (STEPS - 2) * CALL_US * US);
    is_in_order();
    play_end(p);
}

/* If pinning saves much more than dropping, it is the first repair. */
static void few_that_can_be_dropped(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        up(A, MIB, i < 3 ? 1 : i, i == 0 ? NOT_MEASURED : i < 4 ? 1 : i - 1, HOST);
        play_kernel(p, 1, &a);
    }
    diagnose(PEAK);
    saves_exactly("noop-upload", 2 * CALL_US * US);
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_string_equal(within(0, 0), "pageable");
    is_in_order();
    play_end(p);
}

/* A copy in the legacy default stream keeps two other streams apart. Without it, their kernels would run at the same
 * time, if the device had room for both: the replay saves a kernel's time in each step. Of that, only what the copies
 * themselves took is said to be saved: the calls, the copies, and the pauses of the device before them. */
static void copies_that_keep_streams_apart(void **state) {
    enum { LEGACY = 1, FIRST = 0x70, SECOND = 0x80, KERNEL_US = 1000, UP_US = 5, COPY_CALL_US = 2 };
    (void)state;
    play_begin(p);
    p->options.only_detector = "noop-upload";
    uint32_t a = play_alloc(p, A, MIB);
    p->kernel_ns = KERNEL_US * US;
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < STEPS; i++) {
        p->stream = FIRST;
        p->kernel_delay_ns = 5 * US;
        play_kernel(p, 1, &a);
        uint64_t first_ends_ns = p->now_ns + (5 + KERNEL_US) * US;
        p->stream = LEGACY;
        p->async = true;
        p->call_ns = COPY_CALL_US * US;
        p->device_ns = UP_US * US;
        p->delay_ns = first_ends_ns + GAP_NS - (p->now_ns + 10 * US);
        up(A, MIB, 1, i ? 1 : NOT_MEASURED, HOST);
        p->stream = SECOND;
        uint64_t second_starts_ns = first_ends_ns + GAP_NS + UP_US * US + GAP_NS;
        p->kernel_delay_ns = second_starts_ns - (p->now_ns + 10 * US);
        play_kernel(p, 1, &a);
        p->async = false;
        p->stream = 0;
        uint64_t ends_ns = second_starts_ns + KERNEL_US * US + NOTICE_NS;
        waits((ends_ns - (p->now_ns + 10 * US)) / US);
    }
    diagnose(PEAK);
    assert_true(p->diagnosis->replayed && p->diagnosis->replay_error < 1e-3);
    FOUND("noop-upload", NULL, STEPS - 1);
    struct xs_saving saved = saves("noop-upload");
    assert_false(saved.bounds);
    assert_in_range(saved.least_ns, (STEPS - 1) * (COPY_CALL_US + UP_US) * US, saved.most_ns);
    assert_in_range(saved.most_ns, saved.least_ns, (STEPS - 1) * (COPY_CALL_US + UP_US + 10) * US);
    assert_int_equal(p->diagnosis->together.least_ns, saved.least_ns);
    assert_int_equal(p->diagnosis->together.most_ns, saved.most_ns);
    is_in_order();
    play_end(p);
}

/* --- several verdicts, and contents that take turns --- */

enum { TURNS = 60 };

static void expect_turns(uint32_t contents, uint32_t buffers) {
    const struct xs_diagnosed *f = played_diagnosed(p, "duplicate-upload");
    assert_int_equal(f->turns.contents, contents);
    assert_int_equal(f->turns.buffers, buffers);
    assert_int_equal(f->turns.bytes, contents * MIB);
}

static bool is_freed(unsigned detector, unsigned verdict) {
    const char *name = xs_detectors[detector]->verdicts[verdict].name;
    return name && !strcmp(name, "freed");
}

/* A cache has two buffers for three contents. The second round replaces contents that went elsewhere, and later rounds
 * replace contents that were in the same buffer. Each of the two alone saves less than pinning. */
static void a_cache_that_is_too_small(void **state) {
    (void)state;
    play_begin(p);
    uint32_t buffers[] = {play_alloc(p, A, MIB), play_alloc(p, B, MIB)};
    takes(CALL_US, COPY_US);
    for (int i = 0; i < TURNS; i++) {
        up(i % 2 ? B : A, MIB, i % 3 + 1, i < 2 ? NOT_MEASURED : (i - 2) % 3 + 1, HOST);
        play_kernel(p, 1, &buffers[i % 2]);
    }
    p->options.is_in_part = is_freed;
    diagnose(PEAK);
    const struct xs_diagnosed *f = played_diagnosed(p, "duplicate-upload");
    assert_int_equal(f->finding->verdict, XS_SEVERAL_VERDICTS);
    assert_true(f->part_saves.known && !f->part_saves.bounds);
    assert_int_equal(f->part_saves.most_ns, 3 * CALL_US * US);
    assert_int_equal(f->part_saves.least_ns, 3 * CALL_US * US);
    assert_false(played_diagnosed(p, "pageable")->part_saves.known);
    assert_int_equal(f->finding->instances, TURNS - 3);
    assert_int_equal(f->finding->variants[0].instances, TURNS - 6); /* overwritten */
    assert_int_equal(f->finding->variants[3].instances, 3);         /* freed */
    expect_turns(3, 2);
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_string_equal(within(0, 0), "duplicate-upload");
    assert_string_equal(within(0, 1), "pageable");
    assert_true(f->saves.most_ns > saves("pageable").most_ns);
    assert_true(f->saves.most_ns / (TURNS - 3) * (TURNS - 6) < saves("pageable").most_ns);
    is_in_order();
    play_end(p);
}

/* The uploads replace what the kernel wrote: more buffers would keep none of the contents. */
static void contents_that_a_kernel_changes(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < TURNS; i++) {
        up(A, MIB, i % 2 + 1, i ? 9 : NOT_MEASURED, HOST);
        play_kernel(p, 1, &a);
    }
    diagnose(PEAK);
    FOUND("duplicate-upload", "overwritten", TURNS - 2);
    expect_turns(2, 0);
    play_end(p);
}

/* Each content comes twice, so there may be any number of contents. A single content takes no turns. */
static void contents_that_are_not_few(void **state) {
    (void)state;
    for (int one = 0; one < 2; one++) {
        play_begin(p);
        uint32_t a = play_alloc(p, A, MIB);
        takes(CALL_US, COPY_US);
        for (int i = 0; i < TURNS; i++) {
            up(A, MIB, one ? 1 : i / 2 + 1, i ? 99 : NOT_MEASURED, HOST);
            play_kernel(p, 1, &a);
        }
        diagnose(PEAK);
        FOUND("duplicate-upload", "overwritten", one ? TURNS - 1 : TURNS / 2);
        expect_turns(0, 0);
        play_end(p);
    }
}

static void expect_said(struct xs_turns turns, const char *words) {
    struct xs_string text = {0};
    struct xs_finding any = {0};
    xs_finding_turns(&text, &(struct xs_diagnosed){.finding = &any, .turns = turns});
    assert_string_equal(text.data ? text.data : "", words);
    xs_string_free(&text);
}

static void turns_in_words(void **state) {
    (void)state;
    expect_said((struct xs_turns){.contents = 0}, "");
    expect_said((struct xs_turns){14, 0, 14 * MIB, true},
                "14 contents are uploaded again and again: kept on the device they need 14.0 MiB.");
    expect_said((struct xs_turns){3, 2, 3 * MIB, true},
                "3 contents take turns in 2 buffers: 1 more of 1.00 MiB would keep them all.");
    expect_said((struct xs_turns){3, 1, 3 * MIB, true},
                "3 contents take turns in 1 buffer: 2 more of 1.00 MiB each would keep them all.");
    expect_said((struct xs_turns){3, 2, 3 * MIB, false},
                "3 contents take turns in 2 buffers: a buffer for each, 3.00 MiB in all, would keep them.");
    struct xs_string text = {0};
    struct xs_finding of_part = {.sample = {.checked = 9, .of = 60}};
    xs_finding_turns(&text, &(struct xs_diagnosed){.finding = &of_part, .turns = {3, 2, 3 * MIB, true}});
    assert_string_equal(text.data, "Of the copies that were checked: 3 contents take turns in 2 buffers: 1 more of "
                                   "1.00 MiB would keep them all.");
    xs_string_free(&text);
}

/* --- round trips --- */

enum { DOWN_US = 700 };

/* A result of a kernel goes to the host and comes back at another place. */
static void both_ways(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    play_alloc(p, B, MIB);
    for (int i = 0; i < STEPS; i++) {
        takes(DOWN_US, DOWN_US - 50);
        down(A, MIB, 100 + i, HOST);
        takes(CALL_US, COPY_US);
        up(B, MIB, 100 + i, i ? 99 + i : NOT_MEASURED, HOST);
        play_unseen_kernel(p);
    }
    diagnose(PEAK);
    FOUND("round-trip", "same-device", STEPS);
    assert_int_equal(saves("round-trip").least_ns, STEPS * CALL_US * US);
    assert_int_equal(saves("round-trip").most_ns, STEPS * (CALL_US + DOWN_US) * US);
    /* what is wrong with the downloads is a part of it */
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_int_equal(p->diagnosis->causes[0].count, 3);
    assert_string_equal(within(0, 0), "round-trip");
    assert_string_equal(within(0, 1), "pageable");
    assert_string_equal(within(0, 2), "pageable");
    const struct xs_cause *cause = &p->diagnosis->causes[0];
    assert_int_not_equal(p->diagnosis->items[cause->findings[1]].finding->site,
                         p->diagnosis->items[cause->findings[2]].finding->site);
    is_in_order();
    play_end(p);
}

/* --- waits for kernels --- */

enum { KERNEL_US = 5000 };

/* The host reads four bytes after each kernel. The part of the call in which the kernel runs is not saved, because the
 * next call that waits then waits for the kernel. */
static void play_readbacks(bool waits_each_time) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    for (int i = 0; i < STEPS; i++) {
        kernel(KERNEL_US, a);
        uint64_t kernel_ends = p->now_ns + (5 + KERNEL_US) * US;
        p->device_ns = 2 * US;
        p->delay_ns = kernel_ends + 2 * US - (p->now_ns + 10 * US);
        p->call_ns = p->delay_ns + p->device_ns + 4 * US; /* the call ends 8 us after the kernel */
        play_down(p, A, 4, NO_CONTENT, HOST);
        returned();
        if (waits_each_time)
            waits(1);
    }
    if (!waits_each_time)
        waits(1);
}

static void a_wait_for_a_kernel_moves(void **state) {
    (void)state;
    play_readbacks(true);
    diagnose(PEAK);
    FOUND("scalar-readback", NULL, STEPS);
    /* each step: from 8 + 10 + 1 us behind the kernel to the wait's return */
    saves_exactly("scalar-readback", STEPS * (19 * US - NOTICE_NS));
    is_in_order();
    play_end(p);
}

/* Without the reading, the kernels run one behind the other, with the gap that is measured between them and copies. */
static void a_wait_for_all_kernels_moves(void **state) {
    (void)state;
    play_readbacks(false);
    diagnose(PEAK);
    uint64_t step_us = 10 + 5 + KERNEL_US + 8; /* and 11 for the wait behind the last */
    uint64_t without = (10 + 5) * US + STEPS * KERNEL_US * US + (STEPS - 1) * 2 * US + NOTICE_NS;
    saves_exactly("scalar-readback", STEPS * step_us * US + 11 * US - without);
    is_in_order();
    play_end(p);
}

/* --- allocations --- */

/* The free waits for the kernel. Without the free, the next call waits. */
static void play_allocations(bool waits_each_time) {
    play_begin(p);
    for (int i = 0; i < STEPS; i++) {
        p->call_ns = 100 * US;
        uint32_t a = alloc(A, MIB);
        kernel(KERNEL_US, a);
        if (waits_each_time)
            waits(5 + KERNEL_US - 10 + 3); /* it returns 3 us behind the kernel */
        p->call_ns = (waits_each_time ? 50 : 5 + KERNEL_US - 10 + 50) * US;
        release(a);
    }
    if (!waits_each_time)
        waits(1);
}

static void an_allocation_that_is_kept(void **state) {
    (void)state;
    play_allocations(true);
    diagnose(NULL);
    FOUND("repeated-allocation", NULL, STEPS - 1);
    saves_exactly("repeated-allocation", (STEPS - 1) * (100 + 50) * US);
    is_in_order();
    play_end(p);
}

/* The last free stays, and waits for all kernels. */
static void the_wait_of_a_free_moves(void **state) {
    (void)state;
    play_allocations(false);
    diagnose(NULL);
    uint64_t step_us = 10 + 100 + 10 + 5 + KERNEL_US + 50;
    uint64_t without = (10 + 100 + 10 + 5 + 50) * US + STEPS * KERNEL_US * US + (STEPS - 1) * GAP_NS;
    saves_exactly("repeated-allocation", STEPS * step_us * US - without);
    is_in_order();
    play_end(p);
}

/* Line 1 allocates. Line 2 frees; only in the last `others` times line 3 frees. */
static uint32_t line_that_releases(int others) {
    enum { TIMES = 12 };
    play_begin(p);
    for (int i = 0; i < TIMES; i++)
        release(alloc(A, MIB));
    XS_SCOPED char *sql = xs_text_format(LINES(3) "UPDATE allocation SET stack = 1, free_stack = 2 + (id > %d);"
                                                  " UPDATE allocation SET free_stack = 1 WHERE id = %d",
                                         TIMES - 1 - others, TIMES);
    diagnose(sql);
    const struct xs_frame *frame = xs_site_frame(p->findings, played_diagnosed(p, "repeated-allocation")->released_at);
    uint32_t line = frame ? frame->line : 0;
    play_end(p);
    return line;
}

/* The last allocation is not followed by another one, so its free, of line 1, does not count. */
static void the_line_of_most_frees_releases_the_memory(void **state) {
    (void)state;
    assert_int_equal(line_that_releases(0), 2);
    assert_int_equal(line_that_releases(5), 2);
    assert_int_equal(line_that_releases(6), 3);
}

/* PyTorch frees memory that others allocate: a line of Python without a framework, or a thread without Python. */
static void the_remedy_is_for_what_releases_the_memory(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        play_begin(p);
        for (int k = 0; k < 12; k++)
            release(alloc(A, MIB));
        XS_SCOPED char *sql = xs_text_format(
            LINES(2) "INSERT INTO python_code VALUES (2,'/v/lib/python3.12/site-packages/torch/cuda/memory.py',"
                     "'empty_cache',1); UPDATE stack_frame SET id = id + 1, depth = 1 WHERE stack = 2;"
                     " INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (2*4096+2048,2,0,2,5,0);"
                     " UPDATE allocation SET free_stack = 2, stack = nullif(1, %d)",
            i);
        diagnose(sql);
        const struct xs_diagnosed *d = played_diagnosed(p, "repeated-allocation");
        assert_non_null(strstr(xs_remedy_of(p->findings, d->finding, d->released_at), "`torch.cuda.empty_cache()`"));
        assert_null(strstr(xs_remedy_of(p->findings, d->finding, 0), "torch"));
        play_end(p);
    }
}

/* No line frees more than half of it. */
static void no_line_releases_most(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 11; i++)
        release(alloc(A, MIB));
    diagnose(LINES(3) "UPDATE allocation SET stack = 1, free_stack = 2 + id % 2");
    assert_int_equal(played_diagnosed(p, "repeated-allocation")->released_at, 0);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_of_most_frees_releases_the_memory),
        cmocka_unit_test(the_remedy_is_for_what_releases_the_memory),
        cmocka_unit_test(no_line_releases_most),
        cmocka_unit_test(uploads_of_what_is_there),
        cmocka_unit_test(one_that_was_not_measured),
        cmocka_unit_test(few_that_can_be_dropped),
        cmocka_unit_test(copies_that_keep_streams_apart),
        cmocka_unit_test(a_cache_that_is_too_small),
        cmocka_unit_test(contents_that_a_kernel_changes),
        cmocka_unit_test(contents_that_are_not_few),
        cmocka_unit_test(turns_in_words),
        cmocka_unit_test(both_ways),
        cmocka_unit_test(a_wait_for_a_kernel_moves),
        cmocka_unit_test(a_wait_for_all_kernels_moves),
        cmocka_unit_test(an_allocation_that_is_kept),
        cmocka_unit_test(the_wait_of_a_free_moves),
    };
    return cmocka_run_group_tests_name("dropped", tests, NULL, NULL);
}
