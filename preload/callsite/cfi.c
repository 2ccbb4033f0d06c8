/* Makes cache entries from the unwind tables. A thread that needs an entry which is not in the cache writes it. All
 * entries are removed when modules were loaded or unloaded. */
#include "preload/callsite/cfi.h"

#include <stddef.h>

#include "preload/core/alternate_stack.h"

_Atomic unsigned xs_rules_generation;

#if defined(__x86_64__)

_Atomic uint64_t xs_rules[XS_RULES];

/* Removes all entries. If another thread writes an entry from older modules meanwhile, that thread removes the entry
 * itself. */
void xs_rules_drop(void) {
    atomic_fetch_add_explicit(&xs_rules_generation, 1, memory_order_seq_cst);
    for (unsigned i = 0; i < XS_RULES; i++)
        atomic_store_explicit(&xs_rules[i], 0, memory_order_relaxed);
}

static bool is_words(int64_t bytes, int64_t limit) {
    return bytes % 8 == 0 && bytes / 8 >= -limit && bytes / 8 < limit;
}

static uint64_t packed(enum xs_rule_kind kind, enum xs_rbp_kind rbp_kind, int64_t rbp, int64_t cfa) {
    uint64_t rule = (uint64_t)kind | (uint64_t)rbp_kind << 3 | (uint64_t)(uint8_t)(rbp / 8) << 5;
    return (rule | (uint64_t)(cfa / 8) << 13) << XS_RULE_CHECK_BITS;
}

/* Returns the cache entry for a CFI row, without the check bits. Its kind is XS_RULE_TABLES if the row is of an
 * uncommon kind. */
static uint64_t pack(const struct xs_cfi_row *row) {
    uint64_t base, tables = packed(XS_RULE_TABLES, XS_RBP_SAME, 0, 0);
    enum xs_rule_kind kind;
    enum xs_rbp_kind rbp_kind;
    int64_t cfa, rbp = 0;
    if (row->rip.kind == XS_RULE_UNDEFINED)
        return packed(XS_RULE_END, XS_RBP_SAME, 0, 0);
    if (row->is_signal || row->rip.kind != XS_RULE_AT_CFA || row->rip.offset != -8)
        return tables;
    if (row->is_cfa_expression) {
        if (!xs_expression_is_word(&row->cfa, &base, &cfa) || base != XS_DWARF_RBP)
            return tables;
        kind = XS_RULE_WORD;
    } else if (row->cfa_register == XS_DWARF_RSP || row->cfa_register == XS_DWARF_RBP) {
        kind = row->cfa_register == XS_DWARF_RSP ? XS_RULE_RSP : XS_RULE_RBP;
        cfa = row->cfa_offset;
    } else {
        return tables;
    }
    if (row->rbp.kind == XS_RULE_SAME) {
        rbp_kind = XS_RBP_SAME;
    } else if (row->rbp.kind == XS_RULE_AT_CFA) {
        rbp_kind = XS_RBP_AT_CFA;
        rbp = row->rbp.offset;
    } else if (row->rbp.kind == XS_RULE_AT_EXPRESSION && xs_expression_is_sum(&row->rbp.expression, &base, &rbp) &&
               base == XS_DWARF_RBP) {
        rbp_kind = XS_RBP_AT_RBP;
    } else {
        return tables;
    }
    return is_words(cfa, 1 << 16) && is_words(rbp, 1 << 7) ? packed(kind, rbp_kind, rbp, cfa) : tables;
}

struct request {
    uint64_t address, entry;
    struct xs_registers *registers;
    struct xs_stack *stack;
    enum xs_unwind_step step;
    bool is_found;
};

/* Makes an entry and stores it in the cache. Runs under the loader's lock (xs_modules_use), so the memory that the row
 * points to cannot be unmapped. */
static void make(const struct xs_module *module, void *arg) {
    struct request *r = arg;
    struct xs_cfi_row row;
    unsigned before = atomic_load_explicit(&xs_rules_generation, memory_order_relaxed);
    uint64_t key = xs_rule_key(r->address);
    if (!module || !xs_tables_find(module, r->address, &row)) {
        r->entry = packed(XS_RULE_UNKNOWN, XS_RBP_SAME, 0, 0);
    } else {
        r->entry = pack(&row);
        if (xs_rule_kind(r->entry) == XS_RULE_TABLES) {
            bool is_applied = xs_row_apply(&row, r->registers, r->stack);
            r->step = !is_applied ? XS_LOST : row.is_signal ? XS_STEPPED_SIGNAL : XS_STEPPED;
        }
    }
    if (r->address >> 48)
        return;
    _Atomic uint64_t *slot = &xs_rules[key >> XS_RULE_CHECK_BITS];
    atomic_store_explicit(slot, r->entry | (key & ((UINT64_C(1) << XS_RULE_CHECK_BITS) - 1)), memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&xs_rules_generation, memory_order_relaxed) != before)
        atomic_store_explicit(slot, 0, memory_order_relaxed);
}

static void find(void *arg) {
    struct request *r = arg;
    r->is_found = xs_modules_use(r->address, make, r);
}

/* Searches on a scratch stack, because this may wait for the loader's lock and read the loader's list. */
enum xs_unwind_step xs_rule_find(uint64_t address, uint64_t *entry, struct xs_registers *registers,
                                 struct xs_stack *stack) {
    struct request r = {.address = address, .registers = registers, .stack = stack, .step = XS_LOST};
    *entry = 0;
    if (!xs_on_scratch(find, &r) || !r.is_found)
        return XS_LOST;
    *entry = r.entry;
    return r.step;
}

#else
void xs_rules_drop(void) { atomic_fetch_add_explicit(&xs_rules_generation, 1, memory_order_seq_cst); }
#endif
