/* Builds call stacks in readable form, and the places of their calls; see callsites.h. */
#include "analyzer/trace/callsites.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/trace/callsites_helpers.h"
#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/stack_merge.h"

enum { RANGE_NESTING_MAX = 64, RANGE_BYTES_MAX = 4096 };

/* The parts of one stack in the order of the merged stack. */
struct merged {
    uint32_t parts[XS_STACK_FRAMES_MAX];
    size_t count;
};

static void merge(const struct xs_callsites *c, const struct xs_callsite_stack *stack, struct merged *merged) {
    uint8_t roles[XS_STACK_FRAMES_MAX];
    bool entry[XS_STACK_FRAMES_MAX];
    int32_t order[XS_STACK_FRAMES_MAX];
    merged->count = 0;
    if (!c->parts) /* no stack has parts */
        return;
    const uint32_t *native = c->parts + stack->first, *python = native + stack->natives;
    for (size_t i = 0; i < stack->natives; i++)
        roles[i] = c->addresses[native[i]].role;
    for (size_t i = 0; i < stack->pythons; i++)
        entry[i] = (python[i] & XS_PART_ENTRY) != 0;
    merged->count = xs_stack_merge(roles, stack->natives, entry, stack->pythons, stack->cut, order);
    for (size_t i = 0; i < merged->count; i++)
        merged->parts[i] = order[i] >= 0 ? native[order[i]] : python[-1 - order[i]] | XS_PART_ENTRY;
}

/* Returns how many frames a part of a merged stack has, and sets the index of the first. XS_PART_ENTRY here marks the
 * parts of Python. */
static uint32_t part_frames(const struct xs_callsites *c, uint32_t part, uint32_t *first) {
    bool python = (part & XS_PART_ENTRY) != 0;
    *first = python ? part & ~XS_PART_ENTRY : c->addresses[part].first;
    return python ? 1 : c->addresses[part].frames;
}

static bool is_known(const struct xs_frame *frame) { return frame->function || frame->file; }

/* Adds a frame to the chain, unless it is another part of the same function as the frame before it, because the
 * compiler may split a function in two. */
static void add_to_chain(const struct xs_callsites *c, struct xs_callsite_chains *chains, size_t begin, uint32_t k) {
    const struct xs_frame *inner = chains->count > begin ? &c->frames[chains->frames[chains->count - 1]] : NULL;
    if (inner && inner->inlined && inner->function && inner->function == c->frames[k].function)
        return;
    xs_grow(&chains->frames, chains->count, &chains->capacity, sizeof *chains->frames);
    chains->frames[chains->count++] = k;
}

/* Returns the name of the kernel, as in a symbol table, if nvcc made this function to launch it; NULL: it did not. */
static const char *stub_kernel(const struct xs_frame *frame) {
    static const char stub[] = "__device_stub_";
    bool is_stub = frame->function && !strncmp(frame->function, stub, sizeof stub - 1);
    return is_stub ? frame->function + sizeof stub - 1 : NULL;
}

/* True for the function that nvcc puts between a template kernel's host function and its stub. */
static bool is_wrapper(const struct xs_frame *frame) {
    return frame->function && strstr(frame->function, "__wrapper__device_stub_") != NULL;
}

/* True for the host function that nvcc makes of a kernel, which `kernel<<<...>>>` calls. Optimized code may have none,
 * because the compiler puts it into the function that launches the kernel. Debug information may leave out the name's
 * namespace. */
static bool is_host_function(const struct xs_frame *frame, const char *kernel) {
    char buffer[4096];
    const char *name = xs_demangle(kernel, buffer, sizeof buffer);
    size_t length = strlen(name), own = frame->function ? strlen(frame->function) : 0;
    bool is_end = own && own <= length && !strcmp(name + length - own, frame->function);
    return is_end && (own == length || name[length - own - 1] == ':');
}

