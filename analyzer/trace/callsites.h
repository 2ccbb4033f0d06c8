/* Where calls came from, for people: the call-stack frames with function, file and line, and which of them is the
 * user's own. Python's frames stand where the interpreter's were. All texts are any bytes, as a trace or a binary
 * has them, at most 4095 each: escape them before printing. */
#ifndef XFERSPY_ANALYZER_TRACE_CALLSITES_H
#define XFERSPY_ANALYZER_TRACE_CALLSITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_frame {
    const char *function; /* demangled, without parameters; NULL: not known */
    const char *file;     /* as the debug information or Python has it; NULL: not known */
    uint32_t line;        /* 0: not known */
    const char *module;   /* path of the executable or library; NULL: a Python frame, or code in no file */
    uint64_t address;     /* offset of the next instruction in the module's file; 0: a Python frame */
    bool python;
    bool inlined; /* into the next frame */
    bool stored;  /* the trace has it, and no binary of this machine was asked; never set for a Python frame */
    bool library; /* belongs to CUDA, the C library, the interpreter, torch, cupy, ...: schema/source/libraries.def */
    const struct xs_frame *through; /* for the frame of a place: the helper that makes the call for this line; NULL:
                                     * none */
};

struct xs_callsites; /* owns everything that its functions return */

/* Reads all stacks and resolves their addresses: by the trace's table `symbol`, else by the binaries of this
 * machine, which are also looked for in the folders of analyzer/symbols/debug_path.h. On a negative status of
 * schema/error.h the message is set and *callsites is NULL. One thread only: some of the functions below build their
 * answer at the first question. */
int xs_callsites_open(const struct xs_trace *trace, struct xs_callsites **callsites, char *message);
void xs_callsites_close(struct xs_callsites *callsites); /* NULL is nothing */

/* The frames of a stack, innermost first. NULL and a count of 0 for number 0 and for an unknown number. */
const struct xs_frame *xs_callsites_frames(const struct xs_callsites *callsites, int64_t stack, size_t *count);
bool xs_callsites_cut(const struct xs_callsites *callsites, int64_t stack); /* Whether outer frames of the stack are
                                                                             * missing. */

/* The frame that stands for the stack's place: the innermost that is the user's own, even if only its binary is
 * known. If that frame is a helper (callsites_helpers.h), the frame that calls the helper. If all frames are of
 * libraries, the outermost known one. NULL: nothing is known. Stacks of one place give the same pointer. */
const struct xs_frame *xs_callsites_user_frame(const struct xs_callsites *callsites, int64_t stack);

/* A number for each distinct place, dense from 1; 0: nothing is known. Two stacks have one place if their user
 * frames have the same function, file and line (without a line: the same module and address) and the same helper or
 * none. */
uint32_t xs_callsites_place(const struct xs_callsites *callsites, int64_t stack);
uint32_t xs_callsites_place_count(const struct xs_callsites *callsites); /* the largest number */
const struct xs_frame *xs_callsites_place_frame(const struct xs_callsites *callsites, uint32_t place);

/* What could not be resolved and why, each a sentence without its full stop: a binary is gone, or has changed since
 * the run. NULL after the last. */
const char *xs_callsites_note(const struct xs_callsites *callsites, size_t i);

/* A binary whose symbols could not be read; `reason`: "gone", "changed", "unreadable", or "unsupported" by this build.
 */
struct xs_unread_module {
    const char *path, *reason;
    bool library;
};
/* Finds the first unread module from number *next on, and sets *next to the number after it. False: there is none. */
bool xs_callsites_unread(const struct xs_callsites *callsites, uint32_t *next, struct xs_unread_module *module);

/* The name of an NVTX range after the names of those around it, "epoch / batch". NULL for 0 and for an unknown
 * range. */
const char *xs_callsites_range(const struct xs_callsites *callsites, int64_t range);

#endif
