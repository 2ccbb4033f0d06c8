/* Searches for the wait that ends the program's steps; see step_waits.h. For each call site that waits, the times of
 * its latest returns are kept, and every new return starts a new check of these times. A check takes some hundred
 * additions, which is little for a call that waits for the device. */
#include "preload/core/step_waits.h"

#include <string.h>

#include "preload/core/asked_window.h"
#include "preload/core/lock.h"
#include "preload/core/mix.h"

enum {
    PLACES = 64, /* if a new site needs a slot, the site not seen for longest is dropped */
    MOMENTS = 64 /* the latest return times of a site */
};

struct place {
    uint64_t key, count, last_ns;
    int64_t moments_ns[MOMENTS]; /* the time of return number n lies at n % MOMENTS */
};

_Atomic bool xs_step_waits_on;

static struct xs_lock lock = XS_LOCK_INITIALIZER;
static uint64_t skipped, most; /* set before xs_step_waits_on */
static struct place places[PLACES];
static unsigned place_count;
static uint64_t begun_ns;
static int64_t moments[MOMENTS]; /* for one check, like `distances`; the thread's stack may be small */
static uint64_t distances[MOMENTS];
/* first_step is set last; 0: no wait is found yet. All of these variables are read without the lock, because the
 * process may end in a signal handler. */
static _Atomic uint32_t found_row, found_stack, most_row;
static _Atomic uint64_t seen, most_returns, found_key, first_step;

void xs_step_waits_start(uint64_t skip, uint64_t count) {
    skipped = skip;
    most = count;
    xs_asked_steps_are_waits();
    atomic_store(&xs_step_waits_on, true);
}

/* A known call stack identifies a wait better than its object, because a loop may use several streams, one after the
 * other, with the same call stack. */
static uint64_t key_of(const struct xs_step_wait *wait) {
    uint64_t key = xs_mix_word(xs_mix_word(xs_mix_word(1, wait->row), wait->stack), wait->thread);
    return wait->stack ? key : xs_mix_word(key, wait->object);
}

static struct place *place_of(uint64_t key) {
    struct place *oldest = &places[0];
    for (unsigned i = 0; i < place_count; i++) {
        if (places[i].key == key)
            return &places[i];
        oldest = places[i].last_ns < oldest->last_ns ? &places[i] : oldest;
    }
    struct place *place = place_count < PLACES ? &places[place_count++] : oldest;
    memset(place, 0, sizeof *place);
    place->key = key;
    return place;
}

/* A rhythm that has lasted long counts as steps, no matter what came before it. Its intervals may also differ more,
 * because otherwise a loop of batches with many lengths would not be recorded at all. */
static bool is_regular(const struct place *place) {
    unsigned count = place->count < MOMENTS ? (unsigned)place->count : MOMENTS;
    struct xs_rhythm rhythm;
    for (unsigned i = 0; i < count; i++)
        moments[i] = place->moments_ns[(place->count - count + i) % MOMENTS];
    if (!xs_rhythm_of(moments, count, XS_RHYTHM_SPREAD_OF_STEPS, distances, &rhythm))
        return false;
    return count - 1 - rhythm.warm_up >= XS_RHYTHM_MANY ||
           (rhythm.spread <= XS_RHYTHM_SPREAD && xs_rhythm_covers(rhythm.regular_ns, place->last_ns - begun_ns));
}

static void choose(const struct place *place, const struct xs_step_wait *wait) {
    found_row = wait->row;
    found_stack = wait->stack;
    atomic_store(&xs_asked_step_marks, 2 * place->count + 1); /* the next step has begun */
    xs_asked_steps_set(place->count, most);
    atomic_store(&found_key, place->key);
    atomic_store(&first_step, place->count);
}

static bool search(const struct xs_step_wait *wait, uint64_t now_ns) {
    bool is_found = false;
    xs_lock(&lock);
    if (!atomic_load(&first_step)) {
        struct place *place = place_of(key_of(wait));
        if (atomic_fetch_add(&seen, 1) == 0)
            begun_ns = now_ns;
        place->moments_ns[place->count++ % MOMENTS] = (int64_t)now_ns;
        place->last_ns = now_ns;
        if (place->count > atomic_load(&most_returns)) {
            atomic_store(&most_row, wait->row);
            atomic_store(&most_returns, place->count);
        }
        is_found = place->count >= skipped && is_regular(place);
        if (is_found)
            choose(place, wait);
    }
    xs_unlock(&lock);
    return is_found;
}

static bool count_step(void) {
    uint64_t ended = (atomic_fetch_add(&xs_asked_step_marks, 2) + 1) / 2;
    bool is_last = most && ended == atomic_load(&first_step) + most;
    if (is_last)
        atomic_store(&xs_step_waits_on, false);
    return is_last;
}

bool xs_step_waited(const struct xs_step_wait *wait, uint64_t now_ns) {
    if (!atomic_load(&first_step))
        return search(wait, now_ns);
    if (atomic_load(&found_key) != key_of(wait))
        return false;
    if (wait->recorded)
        atomic_store(&found_stack, wait->recorded);
    return count_step();
}

struct xs_step_waits xs_step_waits(void) {
    uint64_t first = atomic_load(&first_step);
    return (struct xs_step_waits){.is_found = first > 0,
                                  .row = found_row,
                                  .stack = found_stack,
                                  .first = first,
                                  .ended = atomic_load(&xs_asked_step_marks) / 2,
                                  .seen = seen,
                                  .most_row = most_row,
                                  .most = most_returns};
}

void xs_step_waits_forget(void) { xs_lock_forget(&lock); }
