/* Reads stacks, modules, Python code objects, NVTX ranges and stored symbols from a trace; see callsites.h. */
#include "analyzer/base/grow.h"
#include "analyzer/symbols/debug_path.h"
#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/scan.h"
#include "schema/source/library.h"

static const char *text_or_null(const struct xs_scan *scan, int column) {
    const char *text = xs_scan_null(scan, column) ? NULL : xs_scan_text(scan, column);
    return text && *text ? text : NULL;
}

static uint32_t line_of(const struct xs_scan *scan, int column) {
    int64_t line = xs_scan_int(scan, column);
    return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

/* Adds an id to `by_id` and returns the address of its value, which the caller sets. NULL: the id was there before,
 * which happens only in a damaged file. */
static uint64_t *new_id(struct xs_callsites *callsites, struct xs_hash *by_id, int64_t id) {
    uint64_t *place = xs_hash_put(by_id, (uint64_t)id, 0);
    if (!*place)
        return place;
    callsites->damaged++;
    return NULL;
}

static int read_modules(struct xs_callsites *c, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, c->trace, "SELECT id, path, build_id, load_bias FROM module", message, &c->damaged);
    while (xs_scan_row(&scan)) {
        uint64_t *place = new_id(c, &c->module_by_id, xs_scan_int(&scan, 0));
        if (!place)
            continue;
        xs_grow(&c->modules, c->module_count, &c->module_capacity, sizeof *c->modules);
        struct xs_callsite_module *module = &c->modules[c->module_count];
        *module = (struct xs_callsite_module){.id = xs_scan_int(&scan, 0),
                                              .path = xs_texts_keep(&c->texts, xs_scan_text(&scan, 1)),
                                              .build_id = xs_texts_keep(&c->texts, text_or_null(&scan, 2)),
                                              .load_bias = (uint64_t)xs_scan_int(&scan, 3)};
        module->library = xs_library_binary(module->path, &module->glue);
        *place = ++c->module_count;
    }
    return xs_scan_end(&scan);
}

static int read_codes(struct xs_callsites *c, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, c->trace, "SELECT id, file, function FROM python_code", message, &c->damaged);
    while (xs_scan_row(&scan)) {
        uint64_t *place = new_id(c, &c->code_by_id, xs_scan_int(&scan, 0));
        if (!place)
            continue;
        xs_grow(&c->codes, c->code_count, &c->code_capacity, sizeof *c->codes);
        struct xs_callsite_code *code = &c->codes[c->code_count];
        *code = (struct xs_callsite_code){.file = xs_texts_keep(&c->texts, text_or_null(&scan, 1)),
                                          .function = xs_texts_keep(&c->texts, text_or_null(&scan, 2))};
        code->library = code->file && xs_library_python(code->file);
        *place = ++c->code_count;
    }
    return xs_scan_end(&scan);
}

static int read_ranges(struct xs_callsites *c, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, c->trace, "SELECT id, parent, name FROM nvtx_range", message, &c->damaged);
    while (xs_scan_row(&scan)) {
        uint64_t *place = new_id(c, &c->range_by_id, xs_scan_int(&scan, 0));
        if (!place)
            continue;
        xs_grow(&c->ranges, c->range_count, &c->range_capacity, sizeof *c->ranges);
        c->ranges[c->range_count] = (struct xs_callsite_range){
            .parent = xs_scan_int(&scan, 1), .name = xs_texts_keep(&c->texts, xs_scan_text(&scan, 2))};
        *place = ++c->range_count;
    }
    return xs_scan_end(&scan);
}

static int read_stacks(struct xs_callsites *c, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, c->trace,
                  "SELECT s.id, s.is_cut, s.python_thread, t.tid = (SELECT value FROM meta WHERE key = 'pid')"
                  " FROM stack s LEFT JOIN thread t ON t.id = s.python_thread ORDER BY s.id",
                  message, &c->damaged);
    while (xs_scan_row(&scan)) {
        uint64_t *place = new_id(c, &c->stack_by_id, xs_scan_int(&scan, 0));
        if (!place)
            continue;
        xs_grow(&c->stacks, c->stack_count, &c->stack_capacity, sizeof *c->stacks);
        bool is_own = xs_scan_null(&scan, 2), is_main = !is_own && xs_scan_int(&scan, 3) == 1;
        c->stacks[c->stack_count] = (struct xs_callsite_stack){
            .id = xs_scan_int(&scan, 0),
            .cut = xs_scan_int(&scan, 1) != 0,
            .of = is_own    ? XS_FRAME_OWN
                  : is_main ? XS_FRAME_MAIN
                            : XS_FRAME_OTHER,
        };
        *place = ++c->stack_count;
    }
    return xs_scan_end(&scan);
}

static uint32_t native_part(struct xs_callsites *c, uint64_t address, bool has_module, int64_t id) {
    const uint64_t *module = has_module ? xs_hash_find(&c->module_by_id, (uint64_t)id, 0) : NULL;
    uint32_t number = module ? (uint32_t)*module - 1 : UINT32_MAX;
    if (module)
        address -= c->modules[number].load_bias;
    uint64_t *place = xs_hash_put(&c->address_by_key, address, number);
    if (!*place) {
        xs_grow(&c->addresses, c->address_count, &c->address_capacity, sizeof *c->addresses);
        c->addresses[c->address_count] = (struct xs_callsite_address){.address = address, .module = number};
        *place = ++c->address_count;
    }
    return (uint32_t)*place - 1;
}

