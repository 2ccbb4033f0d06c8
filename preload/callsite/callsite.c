/* Takes a call stack in three steps: walks the stack, finds its number by the hash of its frames, and defines it in the
 * trace if it is new. If the thread had the same stack lately, these steps are left out: it is enough to see that the
 * stack is unchanged. */
#include "preload/callsite/callsite.h"

#include <string.h>

#include "preload/callsite/beside.h"
#include "preload/callsite/python.h"
#include "preload/callsite/stack_memory.h"
#include "preload/callsite/stack_table.h"
#include "preload/core/alternate_stack.h"
#include "preload/core/own_cost.h"
#include "preload/core/thread_memory.h"
#include "preload/nvtx/nvtx.h"

enum {
    DEPTH_MAX = 512,
    SAMPLE_DEPTH_MAX = 32,
    RECENT = 16,
    REST = 64,
    BESIDE_TRIES = 3,
    MOST_BESIDE = 1000,
    MOST_OF_LAUNCHES = 1000
};
#define LAUNCH_SITE_NS 10000000u           /* least time between two launches of a thread that get call sites */
#define BESIDE_KEPT_NS UINT64_C(100000000) /* after this time a stack is walked again; see xs_python_is_as_noted */

_Atomic bool xs_callsite_on;
static enum xs_unwinder unwinder;
static unsigned depth_limit;

/* Counts how often a stack got a number but could not be defined. When this count changes, threads have to look up the
 * numbers that they remember again. */
static _Atomic unsigned undefined;

/* Counts the stacks with another thread's frames. After MOST_BESIDE no new ones are defined, because the trace keeps
 * all stacks. */
static _Atomic unsigned stacks_beside;

/* Counts the stacks that launches defined, up to MOST_OF_LAUNCHES. */
static _Atomic unsigned stacks_of_launches;

/* A native stack that the thread had lately, because a loop makes the same calls again and again. If a call comes twice
 * in a row from the same address and stack pointer, the second walk notes the words that it reads. At the third such
 * call no walk is made if these words are unchanged. */
struct recent {
    struct xs_caller caller;
    bool is_noted;
    unsigned rest; /* number of further walks that note nothing; not 0 after a walk whose notes were not enough to
                      recognise the stack */
    unsigned natives;
    struct xs_stack_key key; /* of the native frames */
    uint32_t number;         /* number of the stack, if it has no Python frames; 0: not known */
    unsigned undefined;      /* value of the global `undefined` when the number was looked up */
    struct xs_reads reads;
};

/* The calling thread's present stack. It is in memory of the thread that is kept until the thread ends. */
struct walked {
    unsigned natives, pythons;
    bool natives_cut; /* outer native frames are missing, as far as the latest walk of them says */
    bool pythons_cut;
    bool has_pcs; /* `pcs` has the native frames; false: they are the same as at the last walk for `recent` */
    struct xs_stack_key key; /* of the native frames */
    struct recent *recent;   /* the cache entry for this stack */
    uint64_t pcs[DEPTH_MAX];
    struct xs_python_frame python[DEPTH_MAX];
    uint8_t definition[sizeof(struct xs_define_stack) +
                       DEPTH_MAX * (sizeof(struct xs_define_frame) + sizeof(struct xs_define_python_frame))];
    struct recent all_recent[RECENT];
};

void xs_callsite_start(const char *mode, unsigned depth) {
    static const struct {
        const char *name;
        enum xs_unwinder how;
    } modes[] = {{"auto", XS_UNWIND_AUTO}, {"fp", XS_UNWIND_FP}, {"dwarf", XS_UNWIND_DWARF}};
    unwinder = XS_UNWIND_NONE;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        unwinder = strcmp(mode, modes[i].name) == 0 ? modes[i].how : unwinder;
    depth_limit = depth < DEPTH_MAX ? depth : DEPTH_MAX;
    if (unwinder != XS_UNWIND_NONE)
        xs_python_present();
    atomic_store(&xs_callsite_on, true);
}

/* ---- the hash: 128 bits, mixed by multiplications (wyhash's mum) ---- */

static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static void add(struct xs_stack_key *key, uint64_t word) {
    key->low = fold(key->low ^ word, UINT64_C(0xa0761d6478bd642f));
    key->high = fold(key->high ^ word, UINT64_C(0xe7037ed1a0b428db)) + key->low;
}

