/* Calls from the core to the layers above it. */
#ifndef XFERSPY_PRELOAD_CORE_HOOKS_H
#define XFERSPY_PRELOAD_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* A constant, not registered at run time: a library loaded before this one may call CUDA in its constructor, which runs
 * before any constructor of ours. Defined once, in session/session.c; a test that links parts of the core defines its
 * own. */
struct xs_hooks {
    /* Reports a call of row `row` in state XS_STATE_IDLE, outside the guard. True: record the call. Either a session
     * exists now; or the state is still XS_STATE_IDLE, because a session has begun and its trace is made in parallel to
     * this very call. Then finish_session is called when the call is over, or before it if another thread has already
     * given up the start. Any application thread. */
    bool (*start_session)(unsigned row);
    /* Waits for the start that start_session began. True: the session exists. Called by the same thread, guarded. */
    bool (*finish_session)(void);
    /* Takes a place on the calling thread's own stack that held a function's return address. True: that function is
     * certainly gone, because the present one was not called from it. A NULL hook: nobody can tell. */
    bool (*is_gone)(uintptr_t return_address_at);
    /* The program opened or closed a window (core/asked_window.h). Any application thread. */
    void (*window_asked)(void);
};
extern const struct xs_hooks xs_hooks;

#endif
