/* These hooks let the core call the layers above it. */
#ifndef XFERSPY_PRELOAD_CORE_HOOKS_H
#define XFERSPY_PRELOAD_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* The hooks are a constant and are not registered at run time, because a library loaded before this one may call CUDA
 * in its constructor, which runs before any constructor of xferspy. Defined once, in session/session.c; a test that
 * links parts of the core defines its own. */
struct xs_hooks {
    /* Called when the entry point `row` is called in state XS_STATE_IDLE and the guard is not raised. True: the call
     * has to be recorded. Then either a session exists now, or the state is still XS_STATE_IDLE because a session has
     * begun and its trace is being made in parallel to this call. In the second case finish_session is called when the
     * call is over, or before the call if another thread has already abandoned the start. Any application thread. */
    bool (*start_session)(unsigned row);
    /* Waits until the start that start_session began is over. True: the session exists. Called by the thread that
     * called start_session, with its guard raised. */
    bool (*finish_session)(void);
    /* Takes the address, on the calling thread's own stack, where a function's return address lay. True: that function
     * certainly no longer exists, because it is not among the callers of the present function. If the hook is NULL,
     * this is never known. */
    bool (*is_gone)(uintptr_t return_address_at);
    /* Called when the program has opened or closed a window (core/asked_window.h). Any application thread. */
    void (*window_asked)(void);
};
extern const struct xs_hooks xs_hooks;

#endif
