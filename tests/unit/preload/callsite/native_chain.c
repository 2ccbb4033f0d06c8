/* Functions with frames of all kinds that call each other. Built twice: CHAIN is the name, with and without frame
 * pointers. */
#include <string.h>

#include "native_unit.h"

struct journey {
    unsigned kinds;
    void (*f)(void *);
    void *arg;
};
typedef void step(unsigned depth, const struct journey *journey);
static step plain, of_any_size, aligned, large;

static void go_on(unsigned depth, const struct journey *journey, step **next) {
    static step *const steps[] = {plain, of_any_size, aligned, large};
    unsigned kind = depth;
    do {
        kind++;
    } while (!(journey->kinds & 1u << kind % COUNT_OF(steps)));
    *next = steps[kind % COUNT_OF(steps)];
}

/* The compiler has to keep it until here. */
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

/* The call is not the last thing that its caller does, because it would become a jump. */
#define CALL_NEXT                                                                                                      \
    do {                                                                                                               \
        step *next;                                                                                                    \
        if (depth == 0) {                                                                                              \
            journey->f(journey->arg);                                                                                  \
        } else {                                                                                                       \
            go_on(depth, journey, &next);                                                                              \
            next(depth - 1, journey);                                                                                  \
        }                                                                                                              \
        KEEP(journey);                                                                                                 \
    } while (0)

__attribute__((noinline)) static void plain(unsigned depth, const struct journey *journey) { CALL_NEXT; }

__attribute__((noinline)) static void of_any_size(unsigned depth, const struct journey *journey) {
    char memory[1000 + depth * 64];
    KEEP(memory);
    CALL_NEXT;
    KEEP(memory);
}

/* A size that is not known and an alignment beyond the stack's own: gcc keeps the old stack pointer in the frame. */
__attribute__((noinline)) static void aligned(unsigned depth, const struct journey *journey) {
    _Alignas(64) char local[64];
    char memory[16 + depth % 7];
    KEEP(local);
    KEEP(memory);
    CALL_NEXT;
    KEEP(local);
}

/* More than a cached rule can hold. */
__attribute__((noinline)) static void large(unsigned depth, const struct journey *journey) {
    char memory[600000];
    KEEP(memory);
    CALL_NEXT;
    KEEP(memory);
}

void CHAIN(unsigned depth, unsigned kinds, void (*f)(void *), void *arg) {
    struct journey journey = {kinds, f, arg};
    step *next;
    go_on(depth, &journey, &next);
    next(depth, &journey);
    KEEP(&journey);
}
