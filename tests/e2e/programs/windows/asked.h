/* Helps programs that open windows of device times themselves. Launches kernels that can be distinguished in the trace,
 * and waits until CUPTI is attached or detached. */
#ifndef XFERSPY_E2E_ASKED_H
#define XFERSPY_E2E_ASKED_H

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <time.h>

#include "../../../sim/xs_sim_tools.h"
#include "../arguments/add_one_ptx.h"
#include "../check.h"

static CUcontext asked_context;
static CUfunction asked_add_one;
static CUdeviceptr asked_memory;

static inline void asked_begin(void) {
    CUmodule module;
    asked_context = e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&asked_add_one, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&asked_memory, 64));
}

static inline void asked_launch(unsigned grid) {
    size_t bytes = 64;
    void *params[] = {&asked_memory, &bytes};
    OK(cuLaunchKernel(asked_add_one, grid, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
}

/* Launches ten kernels whose grid has this width, and waits until all of them have ended. */
static inline void asked_work(unsigned grid) {
    for (int i = 0; i < 10; i++)
        asked_launch(grid);
    OK(cuCtxSynchronize());
}

static inline bool asked_is_profiled(void) { return dlsym(RTLD_DEFAULT, "InitializeInjectionNvtx2") != NULL; }

/* Waits until CUPTI is attached or detached. Usually this is done during the call that opens or closes the window. If
 * something prevents it then, for example a thread inside the driver, it is done some time later. On a real GPU the
 * state is not known, so this function waits for 0.3 seconds. */
static inline void asked_await(bool attached) {
    uint32_t (*attachment)(void);
    const struct timespec pause = {0, 1000000};
    *(void **)&attachment = dlsym(RTLD_DEFAULT, "xs_sim_attachment");
    for (int i = 0; asked_is_profiled() && (attachment != NULL ? (attachment() != 0) != attached : i < 300); i++) {
        REQUIRE(i < 60000);
        OK(cuCtxSynchronize());
        nanosleep(&pause, NULL);
    }
}

static inline int asked_end(void) {
    OK(cuMemFree(asked_memory));
    puts("data ok");
    return 0;
}

#endif
