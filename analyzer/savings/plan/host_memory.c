/* Keeps track of page-locked memory and the copies that use it; see host_memory.h. */
#include "analyzer/savings/plan/host_memory.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/lifetimes.h"
#include "analyzer/base/memory.h"
#include "analyzer/savings/plan/replay_plan.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

static bool is_locked(uint8_t memory_kind) { return memory_kind == XS_MEM_PINNED || memory_kind == XS_MEM_REGISTERED; }

int64_t xs_host_memory_worth(const struct xs_plan *plan, uint32_t number) {
    struct xs_model_copy copy = xs_model_copy_at(plan->model, number);
    const struct xs_link_model *link = &plan->findings->link;
    uint64_t pageable = xs_link_ns(link, xs_link_class_of(copy.direction, XS_MEM_PAGEABLE), copy.bytes);
    uint64_t pinned = xs_link_ns(link, xs_link_class_of(copy.direction, XS_MEM_PINNED), copy.bytes);
    return pageable > pinned ? xs_model_length(pageable - pinned) : 0;
}

/* --- allocations --- */

struct reading {
    struct xs_host_memory *memory;
    const struct xs_plan *plan;
    struct xs_life *lives; /* lives of the items */
    size_t capacity, lives_capacity;
    struct xs_hash rows; /* maps allocation.id to the index of the item plus 1 */
};

static void add_allocation(struct reading *r, uint32_t i) {
    struct xs_host_memory *memory = r->memory;
    const struct xs_model_call *call = &r->plan->model->calls[i];
    xs_grow(&memory->items, memory->count, &r->capacity, sizeof *memory->items);
    xs_grow(&r->lives, memory->count, &r->lives_capacity, sizeof *r->lives);
    r->lives[memory->count] =
        (struct xs_life){call->address, xs_sum(call->address, call->bytes), call->return_ns, INT64_MAX};
    memory->items[memory->count] = (struct xs_locked_memory){.bytes = call->bytes,
                                                             .price_ns = call->return_ns - call->enter_ns,
                                                             .allocation = i,
                                                             .free = XS_PLAN_NONE,
                                                             .first_copy = XS_PLAN_NONE,
                                                             .is_registered = call->memory_kind == XS_MEM_REGISTERED};
    memory->of[i] = (uint32_t)++memory->count;
    *xs_hash_put(&r->rows, (uint64_t)call->row, 0) = memory->count;
}

static void add_free(struct reading *r, uint32_t i) {
    const struct xs_model_call *call = &r->plan->model->calls[i];
    const uint64_t *number = xs_hash_find(&r->rows, (uint64_t)call->row, 0);
    if (!number)
        return;
    struct xs_locked_memory *item = &r->memory->items[*number - 1];
    item->free = i;
    item->price_ns += call->return_ns - call->enter_ns;
    r->lives[*number - 1].until_ns = call->enter_ns;
}

static void read_allocations(struct reading *r) {
    const struct xs_model *model = r->plan->model;
    for (uint32_t i = 0; i < model->call_count; i++)
        if (is_locked(model->calls[i].memory_kind) && model->calls[i].kind == XS_MODEL_ALLOCATION &&
            model->calls[i].bytes)
            add_allocation(r, i);
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].kind == XS_MODEL_FREE)
            add_free(r, i);
}

const struct xs_locked_memory *xs_host_memory_of(const struct xs_host_memory *memory, const struct xs_plan *plan,
                                                 uint32_t allocation) {
    uint32_t number = memory->of[allocation];
    return number && plan->model->calls[allocation].kind == XS_MODEL_ALLOCATION ? &memory->items[number - 1] : NULL;
}

/* --- copies --- */

static void add_copy(struct reading *r, struct xs_lives *lives, uint32_t number) {
    struct xs_host_memory *memory = r->memory;
    struct xs_model_copy copy = xs_model_copy_at(r->plan->model, number);
    if (!is_locked(copy.memory_kind) || !copy.bytes)
        return;
    memory->of[number] = (uint32_t)xs_lives_at(lives, copy.address, r->plan->model->calls[copy.call].enter_ns);
    if (!memory->of[number])
        return;
    struct xs_locked_memory *item = &memory->items[memory->of[number] - 1];
    item->worth_ns = xs_model_ns(item->worth_ns + xs_host_memory_worth(r->plan, number));
    if (!item->copies++)
        item->first_copy = number;
    else
        memory->next[item->last_copy] = number;
    item->last_copy = number;
}

/* Reads the copies in the order of the calls, because later memory may have the address of earlier memory. */
static void read_copies(struct reading *r) {
    const struct xs_model *model = r->plan->model;
    struct xs_lives lives;
    xs_lives_begin(&lives, r->lives, r->memory->count);
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        if (call->kind == XS_MODEL_TRANSFER && !call->copies)
            add_copy(r, &lives, i);
        for (uint32_t k = 0; k < call->copies; k++)
            add_copy(r, &lives, model->call_count + call->copy + k);
    }
    xs_lives_end(&lives);
}

void xs_host_memory_begin(struct xs_host_memory *memory, const struct xs_plan *plan) {
    struct reading r = {.memory = memory, .plan = plan};
    size_t numbers = (size_t)plan->model->call_count + plan->model->copy_count;
    *memory = (struct xs_host_memory){.is_used_unseen = plan->findings->has_gaps,
                                      .of = xs_realloc(NULL, (numbers + 1) * sizeof *memory->of),
                                      .next = xs_realloc(NULL, (numbers + 1) * sizeof *memory->next)};
    for (size_t i = 0; i < numbers; i++) {
        memory->of[i] = 0;
        memory->next[i] = XS_PLAN_NONE;
    }
    read_allocations(&r);
    read_copies(&r);
    xs_hash_free(&r.rows);
    free(r.lives);
}

void xs_host_memory_end(struct xs_host_memory *memory) {
    free(memory->items);
    free(memory->of);
    free(memory->next);
    free(memory->touched);
    *memory = (struct xs_host_memory){0};
}

/* --- changes of a plan --- */

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
    item->is_of_copy |= xs_statement_is_same_place(plan, item->allocation, xs_model_copy_at(plan->model, copy).call);
}

static void judge(struct xs_host_memory *memory, struct xs_locked_memory *item) {
    item->is_to_judge = false;
    item->is_useless = !memory->is_used_unseen && !item->is_registered && item->left <= item->is_of_copy &&
                       item->price_ns > item->left_ns;
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
