/* Reads the unwind tables. The sorted index in .eh_frame_hdr gives a function's FDE, and the FDE's instructions are
 * executed up to the address for which the row is needed. Wrong tables do no harm: every read is within the mapped
 * segment that contains the tables. */
#include "preload/callsite/eh_frame.h"

#include <string.h>

#include "preload/callsite/native_dwarf.h"

enum { REMEMBERED_MAX = 8, INDEX_TABLE_ENCODING = 0x3b /* four bytes, signed, relative to .eh_frame_hdr */ };

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint8_t pointer_encoding;
    bool has_augmentation, is_signal;
    struct xs_cursor instructions;
};

/* Gets the content of the entry at `in`, without its length. False: there are no more entries, or the entry is too
 * long. */
static bool read_entry(struct xs_cursor *in, struct xs_cursor *entry) {
    uint64_t bytes = xs_read_fixed(in, 4);
    if (bytes == UINT32_MAX)
        bytes = xs_read_fixed(in, 8);
    *entry = *in;
    if (in->is_bad || bytes == 0 || bytes > (uint64_t)(in->end - in->at))
        return false;
    entry->end = in->at + bytes;
    return true;
}

static bool read_cie(struct xs_cursor in, struct cie *cie) {
    struct xs_cursor entry;
    if (!read_entry(&in, &entry) || xs_read_fixed(&entry, 4) != 0)
        return false;
    *cie = (struct cie){0};
    uint64_t version = xs_read_fixed(&entry, 1);
    const uint8_t *name = entry.at;
    while (xs_read_fixed(&entry, 1)) {
    }
    if (entry.is_bad || (version != 1 && version != 3 && version != 4))
        return false;
    if (version == 4)
        xs_read_fixed(&entry, 2); /* sizes of an address and of a segment selector */
    cie->code_align = xs_read_uleb(&entry);
    cie->data_align = xs_read_sleb(&entry);
    uint64_t return_register = version == 1 ? xs_read_fixed(&entry, 1) : xs_read_uleb(&entry);
    cie->has_augmentation = *name == 'z';
    cie->instructions = entry;
    if (cie->has_augmentation) {
        uint64_t bytes = xs_read_uleb(&entry);
        cie->instructions = entry;
        xs_skip(&cie->instructions, bytes);
    }
    for (const uint8_t *c = name + cie->has_augmentation; *c; c++) {
        if (*c == 'R') {
            cie->pointer_encoding = (uint8_t)xs_read_fixed(&entry, 1);
        } else if (*c == 'P') {
            uint8_t encoding = (uint8_t)xs_read_fixed(&entry, 1);
            xs_read_encoded(&entry, encoding, 0);
        } else if (*c == 'L') {
            xs_read_fixed(&entry, 1);
        } else if (*c == 'S') {
            cie->is_signal = true;
        } else {
            return false;
        }
    }
    return !entry.is_bad && !cie->instructions.is_bad && return_register == XS_DWARF_RIP;
}

struct program {
    struct xs_cfi_row row, initial;
    struct xs_cfi_row remembered[REMEMBERED_MAX];
    unsigned depth;
    uint64_t location;
};

static struct xs_expression read_expression(struct xs_cursor *in) {
    struct xs_expression e = {0};
    uint64_t bytes = xs_read_uleb(in);
    e.code = in->at;
    xs_skip(in, bytes);
    e.end = in->at;
    return e;
}

/* Sets a rule for a register that the walk follows; instructions for other registers are read and ignored. Returns
 * true, as do the functions below that have run an instruction. */
static bool set_rule(struct program *p, uint64_t number, struct xs_register_rule rule) {
    if (number == XS_DWARF_RBP)
        p->row.rbp = rule;
    else if (number == XS_DWARF_RIP)
        p->row.rip = rule;
    return true;
}

static bool restore_rule(struct program *p, uint64_t number) {
    return set_rule(p, number, number == XS_DWARF_RBP ? p->initial.rbp : p->initial.rip);
}

static bool set_offset_rule(struct program *p, uint64_t number, int64_t offset, bool is_in_memory) {
    return set_rule(
        p, number,
        (struct xs_register_rule){.kind = is_in_memory ? XS_RULE_AT_CFA : XS_RULE_CFA_PLUS, .offset = offset});
}

