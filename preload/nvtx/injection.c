/* Defines the functions by which NVTX finds xferspy, and the functions that NVTX calls. NVTX 3 is compiled into the
 * programs and libraries that use it. Each such copy looks for a tool at its first call: it opens the library whose
 * path is in NVTX_INJECTION64_PATH, and calls InitializeInjectionNvtx2 in it.
 *
 * There is no other way to get the ranges of a program that was not built for this tool. NVTX's headers also declare a
 * pointer, InitializeInjectionNvtx2_fnptr, but it is a hidden symbol in every program and library that contains NVTX,
 * so a preloaded library cannot replace it. Therefore `xferspy run` sets the variable; the library itself does not
 * change the application's environment. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#define NVTX_NO_IMPL /* this file is the tool, not a user of NVTX */
#include <nvtx3/nvToolsExt.h>

#include "preload/core/compiler.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/nvtx/nvtx.h"
#include "preload/nvtx/open.h"
#include "schema/window_spec.h"

XS_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);

static struct xs_range_label label_of_text(const char *text) { return (struct xs_range_label){text ? text : "", 0}; }

/* Returns the label in `attributes`. `utf8` receives the text if it is a wide string. */
static struct xs_range_label label_of(const nvtxEventAttributes_t *attributes, char utf8[XS_RANGE_NAME_BYTES + 1]) {
    const size_t needed = offsetof(nvtxEventAttributes_t, message) + sizeof attributes->message;
    if (!attributes || attributes->size < needed)
        return label_of_text(NULL);
    switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
        return label_of_text(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
        return label_of_text(xs_range_utf8(attributes->message.unicode, utf8));
    case NVTX_MESSAGE_TYPE_REGISTERED:
        return (struct xs_range_label){NULL, xs_range_name_by_handle(attributes->message.registered)};
    default:
        return label_of_text(NULL);
    }
}

static int NVTX_API domain_push_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    char utf8[XS_RANGE_NAME_BYTES + 1];
    return xs_range_push(xs_range_domain_by_handle(domain), label_of(attributes, utf8));
}
static int NVTX_API domain_pop(nvtxDomainHandle_t domain) { return xs_range_pop(xs_range_domain_by_handle(domain)); }
static nvtxRangeId_t NVTX_API domain_start_ex(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    char utf8[XS_RANGE_NAME_BYTES + 1];
    return xs_range_start(xs_range_domain_by_handle(domain), label_of(attributes, utf8));
}
static void NVTX_API domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    (void)domain; /* not needed, because the number identifies the range */
    xs_range_end(id);
}

static int NVTX_API push_ex(const nvtxEventAttributes_t *attributes) { return domain_push_ex(NULL, attributes); }
static int NVTX_API push_a(const char *message) { return xs_range_push(0, label_of_text(message)); }
static int NVTX_API push_w(const wchar_t *message) {
    char utf8[XS_RANGE_NAME_BYTES + 1];
    return xs_range_push(0, label_of_text(xs_range_utf8(message, utf8)));
}
static int NVTX_API pop(void) { return xs_range_pop(0); }
static nvtxRangeId_t NVTX_API start_ex(const nvtxEventAttributes_t *attributes) {
    return domain_start_ex(NULL, attributes);
}
static nvtxRangeId_t NVTX_API start_a(const char *message) { return xs_range_start(0, label_of_text(message)); }
static nvtxRangeId_t NVTX_API start_w(const wchar_t *message) {
    char utf8[XS_RANGE_NAME_BYTES + 1];
    return xs_range_start(0, label_of_text(xs_range_utf8(message, utf8)));
}
static void NVTX_API end(nvtxRangeId_t id) { xs_range_end(id); }

/* Registers a string. The handle is the same in all domains. */
static nvtxStringHandle_t NVTX_API register_a(nvtxDomainHandle_t domain, const char *string) {
    (void)domain;
    return xs_range_name_handle(xs_range_name_of(string));
}
static nvtxStringHandle_t NVTX_API register_w(nvtxDomainHandle_t domain, const wchar_t *string) {
    char utf8[XS_RANGE_NAME_BYTES + 1];
    return register_a(domain, xs_range_utf8(string, utf8));
}
static nvtxDomainHandle_t NVTX_API create_a(const char *name) { return xs_range_domain_handle(xs_range_domain(name)); }
static nvtxDomainHandle_t NVTX_API create_w(const wchar_t *name) {
    char utf8[XS_RANGE_NAME_BYTES + 1];
    return create_a(xs_range_utf8(name, utf8));
}

