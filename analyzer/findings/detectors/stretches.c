/* Goes through one device's intervals in order of time; see stretches.h. */
#include "analyzer/findings/detectors/stretches.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

enum { TOUCHES = 65536 };
static const uint64_t apart_ns = 1000000; /* two stretches with a longer idle time between them are not neighbours */

/* --- what the kernels were given --- */

static void widen(struct xs_stretch_touch *touch, uint64_t first_ns, uint64_t last_ns) {
    touch->first_ns = xs_least(touch->first_ns, first_ns);
    touch->last_ns = last_ns > touch->last_ns ? last_ns : touch->last_ns;
}

static void touch_unseen(struct xs_stretches *s, uint64_t first_ns, uint64_t last_ns) {
    if (!s->unseen.allocation)
        s->unseen = (struct xs_stretch_touch){1, first_ns, last_ns};
    widen(&s->unseen, first_ns, last_ns);
}

static void forget_touches(struct xs_stretches *s) {
    for (uint32_t i = 0; i < s->touch_count; i++)
        xs_hash_remove(&s->touched, (uint64_t)s->touches[i].allocation, 0);
    s->touch_count = 0;
}

static const struct xs_stretch_touch *touch_of(const struct xs_stretches *s, int64_t allocation) {
    const uint64_t *found = xs_hash_find(&s->touched, (uint64_t)allocation, 0);
    return found ? &s->touches[*found - 1] : NULL;
}

static void touch(struct xs_stretches *s, int64_t allocation, uint64_t first_ns, uint64_t last_ns) {
    uint64_t *found = xs_hash_put(&s->touched, (uint64_t)allocation, 0);
    if (*found) {
        widen(&s->touches[*found - 1], first_ns, last_ns);
        return;
    }
    xs_grow(&s->touches, s->touch_count, &s->touch_capacity, sizeof *s->touches);
    s->touches[s->touch_count++] = (struct xs_stretch_touch){allocation, first_ns, last_ns};
    *found = s->touch_count;
    if (s->touch_count == TOUCHES) { /* the table is full, so the memory that the kernels used is treated as unknown */
        forget_touches(s);
        touch_unseen(s, 0, s->busy_ns);
    }
}

/* Blocks the downloads of memory that the launch used. The launch's kernel ended during this stretch of copies, so
 * these downloads cannot be moved past it to the kernels that follow. */
static void block_downloads(struct xs_stretches *s, const struct xs_stretch_launch *launch) {
    for (unsigned i = 0; i < s->copy_count; i++) {
        struct xs_stretch_copy *copy = &s->copies[i];
        bool given = !launch->arguments_seen;
        for (unsigned k = 0; k < launch->argument_count && !given; k++)
            given = launch->arguments[k] == copy->allocation;
        copy->blocked = copy->blocked || (given && !copy->is_upload);
    }
}

static void kernel_ended(struct xs_stretches *s, const struct xs_stretch_kernel *kernel) {
    if (s->current == XS_STRETCH_OF_COPIES)
        block_downloads(s, &kernel->launch);
    else
        s->last_launch = kernel->launch.id;
    if (!kernel->launch.arguments_seen)
        touch_unseen(s, kernel->begin_ns, s->busy_ns);
    for (unsigned i = 0; i < kernel->launch.argument_count && kernel->launch.arguments_seen; i++)
        touch(s, kernel->launch.arguments[i], kernel->begin_ns, s->busy_ns);
}

/* --- pairs --- */

/* A copy, and the length of the kernels' busy time in which it may run: an upload at the end of that time, a download
 * at the beginning. */
struct room {
    const struct xs_stretch_copy *copy;
    uint64_t ns;
};

static int by_room(const void *a, const void *b) {
    const struct room *x = a, *y = b;
    return xs_compare_uint64(x->ns, y->ns) ?: xs_compare(x->copy->start_ns, y->copy->start_ns);
}