static struct xs_stack_key key_of_natives(const uint64_t *pcs, unsigned count) {
    struct xs_stack_key key = {UINT64_C(0x8ebc6af09c88c6e3) ^ count, UINT64_C(0x589965cc75374cc3)};
    add(&key, atomic_load_explicit(&xs_native_replaced, memory_order_relaxed));
    for (unsigned i = 0; i < count; i++)
        add(&key, pcs[i]);
    return key;
}

static struct xs_stack_key key_of(const struct walked *w) {
    struct xs_stack_key key = w->key;
    for (unsigned i = 0; i < w->pythons; i++) {
        const struct xs_python_frame *f = &w->python[i];
        add(&key, f->code);
        add(&key, f->identity);
        add(&key, (uint64_t)f->position << 1 | f->is_entry);
    }
    return key;
}

/* ---- definitions ---- */

static size_t define_head(struct walked *w, uint32_t python_thread, enum xs_sleep sleep) {
    struct xs_define_stack stack = {w->natives, w->pythons, w->natives_cut || w->pythons_cut, (uint16_t)sleep,
                                    python_thread};
    memcpy(w->definition, &stack, sizeof stack);
    return sizeof stack;
}

static size_t define_python(struct walked *w, size_t n, const struct xs_python_frame *of, uint32_t code,
                            uint32_t line) {
    struct xs_define_python_frame frame = {code, line & 0x7fffffffu, of->is_entry};
    memcpy(w->definition + n, &frame, sizeof frame);
    return n + sizeof frame;
}

static size_t define_natives(struct walked *w, size_t n, struct xs_event **e) {
    for (unsigned i = 0; i < w->natives; i++, n += sizeof(struct xs_define_frame)) {
        struct xs_define_frame frame = {w->pcs[i], xs_native_module(w->pcs[i], e), 0};
        memcpy(w->definition + n, &frame, sizeof frame);
    }
    return n;
}

static bool define(uint32_t number, struct walked *w, struct xs_event **e) {
    size_t n = define_natives(w, define_head(w, 0, XS_AWAKE), e);
    for (unsigned i = 0; i < w->pythons; i++) {
        uint32_t line = 0, code = xs_python_code(&w->python[i], &line, e);
        n = define_python(w, n, &w->python[i], code, line);
    }
    return xs_define(e, XS_DEFINE_STACK, number, w->definition, n);
}

/* ---- taking ---- */

