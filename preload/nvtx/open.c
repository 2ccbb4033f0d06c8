/* A thread's open ranges are words in an array, so that any thread can end one with a compare-and-swap. If a range ends
 * while inner ranges are open, an empty entry remains. The thread itself removes it when it next opens, ends or reports
 * a range. */
#include "preload/nvtx/open.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/asked_window.h"
#include "preload/nvtx/nvtx.h"

/* An open range is packed into one word; 0: it has ended. */
enum { RANGE_BITS = 20, DOMAIN_BITS = 7, STARTED_BIT = RANGE_BITS + DOMAIN_BITS, ASKED_BIT, SERIAL_SHIFT };
#define RANGE_OF(word) ((uint32_t)((word) & ((1u << RANGE_BITS) - 1)))
#define STARTED (UINT64_C(1) << STARTED_BIT)
#define ASKED (UINT64_C(1) << ASKED_BIT) /* the range is counted in xs_asked_ranges until it ends */
#define KIND_BITS (STARTED | (uint64_t)(XS_RANGE_DOMAINS - 1) << RANGE_BITS) /* for a pushed range also the domain */
#define SERIAL_BITS (~UINT64_C(0) << SERIAL_SHIFT)
_Static_assert(XS_RANGES_MOST <= 1u << RANGE_BITS && XS_RANGE_DOMAINS <= 1u << DOMAIN_BITS, "fit into a word");

struct xs_nvtx_thread {
    _Alignas(64) _Atomic uint64_t open[XS_RANGES_OPEN]; /* the innermost range is last */
    _Atomic bool unsettled;                             /* a range ended that was not the innermost one */
    unsigned count;
    _Atomic bool busy; /* the thread is opening or ending a range; ranges of a signal handler are then only counted */
    uint64_t serial;   /* never decreases, even if a later thread uses this slot */
    uint32_t depth[XS_RANGE_DOMAINS];
    uint32_t beyond[XS_RANGE_DOMAINS]; /* number of innermost ranges in `depth` that are not kept */
};
struct threads {
    _Atomic uint8_t taken[XS_RANGE_THREADS];
    struct xs_nvtx_thread thread[XS_RANGE_THREADS];
};

/* The number of a started range consists of the serial and of the thread's slot, counted from 1. PLACE_NOWHERE: the
 * range is not kept. */
enum { SLOT_BITS = 12, PLACE_NOWHERE = (1 << SLOT_BITS) - 1 };
_Static_assert(XS_RANGE_THREADS < PLACE_NOWHERE, "fits");

static _Atomic(struct threads *) shared_threads;
static pthread_key_t thread_end_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool has_key;

XS_TLS struct xs_nvtx_thread *xs_nvtx_thread;

static struct threads *threads(void) { return atomic_load_explicit(&shared_threads, memory_order_acquire); }

/* Ends all ranges of a thread. Does not call xs_asked_window_changed, because CUPTI cannot be attached or detached by a
 * thread that is ending; the flusher notices the change later. */
static void close_all(struct xs_nvtx_thread *thread) {
    for (unsigned i = 0; i < XS_RANGES_OPEN; i++)
        if (atomic_exchange_explicit(&thread->open[i], 0, memory_order_relaxed) & ASKED)
            (void)xs_asked_ranges_change(-1);
    thread->count = 0;
    atomic_store_explicit(&thread->unsettled, false, memory_order_relaxed);
    atomic_store_explicit(&thread->busy, false, memory_order_relaxed);
    memset(thread->depth, 0, sizeof thread->depth);
    memset(thread->beyond, 0, sizeof thread->beyond);
}

static void give_back(struct xs_nvtx_thread *thread) {
    struct threads *all = threads();
    close_all(thread);
    atomic_store_explicit(&all->taken[thread - all->thread], 0, memory_order_release);
}

static void on_thread_end(void *thread) {
    xs_nvtx_thread = NULL;
    give_back(thread);
}

static void make_key(void) { has_key = pthread_key_create(&thread_end_key, on_thread_end) == 0; }

bool xs_open_prepare(void) {
    struct threads *none = NULL, *t;
    pthread_once(&key_once, make_key);
    if (threads())
        return true;
    t = has_key ? mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                : MAP_FAILED;
    if (t == MAP_FAILED)
        return false;
    madvise(t, sizeof *t, MADV_NOHUGEPAGE);
    if (!atomic_compare_exchange_strong(&shared_threads, &none, t))
        munmap(t, sizeof *t);
    return true;
}

