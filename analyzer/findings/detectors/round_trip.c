/* round-trip: an upload of bytes that an earlier download had brought to the host. Memory use grows with the number of
 * contents that were downloaded and not yet uploaded, up to a limit. */
#include "analyzer/findings/engine/detector.h"

#include <utlist.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/pool.h"
#include "analyzer/trace/scan.h"

enum { SAME_DEVICE, CROSS_DEVICE, MEMORY_FULL };
/* A device counts as full if allocations have this percentage of its memory. Allocations contain neither the memory of
 * contexts and their code nor the gaps between allocations. The trace does not show how much of its memory an allocator
 * (of PyTorch, XLA) has given to the program, so the remedy says "if". */
enum { FULL_PERCENT = 90 };
enum { KEPT = 256 }; /* number of latest downloads that are kept for one content */

struct download {
    int64_t transfer, at_ns;
    int32_t device;
    uint64_t host_address;
    struct xs_region_ref region;
    struct xs_times times;
    struct download *prev, *next; /* neighbours in the list of the content's downloads; next: an older one */
};

struct content {
    struct download *latest;
    unsigned count;
};

struct memory {
    uint64_t live_bytes;
    int64_t full_ns; /* the latest time at which the device was full, plus 1; 0: never */
};

struct state {
    struct xs_hash memory;   /* by device: struct memory */
    struct xs_hash contents; /* struct content */
    struct xs_hash arrived;  /* maps host address and bytes of a download that was not yet uploaded from there to its
                              * enum xs_look + 1 */
    struct xs_pool download_pool;
    size_t downloads;   /* number of downloads in all contents */
    int64_t refused_ns; /* the latest time at which an allocation failed for want of memory, plus 1; 0: never */
    bool any, has_forgotten;
};

static void key_of(const struct xs_transfer_view *t, uint64_t key[2]) {
    key[0] = t->content.low ^ xs_mix(t->bytes);
    key[1] = t->content.high;
}

static struct content *find(const struct state *state, const struct xs_transfer_view *t) {
    uint64_t key[2];
    key_of(t, key);
    return xs_hash_pointer(&state->contents, key[0], key[1]);
}

static void take_out(struct state *state, const uint64_t key[2], struct content *content, struct download *download) {
    DL_DELETE(content->latest, download);
    xs_pool_give(&state->download_pool, download);
    state->downloads--;
    if (!--content->count)
        xs_hash_remove(&state->contents, key[0], key[1]);
}

/* Forgets the content that was downloaded longest ago. */
static void forget_content(struct state *state) {
    const struct xs_hash_entry *oldest = xs_hash_next(&state->contents, NULL);
    const uint64_t key[2] = {oldest->low, oldest->high};
    struct content *content = (struct content *)(uintptr_t)oldest->value;
    for (unsigned left = content->count; left; left--)
        take_out(state, key, content, content->latest);
    state->has_forgotten = true;
}

/* Makes room for one more download, and for where it arrived. */
static void make_room(struct xs_detection *detection) {
    struct state *state = detection->state;
    while (state->downloads >= detection->most_contents)
        forget_content(state);
    if (state->arrived.count >= detection->most_contents) {
        const struct xs_hash_entry *oldest = xs_hash_next(&state->arrived, NULL);
        xs_hash_remove(&state->arrived, oldest->low, oldest->high);
    }
}

static void add_download(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    struct state *state = detection->state;
    uint64_t key[2];
    state->any = true;
    make_room(detection);
    *xs_hash_put(&state->arrived, t->dst_address, t->bytes) = 1 + (uint64_t)xs_look_of(t);
    if (t->state != XS_CONTENT_KNOWN)
        return;
    key_of(t, key);
    struct content *content = xs_hash_item(&state->contents, key[0], key[1], sizeof *content);
    state->download_pool.item_bytes = sizeof(struct download);
    struct download *download = xs_pool_take(&state->download_pool);
    *download = (struct download){.transfer = event->id,
                                  .at_ns = event->enter_ns,
                                  .device = event->device,
                                  .host_address = t->dst_address,
                                  .region = xs_region_refer(t->region),
                                  .times = xs_event_times(event)};
    DL_PREPEND(content->latest, download);
    state->downloads++;
    if (state->contents.count > detection->most_contents / 2) /* renewing takes time, and is seldom needed */
        xs_hash_renew(&state->contents, key[0], key[1]);
    if (content->count++ == KEPT)
        take_out(state, key, content, content->latest->prev); /* the oldest one */
}

/* True if an upload matches a download. Small contents may be equal by chance, so they match only if the upload's
 * source is the download's destination, or the upload's destination is the download's source. */
static bool matches(const struct xs_transfer_view *t, const struct download *download) {
    if (!t->is_small || (download->host_address && download->host_address == t->src_address))
        return true;
    return t->region && xs_region_live(download->region) == t->region;
}

enum { FROM_ELSEWHERE, FROM_A_DOWNLOAD };

/* Adds an upload to the sample. An upload from the memory to which a download went is decided by both copies. Any other
 * upload is compared with all downloads that were looked at. The two cases have different chances of being decided, so
 * they are two situations. */
static void sample(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *t = &event->u.transfer;
    const uint64_t *arrived = xs_hash_find(&state->arrived, t->src_address, t->bytes);
    if (!arrived) {
        xs_sample(detection, event, FROM_ELSEWHERE, xs_drawn_alone(t));
        return;
    }
    xs_sample(detection, event, FROM_A_DOWNLOAD, xs_drawn_pair(t, (enum xs_look)(*arrived - 1)));
    xs_hash_remove(&state->arrived, t->src_address, t->bytes);
}

