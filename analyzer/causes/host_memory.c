/* Page-locked memory and its uses; see host_memory.h. */
#include "analyzer/causes/host_memory.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/causes/plan.h"
#include "analyzer/trace/site.h"
#include "schema/kinds.h"

static bool is_locked(const struct xs_model_call *call, enum xs_model_kind kind) {
    bool locked = call->memory_kind == XS_MEM_PINNED || call->memory_kind == XS_MEM_REGISTERED;
    return call->kind == kind && locked && call->bytes;
}

int64_t xs_host_memory_worth(const struct xs_plan *plan, uint32_t copy) {
    const struct xs_model_call *call = &plan->model->calls[copy];
    const struct xs_link_model *link = &plan->findings->link;
    uint64_t pageable = xs_link_ns(link, xs_link_class_of(call->direction, XS_MEM_PAGEABLE), call->bytes);
    uint64_t pinned = xs_link_ns(link, xs_link_class_of(call->direction, XS_MEM_PINNED), call->bytes);
    return pageable > pinned ? xs_model_length(pageable - pinned) : 0;
}

/* --- allocations --- */

static int by_address(const void *a, const void *b) {
    const struct xs_locked_memory *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static void read_allocations(struct xs_host_memory *memory, const struct xs_model *model) {
    size_t capacity = 0;
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (!is_locked(call, XS_MODEL_ALLOCATION))
            continue;
        if (memory->count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            memory->items = xs_realloc(memory->items, capacity * sizeof *memory->items);
        }
        memory->items[memory->count++] = (struct xs_locked_memory){
            .begin = call->address,
            .end = call->bytes < UINT64_MAX - call->address ? call->address + call->bytes : UINT64_MAX,
            .from_ns = call->enter_ns,
            .until_ns = INT64_MAX,
            .price_ns = call->return_ns - call->enter_ns,
            .allocation = i,
            .free = XS_PLAN_NONE,
            .first_copy = XS_PLAN_NONE,
            .is_registered = call->memory_kind == XS_MEM_REGISTERED};
    }
    if (memory->count)
        qsort(memory->items, memory->count, sizeof *memory->items, by_address);
}

/* The latest at or below the address that lived at that time; its index plus 1. */
static uint32_t find(const struct xs_host_memory *memory, uint64_t address, int64_t ns) {
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct xs_locked_memory *item = &memory->items[middle];
        if (item->begin < address || (item->begin == address && item->from_ns <= ns))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const struct xs_locked_memory *item = &memory->items[low - 1];
    return address < item->end && item->from_ns <= ns && ns <= item->until_ns ? (uint32_t)low : 0;
}

const struct xs_locked_memory *xs_host_memory_of(const struct xs_host_memory *memory, const struct xs_plan *plan,
                                                 uint32_t allocation) {
    const struct xs_model_call *call = &plan->model->calls[allocation];
    uint32_t number = find(memory, call->address, call->enter_ns);
    return number && memory->items[number - 1].allocation == allocation ? &memory->items[number - 1] : NULL;
}

static void add_copy(struct xs_host_memory *memory, const struct xs_plan *plan, uint32_t copy) {
    struct xs_locked_memory *item = &memory->items[memory->of[copy] - 1];
    item->worth_ns = xs_model_ns(item->worth_ns + xs_host_memory_worth(plan, copy));
    if (!item->copies++)
        item->first_copy = copy;
    else
        memory->next[item->last_copy] = copy;
    item->last_copy = copy;
}

/* Frees and copies, in the order of the calls: an address may be used again. */
static void read_uses(struct xs_host_memory *memory, const struct xs_plan *plan) {
    const struct xs_model *model = plan->model;
    memory->of = xs_realloc(NULL, ((size_t)model->call_count + 1) * sizeof *memory->of);
    memory->next = xs_realloc(NULL, ((size_t)model->call_count + 1) * sizeof *memory->next);
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        memory->of[i] = 0;
        memory->next[i] = XS_PLAN_NONE;
        if (is_locked(call, XS_MODEL_FREE)) {
            uint32_t number = find(memory, call->address, call->enter_ns);
            if (number) {
                memory->items[number - 1].free = i;
                memory->items[number - 1].until_ns = call->enter_ns;
                memory->items[number - 1].price_ns += call->return_ns - call->enter_ns;
            }
        } else if (is_locked(call, XS_MODEL_TRANSFER)) {
            memory->of[i] = find(memory, call->address, call->enter_ns);
            if (memory->of[i])
                add_copy(memory, plan, i);
        }
    }
}

void xs_host_memory_begin(struct xs_host_memory *memory, const struct xs_plan *plan) {
    *memory = (struct xs_host_memory){0};
    read_allocations(memory, plan->model);
    read_uses(memory, plan);
}

void xs_host_memory_end(struct xs_host_memory *memory) {
    free(memory->items);
    free(memory->of);
    free(memory->next);
    free(memory->touched);
    *memory = (struct xs_host_memory){0};
}

/* --- with a plan --- */

static bool is_same_place(const struct xs_plan *plan, uint32_t a, uint32_t b) {
    const struct xs_sites *sites = plan->findings->sites;
    uint32_t place = xs_site_parts(sites, plan->model->calls[a].site).place;
    return place && place == xs_site_parts(sites, plan->model->calls[b].site).place;
}

void xs_host_memory_leave(struct xs_host_memory *memory, const struct xs_plan *plan, uint32_t copy) {
    uint32_t number = memory->of[copy];
    if (!number)
        return;
    struct xs_locked_memory *item = &memory->items[number - 1];
    if (!item->is_touched) {
        item->left_ns = item->worth_ns;
        item->left = item->copies;
    }
    if (!item->is_to_judge) {
        xs_grow(&memory->touched, memory->touched_count, &memory->touched_capacity, sizeof *memory->touched);
        memory->touched[memory->touched_count++] = number - 1;
    }
    item->is_touched = item->is_to_judge = true;
    item->left_ns = xs_model_ns(item->left_ns - xs_host_memory_worth(plan, copy));
    item->left--;
    item->is_of_copy |= is_same_place(plan, item->allocation, copy);
}

static void judge(struct xs_host_memory *memory, struct xs_locked_memory *item) {
    item->is_to_judge = false;
    item->is_useless = !item->is_registered && item->left <= item->is_of_copy && item->price_ns > item->left_ns;
    memory->instead_ns -= item->instead_ns;
    item->instead_ns = item->is_useless ? item->left_ns : 0;
    memory->instead_ns = xs_model_ns(memory->instead_ns + item->instead_ns);
}

const struct xs_locked_memory *xs_host_memory_next_useless(struct xs_host_memory *memory) {
    while (memory->judged < memory->touched_count) {
        struct xs_locked_memory *item = &memory->items[memory->touched[memory->judged++]];
        judge(memory, item);
        if (item->is_useless)
            return item;
    }
    return NULL;
}

void xs_host_memory_clear(struct xs_host_memory *memory) {
    for (size_t i = 0; i < memory->touched_count; i++) {
        struct xs_locked_memory *item = &memory->items[memory->touched[i]];
        item->is_touched = item->is_to_judge = item->is_of_copy = item->is_useless = false;
        item->instead_ns = 0;
    }
    memory->touched_count = memory->judged = 0;
    memory->instead_ns = 0;
}