static uint32_t python_part(struct xs_callsites *c, int64_t id, uint32_t line) {
    const uint64_t *found = xs_hash_find(&c->code_by_id, (uint64_t)id, 0);
    const struct xs_callsite_code *code = found ? &c->codes[*found - 1] : NULL;
    uint64_t *place = xs_hash_put(&c->python_by_key, found ? *found : 0, line);
    if (!*place) {
        xs_grow(&c->frames, c->frame_count, &c->frame_capacity, sizeof *c->frames);
        c->frames[c->frame_count] = (struct xs_frame){.function = code ? code->function : NULL,
                                                      .file = code ? code->file : NULL,
                                                      .line = line,
                                                      .python = true,
                                                      .library = code && code->library};
        *place = ++c->frame_count;
    }
    return (uint32_t)*place - 1;
}

/* Returns the stack of a row. Because of their ids, the rows of a stack follow each other, the native ones first. NULL:
 * the row is out of order or one too many, which is damage. */
static struct xs_callsite_stack *stack_of_row(struct xs_callsites *c, struct xs_callsite_stack *last, int64_t id,
                                              bool python) {
    struct xs_callsite_stack *stack = last && last->id == id ? last : NULL;
    const uint64_t *place = stack ? NULL : xs_hash_find(&c->stack_by_id, (uint64_t)id, 0);
    if (place) {
        stack = &c->stacks[*place - 1];
        if (stack->natives || stack->pythons)
            return NULL;
        stack->first = c->part_count;
    }
    bool fits = stack && stack->natives + stack->pythons < XS_STACK_FRAMES_MAX && (python || !stack->pythons);
    return fits ? stack : NULL;
}

static int read_frames(struct xs_callsites *c, char *message) {
    struct xs_scan scan;
    struct xs_callsite_stack *last = NULL;
    enum { STACK, ADDRESS, MODULE, CODE, LINE, ENTRY };
    xs_scan_begin(&scan, c->trace, "SELECT stack, address, module, code, line, is_entry FROM stack_frame ORDER BY id",
                  message, &c->damaged);
    while (xs_scan_row(&scan)) {
        bool python = !xs_scan_null(&scan, CODE);
        struct xs_callsite_stack *stack = stack_of_row(c, last, xs_scan_int(&scan, STACK), python);
        if (!stack) {
            c->damaged++;
            continue;
        }
        last = stack;
        uint32_t part = python ? python_part(c, xs_scan_int(&scan, CODE), line_of(&scan, LINE))
                               : native_part(c, (uint64_t)xs_scan_int(&scan, ADDRESS), !xs_scan_null(&scan, MODULE),
                                             xs_scan_int(&scan, MODULE));
        xs_grow(&c->parts, c->part_count, &c->part_capacity, sizeof *c->parts);
        c->parts[c->part_count++] = part | (python && xs_scan_int(&scan, ENTRY) ? XS_PART_ENTRY : 0);
        if (python)
            stack->pythons++;
        else
            stack->natives++;
    }
    return xs_scan_end(&scan);
}

/* Marks the stored addresses of the program that have no line, if the user names folders with debug information. The
 * data that are stored of them count if no binary has more. */
static void look_again(struct xs_callsites *c) {
    bool is_named;
    xs_debug_path_folder(0, &is_named);
    for (uint32_t i = 0; is_named && i < c->address_count; i++) {
        struct xs_callsite_address *address = &c->addresses[i];
        bool has_file = !address->stored || address->module == UINT32_MAX || c->modules[address->module].library;
        for (uint32_t k = 0; k < address->frames && !has_file; k++)
            has_file = c->frames[address->first + k].file != NULL;
        address->looks_again = !has_file;
    }
}

static int read_symbols(struct xs_callsites *c, char *message) {
    struct xs_scan scan;
    uint32_t last = UINT32_MAX;
    xs_scan_begin(&scan, c->trace,
                  "SELECT module, address, function, file, line FROM symbol ORDER BY module, address, inline_depth, id",
                  message, &c->damaged);
    while (xs_scan_row(&scan)) {
        const uint64_t *module = xs_hash_find(&c->module_by_id, (uint64_t)xs_scan_int(&scan, 0), 0);
        const uint64_t *place =
            module ? xs_hash_find(&c->address_by_key, (uint64_t)xs_scan_int(&scan, 1), *module - 1) : NULL;
        const char *function = text_or_null(&scan, 2), *file = text_or_null(&scan, 3);
        if (!place || (!function && !file))
            continue;
        struct xs_callsite_address *address = &c->addresses[*place - 1];
        if (address->frames && last != *place)
            continue;
        last = (uint32_t)*place;
        address->stored = true;
        if (address->frames < XS_STACK_FRAMES_MAX)
            xs_callsites_add_frame(c, (uint32_t)*place - 1, function, file, line_of(&scan, 4));
    }
    look_again(c);
    return xs_scan_end(&scan);
}

int xs_callsites_read(struct xs_callsites *callsites, bool stored, char *message) {
    int status = read_modules(callsites, message);
    if (status >= 0)
        status = read_codes(callsites, message);
    if (status >= 0)
        status = read_ranges(callsites, message);
    if (status >= 0)
        status = read_stacks(callsites, message);
    if (status >= 0)
        status = read_frames(callsites, message);
    if (status >= 0 && stored)
        status = read_symbols(callsites, message);
    return status;
}
