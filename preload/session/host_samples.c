/* Samples threads between their calls; see host_samples.h. At regular times, called ticks, this thread looks at the
 * gate slot of each thread, and compares the slot with what the previous look saw. If the slot has changed, or the
 * thread is inside the driver, nothing is sampled. Two milliseconds after a look that found changes comes another look,
 * so each sampled thread has made no call for at least two milliseconds. Short pauses are therefore sampled, too, in
 * proportion to their length. */
#include "preload/session/host_samples.h"

#include <stdatomic.h>

#include "preload/callsite/beside.h"
#include "preload/callsite/callsite.h"
#include "preload/core/call_windows.h"
#include "preload/core/quiescence.h"
#include "preload/core/state.h"
#include "schema/error.h"

#define MS UINT64_C(1000000)
#define TICK_NS (10 * MS)
#define LONGEST_TICK_NS (40 * MS) /* if threads make calls all the time */
#define AGAIN_NS (2 * MS)
#define ALLOWANCE_NS (1 * MS)    /* samples may take this time beyond their share */
#define LONGEST_LOOK_NS (5 * MS) /* a look ends after this time, so that the drain goes on */
#define MOST_SAVED_NS (20 * MS)  /* the most unused time that is kept for later samples */

enum {
    SLOTS = 1024,
    PENDING = 256,
    QUIET_TICKS = 16,   /* ticks without a sample, after which ticks are longer */
    SAMPLES = 50000,    /* after this many samples, samples are taken half as often */
    HOPELESS = 200,     /* after this many lost samples in a row comes a longer pause: a sandbox may forbid reading */
    MOST_STACKS = 1000, /* after this many new stacks no more samples are taken, because the trace keeps all stacks */
    OF_PAUSE = 32,      /* a pause gets at most this many samples until it is twice as long */
    UNREADY_WAIT_MS = 100, /* time between two looks while no interpreter is known that can be read */
    UNREADY_LOOKS = 50,    /* after this many such looks, the time between two of them is ten times as long */
    UNREADABLE_MS = 10000  /* length of the pause after HOPELESS lost samples */
};

/* What the latest look saw of a slot. */
struct seen {
    int32_t owner;
    uint32_t calls;    /* a counter that comes back to the same value after some calls */
    uint64_t measured; /* grows with the calls, but not with each of them */
    bool is_inside;
    uint64_t since_ns;   /* unchanged since then, as far as is known */
    uint64_t sampled_ns; /* the next sample stands for the time since then */
};

static struct {
    bool on;
    unsigned permille;
    uint64_t next_ns, tick_ns, spent_ns, taken, lost;
    uint64_t shared_ns; /* time up to which the share was added to left_ns */
    int64_t left_ns;    /* time of the share that is left */
    unsigned quiet_ticks, lost_in_a_row, unready_looks, stacks;
    bool is_stale; /* recording was off since the latest look, so what that look saw of the slots is out of date */
    bool is_again; /* the next look is the one two milliseconds after a tick */
    struct seen seen[SLOTS];
    struct pending {
        uint64_t at_ns, ns;
        uint32_t thread, stack;
        enum xs_sleep sleep;
    } pending[PENDING];
    unsigned pending_count;
} samples;

void xs_host_samples_start(unsigned permille) {
    samples.on = true;
    samples.permille = permille;
    samples.shared_ns = xs_monotonic_ns();
    samples.left_ns = ALLOWANCE_NS;
    samples.tick_ns = TICK_NS;
}

/* Writes definitions into the store, in a batch that begins with the first of them. */
struct batch {
    struct xs_store *store;
    bool is_open;
    int status;
};

static bool define(void *to, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    struct batch *batch = to;
    if (!batch->is_open)
        batch->status = xs_store_begin(batch->store);
    batch->is_open = true;
    samples.stacks += what == XS_DEFINE_STACK;
    if (batch->status == XS_OK)
        batch->status = xs_store_definition(batch->store, what, id, data, bytes);
    return batch->status == XS_OK;
}

