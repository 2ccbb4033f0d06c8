/* Lets programs observe the simulated driver from inside: the driver calls `on_call` at the beginning and at the end of
 * each driver call, on the thread that makes the call. The driver can have only one such tool, which otherwise is
 * CUPTI, so these programs run with XFERSPY_CUPTI=off. */
#ifndef XFERSPY_TESTS_E2E_SIM_TOOLS_H
#define XFERSPY_TESTS_E2E_SIM_TOOLS_H

#include <dlfcn.h>

#include "../../sim/xs_sim_tools.h"
#include "check.h"

static inline void sim_on_calls(void (*on_call)(const struct xs_sim_api *call)) {
    static struct xs_sim_tools tools;
    xs_sim_attach_fn attach;
    tools.api = on_call;
    *(void **)&attach = dlsym(RTLD_DEFAULT, "xs_sim_attach");
    REQUIRE(attach != NULL);
    attach(&tools);
}

#endif