/* Adds a stack's chain. Returns the number + 1 of the user's frame; 0: nothing is known. */
static uint32_t add_chain(const struct xs_callsites *c, const struct merged *merged,
                          struct xs_callsite_chains *chains) {
    uint32_t first, outermost = 0;
    size_t begin = chains->count;
    const char *kernel = NULL; /* the frame before this one is nvcc's and launches this kernel */
    for (size_t i = 0; i < merged->count; i++) {
        uint32_t count = part_frames(c, merged->parts[i], &first);
        for (uint32_t k = first; k < first + count; k++) {
            const struct xs_frame *frame = &c->frames[k];
            bool wraps = kernel && is_wrapper(frame), begun = chains->count > begin;
            bool users = xs_frame_is_users(frame) && !wraps && !(kernel && is_host_function(frame, kernel));
            kernel = wraps ? kernel : stub_kernel(frame);
            if (begun && (!users || chains->count - begin == XS_CHAIN_FRAMES_MAX))
                return chains->frames[begin] + 1;
            if (users)
                add_to_chain(c, chains, begin, k);
            else if (is_known(frame))
                outermost = k + 1;
        }
    }
    return chains->count > begin ? chains->frames[begin] + 1 : outermost;
}

/* Returns the number of a key; numbers begin at 1, in the order of first use. */
static uint64_t number_of(struct xs_hash *table, uint64_t low, uint64_t high) {
    uint64_t *number = xs_hash_put(table, low, high);
    if (!*number)
        *number = table->count;
    return *number;
}

struct numbering {
    struct xs_hash pairs; /* functions and files */
    struct xs_hash lines; /* the frames that places consist of */
};

/* Returns the number of a frame. A frame without a line is identified by its address, so each call in its function is a
 * place of its own. */
static uint64_t frame_number(struct numbering *n, const struct xs_frame *frame) {
    if (!frame->python && !frame->line)
        return number_of(&n->lines, frame->address, (uint64_t)(uintptr_t)frame->module | (uint64_t)1 << 63);
    uint64_t pair = number_of(&n->pairs, (uint64_t)(uintptr_t)frame->function, (uint64_t)(uintptr_t)frame->file);
    return number_of(&n->lines, pair << 32 | frame->line, 0);
}

/* Returns the number of a place, which is made at its first use. If one line calls two helpers, each of them makes a
 * place, because they are likely to copy different things. `of`: whose frames these are. */
static uint32_t place_of(struct xs_callsites *c, struct numbering *n, uint32_t number, uint32_t through, uint8_t of) {
    uint64_t line = frame_number(n, &c->frames[number]) | (uint64_t)of << 62;
    uint64_t inner = through != number ? frame_number(n, &c->frames[through]) : 0;
    uint64_t *place = xs_hash_put(&c->place_by_key, line, inner);
    if (!*place) {
        xs_grow(&c->places, c->place_count, &c->place_capacity, sizeof *c->places);
        c->places[c->place_count] = c->frames[number];
        c->places[c->place_count].of = of;
        c->places[c->place_count].through = inner ? &c->frames[through] : NULL;
        *place = ++c->place_count;
    }
    return (uint32_t)*place;
}

/* True if the program's own native code made the call. That says more than the line of another thread. */
static bool has_native_user(const struct xs_callsites *c, const struct xs_callsite_stack *stack) {
    uint32_t first;
    for (size_t i = 0; c->parts && i < stack->natives; i++) {
        uint32_t count = part_frames(c, c->parts[stack->first + i], &first);
        for (uint32_t k = first; k < first + count; k++)
            if (xs_frame_is_users(&c->frames[k]))
                return true;
    }
    return false;
}

static void leave_out_others(struct xs_callsites *c) {
    for (uint32_t i = 0; i < c->stack_count; i++) {
        struct xs_callsite_stack *stack = &c->stacks[i];
        if (stack->of && has_native_user(c, stack))
            stack->pythons = stack->of = 0;
    }
}

/* Gives a place to calls at which the other thread's line was not read, because capture reads it at some calls only.
 * They get the place of the calls from the same native frames, if those calls have only one place. */
