/* Reads DWARF's integers, evaluates its expressions, and applies a row of the unwind table to the registers. */
#include "preload/callsite/native_dwarf.h"

#include <string.h>

#include "preload/callsite/eh_frame.h"

enum { STACK_MAX = 16, OPERATIONS_MAX = 256 };

void xs_skip(struct xs_cursor *in, uint64_t bytes) {
    if (in->is_bad || bytes > (uint64_t)(in->end - in->at)) {
        in->is_bad = true;
        return;
    }
    in->at += bytes;
}

uint64_t xs_read_fixed(struct xs_cursor *in, unsigned bytes) {
    uint64_t value = 0;
    const uint8_t *from = in->at;
    xs_skip(in, bytes);
    if (!in->is_bad)
        memcpy(&value, from, bytes);
    return value;
}

/* Reads a LEB128 number, signed or not. *bits gets the number of bits that were read, and *last the last byte. */
static uint64_t read_leb(struct xs_cursor *in, unsigned *bits, uint8_t *last) {
    uint64_t value = 0;
    *bits = 0;
    do {
        *last = (uint8_t)xs_read_fixed(in, 1);
        if (*bits < 64) {
            value |= (uint64_t)(*last & 0x7f) << *bits;
            *bits += 7;
        }
    } while (*last & 0x80);
    return value;
}

uint64_t xs_read_uleb(struct xs_cursor *in) {
    unsigned bits;
    uint8_t last;
    return read_leb(in, &bits, &last);
}

int64_t xs_read_sleb(struct xs_cursor *in) {
    unsigned bits;
    uint8_t last;
    uint64_t value = read_leb(in, &bits, &last);
    if (bits < 64 && (last & 0x40))
        value |= UINT64_MAX << bits;
    return (int64_t)value;
}

static uint64_t read_format(struct xs_cursor *in, unsigned format) {
    switch (format) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return xs_read_fixed(in, 8);
    case DW_EH_PE_udata4:
        return xs_read_fixed(in, 4);
    case DW_EH_PE_udata2:
        return xs_read_fixed(in, 2);
    case DW_EH_PE_sdata4:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)xs_read_fixed(in, 4);
    case DW_EH_PE_sdata2:
        return (uint64_t)(int64_t)(int16_t)(uint16_t)xs_read_fixed(in, 2);
    case DW_EH_PE_uleb128:
        return xs_read_uleb(in);
    case DW_EH_PE_sleb128:
        return (uint64_t)xs_read_sleb(in);
    default:
        in->is_bad = true;
        return 0;
    }
}

/* Reads an encoded pointer. Indirect pointers are not followed: only the pointer to the personality routine is one, and
 * it is not needed. */
uint64_t xs_read_encoded(struct xs_cursor *in, uint8_t encoding, uint64_t data_base) {
    if (encoding == DW_EH_PE_omit)
        return 0;
    uint64_t base = 0;
    switch (encoding & DW_EH_PE_relation) {
    case 0:
        break;
    case DW_EH_PE_pcrel:
        base = (uint64_t)(uintptr_t)in->at;
        break;
    case DW_EH_PE_datarel:
        base = data_base;
        break;
    default:
        in->is_bad = true;
        return 0;
    }
    return base + read_format(in, encoding & DW_EH_PE_format);
}

struct machine {
    struct xs_cursor in;
    const struct xs_registers *registers;
    struct xs_stack *stack;
    uint64_t values[STACK_MAX];
    unsigned depth;
    bool is_bad;
};

/* Pushes a value. Returns true, as all functions below do if they have run an operation. */
static bool push(struct machine *m, uint64_t value) {
    if (m->depth == STACK_MAX)
        m->is_bad = true;
    else
        m->values[m->depth++] = value;
    return true;
}

static uint64_t pop(struct machine *m) {
    if (m->depth == 0) {
        m->is_bad = true;
        return 0;
    }
    return m->values[--m->depth];
}

static void push_register(struct machine *m, unsigned number) {
    uint64_t offset = (uint64_t)xs_read_sleb(&m->in);
    switch (number) {
    case XS_DWARF_RBP:
        push(m, m->registers->fp + offset);
        break;
    case XS_DWARF_RSP:
        push(m, m->registers->sp + offset);
        break;
    case XS_DWARF_RIP:
        push(m, m->registers->pc + offset);
        break;
    default:
        m->is_bad = true; /* the walk does not know the values of other registers */
    }
}

static bool run_binary(struct machine *m, unsigned op) {
    if (op < DW_OP_and || op > DW_OP_ne || op == DW_OP_neg || op == DW_OP_not || op == DW_OP_plus_uconst)
        return false;
    uint64_t b = pop(m), a = pop(m);
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (op) {
    case DW_OP_and:
        return push(m, a & b);
    case DW_OP_minus:
        return push(m, a - b);
    case DW_OP_mul:
        return push(m, a * b);
    case DW_OP_or:
        return push(m, a | b);
    case DW_OP_plus:
        return push(m, a + b);
    case DW_OP_shl:
        return push(m, b < 64 ? a << b : 0);
    case DW_OP_shr:
        return push(m, b < 64 ? a >> b : 0);
    case DW_OP_xor:
        return push(m, a ^ b);
    case DW_OP_eq:
        return push(m, a == b);
    case DW_OP_ge:
        return push(m, x >= y);
    case DW_OP_gt:
        return push(m, x > y);
    case DW_OP_le:
        return push(m, x <= y);
    case DW_OP_lt:
        return push(m, x < y);
    case DW_OP_ne:
        return push(m, a != b);
    default:
        return false;
    }
}

