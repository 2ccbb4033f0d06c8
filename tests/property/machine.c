/* Contexts, streams and kernels of the random programs; see machine.h. */
#include "machine.h"

/* One block each, a word a thread and turn. The simulated GPU has them in kernels.c. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry xs_noop()\n"
    "{\n"
    "    ret;\n"
    "}\n"
#define LOOP_BEGIN(pointer, count)                                                                                     \
    "    .reg .pred %p<3>;\n"                                                                                          \
    "    .reg .b32 %r<16>;\n"                                                                                          \
    "    .reg .b64 %rd<16>;\n"                                                                                         \
    "    ld.param.u64 %rd1, [" pointer "];\n"                                                                          \
    "    ld.param.u64 %rd2, [" count "];\n"                                                                            \
    "    cvta.to.global.u64 %rd1, %rd1;\n"                                                                             \
    "    mov.u32 %r1, %ntid.x;\n"                                                                                      \
    "    mov.u32 %r2, %tid.x;\n"                                                                                       \
    "    cvt.u64.u32 %rd3, %r1;\n"                                                                                     \
    "    cvt.u64.u32 %rd4, %r2;\n"                                                                                     \
    "    mov.b32 %r3, 0;\n"                                                                                            \
    "NEXT:\n"                                                                                                          \
    "    setp.ge.u64 %p1, %rd4, %rd2;\n"                                                                               \
    "    @%p1 bra DONE;\n"                                                                                             \
    "    shl.b64 %rd5, %rd4, 2;\n"                                                                                     \
    "    add.s64 %rd6, %rd1, %rd5;\n"
#define LOOP_END                                                                                                       \
    "    add.s64 %rd4, %rd4, %rd3;\n"                                                                                  \
    "    bra NEXT;\n"                                                                                                  \
    "DONE:\n"
    ".visible .entry xs_mix(.param .u64 a, .param .u64 n, .param .u32 keep, .param .u32 base, .param .u32 salt)\n"
    "{\n" LOOP_BEGIN("a", "n") "    ld.param.u32 %r4, [keep];\n"
                               "    ld.param.u32 %r5, [base];\n"
                               "    ld.param.u32 %r6, [salt];\n"
                               "    ld.global.u32 %r7, [%rd6];\n"
                               "    and.b32 %r7, %r7, %r4;\n"
                               "    cvt.u32.u64 %r8, %rd4;\n"
                               "    add.s32 %r8, %r8, %r6;\n"
                               "    mul.lo.s32 %r8, %r8, -1640531535;\n"
                               "    shr.u32 %r8, %r8, 12;\n"
                               "    xor.b32 %r8, %r8, %r5;\n"
                               "    xor.b32 %r7, %r7, %r8;\n"
                               "    st.global.u32 [%rd6], %r7;\n" LOOP_END "    ret;\n"
                               "}\n"
                               ".visible .entry xs_read(.param .u64 a, .param .u64 n)\n"
                               "{\n" LOOP_BEGIN(
                                   "a", "n") "    ld.global.u32 %r4, [%rd6];\n"
                                             "    or.b32 %r3, %r3, %r4;\n" LOOP_END "    setp.ne.u64 %p1, %rd2, 0;\n"
                                             "    @%p1 bra END;\n"
                                             "    st.global.u32 [%rd1], %r3;\n"
                                             "END:\n"
                                             "    ret;\n"
                                             "}\n"
                                             ".visible .entry xs_copy(.param .u64 a, .param .u64 b, .param .u64 n)\n"
                                             "{\n" LOOP_BEGIN("a", "n") "    ld.param.u64 %rd7, [b];\n"
                                                                        "    cvta.to.global.u64 %rd7, %rd7;\n"
                                                                        "    add.s64 %rd7, %rd7, %rd5;\n"
                                                                        "    ld.global.u32 %r4, [%rd7];\n"
                                                                        "    st.global.u32 [%rd6], %r4;\n" LOOP_END
                                                                        "    ret;\n"
                                                                        "}\n";

static void start_device(struct machine *m, int d) {
    CUdevice device;
    CUmodule module;
    CUgraph graph;
    CUgraphNode node;
    CUDA_KERNEL_NODE_PARAMS nothing = {.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1};

    OK(cuDeviceGet(&device, d));
    OK(cuDevicePrimaryCtxRetain(&m->context[d], device));
    OK(cuCtxSetCurrent(m->context[d]));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&m->mix[d], module, "xs_mix"));
    OK(cuModuleGetFunction(&m->read[d], module, "xs_read"));
    OK(cuModuleGetFunction(&m->copy[d], module, "xs_copy"));
    OK(cuModuleGetFunction(&m->noop[d], module, "xs_noop"));
    m->stream[d][0] = NULL;
    OK(cuStreamCreate(&m->stream[d][1], CU_STREAM_DEFAULT));
    OK(cuStreamCreate(&m->stream[d][2], CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&m->event[d], CU_EVENT_DISABLE_TIMING));

    nothing.blockDimX = nothing.blockDimY = nothing.blockDimZ = 1;
    nothing.func = m->noop[d];
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddKernelNode(&node, graph, NULL, 0, &nothing));
    OK(cuGraphInstantiate(&m->graph[d], graph, 0));
    OK(cuGraphDestroy(graph));
}

void machine_start(struct machine *m) {
    OK(cuInit(0));
    OK(cuDeviceGetCount(&m->devices));
    m->devices = m->devices < DEVICES ? m->devices : DEVICES;
    for (int d = m->devices - 1; d >= 0; d--)
        start_device(m, d);
    m->device = m->last_stream = 0;
}

void machine_end(struct machine *m) {
    for (int d = 0; d < m->devices; d++) {
        OK(cuCtxSetCurrent(m->context[d]));
        OK(cuCtxSynchronize());
        OK(cuGraphExecDestroy(m->graph[d]));
        OK(cuEventDestroy(m->event[d]));
        for (int s = 1; s < STREAMS; s++)
            OK(cuStreamDestroy(m->stream[d][s]));
    }
}

CUstream machine_order(struct machine *m, int device, int stream) {
    if (device != m->device) {
        OK(cuCtxSynchronize());
        OK(cuCtxSetCurrent(m->context[device]));
    } else if (stream != m->last_stream) {
        OK(cuEventRecord(m->event[device], m->stream[device][m->last_stream]));
        OK(cuStreamWaitEvent(m->stream[device][stream], m->event[device], 0));
    }
    m->device = device;
    m->last_stream = stream;
    return m->stream[device][stream];
}

void machine_wait(struct machine *m) {
    (void)m;
    OK(cuCtxSynchronize()); /* the work of the previous device was waited for when the program left that device */
}

void machine_mix(struct machine *m, CUstream stream, CUdeviceptr words, size_t n, uint32_t keep, uint32_t base,
                 uint32_t salt) {
    void *arguments[] = {&words, &n, &keep, &base, &salt};
    OK(cuLaunchKernel(m->mix[m->device], 1, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
}

void machine_read(struct machine *m, CUstream stream, CUdeviceptr words, size_t n) {
    void *arguments[] = {&words, &n};
    OK(cuLaunchKernel(m->read[m->device], 1, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
}

void machine_copy(struct machine *m, CUstream stream, CUdeviceptr to, CUdeviceptr from, size_t n) {
    void *arguments[] = {&to, &from, &n};
    OK(cuLaunchKernel(m->copy[m->device], 1, 1, 1, 256, 1, 1, 0, stream, arguments, NULL));
}

void machine_noop(struct machine *m, CUstream stream) {
    OK(cuLaunchKernel(m->noop[m->device], 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}