static bool set_expression_rule(struct program *p, uint64_t number, struct xs_cursor *in, bool is_in_memory) {
    return set_rule(p, number,
                    (struct xs_register_rule){.kind = is_in_memory ? XS_RULE_AT_EXPRESSION : XS_RULE_EXPRESSION,
                                              .expression = read_expression(in)});
}

static bool run_cfa_instruction(struct program *p, uint8_t op, struct xs_cursor *in, int64_t data_align) {
    struct xs_cfi_row *row = &p->row;
    switch (op) {
    case DW_CFA_def_cfa:
    case DW_CFA_def_cfa_sf:
        row->cfa_register = xs_read_uleb(in);
        row->is_cfa_expression = false;
        break;
    case DW_CFA_def_cfa_register:
        row->cfa_register = xs_read_uleb(in);
        row->is_cfa_expression = false;
        return true;
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
        break;
    case DW_CFA_def_cfa_expression:
        row->cfa = read_expression(in);
        row->is_cfa_expression = true;
        return true;
    default:
        return false;
    }
    bool is_signed = op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_offset_sf;
    row->cfa_offset =
        is_signed ? (int64_t)((uint64_t)xs_read_sleb(in) * (uint64_t)data_align) : (int64_t)xs_read_uleb(in);
    return true;
}

static bool run_register_instruction(struct program *p, uint8_t op, struct xs_cursor *in, int64_t data_align) {
    uint64_t align = (uint64_t)data_align, number = xs_read_uleb(in);
    switch (op) {
    case DW_CFA_offset_extended:
        return set_offset_rule(p, number, (int64_t)(xs_read_uleb(in) * align), true);
    case DW_CFA_offset_extended_sf:
        return set_offset_rule(p, number, (int64_t)((uint64_t)xs_read_sleb(in) * align), true);
    case DW_CFA_GNU_negative_offset_extended:
        return set_offset_rule(p, number, (int64_t)(0 - xs_read_uleb(in) * align), true);
    case DW_CFA_val_offset:
        return set_offset_rule(p, number, (int64_t)(xs_read_uleb(in) * align), false);
    case DW_CFA_val_offset_sf:
        return set_offset_rule(p, number, (int64_t)((uint64_t)xs_read_sleb(in) * align), false);
    case DW_CFA_expression:
        return set_expression_rule(p, number, in, true);
    case DW_CFA_val_expression:
        return set_expression_rule(p, number, in, false);
    case DW_CFA_restore_extended:
        return restore_rule(p, number);
    case DW_CFA_undefined:
        return set_rule(p, number, (struct xs_register_rule){.kind = XS_RULE_UNDEFINED});
    case DW_CFA_same_value:
        return set_rule(p, number, (struct xs_register_rule){.kind = XS_RULE_SAME});
    case DW_CFA_register:
        xs_read_uleb(in);
        return set_rule(p, number, (struct xs_register_rule){.kind = XS_RULE_OTHER});
    default:
        return false;
    }
}

/* Runs an instruction that saves or restores the whole state, as epilogues in the middle of a function need. */
static bool run_state_instruction(struct program *p, uint8_t op, struct xs_cursor *in) {
    switch (op) {
    case DW_CFA_nop:
        return true;
    case DW_CFA_GNU_args_size:
        xs_read_uleb(in);
        return true;
    case DW_CFA_remember_state:
        if (p->depth == REMEMBERED_MAX)
            return false;
        p->remembered[p->depth++] = p->row;
        return true;
    case DW_CFA_restore_state:
        if (p->depth == 0)
            return false;
        p->row = p->remembered[--p->depth];
        return true;
    default:
        return false;
    }
}

/* Runs an instruction that advances the location. False: the instruction is of another kind. */
static bool run_advance(struct program *p, uint8_t op, struct xs_cursor *in, const struct cie *cie) {
    switch (op) {
    case DW_CFA_set_loc:
        p->location = xs_read_encoded(in, cie->pointer_encoding, 0);
        return true;
    case DW_CFA_advance_loc1:
        p->location += xs_read_fixed(in, 1) * cie->code_align;
        return true;
    case DW_CFA_advance_loc2:
        p->location += xs_read_fixed(in, 2) * cie->code_align;
        return true;
    case DW_CFA_advance_loc4:
        p->location += xs_read_fixed(in, 4) * cie->code_align;
        return true;
    default:
        if ((op & 0xc0) == DW_CFA_advance_loc) {
            p->location += (op & 0x3fu) * cie->code_align;
            return true;
        }
        return false;
    }
}