/* True if the region that was downloaded surely still holds the bytes. */
static bool still_holds(const struct xs_detection *detection, const struct xs_transfer_view *t,
                        const struct xs_region *region) {
    return region && region->has_content && region->content_bytes == t->bytes &&
           xs_fingerprint_equal(&region->content, &t->content) &&
           xs_region_state(detection->residency, region) == XS_REGION_SURE;
}

static struct memory *memory_of(struct state *state, int32_t device) {
    return xs_hash_item(&state->memory, (uint64_t)(uint32_t)device, 0, sizeof(struct memory));
}

static bool is_full(const struct xs_detection *detection, int32_t device) {
    double all = (double)xs_device_memory(detection, device);
    return all > 0 && (double)memory_of(detection->state, device)->live_bytes >= all * FULL_PERCENT / 100;
}

/* Keeps track of how full the device is. Memory of other processes and of modules does not count, because the program
 * cannot free it. */
static void take_memory(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_allocation *a = event->u.allocation;
    bool is_own = a->origin == XS_ORIGIN_ALLOC || a->origin == XS_ORIGIN_POOL || a->origin == XS_ORIGIN_VMM;
    if (a->kind != XS_MEM_DEVICE || a->device < 0 || !is_own)
        return;
    struct memory *memory = memory_of(detection->state, a->device);
    if (event->on == XS_ON_ALLOCATION)
        memory->live_bytes = xs_sum(memory->live_bytes, a->bytes);
    if (is_full(detection, a->device))
        memory->full_ns = event->enter_ns + 1;
    if (event->on == XS_ON_FREE)
        memory->live_bytes -= a->bytes < memory->live_bytes ? a->bytes : memory->live_bytes;
}

/* True if the device was full at some time since the download, so that the data may have made room for other data. A
 * trace does not say on which device an allocation was refused, so a refusal counts for all devices. */
static bool was_full(const struct xs_detection *detection, const struct download *download) {
    const struct state *state = detection->state;
    return state->refused_ns > download->at_ns ||
           memory_of(detection->state, download->device)->full_ns > download->at_ns ||
           is_full(detection, download->device);
}

static void on_upload(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *t = &event->u.transfer;
    if (state->any)
        sample(detection, event);
    if (t->state != XS_CONTENT_KNOWN) {
        if (state->any)
            xs_undecided(detection, xs_missing_content(t));
        return;
    }
    struct content *content = find(state, t);
    if (!content) {
        if (state->has_forgotten)
            xs_undecided(detection, XS_UNDECIDED_FORGOTTEN);
        return;
    }
    struct download *download = content->latest;
    while (download && !matches(t, download))
        download = download->next;
    if (!download) {
        xs_undecided(detection, XS_UNDECIDED_CHANCE);
        return;
    }
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this upload");
    instance.verdict = download->device == event->device ? SAME_DEVICE : CROSS_DEVICE;
    instance.apart = download->times;
    instance.held = still_holds(detection, t, xs_region_live(download->region));
    if (instance.verdict == SAME_DEVICE && !instance.held && was_full(detection, download))
        instance.verdict = MEMORY_FULL;
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, download->transfer, "the download that brought it");
    uint64_t key[2];
    key_of(t, key);
    take_out(state, key, content, download);
    xs_report_and_claim(detection, event, &instance);
}

/* Notes that an allocation was refused. Other processes, contexts and fragments of free memory may take more than a
 * tenth of the device, so a refusal shows that the device was full. */
static void take_refusal(struct state *state, const struct xs_trace_event *event) {
    if (xs_is_refusal(event))
        state->refused_ns = event->enter_ns + 1;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    if (event->on == XS_ON_API)
        take_refusal(detection->state, event);
    else if (event->on != XS_ON_TRANSFER)
        take_memory(detection, event);
    else if (event->ran && xs_is_upload(event))
        on_upload(detection, event);
    else if (event->ran && xs_is_download(event))
        add_download(detection, event);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->memory);
    xs_hash_free(&state->contents);
    xs_hash_free(&state->arrived);
    xs_pool_free(&state->download_pool);
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    struct xs_hash memory = state->memory;
    state->memory = (struct xs_hash){0};
    end(detection);
    *state = (struct state){.memory = memory};
}

const struct xs_detector xs_detector_round_trip = {
    .id = "round-trip",
    .title = "uploads of bytes that were downloaded before",
    .definition = "An earlier download had brought exactly these bytes from a device, and now they are uploaded again.",
    .remedy = "Leave the data on the device.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP_BOTH,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_API) |
             XS_WANT_NOT_RUN,
    .state_bytes = sizeof(struct state),
    .verdicts = {{"same-device", "Leave the data on the device, or copy on the device.", XS_REPAIR_OF_DETECTOR},
                 {"cross-device", "Copy from device to device (a peer copy) instead of through the host.",
                  XS_REPAIR_PEER_COPY},
                 {"memory-full",
                  "If the data had to make room, because nearly all of the device's memory was allocated, make room so "
                  "that it can stay, or swap it in the background, on a stream of its own, and do not download what "
                  "the device did not change.",
                  XS_REPAIR_OF_DETECTOR}},
    .unsure_verdicts = 1u << MEMORY_FULL,
    .on_event = on_event,
    .on_gap = on_gap,
    .end = end,
};
