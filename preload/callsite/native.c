/* Walks the calling thread's stack. A step mostly takes one look-up in the cache of rules and two loads from the stack.
 */
#include "preload/callsite/native.h"

#include "preload/callsite/cfi.h"
#include "preload/core/signals.h"

enum { FRAME_BYTES_MAX = 1 << 20 };

/* The state of the walk. Only inlined code takes its address, so the compiler can keep it in registers. */
struct cursor {
    struct xs_registers registers;
    bool is_interrupted; /* a signal came at pc; else pc is a return address, and the call is before it, perhaps in
                            another function than pc */
};

/* True if no library is being closed now. */
XS_HOT bool are_rules_certain(void) { return atomic_load_explicit(&xs_unloads_under_way, memory_order_acquire) == 0; }

static bool is_call_site(uint64_t pc) { return pc >= 4096 && pc >> 56 == 0; }

/* Steps through the frame of code that keeps the frame pointer. The frame pointer points to the saved x29 and x30, or
 * to the saved rbp and the return address. On aarch64 a return address may be signed. */
XS_HOT enum xs_unwind_step step_by_frame_pointer(struct cursor *p, struct xs_stack *stack) {
    struct xs_registers outer;
    uint64_t record = p->registers.fp;
    if (XS_UNLIKELY(stack->reads != NULL))
        xs_reads_note_fp(stack->reads, true, true);
    if (record < p->registers.sp || record % 8 != 0 || !xs_stack_read(stack, record, &outer.fp) ||
        !xs_stack_read(stack, record + 8, &outer.pc))
        return record == 0 ? XS_OUTERMOST : XS_LOST;
#if defined(__aarch64__)
    register uint64_t link __asm__("x30") = outer.pc;
    __asm__("hint #7" : "+r"(link)); /* xpaclri, which older processors ignore */
    outer.pc = link;
#endif
    outer.sp = record + 16;
    p->registers = outer;
    p->is_interrupted = false;
    return outer.pc == 0 ? XS_OUTERMOST : XS_STEPPED;
}

#if defined(__x86_64__)

/* Takes a step whose rule is not in the cache, because it is new or of an uncommon kind. */
static __attribute__((noinline)) enum xs_unwind_step step_slowly(struct xs_registers *registers, uint64_t address,
                                                                 struct xs_stack *stack, uint64_t *entry) {
    uint64_t sp = registers->sp;
    enum xs_unwind_step step = xs_rule_find(address, entry, registers, stack);
    if (stack->reads) {
        stack->reads->is_whole &= *entry != 0; /* 0: the tables were not available */
        xs_reads_note_fp(stack->reads, true, false);
    }
    if (xs_rule_kind(*entry) != XS_RULE_TABLES)
        return XS_LOST;
    if (step == XS_STEPPED_SIGNAL)
        xs_stack_move(stack, registers->sp); /* the interrupted code may have run on another stack */
    else if (step == XS_STEPPED && registers->sp <= sp)
        return XS_LOST;
    return step == XS_LOST ? XS_LOST : registers->pc == 0 ? XS_OUTERMOST : step;
}

XS_HOT enum xs_unwind_step step_by_rule(struct cursor *p, uint64_t entry, struct xs_stack *stack) {
    struct xs_registers *r = &p->registers;
    uint64_t fp = r->fp, cfa = xs_rule_cfa(entry) + (xs_rule_kind(entry) == XS_RULE_RSP ? r->sp : fp), pc;
    if (XS_UNLIKELY(xs_rule_kind(entry) > XS_RULE_RBP)) { /* a switch is predicted less well */
        if (xs_rule_kind(entry) != XS_RULE_WORD)
            return xs_rule_kind(entry) == XS_RULE_END ? XS_OUTERMOST : XS_NO_RULE;
        if (!xs_stack_read(stack, cfa, &cfa))
            return XS_LOST;
    }
    enum xs_rbp_kind kind = xs_rule_rbp_kind(entry);
    if (XS_UNLIKELY(stack->reads != NULL)) {
        xs_reads_note_fp(stack->reads, xs_rule_kind(entry) != XS_RULE_RSP || kind == XS_RBP_AT_RBP,
                         kind != XS_RBP_SAME);
    }
    if (cfa <= r->sp || !xs_stack_read(stack, cfa - 8, &pc) ||
        (kind != XS_RBP_SAME && !xs_stack_read(stack, (kind == XS_RBP_AT_CFA ? cfa : fp) + xs_rule_rbp(entry), &r->fp)))
        return XS_LOST;
    r->sp = cfa;
    r->pc = pc;
    p->is_interrupted = false;
    return pc == 0 ? XS_OUTERMOST : XS_STEPPED;
}

