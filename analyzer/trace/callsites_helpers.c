/* Finds the frames that are helpers: small functions through which a program makes its copies, so that the caller's
 * line is the more useful one. All calls of the trace together decide this: a helper has callers that move different
 * things, or it lies in a header of helpers. See callsites_helpers.h. */
#include "analyzer/trace/callsites_helpers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/callsites_internal.h"
#include "analyzer/trace/scan.h"

enum {
    THINGS_MAX = 64,     /* different things kept per stack; a stack with more has no steady sizes */
    CALLERS_MAX = 64,    /* callers of a frame that are compared with each other */
    FEW_SIZES = 4,       /* sizes are steady if there are at most this many */
    REPEATS_OF_SIZE = 4, /* sizes are also steady if each occurs this often on average */
    REPEATS_OF_ALLOCATION = 2,
    SHARED_ONE_OF = 10,   /* callers move different things if they share at most one transfer in this many */
    ROWS_BEGUN = 1 << 17, /* rows read from a table's beginning, when a program sets up its data */
    PARTS = 64, /* number of parts into which the other rows are divided; only the first ROWS_OF_PART rows of each part
                   are read */
    ROWS_OF_PART = 1 << 10 /* rows of one part; the parts cost the same for a trace of any length */
};

/* All frames with the same file and line. Copies of a template share a key, and so do the copies of a line that was
 * inlined into many functions. */
struct key {
    uint32_t frame;               /* one of these frames */
    uint32_t first;               /* the key's first pair; UINT32_MAX: none */
    uint32_t callers;             /* number of pairs */
    uint32_t from_else;           /* callers in other files */
    bool recurses, helper, moves; /* moves: the line itself makes calls that move data */
};

/* A frame and its caller. */
struct pair {
    uint32_t key, caller;
    uint32_t next;  /* next pair of the same key */
    uint32_t links; /* head of the list (in work.links) of the stacks with this pair; UINT32_MAX: none */
};

struct link {
    uint32_t stack, next;
};

/* What a stack's calls moved: a number of bytes, to or from one address of device memory. */
struct thing {
    uint64_t bytes, address, allocation; /* address 0: the call is an allocation, or the address is not known */
    uint64_t count;
    int64_t first_ns, last_ns;
    uint32_t next; /* next thing of the same stack */
};

struct work {
    const struct xs_callsites *c;
    const struct xs_callsite_chains *chains;
    uint32_t *key_of;                                             /* by index in chains->frames */
    struct xs_hash by_line, by_pair, by_thing, headers, lines_of; /* lines_of: number of a function's lines that move
                                                                   * data */
    struct key *keys;
    struct pair *pairs;
    struct link *links;
    struct thing *things;
    size_t key_count, key_capacity, pair_count, pair_capacity, link_count, link_capacity, thing_count, thing_capacity;
    struct of_stack {
        uint32_t things, latest, count; /* things: the first one; UINT32_MAX: none */
        uint64_t others;                /* transfers beyond THINGS_MAX */
        bool wanted;
        bool allocates; /* its calls are allocations */
    } * stacks;
    bool reads_allocations;
};

#define NONE UINT32_MAX

static const struct xs_frame *frame_of(const struct work *w, size_t key) { return &w->c->frames[w->keys[key].frame]; }

/* --- frames and their callers --- */

static bool is_header(const struct xs_frame *frame) {
    static const char *const endings[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".ipp", ".tcc", ".tpp"};
    const char *name = frame->python || !frame->file ? NULL : xs_base_name(frame->file);
    const char *ending = name ? strrchr(name, '.') : NULL;
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(ending, endings[i]))
            return true;
    return false;
}

static uint32_t key_of(struct work *w, uint32_t number) {
    const struct xs_frame *frame = &w->c->frames[number];
    bool line = frame->file && frame->line;
    uint64_t owner = (uint64_t)(uintptr_t)(line ? frame->file : frame->module);
    uint64_t *key = xs_hash_put(&w->by_line, line ? frame->line : frame->address, owner << 1 | !line);
    if (!*key) {
        xs_grow(&w->keys, w->key_count, &w->key_capacity, sizeof *w->keys);
        w->keys[w->key_count] = (struct key){.frame = number, .first = NONE};
        *key = ++w->key_count;
    }
    return (uint32_t)*key - 1;
}

static bool is_one_file(const struct xs_frame *a, const struct xs_frame *b) {
    return a->file ? a->file == b->file : !b->file && a->module == b->module;
}

/* True if the frame is in a constructor. In C++ this is Type::Type, where the first Type may have template arguments.
 * In Python this is __init__. */
