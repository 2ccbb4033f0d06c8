/* Which threads are inside the driver, for tools that must not be attached or detached meanwhile (inside.c). */
#ifndef XS_SIM_INSIDE_H
#define XS_SIM_INSIDE_H

struct xs_call;

/* Around every exported function, with its own xs_call. */
void xs_inside_enter(const struct xs_call *call, const char *function);
void xs_inside_leave(const struct xs_call *call);

/* The driver's side of a change that a tool makes; xs_sim_tools.h says what they mean. */
void xs_change_begin(const char *what);
void xs_change_end(void);

#endif
