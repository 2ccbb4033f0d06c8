/* Defines what is known about the interpreter, and declares functions that read its memory. Only the files python_*.c
 * include this file. */
#ifndef XFERSPY_PRELOAD_CALLSITE_PYTHON_LAYOUT_H
#define XFERSPY_PRELOAD_CALLSITE_PYTHON_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/callsite/python.h"
#include "preload/core/compiler.h"

enum xs_python_shape {
    XS_PYTHON_OBJECTS_BYTES, /* 3.9: one PyFrameObject for each C call; positions in bytes; line table co_lnotab */
    XS_PYTHON_OBJECTS_WORDS, /* 3.10: like 3.9, but positions in instructions of two bytes; line table of PEP 626 */
    XS_PYTHON_FRAMES,        /* since 3.11: several _PyInterpreterFrame for each C call; line table of PEP 657 */
};

struct xs_python_layout { /* python_versions.def explains the fields */
    uint16_t version;
    uint16_t shape;
    uint16_t thread_id, cframe, current;
    uint16_t f_previous, f_code, f_at, f_owner, f_entry;
    uint16_t filename, name, qualname, lines, first_line, body, traceable, version_tag;
    uint16_t ascii, compact;
};

/* Offsets of fields that are the same in all supported versions. The fields belong to struct _object, _varobject,
 * PyASCIIObject, PyBytesObject and PyTypeObject. */
enum {
    XS_PYTHON_OB_TYPE = 8,
    XS_PYTHON_OB_SIZE = 16,
    XS_PYTHON_TEXT_LENGTH = 16,
    XS_PYTHON_TEXT_STATE = 32,
    XS_PYTHON_BYTES_DATA = 32,
    XS_PYTHON_TP_FLAGS = 168,
};
/* Bits of the field `state` of struct PyASCIIObject in builds with a GIL: interned (2 bits), kind (3 bits, the number
 * of bytes per character), compact (1 bit) and ascii (1 bit). */
enum {
    XS_PYTHON_TEXT_KIND_SHIFT = 2,
    XS_PYTHON_TEXT_KIND_MASK = 7,
    XS_PYTHON_TEXT_COMPACT = 1u << 5,
    XS_PYTHON_TEXT_ASCII = 1u << 6
};
#define XS_PYTHON_IS_BYTES (UINT64_C(1) << 27) /* Py_TPFLAGS_BYTES_SUBCLASS: bytes and derived types */
#define XS_PYTHON_IS_TEXT (UINT64_C(1) << 28)  /* Py_TPFLAGS_UNICODE_SUBCLASS */

/* Values of enum _frameowner. XS_PYTHON_OWNER_C is FRAME_OWNED_BY_CSTACK in 3.12 and 3.13; in 3.14 it is
 * FRAME_OWNED_BY_INTERPRETER, and larger values have the same meaning. 3.11 has neither of these two values. */
enum { XS_PYTHON_OWNER_GENERATOR = 1, XS_PYTHON_OWNER_C = 3 };

enum xs_python_state {
    XS_PYTHON_ABSENT,    /* no interpreter was found yet */
    XS_PYTHON_UNCHECKED, /* an interpreter was found, but its layout was not yet checked with frames of a thread */
    XS_PYTHON_READY,
    XS_PYTHON_OFF, /* the interpreter cannot be read; a note in the trace has the reason */
};

struct xs_python {
    _Atomic int state; /* enum xs_python_state; once it is not ABSENT, the fields below do not change */
    struct xs_python_layout layout;
    uintptr_t code_type;
    uintptr_t finalizing; /* address of a pointer that is not NULL when the runtime is ending; 0: not known */
    void *(*this_thread)(void);
    int (*is_finalizing)(void);
    int (*is_initialized)(void);
    /* latest_interpreter returns the interpreter that was made last, and main_interpreter the one that was made first.
     * Both functions only read a variable. NULL: the library does not export them. */
    void *(*latest_interpreter)(void);
    void *(*main_interpreter)(void);
    void *library; /* a handle that is never closed, so the interpreter stays loaded; NULL: no handle was needed */
};
extern struct xs_python xs_python;

