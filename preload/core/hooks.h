/* Declares hooks, by which the core calls the layers above it. */
#ifndef XFERSPY_PRELOAD_CORE_HOOKS_H
#define XFERSPY_PRELOAD_CORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* The hooks are a constant and are not registered at run time, because a library that is initialized before xferspy may
 * call CUDA in its constructor. session/session.c defines the hooks. A test that links only parts of the core defines
 * its own hooks. */
struct xs_hooks {
    /* Runs when the entry point `row` is called in state XS_STATE_IDLE and the guard is not raised. True: the call
     * has to be recorded. There are then two cases. Either a session exists now, or the state is still XS_STATE_IDLE,
     * because a session has begun and its trace is being made in parallel to this call. In the second case the core
     * calls finish_session when the call is over, or before the call if another thread has meanwhile abandoned the
     * start. Any application thread. */
    bool (*start_session)(unsigned row);
    /* Waits until the session that start_session began has started, or has failed to start. True: the session exists.
     * The thread that called start_session calls this hook, with its guard raised. */
    bool (*finish_session)(void);
    /* True: a function has certainly returned or was left by a jump, because it is not among the callers of the present
     * function. `return_address_at` is the address on the calling thread's own stack where the function's return
     * address lay. If the hook is NULL, the core does not have this information. */
    bool (*is_gone)(uintptr_t return_address_at);
    /* Runs when a window was opened or closed (core/asked_window.h). Any application thread, or the thread that serves
     * commands (session/control.h). */
    void (*window_asked)(void);
    /* Runs when a call of the calling thread has broken a rule (core/guard_rules.h), and the thread has left all code
     * of the library and the driver. Does not return if the program has to end. */
    void (*rule_broken)(void);
};
extern const struct xs_hooks xs_hooks;

#endif
