/* Tests what a stream for each thread saves if threads take turns on the legacy default stream, with runs made by
 * hand. */
#include "run.h"

enum { ROUNDS = 20, KERNEL_US = 1000, GAP_US = 2, STEP_US = 10, BOTH = 2 };

/* How the threads work; see each test. */
struct work {
    uint64_t copy_us;    /* an upload of this time before each kernel; 0: none */
    uint64_t elsewhere;  /* thread 1 also gives another device a kernel in each round, which begins this late, in us */
    bool is_handed_over; /* a thread begins its round when the other one's has ended */
    bool is_only_given;  /* thread 1 ends its round without a wait */
};

static uint64_t device_free_ns; /* when the shared stream has done all its work */

static void at(uint64_t ns) { p->now_ns = ns - STEP_US * US; }

/* Gives the shared stream work of this duration at the played time. Returns the time from the call to its start. */
static uint64_t queue(uint64_t us) {
    uint64_t call_ns = p->now_ns + STEP_US * US, start_ns = call_ns + 5 * US;
    if (start_ns < device_free_ns + GAP_US * US)
        start_ns = device_free_ns + GAP_US * US;
    device_free_ns = start_ns + us * US;
    return start_ns - call_ns;
}

/* Plays the wait that ends a round. Returns its end. */
static uint64_t wait_until(uint64_t end_ns) {
    uint64_t enter_ns = p->now_ns + STEP_US * US;
    p->call_ns = end_ns > enter_ns ? end_ns - enter_ns : US;
    play_wait(p, XS_SYNC_STREAM, 0);
    uint64_t return_ns = enter_ns + p->call_ns;
    p->call_ns = 0;
    return return_ns;
}

/* Plays one round of a thread, which begins at `from_ns`. Returns its end. */
static uint64_t play_round(const struct work *work, unsigned thread, int round, uint64_t from_ns) {
    p->thread = thread;
    at(from_ns);
    if (work->copy_us) {
        p->device_ns = work->copy_us * US;
        p->delay_ns = queue(work->copy_us);
        play_up(p, A + thread * MIB, MIB, 2 * round + (int)thread, NOT_MEASURED, HOST + thread * MIB);
    }
    if (work->is_only_given && thread == 1)
        works(400);
    p->kernel_ns = KERNEL_US * US;
    p->kernel_delay_ns = queue(KERNEL_US);
    play_unseen_kernel(p);
    if (work->is_only_given && thread == 1)
        return p->now_ns + 2 * STEP_US * US;
    uint64_t end_ns = wait_until(device_free_ns + 5 * US);
    if (work->elsewhere && thread == 1) {
        at(end_ns + STEP_US * US);
        p->device = 1;
        p->kernel_ns = 10 * US;
        p->kernel_delay_ns = work->elsewhere * US;
        play_unseen_kernel(p);
        end_ns = wait_until(p->now_ns + (work->elsewhere + 15) * US);
        p->device = 0;
    }
    return end_ns + STEP_US * US;
}

static void play_threads(const struct work *work) {
    uint64_t next_ns[BOTH + 1] = {0, 2 * MS, 2 * MS + 50 * US};
    device_free_ns = 0;
    play_begin(p);
    play_alloc(p, A, 4 * MIB);
    p->stream = 1;
    p->async = true;
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < BOTH * ROUNDS; i++) {
        unsigned thread = next_ns[1] <= next_ns[2] ? 1 : 2;
        uint64_t end_ns = play_round(work, thread, i / BOTH, next_ns[thread]);
        if (work->is_handed_over)
            next_ns[BOTH + 1 - thread] = end_ns + 20 * US;
        next_ns[thread] = work->is_handed_over ? UINT64_MAX : end_ns;
    }
    p->now_ns = device_free_ns + MS;
    diagnose(NULL);
    assert_true(p->diagnosis->replayed);
}

/* Each thread's kernel waits for the other thread's, so half of the run is saved if both run side by side. A device
 * that one kernel fills has no time to save. */
static void threads_that_launch_and_wait(void **state) {
    (void)state;
    play_threads(&(struct work){0});
    FOUND("shared-stream", NULL, BOTH * ROUNDS - 3); /* the first waits do not count */
    assert_in_range(saves("shared-stream").most_ns, (ROUNDS - 1) * KERNEL_US * US, (ROUNDS + 1) * KERNEL_US * US);
    assert_in_range(saves("shared-stream").least_ns, 0, KERNEL_US * US);
    play_end(p);
}

/* Any device copies beside a kernel, so the copies at least are saved, as far as they are not longer than the kernels.
 */
static void copies_run_beside_kernels_at_least(void **state) {
    (void)state;
    play_threads(&(struct work){.copy_us = KERNEL_US / 2});
    FOUND("shared-stream", NULL, BOTH * ROUNDS - 2);
    uint64_t copies_ns = BOTH * ROUNDS * UINT64_C(500) * US;
    assert_in_range(saves("shared-stream").least_ns, copies_ns * 9 / 10, copies_ns * 11 / 10);
    assert_true(saves("shared-stream").most_ns > saves("shared-stream").least_ns + copies_ns / 4);
    play_end(p);
}

/* A thread that begins when the other one's result is there needs that result: its own stream saves nothing. */
static void threads_that_wait_for_each_other_save_nothing(void **state) {
    (void)state;
    play_threads(&(struct work){.copy_us = KERNEL_US / 2, .is_handed_over = true});
    FOUND("shared-stream", NULL, BOTH * ROUNDS - 2);
    assert_in_range(saves("shared-stream").most_ns, 0, 100 * US);
    play_end(p);
}

/* A thread that gives the device its work when the other one has given its own, as the backward pass of a framework
 * does, still comes behind that work on the device. */
static void work_behind_that_of_a_thread_stays_behind_it(void **state) {
    (void)state;
    play_threads(&(struct work){.copy_us = KERNEL_US / 2, .is_handed_over = true, .is_only_given = true});
    FOUND("shared-stream", NULL, BOTH * ROUNDS - 2);
    assert_in_range(saves("shared-stream").most_ns, 0, 100 * US);
    play_end(p);
}

/* Only one thread uses the other device's stream. The pauses there are its own, and remain. */
static void pauses_of_a_thread_alone_remain(void **state) {
    enum { PAUSE = 600 };
    (void)state;
    play_threads(&(struct work){.elsewhere = PAUSE});
    assert_true(played_found(p, "shared-stream", NULL) >= ROUNDS);
    uint64_t least_left_ns = ROUNDS * (uint64_t)(KERNEL_US + PAUSE) * US;
    assert_true(saves("shared-stream").most_ns + least_left_ns <= p->findings->recorded.run_ns);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_launch_and_wait),
        cmocka_unit_test(copies_run_beside_kernels_at_least),
        cmocka_unit_test(threads_that_wait_for_each_other_save_nothing),
        cmocka_unit_test(work_behind_that_of_a_thread_stays_behind_it),
        cmocka_unit_test(pauses_of_a_thread_alone_remain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
