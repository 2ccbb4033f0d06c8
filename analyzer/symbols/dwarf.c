/* Reads debug information with elfutils' libdw; see dwarf.h. libdw's own look-up of the scopes of an address walks a
 * compile unit from its beginning each time. Here the functions of a unit are listed once, and only the blocks of one
 * function are walked. */
#include "analyzer/symbols/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/symbols/binary.h"

/* Limits that no real program reaches; a damaged file could have any number. */
enum { NESTING_MAX = 64, INLINED_MAX = 128, RANGES_MAX = 100000, OVERLAPPING_MAX = 16, NOTHING_AROUND = INT32_MAX };

struct range {
    uint64_t start, end;
    Dwarf_Die die;
};

struct ranges {
    struct range *items;
    size_t count, capacity;
};

struct unit {
    Dwarf_Off offset;
    struct ranges functions;
    bool listed;
};

struct xs_dwarf {
    Dwarf *dwarf, *alternate;
    struct xs_elf_file alternate_file;
    struct ranges units;
    struct unit *listed; /* the unit whose functions are listed */
    size_t listed_count;
};

static void add_ranges(struct ranges *ranges, Dwarf_Die *die) {
    Dwarf_Addr base = 0, start, end;
    ptrdiff_t offset = 0;
    for (int i = 0; i < RANGES_MAX && (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0; i++) {
        if (!start || end <= start) /* the linker removed this code */
            continue;
        xs_grow(&ranges->items, ranges->count, &ranges->capacity, sizeof *ranges->items);
        ranges->items[ranges->count++] = (struct range){start, end, *die};
    }
}

static int by_start(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    return xs_compare_uint64(x->start, y->start) ?: xs_compare_uint64(y->end, x->end);
}

static bool begins_by(const void *range, const void *address) {
    return ((const struct range *)range)->start <= *(const uint64_t *)address;
}

/* Returns the innermost range that contains the address. Ranges hardly ever overlap, so a few steps back suffice. */
static struct range *find(const struct ranges *ranges, uint64_t address) {
    size_t begun = xs_search(ranges->items, ranges->count, sizeof *ranges->items, begins_by, &address);
    for (size_t i = begun; i > 0 && begun - i < OVERLAPPING_MAX; i--)
        if (address < ranges->items[i - 1].end)
            return &ranges->items[i - 1];
    return NULL;
}

/* Steps to the sibling. In a damaged file a sibling may lie before the entry, which would make an endless loop. */
static bool next(Dwarf_Die *die) {
    Dwarf_Die sibling;
    if (dwarf_siblingof(die, &sibling) != 0 || dwarf_dieoffset(&sibling) <= dwarf_dieoffset(die))
        return false;
    *die = sibling;
    return true;
}

static void list_functions(struct ranges *functions, Dwarf_Die *parent, unsigned nesting) {
    Dwarf_Die die;
    if (nesting > NESTING_MAX || dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            add_ranges(functions, &die);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type: /* Rust's enumerations have methods */
            list_functions(functions, &die, nesting + 1);
            break;
        default:
            break;
        }
    } while (next(&die));
}

static struct ranges *functions_of(struct xs_dwarf *dwarf, Dwarf_Die *unit_die) {
    Dwarf_Off offset = dwarf_dieoffset(unit_die);
    for (size_t i = 0; i < dwarf->listed_count; i++)
        if (dwarf->listed[i].offset == offset)
            return &dwarf->listed[i].functions;
    dwarf->listed = xs_realloc(dwarf->listed, (dwarf->listed_count + 1) * sizeof *dwarf->listed);
    struct unit *unit = &dwarf->listed[dwarf->listed_count++];
    *unit = (struct unit){.offset = offset};
    list_functions(&unit->functions, unit_die, 0);
    xs_sort(unit->functions.items, unit->functions.count, sizeof(struct range), by_start);
    return &unit->functions;
}

/* Opens dwz's file with the parts that several debug files share. Without this file the debug information has gaps, and
 * libdw would search the file itself and open any file of that name. */
