/* Which threads are inside the driver, for tools that must not be attached or detached meanwhile (inside.c). */
#ifndef XS_SIM_INSIDE_H
#define XS_SIM_INSIDE_H

/* Around every exported function; `function` is its name. */
void xs_inside_enter(const char *function);
void xs_inside_leave(void);

/* The driver's side of a change that a tool makes; xs_sim_tools.h says what they mean. */
void xs_change_begin(const char *what);
void xs_change_end(void);

#endif
