/* Makes one sequence of frames from a native stack and a Python stack. A Python function runs inside the interpreter's
 * loop, which is a native frame; the Python frame replaces that frame. */
#ifndef XFERSPY_ANALYZER_TRACE_STACK_MERGE_H
#define XFERSPY_ANALYZER_TRACE_STACK_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xs_native_role {
    XS_NATIVE_OTHER,       /* the frame is kept */
    XS_NATIVE_GLUE,        /* lies between Python and C; left out if the stack has Python frames */
    XS_NATIVE_INTERPRETER, /* lies in the interpreter's binary; left out if the stack has Python frames. If the stack
                              has no frame XS_NATIVE_EVAL, adjacent frames of this role count as one loop */
    XS_NATIVE_EVAL         /* the interpreter's loop; Python frames replace this frame */
};

/* Merges two stacks, whose first frame is the innermost. If entry[i] is true, the interpreter entered a loop with
 * Python frame i, so Python frame i + 1 belongs to another loop. `cut` is true if outer native frames are missing.
 * Writes at most natives + pythons numbers to `merged`: i for native frame i, and -1 - i for Python frame i. Returns
 * how many numbers were written. */
size_t xs_stack_merge(const uint8_t *roles, size_t natives, const bool *entry, size_t pythons, bool cut,
                      int32_t *merged);

#endif