static bool is_constructor(const struct xs_frame *frame) {
    if (!frame->function || frame->python)
        return frame->function && xs_text_ends_with(frame->function, "__init__");
    const char *name = frame->function, *last = NULL, *type = name;
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth += (*at == '<') - (*at == '>');
        if (depth || at[0] != ':' || at[1] != ':')
            continue;
        type = last ? last : name;
        last = at++ + 2;
    }
    size_t length = last ? strcspn(last, "<(") : 0;
    return length && !strncmp(type, last, length) && strchr(":<", type[length]);
}

static void add_call(struct work *w, uint32_t stack, uint32_t key, uint32_t caller) {
    uint64_t *number = xs_hash_put(&w->by_pair, key, caller);
    if (!*number) {
        xs_grow(&w->pairs, w->pair_count, &w->pair_capacity, sizeof *w->pairs);
        w->pairs[w->pair_count] =
            (struct pair){.key = key, .caller = caller, .next = w->keys[key].first, .links = NONE};
        w->keys[key].first = (uint32_t)w->pair_count;
        w->keys[key].callers++;
        w->keys[key].from_else += !is_one_file(frame_of(w, key), frame_of(w, caller));
        *number = ++w->pair_count;
    }
    struct pair *pair = &w->pairs[*number - 1];
    xs_grow(&w->links, w->link_count, &w->link_capacity, sizeof *w->links);
    w->links[w->link_count] = (struct link){stack, pair->links};
    pair->links = (uint32_t)w->link_count++;
}

static bool is_one_function(const struct xs_frame *a, const struct xs_frame *b) {
    return a->function && a->function == b->function && a->file == b->file;
}

static void read_chains(struct work *w) {
    const struct xs_callsite_chains *chains = w->chains;
    w->key_of = xs_realloc(NULL, chains->count * sizeof *w->key_of);
    for (size_t i = 0; i < chains->count; i++)
        w->key_of[i] = key_of(w, chains->frames[i]);
    for (uint32_t stack = 0; stack < w->c->stack_count; stack++) {
        size_t end = chains->first[stack + 1];
        for (size_t i = chains->first[stack]; i + 1 < end; i++) {
            const struct xs_frame *frame = &w->c->frames[chains->frames[i]];
            for (size_t k = i + 1; k < end; k++)
                if (is_one_function(frame, &w->c->frames[chains->frames[k]]))
                    w->keys[w->key_of[i]].recurses = w->keys[w->key_of[k]].recurses = true;
            add_call(w, stack, w->key_of[i], w->key_of[i + 1]);
        }
    }
}

static bool may_be_helper(const struct key *key) { return key->callers > 1 && !key->recurses; }

/* Marks the stacks whose transfers will be read: those with a frame that may be a helper, and those that begin in a
 * header. */
static bool choose_stacks(struct work *w) {
    bool any = false;
    for (uint32_t stack = 0; stack < w->c->stack_count; stack++) {
        struct of_stack *of = &w->stacks[stack];
        size_t first = w->chains->first[stack], end = w->chains->first[stack + 1];
        bool some = first + 1 < end && is_constructor(frame_of(w, w->key_of[first]));
        *of = (struct of_stack){.things = NONE, .latest = NONE};
        for (size_t i = first; i < end && !some; i++)
            some = may_be_helper(&w->keys[w->key_of[i]]);
        of->wanted = some || (first < end && is_header(frame_of(w, w->key_of[first])));
        any |= some;
    }
    return any;
}

/* --- what was moved --- */

static bool is_thing(const struct thing *a, const struct thing *b) {
    return a->bytes == b->bytes && a->address == b->address && a->allocation == b->allocation;
}

/* Returns the index of a thing in `things`, which is added if it is new. NONE: the stack has too many things
 * already. */
static uint32_t find_thing(struct work *w, uint32_t stack, const struct thing *moved) {
    struct of_stack *of = &w->stacks[stack];
    uint64_t what = xs_mix(moved->bytes) ^ moved->address, where = moved->allocation << 32 | stack;
    const uint64_t *known = xs_hash_find(&w->by_thing, what, where);
    if (known)
        return (uint32_t)*known - 1;
    if (of->count >= THINGS_MAX)
        return NONE;
    xs_grow(&w->things, w->thing_count, &w->thing_capacity, sizeof *w->things);
    w->things[w->thing_count] = *moved;
    w->things[w->thing_count].next = of->things;
    of->things = (uint32_t)w->thing_count++;
    of->count++;
    *xs_hash_put(&w->by_thing, what, where) = w->thing_count;
    return of->things;
}