static uint64_t longer(uint64_t a, uint64_t b) { return a > b ? a : b; }

static bool is_due(const struct seen *seen, uint64_t now) {
    uint64_t halvings = samples.taken / SAMPLES, pause_ns = now - seen->since_ns;
    uint64_t interval_ns = longer(TICK_NS, pause_ns / OF_PAUSE) << (halvings < 6 ? halvings : 6);
    return now - seen->sampled_ns >= interval_ns;
}

static void sample(const struct xs_gate_slot *slot, struct seen *seen, struct batch *batch, uint64_t now) {
    const struct xs_definer definer = {define, batch};
    bool is_lost;
    uint64_t python = atomic_load_explicit(&slot->python, memory_order_relaxed);
    uint32_t thread = atomic_load_explicit(&slot->thread, memory_order_relaxed);
    if (!python || !thread)
        return;
    uint32_t stack =
        xs_callsite_sample(python, atomic_load_explicit(&slot->pthread, memory_order_relaxed), &definer, &is_lost);
    enum xs_sleep sleep = stack ? xs_beside_sleep(seen->owner) : XS_SLEEP_UNKNOWN;
    samples.lost += is_lost;
    samples.lost_in_a_row = is_lost ? samples.lost_in_a_row + 1 : 0;
    /* a stack that was read while the thread began a call does not belong to the pause */
    if (!stack || atomic_load(&slot->inside) || atomic_load(&slot->owner) != seen->owner ||
        atomic_load(&slot->until_measured) != seen->calls || atomic_load(&slot->measured) != seen->measured)
        return;
    samples.pending[samples.pending_count++] = (struct pending){now, now - seen->sampled_ns, thread, stack, sleep};
    samples.taken++;
    samples.quiet_ticks = 0;
    samples.tick_ns = TICK_NS;
    seen->sampled_ns = now;
}

/* Looks at one slot. Returns true if it has changed since the latest look. */
static bool look_at(const struct xs_gate_slot *slot, struct seen *seen, struct batch *batch, uint64_t now) {
    int32_t owner = atomic_load_explicit(&slot->owner, memory_order_relaxed);
    uint32_t calls = atomic_load_explicit(&slot->until_measured, memory_order_relaxed);
    uint64_t measured = atomic_load_explicit(&slot->measured, memory_order_relaxed);
    bool is_inside = atomic_load_explicit(&slot->inside, memory_order_relaxed) != 0;
    bool has_called = calls != seen->calls || measured != seen->measured;
    if (owner != seen->owner || has_called || is_inside != seen->is_inside || samples.is_stale) {
        uint64_t sampled_ns = samples.is_stale ? now : now - (samples.tick_ns - AGAIN_NS);
        *seen = (struct seen){owner, calls, measured, is_inside, now, sampled_ns};
        return owner > 0;
    }
    if (owner > 0 && !is_inside && is_due(seen, now) && batch->status == XS_OK && samples.pending_count < PENDING)
        sample(slot, seen, batch, now);
    return false;
}

/* Sets the time of the next look. Threads that have not changed for long are looked at less often. */
static void set_next(uint64_t now, bool has_changed, uint64_t still_ns) {
    if (has_changed && !samples.is_again) {
        samples.is_again = true;
        samples.next_ns = now + AGAIN_NS;
        return;
    }
    if (++samples.quiet_ticks >= QUIET_TICKS && samples.tick_ns < LONGEST_TICK_NS) {
        samples.tick_ns *= 2;
        samples.quiet_ticks = 0;
    }
    uint64_t slow_ns = still_ns / 100 < 1000 * MS ? still_ns / 100 : 1000 * MS;
    samples.next_ns = now + longer(samples.tick_ns, slow_ns) - (samples.is_again ? AGAIN_NS : 0);
    samples.is_again = false;
}

