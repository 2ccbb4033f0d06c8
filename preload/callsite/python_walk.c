/* Walks the calling thread's Python frames. This is a hot path, which mostly only reads objects that the frames of the
 * calling thread keep alive. */
#include "preload/callsite/python_copy.h"

XS_HOT uint64_t mixed(uint64_t a, uint64_t b) { /* wyhash's mum */
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64u);
}

/* Hashes content. If it has at most 1 KiB, all its bytes are hashed, because one more source line may change only one
 * byte of a table. If it is larger, only samples of it are hashed. */
XS_HOT uint64_t content_hash(uintptr_t at, uint64_t bytes) {
    enum { PAIRS = 64 };
    const uint64_t first = UINT64_C(0xa0761d6478bd642f), second = UINT64_C(0xe7037ed1a0b428db);
    uint64_t h = bytes, step = bytes > PAIRS * 16 ? bytes / PAIRS : 16;
    if (bytes > INT32_MAX)
        return 0; /* no code object has so many bytes */
    if (bytes < 16) {
        uint64_t one = 0, two = 0;
        if (bytes >= 8) {
            one = xs_python_word(at), two = xs_python_word(at + bytes - 8);
        } else if (bytes >= 4) {
            one = (uint32_t)xs_python_int(at), two = (uint32_t)xs_python_int(at + bytes - 4);
        } else if (bytes > 0) {
            one = xs_python_byte(at),
            two = (uint64_t)xs_python_byte(at + bytes / 2) << 8u | xs_python_byte(at + bytes - 1);
        }
        return mixed(one ^ first ^ bytes << 56u, two ^ second);
    }
    for (uint64_t i = 0; i < bytes - 16; i += step)
        h += mixed(xs_python_word(at + i) ^ (first + i * second), xs_python_word(at + i + 8) ^ second);
    return h ^ mixed(xs_python_word(at + bytes - 16) ^ first, xs_python_word(at + bytes - 8) ^ second);
}

XS_HOT uint64_t text_hash(const struct xs_python_layout *l, uintptr_t text) {
    uint32_t state = (uint32_t)xs_python_int(text + XS_PYTHON_TEXT_STATE);
    uint64_t length = xs_python_word(text + XS_PYTHON_TEXT_LENGTH);
    if (!(state & XS_PYTHON_TEXT_COMPACT))
        return length;
    uint64_t kind = (state >> XS_PYTHON_TEXT_KIND_SHIFT) & XS_PYTHON_TEXT_KIND_MASK;
    return content_hash(text + ((state & XS_PYTHON_TEXT_ASCII) ? l->ascii : l->compact), length * kind) ^ kind;
}

struct last_text { /* the last file name and its hash: neighbouring frames often have the same file */
    uintptr_t text;
    uint64_t hash;
};

/* Computes the identity of a code object. When a notebook's cell is run again, or text is compiled again, another code
 * object may get the address of a freed one, and its texts and tables may get the same addresses as well. So the
 * content of the texts and tables is hashed. Since 3.12 this is not necessary, because each code object has a unique
 * number. */
XS_HOT uint64_t identity_of(const struct xs_python_layout *l, uintptr_t code, const struct xs_python_texts *t,
                            struct last_text *file) {
    uint64_t a = t->filename ^ (t->name << 20u);
    uint64_t b = t->lines ^ ((uint64_t)(uint32_t)xs_python_int(code + l->first_line) << 20u);
    uint64_t c = xs_python_word(code + (l->shape == XS_PYTHON_FRAMES ? XS_PYTHON_OB_SIZE : l->body));
    uint32_t tag = l->version_tag ? (uint32_t)xs_python_int(code + l->version_tag) : 0;
    if (tag) {
        c ^= (uint64_t)tag << 32u;
    } else {
        if (file->text != t->filename)
            *file = (struct last_text){t->filename, text_hash(l, t->at_filename)};
        a += file->hash;
        b ^= content_hash(t->at_lines + XS_PYTHON_BYTES_DATA, xs_python_word(t->at_lines + XS_PYTHON_OB_SIZE));
        c += text_hash(l, t->at_name);
    }
    return mixed(mixed(a ^ UINT64_C(0x9e3779b97f4a7c15), b ^ UINT64_C(0xbf58476d1ce4e5b9)),
                 c ^ UINT64_C(0x94d049bb133111eb));
}

