/* duplicate-upload: content that was uploaded to the same device before. Memory use grows with the number of distinct
 * contents, and with the number of pairs of a content and a live region to which it was uploaded, up to a limit. */
#include "analyzer/findings/engine/detector.h"

#include <utlist.h>

#include "analyzer/base/hash.h"

enum { OVERWRITTEN, ELSEWHERE, UNKNOWN, FREED };
enum { FIRST_SWEEP = 1024 };

struct content;

/* A region to which a small content was uploaded from a certain host address. */
struct holder {
    struct content *content;
    struct xs_region_ref region;
    int64_t transfer;           /* the latest such upload */
    bool listed;                /* it is in the list of holders of its content */
    struct holder *prev, *next; /* neighbours in that list */
};

struct content {
    int64_t transfer; /* the latest upload of the content */
    uint32_t number;
    struct holder *holders;
    uint64_t key[2]; /* in state.contents */
};

/* The state. There may be too many pairs of content and region for a cache, and each upload looks up one pair. So all
 * data about a pair is in its hash slot. */
struct state {
    struct xs_hash contents; /* maps content and device (and host address) to struct content */
    struct xs_hash pairs;    /* maps content and region to the latest upload of the content to the region */
    struct xs_hash holders;  /* maps small content and region to struct holder */
    struct content *coming;  /* the entry of the transfer that on_event receives next; NULL: none */
    uint32_t content_count;
    size_t sweep_pairs_at, sweep_holders_at;
    bool any, has_forgotten;
};

/* Makes the key of a content. A small content has one more entry for each host address from which it was uploaded. Only
 * these entries count when regions are compared. */
static void key_of(const struct xs_trace_event *event, uint64_t source, uint64_t key[2]) {
    const struct xs_transfer_view *t = &event->u.transfer;
    key[0] = t->content.low ^ xs_mix(t->bytes);
    key[1] = t->content.high + xs_mix((uint64_t)(uint32_t)(event->device + 2) ^ xs_mix(source));
}

static struct content *content_find(const struct state *state, const struct xs_trace_event *event, uint64_t source) {
    uint64_t key[2];
    key_of(event, source, key);
    return xs_hash_pointer(&state->contents, key[0], key[1]);
}

/* Makes the key of a pair from the content's number, the pointer to the region's struct, and the lower half of its uid.
 * This half distinguishes the region from earlier regions in the same struct, because their uids never differ by
 * 2^32. */
static void pair_key(const struct content *content, const struct xs_region *region, uint64_t key[2]) {
    key[0] = (uint64_t)content->number << 32 | (uint32_t)region->uid;
    key[1] = (uint64_t)(uintptr_t)region;
}

static uint64_t *pair_find(const struct state *state, const struct content *content, const struct xs_region *region) {
    uint64_t key[2];
    if (!content || !region)
        return NULL;
    pair_key(content, region, key);
    return xs_hash_find(&state->pairs, key[0], key[1]);
}

/* Returns the value of a pair. A row id below 1 is damage and cannot be evidence, but the pair still counts. */
static uint64_t pair_value(int64_t transfer) { return transfer > 0 ? (uint64_t)transfer : UINT64_MAX; }

static void unlist(struct holder *holder) {
    if (holder->listed)
        DL_DELETE(holder->content->holders, holder);
    holder->listed = false;
}

/* Drops pairs of regions that have ended. This is done often enough that they never outnumber the pairs of live regions
 * by much. */
static void sweep_pairs(struct state *state) {
    if (state->pairs.count < state->sweep_pairs_at)
        return;
    for (const struct xs_hash_entry *entry = xs_hash_next(&state->pairs, NULL), *next; entry; entry = next) {
        const struct xs_region *region = (const struct xs_region *)(uintptr_t)entry->high;
        next = xs_hash_next(&state->pairs, entry);
        if (!region->uid || (uint32_t)region->uid != (uint32_t)entry->low)
            xs_hash_remove(&state->pairs, entry->low, entry->high);
    }
    state->sweep_pairs_at = state->pairs.count * 2 + FIRST_SWEEP;
}

static void sweep_holders(struct state *state) {
    if (state->holders.count < state->sweep_holders_at)
        return;
    for (const struct xs_hash_entry *entry = xs_hash_next(&state->holders, NULL), *next; entry; entry = next) {
        struct holder *holder = (struct holder *)(uintptr_t)entry->value;
        next = xs_hash_next(&state->holders, entry);
        if (xs_region_live(holder->region))
            continue;
        unlist(holder);
        xs_hash_remove(&state->holders, entry->low, entry->high);
    }
    state->sweep_holders_at = state->holders.count * 2 + FIRST_SWEEP;
}

static void forget(struct state *state, struct content *content) {
    while (content->holders) {
        struct holder *holder = content->holders;
        unlist(holder);
        xs_hash_remove(&state->holders, (uintptr_t)content, holder->region.uid);
    }
    xs_hash_remove(&state->contents, content->key[0], content->key[1]);
    state->has_forgotten = true;
}

