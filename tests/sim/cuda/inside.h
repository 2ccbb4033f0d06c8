/* Tracks which threads are inside the driver, because a tool must not be attached or detached while a thread is inside
 * (inside.c). */
#ifndef XS_SIM_INSIDE_H
#define XS_SIM_INSIDE_H

/* Every exported function begins with xs_inside_enter and ends with xs_inside_leave. `function` is its name, and `call`
 * is the address of its description on the stack. *outer gets the function in which the thread already is, if a
 * callback or a signal handler made the call inside another function. */
struct xs_inside {
    const char *function;
    const void *call;
};
void xs_inside_enter(const char *function, const void *call, struct xs_inside *outer);
void xs_inside_leave(const struct xs_inside *outer);

/* These implement change_begin and change_end of struct xs_sim_driver, which xs_sim_tools.h explains. */
void xs_change_begin(const char *what);
void xs_change_end(void);

#endif