static uint64_t room_of(const struct xs_stretches *s, const struct xs_stretch_copy *copy, bool unseen_too) {
    const struct xs_stretch_touch *own = touch_of(s, copy->allocation);
    const struct xs_stretch_touch *unseen = unseen_too && s->unseen.allocation ? &s->unseen : NULL;
    /* calls that the host made after the download may depend on the downloaded data, and so on all kernels before it */
    bool had = copy->is_upload ? copy->after_download : s->first_launch_ns >= copy->end_ns;
    if (had)
        return own || unseen ? 0 : s->busy_ns;
    if (copy->is_upload) /* the kernels use older data, of another batch, so the new data can be uploaded to a second
                          * buffer */
        return s->busy_ns;
    uint64_t left = s->busy_ns;
    left = own ? xs_least(left, own->first_ns) : left;
    return unseen ? xs_least(left, unseen->first_ns) : left;
}

/* Finds the copies that have room, sorted by room, the smallest first. */
static unsigned find_rooms(const struct xs_stretches *s, const struct xs_stretch_copy *copies, unsigned count,
                           bool uploads, bool unseen_too, struct room *rooms) {
    unsigned fitting = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct xs_stretch_copy *copy = &copies[i];
        if (copy->is_upload != uploads || copy->blocked || !copy->ns || copy->idle_ns > copy->ns)
            continue;
        uint64_t ns = room_of(s, copy, unseen_too);
        if (ns && ns >= copy->idle_ns)
            rooms[fitting++] = (struct room){copy, ns};
    }
    xs_sort(rooms, fitting, sizeof *rooms, by_room);
    return fitting;
}

/* Assigns the copies to their rooms. Each room contains the smaller ones, and one engine makes all copies, so the copy
 * with the smallest room is the first. */
static uint64_t fill(const struct xs_stretches *s, const struct xs_stretch_copy *copies, unsigned count, bool uploads,
                     bool unseen_too, struct xs_stretch_pair *pair) {
    struct room rooms[XS_STRETCH_COPIES];
    unsigned fitting = find_rooms(s, copies, count, uploads, unseen_too, rooms);
    *pair = (struct xs_stretch_pair){.decided = unseen_too, .call_ns = INT64_MAX};
    for (unsigned i = 0; i < fitting; i++) {
        const struct xs_stretch_copy *copy = rooms[i].copy;
        uint64_t ns = xs_least(rooms[i].ns, pair->ns + copy->ns);
        if (ns == pair->ns) /* no room is left for this copy */
            continue;
        pair->ns = ns;
        pair->copies++;
        pair->copy_ns += copy->ns;
        pair->bytes += copy->bytes;
        if (copy->call_ns < pair->call_ns) {
            pair->call_ns = copy->call_ns;
            pair->transfer = copy->transfer;
            pair->site = copy->site;
        }
    }
    return pair->ns;
}

/* Pairs the stretch of kernels with the uploads after it, or with the downloads before it. True: a pair was found for
 * certain, so its copies are used up. */
static bool pair_up(struct xs_stretches *s, const struct xs_stretch_copy *copies, unsigned count, uint64_t copies_ns,
                    bool uploads) {
    struct xs_stretch_pair pair;
    if (s->used || !s->busy_ns ||
        (!fill(s, copies, count, uploads, true, &pair) &&
         (!s->unseen.allocation || !fill(s, copies, count, uploads, false, &pair))))
        return false;
    pair.ns = xs_least(pair.ns, copies_ns); /* two of the copies may have run at the same time */
    pair.launch = uploads ? s->last_launch : s->first_launch;
    s->found(s->context, &pair);
    s->used = s->used || pair.decided;
    return pair.decided;
}

/* --- stretches --- */

static void end_kernels(struct xs_stretches *s) {
    pair_up(s, s->waiting, s->waiting_count, s->waiting_ns, false);
    s->waiting_count = 0;
}

/* Drops copies that ended while there is no stretch of copies. Kernels ran from the beginning of these copies to their
 * end, so the copies already overlap kernels. */
static void drop_ended_copies(struct xs_stretches *s) {
    unsigned count = 0;
    for (unsigned i = 0; i < s->copy_count; i++)
        if (s->copies[i].runs)
            s->copies[count++] = s->copies[i];
    s->copy_count = count;
}

