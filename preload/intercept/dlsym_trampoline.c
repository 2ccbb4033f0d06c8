/* Defines the exported dlsym. The results of RTLD_NEXT and RTLD_DEFAULT depend on the caller's address. So a call that
 * does not concern CUDA must reach the next dlsym by a jump, which does not change the return address on the stack (or
 * in the link register). If a C function of xferspy called the next dlsym, every search with RTLD_NEXT would begin
 * after libxferspy.so instead of after the caller. */
#include "preload/core/compiler.h"
#include "preload/intercept/dlsym.h"

#ifndef XFERSPY_TEST_TRAMPOLINE /* would be a test program's dlsym */
XS_EXPORT_AS_GLIBC(xs_dlsym, dlsym)
#endif

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl xs_dlsym\n"
        ".type xs_dlsym, @function\n"
        "xs_dlsym:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    subq $40, %rsp\n" /* 8 bytes of it align the stack for the call */
        "    .cfi_adjust_cfa_offset 40\n"
        "    movq %rdi, 8(%rsp)\n"
        "    movq %rsi, 16(%rsp)\n"
        "    leaq 24(%rsp), %rdx\n"
        "    movq 40(%rsp), %rcx\n" /* the return address */
        "    call xs_dlsym_route\n"
        "    movq %rax, %rcx\n"
        "    movq 24(%rsp), %rax\n"
        "    movq 8(%rsp), %rdi\n"
        "    movq 16(%rsp), %rsi\n"
        "    addq $40, %rsp\n"
        "    .cfi_adjust_cfa_offset -40\n"
        "    testl %ecx, %ecx\n"
        "    jne 1f\n"
        "    jmp *%rax\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size xs_dlsym, .-xs_dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl xs_dlsym\n"
        ".type xs_dlsym, %function\n"
        "xs_dlsym:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    stp x29, x30, [sp, #-48]!\n"
        "    .cfi_def_cfa_offset 48\n"
        "    .cfi_offset 29, -48\n"
        "    .cfi_offset 30, -40\n"
        "    mov x29, sp\n"
        "    stp x0, x1, [sp, #16]\n"
        "    add x2, sp, #32\n"
        "    mov x3, x30\n"
        "    bl xs_dlsym_route\n"
        "    mov w9, w0\n"
        "    ldr x16, [sp, #32]\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #48\n"
        "    .cfi_def_cfa_offset 0\n"
        "    cbnz w9, 1f\n"
        "    br x16\n"
        "1:  mov x0, x16\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size xs_dlsym, .-xs_dlsym\n");
#else
#error "dlsym's trampoline is written for x86-64 and aarch64"
#endif
