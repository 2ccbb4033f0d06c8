/* The Python stack of the calling thread, read from the interpreter's memory without the GIL: nothing is called, allocated or
 * counted in it. For CPython 3.9 to 3.14; in any other there are no Python frames. */
#ifndef XFERSPY_PRELOAD_CALLSITE_PYTHON_H
#define XFERSPY_PRELOAD_CALLSITE_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/thread.h"

/* In 3.9 and 3.10 every frame is an entry. Since 3.11 Python functions that call each other share one call of the interpreter's C
 * function (_PyEval_EvalFrameDefault), and is_entry is set in the outermost frame of each. A call that has no frame to show (its
 * function is just returning, and what it held is being destroyed) is a frame with code 0 that is an entry: there are exactly as many
 * entries as calls of that C function on the native stack. */
struct xs_python_frame {
    uint64_t code;     /* address of the code object, 0: nothing to show */
    uint64_t identity; /* of what it is, so that another one at the same address differs */
    uint32_t position; /* of the instruction within it; the line follows from that */
    bool is_entry;     /* the interpreter's C function was entered with this frame */
};

/* Is there an interpreter that can be read, as far as is known? Looked for at most now and then. Called at session start and by the
 * walk. One that is not among 3.9 to 3.14, is a free-threaded build or does not fit its version is noted, once. */
bool xs_python_present(void);

/* Writes at most `limit` frames of the calling thread, innermost first; returns how many, 0 where it runs no Python code.
 * `*is_cut`: there are more. Any thread, with or without the GIL; the frames are the calling thread's own, so they stand still. None
 * from the moment the interpreter begins to end (Py_FinalizeEx, after the atexit handlers). */
unsigned xs_python_walk(struct xs_python_frame *frames, unsigned limit, bool *is_cut);

/* The code's number, and the line (0: not known) of a frame that xs_python_walk has just given to this thread; a code that is new is
 * defined (xs_define). 0: not known, which is every code that comes when the table is full. Any thread. */
uint32_t xs_python_code(const struct xs_python_frame *frame, uint32_t *line, struct xs_event **e);

/* In a forked child: numbers begin again. */
void xs_python_forget(void);

#endif
