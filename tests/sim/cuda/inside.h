/* Which threads are inside the driver, for tools that must not be attached or detached meanwhile (inside.c). */
#ifndef XS_SIM_INSIDE_H
#define XS_SIM_INSIDE_H

/* Around every exported function; `function` is its name, and `call` where its description lies on the stack. `outer`
 * is for the function that the same thread is in already, because a callback or a signal handler calls from inside. */
struct xs_inside {
    const char *function;
    const void *call;
};
void xs_inside_enter(const char *function, const void *call, struct xs_inside *outer);
void xs_inside_leave(const struct xs_inside *outer);

/* The driver's side of a change that a tool makes; xs_sim_tools.h says what they mean. */
void xs_change_begin(const char *what);
void xs_change_end(void);

#endif
