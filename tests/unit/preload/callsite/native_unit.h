/* What the tests of native stacks share: a wrapper's way of calling the walk, chains of frames of all kinds, and the
 * modules that were defined. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_NATIVE_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_NATIVE_UNIT_H

#include "unit.h"

#include "preload/callsite/native.h"

enum { SEEN_MAX = 512, MODULES_SEEN_MAX = 4096 };

/* As a wrapper does it. Built with frame pointers. */
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

/* The caller's stack, seen by every unwinder and by glibc's backtrace. Indexed by enum xs_unwinder; glibc's in the
 * place of XS_UNWIND_NONE. */
struct seen {
    struct walked by[XS_UNWIND_DWARF + 1];
};
void see(struct seen *seen);

/* One unwinder alone, limited; with another frame pointer than it has. */
void walk(enum xs_unwinder how, unsigned limit, struct walked *walked);
void walk_with_fp(enum xs_unwinder how, uint64_t fp, struct walked *walked);

/* Do AUTO and DWARF have every frame that backtrace has, and say so? Prints the difference. */
bool is_as_backtrace(const struct seen *seen);
/* The same but that a walk may be cut, as it has to say. */
bool is_beginning_of_backtrace(const struct seen *seen);

/* native_chain.c: calls `f` at the end of `depth` + 1 calls, by functions of the `kinds` in turn. */
enum chain_kind { CHAIN_PLAIN = 1, CHAIN_ANY_SIZE = 2, CHAIN_ALIGNED = 4, CHAIN_LARGE = 8, CHAIN_ALL = 15 };
void chain_with_fp(unsigned depth, unsigned kinds, void (*f)(void *), void *arg);
void chain_without_fp(unsigned depth, unsigned kinds, void (*f)(void *), void *arg);

/* What xs_define was told, by number. */
struct module_seen {
    unsigned times;
    struct xs_define_module definition;
    unsigned char build_id[64];
    char path[4096];
};
extern struct module_seen modules_seen[MODULES_SEEN_MAX];
extern bool is_definition_refused;

#endif