/* ---- what may be read ---- */

/* A stack may be taken in a signal handler while the interpreter is in the middle of a change: 3.11 and 3.12 publish a
 * pointer to a frame before the frame has values. So before a page is read directly for the first time, the kernel is
 * asked whether it is readable. A page may be unmapped later, but only such a half-made frame can contain a pointer to
 * it. */
enum { PAGES = 8192, PAGE_SHIFT = 12, PAGE_PROBES = 8 };
static _Atomic uintptr_t known_pages[PAGES];

static __attribute__((noinline)) bool ask(uintptr_t page, _Atomic uintptr_t *slot) {
    uint8_t byte;
    if (!xs_python_probe(&byte, page << PAGE_SHIFT, 1))
        return false;
    atomic_store_explicit(slot, page, memory_order_relaxed);
    return true;
}

XS_HOT bool is_readable_page(uintptr_t page) {
    size_t first = (page * UINT64_C(0x9e3779b97f4a7c15)) >> 51u; /* 13 bits */
    for (size_t i = 0; i < PAGE_PROBES; i++) {
        _Atomic uintptr_t *slot = &known_pages[(first + i) % PAGES];
        uintptr_t known = atomic_load_explicit(slot, memory_order_relaxed);
        if (XS_LIKELY(known == page))
            return true;
        if (known == 0)
            return ask(page, slot);
    }
    return ask(page, &known_pages[first]);
}

/* True if `bytes` bytes, less than a page, are readable. `*last` is a page that is known to be readable. */
XS_HOT bool is_readable(uintptr_t at, size_t bytes, uintptr_t *last) {
    if (!xs_python_plausible(at))
        return false;
    uintptr_t page = at >> PAGE_SHIFT, end = (at + bytes - 1) >> PAGE_SHIFT;
    if (page == *last && end == *last)
        return true;
    if (!is_readable_page(page) || (end != page && !is_readable_page(end)))
        return false;
    *last = end;
    return true;
}

/* ---- the walk ---- */

/* The frames found so far. */
struct out {
    struct xs_python_frame *frames;
    unsigned count, limit;
    bool is_cut, is_broken; /* is_broken: what was read cannot be a stack */
    bool is_open;           /* the last frame written is not yet known to be the outermost frame of its C call */
    uintptr_t frame_page, code_page; /* the pages that were checked last */
    struct last_text file;
    size_t frame_bytes, code_bytes; /* bytes up to the last field that is read; more may not be mapped */
    struct xs_python_copy *copy; /* copy of the frame and the code object that are read; NULL: they are read in place */
};

static void put(struct out *o, uint64_t code, uint64_t identity, uint32_t position, bool is_entry) {
    if (o->count == o->limit) {
        o->is_cut = true;
        return;
    }
    o->frames[o->count++] = (struct xs_python_frame){code, identity, position, is_entry};
}

/* Notes a call of the interpreter's C function. A call that has no frame to show, for example because it is returning,
 * is noted as well; else later Python frames would be merged with the wrong native frames. */
static void put_entry(struct out *o) {
    if (o->is_open)
        o->frames[o->count - 1].is_entry = true;
    else
        put(o, 0, 0, 0, true);
    o->is_open = false;
}

/* Returns where a frame can be read; 0: it cannot be read. For a frame of another thread this is a copy. */
XS_HOT uintptr_t frame_at(struct out *o, uintptr_t frame, bool is_other) {
    if (!is_other)
        return xs_python_ends() || !is_readable(frame, o->frame_bytes, &o->frame_page) ? 0 : frame;
    return xs_python_plausible(frame) && xs_python_probe(o->copy->frame, frame, o->frame_bytes)
               ? (uintptr_t)o->copy->frame
               : 0;
}

/* Returns where a code object can be read; 0: there is none at this address. */
XS_HOT uintptr_t code_at(struct out *o, const struct xs_python *p, uintptr_t code, bool is_other) {
    if (is_other)
        return xs_python_copy_code(o->copy, code) ? (uintptr_t)o->copy->code : 0;
    return is_readable(code, o->code_bytes, &o->code_page) && xs_python_word(code + XS_PYTHON_OB_TYPE) == p->code_type
               ? code
               : 0;
}

