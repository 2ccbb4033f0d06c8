#include "arguments_unit.h"

#include <stdio.h>
#include <unistd.h>

#include "preload/capture/decode.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/driver/real.h"

_Atomic unsigned driver_asked, notes;
unsigned spool_chunks = 4;
void *xs_driver_functions[XS_DRIVER_COUNT];
_Atomic uintptr_t xs_only_context;
_Atomic int xs_captures;
_Atomic int xs_only_device;

static char spool_path[64];

/* ---- what is beside the sources under test ---- */

static bool start_session(unsigned row) {
    (void)row;
    return false;
}
const struct xs_hooks xs_hooks = {.start_session = start_session};

void xs_note(const char *topic, const char *format, ...) {
    (void)format;
    notes += strcmp(topic, "arguments") == 0;
}

static CUresult param_info(const struct fake_function *f, size_t index, size_t *offset, size_t *bytes) {
    if (f->broken || index >= f->count)
        return f->broken ? f->broken : CUDA_ERROR_INVALID_VALUE;
    *offset = f->parameters[index].offset;
    *bytes = f->parameters[index].bytes;
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI func_param_info(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
    const struct fake_function *f = (const struct fake_function *)function;
    driver_asked++;
    return f->is_kernel ? CUDA_ERROR_INVALID_HANDLE : param_info(f, index, offset, bytes);
}

static CUresult CUDAAPI kernel_param_info(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
    const struct fake_function *f = (const struct fake_function *)kernel;
    driver_asked++;
    assert_true(f->is_kernel); /* it is not known whether the driver would survive this call for a CUfunction */
    return param_info(f, index, offset, bytes);
}

void driver_has_param_info(bool has) {
    xs_driver_functions[XS_DRIVER_cuFuncGetParamInfo] = has ? (void *)func_param_info : NULL;
    xs_driver_functions[XS_DRIVER_cuKernelGetParamInfo] = has ? (void *)kernel_param_info : NULL;
}

/* ---- set-up, and what the tests say ---- */

int open_spool(void **state) {
    (void)state;
    snprintf(spool_path, sizeof spool_path, "/tmp/xferspy-arguments.%ld.spool", (long)getpid());
    unlink(spool_path);
    driver_has_param_info(true);
    xs_arguments_on = true;
    xs_arguments_forget();
    driver_asked = notes = 0;
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    return xs_spool_create(spool_path, XS_SPOOL_HEADER_BYTES + (size_t)spool_chunks * XS_SPOOL_CHUNK_BYTES,
                           spool_chunks, &xs_spool);
}

int close_spool(void **state) {
    (void)state;
    xs_thread_forget();
    xs_map_clear();
    xs_spool_unmap(&xs_spool);
    unlink(spool_path);
    return 0;
}

void allocated(uint32_t id, uint64_t start, uint64_t bytes, enum xs_memory_kind kind) {
    struct xs_memory_range range = {
        .start = start, .end = start + bytes, .bytes = bytes, .id = id, .kind = (uint8_t)kind};
    assert_true(xs_map_insert(&range));
}

uint32_t launch(const struct fake_function *function, void **params, void **extra, CUresult r) {
    struct xs_event *e = xs_begin(7, &(struct xs_guard_note){0});
    assert_non_null(e);
    e->kind = XS_EVENT_LAUNCH;
    e->launch.function = XS_WORD(function);
    e = xs_decode_arguments(e, r, (CUfunction)(uintptr_t)function, params, extra);
    assert_int_equal(e->kind, XS_EVENT_LAUNCH);
    assert_int_equal(e->entry, 7);
    assert_int_equal(e->launch.function, XS_WORD(function));
    uint32_t set = e->argument_set;
    xs_end(e, (int32_t)r);
    return set;
}

static unsigned committed(const struct xs_chunk *chunk) {
    return atomic_load(&chunk->header.committed_bytes) / (unsigned)sizeof(struct xs_event);
}

const char *set_text(uint32_t set) {
    static char text[8192];
    size_t n = 0;
    bool found = false;
    text[0] = 0;
    for (unsigned c = 0; c < atomic_load(&xs_spool.header->chunk_count); c++) {
        const struct xs_chunk *chunk = xs_spool_chunk(&xs_spool, c);
        for (unsigned i = 0; i < committed(chunk); i++) {
            const struct xs_event *e = &chunk->events[i];
            if (e->kind != XS_EVENT_ARGUMENTS || e->arguments.set != set)
                continue;
            found = true;
            assert_true(e->arguments.count <= XS_ARGUMENTS_EVENT_COUNT);
            for (unsigned k = 0; k < e->arguments.count; k++)
                n += (size_t)snprintf(text + n, sizeof text - n, n ? ",%u" : "%u", e->arguments.allocations[k]);
        }
    }
    return found ? text : "none";
}

unsigned events_of(enum xs_event_kind kind) {
    unsigned n = 0;
    for (unsigned c = 0; c < atomic_load(&xs_spool.header->chunk_count); c++) {
        const struct xs_chunk *chunk = xs_spool_chunk(&xs_spool, c);
        for (unsigned i = 0; i < committed(chunk); i++)
            n += chunk->events[i].kind == kind;
    }
    return n;
}

unsigned check_sets(void) {
    static unsigned char seen[1u << 20];
    unsigned bad = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned c = 0; c < atomic_load(&xs_spool.header->chunk_count); c++) {
            const struct xs_chunk *chunk = xs_spool_chunk(&xs_spool, c);
            for (unsigned i = 0; i < committed(chunk); i++) {
                const struct xs_event *e = &chunk->events[i];
                if (pass == 0 && e->kind == XS_EVENT_ARGUMENTS)
                    bad += e->arguments.set >= sizeof seen || seen[e->arguments.set]++ != 0;
                else if (pass == 1 && e->kind == XS_EVENT_LAUNCH)
                    bad += e->argument_set == 0 || !seen[e->argument_set];
            }
        }
    }
    return bad;
}
