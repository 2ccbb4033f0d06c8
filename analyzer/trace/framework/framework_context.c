/* Finds what a framework did, from a stack, NVTX ranges and the thread's name; see framework_context.h. */
#include "analyzer/trace/framework/framework_context.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "schema/path.h"

const char *const xs_framework_phase_keys[XS_PHASES] = {
#define XS_PHASE(name, key, words) [XS_PHASE_##name] = key,
#include "analyzer/trace/framework/phases.def"
#undef XS_PHASE
};

const char *const xs_framework_phase_words[XS_PHASES] = {
#define XS_PHASE(name, key, words) [XS_PHASE_##name] = words,
#include "analyzer/trace/framework/phases.def"
#undef XS_PHASE
};

/* A row of phases.def: what shows a phase. */
struct mark {
    enum xs_framework_phase phase;
    const char *text, *function;
};

static const struct mark python_marks[] = {
#define XS_PHASE_PYTHON(phase, file, function) {XS_PHASE_##phase, file, function},
#include "analyzer/trace/framework/phases.def"
};
static const struct mark native_marks[] = {
#define XS_PHASE_NATIVE(phase, function) {XS_PHASE_##phase, function, ""},
#include "analyzer/trace/framework/phases.def"
};
static const struct mark range_marks[] = {
#define XS_PHASE_RANGE(phase, name) {XS_PHASE_##phase, name, ""},
#include "analyzer/trace/framework/phases.def"
};
static const struct mark thread_marks[] = {
#define XS_PHASE_THREAD(phase, name) {XS_PHASE_##phase, name, ""},
#include "analyzer/trace/framework/phases.def"
};
#undef XS_PHASE
#define COUNT(items) (sizeof(items) / sizeof *(items))

static enum xs_framework_phase phase_of(const struct mark *marks, size_t count, const char *text) {
    for (size_t i = 0; i < count; i++)
        if (!strncmp(text, marks[i].text, strlen(marks[i].text)))
            return marks[i].phase;
    return XS_PHASE_NONE;
}

static enum xs_framework_phase phase_of_python(const struct xs_frame *frame) {
    for (size_t i = 0; i < COUNT(python_marks) && frame->file; i++)
        if (xs_text_ends_with(frame->file, python_marks[i].text) &&
            strstr(frame->function ? frame->function : "", python_marks[i].function))
            return python_marks[i].phase;
    return XS_PHASE_NONE;
}

/* Adds the names of a frame. The outermost name counts, which is what the user's line called; so each frame further out
 * replaces the names of the frames before. */
static void add_names(struct xs_framework_context *context, const struct xs_frame *frame) {
    char name[XS_FRAMEWORK_NAME];
    const char *file = frame->python ? frame->file : frame->module;
    enum xs_framework framework = file ? xs_library_framework(file) : XS_FRAMEWORK_NONE;
    context->framework = framework ? framework : context->framework;
    if (!frame->function || !framework)
        return;
    if (frame->python ? xs_framework_python(name, frame->file, frame->function)
                      : xs_framework_cython(name, frame->function))
        memcpy(context->call, name, sizeof name);
    else if (!frame->python && xs_framework_operator(name, frame->function))
        memcpy(context->operator_name, name, sizeof name);
    else if (!frame->python && !*context->node && xs_framework_node(name, frame->function))
        memcpy(context->node, name, sizeof name);
}

void xs_framework_add_stack(struct xs_framework_context *context, const struct xs_frame *frames, size_t count) {
    bool below_user = true;
    for (size_t i = 0; i < count; i++) {
        below_user &= !xs_frame_is_users(&frames[i]);
        if (below_user)
            add_names(context, &frames[i]);
        if (context->phase)
            continue;
        if (frames[i].python)
            context->phase = phase_of_python(&frames[i]);
        else if (frames[i].function)
            context->phase = phase_of(native_marks, COUNT(native_marks), frames[i].function);
        if (context->phase)
            context->framework = XS_FRAMEWORK_PYTORCH;
    }
}

static void add_phase(struct xs_framework_context *context, enum xs_framework_phase phase) {
    if (context->phase || !phase)
        return;
    context->phase = phase;
    context->framework = XS_FRAMEWORK_PYTORCH;
}

/* Adds one of the ranges around a call, and returns its phase. */
static enum xs_framework_phase add_part(struct xs_framework_context *context, const char *part, size_t length) {
    char name[XS_FRAMEWORK_NAME], sizes[XS_FRAMEWORK_SIZES];
    xs_framework_range(name, sizes, part, length);
    enum xs_framework_phase phase = phase_of(range_marks, COUNT(range_marks), name);
    if (strncmp(name, "aten::", strlen("aten::")) != 0)
        return phase;
    context->framework = XS_FRAMEWORK_PYTORCH;
    if (!*context->operator_name)
        memcpy(context->operator_name, name, sizeof name);
    if (!*context->sizes && !strcmp(name, context->operator_name))
        memcpy(context->sizes, sizes, sizeof sizes);
    return phase;
}

void xs_framework_add_range(struct xs_framework_context *context, const char *range) {
    static const char between[] = " / ";
    enum xs_framework_phase innermost = 0; /* the outermost range comes first */
    while (*range) {
        const char *end = strstr(range, between);
        size_t length = end ? (size_t)(end - range) : strlen(range);
        enum xs_framework_phase phase = add_part(context, range, length);
        innermost = phase ? phase : innermost;
        range += length + (end ? strlen(between) : 0);
    }
    add_phase(context, innermost);
}

void xs_framework_add_thread(struct xs_framework_context *context, const char *name) {
    add_phase(context, phase_of(thread_marks, COUNT(thread_marks), name));
}

bool xs_framework_is_known(const struct xs_framework_context *context) {
    return context->phase || *context->operator_name || *context->call || *context->node || context->host_copy;
}

/* Returns which library uses page-locked memory for copies of the user's data. CuPy's array constructor, which is in
 * cupy/_core/core, takes such memory from CuPy's pool. A program that requests page-locked memory itself does so
 * through cupyx, without that module. */
enum xs_host_copy xs_framework_host_copy(const struct xs_frame *frames, size_t count) {
    bool of_pool = false, by_loader = false;
    for (size_t i = 0; i < count && !xs_frame_is_users(&frames[i]); i++) {
        const struct xs_frame *frame = &frames[i];
        if (frame->module && xs_library_framework(frame->module) == XS_FRAMEWORK_CUPY) {
            const char *name = xs_base_name(frame->module);
            of_pool |= !strncmp(name, "pinned_memory.", strlen("pinned_memory."));
            if (of_pool && !strncmp(name, "core.", strlen("core.")))
                return XS_HOST_COPY_CUPY;
        }
        by_loader |= frame->python && phase_of_python(frame) == XS_PHASE_PINNING;
        if (by_loader && frame->function && strstr(frame->function, "_pin_memory_loop"))
            return XS_HOST_COPY_LOADER_THREAD;
    }
    return by_loader ? XS_HOST_COPY_LOADER : XS_HOST_COPY_NONE;
}