static bool open_alternate(struct xs_dwarf *dwarf, const struct xs_elf_file *file) {
    const char *name = NULL;
    const void *bytes = NULL;
    char id[XS_BUILD_ID_HEX];
    ssize_t count = dwelf_dwarf_gnu_debugaltlink(dwarf->dwarf, &name, &bytes);
    if (count == 0)
        return true;
    if (count < 2 || !file->path || !xs_build_id_hex(bytes, count, id))
        return false;
    if (!xs_binary_find_alternate(file, name, id, &dwarf->alternate_file))
        return false;
    dwarf->alternate = dwarf_begin_elf(dwarf->alternate_file.elf, DWARF_C_READ, NULL);
    if (dwarf->alternate)
        dwarf_setalt(dwarf->dwarf, dwarf->alternate);
    return dwarf->alternate != NULL;
}

struct xs_dwarf *xs_dwarf_open(const struct xs_elf_file *file) {
    struct xs_dwarf *dwarf = xs_realloc(NULL, sizeof *dwarf);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    *dwarf = (struct xs_dwarf){.dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL)};
    if (!dwarf->dwarf || !open_alternate(dwarf, file)) {
        xs_dwarf_close(dwarf);
        return NULL;
    }
    while (dwarf_get_units(dwarf->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        if (dwarf_tag(&die) == DW_TAG_compile_unit || dwarf_tag(&die) == DW_TAG_skeleton_unit)
            add_ranges(&dwarf->units, &die);
    xs_sort(dwarf->units.items, dwarf->units.count, sizeof(struct range), by_start);
    return dwarf;
}

void xs_dwarf_close(struct xs_dwarf *dwarf) {
    if (!dwarf)
        return;
    for (size_t i = 0; i < dwarf->listed_count; i++)
        free(dwarf->listed[i].functions.items);
    free(dwarf->listed);
    free(dwarf->units.items);
    dwarf_end(dwarf->dwarf);
    dwarf_end(dwarf->alternate);
    xs_elf_close(&dwarf->alternate_file);
    free(dwarf);
}

/* Fills `calls` with the function itself and then the inlined calls that contain the address, outermost first. Returns
 * the number of entries. */
static unsigned inlined_calls(Dwarf_Die *function, uint64_t address, Dwarf_Die *calls) {
    unsigned count = 1, blocks = 0;
    Dwarf_Die die;
    calls[0] = *function;
    bool found = dwarf_child(function, &die) == 0;
    while (found && count < INLINED_MAX && blocks++ < 4 * INLINED_MAX) {
        found = false;
        do {
            int tag = dwarf_tag(&die);
            bool block = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
            if ((block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&die, address) > 0) {
                if (!block)
                    calls[count++] = die;
                Dwarf_Die inner;
                found = dwarf_child(&die, &inner) == 0;
                die = inner;
                break;
            }
        } while (next(&die));
    }
    return count;
}

static const char *text_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    const char *text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
    return text && *text ? text : NULL;
}

/* Returns the mangled name of a function. `symbol` is its name in the symbol table; NULL for an inlined function.
 * Compilers leave the mangled names of lambdas and of functions in anonymous namespaces out of the debug information,
 * but the symbol table has these names. */
static const char *name_of(Dwarf_Die *die, const char *symbol) {
    const char *name = text_of(die, DW_AT_linkage_name);
    if (!name)
        name = text_of(die, DW_AT_MIPS_linkage_name);
    if (!name && symbol && (!strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2)))
        name = symbol;
    if (!name)
        name = text_of(die, DW_AT_name);
    return name ? name : symbol;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    bool known = dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 && value <= INT32_MAX;
    return known ? (uint32_t)value : 0;
}

/* Finds the entry that all copies of a function share. Returns its offset; 0: not known. */
static Dwarf_Off origin_of(Dwarf_Die *die, Dwarf_Die *origin) {
    Dwarf_Attribute attribute;
    if (!dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), origin))
        return 0;
    return dwarf_dieoffset(origin);
}

/* True if an inlined call is the rest of the function around it. Compilers split functions: the test at the beginning
 * becomes a function that calls the rest. If both are inlined, the call's line is the line of the function itself; a
 * recursive call has a later line. */
static bool is_rest(Dwarf_Die *call, Dwarf_Die *around) {
    Dwarf_Die origin, same;
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0;
    Dwarf_Off offset = origin_of(call, &origin);
    if (!offset || origin_of(around, &same) != offset)
        return false;
    uint32_t called = number_of(call, DW_AT_call_line);
    return !called ||
           (dwarf_formudata(dwarf_attr_integrate(&origin, DW_AT_decl_line, &attribute), &line) == 0 && line == called);
}

