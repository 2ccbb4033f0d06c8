/* Copies frames and code objects of other threads; see python_copy.h. */
#define _GNU_SOURCE
#include "preload/callsite/python_copy.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, FIRST_BYTES = 1024 };

const size_t xs_python_copy_bytes = sizeof(struct xs_python_copy);

bool xs_python_copy_code(struct xs_python_copy *copy, uintptr_t code) {
    const struct xs_python_layout *l = &xs_python.layout;
    size_t bytes = l->shape == XS_PYTHON_FRAMES ? l->body : l->lines + 8u;
    copy->texts = (struct xs_python_texts){0};
    if (!xs_python_plausible(code) || bytes > sizeof copy->code || !xs_python_probe(copy->code, code, bytes))
        return false;
    uintptr_t at = (uintptr_t)copy->code;
    copy->texts = xs_python_texts_of(l, at);
    return xs_python_word(at + XS_PYTHON_OB_TYPE) == xs_python.code_type && xs_python_plausible(copy->texts.filename) &&
           xs_python_plausible(copy->texts.name) && xs_python_plausible(copy->texts.lines);
}

/* Copies the beginning of an object: enough that small objects are whole, but nothing of the next page, which may not
 * be mapped. Returns the number of bytes; 0: fewer than `least` can be read. */
static size_t copy_beginning(uint8_t *to, uintptr_t at, size_t least) {
    size_t page = PAGE_BYTES - at % PAGE_BYTES, bytes = page < FIRST_BYTES ? page : FIRST_BYTES;
    bytes = bytes < least ? least : bytes;
    return xs_python_probe(to, at, bytes) ? bytes : 0;
}

/* True if it is a type with this flag. `*known` is a type that has it. */
static bool is_type(uintptr_t type, uint64_t flag, uintptr_t *known) {
    uintptr_t flags;
    if (type == *known)
        return true;
    if (!xs_python_plausible(type) || !xs_python_probe(&flags, type + XS_PYTHON_TP_FLAGS, sizeof flags) ||
        !(flags & flag))
        return false;
    *known = type;
    return true;
}

/* Copies the rest of an object of `bytes` bytes, after its first `have` bytes. */
static bool copy_rest(uint8_t *to, size_t room, uintptr_t at, size_t have, size_t bytes) {
    return bytes <= room && (bytes <= have || xs_python_probe(to + have, at + have, bytes - have));
}

static bool copy_text(struct xs_python_copy *copy, uint8_t *to, uintptr_t text) {
    const struct xs_python_layout *l = &xs_python.layout;
    size_t have = copy_beginning(to, text, l->compact);
    uintptr_t at = (uintptr_t)to, type = copy->text_type;
    if (!have || !is_type(xs_python_word(at + XS_PYTHON_OB_TYPE), XS_PYTHON_IS_TEXT, &type))
        return false;
    copy->text_type = type;
    uint32_t state = (uint32_t)xs_python_int(at + XS_PYTHON_TEXT_STATE);
    uint64_t kind = (state >> XS_PYTHON_TEXT_KIND_SHIFT) & XS_PYTHON_TEXT_KIND_MASK;
    uint64_t length = xs_python_word(at + XS_PYTHON_TEXT_LENGTH);
    if (!(state & XS_PYTHON_TEXT_COMPACT) || length > XS_PYTHON_COPY_TEXT)
        return false; /* an object of a class derived from str has its characters elsewhere */
    uintptr_t own_type = (uintptr_t)copy->type, flags = XS_PYTHON_IS_TEXT;
    memcpy(to + XS_PYTHON_OB_TYPE, &own_type, sizeof own_type);
    memcpy(copy->type + XS_PYTHON_TP_FLAGS, &flags, sizeof flags);
    return copy_rest(to, XS_PYTHON_COPY_TEXT, text, have,
                     ((state & XS_PYTHON_TEXT_ASCII) ? l->ascii : l->compact) + length * kind);
}

static bool copy_lines(struct xs_python_copy *copy, uintptr_t lines) {
    size_t have = copy_beginning(copy->lines, lines, XS_PYTHON_BYTES_DATA);
    uintptr_t at = (uintptr_t)copy->lines;
    if (!have || !is_type(xs_python_word(at + XS_PYTHON_OB_TYPE), XS_PYTHON_IS_BYTES, &copy->bytes_type))
        return false;
    uint64_t length = xs_python_word(at + XS_PYTHON_OB_SIZE);
    return length < XS_PYTHON_COPY_LINES &&
           copy_rest(copy->lines, XS_PYTHON_COPY_LINES, lines, have, XS_PYTHON_BYTES_DATA + length);
}

static void put_pointer(struct xs_python_copy *copy, uint16_t offset, const uint8_t *to) {
    uintptr_t address = (uintptr_t)to;
    memcpy(copy->code + offset, &address, sizeof address);
}