XS_HOT enum xs_unwind_step step_by_tables(struct cursor *p, bool is_cache_right, struct xs_stack *stack) {
    uint64_t address = p->registers.pc - !p->is_interrupted, key = xs_rule_key(address);
    uint64_t entry = atomic_load_explicit(&xs_rules[key >> XS_RULE_CHECK_BITS], memory_order_relaxed) ^
                     (key & ((UINT64_C(1) << XS_RULE_CHECK_BITS) - 1));
    if (XS_UNLIKELY(entry << (64 - XS_RULE_CHECK_BITS) != 0 || xs_rule_kind(entry) == XS_RULE_NONE ||
                    xs_rule_kind(entry) == XS_RULE_TABLES || address >> 48 || !is_cache_right)) {
        struct xs_registers registers = p->registers;
        enum xs_unwind_step step = step_slowly(&registers, address, stack, &entry);
        if (entry == 0 || xs_rule_kind(entry) == XS_RULE_TABLES) {
            p->registers = registers;
            p->is_interrupted = step == XS_STEPPED_SIGNAL;
            return step;
        }
    }
    return step_by_rule(p, entry, stack);
}

/* Steps by the frame pointer through code without tables, such as JIT code. If that code keeps no frame pointer, rbp
 * can have any value. So frames that are found in this way are only kept if the walk reaches code with tables again.
 * The step must not lead to another stack, because at a coroutine's start rbp may still belong to the code that made
 * the coroutine. */
XS_HOT enum xs_unwind_step step_on_trial(struct cursor *p, struct xs_stack *stack) {
    uint64_t sp = p->registers.sp, record = p->registers.fp;
    if (XS_UNLIKELY(stack->reads != NULL))
        xs_reads_note_fp(stack->reads, true, false);
    if (record - sp > FRAME_BYTES_MAX || xs_stack_is_own(stack, sp) != xs_stack_is_own(stack, record))
        return XS_LOST;
    enum xs_unwind_step step = step_by_frame_pointer(p, stack);
    return step == XS_OUTERMOST ? XS_LOST : step;
}

static unsigned walk_by_tables(struct cursor p, struct xs_stack *stack, bool is_on_trial, uint64_t *pcs, unsigned limit,
                               bool *is_cut) {
    unsigned count = 1, sure = 1;
    bool is_cache_right = are_rules_certain();
    pcs[0] = p.registers.pc;
    for (;;) {
        enum xs_unwind_step step = step_by_tables(&p, is_cache_right, stack);
        bool is_by_rule = step != XS_NO_RULE;
        if (XS_UNLIKELY(!is_by_rule))
            step = is_on_trial ? step_on_trial(&p, stack) : XS_LOST;
        else if (step != XS_LOST)
            sure = count;
        if (XS_UNLIKELY(step > XS_STEPPED_SIGNAL || !is_call_site(p.registers.pc) || count == limit)) {
            *is_cut = step != XS_OUTERMOST;
            return sure;
        }
        pcs[count++] = p.registers.pc;
        sure = is_by_rule ? count : sure;
    }
}

/* Unwinds from this function outwards. True if the walk passes the address. If it reaches code without tables, the
 * answer is not known, and false is returned. */
