/* Where calls came from, for people: the frames of a stack with function, file and line, Python's in the place of the
 * interpreter's, and which of them is the user's own. All texts are as a trace or a binary has them: any bytes, to be
 * escaped where they are shown, and 4095 of them at most. */
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
    const char *module;   /* path of the executable or library; NULL of a Python frame, and of code in no file */
    uint64_t address;     /* within the module's file, of the next instruction; 0 of a Python frame */
    bool python;
    bool inlined; /* into the next one */
    bool library; /* of CUDA, the C library, the interpreter, torch, cupy, ...: schema/source/libraries.def */
    const struct xs_frame *through; /* of a place: the helper that makes the call for this line; NULL: none */
};

struct xs_callsites; /* owns everything it gives */

/* Reads all stacks and resolves their addresses: by the trace's table `symbol`, else by the binaries of this machine,
 * in the folders of analyzer/symbols/debug_path.h too. A negative status of schema/error.h leaves a message and NULL.
 * For one thread: what is asked for seldom is made when it is. */
int xs_callsites_open(const struct xs_trace *trace, struct xs_callsites **callsites, char *message);
void xs_callsites_close(struct xs_callsites *callsites); /* NULL is nothing */

/* The frames of a stack, innermost first; NULL and 0 of number 0 or one that is not there. */
const struct xs_frame *xs_callsites_frames(const struct xs_callsites *callsites, int64_t stack, size_t *count);
bool xs_callsites_cut(const struct xs_callsites *callsites, int64_t stack); /* outer frames are missing */

/* The innermost frame that is the user's own, if only by its binary; of a helper that copies for other lines the frame
 * that calls it (callsites_helpers.h). Where all are of libraries, the outermost that is known. NULL: nothing known. Of
 * several stacks of one place it is the same one. */
const struct xs_frame *xs_callsites_user_frame(const struct xs_callsites *callsites, int64_t stack);

/* A number for each distinct place, from 1: two stacks whose user frames have the same function, file and line (or,
 * where the line is not known, module and address), and that go through the same helper, if any, are of one place. 0:
 * nothing known. Numbers are dense. */
uint32_t xs_callsites_place(const struct xs_callsites *callsites, int64_t stack);
uint32_t xs_callsites_place_count(const struct xs_callsites *callsites); /* the largest number */
const struct xs_frame *xs_callsites_place_frame(const struct xs_callsites *callsites, uint32_t place);

/* What could not be resolved and why, a sentence each without its full stop: a binary that is gone, or changed since
 * the run. NULL after the last. */
const char *xs_callsites_note(const struct xs_callsites *callsites, size_t i);

/* Returns how many rows about stacks were left out because they are damaged. */
uint64_t xs_callsites_damaged(const struct xs_callsites *callsites);

/* A binary whose symbols could not be read; `reason`: "gone", "changed", "unreadable", or "unsupported" by this build.
 */
struct xs_unread_module {
    const char *path, *reason;
    bool library;
};
/* Of the modules from number *next on the first such one, and sets *next behind it. False: there is none. */
bool xs_callsites_unread(const struct xs_callsites *callsites, uint32_t *next, struct xs_unread_module *module);

/* NVTX: the name of a range with those around it, "epoch / batch"; NULL of 0 or one that is not there. */
const char *xs_callsites_range(const struct xs_callsites *callsites, int64_t range);

#endif