static void begin_copies(struct xs_stretches *s) {
    drop_ended_copies(s);
    s->copies_ns = 0;
    s->current = XS_STRETCH_OF_COPIES;
}

/* Ends a stretch of copies. Downloads that were not paired are kept in `waiting` for the kernels that follow. */
static void end_copies(struct xs_stretches *s) {
    bool used = pair_up(s, s->copies, s->copy_count, s->copies_ns, true);
    s->waiting_count = 0;
    for (unsigned i = 0; i < s->copy_count && !used; i++) {
        struct xs_stretch_copy *copy = &s->waiting[s->waiting_count];
        *copy = s->copies[i];
        if (copy->is_upload || copy->blocked)
            continue;
        copy->idle_ns = s->idle_ns - copy->idle_ns;
        s->waiting_count++;
    }
    s->waiting_ns = s->copies_ns;
    s->copy_count = 0;
}

static void begin_kernels(struct xs_stretches *s) {
    forget_touches(s);
    s->busy_ns = 0;
    s->unseen = (struct xs_stretch_touch){0};
    s->used = false;
    s->download_end_ns = INT64_MAX;
    for (unsigned i = 0; i < s->running_count; i++) {
        struct xs_stretch_kernel *kernel = &s->running[i];
        kernel->begin_ns = 0;
        if (!i || kernel->launch.enter_ns < s->first_launch_ns) {
            s->first_launch_ns = kernel->launch.enter_ns;
            s->first_launch = kernel->launch.id;
        }
    }
    s->current = XS_STRETCH_OF_KERNELS;
}

static void end_all(struct xs_stretches *s) {
    if (s->current == XS_STRETCH_OF_COPIES)
        end_copies(s);
    else if (s->current == XS_STRETCH_OF_KERNELS)
        end_kernels(s);
    s->current = XS_STRETCH_NONE;
    s->copy_count = s->waiting_count = 0;
    s->busy_ns = 0;
}

/* Advances the time by `ns`, during which nothing begins or ends. */
static void pass(struct xs_stretches *s, uint64_t ns) {
    bool copies = s->copies_end_ns > s->now_ns, kernels = s->running_count != 0;
    if (!copies && !kernels) {
        s->idle_ns += ns;
        if (ns > apart_ns)
            end_all(s);
        return;
    }
    if (kernels && !copies) {
        if (s->current == XS_STRETCH_OF_COPIES)
            end_copies(s);
        if (s->current != XS_STRETCH_OF_KERNELS)
            begin_kernels(s);
        s->busy_ns += ns;
    }
    if (copies && !kernels) {
        if (s->current == XS_STRETCH_OF_KERNELS)
            end_kernels(s);
        if (s->current != XS_STRETCH_OF_COPIES)
            begin_copies(s);
        s->copies_ns += ns;
        for (unsigned i = 0; i < s->copy_count; i++)
            s->copies[i].ns += s->copies[i].runs ? ns : 0;
    }
    if (kernels)
        s->idle_at_end_ns = s->idle_ns;
}

static void retire(struct xs_stretches *s, bool copies_ran) {
    unsigned running = 0;
    for (unsigned i = 0; i < s->running_count; i++)
        if (s->running[i].end_ns <= s->now_ns)
            kernel_ended(s, &s->running[i]);
        else
            s->running[running++] = s->running[i];
    s->running_count = running;
    for (unsigned i = 0; i < s->copy_count && copies_ran; i++) {
        struct xs_stretch_copy *copy = &s->copies[i];
        if (!copy->runs || copy->end_ns > s->now_ns)
            continue;
        copy->runs = false;
        if (!copy->is_upload)
            copy->idle_ns = s->idle_ns; /* replaced by the idle time since then when the stretch of copies ends */
    }
}

