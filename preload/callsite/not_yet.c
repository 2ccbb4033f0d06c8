/* Stand-ins until the walkers are there. */
#include "preload/callsite/native.h"
#include "preload/callsite/python.h"
#include "preload/nvtx/nvtx.h"
#define W __attribute__((weak))
W unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit, bool *is_cut) {
    (void)how, (void)limit, *is_cut = true;
    pcs[0] = caller->pc;
    return 1;
}
W uint32_t xs_native_module(uint64_t pc, struct xs_event **e) { (void)pc, (void)e; return 0; }
W void xs_native_unloaded(void) {}
W void xs_native_forget(void) {}
W bool xs_python_present(void) { return false; }
W unsigned xs_python_walk(struct xs_python_frame *frames, unsigned limit, bool *is_cut) { (void)frames, (void)limit, *is_cut = false; return 0; }
W uint32_t xs_python_code(const struct xs_python_frame *frame, uint32_t *line, struct xs_event **e) { (void)frame, (void)line, (void)e; return 0; }
W void xs_python_forget(void) {}
W XS_TLS struct xs_nvtx_thread *xs_nvtx_thread;
W uint32_t xs_nvtx_innermost(struct xs_event **e) { (void)e; return 0; }
W void xs_nvtx_forget(void) {}
