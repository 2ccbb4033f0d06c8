/* Reads a module's unwind tables (.eh_frame, x86-64), which tell how to find the caller's registers from the registers
 * of a function. */
#ifndef XFERSPY_PRELOAD_CALLSITE_EH_FRAME_H
#define XFERSPY_PRELOAD_CALLSITE_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/callsite/native_modules.h"
#include "preload/callsite/stack_memory.h"

struct xs_expression {
    const uint8_t *code, *end; /* memory of the module */
};

/* Tells how to find a register's value in the calling frame. */
struct xs_register_rule {
    enum {
        XS_RULE_SAME,
        XS_RULE_UNDEFINED,
        XS_RULE_AT_CFA,        /* the value is in memory at CFA + offset */
        XS_RULE_CFA_PLUS,      /* the value is CFA + offset itself */
        XS_RULE_AT_EXPRESSION, /* the value is in memory at the expression's result; the expression begins with the CFA
                                  on its stack */
        XS_RULE_EXPRESSION, /* the value is the expression's result; the expression begins with the CFA on its stack */
        XS_RULE_OTHER,      /* the value is in another register; the unwind does not support this */
    } kind;
    int64_t offset;
    struct xs_expression expression;
};

enum xs_dwarf_register { XS_DWARF_RBP = 6, XS_DWARF_RSP = 7, XS_DWARF_RIP = 16 };

/* A CFI row: one row of the table that the call-frame instructions describe. */
struct xs_cfi_row {
    bool is_cfa_expression;
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct xs_expression cfa;
    struct xs_register_rule rbp, rip;
    bool is_signal; /* a signal interrupted the caller, so the caller's pc is not a return address */
};

/* Finds the CFI row of an address in a module. False: the tables have no row for it. The module must remain loaded
 * during the call. */
bool xs_tables_find(const struct xs_module *module, uint64_t address, struct xs_cfi_row *row);

/* The registers that the unwind computes for each frame. */
struct xs_registers {
    uint64_t pc, sp, fp;
};

/* Replaces a frame's registers by its caller's registers. False: the row does not tell how to find them, or a word on
 * the stack is not readable. */
bool xs_row_apply(const struct xs_cfi_row *row, struct xs_registers *registers, struct xs_stack *stack);

/* These functions recognise the two common kinds of expressions: the sum register + offset, and the word in memory at
 * register + offset. If the result is true, *base is the register's number, and *offset is the offset. */
bool xs_expression_is_sum(const struct xs_expression *expression, uint64_t *base, int64_t *offset);
bool xs_expression_is_word(const struct xs_expression *expression, uint64_t *base, int64_t *offset);

#endif
