/* Makes a call with known values in every register that a callee has to preserve (System V ABI, x86-64, 3.2.1). */
#include "preserved.h"

#include <stdint.h>

#if HAVE_PRESERVED_CALL
void *preserved_call_asm(void *handle, const char *name, uint64_t lower, uint64_t *registers,
                         void *(*function)(void *, const char *));

/* Below the lowered stack lie the stack pointer to which the call returns, and the one with which it must come back. */
__asm__(".text\n"
        ".globl preserved_call_asm\n"
        ".hidden preserved_call_asm\n"
        ".type preserved_call_asm, @function\n"
        "preserved_call_asm:\n"
        "    endbr64\n"
        "    pushq %rbx\n"
        "    pushq %rbp\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    pushq %rcx\n"
        "    movq %rsp, %rax\n"
        "    subq %rdx, %rsp\n"
        "    subq $16, %rsp\n"
        "    movq %rax, (%rsp)\n"
        "    movq %rsp, 8(%rsp)\n"
        "    movq $0x11111111, %rbx\n"
        "    movq $0x22222222, %rbp\n"
        "    movq $0x33333333, %r12\n"
        "    movq $0x44444444, %r13\n"
        "    movq $0x55555555, %r14\n"
        "    movq $0x66666666, %r15\n"
        "    call *%r8\n"
        "    movq 8(%rsp), %rdx\n"
        "    subq %rsp, %rdx\n"
        "    movq (%rsp), %rsp\n"
        "    popq %rcx\n"
        "    movq %rbx, (%rcx)\n"
        "    movq %rbp, 8(%rcx)\n"
        "    movq %r12, 16(%rcx)\n"
        "    movq %r13, 24(%rcx)\n"
        "    movq %r14, 32(%rcx)\n"
        "    movq %r15, 40(%rcx)\n"
        "    movq %rdx, 48(%rcx)\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbp\n"
        "    popq %rbx\n"
        "    ret\n"
        ".size preserved_call_asm, .-preserved_call_asm\n");

void *preserved_call(void *(*function)(void *, const char *), void *handle, const char *name, unsigned blocks,
                     bool *preserved) {
    uint64_t registers[7] = {0};
    void *result = preserved_call_asm(handle, name, 16 * (uint64_t)blocks, registers, function);
    *preserved = registers[6] == 0;
    for (unsigned i = 0; i < 6; i++)
        *preserved = *preserved && registers[i] == UINT64_C(0x11111111) * (i + 1);
    return result;
}
#else
void *preserved_call(void *(*function)(void *, const char *), void *handle, const char *name, unsigned blocks,
                     bool *preserved) {
    (void)blocks;
    *preserved = true;
    return function(handle, name);
}
#endif
