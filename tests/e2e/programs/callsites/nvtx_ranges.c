/* Every call carries the innermost NVTX range that is open on its thread: pushed before CUDA began, in domains, by a
 * registered string, started here and ended on another thread. Ranges in which nothing is called are not in the trace.
 *
 * link: cuda
 * env: NVTX_INJECTION64_PATH=$xferspy_lib
 * stdout: data ok
 *
 * Each transfer by its bytes, with the ranges around it:
 * > WITH RECURSIVE around(id, outer, path) AS (
 * > SELECT id, parent, coalesce(domain || ':', '') || name FROM nvtx_range UNION ALL
 * > SELECT a.id, r.parent, coalesce(r.domain || ':', '') || r.name || '/' || a.path
 * > FROM around a JOIN nvtx_range r ON r.id = a.outer)
 * > SELECT t.bytes, a.path FROM transfer t LEFT JOIN around a ON a.id = t.nvtx_range AND a.outer IS NULL
 * > ORDER BY t.bytes
 * 16|before CUDA
 * 32|before CUDA/data:batch
 * 48|before CUDA/data:batch/zählen
 * 64|before CUDA
 * 80|before CUDA/started
 * 96|
 * 112|before CUDA
 * 128|
 *
 * > SELECT count(*) FROM nvtx_range
 * 4
 *
 * The allocation and its free:
 * > SELECT r.name, f.name FROM allocation LEFT JOIN nvtx_range r ON r.id = nvtx_range
 * > LEFT JOIN nvtx_range f ON f.id = free_nvtx_range
 * before CUDA|
 */
#include <cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

#include "../check.h"

static unsigned char host[128];
static CUdeviceptr device;
static CUcontext context;

static void upload(size_t bytes) { OK(cuMemcpyHtoD(device, host, bytes)); }

static void *on_another_thread(void *started) {
    OK(cuCtxSetCurrent(context));
    upload(96);
    nvtxRangeEnd(*(nvtxRangeId_t *)started);
    return NULL;
}

int main(void) {
    pthread_t thread;
    e2e_fill(host, sizeof host, 1);
    nvtxRangePushA("before CUDA");
    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    upload(16);
    nvtxDomainHandle_t data = nvtxDomainCreateA("data");
    nvtxEventAttributes_t batch = {0};
    batch.version = NVTX_VERSION;
    batch.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    batch.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    batch.message.registered = nvtxDomainRegisterStringA(data, "batch");
    nvtxDomainRangePushEx(data, &batch);
    upload(32);
    nvtxRangePushW(L"z\u00e4hlen");
    upload(48);
    nvtxRangePop();
    nvtxRangePushA("nothing is called in it");
    nvtxRangePop();
    nvtxDomainRangePop(data);
    upload(64);
    nvtxRangeId_t started = nvtxRangeStartA("started");
    upload(80);
    OK(pthread_create(&thread, NULL, on_another_thread, &started));
    OK(pthread_join(thread, NULL));
    upload(112);
    nvtxRangePop();
    nvtxRangePop(); /* one too many */
    upload(128);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
