/* Random programs, and random sets of their uploads; see steps.h. */
#include "steps.h"

#include <stdio.h>
#include <string.h>

static uint64_t next(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(uint64_t *state, unsigned limit) { return (unsigned)(next(state) % limit); }

/* Each size of the range is as likely as the doubled one. */
static uint64_t spread(uint64_t *state, unsigned doublings, uint64_t least) {
    uint64_t base = least << below(state, doublings);
    return base + next(state) % base;
}

/* How often each kind comes in most programs; each program has a taste of its own. */
static const unsigned char usual[STEP_KINDS] = {
    [STEP_UPLOAD] = 12,     [STEP_DOWNLOAD] = 5,   [STEP_MEMSET] = 2,      [STEP_KERNEL] = 9,
    [STEP_RECORD] = 3,      [STEP_WAIT_EVENT] = 3, [STEP_SYNC_STREAM] = 2, [STEP_SYNC_EVENT] = 2,
    [STEP_SYNC_DEVICE] = 1, [STEP_ALLOCATE] = 2,   [STEP_FREE] = 2,        [STEP_WORK] = 7};

struct taste {
    unsigned weights[STEP_KINDS], all;
    unsigned streams, pinned_percent, async_percent, long_doublings;
};

static struct taste taste_of(uint64_t *state) {
    struct taste t = {.streams = 1 + below(state, STREAMS),
                      .pinned_percent = below(state, 5) * 25,
                      .async_percent = below(state, 5) * 25,
                      .long_doublings = 4 + below(state, 6)};
    for (int kind = 0; kind < STEP_KINDS; kind++)
        t.all += t.weights[kind] = usual[kind] * (1 + below(state, 4));
    return t;
}

static enum step_kind kind_of(uint64_t *state, const struct taste *taste) {
    unsigned at = below(state, taste->all);
    int kind = 0;
    while (at >= taste->weights[kind])
        at -= taste->weights[kind++];
    return (enum step_kind)kind;
}

static struct step step_of(uint64_t *state, const struct taste *taste) {
    struct step s = {.kind = kind_of(state, taste), .upload = -1};
    s.stream = (int)below(state, taste->streams);
    s.event = (int)below(state, EVENTS);
    s.slot = (int)below(state, SLOTS);
    s.bytes = (size_t)spread(state, 13, 256);
    s.is_async = below(state, 100) < taste->async_percent;
    s.is_pinned = below(state, 100) < taste->pinned_percent;
    s.ns = spread(state, taste->long_doublings, 1000);
    bool is_copy = s.kind == STEP_UPLOAD || s.kind == STEP_DOWNLOAD || s.kind == STEP_MEMSET;
    if (is_copy && !s.is_async)
        s.stream = 0;
    return s;
}

void steps_make(struct steps *steps, uint64_t seed, uint64_t number) {
    uint64_t state = seed * 1000003 + number * 7919;
    bool is_live[SLOTS] = {false}, is_recorded[EVENTS] = {false};
    struct taste taste = taste_of(&state);
    int count = 20 + (int)below(&state, MAX_STEPS - 21);
    *steps = (struct steps){0};
    while (steps->count < count) {
        struct step s = step_of(&state, &taste);
        bool is_event = s.kind == STEP_WAIT_EVENT || s.kind == STEP_SYNC_EVENT;
        if ((s.kind == STEP_UPLOAD && steps->uploads == MAX_UPLOADS) || (is_event && !is_recorded[s.event]) ||
            (s.kind == STEP_ALLOCATE && is_live[s.slot]) || (s.kind == STEP_FREE && !is_live[s.slot]))
            continue;
        if (s.kind == STEP_RECORD)
            is_recorded[s.event] = true;
        if (s.kind == STEP_ALLOCATE || s.kind == STEP_FREE)
            is_live[s.slot] = s.kind == STEP_ALLOCATE;
        if (s.kind == STEP_UPLOAD)
            s.upload = steps->uploads++;
        steps->items[steps->count++] = s;
    }
    steps->items[steps->count++] = (struct step){.kind = STEP_SYNC_DEVICE, .upload = -1};
}

uint64_t steps_dropped(const struct steps *steps, uint64_t seed, uint64_t number, int set) {
    uint64_t state = seed * 31 + number * 131071 + (uint64_t)set, all = 0, dropped = 0;
    if (set == 0 || steps->uploads == 0)
        return 0;
    all = steps->uploads == MAX_UPLOADS ? UINT64_MAX : (UINT64_C(1) << steps->uploads) - 1;
    if (set == 1)
        return all;
    if (set == 2)
        return UINT64_C(1) << below(&state, (unsigned)steps->uploads);
    unsigned percent = 10 + below(&state, 81);
    for (int i = 0; i < steps->uploads; i++)
        dropped |= (uint64_t)(below(&state, 100) < percent) << i;
    return dropped;
}

void steps_describe(const struct step *s, char *text, size_t bytes) {
    static const char *const names[STEP_KINDS + 1] = {"upload",
                                                      "download",
                                                      "memset",
                                                      "kernel",
                                                      "record event",
                                                      "wait event",
                                                      "sync stream",
                                                      "sync event",
                                                      "sync device",
                                                      "allocate",
                                                      "free",
                                                      "host work",
                                                      ""};
    char detail[96] = "";
    switch (s->kind) {
    case STEP_UPLOAD:
    case STEP_DOWNLOAD:
        snprintf(detail, sizeof detail, " %zu bytes, %s, %s", s->bytes, s->is_pinned ? "pinned" : "pageable",
                 s->is_async ? "async" : "blocking");
        break;
    case STEP_MEMSET:
        snprintf(detail, sizeof detail, " %zu bytes, %s", s->bytes, s->is_async ? "async" : "plain");
        break;
    case STEP_KERNEL:
    case STEP_WORK:
        snprintf(detail, sizeof detail, " %.1f us", (double)s->ns / 1e3);
        break;
    case STEP_RECORD:
    case STEP_WAIT_EVENT:
    case STEP_SYNC_EVENT:
        snprintf(detail, sizeof detail, " %d", s->event);
        break;
    case STEP_ALLOCATE:
    case STEP_FREE:
        snprintf(detail, sizeof detail, " slot %d", s->slot);
        break;
    case STEP_SYNC_STREAM:
    case STEP_SYNC_DEVICE:
    case STEP_KINDS:
        break;
    }
    bool has_stream = s->kind != STEP_SYNC_EVENT && s->kind != STEP_SYNC_DEVICE && s->kind != STEP_ALLOCATE &&
                      s->kind != STEP_FREE && s->kind != STEP_WORK;
    if (has_stream)
        snprintf(text, bytes, "[%d] %s%s", s->stream, names[s->kind], detail);
    else
        snprintf(text, bytes, "%s%s", names[s->kind], detail);
}
