/* Gives numbers to sets of allocations. The sets lie in one array of words with a hash table, both of fixed size and
 * protected by a sequence lock. A look-up while the table is being emptied finds nothing, and is repeated under the
 * lock.
 *
 * When the table is full, it is emptied, and a set that occurs again gets a new number. Little is lost by this: ids of
 * allocations are never reused, so in a program that allocates in a loop the old sets do not occur again. */
#define _GNU_SOURCE /* a mutex that checks for errors */
#include <stdatomic.h>

#include "preload/capture/arguments.h"
#include "preload/core/lock.h"
#include "preload/core/thread.h"

#define SLOTS 16384u
#define MOST_SETS (SLOTS / 2)
#define WORDS 131072u /* each set takes its number, its count and its ids */

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)

static _Atomic uint64_t generation;   /* odd while the table is being emptied */
static _Atomic uint64_t slots[SLOTS]; /* half of the hash, index of the set + 1; 0: free */
static _Atomic uint32_t words[WORDS];
static uint32_t words_used, set_count, last_number;
static struct xs_open_lock sets_lock = XS_OPEN_LOCK_INITIALIZER;

static bool is_set_at(uint32_t first, const uint32_t *ids, unsigned count) {
    if (first + 2 + count > WORDS || LOAD(words[first + 1]) != count)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (LOAD(words[first + 2 + i]) != ids[i])
            return false;
    return true;
}

uint32_t xs_set_find(const uint32_t *ids, unsigned count, uint64_t hash) {
    uint32_t number = 0;
    uint64_t before = atomic_load_explicit(&generation, memory_order_acquire);
    for (uint32_t i = 0, s = (uint32_t)hash % SLOTS; i < SLOTS; i++, s = (s + 1) % SLOTS) {
        uint64_t slot = atomic_load_explicit(&slots[s], memory_order_acquire);
        if (slot == 0)
            break;
        if (slot >> 32 == hash >> 32 && is_set_at((uint32_t)slot - 1, ids, count)) {
            number = LOAD(words[(uint32_t)slot - 1]);
            break;
        }
    }
    atomic_thread_fence(memory_order_acquire);
    return !(before & 1) && LOAD(generation) == before ? number : 0;
}

static void forget_all(void) {
    STORE(generation, LOAD(generation) | 1);
    atomic_thread_fence(memory_order_release);
    for (uint32_t s = 0; s < SLOTS; s++)
        STORE(slots[s], 0);
    words_used = set_count = 0;
    atomic_store_explicit(&generation, LOAD(generation) + 1, memory_order_release);
}

/* Gives the set a number, and writes the set to the end of `words`, where look-ups do not find it yet. 0: there are no
 * more numbers. */
static uint32_t put_words(const uint32_t *ids, unsigned count) {
    if (last_number == UINT32_MAX)
        return 0;
    if (set_count == MOST_SETS || words_used + 2 + count > WORDS)
        forget_all();
    STORE(words[words_used], ++last_number);
    STORE(words[words_used + 1], count);
    for (unsigned i = 0; i < count; i++)
        STORE(words[words_used + 2 + i], ids[i]);
    return last_number;
}

/* Enters the set that was written last into the hash table, so that look-ups find it. They take no lock. */
static void publish(unsigned count, uint64_t hash) {
    uint32_t s = (uint32_t)hash % SLOTS;
    while (LOAD(slots[s]) != 0)
        s = (s + 1) % SLOTS;
    atomic_store_explicit(&slots[s], hash >> 32 << 32 | (words_used + 1), memory_order_release);
    words_used += 2 + count;
    set_count++;
}

/* Writes the set's events where the launch's event was, and moves the launch's event after them. */
static struct xs_event *emit(struct xs_event *e, uint32_t number, const uint32_t *ids, unsigned count) {
    struct xs_event launch = *e;
    unsigned done = 0;
    do {
        unsigned now = count - done < XS_ARGUMENTS_EVENT_COUNT ? count - done : XS_ARGUMENTS_EVENT_COUNT;
        e->kind = XS_EVENT_ARGUMENTS;
        e->arguments = (struct xs_event_arguments){.set = number, .count = (uint8_t)now};
        for (unsigned i = 0; i < now; i++)
            e->arguments.allocations[i] = ids[done + i];
        xs_commit();
        e = xs_thread.next;
        *e = launch;
        done += now;
    } while (done < count);
    return e;
}

/* Adds a set. Its events are committed before another thread can find its number. Space for them is reserved before the
 * lock is taken, so that no other thread has to wait if this thread waits for the spool. */
struct xs_event *xs_set_add(struct xs_event *e, const uint32_t *ids, unsigned count, uint64_t hash) {
    unsigned events = count == 0 ? 1 : (count + XS_ARGUMENTS_EVENT_COUNT - 1) / XS_ARGUMENTS_EVENT_COUNT;
    if (!xs_thread_room(&e, events) || !xs_open_lock(&sets_lock))
        return e; /* if there is no chunk, the launch is not recorded either */
    uint32_t number = xs_set_find(ids, count, hash);
    if (number == 0 && (number = put_words(ids, count)) != 0) {
        e = emit(e, number, ids, count);
        publish(count, hash);
    }
    xs_open_unlock(&sets_lock);
    e->argument_set = number;
    return e;
}

void xs_sets_forget(void) {
    xs_open_lock_make(&sets_lock);
    if (set_count > 0)
        forget_all();
}