static struct content *content_make(struct xs_detection *detection, const struct xs_trace_event *event,
                                    uint64_t source) {
    struct state *state = detection->state;
    uint64_t key[2];
    key_of(event, source, key);
    if (state->contents.count >= detection->most_contents)
        forget(state, (struct content *)(uintptr_t)xs_hash_next(&state->contents, NULL)->value);
    struct content *made = xs_hash_item(&state->contents, key[0], key[1], sizeof *made);
    made->number = ++state->content_count;
    made->key[0] = key[0];
    made->key[1] = key[1];
    return made;
}

/* Notes that a content is used now, so that others are forgotten first. This costs time, so it is done only if contents
 * may have to be forgotten soon. */
static void content_use(struct xs_detection *detection, struct content *content) {
    struct state *state = detection->state;
    if (state->contents.count > detection->most_contents / 2)
        xs_hash_renew(&state->contents, content->key[0], content->key[1]);
}

/* Adds a pair. Returns the address of its value. */
static uint64_t *pair_make(struct xs_detection *detection, const struct content *content,
                           const struct xs_region *region) {
    struct state *state = detection->state;
    uint64_t key[2];
    pair_key(content, region, key);
    sweep_pairs(state);
    if (state->pairs.count >= detection->most_pairs) {
        const struct xs_hash_entry *oldest = xs_hash_next(&state->pairs, NULL);
        xs_hash_remove(&state->pairs, oldest->low, oldest->high);
    }
    return xs_hash_put(&state->pairs, key[0], key[1]);
}

/* Remembers an upload. `content` and `pair`: the content's entry, and the region's entry in it, if they exist. */
static void remember(struct xs_detection *detection, const struct xs_trace_event *event, struct content *content,
                     uint64_t *pair) {
    const struct xs_region *region = event->u.transfer.region;
    if (content)
        content_use(detection, content);
    else
        content = content_make(detection, event, 0);
    content->transfer = event->id;
    if (!region)
        return;
    pair = pair ? pair : pair_make(detection, content, region);
    *pair = pair_value(event->id);
}

/* Remembers an upload of small content by its host address; the latest upload is the first of the list. */
static void remember_small(struct xs_detection *detection, const struct xs_trace_event *event, uint64_t source,
                           struct content *content) {
    const struct xs_region *region = event->u.transfer.region;
    struct state *state = detection->state;
    if (content)
        content_use(detection, content);
    else
        content = content_make(detection, event, source);
    content->transfer = event->id;
    if (!region)
        return;
    struct holder *holder = xs_hash_pointer(&state->holders, (uintptr_t)content, region->uid);
    if (!holder) {
        sweep_holders(state);
        holder = xs_hash_item(&state->holders, (uintptr_t)content, region->uid, sizeof *holder);
        *holder = (struct holder){.content = content, .region = xs_region_refer(region)};
    }
    holder->transfer = event->id;
    unlist(holder);
    DL_PREPEND(content->holders, holder);
    holder->listed = true;
}

/* Does what xs_region_holding does, but for small content: considers only regions to which the same host address was
 * uploaded. */
static enum xs_region_state search_small(const struct xs_detection *detection, const struct xs_transfer_view *t,
                                         struct content *others, const struct holder **found) {
    enum xs_region_state best = XS_REGION_NOTHING;
    unsigned looked_at = 0;
    struct holder *next;
    for (struct holder *holder = others ? others->holders : NULL;
         holder && looked_at < XS_REGIONS_LOOKED_AT && best != XS_REGION_SURE; holder = next) {
        const struct xs_region *region = xs_region_live(holder->region);
        next = holder->next;
        if (!region) {
            unlist(holder);
            continue;
        }
        looked_at++;
        if (region == t->region || !region->has_content || region->content_bytes != t->bytes ||
            !xs_fingerprint_equal(&region->content, &t->content))
            continue;
        enum xs_region_state state = xs_region_state(detection->residency, region);
        if (state > best) {
            best = state;
            *found = holder;
        }
    }
    return best;
}

/* Searches another region that surely holds the content, or else one that may hold it. Also finds the upload that is
 * evidence for it. `held` becomes true if the region surely holds the content and that upload brought it there. */
static enum xs_region_state search(const struct xs_detection *detection, const struct xs_trace_event *event,
                                   struct content *others, int64_t *earlier, bool *held) {
    const struct xs_transfer_view *t = &event->u.transfer;
    const struct holder *holder = NULL;
    const struct xs_region *region = NULL;
    enum xs_region_state state = t->is_small ? search_small(detection, t, others, &holder)
                                             : xs_region_holding(detection->residency, event, &region);
    const uint64_t *pair = pair_find(detection->state, others, region);
    if (pair)
        *earlier = (int64_t)*pair;
    if (holder)
        *earlier = holder->transfer;
    *held = state == XS_REGION_SURE && (pair || holder);
    return state;
}