static struct recent *place_of(struct walked *w, const struct xs_caller *caller) {
    uint64_t hash = (caller->pc ^ caller->sp >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    return &w->all_recent[hash >> 60];
}

static bool is_from(const struct recent *r, const struct xs_caller *caller) {
    return r->caller.pc == caller->pc && r->caller.sp == caller->sp;
}

static bool is_same(const struct recent *r, const struct xs_caller *caller) {
    return r->is_noted && is_from(r, caller) && (r->caller.fp == caller->fp || !r->reads.needs_fp) &&
           xs_native_is_as_noted(&r->reads);
}

/* Walks the native frames and fills in the cache entry. is_noted is false until the entry is complete, because a signal
 * handler may jump away at any time. */
static void walk_natives(struct walked *w, const struct xs_caller *caller) {
    struct recent *r = w->recent;
    bool comes_again = is_from(r, caller), is_noting = comes_again && r->rest == 0;
    r->is_noted = false;
    atomic_signal_fence(memory_order_seq_cst);
    w->natives = xs_native_walk(unwinder, caller, w->pcs, depth_limit, &w->natives_cut, is_noting ? &r->reads : NULL);
    w->has_pcs = true;
    w->key = key_of_natives(w->pcs, w->natives);
    r->caller = *caller;
    r->natives = w->natives;
    r->key = w->key;
    r->number = 0;
    if (is_noting)
        r->rest = r->reads.is_whole ? 0 : REST;
    else
        r->rest = comes_again ? r->rest - 1 : 0;
    atomic_signal_fence(memory_order_seq_cst);
    r->is_noted = is_noting;
}

/* Takes the native frames, or finds that they are unchanged. */
static void take_natives(struct walked *w, const struct xs_caller *caller) {
    struct recent *r = w->recent = place_of(w, caller);
    if (XS_LIKELY(is_same(r, caller))) {
        w->natives = r->natives;
        w->has_pcs = false;
        w->key = r->key;
    } else {
        walk_natives(w, caller);
    }
}

/* Takes the calling thread's stack. NULL: there are no frames, or there is no memory for them. */
static struct walked *walked_from(const struct xs_caller *caller) {
    struct walked *w = xs_thread_memory_of(XS_PART_FRAMES, sizeof *w); /* the thread's stack may be too small */
    if (!w)
        return NULL;
    w->pythons_cut = false;
    take_natives(w, caller);
    w->pythons = xs_python_walk(w->python, depth_limit, &w->pythons_cut);
    if (XS_LIKELY(xs_gate_slot != NULL))
        atomic_store_explicit(&xs_gate_slot->python, xs_python_own_thread, memory_order_relaxed);
    return w->natives || w->pythons ? w : NULL;
}

/* ---- new stacks ---- */

struct definition {
    uint32_t number;
    struct walked *walked;
    const struct xs_caller *caller;
    struct xs_event **event;
    bool is_defined;
};

/* Walks again if the frames were not walked, because a definition needs all of them. False: the walk found other frames
 * than before, because the rules for unwinding are not available now. */
static bool has_all_frames(struct walked *w, const struct xs_caller *caller) {
    struct xs_stack_key key = w->key;
    if (!w->has_pcs)
        walk_natives(w, caller);
    return w->key.low == key.low && w->key.high == key.high;
}

/* Signals are blocked here, because a handler that jumps away would leave the stack without a definition. */
static void define_on_scratch(void *arg) {
    struct definition *d = arg;
    d->is_defined = has_all_frames(d->walked, d->caller) && define(d->number, d->walked, d->event);
}

static void forget_definition(struct xs_stack_key key) {
    xs_stacks_undefined(key);
    atomic_fetch_add(&undefined, 1);
}

/* Defines a new stack. False: it could not be defined, and must be defined when it is seen the next time. */
static bool define_new(uint32_t number, struct xs_stack_key key, struct walked *w, const struct xs_caller *caller,
                       struct xs_event **e) {
    struct definition definition = {number, w, caller, e, false};
    if (!xs_on_scratch(define_on_scratch, &definition) || !definition.is_defined) {
        forget_definition(key);
        return false;
    }
    return true;
}

/* ---- the Python frames of another thread ---- */

/* Adds the Python frames of another thread to a definition of `n` bytes. The frames have lines instead of positions, so
 * that there are fewer different stacks. Returns the definition's length; 0: a code object is gone, because the thread
 * runs on. Adds the frames to the key. */
static size_t define_others(struct walked *w, size_t n, struct xs_python_copy *copy, const struct xs_definer *definer,
                            struct xs_stack_key *key) {
    for (unsigned i = 0; i < w->pythons; i++) {
        const struct xs_python_frame *frame = &w->python[i];
        uint32_t line = 0, code = xs_python_code_of_other(frame, copy, &line, definer);
        if (frame->code && !code)
            return 0;
        n = define_python(w, n, frame, code, line);
        add(key, (uint64_t)code << 32 | line);
        add(key, frame->is_entry);
    }
    return n;
}

struct beside {
    struct walked *walked;
    const struct xs_caller *caller;
    struct xs_event **event;
    struct xs_beside_site *site;
    uint64_t now_ns;
    uint32_t number; /* the result; 0: nothing could be read */
    enum xs_beside_outcome outcome;
};

static bool define_in_spool(void *to, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    return xs_define(to, what, id, data, bytes);
}

static unsigned sample_depth(void) { return depth_limit < SAMPLE_DEPTH_MAX ? depth_limit : SAMPLE_DEPTH_MAX; }

/* Gives the stack that was read a number, and defines it if it is new. */
static uint32_t number_beside(const struct beside *b, const struct xs_beside_thread *thread, enum xs_sleep sleep,
                              struct xs_python_copy *copy) {
    struct walked *w = b->walked;
    const struct xs_definer definer = {define_in_spool, b->event};
    struct xs_stack_key key = w->key;
    bool is_new;
    add(&key, (uint64_t)thread->number << 32 | (sleep + 1U));
    size_t head = define_head(w, thread->number, sleep);
    size_t bytes = define_others(w, define_natives(w, head, b->event), copy, &definer, &key);
    uint32_t number = bytes ? xs_stacks_number(key, &is_new) : 0;
    if (!number || !is_new)
        return number;
    if (atomic_load_explicit(&stacks_beside, memory_order_relaxed) >= MOST_BESIDE) {
        xs_stacks_undefined(key);
        return 0;
    }
    if (!xs_define(b->event, XS_DEFINE_STACK, number, w->definition, bytes)) {
        forget_definition(key);
        return 0;
    }
    atomic_fetch_add_explicit(&stacks_beside, 1, memory_order_relaxed);
    return number;
}

/* Walks the other thread's frames into `w`. Returns their number; 0 or less: the thread has none, or it ran on. */
static int walk_beside(struct walked *w, const struct xs_beside_thread *thread, struct xs_python_copy *copy) {
    int count = -1;
    for (unsigned i = 0; i < BESIDE_TRIES && count < 0; i++)
        count = xs_python_walk_other(thread->python, thread->pthread, w->python, sample_depth(), copy, &w->pythons_cut);
    return count;
}

static bool is_noted_alike(const struct xs_python_noted *a, const struct xs_python_noted *b) {
    return a->count == b->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0 &&
           memcmp(a->value, b->value, a->count * sizeof *a->value) == 0;
}

static void read_beside(void *arg) {
    struct beside *b = arg;
    struct walked *w = b->walked;
    struct xs_beside_site *site = b->site;
    struct xs_beside_thread thread;
    struct xs_python_copy *copy = xs_thread_memory_of(XS_PART_PYTHON, xs_python_copy_bytes);
    unsigned undefined_before = atomic_load(&undefined);
    if (!copy || !xs_beside_find(&thread))
        return;
    b->outcome = XS_BESIDE_FAILED;
    bool is_known = site->thread == thread.number && b->now_ns - site->walked_ns < BESIDE_KEPT_NS &&
                    site->undefined == undefined_before && xs_python_is_as_noted(&site->noted, copy);
    int count = is_known ? 0 : walk_beside(w, &thread, copy);
    enum xs_sleep sleep = xs_beside_sleep(thread.tid);
    if (is_known && site->number[sleep]) {
        b->number = site->number[sleep];
        return;
    }
    count = is_known ? walk_beside(w, &thread, copy) : count;
    if (count <= 0 || !has_all_frames(w, b->caller)) {
        site->noted.count = 0;
        return;
    }
    struct xs_python_noted before = site->noted;
    xs_python_keep_noted(copy, &site->noted);
    is_known = is_known && is_noted_alike(&before, &site->noted);
    w->pythons = (unsigned)count;
    b->number = number_beside(b, &thread, sleep, copy);
    w->pythons = 0;
    if (!is_known || !b->number)
        memset(site->number, 0, sizeof site->number);
    site->number[sleep] = b->number;
    site->thread = thread.number;
    site->walked_ns = b->now_ns;
    site->undefined = undefined_before;
    site->noted.count = b->number ? site->noted.count : 0;
}

/* Keeps the key of the first walk. A second walk (has_all_frames) found other frames, because the rules for unwinding
 * were not available. The stack is therefore not defined now, and the next call walks again. */
static void keep_key(struct walked *w, struct xs_stack_key key) {
    w->key = key;
    w->has_pcs = w->recent->is_noted = false;
    w->recent->caller = (struct xs_caller){0};
}

/* Returns the number of the stack of the calling thread, which runs no Python code, with the Python frames that another
 * thread has now. 0: they were not read. */
static uint32_t stack_beside(struct walked *w, const struct xs_caller *caller, struct xs_event **e) {
    struct beside b = {.walked = w, .caller = caller, .event = e, .outcome = XS_BESIDE_NO_THREAD};
    if (XS_LIKELY(!xs_python_is_ready()))
        return 0;
    b.site = xs_beside_begin(w->key, &b.now_ns);
    if (!b.site)
        return 0;
    const struct xs_own_cost_work work = xs_own_cost_work_begin();
    const struct xs_stack_key key = w->key;
    xs_on_scratch(read_beside, &b);
    w->pythons_cut = false;
    if (w->key.low != key.low || w->key.high != key.high)
        keep_key(w, key);
    xs_own_cost_work_end(&work);
    xs_beside_end(b.site, b.now_ns, b.number ? XS_BESIDE_READ : b.outcome);
    return b.number;
}

/* ---- numbers ---- */

static bool is_number_known(const struct walked *w) {
    return w->pythons == 0 && w->recent->number &&
           w->recent->undefined == atomic_load_explicit(&undefined, memory_order_relaxed);
}

static void remember_number(const struct walked *w, uint32_t number, unsigned undefined_before) {
    if (w->pythons == 0) {
        w->recent->number = number;
        w->recent->undefined = undefined_before;
    }
}

/* True if one more new stack may be defined. The trace keeps all stacks, and a program may launch from very many. */
static bool may_define(bool is_launch) {
    return !is_launch || (atomic_load_explicit(&stacks_of_launches, memory_order_relaxed) < MOST_OF_LAUNCHES &&
                          atomic_fetch_add_explicit(&stacks_of_launches, 1, memory_order_relaxed) < MOST_OF_LAUNCHES);
}

/* Returns the number of the stack; `*own` gets the number of the calling thread's own frames. */
static uint32_t stack_of(struct xs_event **e, const struct xs_caller *caller, bool is_launch, uint32_t *own) {
    struct walked *w = walked_from(caller);
    if (!w)
        return 0;
    uint32_t beside = w->pythons ? 0 : stack_beside(w, caller, e);
    if (beside) {
        *own = xs_stacks_number(w->key, NULL);
        return beside;
    }
    if (XS_LIKELY(is_number_known(w)))
        return *own = w->recent->number;
    bool is_new;
    unsigned undefined_before = atomic_load(&undefined);
    struct xs_stack_key key = key_of(w);
    uint32_t number = xs_stacks_number(key, &is_new);
    if (is_new && !may_define(is_launch)) {
        xs_stacks_undefined(key);
        return *own = 0;
    }
    if (!is_new || define_new(number, key, w, caller, e))
        remember_number(w, number, undefined_before);
    return *own = number;
}

static struct xs_event *take(struct xs_event *e, const struct xs_caller *caller, bool is_launch, uint32_t *own) {
    uint32_t range = xs_nvtx_range(&e), stack = *own = 0;
    if (unwinder != XS_UNWIND_NONE)
        stack = stack_of(&e, caller, is_launch, own);
    e->range = range;
    e->stack = stack;
    return e;
}

struct xs_event *xs_callsite_take(struct xs_event *e, struct xs_caller caller, uint32_t *own) {
    return take(e, &caller, false, own);
}

struct xs_event *xs_callsite_take_launch(struct xs_event *e, struct xs_caller caller) {
    static XS_TLS uint64_t next;
    const struct xs_own_cost_work work = xs_own_cost_work_begin();
    uint32_t own;
    if (work.begun < next)
        return e;
    next = work.begun + LAUNCH_SITE_NS / XS_OWN_COST_MOST_NS * xs_own_cost_most_ticks;
    e = take(e, &caller, true, &own);
    xs_own_cost_work_end(&work);
    return e;
}

uint32_t xs_callsite_number(struct xs_caller caller) {
    const struct walked *w = unwinder == XS_UNWIND_NONE ? NULL : walked_from(&caller);
    return w ? xs_stacks_number(key_of(w), NULL) : 0;
}

/* ---- samples of other threads ---- */

uint32_t xs_callsite_sample(uint64_t python, uint64_t pthread, const struct xs_definer *definer, bool *is_lost) {
    struct walked *w = xs_thread_memory_of(XS_PART_FRAMES, sizeof *w);
    struct xs_python_copy *copy = xs_thread_memory_of(XS_PART_PYTHON, xs_python_copy_bytes);
    struct xs_stack_key key;
    bool is_new;
    *is_lost = false;
    if (unwinder == XS_UNWIND_NONE || !w || !copy)
        return 0;
    int count = xs_python_walk_other(python, pthread, w->python, sample_depth(), copy, &w->pythons_cut);
    w->natives = 0;
    w->natives_cut = false;
    w->pythons = count > 0 ? (unsigned)count : 0;
    key = key_of_natives(NULL, 0);
    size_t bytes = count > 0 ? define_others(w, define_head(w, 0, XS_AWAKE), copy, definer, &key) : 0;
    *is_lost = count != 0 && !bytes;
    uint32_t number = bytes ? xs_stacks_number(key, &is_new) : 0;
    if (!number || !is_new || definer->define(definer->to, XS_DEFINE_STACK, number, w->definition, bytes))
        return number;
    forget_definition(key);
    *is_lost = true;
    return 0;
}

void xs_callsite_forget(void) {
    atomic_store(&stacks_beside, 0);
    atomic_store(&stacks_of_launches, 0);
    xs_native_forget();
    xs_python_forget();
    xs_nvtx_forget();
}
