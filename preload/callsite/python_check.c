/* Checks whether the layout fits the running interpreter. Everything is read by system calls here, so that a wrong
 * offset leads to the answer "no" and not to a crash. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/callsite/python_layout.h"

/* Reads memory from /proc/self/mem, if a sandbox forbids process_vm_readv. Makes the system calls directly, because
 * libc's functions are cancellation points. */
static bool probe_file(void *to, uintptr_t from, size_t bytes) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    long n = syscall(SYS_pread64, fd, to, bytes, (off_t)from);
    syscall(SYS_close, fd);
    return n == (long)bytes;
}

bool xs_python_probe(void *to, uintptr_t from, size_t bytes) {
    struct iovec local = {to, bytes}, remote = {(void *)from, bytes};
    int before = errno;
    bool ok = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes ||
              (errno != EFAULT && probe_file(to, from, bytes));
    errno = before;
    return ok;
}

static bool probe_word(uintptr_t *to, uintptr_t from) { return xs_python_probe(to, from, sizeof *to); }

/* True if it is an object of a type with this flag. */
static bool is_object(uintptr_t object, uint64_t flag) {
    uintptr_t type, flags;
    return xs_python_plausible(object) && probe_word(&type, object + XS_PYTHON_OB_TYPE) && xs_python_plausible(type) &&
           probe_word(&flags, type + XS_PYTHON_TP_FLAGS) && (flags & flag);
}

static bool field_is(uintptr_t code, uint16_t offset, uint64_t flag) {
    uintptr_t object;
    return probe_word(&object, code + offset) && is_object(object, flag);
}

/* Returns the number of bytes of the code; -1: `code` is no code object. */
static int64_t code_bytes(uintptr_t code) {
    const struct xs_python_layout *l = &xs_python.layout;
    uintptr_t type, size, body = code;
    if (!xs_python_plausible(code) || !probe_word(&type, code + XS_PYTHON_OB_TYPE) || type != xs_python.code_type ||
        !field_is(code, l->filename, XS_PYTHON_IS_TEXT) || !field_is(code, l->name, XS_PYTHON_IS_TEXT) ||
        !field_is(code, l->lines, XS_PYTHON_IS_BYTES) ||
        (l->qualname && !field_is(code, l->qualname, XS_PYTHON_IS_TEXT)))
        return -1;
    if (l->shape != XS_PYTHON_FRAMES && (!probe_word(&body, code + l->body) || !is_object(body, XS_PYTHON_IS_BYTES)))
        return -1;
    int32_t first_line = 0;
    if (!probe_word(&size, body + XS_PYTHON_OB_SIZE) || !xs_python_probe(&first_line, code + l->first_line, 4) ||
        first_line < -1 || size > INT32_MAX)
        return -1;
    return (int64_t)(l->shape == XS_PYTHON_FRAMES ? size * 2 : size);
}

/* True if the frame's position is within the code. */
static bool position_fits(uintptr_t frame, uintptr_t code, int64_t bytes) {
    const struct xs_python_layout *l = &xs_python.layout;
    if (l->shape != XS_PYTHON_FRAMES) {
        int32_t last = 0;
        return xs_python_probe(&last, frame + l->f_at, sizeof last) && last >= -1 &&
               (l->shape == XS_PYTHON_OBJECTS_WORDS ? 2 * (int64_t)last : last) < bytes;
    }
    uintptr_t at;
    int32_t traceable = 0;
    if (!probe_word(&at, frame + l->f_at) || !xs_python_probe(&traceable, code + l->traceable, sizeof traceable))
        return false;
    int64_t position = (int64_t)(at - (code + l->body));
    return position >= -2 && position < bytes && traceable >= 0 && traceable <= bytes / 2;
}

enum { CHECKED_MAX = 10000 };

enum xs_python_fit xs_python_check(void) {
    const struct xs_python_layout *l = &xs_python.layout;
    uintptr_t thread = xs_python_thread(), at = thread, frame, id;
    if (!thread)
        return XS_PYTHON_NO_FRAMES;
    if (!xs_python_plausible(thread) || !probe_word(&id, thread + l->thread_id) || id != (uintptr_t)pthread_self() ||
        (l->cframe && (!probe_word(&at, thread + l->cframe) || !xs_python_plausible(at))) ||
        !probe_word(&frame, at + l->current))
        return XS_PYTHON_WRONG;
    bool any = false;
    for (unsigned n = 0; frame && n < CHECKED_MAX; n++) {
        uint8_t owner = 0, entry = 0;
        uintptr_t code;
        if (!xs_python_plausible(frame) || (l->f_owner && !xs_python_probe(&owner, frame + l->f_owner, 1)) ||
            (l->f_entry && !xs_python_probe(&entry, frame + l->f_entry, 1)) || owner > 8 || entry > 1)
            return XS_PYTHON_WRONG;
        if (owner < XS_PYTHON_OWNER_C) {
            int64_t bytes;
            if (!probe_word(&code, frame + l->f_code) || (bytes = code_bytes(code & ~(uintptr_t)7)) < 0 ||
                !position_fits(frame, code & ~(uintptr_t)7, bytes))
                return XS_PYTHON_WRONG;
            any = true;
        }
        if (!probe_word(&frame, frame + l->f_previous))
            return XS_PYTHON_WRONG;
    }
    return any ? XS_PYTHON_FITS : XS_PYTHON_NO_FRAMES;
}