static bool passes(uint64_t return_address_at) {
    enum { STEPS_MAX = 4096 };
    struct xs_stack stack;
    struct cursor p = {.is_interrupted = true};
    bool is_cache_right = are_rules_certain();
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
                     : "=&r"(p.registers.pc), "=&r"(p.registers.sp), "=&r"(p.registers.fp));
    xs_stack_open(&stack, p.registers.sp, XS_PART_CHECK);
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        enum xs_unwind_step step = step_by_tables(&p, is_cache_right, &stack);
        if (step > XS_STEPPED_SIGNAL || !is_call_site(p.registers.pc) ||
            (step == XS_STEPPED && p.registers.sp - sizeof(uint64_t) == return_address_at))
            return false; /* the walk cannot go on, or has found the function */
        if (xs_stack_is_own(&stack, p.registers.sp) && p.registers.sp > return_address_at)
            return true;
    }
    return false;
}

bool xs_native_is_gone(uintptr_t return_address_at) {
    static XS_TLS bool is_busy; /* a check is under way, and a fault's handler made a call */
    uint64_t signals;
    xs_signals_hold(&signals); /* if a handler jumped away, is_busy would remain set */
    bool is_gone = false;
    if (!is_busy) {
        is_busy = true;
        atomic_signal_fence(memory_order_seq_cst);
        is_gone = passes(return_address_at);
        atomic_signal_fence(memory_order_seq_cst);
        is_busy = false;
    }
    xs_signals_let(&signals);
    return is_gone;
}

#else
bool xs_native_is_gone(uintptr_t return_address_at) {
    (void)return_address_at;
    return false;
}
#endif

static unsigned walk_by_frame_pointers(struct cursor p, struct xs_stack *stack, uint64_t *pcs, unsigned limit,
                                       bool *is_cut) {
    unsigned count = 1;
    pcs[0] = p.registers.pc;
    for (;;) {
        enum xs_unwind_step step = step_by_frame_pointer(&p, stack);
        if (step != XS_STEPPED || !is_call_site(p.registers.pc) || count == limit) {
            *is_cut = step != XS_OUTERMOST;
            return count;
        }
        pcs[count++] = p.registers.pc;
    }
}

/* ---- walks that need not be made again ---- */

static void begin_noting(struct xs_stack *stack, struct xs_reads *reads) {
    reads->count = 0;
    reads->needs_fp = reads->is_fp_replaced = false;
    reads->generation = atomic_load_explicit(&xs_rules_generation, memory_order_acquire);
    reads->is_whole = are_rules_certain();
    stack->reads = reads;
}

static void end_noting(struct xs_reads *reads) {
    reads->is_whole = reads->is_whole && are_rules_certain() &&
                      atomic_load_explicit(&xs_rules_generation, memory_order_acquire) == reads->generation;
}

bool xs_native_is_as_noted(const struct xs_reads *reads) {
    return reads->is_whole && are_rules_certain() &&
           atomic_load_explicit(&xs_rules_generation, memory_order_acquire) == reads->generation &&
           xs_reads_are_same(reads);
}

unsigned xs_native_walk(enum xs_unwinder how, const struct xs_caller *caller, uint64_t *pcs, unsigned limit,
                        bool *is_cut, struct xs_reads *reads) {
    struct xs_stack stack;
    unsigned count;
    *is_cut = true;
    if (how == XS_UNWIND_NONE || limit == 0)
        return 0;
    xs_stack_open(&stack, caller->sp, XS_PART_STACK);
    if (reads)
        begin_noting(&stack, reads);
    struct cursor p = {.registers = {.pc = caller->pc, .sp = caller->sp, .fp = caller->fp}};
#if defined(__x86_64__)
    if (how != XS_UNWIND_FP)
        count = walk_by_tables(p, &stack, how == XS_UNWIND_AUTO, pcs, limit, is_cut);
    else
#endif
        count = walk_by_frame_pointers(p, &stack, pcs, limit, is_cut);
    if (reads)
        end_noting(reads);
    return count;
}
