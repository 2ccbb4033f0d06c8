/* Finds what a Python framework was doing when it made a call: which of its operators and functions ran, and in which
 * phase of the program's work. The sources are the call's stack, the NVTX ranges around the call, and the name of the
 * thread that made the call. Names of native functions are known only if the addresses were resolved. */
#ifndef XFERSPY_ANALYZER_TRACE_FRAMEWORK_FRAMEWORK_CONTEXT_H
#define XFERSPY_ANALYZER_TRACE_FRAMEWORK_FRAMEWORK_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/callsites.h"
#include "analyzer/trace/framework/framework_names.h"
#include "schema/source/library.h"

/* Phases of a program's work. A call is in the innermost phase that its stack shows; phases.def says which frames show
 * a phase. */
enum xs_framework_phase {
    XS_PHASE_NONE, /* no known phase */
#define XS_PHASE(name, key, words) XS_PHASE_##name,
#include "analyzer/trace/framework/phases.def"
#undef XS_PHASE
    XS_PHASES
};
extern const char *const xs_framework_phase_keys[XS_PHASES];  /* "backward"; NULL for XS_PHASE_NONE */
extern const char *const xs_framework_phase_words[XS_PHASES]; /* "called by autograd's backward pass"; NULL for
                                                               * XS_PHASE_NONE */

/* Who copied an upload's data within host memory into page-locked memory before the upload. */
enum xs_host_copy {
    XS_HOST_COPY_NONE, /* no known library copied the data */
    XS_HOST_COPY_CUPY,
    XS_HOST_COPY_LOADER,        /* a DataLoader with pin_memory, in the thread that uploads */
    XS_HOST_COPY_LOADER_THREAD, /* a DataLoader with pin_memory, in another thread than the one that uploads */
};

struct xs_framework_context {
    enum xs_framework framework;
    enum xs_framework_phase phase;
    char operator_name[XS_FRAMEWORK_NAME]; /* "aten::copy_": the outermost operator that the user's line called; "":
                                            * not known */
    char call[XS_FRAMEWORK_NAME];          /* "cupy.asarray": the outermost public function that the user's line
                                            * called; "": not known */
    char node[XS_FRAMEWORK_NAME];          /* "AddmmBackward0": the innermost function of autograd; "": not known */
    char sizes[XS_FRAMEWORK_SIZES]; /* sizes of the operator's arguments, if the NVTX range has them; "": not known */
    bool sizes_vary;                /* not all calls of the finding have these sizes */
    enum xs_host_copy host_copy;
    uint64_t before_ns, uploads; /* for host_copy: the median time before the uploads, and the number of uploads */
};

/* Adds what the frames of a stack show. The innermost frame is the first one. The context must be all 0. */
void xs_framework_add_stack(struct xs_framework_context *context, const struct xs_frame *frames, size_t count);

/* Adds what the names of an NVTX range and of the ranges around it show; `range` is the text of xs_callsites_range.
 * Fields that the stack has set are not changed. */
void xs_framework_add_range(struct xs_framework_context *context, const char *range);

/* Adds what the thread's name shows. Fields that are already set are not changed. */
void xs_framework_add_thread(struct xs_framework_context *context, const char *name);

/* True if anything is known that is worth a line of output. */
bool xs_framework_is_known(const struct xs_framework_context *context);

/* Finds, from the stack of an allocation of page-locked memory, the library that allocates it to copy the user's data
 * there. */
enum xs_host_copy xs_framework_host_copy(const struct xs_frame *frames, size_t count);

#endif
