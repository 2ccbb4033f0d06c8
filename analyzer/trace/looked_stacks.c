/* Groups stacks by their native frames; see looked_stacks.h. */
#include "analyzer/trace/looked_stacks.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/scan.h"

/* A stack stands for others if at least this many copies were looked at, and this percentage of them have it. */
enum { LEAST_LOOKED = 8, MOST_PERCENT = 90 };

/* The stacks with the same native frames that were looked at. */
struct group {
    uint64_t calls, most_calls; /* calls of all these stacks, and of the stack with the most calls */
    int64_t most;
};

struct reading {
    struct xs_hash calls;  /* maps a stack that was looked at to the number of its copies */
    struct xs_hash groups; /* by the hash of the native frames: struct group */
    struct unread {
        int64_t stack;
        uint64_t frames; /* the hash of its native frames */
    } * unread;
    size_t unread_count, unread_capacity;
};

static void add_stack(struct reading *r, int64_t stack, uint64_t frames) {
    const uint64_t *calls = xs_hash_find(&r->calls, (uint64_t)stack, 0);
    if (!calls) {
        xs_grow(&r->unread, r->unread_count, &r->unread_capacity, sizeof *r->unread);
        r->unread[r->unread_count++] = (struct unread){stack, frames};
        return;
    }
    struct group *group = xs_hash_item(&r->groups, frames, 0, sizeof *group);
    group->calls += *calls;
    if (*calls > group->most_calls) {
        group->most_calls = *calls;
        group->most = stack;
    }
}

static int read_stacks(struct reading *r, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct xs_scan scan;
    int64_t stack = 0;
    uint64_t frames = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT f.stack, f.address, f.module FROM stack_frame f JOIN stack s ON s.id = f.stack"
                  " WHERE f.address IS NOT NULL AND (s.python_frames = 0 OR s.python_thread IS NOT NULL) ORDER BY f.id",
                  message, damaged);
    while (xs_scan_row(&scan)) {
        int64_t of = xs_scan_int(&scan, 0);
        if (of != stack && stack)
            add_stack(r, stack, frames);
        frames = of == stack ? frames : 0;
        stack = of;
        frames = xs_mix(xs_mix(frames + (uint64_t)xs_scan_int(&scan, 1)) + (uint64_t)xs_scan_int(&scan, 2));
    }
    if (stack)
        add_stack(r, stack, frames);
    return xs_scan_end(&scan);
}

int xs_looked_stacks_read(struct xs_hash *looked, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct reading r = {0};
    struct xs_scan scan;
    *looked = (struct xs_hash){0};
    xs_scan_begin(&scan, trace,
                  "SELECT s.id, count(*) FROM stack s JOIN transfer t ON t.stack = s.id"
                  " WHERE s.python_thread IS NOT NULL GROUP BY s.id",
                  message, damaged);
    while (xs_scan_row(&scan))
        *xs_hash_put(&r.calls, (uint64_t)xs_scan_int(&scan, 0), 0) = xs_scan_count(&scan, 1);
    int status = xs_scan_end(&scan);
    if (status >= 0 && r.calls.count)
        status = read_stacks(&r, trace, message, damaged);
    for (size_t i = 0; i < r.unread_count && status >= 0; i++) {
        const struct group *group = xs_hash_pointer(&r.groups, r.unread[i].frames, 0);
        if (group && group->calls >= LEAST_LOOKED && group->most_calls * 100 >= group->calls * MOST_PERCENT)
            *xs_hash_put(looked, (uint64_t)r.unread[i].stack, 0) = (uint64_t)group->most;
    }
    xs_hash_free(&r.calls);
    xs_hash_free(&r.groups);
    free(r.unread);
    return status;
}
