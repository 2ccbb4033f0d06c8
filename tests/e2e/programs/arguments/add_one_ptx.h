/* A kernel for programs that use the driver without the runtime. */
#ifndef XFERSPY_E2E_ADD_ONE_PTX_H
#define XFERSPY_E2E_ADD_ONE_PTX_H

/* The PTX that nvcc makes of xs_add_one_u8 in tests/sim/kernels.cuh. */
static const char add_one_ptx[] = ".version 7.0\n"
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

#endif
