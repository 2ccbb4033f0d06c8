/* One sequence of frames from a native stack and Python's: a Python function runs inside a loop of the interpreter,
 * which is a native frame, and that is where its frame belongs. */
#ifndef XFERSPY_ANALYZER_TRACE_STACK_MERGE_H
#define XFERSPY_ANALYZER_TRACE_STACK_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xs_native_role {
    XS_NATIVE_OTHER,       /* stays */
    XS_NATIVE_GLUE,        /* between Python and C: left out */
    XS_NATIVE_INTERPRETER, /* of the interpreter's binary: left out */
    XS_NATIVE_EVAL         /* its loop: Python's frames come here */
};

/* Both innermost first. `entry`: the loop was entered with this Python frame; the next one belongs to another loop.
 * `cut`: outer native frames are missing. Writes at most natives + pythons numbers to `merged`: i for native frame i,
 * -1 - i for Python frame i. Returns how many. */
size_t xs_stack_merge(const uint8_t *roles, size_t natives, const bool *entry, size_t pythons, bool cut,
                      int32_t *merged);

#endif
