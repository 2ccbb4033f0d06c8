/* Defines what the tests of native stacks share: calls of the walk in the way of a wrapper, chains of frames of all
 * kinds, and the modules that were defined. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_NATIVE_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_NATIVE_UNIT_H

#include "unit.h"

#include "preload/callsite/native.h"

enum { SEEN_MAX = 512, MODULES_SEEN_MAX = 4096 };

/* The caller's registers, found in the same way as in a wrapper. Needs a build with frame pointers. */
#define CALLER                                                                                                         \
    {                                                                                                                  \
        .pc = (uint64_t)__builtin_return_address(0), .sp = (uint64_t)__builtin_frame_address(0) + 16,                  \
        .fp = *(uint64_t *)__builtin_frame_address(0)                                                                  \
    }

struct walked {
    unsigned count;
    bool is_cut;
    uint64_t pcs[SEEN_MAX];
};

/* The caller's stack, as found by every unwinder and by glibc's backtrace. Indexed by enum xs_unwinder; index
 * XS_UNWIND_NONE has the result of backtrace. */
struct seen {
    struct walked by[XS_UNWIND_DWARF + 1];
};
void see(struct seen *seen);

/* walk runs one unwinder with a limit. walk_with_fp runs one that begins with the frame pointer `fp` instead of the
 * real one. */
void walk(enum xs_unwinder how, unsigned limit, struct walked *walked);
void walk_with_fp(enum xs_unwinder how, uint64_t fp, struct walked *walked);

/* True if AUTO and DWARF found every frame that backtrace found, and reported that nothing is cut. Prints any
 * difference. */
bool is_as_backtrace(const struct seen *seen);
/* Like is_as_backtrace, but a walk may be cut if it reports this. */
bool is_beginning_of_backtrace(const struct seen *seen);

/* These call `f` inside `depth` + 1 nested calls; the functions of the given `kinds` are used one after the other. In
 * native_chain.c. */
enum chain_kind { CHAIN_PLAIN = 1, CHAIN_ANY_SIZE = 2, CHAIN_ALIGNED = 4, CHAIN_LARGE = 8, CHAIN_ALL = 15 };
void chain_with_fp(unsigned depth, unsigned kinds, void (*f)(void *), void *arg);
void chain_without_fp(unsigned depth, unsigned kinds, void (*f)(void *), void *arg);

/* The definitions that were given to xs_define, indexed by number. */
struct module_seen {
    unsigned times;
    struct xs_define_module definition;
    unsigned char build_id[64];
    char path[4096];
};
extern struct module_seen modules_seen[MODULES_SEEN_MAX];
extern bool is_definition_refused;

#endif
