/* The interpreter as it was found, and how its memory is read. Shared by the python_*.c alone. */
#ifndef XFERSPY_PRELOAD_PYTHON_LAYOUT_H
#define XFERSPY_PRELOAD_PYTHON_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/callsite/python.h"
#include "preload/internal.h"

enum xs_python_shape {
    XS_PYTHON_OBJECTS_BYTES, /* 3.9: PyFrameObject, each a C call of its own; the position is in bytes; co_lnotab */
    XS_PYTHON_OBJECTS_WORDS, /* 3.10: the position is in instructions of two bytes; line table of PEP 626 */
    XS_PYTHON_FRAMES,        /* 3.11 on: _PyInterpreterFrame, many to a C call; line table of PEP 657 */
};

struct xs_python_layout { /* python_versions.def says what they are */
    uint16_t version;
    uint16_t shape;
    uint16_t thread_id, cframe, current;
    uint16_t f_previous, f_code, f_at, f_owner, f_entry;
    uint16_t filename, name, qualname, lines, first_line, body, traceable, version_tag;
    uint16_t ascii, compact;
};

/* What no version of these builds has moved: struct _object, _varobject, PyASCIIObject, PyBytesObject, PyTypeObject. */
enum {
    XS_PYTHON_OB_TYPE = 8,
    XS_PYTHON_OB_SIZE = 16,
    XS_PYTHON_TEXT_LENGTH = 16,
    XS_PYTHON_TEXT_STATE = 32,
    XS_PYTHON_BYTES_DATA = 32,
    XS_PYTHON_TP_FLAGS = 168,
};
/* struct PyASCIIObject, state: interned 2 bits, kind 3 (bytes a character), compact, ascii; builds with a GIL */
enum {
    XS_PYTHON_TEXT_KIND_SHIFT = 2,
    XS_PYTHON_TEXT_KIND_MASK = 7,
    XS_PYTHON_TEXT_COMPACT = 1u << 5,
    XS_PYTHON_TEXT_ASCII = 1u << 6
};
#define XS_PYTHON_IS_BYTES (UINT64_C(1) << 27) /* Py_TPFLAGS_BYTES_SUBCLASS: of bytes and what is derived from it */
#define XS_PYTHON_IS_TEXT (UINT64_C(1) << 28)  /* Py_TPFLAGS_UNICODE_SUBCLASS */

/* enum _frameowner: 3.12, 3.13: FRAME_OWNED_BY_CSTACK; 3.14: FRAME_OWNED_BY_INTERPRETER and above. In 3.11 there is none. */
enum { XS_PYTHON_OWNER_GENERATOR = 1, XS_PYTHON_OWNER_C = 3 };

enum xs_python_state {
    XS_PYTHON_ABSENT,    /* none was found yet */
    XS_PYTHON_UNCHECKED, /* found; no thread that runs Python code has come by */
    XS_PYTHON_READY,
    XS_PYTHON_OFF, /* cannot be read; a note says why */
};

struct xs_python {
    _Atomic int state; /* enum xs_python_state; what follows does not change once it is not ABSENT */
    struct xs_python_layout layout;
    uintptr_t code_type;
    uintptr_t finalizing; /* address of the runtime's pointer, which is not NULL once it ends; 0: not known */
    void *(*this_thread)(void);
    int (*is_finalizing)(void);
    int (*is_initialized)(void);
};
extern struct xs_python xs_python;

/* A thread state that may be read. Once the interpreter has begun to end it takes them away from under their threads. */
XS_HOT bool xs_python_ends(void) {
    const struct xs_python *p = &xs_python;
    return p->finalizing ? *(void *const volatile *)p->finalizing != NULL : p->is_finalizing() != 0;
}

/* Reads at an address that is known to be good. */
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

/* An object or a frame may lie there. */
XS_HOT bool xs_python_plausible(uintptr_t at) { return at >= 4096 && at % 8 == 0 && at < (uintptr_t)1 << 56; }

/* An interpreter that is found and fits; the walk's slow path. */
bool xs_python_prepare(void);
void xs_python_find_forget(void); /* in a forked child */

/* The calling thread's state, 0: it has none, or the interpreter begins to end, or has not begun. */
XS_HOT uintptr_t xs_python_thread(void) {
    return xs_python_ends() || !xs_python.is_initialized() ? 0 : (uintptr_t)xs_python.this_thread();
}

/* A position that stands for "before the first instruction". */
#define XS_PYTHON_BEFORE UINT32_MAX

/* Reads where nothing may be mapped. False: not all of it could be read. */
bool xs_python_probe(void *to, uintptr_t from, size_t bytes);

/* Does the layout fit the running interpreter, as far as the calling thread's frames tell? */
enum xs_python_fit { XS_PYTHON_FITS, XS_PYTHON_NO_FRAMES, XS_PYTHON_WRONG };
enum xs_python_fit xs_python_check(void);

/* Copies a str as UTF-8, at most `room` bytes and no half character; returns how many. What is no text gives 0. */
size_t xs_python_text(char *to, size_t room, uintptr_t text);

/* The line of a position in a code object, 0: it has none. */
uint32_t xs_python_line(uintptr_t code, uint32_t position);

#endif
