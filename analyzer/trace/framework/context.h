/* What a framework of Python was doing when it made a call: which of its operators and functions, in which phase of a
 * program's work. From the call's stack, the NVTX ranges around it and the name of its thread, so it needs nothing that
 * a trace does not have. Names of native functions are known where the addresses were resolved. */
#ifndef XFERSPY_ANALYZER_FRAMEWORK_CONTEXT_H
#define XFERSPY_ANALYZER_FRAMEWORK_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/callsites.h"
#include "analyzer/trace/framework/names.h"
#include "schema/source/library.h"

/* The innermost of these that the stack is in; phases.def says what is taken for one. */
enum xs_framework_phase {
    XS_PHASE_NONE, /* none that is known */
#define XS_PHASE(name, key, words) XS_PHASE_##name,
#include "analyzer/trace/framework/phases.def"
#undef XS_PHASE
    XS_PHASES
};
extern const char *const xs_framework_phase_keys[XS_PHASES];  /* "backward"; NULL of none */
extern const char *const xs_framework_phase_words[XS_PHASES]; /* "called by autograd's backward pass"; NULL of none */

/* Who copied an upload's data into page-locked memory before it, in the host's memory. */
enum xs_host_copy {
    XS_HOST_COPY_NONE, /* nobody that is known */
    XS_HOST_COPY_CUPY,
    XS_HOST_COPY_LOADER,        /* a DataLoader with pin_memory, in the thread that uploads */
    XS_HOST_COPY_LOADER_THREAD, /* the same in a thread of its own */
};

struct xs_framework_context {
    enum xs_framework framework;
    enum xs_framework_phase phase;
    char operator_name[XS_FRAMEWORK_NAME]; /* "aten::copy_": the outermost that the user's line called; "": not known */
    char call[XS_FRAMEWORK_NAME];          /* "cupy.asarray": the outermost public function, likewise */
    char node[XS_FRAMEWORK_NAME];          /* "AddmmBackward0": the innermost of autograd's functions */
    char sizes[XS_FRAMEWORK_SIZES];        /* of the operator's arguments, where NVTX has them */
    bool sizes_vary;                       /* other calls of the finding have others */
    enum xs_host_copy host_copy;
    uint64_t before_ns, uploads; /* of host_copy: the median time before the uploads, and of how many */
};

/* Adds what the frames of a stack say, innermost first; to a context that is all 0. */
void xs_framework_add_stack(struct xs_framework_context *context, const struct xs_frame *frames, size_t count);

/* Adds what NVTX says, of a range with those around it (xs_callsites_range); what the stack said stays. */
void xs_framework_add_range(struct xs_framework_context *context, const char *range);

/* Adds what the thread's name says, likewise. */
void xs_framework_add_thread(struct xs_framework_context *context, const char *name);

/* Whether anything is known that is worth a line. */
bool xs_framework_is_known(const struct xs_framework_context *context);

/* By the stack that page-locked memory was allocated from: who uses it for copies of the user's data. */
enum xs_host_copy xs_framework_host_copy(const struct xs_frame *frames, size_t count);

#endif