static bool run_constant(struct machine *m, unsigned op) {
    struct xs_cursor *in = &m->in;
    switch (op) {
    case DW_OP_addr:
    case DW_OP_const8u:
    case DW_OP_const8s:
        return push(m, xs_read_fixed(in, 8));
    case DW_OP_const1u:
        return push(m, xs_read_fixed(in, 1));
    case DW_OP_const1s:
        return push(m, (uint64_t)(int64_t)(int8_t)(uint8_t)xs_read_fixed(in, 1));
    case DW_OP_const2u:
        return push(m, xs_read_fixed(in, 2));
    case DW_OP_const2s:
        return push(m, read_format(in, DW_EH_PE_sdata2));
    case DW_OP_const4u:
        return push(m, xs_read_fixed(in, 4));
    case DW_OP_const4s:
        return push(m, read_format(in, DW_EH_PE_sdata4));
    case DW_OP_constu:
        return push(m, xs_read_uleb(in));
    case DW_OP_consts:
        return push(m, (uint64_t)xs_read_sleb(in));
    default:
        return false;
    }
}

static void run_other(struct machine *m, unsigned op) {
    uint64_t a, b;
    switch (op) {
    case DW_OP_nop:
        break;
    case DW_OP_deref:
        a = pop(m);
        m->is_bad = m->is_bad || !xs_stack_read(m->stack, a, &b);
        push(m, m->is_bad ? 0 : b);
        break;
    case DW_OP_plus_uconst:
        a = pop(m);
        push(m, a + xs_read_uleb(&m->in));
        break;
    case DW_OP_neg:
        push(m, 0 - pop(m));
        break;
    case DW_OP_not:
        push(m, ~pop(m));
        break;
    case DW_OP_dup:
        a = pop(m);
        push(m, a);
        push(m, a);
        break;
    case DW_OP_drop:
        pop(m);
        break;
    case DW_OP_swap:
        a = pop(m);
        b = pop(m);
        push(m, a);
        push(m, b);
        break;
    default:
        m->is_bad = true;
    }
}

static bool evaluate(const struct xs_expression *expression, const struct xs_registers *registers,
                     struct xs_stack *stack, const uint64_t *first, uint64_t *value) {
    struct machine m = {.in = {.at = expression->code, .end = expression->end}, .registers = registers, .stack = stack};
    if (first)
        push(&m, *first);
    for (unsigned i = 0; i < OPERATIONS_MAX && m.in.at < m.in.end; i++) {
        unsigned op = (unsigned)xs_read_fixed(&m.in, 1);
        if (op >= DW_OP_lit0 && op <= DW_OP_lit31)
            push(&m, op - DW_OP_lit0);
        else if (op >= DW_OP_breg0 && op <= DW_OP_breg31)
            push_register(&m, op - DW_OP_breg0);
        else if (!run_constant(&m, op) && !run_binary(&m, op))
            run_other(&m, op);
        if (m.is_bad || m.in.is_bad)
            return false;
    }
    *value = pop(&m);
    return !m.is_bad && m.in.at == m.in.end;
}

static struct xs_cursor read_sum(const struct xs_expression *expression, uint64_t *base, int64_t *offset) {
    struct xs_cursor in = {.at = expression->code, .end = expression->end};
    *base = xs_read_fixed(&in, 1) - DW_OP_breg0;
    *offset = xs_read_sleb(&in);
    in.is_bad = in.is_bad || *base > DW_OP_breg31 - DW_OP_breg0;
    return in;
}

bool xs_expression_is_sum(const struct xs_expression *expression, uint64_t *base, int64_t *offset) {
    struct xs_cursor in = read_sum(expression, base, offset);
    return !in.is_bad && in.at == in.end;
}

bool xs_expression_is_word(const struct xs_expression *expression, uint64_t *base, int64_t *offset) {
    struct xs_cursor in = read_sum(expression, base, offset);
    return !in.is_bad && in.end - in.at == 1 && *in.at == DW_OP_deref;
}

static bool value_of(const struct xs_register_rule *rule, uint64_t same, uint64_t cfa,
                     const struct xs_registers *registers, struct xs_stack *stack, uint64_t *value) {
    uint64_t address;
    switch (rule->kind) {
    case XS_RULE_SAME:
        *value = same;
        return true;
    case XS_RULE_UNDEFINED:
        *value = 0;
        return true;
    case XS_RULE_AT_CFA:
        return xs_stack_read(stack, cfa + (uint64_t)rule->offset, value);
    case XS_RULE_CFA_PLUS:
        *value = cfa + (uint64_t)rule->offset;
        return true;
    case XS_RULE_AT_EXPRESSION:
        return evaluate(&rule->expression, registers, stack, &cfa, &address) && xs_stack_read(stack, address, value);
    case XS_RULE_EXPRESSION:
        return evaluate(&rule->expression, registers, stack, &cfa, value);
    default:
        return false;
    }
}

bool xs_row_apply(const struct xs_cfi_row *row, struct xs_registers *registers, struct xs_stack *stack) {
    struct xs_registers outer;
    if (row->is_cfa_expression) {
        if (!evaluate(&row->cfa, registers, stack, NULL, &outer.sp))
            return false;
    } else if (row->cfa_register == XS_DWARF_RSP || row->cfa_register == XS_DWARF_RBP) {
        outer.sp = (row->cfa_register == XS_DWARF_RSP ? registers->sp : registers->fp) + (uint64_t)row->cfa_offset;
    } else {
        return false;
    }
    if (!value_of(&row->rip, registers->pc, outer.sp, registers, stack, &outer.pc) ||
        !value_of(&row->rbp, registers->fp, outer.sp, registers, stack, &outer.fp))
        return false;
    *registers = outer;
    return true;
}
