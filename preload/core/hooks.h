/* The two calls that the core makes to what lies above it. */
#ifndef XFERSPY_PRELOAD_CORE_HOOKS_H
#define XFERSPY_PRELOAD_CORE_HOOKS_H

#include <stdbool.h>

/* A constant, not something that is registered at run time: a library that was loaded before this one may call CUDA in
 * its constructor, which runs before any constructor of ours. Defined once, in session/session.c; a test that links
 * parts of the core defines its own. */
struct xs_hooks {
    /* A call of row `row` was made while the state is XS_STATE_IDLE, outside of the guard. True: a session is there
     * now, and the call is to be recorded. Any thread of the application. */
    bool (*start_session)(unsigned row);
    /* The calling thread, which recorded something, ends: gives back what it holds above the core. It may still make
     * calls afterwards, and then this is called again. */
    void (*thread_ends)(void);
};
extern const struct xs_hooks xs_hooks;

#endif
