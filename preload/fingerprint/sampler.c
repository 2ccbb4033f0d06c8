/* The strata are hash slots of a table of counters. Two strata that have the same slot are counted together. The sample
 * remains fair, but the first copies of the later stratum are not certain to be looked at. See sampler.h. */
#include "preload/fingerprint/sampler.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/core/compiler.h"
#include "preload/fingerprint/budget.h"

#define STRATA 4096u
#define MARKS 1024u
/* Limits the number of first copies for each entry point and size. If very many stacks lead to one source line, the
 * first copies of all these stacks would take the whole budget, and be overrepresented in the sample. */
#define KINDS 512u
#define MOST_FIRST (64 * XS_SAMPLER_FIRST)
#define CLASSES 65
/* If a fingerprint costs more than this part of its copy's time, the chance of the copy is proportionally smaller. */
#define DEAR_PERCENT 10
#define CERTAIN (UINT64_C(1) << 32)
#define REFRESH 16 /* number of copies of a thread between two calls of xs_budget_part */

/* Kinds of copies that are looked at because they follow a chosen copy. */
enum mark { UPLOAD_TO = 1, DOWNLOAD_FROM, UPLOAD_OF };

static _Atomic uint32_t numbers[STRATA];
static _Atomic uint32_t firsts[KINDS]; /* first copies of strata so far, by entry point and size */
static _Atomic uint32_t marks[MARKS];  /* 0: none */
static _Atomic float part;             /* recent value of xs_budget_part */
static uint64_t salt;
static struct weight {
    float chance;      /* chance of a copy while `part` is 1 */
    uint32_t worth_ns; /* expected cost at that chance */
} weights[2][2][XS_SAMPLER_WAYS][CLASSES];

static XS_TLS uint64_t unplanned_ns; /* sum of worth_ns of the copies that xs_budget_part was not told of yet */
static XS_TLS int until_refresh;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static unsigned class_of(uint64_t bytes) { return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0; }

static struct weight weight_of(struct xs_sampler_cost cost) {
    double chance = (double)cost.copy_ns * DEAR_PERCENT / 100 / (double)cost.look_ns;
    chance = chance < 1 ? chance : 1;
    double worth = chance * (double)cost.look_ns;
    return (struct weight){(float)chance, worth < 1e9 ? (uint32_t)worth + 1 : 1000000000};
}

void xs_sampler_start(uint64_t seed, struct xs_sampler_cost (*cost)(uint64_t bytes, bool upload, bool pageable,
                                                                    enum xs_sampler_way way)) {
    salt = mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    for (unsigned i = 0; i < CLASSES * 2 * 2 * XS_SAMPLER_WAYS; i++) {
        unsigned class = i % CLASSES, kind = i / CLASSES;
        uint64_t bytes = class ? UINT64_C(1) << (class - 1) : 0;
        bool upload = kind & 1, pageable = kind >> 1 & 1;
        enum xs_sampler_way way = kind >> 2 ? XS_SAMPLER_DEVICE : XS_SAMPLER_HOST;
        weights[upload][pageable][way][class] = weight_of(cost(bytes + bytes / 2, upload, pageable, way));
    }
    for (unsigned i = 0; i < STRATA; i++)
        atomic_store_explicit(&numbers[i], 0, memory_order_relaxed);
    for (unsigned i = 0; i < KINDS; i++)
        atomic_store_explicit(&firsts[i], 0, memory_order_relaxed);
    for (unsigned i = 0; i < MARKS; i++)
        atomic_store_explicit(&marks[i], 0, memory_order_relaxed);
    atomic_store(&part, 1e9F);
    unplanned_ns = 0;
    until_refresh = 0;
}

/* ---- who follows ---- */

struct slot {
    _Atomic uint32_t *mark;
    uint32_t tag;
};

static struct slot slot_of(enum mark mark, uint64_t address, uint64_t bytes) {
    uint64_t hash = mix(address * 4 + mark + bytes * UINT64_C(0x9e3779b97f4a7c15));
    return (struct slot){&marks[hash % MARKS], (uint32_t)(hash >> 32) | 1};
}

/* Sets a mark. If two marks have the same hash slot, the later one replaces the earlier one. */
static void owe(enum mark mark, uint64_t address, uint64_t bytes) {
    struct slot slot = slot_of(mark, address, bytes);
    atomic_store_explicit(slot.mark, slot.tag, memory_order_relaxed);
}

static bool is_owed(enum mark mark, uint64_t address, uint64_t bytes) {
    struct slot slot = slot_of(mark, address, bytes);
    if (XS_LIKELY(atomic_load_explicit(slot.mark, memory_order_relaxed) != slot.tag))
        return false;
    atomic_store_explicit(slot.mark, 0, memory_order_relaxed);
    return true;
}

static bool follows(const struct xs_sampler_copy *copy) {
    if (!copy->upload)
        return is_owed(DOWNLOAD_FROM, copy->device, copy->bytes);
    bool to = is_owed(UPLOAD_TO, copy->device, copy->bytes), of = is_owed(UPLOAD_OF, copy->host, copy->bytes);
    return to || of;
}

void xs_sampler_followed(const struct xs_sampler_copy *copy, bool before_measured) {
    owe(DOWNLOAD_FROM, copy->device, copy->bytes);
    if (copy->upload && !before_measured)
        owe(UPLOAD_TO, copy->device, copy->bytes);
    else if (!copy->upload)
        owe(UPLOAD_OF, copy->host, copy->bytes);
}

/* ---- who is chosen ---- */

/* True if the copy with this number is one of the first copies of its stratum, which are always chosen. Even so, it is
 * not looked at if the budget is used up. */
static bool is_first(const struct xs_sampler_copy *copy, uint32_t number) {
    if (XS_LIKELY(number >= XS_SAMPLER_FIRST))
        return false;
    uint64_t kind = mix((uint64_t)copy->entry << 16 | class_of(copy->bytes)) % KINDS;
    return atomic_fetch_add_explicit(&firsts[kind], 1, memory_order_relaxed) < MOST_FIRST;
}

static bool is_chosen(const struct xs_sampler_copy *copy, const struct weight *weight) {
    uint64_t key = (uint64_t)copy->stack << 32 | (uint64_t)copy->entry << 16 | class_of(copy->bytes);
    uint64_t stratum = mix(key) % STRATA;
    uint32_t number = atomic_fetch_add_explicit(&numbers[stratum], 1, memory_order_relaxed);
    float chance = atomic_load_explicit(&part, memory_order_relaxed) * weight->chance;
    bool first = is_first(copy, number);
    if (chance >= 1 || first)
        return true;
    return (mix(salt ^ stratum << 32 ^ number) >> 32) < (uint64_t)(chance * (float)CERTAIN);
}

static void refresh(uint64_t now) {
    atomic_store_explicit(&part, (float)xs_budget_part(now, unplanned_ns), memory_order_relaxed);
    unplanned_ns = 0;
    until_refresh = REFRESH;
}

enum xs_sampled xs_sampler_choose(const struct xs_sampler_copy *copy, uint64_t (*now)(void)) {
    const struct weight *weight = &weights[copy->upload][copy->pageable][copy->way][class_of(copy->bytes)];
    unplanned_ns += weight->worth_ns;
    if (until_refresh-- <= 0)
        refresh(now());
    bool chosen = is_chosen(copy, weight), owed = follows(copy);
    if (!chosen && !owed)
        return XS_LEFT_OUT;
    until_refresh = 0; /* the next copy asks the budget again, because much is spent now */
    return chosen ? XS_BY_CHANCE : XS_FOLLOWS;
}
