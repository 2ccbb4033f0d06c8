/* When does the driver refuse to checkpoint a process in which CUPTI is or was used? Prints what
 * cuCheckpointProcessGetState returns after each step of attaching and detaching, and then tries a whole checkpoint.
 * Without xferspy, on a real GPU.
 *
 *   checkpoint_cupti KINDS WHEN
 *
 * KINDS  letters: m MEMCPY, e MEMSET, k CONCURRENT_KERNEL, s SYNCHRONIZATION; "" subscribes only; - does not use CUPTI
 * WHEN   of attaching: 0 after the context was made, 1 before */
#include <cuda.h>
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 20, COPIES = 50 };

static CUcontext context;
static CUdeviceptr memory;
static unsigned char host[4096];
static CUpti_SubscriberHandle subscriber;
static CUpti_ActivityKind kinds[4];
static int kind_count;

static void say(const char *when) {
    CUprocessState state = CU_PROCESS_STATE_FAILED;
    int result = cuCheckpointProcessGetState(getpid(), &state);
    printf("  %-20s cuCheckpointProcessGetState %d, state %d\n", when, result, (int)state);
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records) {
    *buffer = (uint8_t *)aligned_alloc(8, BUFFER_BYTES);
    *bytes = BUFFER_BYTES;
    *most_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t) { free(buffer); }

static void CUPTIAPI called_back(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *) {}

static void make_context(void) {
    CUdevice device;
    if (cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
        cuMemAlloc(&memory, sizeof host))
        exit(3);
}

static void attach(const char *letters) {
    static const struct {
        char letter;
        CUpti_ActivityKind kind;
    } known[] = {{'m', CUPTI_ACTIVITY_KIND_MEMCPY},
                 {'e', CUPTI_ACTIVITY_KIND_MEMSET},
                 {'k', CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
                 {'s', CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}};
    if (cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)called_back, NULL) ||
        cuptiActivityRegisterCallbacks(give_buffer, take_buffer))
        exit(3);
    say("subscribed");
    for (const auto &one : known)
        if (strchr(letters, one.letter) && cuptiActivityEnable(one.kind) == CUPTI_SUCCESS)
            kinds[kind_count++] = one.kind;
}

static void copy_up(void) {
    for (int i = 0; i < COPIES; i++)
        cuMemcpyHtoD(memory, host, sizeof host);
    say("after copies");
}

static void detach(void) {
    for (int i = 0; i < kind_count; i++)
        cuptiActivityDisable(kinds[i]);
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    say("flushed");
    cuptiUnsubscribe(subscriber);
    say("unsubscribed");
    printf("  cuptiFinalize %d\n", (int)cuptiFinalize());
    say("finalized");
    copy_up();
}

static void checkpoint(void) {
    int result = cuCheckpointProcessLock(getpid(), NULL);
    printf("  lock %d\n", result);
    if (result == 0) {
        printf("  checkpoint %d", (int)cuCheckpointProcessCheckpoint(getpid(), NULL));
        printf(", restore %d", (int)cuCheckpointProcessRestore(getpid(), NULL));
        printf(", unlock %d\n", (int)cuCheckpointProcessUnlock(getpid(), NULL));
    }
    memset(host, 0, sizeof host);
    result = cuMemcpyDtoH(host, memory, sizeof host);
    printf("  download %d, right %d\n", result, host[0] == 1 && host[sizeof host - 1] == 1);
}

int main(int argc, char **argv) {
    const char *letters = argc > 1 ? argv[1] : "mks";
    bool is_early = argc > 2 && atoi(argv[2]), uses_cupti = !strchr(letters, '-');
    memset(host, 1, sizeof host);
    printf("kinds \"%s\", attached %s the context\n", letters, is_early ? "before" : "after");
    if (cuInit(0))
        return 3;
    if (!is_early)
        make_context();
    if (uses_cupti)
        attach(letters);
    if (is_early)
        make_context();
    copy_up();
    if (uses_cupti)
        detach();
    checkpoint();
    return 0;
}