static bool run(struct program *p, struct xs_cursor in, const struct cie *cie, uint64_t address) {
    while (in.at < in.end && !in.is_bad) {
        uint8_t op = (uint8_t)xs_read_fixed(&in, 1);
        uint64_t number = op & 0x3f;
        if (run_advance(p, op, &in, cie)) {
            if (p->location > address)
                break;
        } else if ((op & 0xc0) == DW_CFA_offset) {
            set_offset_rule(p, number, (int64_t)(xs_read_uleb(&in) * (uint64_t)cie->data_align), true);
        } else if ((op & 0xc0) == DW_CFA_restore) {
            restore_rule(p, number);
        } else if (!run_state_instruction(p, op, &in) && !run_cfa_instruction(p, op, &in, cie->data_align) &&
                   !run_register_instruction(p, op, &in, cie->data_align)) {
            return false;
        }
    }
    return !in.is_bad;
}

static bool read_fde(struct xs_cursor in, const struct xs_cursor *readable, uint64_t address, struct xs_cfi_row *row) {
    struct xs_cursor fde;
    struct cie cie;
    if (!read_entry(&in, &fde))
        return false;
    const uint8_t *here = fde.at;
    uint64_t back = xs_read_fixed(&fde, 4);
    struct xs_cursor at_cie = *readable;
    if (back == 0 || back > (uint64_t)(here - readable->at))
        return false;
    at_cie.at = here - back;
    if (!read_cie(at_cie, &cie))
        return false;
    uint64_t start = xs_read_encoded(&fde, cie.pointer_encoding, 0);
    uint64_t bytes = xs_read_encoded(&fde, cie.pointer_encoding & DW_EH_PE_format, 0);
    if (cie.has_augmentation)
        xs_skip(&fde, xs_read_uleb(&fde));
    if (fde.is_bad || address < start || address - start >= bytes)
        return false;
    struct program p = {.location = start, .row.cfa_register = UINT64_MAX};
    if (!run(&p, cie.instructions, &cie, UINT64_MAX))
        return false;
    p.initial = p.row;
    p.location = start;
    if (!run(&p, fde, &cie, address))
        return false;
    *row = p.row;
    row->is_signal = cie.is_signal;
    return true;
}

/* Finds the last entry of the sorted table whose start is not after the address. An entry has the start of a function
 * and the address of its FDE, which *description gets. */
static bool search(struct xs_cursor table, uint64_t count, uint64_t base, uint64_t address, uint64_t *description) {
    const uint8_t *pairs = table.at;
    int32_t pair[2];
    uint64_t low = 0, high = count;
    if (count > (uint64_t)(table.end - table.at) / sizeof pair)
        return false;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        memcpy(pair, pairs + middle * sizeof pair, sizeof pair);
        if (base + (uint64_t)(int64_t)pair[0] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    memcpy(pair, pairs + (low - 1) * sizeof pair, sizeof pair);
    *description = base + (uint64_t)(int64_t)pair[1];
    return true;
}

// NOLINTBEGIN(performance-no-int-to-ptr): the loader's addresses
bool xs_tables_find(const struct xs_module *module, uint64_t address, struct xs_cfi_row *row) {
    if (!module->index)
        return false;
    struct xs_cursor readable = {.at = (const uint8_t *)module->readable_start,
                                 .end = (const uint8_t *)module->readable_end};
    struct xs_cursor in = readable;
    in.at = (const uint8_t *)module->index;
    uint64_t version = xs_read_fixed(&in, 1);
    uint8_t frame_encoding = (uint8_t)xs_read_fixed(&in, 1), count_encoding = (uint8_t)xs_read_fixed(&in, 1);
    uint64_t table_encoding = xs_read_fixed(&in, 1);
    xs_read_encoded(&in, frame_encoding, module->index);
    uint64_t count = xs_read_encoded(&in, count_encoding, module->index), description;
    if (in.is_bad || version != 1 || table_encoding != INDEX_TABLE_ENCODING ||
        !search(in, count, module->index, address, &description) || description < module->readable_start ||
        description >= module->readable_end)
        return false;
    in.at = (const uint8_t *)description;
    return read_fde(in, &readable, address, row);
}
// NOLINTEND(performance-no-int-to-ptr)
