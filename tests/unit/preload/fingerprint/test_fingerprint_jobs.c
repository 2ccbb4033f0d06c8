/* Jobs of fingerprints: a slot, in which a kernel may still be writing digests, is not another stream's, and a lock
 * that a thread holds during a call of the driver is not waited for by others for long. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint_device.h"
#include "preload/fingerprint/fingerprinter.h"
#include "preload/fingerprint/side_stream.h"

#define REGION UINT64_C(0x7f0000000000)
#define STREAM(n) ((CUstream)(uintptr_t)(0x1000 * (n)))

enum { BYTES = 100000, FOR_EVER_SECONDS = 300 };

/* ---- what is beside the sources under test ---- */

void *xs_real[XS_ROW_COUNT];
void *xs_driver_functions[XS_DRIVER_COUNT];
static struct xs_fingerprinter *only;

static bool start_session(unsigned row) {
    (void)row;
    return false;
}
const struct xs_hooks xs_hooks = {.start_session = start_session};

void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
}

int xs_store_fingerprint(struct xs_store *store, const struct xs_event_fingerprint *f) {
    (void)store;
    (void)f;
    return 0;
}

struct xs_fingerprinter *xs_fingerprinter_at(unsigned i) {
    return i == 0 ? only : NULL;
}

struct xs_fingerprinter *xs_fingerprinter_find(CUcontext context) {
    (void)context;
    return only;
}

struct xs_fingerprinter *xs_fingerprinter_of(CUcontext context, enum xs_fingerprint_skip *why) {
    (void)context;
    *why = XS_SKIP_NONE;
    return only;
}

uint64_t xs_fingerprinter_start_ns(void) { return 0; }

static int set_up(void **state) {
    (void)state;
    only = calloc(1, sizeof *only);
    if (!only || !xs_results_make(&only->results))
        return -1;
    xs_open_lock_make(&only->lock);
    for (int i = 0; i < XS_ASIDES; i++)
        pthread_mutex_init(&only->asides[i].lock, NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    munmap((void *)only->results.slots, XS_RESULTS_BYTES);
    free(only);
    return 0;
}

/* Does what the kernel does at its end. */
static void arrive(const struct xs_device_job *job) {
    volatile struct xs_fingerprint_result *r = &only->results.slots[xs_results_index(job->ticket)];
    __atomic_store_n(&r->sequence, job->ticket, __ATOMIC_RELEASE);
}

static struct xs_device_job begun(CUstream stream, uint64_t base) {
    static uint32_t id;
    struct xs_fingerprint_region region = xs_fingerprint_linear(base, BYTES);
    struct xs_device_job job = {0};
    assert_int_equal(xs_device_prepare(&job, NULL, stream, &region, ++id, true), XS_SKIP_NONE);
    return job;
}

/* ---- slots ---- */

static void slot_in_use_is_not_another_streams(void **state) {
    (void)state;
    struct xs_device_job first = begun(STREAM(1), REGION);
    xs_device_settle(&first); /* the kernel is with the driver, and not yet over */
    struct xs_device_job same_stream = begun(STREAM(1), REGION);
    assert_ptr_equal(same_stream.slot, first.slot); /* it comes after the other one */
    assert_true(same_stream.known);
    xs_device_settle(&same_stream);

    struct xs_device_job other_stream = begun(STREAM(2), REGION);
    assert_ptr_not_equal(other_stream.slot, first.slot);
    assert_int_not_equal(other_stream.slot->first, first.slot->first);
    assert_false(other_stream.known);
    xs_device_settle(&other_stream);

    arrive(&first); /* this is not the slot's last launch */
    arrive(&same_stream);
    arrive(&other_stream);
    struct xs_device_job third_stream = begun(STREAM(3), REGION);
    assert_ptr_equal(third_stream.slot, other_stream.slot);
    assert_true(third_stream.known);
}

/* Another thread's copy in the same stream, whose kernel is not with the driver yet, has it. */
static void busy_slot_is_nobody_elses(void **state) {
    (void)state;
    struct xs_device_job first = begun(STREAM(1), REGION);
    arrive(&first);
    struct xs_device_job second = begun(STREAM(1), REGION);
    assert_ptr_not_equal(second.slot, first.slot);
}

/* The scratch memory is full: a slot is given up only where its last kernel is over. */
static void slot_in_use_is_not_given_up(void **state) {
    (void)state;
    enum { MOST = XS_SLOTS + 1 };
    static struct xs_device_job jobs[MOST];
    struct xs_device_job refused;
    unsigned count = 0;
    struct xs_fingerprint_region region;
    for (; count < MOST; count++) {
        region = xs_fingerprint_linear(REGION + (uint64_t)count * BYTES, BYTES);
        if (xs_device_prepare(&jobs[count], NULL, STREAM(1), &region, count + 1, true) != XS_SKIP_NONE)
            break;
        xs_device_settle(&jobs[count]);
    }
    assert_in_range(count, 100, XS_SLOTS);
    arrive(&jobs[count / 2]);
    struct xs_device_job job = begun(STREAM(2), REGION - BYTES);
    assert_ptr_equal(job.slot, jobs[count / 2].slot);
    assert_int_equal(xs_device_prepare(&refused, NULL, STREAM(2), &region, MOST, true), XS_SKIP_NO_SLOT);
}

/* ---- locks ---- */

static _Atomic bool held, over;

static void *hold(void *lock) {
    pthread_mutex_lock(lock);
    atomic_store(&held, true);
    while (!atomic_load(&over))
        usleep(1000);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Who waits for ever is ended by the alarm. */
static void lock_held_in_the_driver_is_waited_for_briefly(void **state) {
    (void)state;
    pthread_t thread;
    struct xs_aside *aside = &only->asides[3];
    atomic_store(&aside->theirs, STREAM(1));
    atomic_store(&aside->ahead, true);
    atomic_store(&held, false);
    atomic_store(&over, false);
    assert_int_equal(pthread_create(&thread, NULL, hold, &aside->lock), 0);
    while (!atomic_load(&held))
        usleep(1000);
    alarm(FOR_EVER_SECONDS);
    xs_aside_join_from_outside(aside);
    xs_aside_release(aside);
    xs_device_join(NULL);
    xs_device_join(STREAM(1));
    xs_device_stream_going(STREAM(1));
    alarm(0);
    assert_true(atomic_load(&aside->ahead)); /* nothing was changed without the lock */
    assert_ptr_equal(atomic_load(&aside->theirs), STREAM(1));
    atomic_store(&over, true);
    pthread_join(thread, NULL);
}

int main(void) {
#define WITH_FINGERPRINTER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_FINGERPRINTER(slot_in_use_is_not_another_streams),
        WITH_FINGERPRINTER(busy_slot_is_nobody_elses),
        WITH_FINGERPRINTER(slot_in_use_is_not_given_up),
        WITH_FINGERPRINTER(lock_held_in_the_driver_is_waited_for_briefly),
    };
    return cmocka_run_group_tests_name("fingerprint_jobs", tests, NULL, NULL);
}
