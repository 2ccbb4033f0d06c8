/* Finds host threads that wait for each other; see handoffs.h. */
#include "analyzer/savings/replay/handoffs.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/link.h"
#include "schema/format/kinds.h"

/* A shorter time is no pause, because a framework may work that long between two calls. */
#define LEAST_PAUSE_NS 200000
/* The time from the other thread's last call to this thread's call must be at most a quarter of each thread's pause.
 * Half is enough where threads are known to hand over to each other. */
#define CLOSE 4
#define CLOSE_ENOUGH 2
/* The other thread must end at least this percentage of a pair's pauses, and at least this number of them. Half of many
 * pauses is enough, because a program may begin with other work. By chance, the other thread ends at most a quarter of
 * them. */
#define MOST_PERCENT 75
#define LEAST_COUNT 3
#define MANY_PERCENT 50
#define MANY_COUNT 20
/* Threads with higher numbers are not searched. */
#define THREADS 64

/* Counts the pauses of one thread in which another thread made calls. The other thread ended some pauses (`ended`), and
 * may have ended more, because it was close enough (`maybe_ended`). */
struct pair {
    uint32_t pauses, ended, maybe_ended;
};

struct search {
    struct xs_model *model;
    int32_t threads;
    uint32_t *latest;   /* by thread: its latest call so far, or XS_NO_CALL */
    int64_t *first_ns;  /* by thread: the enter of its first call */
    struct pair *pairs; /* [thread that made calls][thread that paused] */
    struct pair *any;   /* by thread that paused: a pause counts once, with the latest call of all other threads */
};

static int64_t pause_after(const struct search *s, uint32_t call) {
    const struct xs_model *model = s->model;
    uint32_t next = model->calls[call].next;
    return (next == XS_NO_CALL ? model->run_ns : model->calls[next].enter_ns) - model->calls[call].return_ns;
}

/* Returns how long a library may copy an upload's bytes into page-locked memory before the call. A program
 * that uploads from page-locked memory of its own need not copy them. */
static int64_t staging_ns(const struct xs_model_call *call) {
    bool may_be_staged = call->kind == XS_MODEL_TRANSFER && call->direction == XS_DIR_H2D && !call->is_of_batch &&
                         call->memory_kind == XS_MEM_PINNED && call->is_of_library;
    return may_be_staged ? xs_model_ns((int64_t)((double)call->bytes * XS_STAGING_NS_PER_BYTE)) : 0;
}

/* True if `last`, which is the other thread's last call, ended the pause of the call's thread that began at
 * `since_ns`. */
static bool is_close(const struct search *s, uint32_t call, int64_t since_ns, uint32_t last, int64_t part) {
    const struct xs_model_call *c = &s->model->calls[call], *l = &s->model->calls[last];
    int64_t delay = c->enter_ns - l->return_ns - staging_ns(c), pause = pause_after(s, last);
    return delay <= (c->enter_ns - since_ns) / part && delay <= pause / part && pause >= LEAST_PAUSE_NS &&
           pause >= c->return_ns - l->return_ns;
}

static struct pair *pair_of(const struct search *s, int32_t other, int32_t thread) {
    return &s->pairs[other * s->threads + thread];
}

/* Returns the other thread's last call if it was made within the pause; else XS_NO_CALL. */
static uint32_t last_within(const struct search *s, int32_t other, int64_t since_ns, int64_t until_ns) {
    uint32_t last = s->latest[other];
    if (last == XS_NO_CALL || s->model->calls[last].enter_ns < since_ns || s->model->calls[last].return_ns > until_ns)
        return XS_NO_CALL;
    return last;
}

static void count(struct search *s, uint32_t call, int64_t since_ns) {
    const struct xs_model_call *c = &s->model->calls[call];
    uint32_t latest = XS_NO_CALL;
    for (int32_t other = 0; other < s->threads; other++) {
        uint32_t last = other == c->thread ? XS_NO_CALL : last_within(s, other, since_ns, c->enter_ns);
        if (last == XS_NO_CALL)
            continue;
        struct pair *pair = pair_of(s, other, c->thread);
        pair->pauses++;
        pair->ended += is_close(s, call, since_ns, last, CLOSE);
        pair->maybe_ended += is_close(s, call, since_ns, last, CLOSE_ENOUGH);
        if (latest == XS_NO_CALL || s->model->calls[last].return_ns > s->model->calls[latest].return_ns)
            latest = last;
    }
    if (latest != XS_NO_CALL) {
        s->any[c->thread].pauses++;
        s->any[c->thread].ended += is_close(s, call, since_ns, latest, CLOSE);
    }
}

static bool are_most(uint32_t count, const struct pair *pair) {
    uint64_t percent = pair->pauses ? (uint64_t)count * 100 / pair->pauses : 0;
    return (count >= LEAST_COUNT && percent >= MOST_PERCENT) || (count >= MANY_COUNT && percent >= MANY_PERCENT);
}

static bool hands_over(const struct search *s, int32_t from, int32_t to) {
    const struct pair *there = pair_of(s, from, to), *back = pair_of(s, to, from);
    return are_most(there->ended, there) || (are_most(back->ended, back) && are_most(there->maybe_ended, there));
}

