/* XFERSPY_WINDOW=nvtx:NAME: device times of what runs while a range of that name is open, and of nothing else; in any
 * domain, pushed or started, twice.
 *
 * link: cuda
 * only: no-repairs cupti
 * env: NVTX_INJECTION64_PATH=$xferspy_lib XFERSPY_WINDOW=nvtx:step XFERSPY_OUTSIDE=calls
 * stdout: data ok
 *
 * > SELECT grid_x, count(*) FROM launch GROUP BY grid_x ORDER BY grid_x
 * 1|10
 * 2|10
 * 3|10
 * 4|10
 * 5|10
 *
 * > SELECT grid_x, count(*) FROM device_kernel GROUP BY grid_x ORDER BY grid_x
 * 2|10
 * 4|10
 *
 * Two windows, neither of which begins with the run:
 * > SELECT value GLOB '[1-9]*+*,*+*' AND value NOT LIKE '%,%,%' FROM meta WHERE key = 'cupti.windows'
 * 1
 */
#include <nvtx3/nvToolsExt.h>

#include "asked.h"

int main(void) {
    nvtxEventAttributes_t step = {0};
    step.version = NVTX_VERSION;
    step.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    step.messageType = NVTX_MESSAGE_TYPE_ASCII;
    step.message.ascii = "step";
    asked_begin();
    asked_work(1);
    nvtxRangePushA("step");
    asked_await(true);
    asked_work(2);
    nvtxRangePop();
    asked_await(false);
    nvtxRangePushA("steps"); /* another name */
    asked_work(3);
    nvtxRangePop();
    nvtxRangeId_t id = nvtxDomainRangeStartEx(nvtxDomainCreateA("a domain"), &step);
    asked_await(true);
    asked_work(4);
    nvtxRangeEnd(id);
    asked_await(false);
    asked_work(5);
    return asked_end();
}
