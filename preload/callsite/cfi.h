/* Takes one unwind step by the rules of the unwind tables. Most steps need only one look-up in a cache of these rules.
 * This file is only for x86-64. */
#ifndef XFERSPY_PRELOAD_CALLSITE_CFI_H
#define XFERSPY_PRELOAD_CALLSITE_CFI_H

#include <stdatomic.h>

#include "preload/callsite/eh_frame.h"

/* A rule tells how to compute the caller's registers. It has 30 bits, which are the high bits of a cache entry: the
 * CFA's offset (17 bits, signed, in words), the offset at which the caller's rbp is saved (8 bits, signed, in words),
 * and the two enums below. */
enum xs_rule_kind {
    XS_RULE_NONE,    /* an empty entry */
    XS_RULE_RSP,     /* CFA = rsp + offset */
    XS_RULE_RBP,     /* CFA = rbp + offset */
    XS_RULE_WORD,    /* CFA = *(rbp + offset), because the function realigned its stack */
    XS_RULE_END,     /* the outermost frame */
    XS_RULE_TABLES,  /* any other rule; every step by it has to read the tables */
    XS_RULE_UNKNOWN, /* the tables have no rule for this code */
};
enum xs_rbp_kind { XS_RBP_SAME, XS_RBP_AT_CFA, XS_RBP_AT_RBP };

enum { XS_RULES = 16384, XS_RULE_CHECK_BITS = 34 };

/* The cache of rules. A 48-bit address is multiplied by an odd number, so different addresses have different products.
 * 14 bits of the product select the entry of the cache, and the entry stores the other 34 bits. Therefore one load
 * gives the rule and shows whether the rule is for this address. */
extern _Atomic uint64_t xs_rules[XS_RULES];

extern _Atomic unsigned xs_rules_generation; /* number of times that all rules were removed */

XS_HOT uint64_t xs_rule_key(uint64_t address) {
    return (address * UINT64_C(0x9e3779b97f4a7c15)) & ((UINT64_C(1) << 48) - 1);
}
XS_HOT enum xs_rule_kind xs_rule_kind(uint64_t entry) { return (enum xs_rule_kind)(entry >> XS_RULE_CHECK_BITS & 7); }
XS_HOT enum xs_rbp_kind xs_rule_rbp_kind(uint64_t entry) {
    return (enum xs_rbp_kind)(entry >> (XS_RULE_CHECK_BITS + 3) & 3);
}
XS_HOT uint64_t xs_rule_rbp(uint64_t entry) {
    return (uint64_t)((int64_t)(int8_t)(entry >> (XS_RULE_CHECK_BITS + 5)) * 8);
}
XS_HOT uint64_t xs_rule_cfa(uint64_t entry) { return (uint64_t)(((int64_t)entry >> (XS_RULE_CHECK_BITS + 13)) * 8); }

enum xs_unwind_step {
    XS_STEPPED,
    XS_STEPPED_SIGNAL, /* the caller is code that a signal interrupted */
    XS_OUTERMOST,
    XS_NO_RULE, /* the tables have no rule for this code */
    XS_LOST,
};

/* Reads the tables, computes the cache entry of an address, and stores the entry in *entry. If the tables are not
 * available now, *entry is 0 (XS_RULE_NONE), and the result is XS_LOST. If the rule does not fit into an entry
 * (XS_RULE_TABLES), this function also takes the unwind step and returns its outcome. */
enum xs_unwind_step xs_rule_find(uint64_t address, uint64_t *entry, struct xs_registers *registers,
                                 struct xs_stack *stack);

#endif
