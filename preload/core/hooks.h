/* The calls that the core makes to what lies above it. */
#ifndef XFERSPY_PRELOAD_CORE_HOOKS_H
#define XFERSPY_PRELOAD_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* A constant, not something that is registered at run time: a library that was loaded before this one may call CUDA in
 * its constructor, which runs before any constructor of ours. Defined once, in session/session.c; a test that links
 * parts of the core defines its own. */
struct xs_hooks {
    /* A call of row `row` was made while the state is XS_STATE_IDLE, outside of the guard. True: the call is to be
     * recorded, because a session is there now, or, where the state still is XS_STATE_IDLE, because one has begun whose
     * trace is made beside this very call: finish_session is called when the call is over, or
     * before it where another thread has given the start up already. Any thread of the application. */
    bool (*start_session)(unsigned row);
    /* Waits for what start_session has begun. True: the session is there. The same thread, guarded. */
    bool (*finish_session)(void);
    /* The calling thread, and a place on its own stack where the return address of a function was. True: that function
     * is certainly gone, because the present one was not called from it. NULL: nobody can tell. */
    bool (*is_gone)(uintptr_t return_address_at);
    /* The program has opened or closed a window (core/asked_window.h). Any thread of the application. */
    void (*window_asked)(void);
};
extern const struct xs_hooks xs_hooks;

#endif
