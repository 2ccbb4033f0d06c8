/* Imports call chains as stacks. Chains with the same frames become one stack. The names that Nsight Systems resolved
 * become the symbols of the trace. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/commands/import/import_internal.h"

enum { FRAMES = 512 }; /* largest number of frames of a chain that are kept, the innermost ones */

struct frame {
    const char *module, *function; /* kept texts; NULL: not known */
    int64_t address;               /* 0: not known */
};

/* A stack: its frames, and its row id after a call has used it. */
struct stack {
    size_t first;
    uint32_t count;
    int32_t row;
    bool is_cut;
};

struct xs_nsys_stacks {
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct stack *stacks;
    size_t count, capacity;
    struct xs_hash by_content, by_chain; /* index + 1 of a stack */
    struct xs_hash modules, addresses, symbols;
    int32_t rows;
};

static bool same_frames(const struct frame *a, const struct frame *b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i].module != b[i].module || a[i].function != b[i].function || a[i].address != b[i].address)
            return false;
    return true;
}

/* Ends the chain with the last `count` frames. Removes these frames again if another chain has the same frames. */
static void end_chain(struct xs_nsys_stacks *all, int64_t chain, uint32_t count, bool is_cut) {
    if (!count)
        return;
    const struct frame *frames = &all->frames[all->frame_count - count];
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = xs_mix(hash ^ xs_mix((uint64_t)(uintptr_t)frames[i].module ^
                                    xs_mix((uint64_t)(uintptr_t)frames[i].function ^ (uint64_t)frames[i].address)));
    uint64_t *slot;
    for (uint64_t again = 0;; again++) {
        slot = xs_hash_put(&all->by_content, hash, again);
        if (!*slot)
            break;
        const struct stack *known = &all->stacks[*slot - 1];
        if (known->count == count && same_frames(&all->frames[known->first], frames, count)) {
            all->frame_count -= count;
            *xs_hash_put(&all->by_chain, (uint64_t)chain, 0) = *slot;
            return;
        }
    }
    xs_grow(&all->stacks, all->count, &all->capacity, sizeof *all->stacks);
    all->stacks[all->count++] = (struct stack){.first = all->frame_count - count, .count = count, .is_cut = is_cut};
    *slot = all->count;
    *xs_hash_put(&all->by_chain, (uint64_t)chain, 0) = all->count;
}

static bool is_address(const char *text) { return !strncmp(text, "0x", 2); }

void xs_nsys_stacks_begin(struct xs_nsys_importer *importer) {
    enum { CHAIN, SYMBOL, MODULE, UNRESOLVED, ADDRESS };
    struct xs_nsys_stacks *all = xs_realloc(NULL, sizeof *all);
    struct xs_nsys *nsys = importer->nsys;
    int64_t chain = 0;
    uint32_t count = 0;
    bool is_cut = false;
    *all = (struct xs_nsys_stacks){0};
    importer->stacks = all;
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(
        nsys, "CUDA_CALLCHAINS", "id, symbol, module, unresolved, originalIP, stackDepth", "id, stackDepth");
    while (xs_nsys_row(nsys, rows)) {
        int64_t id;
        if (!xs_nsys_int(rows, CHAIN, &id)) {
            nsys->skipped++;
            continue;
        }
        if (id != chain) {
            end_chain(all, chain, count, is_cut);
            chain = id;
            count = 0;
            is_cut = false;
        }
        if (count == FRAMES) {
            is_cut = true;
            continue;
        }
        const char *function = xs_nsys_string(nsys, rows, SYMBOL), *module = xs_nsys_string(nsys, rows, MODULE);
        bool unresolved = xs_nsys_int_or(rows, UNRESOLVED, 0) != 0;
        xs_grow(&all->frames, all->frame_count, &all->frame_capacity, sizeof *all->frames);
        all->frames[all->frame_count++] =
            (struct frame){.module = module && *module ? module : NULL,
                           .function = function && *function && !unresolved && !is_address(function) ? function : NULL,
                           .address = xs_nsys_int_or(rows, ADDRESS, 0)};
        count++;
    }
    end_chain(all, chain, count, is_cut);
}

static int32_t module_row(struct xs_nsys_importer *importer, const char *path) {
    uint64_t *row = xs_hash_put(&importer->stacks->modules, (uint64_t)(uintptr_t)path, 0);
    if (!*row) {
        *row = importer->stacks->modules.count;
        xs_nsys_insert(importer, "INTO module",
                       XS_ROW(xs_int("id", (int64_t)*row), xs_text("path", path), xs_int("start_address", 0),
                              xs_int("end_address", 0), xs_int("load_bias", 0)));
    }
    return (int32_t)*row;
}

/* Returns the address of a frame. If the export does not have it, returns an invented address above all real ones,
 * which identifies the function. */
static int64_t address_of(struct xs_nsys_stacks *all, const struct frame *frame) {
    static const int64_t made_up = INT64_C(1) << 62;
    if (frame->address)
        return frame->address;
    uint64_t *number =
        xs_hash_put(&all->addresses, (uint64_t)(uintptr_t)frame->function, (uint64_t)(uintptr_t)frame->module);
    if (!*number)
        *number = all->addresses.count;
    return made_up + (int64_t)*number;
}

static void put_frame(struct xs_nsys_importer *importer, int32_t stack, uint32_t depth, const struct frame *frame) {
    static const char no_module[] = "[unknown]"; /* this cannot be the name of a file */
    const char *path = frame->module ? frame->module : frame->function ? no_module : NULL;
    int32_t module = path ? module_row(importer, path) : 0;
    int64_t address = address_of(importer->stacks, frame);
    xs_nsys_insert(importer, "INTO stack_frame",
                   XS_ROW(xs_int("id", (int64_t)stack * 4096 + depth), xs_int("stack", stack), xs_int("depth", depth),
                          xs_int("address", address), xs_id("module", module)));
    if (!frame->function)
        return;
    uint64_t *known = xs_hash_put(&importer->stacks->symbols, (uint64_t)address, (uint64_t)module);
    if (*known)
        return;
    *known = 1;
    xs_nsys_insert(importer, "INTO symbol",
                   XS_ROW(xs_int("module", module), xs_int("address", address), xs_int("inline_depth", 0),
                          xs_text("function", frame->function)));
}

int32_t xs_nsys_stack_of(struct xs_nsys_importer *importer, int64_t chain) {
    struct xs_nsys_stacks *all = importer->stacks;
    const uint64_t *slot = chain ? xs_hash_find(&all->by_chain, (uint64_t)chain, 0) : NULL;
    if (!slot)
        return 0;
    struct stack *stack = &all->stacks[*slot - 1];
    if (!stack->row) {
        stack->row = ++all->rows;
        xs_nsys_insert(importer, "INTO stack",
                       XS_ROW(xs_int("id", stack->row), xs_int("native_frames", stack->count),
                              xs_int("python_frames", 0), xs_int("is_cut", stack->is_cut)));
        for (uint32_t i = 0; i < stack->count; i++)
            put_frame(importer, stack->row, i, &all->frames[stack->first + i]);
    }
    return stack->row;
}

void xs_nsys_stacks_end(struct xs_nsys_importer *importer) {
    struct xs_nsys_stacks *all = importer->stacks;
    if (!all)
        return;
    free(all->frames);
    free(all->stacks);
    struct xs_hash *const tables[] = {&all->by_content, &all->by_chain, &all->modules, &all->addresses, &all->symbols};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        xs_hash_free(tables[i]);
    free(all);
    importer->stacks = NULL;
}
