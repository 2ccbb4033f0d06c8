/* How long things take: latency + bytes / bandwidth by kind of memory, and one copy engine a device and direction, so
 * that copies that share a link queue up as they do on a real one. */
#include "sim.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

enum engine { TO_DEVICE, TO_HOST, WITHIN, BETWEEN, ENGINES };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t free_at_ns[XS_MAX_DEVICES][ENGINES];

uint64_t xs_now_ns(void) {
    if (xs_virtual_operation_now() != 0)
        return xs_virtual_operation_now();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void xs_wait_until_ns(uint64_t deadline_ns) {
    if (xs_is_virtual()) {
        xs_virtual_operation_reach(deadline_ns);
        return;
    }
    /* Sleeps for long times and yields for short ones, because a timer's wake-up alone takes some 60 us. */
    for (;;) {
        uint64_t now = xs_now_ns();
        if (now >= deadline_ns)
            return;
        if (deadline_ns - now > 120 * 1000) {
            uint64_t until = deadline_ns - 80 * 1000;
            struct timespec wake = {(time_t)(until / 1000000000u), (long)(until % 1000000000u)};
            while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR)
                ;
        } else {
            sched_yield();
        }
    }
}

static uint64_t scaled(uint64_t latency_ns, double gbps, size_t bytes) {
    return (uint64_t)(((double)latency_ns + (double)bytes / gbps) * xs_config()->time_scale);
}

static void reserve(int device, enum engine engine, uint64_t duration_ns, uint64_t now_ns, uint64_t *start_ns,
                    uint64_t *end_ns) {
    pthread_mutex_lock(&lock);
    uint64_t start = free_at_ns[device][engine] > now_ns ? free_at_ns[device][engine] : now_ns;
    free_at_ns[device][engine] = start + duration_ns;
    pthread_mutex_unlock(&lock);
    *start_ns = start;
    *end_ns = start + duration_ns;
}

static bool on_host(const struct xs_span *span) {
    return span->kind == XS_PAGEABLE || span->kind == XS_PINNED || span->kind == XS_REGISTERED || span->device < 0;
}

void xs_link_reserve(const struct xs_copy *copy, uint64_t now_ns, uint64_t *start_ns, uint64_t *end_ns) {
    const struct xs_config *config = xs_config();
    size_t bytes = copy->width * copy->height * copy->depth;
    bool from_host = on_host(&copy->src), to_host = on_host(&copy->dst);
    bool pageable = copy->src.kind == XS_PAGEABLE || copy->dst.kind == XS_PAGEABLE;
    uint64_t link_ns = pageable ? scaled(config->pageable_latency_ns, config->pageable_gbps, bytes)
                                : scaled(config->pinned_latency_ns, config->pinned_gbps, bytes);
    if (from_host && to_host) {
        *start_ns = now_ns;
        *end_ns = now_ns + scaled(config->pinned_latency_ns, config->pinned_gbps, bytes);
    } else if (from_host) {
        reserve(copy->dst.device, TO_DEVICE, link_ns, now_ns, start_ns, end_ns);
    } else if (to_host) {
        reserve(copy->src.device, TO_HOST, link_ns, now_ns, start_ns, end_ns);
    } else if (copy->src.device != copy->dst.device) {
        reserve(copy->src.device, BETWEEN, scaled(config->pinned_latency_ns, config->peer_gbps, bytes), now_ns,
                start_ns, end_ns);
    } else {
        reserve(copy->src.device, WITHIN, scaled(config->device_latency_ns, config->device_gbps, bytes), now_ns,
                start_ns, end_ns);
    }
}

void xs_link_reserve_bytes(int device, bool to_device, size_t bytes, uint64_t now_ns, uint64_t *start_ns,
                           uint64_t *end_ns) {
    const struct xs_config *config = xs_config();
    reserve(device, to_device ? TO_DEVICE : TO_HOST, scaled(config->pinned_latency_ns, config->pinned_gbps, bytes),
            now_ns, start_ns, end_ns);
}

uint64_t xs_link_set_ns(size_t bytes) {
    return scaled(xs_config()->device_latency_ns, xs_config()->device_gbps, bytes);
}