/* Finds, in a block of code, the call that returns to `address` + 1. */
static bool find_call(Dwarf_Die *block, uint64_t address, unsigned nesting, Dwarf_Die *call) {
    Dwarf_Die die;
    Dwarf_Attribute attribute;
    Dwarf_Addr behind;
    if (nesting > NESTING_MAX || dwarf_child(block, &die) != 0)
        return false;
    do {
        int tag = dwarf_tag(&die);
        unsigned returns = tag == DW_TAG_call_site ? DW_AT_call_return_pc : DW_AT_low_pc;
        if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
            dwarf_formaddr(dwarf_attr(&die, returns, &attribute), &behind) == 0 && behind == address + 1) {
            *call = die;
            return true;
        }
        if (tag == DW_TAG_lexical_block && dwarf_haspc(&die, address) > 0)
            return find_call(&die, address, nesting + 1, call);
    } while (next(&die));
    return false;
}

bool xs_dwarf_calls_itself(struct xs_dwarf *dwarf, uint64_t address, uint64_t *start, uint64_t *end) {
    Dwarf_Die calls[INLINED_MAX], call, callee, origin, same;
    Dwarf_Attribute attribute;
    struct range *unit = find(&dwarf->units, address);
    struct range *function = unit ? find(functions_of(dwarf, &unit->die), address) : NULL;
    unsigned count = function ? inlined_calls(&function->die, address, calls) : 0;
    if (count < 2 || !find_call(&calls[count - 1], address, 0, &call))
        return false;
    unsigned name = dwarf_tag(&call) == DW_TAG_call_site ? DW_AT_call_origin : DW_AT_abstract_origin;
    if (!dwarf_formref_die(dwarf_attr(&call, name, &attribute), &callee))
        return false;
    Dwarf_Off offset = origin_of(&callee, &origin);
    return offset && offset == origin_of(&calls[count - 1], &same) && dwarf_lowpc(&callee, start) == 0 &&
           dwarf_highpc(&callee, end) == 0;
}

/* Sets file and line to where calls[i] is called, and returns the index of the function that contains this line. The
 * beginning and the rest of a split function count as one function. NOTHING_AROUND: calls[i] is the function itself,
 * which nothing contains. */
static unsigned step_out(Dwarf_Die *unit, Dwarf_Die *calls, unsigned i, const char **file, int *line) {
    Dwarf_Files *files = NULL;
    size_t file_count = 0;
    while (i && is_rest(&calls[i], &calls[i - 1]))
        i--;
    if (!i)
        return NOTHING_AROUND;
    if (dwarf_getsrcfiles(unit, &files, &file_count) != 0)
        file_count = 0;
    uint32_t number = number_of(&calls[i], DW_AT_call_file);
    *file = number < file_count ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
    if (*file && !strcmp(*file, "???")) /* file number 0, which means "no file" before DWARF 5 and a real file since */
        *file = NULL;
    *line = (int)number_of(&calls[i], DW_AT_call_line);
    return i - 1;
}

unsigned xs_dwarf_find(struct xs_dwarf *dwarf, uint64_t address, size_t index, const char *fallback, bool is_split,
                       xs_symbol_sink *sink, void *data) {
    Dwarf_Die calls[INLINED_MAX];
    struct range *unit = find(&dwarf->units, address);
    if (!unit)
        return 0;
    Dwarf_Line *row = dwarf_getsrc_die(&unit->die, address);
    const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    int line = 0;
    if (row && (dwarf_lineno(row, &line) != 0 || line < 0))
        line = 0;
    struct range *function = find(functions_of(dwarf, &unit->die), address);
    unsigned count = function ? inlined_calls(&function->die, address, calls) : 0, depth = 0;
    if (!count) {
        if (!file)
            return 0;
        sink(data, index, 0, fallback, file, (uint32_t)line);
        return 1;
    }
    unsigned i = count - 1, around = is_split ? step_out(&unit->die, calls, i, &file, &line) : NOTHING_AROUND;
    if (around != NOTHING_AROUND)
        i = around;
    for (;; i = around) {
        sink(data, index, depth++, name_of(&calls[i], i ? NULL : fallback), file, (uint32_t)line);
        around = step_out(&unit->die, calls, i, &file, &line);
        if (around == NOTHING_AROUND)
            return depth;
    }
}
