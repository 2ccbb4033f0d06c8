/* Reads the Python stacks of threads from the interpreter's memory, without the GIL. A walk calls no function that
 * changes the interpreter, allocates nothing and changes no reference count. CPython 3.9 to 3.14 can be read; for any
 * other version there are no Python frames. */
#ifndef XFERSPY_PRELOAD_CALLSITE_PYTHON_H
#define XFERSPY_PRELOAD_CALLSITE_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/thread.h"

/* A Python frame. The walk gives one frame with is_entry for each call of the interpreter's C function
 * (_PyEval_EvalFrameDefault) on the native stack, so that the two stacks can be merged:
 *
 *   3.9, 3.10   every frame is an entry
 *   since 3.11  Python functions that call each other share one call of the C function, and only the outermost frame of
 *               each such call is an entry
 *
 * A call of the C function may have no frame that can be shown, because its function is returning and its objects are
 * being destroyed. For such a call, the walk gives an entry with code 0. */
struct xs_python_frame {
    uint64_t code;     /* address of the code object; 0: there is no frame to show */
    uint64_t identity; /* hash of the code object; another code object at the same address has another hash */
    uint32_t position; /* position of the instruction in the code; xs_python_code finds the line for it */
    bool is_entry;     /* the interpreter's C function was entered with this frame */
};

/* True if an interpreter was found, and nothing is known that prevents reading it. This function is called at a
 * session's start, and by every walk until xs_python_is_ready is true, but searches for an interpreter only now and
 * then. If the interpreter is not of version 3.9 to 3.14, is a free-threaded build or does not have the layout of its
 * version, the trace gets one note. */
bool xs_python_present(void);

/* True if an interpreter was found and its layout was checked. */
bool xs_python_is_ready(void);

/* Writes at most `limit` frames of the calling thread, innermost first, and returns their number. The number is 0 if
 * the thread runs no Python code, or if the interpreter has begun to end (Py_FinalizeEx, after the atexit handlers).
 * `*is_cut` is true if there are more frames. Any thread, with or without the GIL. The frames do not change during the
 * walk, because only the calling thread changes them. */
unsigned xs_python_walk(struct xs_python_frame *frames, unsigned limit, bool *is_cut);

/* Returns the number of a frame's code object, and stores the frame's line in *line (0: not known). The frame must be
 * one that xs_python_walk has just given to this thread. If the code object is new, it is defined in the trace
 * (xs_define), which may move the event `*e`. The result is 0 if the frame has no code object, the table is full, or
 * there is no memory. Any thread. */
uint32_t xs_python_code(const struct xs_python_frame *frame, uint32_t *line, struct xs_event **e);

/* The PyThreadState that the calling thread had at its latest walk; 0: the thread had none. */
extern XS_TLS uintptr_t xs_python_own_thread;

/* The following functions are about the stack of another thread, which runs meanwhile. They read the interpreter's
 * memory through the kernel, so nothing that the interpreter does can make them crash. They take no lock. Any thread
 * may call them. `copy` points to xs_python_copy_bytes bytes of the caller's memory, which must be zero before the
 * first call. */
struct xs_python_copy;
extern const size_t xs_python_copy_bytes;

/* Does what xs_python_walk does, but for the thread whose PyThreadState is `thread` and whose pthread_self() is
 * `pthread`. Returns the number of frames, or -1 if the frames changed during the walk or this thread no longer exists.
 * The number is also 0 while there is more than one interpreter. */
int xs_python_walk_other(uintptr_t thread, uint64_t pthread, struct xs_python_frame *frames, unsigned limit,
                         struct xs_python_copy *copy, bool *is_cut);

/* Noted words of the interpreter's memory. They identify a thread's stack: its frames, and the position of each frame
 * in its code. */
enum { XS_PYTHON_NOTED = 160 };
struct xs_python_noted {
    unsigned count; /* 0: nothing is noted. The words are sorted by address. */
    uint64_t value[XS_PYTHON_NOTED];
    uintptr_t at[XS_PYTHON_NOTED];
};

/* Stores the words that the latest xs_python_walk_other with `copy` noted. If there are too many, stores none. */
void xs_python_keep_noted(const struct xs_python_copy *copy, struct xs_python_noted *noted);

/* True if the thread has the same stack as when the words were noted, and each frame is at the same position in its
 * code. Makes one system call, whereas a walk makes several for each frame. The caller must not use words that were
 * noted long ago: code that was compiled since then may have objects at the same addresses. Uses `copy` as working
 * memory. */
bool xs_python_is_as_noted(const struct xs_python_noted *noted, struct xs_python_copy *copy);

/* A destination for definitions. `define` does what xs_define does, and writes to `to`. False: nothing was written. */
struct xs_definer {
    bool (*define)(void *to, enum xs_definition what, uint32_t id, const void *data, size_t bytes);
    void *to;
};

/* Does what xs_python_code does, but for a frame that xs_python_walk_other has given. Also returns 0 if the code object
 * had to be read and no longer exists. */
uint32_t xs_python_code_of_other(const struct xs_python_frame *frame, struct xs_python_copy *copy, uint32_t *line,
                                 const struct xs_definer *definer);

/* Runs in a forked child. The numbers of code objects begin at 1 again, because the child has its own trace. */
void xs_python_forget(void);

#endif
