/* Stores definitions of modules, stacks, Python code and NVTX ranges. The bytes come from a spool that may be damaged,
 * so every length is checked. */
#include <string.h>

#include "schema/write/store_internal.h"

/* The unread part of a definition. */
struct rest {
    const uint8_t *data;
    size_t bytes;
};

static bool take(struct rest *rest, void *to, size_t bytes) {
    if (rest->bytes < bytes)
        return false;
    memcpy(to, rest->data, bytes);
    rest->data += bytes;
    rest->bytes -= bytes;
    return true;
}

/* Takes `bytes` bytes of text from the rest; NULL: the rest is shorter. */
static const char *take_text(struct rest *rest, uint32_t bytes) {
    const char *text = (const char *)rest->data;
    if (rest->bytes < bytes)
        return NULL;
    rest->data += bytes;
    rest->bytes -= bytes;
    return text;
}

/* Writes text up to its first 0. */
static void put_text(struct xs_row *row, const char *text, uint32_t bytes) {
    xs_put_bytes_as_text(row, text, strnlen(text, bytes));
}

static int define_module(struct xs_store *store, uint32_t id, struct rest rest) {
    static const char digits[] = "0123456789abcdef";
    struct xs_define_module m;
    if (!take(&rest, &m, sizeof m) || m.build_id_bytes > 64)
        return XS_ERROR_INVALID;
    const char *build_id = take_text(&rest, m.build_id_bytes);
    const char *path = build_id ? take_text(&rest, m.path_bytes) : NULL;
    if (!path)
        return XS_ERROR_INVALID;
    char hex[128];
    for (uint32_t i = 0; i < m.build_id_bytes; i++) {
        hex[2 * i] = digits[(uint8_t)build_id[i] >> 4];
        hex[2 * i + 1] = digits[(uint8_t)build_id[i] & 15];
    }
    struct xs_row row =
        xs_row_into(store, "INSERT OR IGNORE INTO module(id, path, build_id, start_address, end_address, load_bias)");
    xs_put(&row, id);
    put_text(&row, path, m.path_bytes);
    if (m.build_id_bytes)
        xs_put_bytes_as_text(&row, hex, 2 * (size_t)m.build_id_bytes);
    else
        xs_put_null(&row);
    xs_put_u64(&row, m.start);
    xs_put_u64(&row, m.end);
    xs_put_u64(&row, m.bias);
    return xs_row_insert(&row);
}

static int put_frame(struct xs_store *store, uint32_t stack, uint32_t depth, const struct xs_define_frame *native,
                     const struct xs_define_python_frame *python) {
    struct xs_row row =
        xs_row_into(store, "INSERT OR IGNORE INTO stack_frame(id, stack, depth, address, module, code, line,"
                           " is_entry)");
    xs_put(&row, (int64_t)stack * 4096 + (python ? 2048 : 0) + depth);
    xs_put(&row, stack);
    xs_put(&row, depth);
    xs_put_if(&row, native, native ? (int64_t)native->address : 0);
    xs_put_if(&row, native && native->module, native ? native->module : 0);
    xs_put_if(&row, python, python ? python->code : 0);
    xs_put_if(&row, python && python->line, python ? python->line : 0);
    xs_put_if(&row, python, python ? python->is_entry : 0);
    return xs_row_insert(&row);
}

static int define_stack(struct xs_store *store, uint32_t id, struct rest rest) {
    struct xs_define_stack s;
    if (!take(&rest, &s, sizeof s) || s.native > 2048 || s.python > 2048 ||
        rest.bytes != s.native * sizeof(struct xs_define_frame) + s.python * sizeof(struct xs_define_python_frame))
        return XS_ERROR_INVALID;
    struct xs_row row = xs_row_into(
        store, "INSERT OR IGNORE INTO stack(id, native_frames, python_frames, is_cut, python_thread, is_asleep)");
    xs_put(&row, id);
    xs_put(&row, s.native);
    xs_put(&row, s.python);
    xs_put(&row, s.is_cut != 0);
    xs_put_if(&row, s.python_thread, s.python_thread);
    xs_put_if(&row, s.python_thread && s.sleep != XS_SLEEP_UNKNOWN, s.sleep == XS_ASLEEP);
    int status = xs_row_insert(&row);
    struct xs_define_frame frame;
    for (uint32_t i = 0; status == XS_OK && i < s.native && take(&rest, &frame, sizeof frame); i++)
        status = put_frame(store, id, i, &frame, NULL);
    struct xs_define_python_frame python;
    for (uint32_t i = 0; status == XS_OK && i < s.python && take(&rest, &python, sizeof python); i++)
        status = put_frame(store, id, i, NULL, &python);
    return status;
}

static int define_code(struct xs_store *store, uint32_t id, struct rest rest) {
    struct xs_define_code c;
    if (!take(&rest, &c, sizeof c))
        return XS_ERROR_INVALID;
    const char *file = take_text(&rest, c.file_bytes);
    const char *function = file ? take_text(&rest, c.function_bytes) : NULL;
    if (!function)
        return XS_ERROR_INVALID;
    struct xs_row row = xs_row_into(store, "INSERT OR IGNORE INTO python_code(id, file, function, first_line)");
    xs_put(&row, id);
    put_text(&row, file, c.file_bytes);
    put_text(&row, function, c.function_bytes);
    xs_put(&row, c.first_line);
    return xs_row_insert(&row);
}

static int define_range(struct xs_store *store, uint32_t id, struct rest rest) {
    struct xs_define_range r;
    if (!take(&rest, &r, sizeof r))
        return XS_ERROR_INVALID;
    const char *domain = take_text(&rest, r.domain_bytes);
    const char *name = domain ? take_text(&rest, r.name_bytes) : NULL;
    if (!name)
        return XS_ERROR_INVALID;
    struct xs_row row = xs_row_into(store, "INSERT OR IGNORE INTO nvtx_range(id, parent, domain, name)");
    xs_put(&row, id);
    xs_put_nonzero(&row, r.parent);
    if (r.domain_bytes)
        put_text(&row, domain, r.domain_bytes);
    else
        xs_put_null(&row);
    put_text(&row, name, r.name_bytes);
    return xs_row_insert(&row);
}

int xs_store_host_sample(struct xs_store *store, const struct xs_host_sample *sample) {
    struct xs_row row = xs_row_into(store, "INSERT INTO host_sample(thread, at_ns, ns, stack, is_asleep)");
    xs_put(&row, sample->thread);
    xs_put(&row, sample->at_ns);
    xs_put(&row, sample->ns);
    xs_put(&row, sample->stack);
    xs_put_if(&row, sample->sleep != XS_SLEEP_UNKNOWN, sample->sleep == XS_ASLEEP);
    return xs_row_insert(&row);
}

int xs_store_definition(struct xs_store *store, enum xs_definition what, uint32_t id, const uint8_t *data,
                        size_t bytes) {
    struct rest rest = {data, bytes};
    if (id == 0)
        return XS_ERROR_INVALID;
    switch (what) {
    case XS_DEFINE_MODULE:
        return define_module(store, id, rest);
    case XS_DEFINE_STACK:
        return define_stack(store, id, rest);
    case XS_DEFINE_CODE:
        return define_code(store, id, rest);
    case XS_DEFINE_RANGE:
        return define_range(store, id, rest);
    }
    return XS_ERROR_INVALID;
}
