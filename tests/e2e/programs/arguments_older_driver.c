/* A driver that does not tell the parameters of kernels: arguments count as not seen, but for those in a buffer, and the trace
 * says why.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_SIM_PARAM_INFO=0
 * stdout: data ok
 *
 * > SELECT arguments IS NOT NULL, count(*) FROM launch GROUP BY 1
 * 0|3
 * 1|1
 *
 * > SELECT count(*), max(allocation) FROM argument
 * 1|1
 *
 * > SELECT topic, text FROM note WHERE topic = 'arguments'
 * arguments|not seen: this driver does not tell the parameters of kernels (CUDA 12.4 does)
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

/* nvcc's translation of xs_add_one_u8 of tests/sim/kernels.cuh. */
static const char ptx[] = ".version 7.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .entry xs_add_one_u8(.param .u64 p0, .param .u64 p1)\n"
                          "{\n"
                          "    .reg .pred %p<3>;\n"
                          "    .reg .b16 %rs<3>;\n"
                          "    .reg .b32 %r<5>;\n"
                          "    .reg .b64 %rd<14>;\n"
                          "    ld.param.u64 %rd7, [p0];\n"
                          "    ld.param.u64 %rd8, [p1];\n"
                          "    mov.u32 %r1, %ctaid.x;\n"
                          "    mov.u32 %r2, %ntid.x;\n"
                          "    cvt.u64.u32 %rd1, %r2;\n"
                          "    mul.wide.u32 %rd9, %r1, %r2;\n"
                          "    mov.u32 %r3, %tid.x;\n"
                          "    cvt.u64.u32 %rd10, %r3;\n"
                          "    add.s64 %rd13, %rd9, %rd10;\n"
                          "    setp.ge.u64 %p1, %rd13, %rd8;\n"
                          "    @%p1 bra DONE;\n"
                          "    mov.u32 %r4, %nctaid.x;\n"
                          "    cvt.u64.u32 %rd11, %r4;\n"
                          "    mul.lo.s64 %rd3, %rd11, %rd1;\n"
                          "    cvta.to.global.u64 %rd4, %rd7;\n"
                          "NEXT:\n"
                          "    add.s64 %rd12, %rd4, %rd13;\n"
                          "    ld.global.u8 %rs1, [%rd12];\n"
                          "    add.s16 %rs2, %rs1, 1;\n"
                          "    st.global.u8 [%rd12], %rs2;\n"
                          "    add.s64 %rd13, %rd13, %rd3;\n"
                          "    setp.lt.u64 %p2, %rd13, %rd8;\n"
                          "    @%p2 bra NEXT;\n"
                          "DONE:\n"
                          "    ret;\n"
                          "}\n";

int main(void) {
    size_t n = 100;
    CUmodule module;
    CUfunction function;
    CUdeviceptr device;

    e2e_context();
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuMemAlloc(&device, 4096));
    OK(cuMemsetD8(device, 0, 4096));
    void *params[] = {&device, &n};
    for (int i = 0; i < 3; i++)
        OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
    struct {
        CUdeviceptr x;
        size_t n;
    } packed = {device, n};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, extra));
    OK(cuCtxSynchronize());
    OK(cuMemFree(device));
    OK(cuModuleUnload(module));
    puts("data ok");
    return 0;
}