static void add_thing(struct work *w, uint32_t stack, const struct thing *moved) {
    struct of_stack *of = &w->stacks[stack];
    if (of->latest == NONE || !is_thing(&w->things[of->latest], moved)) {
        uint32_t thing = find_thing(w, stack, moved);
        of->others += thing == NONE;
        if (thing == NONE)
            return;
        of->latest = thing;
    }
    w->things[of->latest].count++;
    w->things[of->latest].last_ns = moved->last_ns;
}

enum { ID, STACK, BYTES, ADDRESS, ALLOCATION, ENTER };

/* Returns the last row's id. Errors are ignored here: the analysis reads the same tables and reports them. */
static int64_t read_rows(struct work *w, const char *columns, int64_t from, int rows) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_scan scan;
    int64_t row = from;
    xs_scan_format(&scan, w->c->trace, message, NULL, "SELECT %s WHERE id >= %" PRId64 " ORDER BY id LIMIT %d", columns,
                   from, rows);
    while (xs_scan_row(&scan)) {
        int64_t id = xs_scan_int(&scan, STACK);
        const uint64_t *number = id ? xs_hash_find(&w->c->stack_by_id, (uint64_t)id, 0) : NULL;
        row = xs_scan_int(&scan, ID);
        if (!number || !w->stacks[*number - 1].wanted)
            continue;
        struct thing thing = {.bytes = (uint64_t)xs_scan_int(&scan, BYTES),
                              .address = (uint64_t)xs_scan_int(&scan, ADDRESS),
                              .allocation = (uint64_t)xs_scan_int(&scan, ALLOCATION),
                              .first_ns = xs_scan_int(&scan, ENTER),
                              .last_ns = xs_scan_int(&scan, ENTER),
                              .next = NONE};
        w->stacks[*number - 1].allocates |= w->reads_allocations;
        add_thing(w, (uint32_t)*number - 1, &thing);
    }
    xs_scan_end(&scan);
    return row;
}

static void read_things(struct work *w, const char *columns, const char *last_sql) {
    char message[XS_TRACE_MESSAGE_BYTES];
    int64_t last;
    int status = xs_scan_one(w->c->trace, last_sql, &last, message);
    if (status < 0 || last <= 0 || last > INT64_MAX / 2) /* the trace is damaged */
        return;
    int64_t read = read_rows(w, columns, 0, ROWS_BEGUN);
    int64_t part = (last - read) / PARTS + 1;
    for (int64_t from = read + 1; from > 0 && from <= last; from = from + part > read ? from + part : read + 1)
        read = read_rows(w, columns, from, ROWS_OF_PART);
}

/* --- callers --- */

struct weight {
    uint64_t low, high, count;
};

struct weights {
    struct weight *items;
    size_t count;
};

/* The sums of what one caller of a frame moved through the frame. */
struct caller {
    struct weights sizes, addresses, allocations;
    uint64_t count, addressed, others;
    int64_t first_ns, last_ns; /* the first and the last transfer with an address */
};

static int by_key(const void *a, const void *b) {
    const struct weight *x = a, *y = b;
    return xs_compare_uint64(x->low, y->low) ?: xs_compare_uint64(x->high, y->high);
}

/* Sorts the items and combines equal ones. */
static void add_up(struct weights *weights) {
    struct weight *items = weights->items;
    size_t kept = 0;
    xs_sort(items, weights->count, sizeof *items, by_key);
    for (size_t i = 0; i < weights->count; i++)
        if (kept && !by_key(&items[kept - 1], &items[i]))
            items[kept - 1].count += items[i].count;
        else
            items[kept++] = items[i];
    weights->count = kept;
}

static void add_weight(struct weights *weights, uint64_t low, uint64_t high, uint64_t count) {
    weights->items[weights->count++] = (struct weight){low, high, count};
}

static void take_things(const struct work *w, uint32_t stack, struct caller *caller) {
    caller->others += w->stacks[stack].others;
    caller->count += w->stacks[stack].others;
    for (uint32_t i = w->stacks[stack].things; i != NONE; i = w->things[i].next) {
        const struct thing *thing = &w->things[i];
        add_weight(&caller->sizes, thing->bytes, 0, thing->count);
        caller->count += thing->count;
        if (!thing->address)
            continue;
        if (!caller->addressed || thing->first_ns < caller->first_ns)
            caller->first_ns = thing->first_ns;
        if (!caller->addressed || thing->last_ns > caller->last_ns)
            caller->last_ns = thing->last_ns;
        caller->addressed += thing->count;
        add_weight(&caller->addresses, thing->address, thing->allocation, thing->count);
        if (thing->allocation)
            add_weight(&caller->allocations, thing->allocation, 0, thing->count);
    }
}

