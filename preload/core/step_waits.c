/* The search for the wait that ends the program's steps; see step_waits.h. Each call site that waits keeps its
 * latest moments, and every new moment starts a new check of them: some hundred additions, for a call that waits for
 * the device. */
#include "preload/core/step_waits.h"

#include <string.h>

#include "preload/core/asked_window.h"
#include "preload/core/lock.h"

enum {
    PLACES = 64,                     /* the site not seen for longest makes room */
    MOMENTS = 64,                    /* the latest moments of a site */
    LEAST = XS_STEP_WAITS_LEAST - 1, /* distances behind the warm-up */
    MANY = 32, /* this many regular distances are steps whatever came before them, and may differ by more */
    EXCEPTIONS = 20
};
#define LARGEST_SPREAD 0.25
/* With LARGEST_SPREAD a loop of batches with many lengths would not be recorded at all. */
#define LARGEST_SPREAD_OF_MANY 0.5

struct place {
    uint64_t key, count, last_ns;
    uint64_t moments_ns[MOMENTS]; /* moment number n lies at n % MOMENTS */
};

_Atomic bool xs_step_waits_on;

static struct xs_lock lock = XS_LOCK_INITIALIZER;
static uint64_t skipped, most; /* set before xs_step_waits_on */
static struct place places[PLACES];
static unsigned place_count;
static uint64_t begun_ns;
static uint64_t distances[MOMENTS], later[MOMENTS]; /* for one check; the thread's stack may be small */
/* first_step is set last; 0: none is found yet. All of these are read without the lock, also by a process that ends in
 * a signal handler. */
static _Atomic uint32_t found_row, found_stack, most_row;
static _Atomic uint64_t seen, most_returns, found_key, first_step;

void xs_step_waits_start(uint64_t skip, uint64_t count) {
    skipped = skip;
    most = count;
    xs_asked_steps_are_waits();
    atomic_store(&xs_step_waits_on, true);
}

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* A known stack says more than an object: the streams that a loop uses in turn share one stack. */
static uint64_t key_of(const struct xs_step_wait *wait) {
    uint64_t key = mix(mix(mix(1, wait->row), wait->stack), wait->thread);
    return wait->stack ? key : mix(key, wait->object);
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

static void sort(uint64_t *values, unsigned count) {
    for (unsigned i = 1; i < count; i++) {
        uint64_t value = values[i];
        unsigned k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

/* Counts the first distances that differ clearly from the later half: the warm-up, which has no steps yet. */
static unsigned warm_up_of(unsigned count) {
    unsigned half = count / 2, warm_up = 0;
    memcpy(later, distances + half, (count - half) * sizeof *later);
    sort(later, count - half);
    uint64_t median = later[(count - half) / 2];
    while (warm_up < half && (distances[warm_up] > median + median / 2 || distances[warm_up] < median / 2))
        warm_up++;
    return warm_up;
}

/* Compares the standard deviation with the mean, both squared, which needs no root. */
static bool is_even(const uint64_t *regular, unsigned count, double sum, double largest) {
    double mean = sum / count, squares = 0;
    for (unsigned i = 0; i < count; i++)
        squares += ((double)regular[i] - mean) * ((double)regular[i] - mean);
    return mean > 0 && squares / count <= largest * largest * mean * mean;
}

static bool is_regular(const struct place *place) {
    unsigned moments = place->count < MOMENTS ? (unsigned)place->count : MOMENTS, count = moments - 1;
    for (unsigned i = 0; i < count; i++) {
        uint64_t number = place->count - moments + i;
        distances[i] = place->moments_ns[(number + 1) % MOMENTS] - place->moments_ns[number % MOMENTS];
    }
    unsigned warm_up = warm_up_of(count), rest = count - warm_up;
    uint64_t *regular = distances + warm_up;
    double sum = 0;
    if (rest < LEAST)
        return false;
    sort(regular, rest);
    unsigned kept = rest - rest / EXCEPTIONS;
    for (unsigned i = 0; i < kept; i++)
        sum += (double)regular[i];
    if (rest >= MANY)
        return is_even(regular, kept, sum, LARGEST_SPREAD_OF_MANY);
    return sum * 2 >= (double)(place->last_ns - begun_ns) && is_even(regular, kept, sum, LARGEST_SPREAD);
}

static void choose(const struct place *place, const struct xs_step_wait *wait) {
    found_row = wait->row;
    found_stack = wait->stack;
    atomic_store(&xs_asked_step_turns, 2 * place->count + 1); /* the next step has begun */
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
        place->moments_ns[place->count++ % MOMENTS] = now_ns;
        place->last_ns = now_ns;
        if (place->count > atomic_load(&most_returns)) {
            atomic_store(&most_row, wait->row);
            atomic_store(&most_returns, place->count);
        }
        is_found = place->count > LEAST && place->count >= skipped && is_regular(place);
        if (is_found)
            choose(place, wait);
    }
    xs_unlock(&lock);
    return is_found;
}

static bool count_step(void) {
    uint64_t ended = (atomic_fetch_add(&xs_asked_step_turns, 2) + 1) / 2;
    bool is_last = most && ended == atomic_load(&first_step) + most;
    if (is_last)
        atomic_store(&xs_step_waits_on, false);
    return is_last;
}

bool xs_step_waited(const struct xs_step_wait *wait, uint64_t now_ns) {
    if (!atomic_load(&first_step))
        return search(wait, now_ns);
    return atomic_load(&found_key) == key_of(wait) && count_step();
}

struct xs_step_waits xs_step_waits(void) {
    uint64_t first = atomic_load(&first_step);
    return (struct xs_step_waits){.is_found = first > 0,
                                  .row = found_row,
                                  .stack = found_stack,
                                  .first = first,
                                  .ended = atomic_load(&xs_asked_step_turns) / 2,
                                  .seen = seen,
                                  .most_row = most_row,
                                  .most = most_returns};
}

void xs_step_waits_forget(void) { xs_lock_forget(&lock); }