static bool is_within_share(uint64_t now) {
    uint64_t more_ns = (now - samples.shared_ns) / 1000 * samples.permille;
    samples.left_ns += more_ns < MOST_SAVED_NS ? (int64_t)more_ns : (int64_t)MOST_SAVED_NS;
    samples.left_ns = samples.left_ns < (int64_t)MOST_SAVED_NS ? samples.left_ns : (int64_t)MOST_SAVED_NS;
    samples.shared_ns = now;
    return samples.left_ns > 0;
}

static void look(struct batch *batch, uint64_t now) {
    const struct xs_gate_slot *slot;
    bool has_changed = false;
    uint64_t still_ns = UINT64_MAX;
    for (uint32_t i = 0; i < SLOTS && (slot = xs_gate_slot_at(i)); i++) {
        if (samples.pending_count % 8 == 7 && xs_monotonic_ns() - now > LONGEST_LOOK_NS)
            break;
        has_changed |= look_at(slot, &samples.seen[i], batch, now);
        if (samples.seen[i].owner > 0 && now - samples.seen[i].since_ns < still_ns)
            still_ns = now - samples.seen[i].since_ns;
    }
    samples.is_stale = false;
    set_next(now, has_changed, still_ns);
    if (samples.lost_in_a_row >= HOPELESS) {
        samples.lost_in_a_row = HOPELESS / 2;
        samples.next_ns = now + UNREADABLE_MS * MS;
    }
}

int xs_host_samples_look(struct xs_store *store, const struct xs_clock *clock, unsigned *wait_ms) {
    struct batch batch = {.store = store};
    uint64_t now = xs_monotonic_ns();
    if (!samples.on || samples.stacks >= MOST_STACKS)
        return XS_OK;
    if (!xs_python_is_ready() || atomic_load(&xs_outside) || atomic_load(&xs_outside_sums)) {
        samples.is_stale = true;
        samples.next_ns = now + UNREADY_WAIT_MS * MS * (++samples.unready_looks > UNREADY_LOOKS ? 10 : 1);
    } else if (now >= samples.next_ns && is_within_share(now)) {
        uint64_t before_ns = xs_thread_cpu_ns();
        look(&batch, now);
        if (batch.is_open && batch.status == XS_OK)
            batch.status = xs_host_samples_write(store, clock);
        if (batch.is_open && batch.status == XS_OK)
            batch.status = xs_store_commit(store);
        else if (batch.is_open)
            xs_store_rollback(store);
        uint64_t took_ns = xs_thread_cpu_ns() - before_ns;
        samples.spent_ns += took_ns;
        samples.left_ns -= (int64_t)took_ns;
    } else if (now >= samples.next_ns) {
        samples.next_ns = now + TICK_NS;
    }
    uint64_t wait = samples.next_ns > now ? (samples.next_ns - now + MS - 1) / MS : 1;
    if (wait < *wait_ms)
        *wait_ms = (unsigned)wait;
    return batch.status;
}

int xs_host_samples_write(struct xs_store *store, const struct xs_clock *clock) {
    int status = XS_OK;
    if (!samples.on)
        return XS_OK;
    for (unsigned i = 0; i < samples.pending_count && status == XS_OK; i++) {
        const struct pending *p = &samples.pending[i];
        status = xs_store_host_sample(store, &(struct xs_host_sample){.thread = p->thread,
                                                                      .stack = p->stack,
                                                                      .at_ns = xs_clock_from_monotonic(clock, p->at_ns),
                                                                      .ns = (int64_t)p->ns,
                                                                      .sleep = p->sleep});
    }
    samples.pending_count = 0;
    if (status == XS_OK && samples.taken + samples.lost) {
        xs_store_meta_int(store, "cost.samples_ns", (int64_t)samples.spent_ns);
        xs_store_meta_int(store, "cost.samples", (int64_t)samples.taken);
        xs_store_meta_int(store, "cost.samples_lost", (int64_t)samples.lost);
    }
    return status;
}
