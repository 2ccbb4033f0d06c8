/* Finds host threads that wait for each other; see handoffs.h. */
#include "analyzer/savings/replay/handoffs.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

/* A shorter time is no pause, because a framework may work that long between two calls. */
#define LEAST_PAUSE_NS 200000
/* The time from the other thread's last call to this thread's call must be at most a quarter of each thread's pause.
 * For threads that are known to wait for each other, at most a half. */
#define CLOSE 4
#define CLOSE_ENOUGH 2
/* The other thread must end at least this percentage of a pair's pauses, and at least this number of them. */
#define MOST_PERCENT 75
#define LEAST_COUNT 3
/* Threads with higher numbers are not searched. */
#define THREADS 64

/* How often one thread paused while another one made calls, and how often the other one ended the pause. */
struct pair {
    uint32_t pauses, ended;
};

struct search {
    struct xs_model *model;
    int32_t threads;
    uint32_t *latest;   /* by thread: its latest call so far, or XS_NO_CALL */
    struct pair *pairs; /* [thread that made calls][thread that paused] */
};

static int64_t pause_after(const struct search *s, uint32_t call) {
    const struct xs_model *model = s->model;
    uint32_t next = model->calls[call].next;
    return (next == XS_NO_CALL ? model->run_ns : model->calls[next].enter_ns) - model->calls[call].return_ns;
}

/* True if `last`, which is the other thread's last call, ended the pause of the call's thread that began at
 * `since_ns`. */
static bool is_close(const struct search *s, uint32_t call, int64_t since_ns, uint32_t last, int64_t part) {
    const struct xs_model_call *c = &s->model->calls[call], *l = &s->model->calls[last];
    int64_t delay = c->enter_ns - l->return_ns, pause = pause_after(s, last);
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
    for (int32_t other = 0; other < s->threads; other++) {
        uint32_t last = other == c->thread ? XS_NO_CALL : last_within(s, other, since_ns, c->enter_ns);
        if (last == XS_NO_CALL)
            continue;
        struct pair *pair = pair_of(s, other, c->thread);
        pair->pauses++;
        pair->ended += is_close(s, call, since_ns, last, CLOSE);
    }
}

static bool hands_over(const struct pair *pair) {
    return pair->ended >= LEAST_COUNT && (uint64_t)pair->ended * 100 >= (uint64_t)pair->pauses * MOST_PERCENT;
}

static void set(struct search *s, uint32_t call, int64_t since_ns) {
    struct xs_model_call *c = &s->model->calls[call];
    int64_t latest_ns = -1;
    for (int32_t other = 0; other < s->threads; other++) {
        uint32_t last = other == c->thread ? XS_NO_CALL : last_within(s, other, since_ns, c->enter_ns);
        if (last == XS_NO_CALL || s->model->calls[last].return_ns <= latest_ns ||
            !hands_over(pair_of(s, other, c->thread)) || !is_close(s, call, since_ns, last, CLOSE_ENOUGH))
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

/* Lets the main thread hand over to a framework's threads what they do for it. Such a thread makes some calls at once,
 * such as the recording of an event before a copy; the first of them is handed over by the main thread's latest call.
 * If the main thread makes its next call right after such calls, it paused for them. */
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
                       .pairs = xs_zeroed((size_t)threads * (size_t)threads, sizeof *s.pairs)};
    each_pause(&s, count);
    each_pause(&s, set);
    hand_over_for_main(model);
    free(s.latest);
    free(s.pairs);
}
