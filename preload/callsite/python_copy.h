/* Copies the parts of the interpreter's memory that describe another thread's stack, while threads change this memory.
 * The kernel reads the memory, so a read of unmapped memory gives an error and not a fault. The copied data are
 * checked, because a part of them may be older than the rest. Only the files python_*.c include this file. */
#ifndef XFERSPY_PRELOAD_CALLSITE_PYTHON_COPY_H
#define XFERSPY_PRELOAD_CALLSITE_PYTHON_COPY_H

#include <sys/uio.h>

#include "preload/callsite/python_layout.h"

enum {
    XS_PYTHON_COPY_STRUCT = 512,   /* the most bytes of a frame or of a code object's struct */
    XS_PYTHON_COPY_TEXT = 8192,    /* the most bytes of a str, with its struct */
    XS_PYTHON_COPY_LINES = 131072, /* the most bytes of a line table, with its struct */
    XS_PYTHON_COPY_LINKS = 768,    /* the most noted words; one system call can read 1024 words */
};

/* A copy of a frame and of a code object. After xs_python_copy_texts, the pointers in the copied code object lead to
 * the copies of its texts and of its line table, so the functions for code objects can be used with the copy. */
struct xs_python_copy {
    _Alignas(8) uint8_t frame[XS_PYTHON_COPY_STRUCT];
    _Alignas(8) uint8_t code[XS_PYTHON_COPY_STRUCT];
    _Alignas(8) uint8_t type[XS_PYTHON_TP_FLAGS + 8]; /* the copied texts point to this instead of their type */
    _Alignas(8) uint8_t filename[XS_PYTHON_COPY_TEXT], name[XS_PYTHON_COPY_TEXT], lines[XS_PYTHON_COPY_LINES];
    struct xs_python_texts texts;    /* the original pointers, and the addresses of the copies */
    uintptr_t filename_of;           /* the str that `filename` was copied from in this walk; 0: none */
    uintptr_t text_type, bytes_type; /* types that were checked earlier; 0: none */
    /* The noted words. They link the frames, and say where each frame is in its code. `value` has the values that were
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

/* Copies the struct of a code object, without its texts and line table. False: there is no code object at this address,
 * or it cannot be read. */
bool xs_python_copy_code(struct xs_python_copy *copy, uintptr_t code);

/* Copies the texts and the line table of the copied code object. False: one of them is too long, is not valid, or
 * cannot be read. */
bool xs_python_copy_texts(struct xs_python_copy *copy);

/* Notes a word and its address. False: there is no space for another word. */
bool xs_python_copy_link(struct xs_python_copy *copy, uintptr_t at, uintptr_t word);

/* Notes the word that says where the innermost frame is in its code. Always returns true. */
bool xs_python_copy_innermost(struct xs_python_copy *copy, uintptr_t at, uint64_t word);

/* True if all noted words still have the noted values. The word of the innermost frame's position may have changed. */
bool xs_python_copy_is_settled(struct xs_python_copy *copy);

#endif
