/* Declares what the files callsites*.c share; all other files include callsites.h. */
#ifndef XFERSPY_ANALYZER_TRACE_CALLSITES_INTERNAL_H
#define XFERSPY_ANALYZER_TRACE_CALLSITES_INTERNAL_H

#include "analyzer/base/hash.h"
#include "analyzer/base/interned.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/trace/callsites.h"

struct xs_callsite_module {
    int64_t id;
    const char *path, *build_id; /* build_id is NULL if the run found no build id */
    uint64_t load_bias;
    bool library, glue;
    enum xs_binary_status status; /* the result of reading its symbols; set when they are read */
};

struct xs_callsite_code {
    const char *file, *function;
    bool library;
};

/* One address of one module; any number of stacks may have it. */
struct xs_callsite_address {
    uint64_t address; /* offset in the module's file; address in memory if it lies in no module */
    uint32_t module;  /* index in `modules`; UINT32_MAX: none */
    uint32_t first,
        frames;   /* the address's frames in `frames`: index of the first, and their number; 0 frames: not yet known */
    uint8_t role; /* enum xs_native_role */
    bool stored;  /* the trace's table `symbol` has this address */
    bool looks_again; /* the trace has no line for it; binaries in the folders that the user named are searched for
                       * the line */
};

struct xs_callsite_stack {
    int64_t id;
    uint64_t first; /* index in `parts` of its first native frame; its Python frames follow its native frames */
    uint16_t natives, pythons;
    bool cut;
    uint8_t of; /* enum xs_frame_of: the thread that its Python frames belong to */
    uint32_t place;
    struct xs_frame *merged; /* the stack's frames, built by the first call of xs_callsites_frames; NULL before */
    size_t merged_count;
};

struct xs_callsite_range {
    int64_t parent;
    const char *name;
    char *full; /* the name, preceded by the names of the ranges around it; built by the first call of
                 * xs_callsites_range; NULL before */
};

struct xs_callsites {
    const struct xs_trace *trace;
    uint64_t damaged; /* number of rows with impossible values */
    struct xs_texts texts;
    struct xs_callsite_module *modules;
    struct xs_callsite_code *codes;
    struct xs_callsite_address *addresses;
    struct xs_callsite_stack *stacks;
    struct xs_callsite_range *ranges;
    uint32_t module_count, code_count, address_count, stack_count, range_count;
    size_t module_capacity, code_capacity, address_capacity, stack_capacity, range_capacity;
    struct xs_hash module_by_id, code_by_id, address_by_key, stack_by_id,
        range_by_id;              /* these map an id, or a module and an address, to an index + 1 */
    struct xs_hash python_by_key; /* maps a Python code object and a line to the index of their frame + 1 */
    struct xs_frame *frames;      /* the frames of native addresses, innermost first, and of Python's code objects and
                                   * lines */
    size_t frame_count, frame_capacity;
    uint32_t *parts; /* for a native frame, its index in `addresses`; for a Python frame, its index in `frames`,
                      * perhaps with XS_PART_ENTRY added */
    size_t part_count, part_capacity;
    struct xs_frame *places; /* item i is the frame of place i + 1 */
    uint32_t place_count;
    size_t place_capacity;
    struct xs_hash place_by_key;
    char **notes;
    size_t note_count, note_capacity;
};

#define XS_PART_ENTRY 0x80000000u
enum { XS_STACK_FRAMES_MAX = 4096 };

/* Does what xs_callsites_open does. If `stored` is false, the trace's table `symbol` is not used. */
int xs_callsites_open_with(const struct xs_trace *trace, bool stored, struct xs_callsites **callsites, char *message);

int xs_callsites_read(struct xs_callsites *callsites, bool stored, char *message);
void xs_callsites_resolve(struct xs_callsites *callsites);

/* Adds a frame to an address. The frames of one address must be added one after the other, innermost first. */
void xs_callsites_add_frame(struct xs_callsites *callsites, uint32_t address, const char *function, const char *file,
                            uint32_t line);

/* Adds a note. xs_callsites_close frees it. */
void xs_callsites_add_note(struct xs_callsites *callsites, char *note);

#endif
