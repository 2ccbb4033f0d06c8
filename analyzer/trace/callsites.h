/* Shows where calls came from: the frames of a call stack with function, file and line, and which frame is the user's
 * own code. Python frames replace the interpreter's frames. Texts come from a trace or a binary, so they may contain
 * any bytes; escape them before printing. A text has at most 4095 bytes. */
#ifndef XFERSPY_ANALYZER_TRACE_CALLSITES_H
#define XFERSPY_ANALYZER_TRACE_CALLSITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

/* Says which thread a frame belongs to. */
enum xs_frame_of {
    XS_FRAME_OWN,  /* a frame of the calling thread */
    XS_FRAME_MAIN, /* a frame of the main thread at the moment of the call; the calling thread runs no Python code */
    XS_FRAME_OTHER /* a frame of another thread at the moment of the call; the calling thread runs no Python code */
};

struct xs_frame {
    const char *function; /* demangled, without parameters; NULL: not known */
    const char *file;     /* as the debug information or Python names it; NULL: not known */
    uint32_t line;        /* 0: not known */
    const char *module;   /* path of the executable or library; NULL: a Python frame, or code in no file */
    uint64_t address;     /* offset of the next instruction in the module's file; 0: a Python frame */
    bool python;
    bool inlined; /* this function is inlined into the next frame's function */
    bool stored;  /* taken from the trace, without a look into this machine's binaries; never set for a Python frame */
    bool library; /* belongs to CUDA, the C library, the interpreter, torch, cupy, ...: schema/source/libraries.def */
    uint8_t of;   /* enum xs_frame_of; set only in the frame of a place, and in frames of a stack */
    const struct xs_frame *through; /* set only in the frame of a place: the frame of the helper that makes the call for
                                     * this line; NULL: there is no helper */
};

/* True if a frame is the user's own code, even if only its binary is known. */
static inline bool xs_frame_is_users(const struct xs_frame *frame) {
    return !frame->library && (frame->function || frame->file || frame->module);
}

struct xs_callsites; /* owns everything that the functions below return */

/* Reads all stacks and resolves their addresses: with the trace's table `symbol`, or else with the binaries of this
 * machine, which are also searched in the folders of analyzer/symbols/debug_path.h. On a negative status of
 * schema/error.h the message is set and *callsites is NULL. Only one thread may use the result, because some of the
 * functions below build their results in their first call. */
int xs_callsites_open(const struct xs_trace *trace, struct xs_callsites **callsites, char *message);
void xs_callsites_close(struct xs_callsites *callsites); /* NULL is allowed */

/* Returns the frames of a stack, innermost first. If the stack's number is 0 or unknown, returns NULL and sets *count
 * to 0. */
const struct xs_frame *xs_callsites_frames(const struct xs_callsites *callsites, int64_t stack, size_t *count);
bool xs_callsites_cut(const struct xs_callsites *callsites,
                      int64_t stack); /* True if outer frames of the stack are missing. */

/* Returns the frame of the stack's place, which is the source line that is named as the origin of the stack's calls.
 * This frame is the innermost frame of the user's own code, even if only its binary is known. If that frame is a helper
 * (callsites_helpers.h), it is the frame that calls the helper. If all frames belong to libraries, it is the outermost
 * known one. If a framework's thread made the call, there may be no frame of the user on that thread. The place is then
 * the place of the main thread's stack, if that stack was read at this call, or at calls with the same native frames
 * and always with the same place. NULL: nothing is known. The pointer is the same for all stacks with the same
 * place. */
const struct xs_frame *xs_callsites_user_frame(const struct xs_callsites *callsites, int64_t stack);

/* Returns the number of a stack's place; 0: nothing is known. Places are numbered from 1 without gaps. Two stacks have
 * the same place if their user frames have the same function, file and line (or, if they have no line, the same module
 * and address), are of the same thread (`of`), and both have the same helper or both have none. */
uint32_t xs_callsites_place(const struct xs_callsites *callsites, int64_t stack);
uint32_t xs_callsites_place_count(const struct xs_callsites *callsites); /* also the largest number of a place */
const struct xs_frame *xs_callsites_place_frame(const struct xs_callsites *callsites, uint32_t place);

/* Returns note `i`, which says what could not be resolved and why, for instance that a binary is gone or has changed
 * since the run. A note is a sentence without its full stop. NULL after the last note. */
const char *xs_callsites_note(const struct xs_callsites *callsites, size_t i);

/* Returns how many rows about stacks were left out because they are damaged. */
uint64_t xs_callsites_damaged(const struct xs_callsites *callsites);

/* A binary whose symbols could not be read. `reason` is "gone", "changed", "unreadable", or "unsupported" (by this
 * build). */
struct xs_unread_module {
    const char *path, *reason;
    bool library;
};
/* Finds the first unread module whose number is at least *next, and sets *next to that module's number plus 1. False:
 * there is none. */
bool xs_callsites_unread(const struct xs_callsites *callsites, uint32_t *next, struct xs_unread_module *module);

/* Returns the name of an NVTX range, preceded by the names of the ranges around it: "epoch / batch". NULL for 0 and for
 * an unknown range. */
const char *xs_callsites_range(const struct xs_callsites *callsites, int64_t range);

#endif