/* Finds the identity of the code object that can be read at `at`; false: it cannot be found out. */
XS_HOT bool identity_at(struct out *o, const struct xs_python_layout *l, uintptr_t at, bool is_other, uint64_t *hash) {
    struct last_text none = {0};
    struct xs_python_texts own = is_other ? (struct xs_python_texts){0} : xs_python_texts_of(l, at);
    const struct xs_python_texts *texts = is_other ? &o->copy->texts : &own;
    bool has_number = l->version_tag && xs_python_int(at + l->version_tag);
    if (is_other && !has_number && !xs_python_copy_texts(o->copy))
        return false;
    *hash = identity_of(l, at, texts, is_other ? &none : &o->file);
    return true;
}

/* Notes what leads from a frame to its code and to the next frame, and where the frame is in its code. Only the
 * innermost frame moves on while the others stay, so its place is noted apart. */
XS_HOT bool is_linked(struct out *o, const struct xs_python_layout *l, uintptr_t frame, uintptr_t at, bool is_other) {
    uintptr_t position = l->shape == XS_PYTHON_FRAMES ? l->f_at : l->f_at - 4u; /* the upper half of a word */
    return !is_other ||
           (xs_python_copy_link(o->copy, frame + l->f_previous, xs_python_word(at + l->f_previous)) &&
            xs_python_copy_link(o->copy, frame + l->f_code, xs_python_word(at + l->f_code)) &&
            (o->count ? xs_python_copy_link(o->copy, frame + position, xs_python_word(at + position))
                      : xs_python_copy_innermost(o->copy, frame + position, xs_python_word(at + position))));
}

static void give_up(struct out *o) { o->is_cut = o->is_broken = true; }

/* Walks the frames of 3.9 and 3.10. */
XS_HOT void walk_objects(struct out *o, const struct xs_python *p, uintptr_t frame, bool is_other) {
    const struct xs_python_layout *l = &p->layout;
    uint32_t unit = l->shape == XS_PYTHON_OBJECTS_WORDS ? 2 : 1;
    while (frame && !o->is_cut) {
        uint64_t identity = 0;
        uintptr_t at = frame_at(o, frame, is_other), code = at ? xs_python_word(at + l->f_code) : 0;
        uintptr_t code_copy = at ? code_at(o, p, code, is_other) : 0;
        if (!code_copy || !is_linked(o, l, frame, at, is_other) || !identity_at(o, l, code_copy, is_other, &identity)) {
            give_up(o);
            return;
        }
        int32_t last = xs_python_int(at + l->f_at);
        put(o, code, identity, last < 0 ? XS_PYTHON_BEFORE : (uint32_t)last * unit, true);
        frame = xs_python_word(at + l->f_previous);
    }
}

/* Walks the frames of 3.11 and later. Leaves out frames that have not begun yet, as the interpreter does
 * (_PyFrame_IsIncomplete). */
XS_HOT void walk_frames(struct out *o, const struct xs_python *p, uintptr_t frame, bool is_other) {
    const struct xs_python_layout *l = &p->layout;
    unsigned steps = 4 * o->limit + 1024; /* a broken chain of frames may be a cycle */
    for (uintptr_t at; frame && !o->is_cut; frame = xs_python_word(at + l->f_previous)) {
        at = frame_at(o, frame, is_other);
        if (!at || steps-- == 0 || !is_linked(o, l, frame, at, is_other)) {
            give_up(o);
            return;
        }
        uint8_t owner = xs_python_byte(at + l->f_owner);
        if (owner >= XS_PYTHON_OWNER_C) {
            put_entry(o);
            continue;
        }
        uintptr_t code = xs_python_word(at + l->f_code) & ~(uintptr_t)7; /* 3.14: a tagged reference */
        uintptr_t code_copy = code_at(o, p, code, is_other);
        uint64_t identity = 0;
        if (!code_copy) {
            give_up(o);
            return;
        }
        int64_t position = (int64_t)(xs_python_word(at + l->f_at) - (code + l->body));
        if (owner == XS_PYTHON_OWNER_GENERATOR || position >= 2 * (int64_t)xs_python_int(code_copy + l->traceable)) {
            if (!identity_at(o, l, code_copy, is_other, &identity)) {
                give_up(o);
                return;
            }
            put(o, code, identity, position < 0 || position > INT32_MAX ? XS_PYTHON_BEFORE : (uint32_t)position, false);
            o->is_open = true;
        }
        if (l->f_entry && !o->is_cut && xs_python_byte(at + l->f_entry))
            put_entry(o);
    }
    if (!frame && o->is_open && !o->is_cut)
        put_entry(o);
}

