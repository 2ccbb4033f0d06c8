/* Makes one sequence of frames from a native stack and a Python stack. A Python function runs inside the interpreter's
 * loop, which is a native frame; the Python frame replaces that frame. */
#ifndef XFERSPY_ANALYZER_TRACE_STACK_MERGE_H
#define XFERSPY_ANALYZER_TRACE_STACK_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xs_native_role {
    XS_NATIVE_OTHER,       /* the frame is kept */
    XS_NATIVE_GLUE,        /* lies between Python and C; left out */
    XS_NATIVE_INTERPRETER, /* lies in the interpreter's binary; left out */
    XS_NATIVE_EVAL         /* the interpreter's loop; Python frames replace it */
};

/* Merges two stacks, both innermost first. entry[i]: the interpreter entered a loop with Python frame i, so the next
 * Python frame belongs to another loop. `cut`: outer native frames are missing. Writes at most natives + pythons
 * numbers to `merged`, i for native frame i and -1 - i for Python frame i, and returns how many. */
size_t xs_stack_merge(const uint8_t *roles, size_t natives, const bool *entry, size_t pythons, bool cut,
                      int32_t *merged);

#endif
