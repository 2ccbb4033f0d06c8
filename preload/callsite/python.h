/* The Python stack of the calling thread. It is read from the interpreter's memory without the GIL: the walk calls
 * nothing in the interpreter, allocates nothing and changes no reference count. CPython 3.9 to 3.14 can be read;
 * with any other version there are no Python frames. */
#ifndef XFERSPY_PRELOAD_CALLSITE_PYTHON_H
#define XFERSPY_PRELOAD_CALLSITE_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/thread.h"

/* A Python frame. The walk gives exactly as many frames with is_entry as there are calls of the interpreter's C
 * function (_PyEval_EvalFrameDefault) on the native stack, so that both stacks can be put together:
 *
 *   3.9, 3.10   every frame is an entry
 *   since 3.11  Python functions that call each other share one call of the C function, and only the outermost frame of
 *               each such call is an entry
 *
 * A call of the C function may have no frame to show: its function is just returning, and what it held is being
 * destroyed. Then it is an entry with code 0. */
struct xs_python_frame {
    uint64_t code;     /* address of the code object, 0: nothing to show */
    uint64_t identity; /* a hash of what it is: another code object at the same address has another one */
    uint32_t position; /* of the instruction within it; the line follows from that */
    bool is_entry;     /* the interpreter's C function was entered with this frame */
};

/* Is there an interpreter that can be read, as far as is known? Called when a session starts and by every walk; it
 * looks for one only now and then. An interpreter that is none of 3.9 to 3.14, is a free-threaded build or does not
 * fit its version is noted, once. */
bool xs_python_present(void);

/* Writes at most `limit` frames of the calling thread, innermost first, and returns how many: 0 where the thread
 * runs no Python code. `*is_cut` says that there are more. Any thread, with or without the GIL: the frames are the
 * calling thread's own, so they do not change meanwhile. Gives no frames from the moment the interpreter begins to
 * end (Py_FinalizeEx, after the atexit handlers). */
unsigned xs_python_walk(struct xs_python_frame *frames, unsigned limit, bool *is_cut);

/* The number of a frame's code, and the line that the frame is at (0: not known). Only for a frame that
 * xs_python_walk has just given to this thread. Code that is new is defined (xs_define), which may move the event
 * `*e`. Returns 0 where it has no number: all code that is new once the table is full. Any thread. */
uint32_t xs_python_code(const struct xs_python_frame *frame, uint32_t *line, struct xs_event **e);

/* In a forked child: numbers begin again, because the child has a trace of its own. */
void xs_python_forget(void);

#endif