static void fill_caller(const struct work *w, const struct pair *pair, struct caller *caller) {
    size_t most = 0;
    *caller = (struct caller){0};
    for (uint32_t i = pair->links; i != NONE; i = w->links[i].next)
        most += w->stacks[w->links[i].stack].count;
    struct weights *const lists[] = {&caller->sizes, &caller->addresses, &caller->allocations};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        lists[i]->items = xs_realloc(NULL, most * sizeof *lists[i]->items);
    for (uint32_t i = pair->links; i != NONE; i = w->links[i].next)
        take_things(w, w->links[i].stack, caller);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        add_up(lists[i]);
}

static void free_caller(struct caller *caller) {
    free(caller->sizes.items);
    free(caller->addresses.items);
    free(caller->allocations.items);
}

/* --- do they move different things --- */

/* True if a caller's sizes identify what it moves. Sizes that differ in every call, like the sizes of text batches, do
 * not identify it. */
static bool has_steady_sizes(const struct caller *a) {
    return a->count && !a->others && (a->sizes.count <= FEW_SIZES || a->sizes.count * REPEATS_OF_SIZE <= a->count);
}

/* True if a caller's memory addresses identify what it moves. Addresses of memory that is allocated anew for each call
 * do not identify it. */
static bool has_steady_memory(const struct caller *a) {
    return a->addressed && !a->others && a->allocations.count &&
           a->allocations.count * REPEATS_OF_ALLOCATION <= a->addressed;
}

static bool shares_few(const struct weights *a, const struct weights *b) {
    uint64_t shared_a = 0, shared_b = 0, all_a = 0, all_b = 0;
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        int order = i >= a->count ? 1 : k >= b->count ? -1 : by_key(&a->items[i], &b->items[k]);
        shared_a += order ? 0 : a->items[i].count;
        shared_b += order ? 0 : b->items[k].count;
        all_a += order <= 0 ? a->items[i].count : 0;
        all_b += order >= 0 ? b->items[k].count : 0;
        i += order <= 0;
        k += order >= 0;
    }
    return shared_a * SHARED_ONE_OF <= all_a && shared_b * SHARED_ONE_OF <= all_b;
}

/* True if two callers move different things. In Python addresses do not count, because its allocators use the same
 * memory for one thing after another. */
static bool are_different(const struct caller *a, const struct caller *b, bool python) {
    bool sizes = has_steady_sizes(a) && has_steady_sizes(b) && shares_few(&a->sizes, &b->sizes);
    if (python || !a->addressed || !b->addressed)
        return sizes;
    if (!shares_few(&a->addresses, &b->addresses))
        return false;
    /* the calls of the two callers alternate, so each has its own memory, which was not freed in between */
    bool turns = a->first_ns < b->last_ns && b->first_ns < a->last_ns;
    return sizes ||
           (turns && has_steady_memory(a) && has_steady_memory(b) && shares_few(&a->allocations, &b->allocations));
}

/* True if the callers form two groups or more; callers that move the same things are one group. */
static bool has_two_groups(const struct caller *callers, size_t count, bool python) {
    uint8_t seen[CALLERS_MAX] = {1}, queue[CALLERS_MAX] = {0};
    size_t first = 0, last = 1;
    if (count < 2)
        return false;
    while (first < last) {
        const struct caller *a = &callers[queue[first++]];
        for (size_t k = 0; k < count; k++) {
            if (seen[k] || are_different(a, &callers[k], python))
                continue;
            seen[k] = 1;
            queue[last++] = (uint8_t)k;
        }
    }
    return last < count;
}

static bool is_helper(const struct work *w, const struct key *key) {
    struct caller callers[CALLERS_MAX];
    size_t count = 0;
    bool python = w->c->frames[key->frame].python;
    for (uint32_t i = key->first; i != NONE && count < CALLERS_MAX; i = w->pairs[i].next) {
        fill_caller(w, &w->pairs[i], &callers[count]);
        if (has_steady_sizes(&callers[count]) || (!python && has_steady_memory(&callers[count])))
            count++;
        else
            free_caller(&callers[count]);
    }
    bool helper = has_two_groups(callers, count, python);
    for (size_t i = 0; i < count; i++)
        free_caller(&callers[i]);
    return helper;
}

/* --- headers of helpers --- */

/* Finds the helpers, and the headers of helpers. A header of helpers contains a helper that other files call; each
 * function in the header that calls the helper is a helper, too. */