struct callback {
    uint32_t id;
    NvtxFunctionPointer function;
};
/* A row of the table of functions; also checks the function's type against the declaration in the header. xferspy does
 * not use marks, names of threads and categories, and resources. */
#define CALLBACK(module, id, function)                                                                                 \
    {                                                                                                                  \
        NVTX_CBID_##module##_##id,                                                                                     \
            (NvtxFunctionPointer)(1 ? (function) : (nvtx##id##_impl_fntype)NULL) /* NOLINT(bugprone-*): a check */     \
    }
static const struct callback core[] = {
    CALLBACK(CORE, RangeStartEx, start_ex), CALLBACK(CORE, RangeStartA, start_a), CALLBACK(CORE, RangeStartW, start_w),
    CALLBACK(CORE, RangeEnd, end),          CALLBACK(CORE, RangePushEx, push_ex), CALLBACK(CORE, RangePushA, push_a),
    CALLBACK(CORE, RangePushW, push_w),     CALLBACK(CORE, RangePop, pop),
};
static const struct callback core2[] = {
    CALLBACK(CORE2, DomainRangeStartEx, domain_start_ex),
    CALLBACK(CORE2, DomainRangeEnd, domain_end),
    CALLBACK(CORE2, DomainRangePushEx, domain_push_ex),
    CALLBACK(CORE2, DomainRangePop, domain_pop),
    CALLBACK(CORE2, DomainRegisterStringA, register_a),
    CALLBACK(CORE2, DomainRegisterStringW, register_w),
    CALLBACK(CORE2, DomainCreateA, create_a),
    CALLBACK(CORE2, DomainCreateW, create_w),
};

static bool attach(const NvtxExportTableCallbacks *tables, NvtxCallbackModule module, const struct callback *callbacks,
                   size_t count) {
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (!tables->GetModuleFunctionTable(module, &table, &size) || !table)
        return false;
    for (size_t i = 0; i < count; i++)
        if (callbacks[i].id < size && table[callbacks[i].id])
            *table[callbacks[i].id] = callbacks[i].function;
    return true;
}

/* True if the library was preloaded. A child that was started without LD_PRELOAD may still have the variable. Then only
 * NVTX opens the library, which profiles nothing, and closes it because the initialization fails. */
static bool is_preloaded(void) {
    void *program = dlopen(NULL, RTLD_LAZY);
    bool is = program && xs_real_dlsym(program, "InitializeInjectionNvtx2") == (void *)InitializeInjectionNvtx2;
    if (program)
        dlclose(program);
    return is;
}

/* Reads the name of the requested range before the first range begins, which may be before the session and its options
 * exist. Reading the environment is safe here: NVTX has also just read it on this thread to find the library, and an
 * application that calls xferspy_range_start is told that the first call reads it. */
static void learn_what_is_asked(void) {
    struct xs_window_spec spec;
    const char *text = getenv("XFERSPY_WINDOW"), *step = getenv("XFERSPY_STEP");
    if (step && *step && !xs_range_name_refused(step))
        xs_range_ask(step);
    else if (text && !xs_window_spec_read(&spec, text) && spec.opener == XS_WINDOW_BY_RANGE)
        xs_range_ask(spec.range);
}

bool xs_nvtx_prepare(void) {
    if (!xs_ranges_prepare() || !xs_open_prepare())
        return false;
    learn_what_is_asked();
    return true;
}

XS_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
    const NvtxExportTableCallbacks *tables = get_export_table ? get_export_table(NVTX_ETID_CALLBACKS) : NULL;
    if (!tables || tables->struct_size < sizeof *tables || !is_preloaded() || !xs_nvtx_prepare())
        return 0;
    bool attached = attach(tables, NVTX_CB_MODULE_CORE, core, sizeof core / sizeof *core);
    return attach(tables, NVTX_CB_MODULE_CORE2, core2, sizeof core2 / sizeof *core2) || attached;
}
