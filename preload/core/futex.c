/* Makes the futex system call, for which glibc has no function. */
#define _GNU_SOURCE
#include "preload/core/futex.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void xs_futex_wait(_Atomic uint32_t *word, uint32_t while_it_is, unsigned timeout_ms) {
    struct timespec timeout = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, &timeout, NULL, 0);
}

void xs_futex_wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0); }