static void find_helpers(struct work *w) {
    for (size_t i = 0; i < w->key_count; i++) {
        struct key *key = &w->keys[i];
        key->helper = may_be_helper(key) && is_helper(w, key);
        if (key->helper && key->from_else && is_header(frame_of(w, i)))
            *xs_hash_put(&w->headers, (uint64_t)(uintptr_t)frame_of(w, i)->file, 0) = 1;
    }
}

/* Counts for each function how many of its lines make calls that move data. */
static void count_lines(struct work *w) {
    for (uint32_t stack = 0; stack < w->c->stack_count; stack++) {
        size_t first = w->chains->first[stack];
        if (first == w->chains->first[stack + 1] || (!w->stacks[stack].count && !w->stacks[stack].others))
            continue;
        struct key *key = &w->keys[w->key_of[first]];
        const struct xs_frame *frame = &w->c->frames[key->frame];
        if (!key->moves && frame->function && frame->file)
            ++*xs_hash_put(&w->lines_of, (uint64_t)(uintptr_t)frame->function, (uint64_t)(uintptr_t)frame->file);
        key->moves = true;
    }
}

static bool is_in_header_of_helpers(const struct work *w, const struct xs_frame *frame) {
    return frame->file && xs_hash_find(&w->headers, (uint64_t)(uintptr_t)frame->file, 0);
}

/* True if a line is a helper because of what is around it: it lies in a header of helpers, is the only line of its
 * function that moves data, and has only one caller, which is in another file. One caller alone cannot show that the
 * line is a helper, but other functions of the header are helpers. */
static bool stands_beside_helpers(const struct work *w, const struct key *key) {
    const struct xs_frame *frame = &w->c->frames[key->frame];
    if (!key->moves || key->recurses || key->callers != 1 || key->from_else != 1 || !is_in_header_of_helpers(w, frame))
        return false;
    const uint64_t *lines =
        xs_hash_find(&w->lines_of, (uint64_t)(uintptr_t)frame->function, (uint64_t)(uintptr_t)frame->file);
    return lines && *lines == 1;
}

static bool belongs_to_helper(const struct work *w, const struct key *key, const struct xs_frame *inner) {
    const struct xs_frame *frame = &w->c->frames[key->frame];
    return inner && frame->file == inner->file && !key->recurses && key->from_else <= 1 &&
           is_in_header_of_helpers(w, frame);
}

/* Returns how many of a stack's frames are helpers, counted from the innermost frame. */
static uint8_t frames_passed(const struct work *w, uint32_t stack) {
    size_t first = w->chains->first[stack], end = w->chains->first[stack + 1], i = first;
    const struct xs_frame *inner = NULL;
    for (; i + 1 < end; i++) {
        const struct key *key = &w->keys[w->key_of[i]];
        bool makes_object = i == first && w->stacks[stack].allocates && is_constructor(frame_of(w, w->key_of[i]));
        if (!key->helper && !makes_object && !belongs_to_helper(w, key, inner) &&
            !(i == first && stands_beside_helpers(w, key)))
            break;
        inner = &w->c->frames[key->frame];
    }
    return (uint8_t)(i - first);
}

void xs_callsites_helpers(const struct xs_callsites *callsites, const struct xs_callsite_chains *chains,
                          uint8_t *passed) {
    struct work w = {.c = callsites, .chains = chains};
    memset(passed, 0, callsites->stack_count);
    w.stacks = xs_realloc(NULL, callsites->stack_count * sizeof *w.stacks);
    read_chains(&w);
    if (choose_stacks(&w)) {
        read_things(&w,
                    "id, stack, bytes, CASE direction WHEN 2 THEN src_address ELSE dst_address END,"
                    " CASE direction WHEN 2 THEN src_allocation ELSE dst_allocation END, enter_ns FROM transfer",
                    "SELECT max(id) FROM transfer_row");
        read_things(&w, "id, stack, bytes, address, allocation, enter_ns FROM memset", "SELECT max(id) FROM memset");
        w.reads_allocations = true;
        read_things(&w, "id, stack, bytes, NULL, NULL, 0 FROM allocation", "SELECT max(id) FROM allocation");
        find_helpers(&w);
        count_lines(&w);
        for (uint32_t stack = 0; stack < callsites->stack_count; stack++)
            passed[stack] = frames_passed(&w, stack);
    }
    struct xs_hash *const tables[] = {&w.by_line, &w.by_pair, &w.by_thing, &w.headers, &w.lines_of};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        xs_hash_free(tables[i]);
    void *const arrays[] = {w.key_of, w.keys, w.pairs, w.links, w.things, w.stacks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}