bool xs_python_copy_texts(struct xs_python_copy *copy) {
    const struct xs_python_layout *l = &xs_python.layout;
    if (copy->texts.at_name == (uintptr_t)copy->name)
        return true;                                               /* copied already */
    bool has_filename = copy->filename_of == copy->texts.filename; /* neighbouring frames often have the same file */
    copy->filename_of = 0;
    if ((!has_filename && !copy_text(copy, copy->filename, copy->texts.filename)) ||
        !copy_text(copy, copy->name, copy->texts.name) || !copy_lines(copy, copy->texts.lines))
        return false;
    put_pointer(copy, l->filename, copy->filename);
    put_pointer(copy, l->qualname ? l->qualname : l->name, copy->name);
    put_pointer(copy, l->lines, copy->lines);
    copy->filename_of = copy->texts.filename;
    copy->texts.at_filename = (uintptr_t)copy->filename;
    copy->texts.at_name = (uintptr_t)copy->name;
    copy->texts.at_lines = (uintptr_t)copy->lines;
    return true;
}

bool xs_python_copy_link(struct xs_python_copy *copy, uintptr_t at, uintptr_t word) {
    struct xs_python_links *links = &copy->links;
    if (links->count == sizeof links->at / sizeof *links->at)
        return false;
    links->at[links->count] = at;
    links->value[links->count++] = word;
    return true;
}

bool xs_python_copy_innermost(struct xs_python_copy *copy, uintptr_t at, uint64_t word) {
    copy->links.innermost.at = at;
    copy->links.innermost.value = word;
    return true;
}

/* Reads the noted words again by one system call, from the first to the last or in the other order. */
static bool is_as_noted(struct xs_python_links *links, bool is_backwards) {
    size_t bytes = links->count * sizeof *links->value;
    for (unsigned i = 0; i < links->count; i++) {
        unsigned k = is_backwards ? links->count - 1 - i : i;
        links->local[i] = (struct iovec){&links->again[k], sizeof links->again[k]};
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the interpreter's memory
        links->remote[i] = (struct iovec){(void *)links->at[k], sizeof links->again[k]};
    }
    int before = errno;
    long read = syscall(SYS_process_vm_readv, syscall(SYS_getpid), links->local, (unsigned long)links->count,
                        links->remote, (unsigned long)links->count, 0UL);
    errno = before;
    return read == (long)bytes && memcmp(links->value, links->again, bytes) == 0;
}

/* A thread that does the same again and again may have every value again although it never had all of them at once: it
 * returns to the next frame while these words are read. In the other order the same values would need a whole turn of
 * its loop between two reads. */
bool xs_python_copy_is_settled(struct xs_python_copy *copy) {
    return is_as_noted(&copy->links, false) && is_as_noted(&copy->links, true);
}

/* ---- the same stack again ---- */

static void put_noted(struct xs_python_noted *noted, uintptr_t at, uint64_t value) {
    unsigned i = noted->count++;
    for (; i > 0 && noted->at[i - 1] > at; i--) {
        noted->at[i] = noted->at[i - 1];
        noted->value[i] = noted->value[i - 1];
    }
    noted->at[i] = at;
    noted->value[i] = value;
}

void xs_python_keep_noted(const struct xs_python_copy *copy, struct xs_python_noted *noted) {
    const struct xs_python_links *links = &copy->links;
    noted->count = 0;
    if (links->count >= XS_PYTHON_NOTED)
        return;
    for (unsigned i = 0; i < links->count; i++)
        put_noted(noted, links->at[i], links->value[i]);
    put_noted(noted, links->innermost.at, links->innermost.value);
}

/* Reads words that are close to each other as one piece, because the kernel takes longer for each piece than for its
 * bytes. Most frames lie one after another. Two words of a piece are less than a page apart, so if both can be read,
 * the bytes between them can be read, too. */
bool xs_python_is_as_noted(const struct xs_python_noted *noted, struct xs_python_copy *copy) {
    enum { CLOSE_BYTES = 1024 };
    struct xs_python_links *links = &copy->links;
    unsigned pieces = 0;
    size_t bytes = 0, offset[XS_PYTHON_NOTED];
    for (unsigned i = 0; i < noted->count; i++) {
        size_t more = sizeof(uint64_t);
        if (pieces && noted->at[i] - noted->at[i - 1] <= CLOSE_BYTES) {
            struct iovec *last = &links->remote[pieces - 1];
            more = noted->at[i] + sizeof(uint64_t) - (uintptr_t)last->iov_base - last->iov_len;
            last->iov_len += more;
        } else {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): an address in the interpreter's memory
            links->remote[pieces++] = (struct iovec){(void *)noted->at[i], more};
        }
        bytes += more;
        offset[i] = bytes - sizeof(uint64_t);
    }
    if (!bytes || bytes > sizeof copy->lines)
        return false;
    int before = errno;
    struct iovec local = {copy->lines, bytes};
    long read =
        syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, links->remote, (unsigned long)pieces, 0UL);
    errno = before;
    bool is_same = read == (long)bytes;
    for (unsigned i = 0; i < noted->count && is_same; i++)
        is_same = memcmp(copy->lines + offset[i], &noted->value[i], sizeof noted->value[i]) == 0;
    return is_same;
}
