/* Resolves the addresses of stacks to frames. Each distinct address is looked up once, one binary after the other; see
 * callsites.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/stack_merge.h"
#include "schema/source/library.h"

void xs_callsites_add_note(struct xs_callsites *callsites, char *note) {
    xs_grow(&callsites->notes, callsites->note_count, &callsites->note_capacity, sizeof *callsites->notes);
    callsites->notes[callsites->note_count++] = note;
}

/* Returns the role of a binary between Python and C: the interpreter itself, or glue such as _ctypes and libffi, which
 * may lie in the interpreter's folders. */
static uint8_t glue_role(const char *path) {
    const char *name = xs_base_name(path);
    bool interpreter = !strncmp(name, "python", strlen("python")) || !strncmp(name, "libpython", strlen("libpython"));
    return interpreter ? XS_NATIVE_INTERPRETER : XS_NATIVE_GLUE;
}

void xs_callsites_add_frame(struct xs_callsites *callsites, uint32_t number, const char *function, const char *file,
                            uint32_t line) {
    struct xs_callsite_address *address = &callsites->addresses[number];
    const struct xs_callsite_module *module =
        address->module == UINT32_MAX ? NULL : &callsites->modules[address->module];
    xs_grow(&callsites->frames, callsites->frame_count, &callsites->frame_capacity, sizeof *callsites->frames);
    if (address->frames)
        callsites->frames[callsites->frame_count - 1].inlined = true;
    else
        address->first = (uint32_t)callsites->frame_count;
    address->frames++;
    callsites->frames[callsites->frame_count++] =
        (struct xs_frame){.function = xs_texts_keep(&callsites->texts, function),
                          .file = xs_texts_keep(&callsites->texts, file),
                          .line = line,
                          .module = module ? module->path : NULL,
                          .address = address->address,
                          .stored = address->stored,
                          .library = module && (module->library || xs_library_function(function, file))};
    bool loop = function && xs_library_runs_python(function);
    if (loop)
        address->role = XS_NATIVE_EVAL;
    else if (address->role != XS_NATIVE_EVAL && module && module->glue)
        address->role = glue_role(module->path);
}

/* The addresses of one module, in ascending order. */
struct batch {
    struct xs_callsites *callsites;
    uint32_t *numbers;
    uint64_t *addresses;
    size_t count;
    bool has_names; /* the trace has the functions of all these addresses */
};

static int by_module_and_address(const void *a, const void *b, void *data) {
    const struct xs_callsites *sorted = data;
    const struct xs_callsite_address *x = &sorted->addresses[*(const uint32_t *)a];
    const struct xs_callsite_address *y = &sorted->addresses[*(const uint32_t *)b];
    return xs_compare_uint64(x->module, y->module) ?: xs_compare_uint64(x->address, y->address);
}

static void found(void *data, size_t index, unsigned depth, const char *function, const char *file, uint32_t line) {
    const struct batch *batch = data;
    struct xs_callsite_address *address = &batch->callsites->addresses[batch->numbers[index]];
    (void)depth;
    if (address->looks_again) {
        address->looks_again = address->stored = false;
        address->frames = 0;
    }
    xs_callsites_add_frame(batch->callsites, batch->numbers[index], function, file, line);
}

static bool is_file(const char *path) { return *path && *path != '[' && strncmp(path, "linux-vdso", 10) != 0; }

/* Counts libraries without symbols. No line of the user's code is missing because of them, so they are not listed one
 * by one. */
struct missing {
    size_t libraries;
    const char *library; /* the first library */
    bool unsupported;
};

static void tell(const struct batch *batch, const struct xs_callsite_module *module, struct missing *missing) {
    enum xs_binary_status status = module->status;
    missing->unsupported |= status == XS_BINARY_NO_SUPPORT;
    if (status == XS_BINARY_READ || status == XS_BINARY_NO_SUPPORT)
        return;
    if (module->library) {
        missing->library = missing->libraries++ ? missing->library : module->path;
        return;
    }
    const char *reason = status == XS_BINARY_GONE      ? "is not here"
                         : status == XS_BINARY_CHANGED ? "has changed since the run"
                                                       : "cannot be read";
    xs_callsites_add_note(batch->callsites,
                          xs_text_format("%s %s, so calls in it have %s instead of lines", module->path, reason,
                                         batch->has_names ? "functions" : "addresses"));
}

static void tell_missing(struct xs_callsites *callsites, const struct missing *missing) {
    if (missing->unsupported)
        xs_callsites_add_note(
            callsites,
            xs_strdup("this build of xferspy cannot read symbols, so native calls have addresses instead of lines"));
    if (missing->libraries > 1)
        xs_callsites_add_note(
            callsites, xs_text_format("%s and %zu more librar%s are not here or have changed since the run",
                                      missing->library, missing->libraries - 1, missing->libraries == 2 ? "y" : "ies"));
    else if (missing->libraries)
        xs_callsites_add_note(callsites,
                              xs_text_format("%s is not here or has changed since the run", missing->library));
}

static void resolve_module(struct batch *batch, uint32_t number, struct missing *missing) {
    struct xs_callsite_module *module = &batch->callsites->modules[number];
    if (!batch->count || !is_file(module->path))
        return;
    module->status = xs_symbols_resolve(module->path, module->build_id, !module->library, batch->addresses,
                                        batch->count, found, batch);
    tell(batch, module, missing);
}

void xs_callsites_resolve(struct xs_callsites *callsites) {
    uint32_t count = callsites->address_count, *order = xs_realloc(NULL, count * sizeof *order);
    struct batch batch = {.callsites = callsites,
                          .numbers = xs_realloc(NULL, count * sizeof *batch.numbers),
                          .addresses = xs_realloc(NULL, count * sizeof *batch.addresses)};
    struct missing missing = {0};
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, by_module_and_address, callsites);
    for (uint32_t i = 0; i < count;) {
        uint32_t module = callsites->addresses[order[i]].module;
        for (batch.count = 0; i < count && callsites->addresses[order[i]].module == module; i++) {
            const struct xs_callsite_address *address = &callsites->addresses[order[i]];
            if (address->frames && !address->looks_again)
                continue;
            batch.has_names = (batch.count == 0 || batch.has_names) && address->looks_again;
            batch.numbers[batch.count] = order[i];
            batch.addresses[batch.count++] = address->address;
        }
        if (module != UINT32_MAX)
            resolve_module(&batch, module, &missing);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!callsites->addresses[i].frames)
            xs_callsites_add_frame(callsites, i, NULL, NULL, 0);
    tell_missing(callsites, &missing);
    free(order);
    free(batch.numbers);
    free(batch.addresses);
}
