/* Keeps hash tables of growing size. A stack's hash tells where its run of WINDOW hash slots begins in a table, and a
 * new stack takes the first empty slot of the run. If the run is full, the search continues in the next table. Nothing
 * is ever removed, so an empty slot means that the stack is new. */
#include "preload/callsite/stack_table.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_BITS = 12, TABLES = 10, WINDOW = 8, LOOKS = 100, YIELDS = 1000, PAUSES = 5000 };

/* A hash slot. low is 0 while the slot is empty, and 1 while it is being written. */
struct slot {
    _Atomic uint64_t low, high;
    _Atomic uint32_t number;
    _Atomic uint32_t defined;
};

static _Atomic(struct slot *) tables[TABLES];
static _Atomic uint32_t count;

static size_t places_of(unsigned table) { return (size_t)1 << (FIRST_BITS + table); }

static struct slot *table_at(unsigned i) {
    struct slot *table = atomic_load_explicit(&tables[i], memory_order_acquire);
    if (table)
        return table;
    size_t bytes = (places_of(i) + WINDOW) * sizeof *table;
    struct slot *mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mine == MAP_FAILED)
        return NULL;
    if (!atomic_compare_exchange_strong(&tables[i], &table, mine)) {
        munmap(mine, bytes);
        return table;
    }
    return mine;
}

/* Waits for the thread that writes the hash slot. That takes a few nanoseconds, or longer if that thread is not
 * running. Gives up after half a second; the stack may then get a second number, which does no harm. */
static uint64_t wait_for(struct slot *slot) {
    static const struct timespec pause = {0, 100000};
    uint64_t low = 1;
    for (unsigned i = 0; low == 1 && i < LOOKS + YIELDS + PAUSES; i++) {
        if (i >= LOOKS + YIELDS)
            syscall(SYS_nanosleep, &pause, NULL); /* libc's nanosleep is a cancellation point */
        else if (i >= LOOKS)
            sched_yield();
        low = atomic_load_explicit(&slot->low, memory_order_acquire);
    }
    return low;
}

static bool is_of(struct slot *slot, struct xs_stack_key key, uint64_t low) {
    int kept = errno;
    low = low == 1 ? wait_for(slot) : low;
    errno = kept;
    return low == key.low && atomic_load_explicit(&slot->high, memory_order_relaxed) == key.high;
}

/* Returns the key's hash slot, or an empty one that is now the key's. NULL: the slot belongs to another key. */
static struct slot *claim(struct slot *slot, struct xs_stack_key key, bool *is_new) {
    uint64_t low = atomic_load_explicit(&slot->low, memory_order_acquire);
    if (low == 0 && atomic_compare_exchange_strong(&slot->low, &low, 1)) {
        atomic_store_explicit(&slot->high, key.high, memory_order_relaxed);
        atomic_store_explicit(&slot->number, atomic_fetch_add(&count, 1) + 1, memory_order_relaxed);
        atomic_store_explicit(&slot->low, key.low, memory_order_release);
        *is_new = true;
        return slot;
    }
    return is_of(slot, key, low) ? slot : NULL;
}

static struct slot *find(struct xs_stack_key key, bool *is_new) {
    for (unsigned i = 0; i < TABLES; i++) {
        struct slot *table = table_at(i);
        if (!table)
            return NULL;
        size_t begin = key.high & (places_of(i) - 1);
        for (size_t k = 0; k < WINDOW; k++) {
            struct slot *slot = claim(&table[begin + k], key, is_new);
            if (slot)
                return slot;
        }
    }
    return NULL;
}

uint32_t xs_stacks_number(struct xs_stack_key key, bool *is_new) {
    bool claimed = false;
    key.low += key.low < 2 ? 2 : 0;
    struct slot *slot = find(key, &claimed);
    if (is_new)
        *is_new = false;
    if (!slot)
        return 0;
    if (is_new && atomic_load_explicit(&slot->defined, memory_order_relaxed) == 0)
        *is_new = atomic_exchange(&slot->defined, 1) == 0;
    return atomic_load_explicit(&slot->number, memory_order_relaxed);
}

void xs_stacks_undefined(struct xs_stack_key key) {
    bool claimed = false;
    key.low += key.low < 2 ? 2 : 0;
    struct slot *slot = find(key, &claimed);
    if (slot)
        atomic_store(&slot->defined, 0);
}
