/* Runs code in single steps. After step_by_step(true) the processor raises SIGTRAP after every instruction of the
 * calling thread, so a signal handler runs between any two instructions. The handler itself runs without single steps.
 * CAN_STEP is defined if this is possible. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_STEP_BY_STEP_H
#define XFERSPY_TESTS_UNIT_PRELOAD_STEP_BY_STEP_H

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <stdbool.h>
#include <stdint.h>

#define CAN_STEP

static inline void step_by_step(bool on) {
    enum { TRAP_FLAG = 0x100 };
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}
#endif

#endif