static void advance(struct xs_stretches *s, int64_t to) {
    while (s->now_ns < to) {
        int64_t next = to;
        bool copies_run = s->copies_end_ns > s->now_ns;
        if (copies_run && s->copies_end_ns < next)
            next = s->copies_end_ns;
        for (unsigned i = 0; i < s->running_count; i++)
            next = s->running[i].end_ns < next ? s->running[i].end_ns : next;
        for (unsigned i = 0; i < s->copy_count && copies_run; i++)
            if (s->copies[i].runs && s->copies[i].end_ns < next)
                next = s->copies[i].end_ns;
        pass(s, (uint64_t)next - (uint64_t)s->now_ns);
        s->now_ns = next;
        retire(s, copies_run);
    }
}

void xs_stretches_begin(struct xs_stretches *s, xs_stretch_found *found, void *context) {
    memset(s, 0, sizeof *s);
    s->download_end_ns = INT64_MAX;
    s->found = found;
    s->context = context;
}

void xs_stretches_kernel(struct xs_stretches *s, int64_t start_ns, int64_t end_ns,
                         const struct xs_stretch_launch *launch) {
    advance(s, start_ns);
    if (end_ns <= s->now_ns)
        return;
    if (s->running_count == XS_STRETCH_KERNELS) { /* a device runs fewer kernels at once */
        struct xs_stretch_kernel *last = &s->running[XS_STRETCH_KERNELS - 1];
        last->launch.arguments_seen = false;
        last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
        return;
    }
    s->running[s->running_count++] = (struct xs_stretch_kernel){*launch, end_ns, s->busy_ns};
}

/* Returns an entry for a copy. If all entries are in use, this is the entry of the shortest copy; NULL: the new copy is
 * not longer than that. */
static struct xs_stretch_copy *place_for(struct xs_stretches *s, int64_t length_ns) {
    if (s->copy_count < XS_STRETCH_COPIES)
        return &s->copies[s->copy_count++];
    struct xs_stretch_copy *shortest = &s->copies[0];
    for (unsigned i = 1; i < s->copy_count; i++) {
        struct xs_stretch_copy *copy = &s->copies[i];
        if (copy->end_ns - copy->start_ns < shortest->end_ns - shortest->start_ns)
            shortest = copy;
    }
    return shortest->end_ns - shortest->start_ns < length_ns ? shortest : NULL;
}

void xs_stretches_copy(struct xs_stretches *s, const struct xs_trace_event *event, bool follows) {
    const struct xs_interval_view *interval = &event->u.interval;
    bool up = interval->direction == XS_DIR_H2D;
    advance(s, event->enter_ns);
    int64_t start_ns = s->now_ns, end_ns = event->return_ns;
    if (end_ns <= start_ns)
        return;
    if (s->current != XS_STRETCH_OF_COPIES)
        drop_ended_copies(s);
    struct xs_stretch_copy *copy = interval->transfer ? place_for(s, end_ns - start_ns) : NULL;
    if (copy)
        *copy = (struct xs_stretch_copy){.start_ns = start_ns,
                                         .end_ns = end_ns,
                                         .call_ns = interval->call_ns,
                                         .transfer = interval->transfer,
                                         .allocation = interval->device_allocation,
                                         .bytes = interval->bytes,
                                         .idle_ns = up ? s->idle_ns - s->idle_at_end_ns : 0,
                                         .site = event->site,
                                         .is_upload = up,
                                         .runs = true,
                                         .blocked = !follows,
                                         .after_download = up && s->download_end_ns <= interval->call_ns};
    for (unsigned i = 0; i < s->copy_count && up;
         i++) /* a download of memory that this upload overwrites must come first */
        if (!s->copies[i].is_upload && s->copies[i].allocation == interval->device_allocation)
            s->copies[i].blocked = true;
    if (!up && end_ns < s->download_end_ns)
        s->download_end_ns = end_ns;
    s->copies_end_ns = end_ns > s->copies_end_ns ? end_ns : s->copies_end_ns;
}

void xs_stretches_finish(struct xs_stretches *s) {
    int64_t end_ns = s->copies_end_ns;
    for (unsigned i = 0; i < s->running_count; i++)
        end_ns = s->running[i].end_ns > end_ns ? s->running[i].end_ns : end_ns;
    advance(s, end_ns);
    end_all(s);
}

void xs_stretches_free(struct xs_stretches *s) {
    xs_hash_free(&s->touched);
    free(s->touches);
}
