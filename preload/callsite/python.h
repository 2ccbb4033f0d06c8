/* Reads the Python stack of the calling thread from the interpreter's memory, without the GIL. The walk calls no
 * function that changes the interpreter, allocates nothing and changes no reference count. CPython 3.9 to 3.14 can be
 * read; for any other version there are no Python frames. */
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

/* True if an interpreter was found that can be read, as far as is known. Called at a session's start and by every walk,
 * but searches for an interpreter only now and then. If the interpreter is not 3.9 to 3.14, is a free-threaded build or
 * does not have the layout of its version, the trace gets one note. */
bool xs_python_present(void);

/* True if an interpreter was found and its layout was checked. */
bool xs_python_is_ready(void);

/* Writes at most `limit` frames of the calling thread, innermost first, and returns their number: 0 if the thread runs
 * no Python code. `*is_cut`: there are more. Any thread, with or without the GIL: only the calling thread changes these
 * frames, so they do not change meanwhile. Gives no frames after the interpreter has begun to end (Py_FinalizeEx, after
 * the atexit handlers). */
unsigned xs_python_walk(struct xs_python_frame *frames, unsigned limit, bool *is_cut);

/* Returns the number of a frame's code, and the frame's line (0: not known). Only for a frame that xs_python_walk has
 * just given to this thread. If the code is new, it is defined in the trace (xs_define), which may move the event `*e`.
 * Returns 0 if the code gets no number, because the table is full. Any thread. */
uint32_t xs_python_code(const struct xs_python_frame *frame, uint32_t *line, struct xs_event **e);

/* The calling thread's PyThreadState at its latest walk; 0: it had none. */
extern XS_TLS uintptr_t xs_python_own_thread;

/* The following functions are about the stack of another thread, which runs meanwhile. They read the interpreter's
 * memory through the kernel, so nothing that the interpreter does can make them crash. They take no lock. The calling
 * thread may be any thread. `copy` is memory of the caller of xs_python_copy_bytes bytes, which are zero at first. */
struct xs_python_copy;
extern const size_t xs_python_copy_bytes;

/* Does what xs_python_walk does, for the thread with this PyThreadState and this pthread_self(). Returns the number of
 * frames, or -1 if they changed during the walk or there is no such thread any more. Gives no frames while there is
 * more than one interpreter. */
int xs_python_walk_other(uintptr_t thread, uint64_t pthread, struct xs_python_frame *frames, unsigned limit,
                         struct xs_python_copy *copy, bool *is_cut);

/* Words that say which stack a thread had: which frames there were, and where each of them was in its code. */
enum { XS_PYTHON_NOTED = 160 };
struct xs_python_noted {
    unsigned count; /* 0: nothing is noted. The words are sorted by address. */
    uint64_t value[XS_PYTHON_NOTED];
    uintptr_t at[XS_PYTHON_NOTED];
};

/* Notes the words of the latest xs_python_walk_other that used `copy`; nothing if there are too many. */
void xs_python_keep_noted(const struct xs_python_copy *copy, struct xs_python_noted *noted);

/* True if the thread has the same stack again, at the same place in its code. Takes one system call; a walk takes
 * several for each frame. If code was compiled again since, its objects may have come to the same addresses, so words
 * that were noted long ago prove nothing. Uses `copy` as working memory. */
bool xs_python_is_as_noted(const struct xs_python_noted *noted, struct xs_python_copy *copy);

/* Writes definitions: a function with the parameters of xs_define. False: nothing was written. */
struct xs_definer {
    bool (*define)(void *to, enum xs_definition what, uint32_t id, const void *data, size_t bytes);
    void *to;
};

/* Does what xs_python_code does, for a frame of xs_python_walk_other. Also returns 0 if the code object was needed and
 * is gone. */
uint32_t xs_python_code_of_other(const struct xs_python_frame *frame, struct xs_python_copy *copy, uint32_t *line,
                                 const struct xs_definer *definer);

/* Called in a forked child. Numbers begin at 1 again, because the child has its own trace. */
void xs_python_forget(void);

#endif