static void share_places(struct xs_callsites *c) {
    enum { SEVERAL = UINT32_MAX };
    struct xs_hash by_natives = {0};
    for (int is_reading = 1; is_reading >= 0; is_reading--) {
        for (uint32_t i = 0; c->parts && i < c->stack_count; i++) {
            struct xs_callsite_stack *stack = &c->stacks[i];
            uint64_t low = stack->natives, high = 0;
            if ((stack->of != XS_FRAME_OWN) != is_reading || !stack->natives || (!is_reading && stack->pythons))
                continue;
            for (size_t k = 0; k < stack->natives; k++) {
                low = (low ^ c->parts[stack->first + k]) * UINT64_C(0x9e3779b97f4a7c15);
                high = (high ^ low >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
            }
            const uint64_t *found = xs_hash_find(&by_natives, low, high);
            if (is_reading)
                *xs_hash_put(&by_natives, low, high) = found && *found != stack->place ? SEVERAL : stack->place;
            else if (found && *found != SEVERAL)
                stack->place = (uint32_t)*found;
        }
    }
    xs_hash_free(&by_natives);
}

static void number_places(struct xs_callsites *c) {
    struct numbering numbering = {0};
    struct xs_callsite_chains chains = {.first = xs_realloc(NULL, (c->stack_count + 1) * sizeof *chains.first)};
    XS_SCOPED struct merged *merged = xs_realloc(NULL, sizeof *merged);
    XS_SCOPED uint32_t *users = xs_realloc(NULL, c->stack_count * sizeof *users);
    XS_SCOPED uint8_t *passed = xs_realloc(NULL, c->stack_count);
    leave_out_others(c);
    for (uint32_t i = 0; i < c->stack_count; i++) {
        merge(c, &c->stacks[i], merged);
        chains.first[i] = chains.count;
        users[i] = add_chain(c, merged, &chains);
    }
    chains.first[c->stack_count] = chains.count;
    xs_callsites_helpers(c, &chains, passed);
    for (uint32_t i = 0; i < c->stack_count; i++) {
        bool helped = chains.frames && passed[i];
        uint32_t frame = helped ? chains.frames[chains.first[i] + passed[i]] : users[i] - 1;
        uint8_t of = users[i] && c->frames[frame].python ? c->stacks[i].of : 0;
        c->stacks[i].place = users[i] ? place_of(c, &numbering, frame, users[i] - 1, of) : 0;
    }
    share_places(c);
    xs_hash_free(&numbering.pairs);
    xs_hash_free(&numbering.lines);
    free(chains.frames);
    free(chains.first);
}

int xs_callsites_open_with(const struct xs_trace *trace, bool stored, struct xs_callsites **callsites, char *message) {
    struct xs_callsites *c = xs_realloc(NULL, sizeof *c);
    *c = (struct xs_callsites){.trace = trace};
    int status = xs_callsites_read(c, stored, message);
    if (status >= 0) {
        xs_callsites_resolve(c);
        number_places(c);
        if (c->damaged)
            xs_callsites_add_note(c, xs_text_format("%llu rows about stacks are damaged and were left out",
                                                    (unsigned long long)c->damaged));
        *callsites = c;
        return XS_OK;
    }
    xs_callsites_close(c);
    *callsites = NULL;
    return status;
}

int xs_callsites_open(const struct xs_trace *trace, struct xs_callsites **callsites, char *message) {
    return xs_callsites_open_with(trace, true, callsites, message);
}

void xs_callsites_close(struct xs_callsites *c) {
    if (!c)
        return;
    for (uint32_t i = 0; i < c->stack_count; i++)
        free(c->stacks[i].merged);
    for (uint32_t i = 0; i < c->range_count; i++)
        free(c->ranges[i].full);
    for (size_t i = 0; i < c->note_count; i++)
        free(c->notes[i]);
    void *const arrays[] = {c->modules, c->codes, c->addresses, c->stacks, c->ranges,
                            c->frames,  c->parts, c->notes,     c->places};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    struct xs_hash *const tables[] = {&c->module_by_id, &c->code_by_id,    &c->address_by_key, &c->stack_by_id,
                                      &c->range_by_id,  &c->python_by_key, &c->place_by_key};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        xs_hash_free(tables[i]);
    xs_texts_free(&c->texts);
    free(c);
}

static struct xs_callsite_stack *find_stack(const struct xs_callsites *c, int64_t id) {
    const uint64_t *place = id ? xs_hash_find(&c->stack_by_id, (uint64_t)id, 0) : NULL;
    return place ? &c->stacks[*place - 1] : NULL;
}

static void make_frames(const struct xs_callsites *c, struct xs_callsite_stack *stack) {
    XS_SCOPED struct merged *merged = xs_realloc(NULL, sizeof *merged);
    uint32_t first;
    size_t count = 0;
    merge(c, stack, merged);
    for (size_t i = 0; i < merged->count; i++)
        count += part_frames(c, merged->parts[i], &first);
    stack->merged = xs_realloc(NULL, count * sizeof *stack->merged);
    for (size_t i = 0; i < merged->count; i++) {
        uint32_t some = part_frames(c, merged->parts[i], &first);
        memcpy(stack->merged + stack->merged_count, c->frames + first, some * sizeof *stack->merged);
        for (uint32_t k = 0; k < some && (merged->parts[i] & XS_PART_ENTRY); k++)
            stack->merged[stack->merged_count + k].of = stack->of;
        stack->merged_count += some;
    }
}

const struct xs_frame *xs_callsites_frames(const struct xs_callsites *callsites, int64_t stack, size_t *count) {
    struct xs_callsite_stack *found = find_stack(callsites, stack);
    *count = 0;
    if (!found)
        return NULL;
    if (!found->merged)
        make_frames(callsites, found);
    *count = found->merged_count;
    return found->merged_count ? found->merged : NULL;
}

bool xs_callsites_cut(const struct xs_callsites *callsites, int64_t stack) {
    const struct xs_callsite_stack *found = find_stack(callsites, stack);
    return found && found->cut;
}

const struct xs_frame *xs_callsites_user_frame(const struct xs_callsites *callsites, int64_t stack) {
    return xs_callsites_place_frame(callsites, xs_callsites_place(callsites, stack));
}

uint32_t xs_callsites_place(const struct xs_callsites *callsites, int64_t stack) {
    const struct xs_callsite_stack *found = find_stack(callsites, stack);
    return found ? found->place : 0;
}

uint32_t xs_callsites_place_count(const struct xs_callsites *callsites) { return callsites->place_count; }

const struct xs_frame *xs_callsites_place_frame(const struct xs_callsites *callsites, uint32_t place) {
    return place && place <= callsites->place_count ? &callsites->places[place - 1] : NULL;
}

const char *xs_callsites_note(const struct xs_callsites *callsites, size_t i) {
    return i < callsites->note_count ? callsites->notes[i] : NULL;
}

uint64_t xs_callsites_damaged(const struct xs_callsites *callsites) { return callsites->damaged; }

bool xs_callsites_unread(const struct xs_callsites *callsites, uint32_t *next, struct xs_unread_module *module) {
    static const char *const reasons[] = {[XS_BINARY_GONE] = "gone",
                                          [XS_BINARY_CHANGED] = "changed",
                                          [XS_BINARY_UNREADABLE] = "unreadable",
                                          [XS_BINARY_NO_SUPPORT] = "unsupported"};
    while (*next < callsites->module_count) {
        const struct xs_callsite_module *m = &callsites->modules[(*next)++];
        if (m->status == XS_BINARY_READ)
            continue;
        *module = (struct xs_unread_module){.path = m->path, .reason = reasons[m->status], .library = m->library};
        return true;
    }
    return false;
}

const char *xs_callsites_range(const struct xs_callsites *callsites, int64_t range) {
    const struct xs_callsite_range *around[RANGE_NESTING_MAX];
    size_t count = 0;
    struct xs_string full = {0};
    for (int64_t id = range; id && count < RANGE_NESTING_MAX; id = around[count - 1]->parent) {
        const uint64_t *place = xs_hash_find(&callsites->range_by_id, (uint64_t)id, 0);
        if (!place)
            break;
        around[count++] = &callsites->ranges[*place - 1];
    }
    if (!count)
        return NULL;
    struct xs_callsite_range *found = &callsites->ranges[around[0] - callsites->ranges];
    if (found->full)
        return found->full;
    for (size_t i = count; i > 0 && full.length < RANGE_BYTES_MAX; i--)
        xs_string_format(&full, "%s%s", around[i - 1]->name, i > 1 ? " / " : "");
    found->full = full.data;
    return found->full;
}