static __attribute__((noinline)) struct xs_nvtx_thread *take_place(void) {
    struct threads *all = threads();
    for (unsigned i = 0; i < XS_RANGE_THREADS; i++) {
        uint8_t taken = atomic_load_explicit(&all->taken[i], memory_order_relaxed);
        if (!taken && atomic_compare_exchange_strong_explicit(&all->taken[i], &taken, 1, memory_order_acquire,
                                                              memory_order_relaxed)) {
            xs_nvtx_thread = &all->thread[i]; /* set before the call of pthread_setspecific, which may call the
                                                 application's allocator */
            pthread_setspecific(thread_end_key, xs_nvtx_thread);
            return xs_nvtx_thread;
        }
    }
    return NULL;
}

XS_HOT struct xs_nvtx_thread *this_thread(void) {
    return XS_LIKELY(xs_nvtx_thread != NULL) ? xs_nvtx_thread : take_place();
}

XS_HOT uint64_t innermost(const struct xs_nvtx_thread *t) {
    uint64_t word = 0;
    for (unsigned i = t->count; i-- > 0 && !word;)
        word = atomic_load_explicit(&t->open[i], memory_order_relaxed);
    return word;
}

/* Moves one entry: first stores it at the new index, and then clears the old one. Entries only move to lower indices,
 * and a thread that ends a range searches from the highest index down, so it finds the entry at least once. False: the
 * range was ended meanwhile. */
static bool move(struct xs_nvtx_thread *t, unsigned from, unsigned to, uint64_t old, uint64_t new) {
    if (to != from)
        atomic_store(&t->open[to], new);
    bool moved = atomic_compare_exchange_strong(&t->open[from], &old, to == from ? new : 0);
    if (!moved && to != from)
        atomic_store(&t->open[to], 0);
    return moved;
}

/* Removes empty entries. Ranges inside a range that has ended are then inside the range around it. Otherwise, if ranges
 * overlap all the time, as in a pipeline, each new range would be inside the previous one, and would get a new number
 * each time. */
static __attribute__((noinline)) void settle(struct xs_nvtx_thread *t) {
    unsigned kept = 0;
    uint32_t parent = 0;
    atomic_exchange(&t->unsettled, false);
    for (unsigned i = 0; i < t->count; i++) {
        uint64_t word = atomic_load(&t->open[i]);
        uint32_t number = xs_range_inside(parent, RANGE_OF(word));
        if (word && move(t, i, kept, word, word - RANGE_OF(word) + number)) {
            parent = number;
            kept++;
        }
    }
    t->count = kept;
}