/* The texts and the line table of a code object. The first three fields are the pointers that the object contains. The
 * fields at_* say where the data can be read, which may be a copy. */
struct xs_python_texts {
    uintptr_t filename, name, lines;
    uintptr_t at_filename, at_name, at_lines;
};

/* True if the interpreter has begun to end. The interpreter then frees thread states while their threads still run, so
 * no thread state may be read. */
XS_HOT bool xs_python_ends(void) {
    const struct xs_python *p = &xs_python;
    return p->finalizing ? *(void *const volatile *)p->finalizing != NULL : p->is_finalizing() != 0;
}

/* Defines functions that read a value at an address that is known to be valid. */
#define XS_PYTHON_READ(type, name)                                                                                     \
    XS_HOT type name(uintptr_t at) {                                                                                   \
        type value;                                                                                                    \
        memcpy(&value, (const void *)at, sizeof value);                                                                \
        return value;                                                                                                  \
    }
XS_PYTHON_READ(uintptr_t, xs_python_word)
XS_PYTHON_READ(int32_t, xs_python_int)
XS_PYTHON_READ(uint8_t, xs_python_byte)
#undef XS_PYTHON_READ

/* True if `at` can be the address of an object or of a frame. */
XS_HOT bool xs_python_plausible(uintptr_t at) { return at >= 4096 && at % 8 == 0 && at < (uintptr_t)1 << 56; }

/* Returns the texts of a code object. `code` is the address at which the struct of the code object can be read. */
XS_HOT struct xs_python_texts xs_python_texts_of(const struct xs_python_layout *l, uintptr_t code) {
    struct xs_python_texts t = {.filename = xs_python_word(code + l->filename),
                                .name = xs_python_word(code + (l->qualname ? l->qualname : l->name)),
                                .lines = xs_python_word(code + l->lines)};
    t.at_filename = t.filename, t.at_name = t.name, t.at_lines = t.lines;
    return t;
}

/* Copies the code object of a frame, with its texts and line table (python_copy.h). Returns the address of the copy. 0:
 * the code object no longer exists at this address, or no longer has the frame's identity. */
uintptr_t xs_python_copy_same_code(struct xs_python_copy *copy, const struct xs_python_frame *frame);

/* Finds and checks the interpreter. The walk calls this function as long as xs_python.state is not XS_PYTHON_READY.
 * True: the interpreter can be read. */
bool xs_python_prepare(void);
void xs_python_find_forget(void); /* called in a forked child */

/* Returns the address of the calling thread's state. 0: the thread has no state, or the interpreter is not initialized
 * yet or has begun to end. */
XS_HOT uintptr_t xs_python_thread(void) {
    return xs_python_ends() || !xs_python.is_initialized() ? 0 : (uintptr_t)xs_python.this_thread();
}

/* This position means "before the first instruction". */
#define XS_PYTHON_BEFORE UINT32_MAX

/* Reads memory that may not be mapped, through the kernel. False: not all of it could be read. */
bool xs_python_probe(void *to, uintptr_t from, size_t bytes);

/* xs_python_check checks whether the layout is right for the running interpreter, as far as the calling thread's frames
 * show this. */
enum xs_python_fit { XS_PYTHON_FITS, XS_PYTHON_NO_FRAMES, XS_PYTHON_WRONG };
enum xs_python_fit xs_python_check(void);

/* Copies a str as UTF-8, at most `room` bytes and only whole characters. Returns the number of bytes; 0 if the object
 * is no str. */
size_t xs_python_text(char *to, size_t room, uintptr_t text);

/* Returns the source line of a position in a code object; 0: the position has no line. */
uint32_t xs_python_line(uintptr_t code, uint32_t position);

#endif