static void report(struct xs_detection *detection, const struct xs_trace_event *event, unsigned verdict,
                   int64_t earlier, bool held) {
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this upload");
    instance.verdict = verdict;
    instance.held = held;
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, earlier, "an earlier upload of the same content");
    if (verdict == OVERWRITTEN || verdict == ELSEWHERE) /* the device still has to copy the bytes */
        instance.removable =
            xs_times_less(instance.removable, xs_link_ns(detection->link, XS_LINK_D2D, event->u.transfer.bytes));
    xs_report_and_claim(detection, event, &instance);
}

/* Decides about an upload (docs/rules/analysis.md, "duplicate-upload"). `here` is the latest upload of the content to
 * this region; 0: none. `others` has the uploads of the content to any region; for small content, only those from the
 * same host address. */
static void decide(struct xs_detection *detection, const struct xs_trace_event *event, int64_t here,
                   struct content *others) {
    const struct xs_transfer_view *t = &event->u.transfer;
    int64_t earlier = others ? others->transfer : 0;
    if (!here && !others) {
        xs_undecided(detection, XS_UNDECIDED_CHANCE);
        return;
    }
    if (here && (t->pre == XS_PRE_INFERRED || t->pre == XS_PRE_MEASURED)) {
        report(detection, event, OVERWRITTEN, here, false);
        return;
    }
    bool held = false;
    enum xs_region_state state = search(detection, event, others, &earlier, &held);
    if (t->pre == XS_PRE_UNKNOWN) {
        /* the upload may be a no-op; it is only certain that this region, or another one that may still hold the
         * content, had it */
        if (here || state == XS_REGION_UNSURE)
            report(detection, event, UNKNOWN, here ? here : earlier, false);
        else
            xs_undecided(detection, XS_UNDECIDED_BEFORE);
    } else if (state == XS_REGION_NOTHING) {
        report(detection, event, FREED, others ? earlier : here, false);
    } else {
        report(detection, event, state == XS_REGION_SURE ? ELSEWHERE : UNKNOWN, earlier, held);
    }
}

static void before_transfer(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *t = &event->u.transfer;
    if (!xs_is_upload(event) || t->state != XS_CONTENT_KNOWN)
        return;
    state->coming = content_find(state, event, 0);
    if (state->coming && t->region) {
        uint64_t key[2];
        pair_key(state->coming, t->region, key);
        xs_hash_expect(&state->pairs, key[0], key[1]);
    }
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *t = &event->u.transfer;
    if (!xs_is_upload(event))
        return;
    if (!state->sweep_pairs_at)
        state->sweep_pairs_at = state->sweep_holders_at = FIRST_SWEEP;
    if (state->any) /* the first upload may have been one that the sample left out, so the estimate may be too low */
        xs_sample(detection, event, 0, xs_drawn_alone(t));
    if (t->state != XS_CONTENT_KNOWN) {
        if (state->any)
            xs_undecided(detection, xs_missing_content(t));
        return;
    }
    bool held = t->pre == XS_PRE_INFERRED || t->pre == XS_PRE_MEASURED;
    uint64_t source = t->src_address | 1ull << 63;
    struct content *anywhere = state->coming;
    struct content *others = t->is_small ? content_find(state, event, source) : anywhere;
    uint64_t *here = pair_find(state, anywhere, t->region);
    /* a no-op upload is reported only by noop-upload; the first upload of a content never counts */
    if (anywhere && !(held && xs_fingerprint_equal(&t->before, &t->content)))
        decide(detection, event, here ? (int64_t)*here : 0, others);
    else if (!anywhere && state->has_forgotten)
        xs_undecided(detection, XS_UNDECIDED_FORGOTTEN);
    remember(detection, event, anywhere, here);
    if (t->is_small)
        remember_small(detection, event, source, others);
    state->any = true;
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->contents);
    xs_hash_free(&state->pairs);
    xs_hash_free(&state->holders);
}

static void on_gap(struct xs_detection *detection) {
    end(detection);
    *(struct state *)detection->state = (struct state){0};
}

const struct xs_detector xs_detector_duplicate_upload = {
    .id = "duplicate-upload",
    .title = "uploads of bytes that were uploaded to this device before",
    .definition = "The same bytes had been uploaded to this device before, to this address or to another.",
    .remedy = "Upload it once, and keep it on the device.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .state_bytes = sizeof(struct state),
    .verdicts =
        {{"overwritten",
          "Upload it once, before the loop, and use it there. If the program changes it, keep an unchanged copy "
          "on the device, and copy from that.",
          XS_REPAIR_DEVICE_COPY},
         {"elsewhere", "Share the buffer on the device that already holds these bytes, or copy from it.",
          XS_REPAIR_DEVICE_COPY},
         {"unknown", "Find out whether the kernels in between change it; if they do not, drop the upload.",
          XS_REPAIR_OF_DETECTOR},
         {"freed", "Keep what was uploaded: its memory was freed, or other data was written into it.",
          XS_REPAIR_OF_DETECTOR}},
    .verdicts_join = true,
    .on_event = on_event,
    .before_transfer = before_transfer,
    .on_gap = on_gap,
    .end = end,
};
