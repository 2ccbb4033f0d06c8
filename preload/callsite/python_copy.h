/* Copies the parts of the interpreter's memory that a stack needs, while other threads change them. Everything is read
 * through the kernel, so memory that was freed or unmapped gives an error and not a fault. What was read is checked,
 * because it may be half old and half new. Only for the files python_*.c. */
#ifndef XFERSPY_PRELOAD_CALLSITE_PYTHON_COPY_H
#define XFERSPY_PRELOAD_CALLSITE_PYTHON_COPY_H

#include <sys/uio.h>

#include "preload/callsite/python_layout.h"

enum {
    XS_PYTHON_COPY_STRUCT = 512,   /* the most bytes of a frame or of a code object's struct */
    XS_PYTHON_COPY_TEXT = 8192,    /* the most bytes of a str, with its struct */
    XS_PYTHON_COPY_LINES = 131072, /* the most bytes of a line table, with its struct */
    XS_PYTHON_COPY_LINKS = 768,    /* the most noted words; a system call takes 1024 */
};

/* A copy of a frame and of a code object. The pointers in the copied code object lead to the copies of its texts and of
 * its line table, so the functions for code objects can be used with the copy. */
struct xs_python_copy {
    _Alignas(8) uint8_t frame[XS_PYTHON_COPY_STRUCT];
    _Alignas(8) uint8_t code[XS_PYTHON_COPY_STRUCT];
    _Alignas(8) uint8_t type[XS_PYTHON_TP_FLAGS + 8]; /* stands for the type of the copied texts */
    _Alignas(8) uint8_t filename[XS_PYTHON_COPY_TEXT], name[XS_PYTHON_COPY_TEXT], lines[XS_PYTHON_COPY_LINES];
    struct xs_python_texts texts;    /* the pointers as the code object has them, and the copies */
    uintptr_t filename_of;           /* the str that `filename` was copied from in this walk; 0: none */
    uintptr_t text_type, bytes_type; /* types that were checked before; 0: none */
    /* The words of memory that link the frames, and that say where each frame is in its code; with the values that were
     * read. */
    struct xs_python_links {
        unsigned count;
        struct {
            uintptr_t at;
            uint64_t value;
        } innermost; /* where the innermost frame is in its code */
        uint64_t value[XS_PYTHON_COPY_LINKS], again[XS_PYTHON_COPY_LINKS];
        uintptr_t at[XS_PYTHON_COPY_LINKS];
        struct iovec local[XS_PYTHON_COPY_LINKS], remote[XS_PYTHON_COPY_LINKS];
    } links;
};

/* Copies the struct of a code object, without its texts and line table. False: there is no code object. */
bool xs_python_copy_code(struct xs_python_copy *copy, uintptr_t code);

/* Copies the texts and the line table of the copied code object. False: they are too long, or are no valid texts. */
bool xs_python_copy_texts(struct xs_python_copy *copy);

/* Notes a word. False: there are too many. */
bool xs_python_copy_link(struct xs_python_copy *copy, uintptr_t at, uintptr_t word);

/* Notes where the innermost frame is in its code. Always returns true. */
bool xs_python_copy_innermost(struct xs_python_copy *copy, uintptr_t at, uint64_t word);

/* True if all noted words still have the same values; the innermost frame may have moved on. */
bool xs_python_copy_is_settled(struct xs_python_copy *copy);

#endif