XS_HOT void walk(struct out *o, const struct xs_python *p, uintptr_t frame, bool is_other) {
    if (p->layout.shape == XS_PYTHON_FRAMES) {
        o->frame_bytes = p->layout.f_owner + 1u, o->code_bytes = p->layout.body;
        walk_frames(o, p, frame, is_other);
    } else {
        o->frame_bytes = p->layout.f_at + 4u, o->code_bytes = p->layout.lines + 8u;
        walk_objects(o, p, frame, is_other);
    }
}

XS_TLS uintptr_t xs_python_own_thread;

unsigned xs_python_walk(struct xs_python_frame *frames, unsigned limit, bool *is_cut) {
    const struct xs_python *p = &xs_python;
    struct out out = {.frames = frames, .limit = limit};
    *is_cut = false;
    if (XS_UNLIKELY(atomic_load_explicit(&p->state, memory_order_acquire) != XS_PYTHON_READY) && !xs_python_prepare())
        return 0;
    uintptr_t at = xs_python_own_thread = xs_python_thread();
    if (at && p->layout.cframe)
        at = xs_python_word(at + p->layout.cframe);
    if (!at)
        return 0;
    walk(&out, p, xs_python_word(at + p->layout.current), false);
    *is_cut = out.is_cut;
    return out.count;
}

/* ---- the stack of another thread ---- */

/* False if frames of other threads cannot be read: there is no interpreter, or more than one, or it ends. The
 * interpreter's functions are called only if they are still mapped, because the program may unload a library that
 * embeds it. */
static bool may_read_others(const struct xs_python *p) {
    uint8_t code[3];
    if (atomic_load_explicit(&p->state, memory_order_acquire) != XS_PYTHON_READY || !p->latest_interpreter ||
        !p->main_interpreter || !xs_python_probe(&code[0], (uintptr_t)p->is_finalizing, 1) ||
        !xs_python_probe(&code[1], (uintptr_t)p->latest_interpreter, 1) ||
        !xs_python_probe(&code[2], (uintptr_t)p->main_interpreter, 1))
        return false;
    return !xs_python_ends() && p->is_initialized() && p->latest_interpreter() == p->main_interpreter();
}

/* Finds a thread's innermost frame. False: there is no such thread state any more. */
static bool first_frame(struct out *o, const struct xs_python_layout *l, uintptr_t thread, uint64_t pthread,
                        uintptr_t *frame) {
    uintptr_t id, at = thread;
    if (!xs_python_plausible(thread) || !xs_python_probe(&id, thread + l->thread_id, sizeof id) || id != pthread)
        return false;
    if (l->cframe && (!xs_python_probe(&at, thread + l->cframe, sizeof at) || !xs_python_plausible(at) ||
                      !xs_python_copy_link(o->copy, thread + l->cframe, at)))
        return false;
    return xs_python_probe(frame, at + l->current, sizeof *frame) &&
           xs_python_copy_link(o->copy, at + l->current, *frame);
}

int xs_python_walk_other(uintptr_t thread, uint64_t pthread, struct xs_python_frame *frames, unsigned limit,
                         struct xs_python_copy *copy, bool *is_cut) {
    const struct xs_python *p = &xs_python;
    struct out out = {.frames = frames, .limit = limit, .copy = copy};
    uintptr_t frame;
    copy->links.count = 0;
    copy->filename_of = 0;
    if (!may_read_others(p))
        return 0;
    if (!first_frame(&out, &p->layout, thread, pthread, &frame))
        return -1;
    walk(&out, p, frame, true);
    *is_cut = out.is_cut;
    return out.is_broken || !xs_python_copy_is_settled(copy) ? -1 : (int)out.count;
}

uintptr_t xs_python_copy_same_code(struct xs_python_copy *copy, const struct xs_python_frame *frame) {
    struct out out = {.copy = copy};
    uint64_t identity;
    copy->filename_of = 0;
    bool is_same = xs_python_copy_code(copy, frame->code) && xs_python_copy_texts(copy) &&
                   identity_at(&out, &xs_python.layout, (uintptr_t)copy->code, true, &identity) &&
                   identity == frame->identity;
    return is_same ? (uintptr_t)copy->code : 0;
}