/* Sets `busy`, and settles if a range has ended. True: the thread was not busy before. */
XS_HOT bool enter(struct xs_nvtx_thread *t) {
    bool was = atomic_load_explicit(&t->busy, memory_order_relaxed);
    atomic_store_explicit(&t->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (XS_UNLIKELY(!was && atomic_load_explicit(&t->unsettled, memory_order_relaxed)))
        settle(t);
    return !was;
}

/* Ends what `enter` began. `window_changed`: the user requests a window, and it has begun or ended. */
XS_HOT void leave(struct xs_nvtx_thread *t, bool entered, bool window_changed) {
    atomic_signal_fence(memory_order_seq_cst);
    if (entered)
        atomic_store_explicit(&t->busy, false, memory_order_relaxed);
    if (XS_UNLIKELY(window_changed))
        xs_asked_window_changed();
}

/* Counts the range if the user requests it. Must be called before the range's word is stored, because another thread
 * may end the range as soon as it is stored. */
static __attribute__((noinline)) uint64_t asked_bit(uint32_t number, bool *window_changed) {
    if (!xs_range_is_asked(number))
        return 0;
    *window_changed = xs_asked_ranges_change(1);
    return ASKED;
}

/* Opens a range; `enter` must have returned true. False: there are too many open ranges. */
XS_HOT bool open_range(struct xs_nvtx_thread *t, unsigned domain, bool started, struct xs_range_label label,
                       bool *window_changed) {
    if (XS_UNLIKELY(t->count == XS_RANGES_OPEN))
        return false;
    uint32_t parent = RANGE_OF(innermost(t));
    uint32_t number =
        label.text ? xs_range_number_of(parent, domain, label.text) : xs_range_number(parent, domain, label.name);
    uint64_t word =
        number | (uint64_t)domain << RANGE_BITS | (uint64_t)started << STARTED_BIT | ++t->serial << SERIAL_SHIFT;
    if (XS_UNLIKELY(atomic_load_explicit(&xs_range_asked, memory_order_relaxed)))
        word |= asked_bit(number, window_changed);
    atomic_store_explicit(&t->open[t->count], word, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst); /* an event of a signal handler has this range or the one before, but
                                                  never an old word */
    t->count++;
    return true;
}

int xs_range_push(unsigned domain, struct xs_range_label label) {
    struct xs_nvtx_thread *t = this_thread();
    if (!t)
        return XS_RANGE_NO_TRACKING;
    bool entered = enter(t), window_changed = false;
    /* Ranges inside a range that is not kept are not kept either, because otherwise pops would end the wrong ranges. */
    if (XS_UNLIKELY(!entered || t->beyond[domain] || !open_range(t, domain, false, label, &window_changed)))
        t->beyond[domain]++;
    int before = (int)t->depth[domain]++;
    leave(t, entered, window_changed);
    return before;
}

/* Ends a range that the user requests. Another thread may end it at the same time; only one of the two counts this.
 * True: it was the last open range that the user requests. */
static __attribute__((noinline)) bool close_asked(_Atomic uint64_t *open) {
    return atomic_exchange(open, 0) && xs_asked_ranges_change(-1);
}

/* Ends the thread's innermost range whose word equals `wanted` in `bits`. Ranges inside it stay open. True: a window
 * ends with this range. */
XS_HOT bool close_own(struct xs_nvtx_thread *t, uint64_t bits, uint64_t wanted) {
    bool window_changed = false;
    for (unsigned i = t->count; i-- > 0;) {
        uint64_t word = atomic_load_explicit(&t->open[i], memory_order_relaxed);
        if (word && (word & bits) == wanted) {
            if (XS_UNLIKELY(word & ASKED))
                window_changed = close_asked(&t->open[i]);
            else
                atomic_store_explicit(&t->open[i], 0, memory_order_relaxed);
            if (XS_LIKELY(i + 1 == t->count))
                t->count--;
            else
                settle(t);
            break;
        }
    }
    return window_changed;
}

int xs_range_pop(unsigned domain) {
    struct xs_nvtx_thread *t = xs_nvtx_thread;
    if (!t || t->depth[domain] == 0)
        return XS_RANGE_NONE_OPEN;
    bool entered = enter(t), window_changed = false;
    if (XS_UNLIKELY(t->beyond[domain]))
        t->beyond[domain]--;
    else if (entered)
        window_changed = close_own(t, KIND_BITS, (uint64_t)domain << RANGE_BITS);
    int around = (int)--t->depth[domain];
    leave(t, entered, window_changed);
    return around;
}

/* A range that is not kept also gets a number other than 0, because applications treat 0 as a failure. */
uint64_t xs_range_start(unsigned domain, struct xs_range_label label) {
    struct xs_nvtx_thread *t = this_thread();
    if (!t)
        return PLACE_NOWHERE;
    bool entered = enter(t), window_changed = false;
    uint64_t id = entered && open_range(t, domain, true, label, &window_changed)
                      ? t->serial << SLOT_BITS | (uint64_t)(t - threads()->thread + 1)
                      : PLACE_NOWHERE;
    leave(t, entered, window_changed);
    return id;
}

/* Ends a range of another thread, or of this thread while it is busy. Searches all entries even after it has found the
 * range, because the owner may be moving it, so that it is at two indices. True: a window ends with this range. */
static __attribute__((noinline)) bool end_elsewhere(struct xs_nvtx_thread *t, uint64_t wanted) {
    bool was_asked = false;
    for (unsigned i = XS_RANGES_OPEN; i-- > 0;) {
        uint64_t word = atomic_load(&t->open[i]);
        while ((word & (SERIAL_BITS | STARTED)) == wanted) {
            if (atomic_compare_exchange_weak(&t->open[i], &word, 0)) {
                atomic_store(&t->unsettled, true);
                was_asked |= (word & ASKED) != 0;
                break;
            }
        }
    }
    return was_asked && xs_asked_ranges_change(-1);
}

void xs_range_end(uint64_t id) {
    struct threads *all = threads();
    unsigned slot = id & (((unsigned)1 << SLOT_BITS) - 1);
    uint64_t wanted = id >> SLOT_BITS << SERIAL_SHIFT | STARTED;
    if (!all || slot == 0 || slot > XS_RANGE_THREADS)
        return;
    struct xs_nvtx_thread *t = &all->thread[slot - 1];
    if (t == xs_nvtx_thread && enter(t))
        leave(t, true, close_own(t, SERIAL_BITS | STARTED, wanted));
    else if (XS_UNLIKELY(end_elsewhere(t, wanted)))
        xs_asked_window_changed();
}

uint32_t xs_nvtx_innermost(struct xs_event **e) {
    struct xs_nvtx_thread *t = xs_nvtx_thread;
    if (XS_UNLIKELY(atomic_load_explicit(&t->unsettled, memory_order_relaxed)))
        leave(t, enter(t), false);
    uint32_t number = RANGE_OF(innermost(t));
    if (number)
        xs_range_tell(e, number);
    return number;
}

void xs_nvtx_forget(void) {
    struct threads *all = threads();
    for (unsigned i = 0; all && i < XS_RANGE_THREADS; i++)
        if (atomic_load_explicit(&all->taken[i], memory_order_relaxed) && &all->thread[i] != xs_nvtx_thread)
            give_back(&all->thread[i]);
}
