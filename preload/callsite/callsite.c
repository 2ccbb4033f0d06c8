/* Takes a stack in three steps: walks it, looks the whole stack up by the hash of its frames, and defines it in the
 * trace if it is new. */
#include "preload/callsite/callsite.h"

#include <string.h>

#include "preload/callsite/python.h"
#include "preload/callsite/stacks.h"
#include "preload/core/scratch.h"
#include "preload/core/thread_memory.h"
#include "preload/nvtx/nvtx.h"

enum { DEPTH_MAX = 512 };

_Atomic bool xs_callsite_on;
static enum xs_unwinder unwinder;
static unsigned depth_limit;

/* The calling thread's stack at this moment. */
struct walked {
    unsigned natives, pythons;
    bool is_cut;
    uint64_t pcs[DEPTH_MAX];
    struct xs_python_frame python[DEPTH_MAX];
    uint8_t definition[sizeof(struct xs_define_stack) +
                       DEPTH_MAX * (sizeof(struct xs_define_frame) + sizeof(struct xs_define_python_frame))];
};

void xs_callsite_start(const char *mode, unsigned depth) {
    static const struct {
        const char *name;
        enum xs_unwinder how;
    } modes[] = {{"auto", XS_UNWIND_AUTO}, {"fp", XS_UNWIND_FP}, {"dwarf", XS_UNWIND_DWARF}};
    unwinder = XS_UNWIND_NONE;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        unwinder = strcmp(mode, modes[i].name) == 0 ? modes[i].how : unwinder;
    }
    depth_limit = depth < DEPTH_MAX ? depth : DEPTH_MAX;
    if (unwinder != XS_UNWIND_NONE) {
        xs_python_present();
    }
    atomic_store(&xs_callsite_on, true);
}

/* ---- the hash: what multiplication mixes, two lanes (wyhash's mum) ---- */

static uint64_t mix(uint64_t a, uint64_t b) {
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void add(struct xs_stack_key *key, uint64_t word) {
    key->low = mix(key->low ^ word, UINT64_C(0xa0761d6478bd642f));
    key->high = mix(key->high ^ word, UINT64_C(0xe7037ed1a0b428db)) + key->low;
}

static struct xs_stack_key key_of(const struct walked *w) {
    struct xs_stack_key key = {UINT64_C(0x8ebc6af09c88c6e3) ^ w->natives, UINT64_C(0x589965cc75374cc3) ^ w->pythons};
    add(&key, atomic_load_explicit(&xs_native_replaced, memory_order_relaxed));
    for (unsigned i = 0; i < w->natives; i++) {
        add(&key, w->pcs[i]);
    }
    for (unsigned i = 0; i < w->pythons; i++) {
        const struct xs_python_frame *f = &w->python[i];
        add(&key, f->code);
        add(&key, f->identity);
        add(&key, (uint64_t)f->position << 1 | f->is_entry);
    }
    return key;
}

/* ---- definitions ---- */

static bool define(uint32_t number, struct walked *w, struct xs_event **e) {
    uint8_t *bytes = w->definition;
    struct xs_define_stack stack = {w->natives, w->pythons, w->is_cut, 0};
    size_t n = sizeof stack;
    memcpy(bytes, &stack, n);
    for (unsigned i = 0; i < w->natives; i++, n += sizeof(struct xs_define_frame)) {
        struct xs_define_frame frame = {w->pcs[i], xs_native_module(w->pcs[i], e), 0};
        memcpy(bytes + n, &frame, sizeof frame);
    }
    for (unsigned i = 0; i < w->pythons; i++, n += sizeof(struct xs_define_python_frame)) {
        uint32_t line = 0, code = xs_python_code(&w->python[i], &line, e);
        struct xs_define_python_frame frame = {code, line & 0x7fffffffu, w->python[i].is_entry};
        memcpy(bytes + n, &frame, sizeof frame);
    }
    return xs_define(e, XS_DEFINE_STACK, number, bytes, n);
}

struct definition {
    uint32_t number;
    struct walked *walked;
    struct xs_event **event;
    bool is_defined;
};

static void define_on_scratch(void *arg) {
    struct definition *d = arg;
    d->is_defined = define(d->number, d->walked, d->event);
}

static void define_new(uint32_t number, struct xs_stack_key key, struct walked *w, struct xs_event **e) {
    struct definition definition = {number, w, e, false};
    if (!xs_on_scratch(define_on_scratch, &definition) || !definition.is_defined) {
        xs_stacks_undefined(key);
    }
}

/* ---- taking ---- */

static void walk(struct walked *w, const struct xs_caller *caller) {
    bool cut = false, python_cut = false;
    w->natives = xs_native_walk(unwinder, caller, w->pcs, depth_limit, &cut);
    w->pythons = xs_python_walk(w->python, depth_limit, &python_cut);
    w->is_cut = cut || python_cut;
}

/* NULL: there is no stack, or no memory for it. */
static struct walked *walked_from(const struct xs_caller *caller) {
    struct walked *w = xs_thread_memory_of(XS_PART_FRAMES, sizeof *w); /* the thread's stack may be a small one */
    if (!w) {
        return NULL;
    }
    walk(w, caller);
    return w->natives || w->pythons ? w : NULL;
}

static uint32_t stack_of(struct xs_event **e, const struct xs_caller *caller) {
    struct walked *w = walked_from(caller);
    if (!w) {
        return 0;
    }
    bool is_new;
    struct xs_stack_key key = key_of(w);
    uint32_t number = xs_stacks_number(key, &is_new);
    if (is_new) {
        define_new(number, key, w, e);
    }
    return number;
}

struct xs_event *xs_callsite_take(struct xs_event *e, struct xs_caller caller) {
    uint32_t range = xs_nvtx_range(&e), stack = unwinder == XS_UNWIND_NONE ? 0 : stack_of(&e, &caller);
    e->range = range;
    e->stack = stack;
    return e;
}

uint32_t xs_callsite_number(struct xs_caller caller) {
    struct walked *w = unwinder == XS_UNWIND_NONE ? NULL : walked_from(&caller);
    if (!w) {
        return 0;
    }
    bool is_new;
    struct xs_stack_key key = key_of(w);
    uint32_t number = xs_stacks_number(key, &is_new);
    if (is_new) {
        xs_stacks_undefined(key);
    }
    return number;
}

void xs_callsite_before_fork(void) { xs_native_before_fork(); }

void xs_callsite_after_fork(void) { xs_native_after_fork(); }

void xs_callsite_forget(void) {
    xs_native_forget();
    xs_python_forget();
    xs_nvtx_forget();
}