/* True if all calls of the other thread came within the pause, and `last` is its last call and ended soon before the
 * pause ended. A thread pauses like this while it waits for a thread that it started. This happens once in the life of
 * the other thread, so no number of pauses can confirm it. */
static bool is_joined(const struct search *s, uint32_t call, int64_t since_ns, uint32_t last) {
    const struct xs_model_call *c = &s->model->calls[call], *l = &s->model->calls[last];
    return l->next == XS_NO_CALL && s->first_ns[l->thread] >= since_ns &&
           c->enter_ns - l->return_ns <= (c->enter_ns - since_ns) / CLOSE;
}

static void set(struct search *s, uint32_t call, int64_t since_ns) {
    struct xs_model_call *c = &s->model->calls[call];
    bool any = are_most(s->any[c->thread].ended, &s->any[c->thread]);
    int64_t latest_ns = -1;
    for (int32_t other = 0; other < s->threads; other++) {
        uint32_t last = other == c->thread ? XS_NO_CALL : last_within(s, other, since_ns, c->enter_ns);
        if (last == XS_NO_CALL || s->model->calls[last].return_ns <= latest_ns)
            continue;
        bool is_handed = (any || hands_over(s, other, c->thread)) && is_close(s, call, since_ns, last, CLOSE_ENOUGH);
        if (!is_handed && !is_joined(s, call, since_ns, last))
            continue;
        latest_ns = s->model->calls[last].return_ns;
        c->handed_by = last + 1;
    }
}

static void each_pause(struct search *s, void (*look)(struct search *s, uint32_t call, int64_t since_ns)) {
    const struct xs_model *model = s->model;
    for (int32_t t = 0; t < s->threads; t++)
        s->latest[t] = XS_NO_CALL;
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (call->thread >= s->threads)
            continue;
        uint32_t previous = s->latest[call->thread];
        int64_t since_ns = previous == XS_NO_CALL ? 0 : model->calls[previous].return_ns;
        if (call->enter_ns - since_ns >= LEAST_PAUSE_NS)
            look(s, i, since_ns);
        s->latest[call->thread] = i;
    }
}

/* Marks calls that a framework's threads make for the main thread as handed over by it. Such a thread makes several
 * calls in a row, such as the recording of an event before a copy. The main thread's latest call hands over the first
 * of these calls. If the main thread makes its next call right after such calls, it paused for them. */
static void hand_over_for_main(struct xs_model *model) {
    enum {
        TOGETHER_NS = 50000, /* calls with a shorter pause between them belong together */
        AFTER_NS = 200000    /* the main thread goes on so soon after what it paused for */
    };
    struct group {
        bool is_of_main;
        uint32_t first, by; /* index of the first call, and of the main thread's latest call before it, plus 1 */
    } *groups = xs_zeroed((size_t)model->threads + 1, sizeof *groups);
    int64_t *returned = xs_zeroed((size_t)model->threads + 1, sizeof *returned);
    uint32_t main_call = 0, done = 0; /* the latest calls of the main thread and for it, plus 1 */
    for (uint32_t i = 0; i < model->call_count; i++) {
        struct xs_model_call *call = &model->calls[i];
        if (call->thread == model->main_thread) {
            int64_t since_ns = main_call ? model->calls[main_call - 1].return_ns : call->enter_ns;
            const struct xs_model_call *last = done ? &model->calls[done - 1] : NULL;
            if (last && last->enter_ns > since_ns && call->enter_ns - since_ns >= LEAST_PAUSE_NS &&
                last->return_ns <= call->enter_ns && call->enter_ns - last->return_ns <= AFTER_NS)
                call->handed_by = done;
            main_call = i + 1;
            continue;
        }
        struct group *group = &groups[call->thread];
        if (call->enter_ns - returned[call->thread] > TOGETHER_NS || !returned[call->thread]) {
            uint32_t by = main_call;
            while (by && model->calls[by - 1].return_ns > call->enter_ns)
                by = model->calls[by - 1].previous == XS_NO_CALL ? 0 : model->calls[by - 1].previous + 1;
            *group = (struct group){false, i, by};
        }
        returned[call->thread] = call->return_ns;
        group->is_of_main |= call->is_of_main;
        done = group->is_of_main ? i + 1 : done;
        if (call->is_of_main && group->by)
            model->calls[group->first].handed_by = group->by;
    }
    free(groups);
    free(returned);
}

void xs_model_find_handoffs(struct xs_model *model) {
    int32_t threads = model->threads < THREADS ? model->threads : THREADS;
    if (threads < 2)
        return;
    struct search s = {.model = model,
                       .threads = threads,
                       .latest = xs_realloc(NULL, (size_t)threads * sizeof *s.latest),
                       .first_ns = xs_zeroed((size_t)threads, sizeof *s.first_ns),
                       .pairs = xs_zeroed((size_t)threads * (size_t)threads, sizeof *s.pairs),
                       .any = xs_zeroed((size_t)threads, sizeof *s.any)};
    for (uint32_t i = model->call_count; i-- > 0;)
        if (model->calls[i].thread < threads)
            s.first_ns[model->calls[i].thread] = model->calls[i].enter_ns;
    each_pause(&s, count);
    each_pause(&s, set);
    hand_over_for_main(model);
    free(s.latest);
    free(s.first_ns);
    free(s.pairs);
    free(s.any);
}
