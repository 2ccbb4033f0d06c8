/* A call site tells from where a call was made. It consists of the native and the Python call stack of the calling
 * thread, which together have one number, and of the open NVTX range. Stacks are taken before the real call. */
#ifndef XFERSPY_PRELOAD_CALLSITE_CALLSITE_H
#define XFERSPY_PRELOAD_CALLSITE_CALLSITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/callsite/native.h"
#include "preload/callsite/python.h"
#include "preload/core/thread.h"

/* Sets how stacks are walked. `mode` is the value of the option: auto, fp, dwarf or none. At most `depth` native frames
 * and `depth` Python frames of a stack are kept. This function is called once, before the first event is recorded. */
void xs_callsite_start(const char *mode, unsigned depth);

extern _Atomic bool xs_callsite_on;

/* Writes the stack and the NVTX range into an event that was begun. If the stack is new, it is defined in the trace
 * (xs_define), and the event moves to a new address after the definition. Returns the event's address. `*own` gets the
 * number of the stack that consists of the calling thread's own frames (xs_callsite_number). The stack in the event has
 * another number if it contains Python frames of another thread. This function is called only between xs_begin and
 * xs_end. */
struct xs_event *xs_callsite_take(struct xs_event *e, struct xs_caller caller, uint32_t *own);

/* Does what xs_callsite_take does for a launch, but at most once in 10 ms for each thread. The time that this takes is
 * counted exactly (xs_own_cost_work_begin). After launches have defined 1000 new stacks, a launch gets a stack only if
 * the stack is already defined. */
struct xs_event *xs_callsite_take_launch(struct xs_event *e, struct xs_caller caller);

/* Returns the number of the stack that consists of the calling thread's own frames. Does not define the stack in the
 * trace. 0: stacks are not recorded, no frames were found, or there is no memory. This function is called while the
 * guard is raised. */
uint32_t xs_callsite_number(struct xs_caller caller);

/* Takes the Python stack of another thread while that thread runs, and returns the stack's number. `python` and
 * `pthread` are the fields of that thread's xs_gate_slot. `definer` writes the definition if the stack is new. 0: the
 * thread runs no Python code, stacks are not recorded, the stack cannot be read, or there is no memory. `*is_lost` is
 * true if there was a stack, but it changed during the walk or could not be defined. This function is called only by a
 * thread of the library that takes no other stacks. */
uint32_t xs_callsite_sample(uint64_t python, uint64_t pthread, const struct xs_definer *definer, bool *is_lost);

/* Gives the registers that the caller of a wrapper has when the wrapper returns. XS_CALLER is a macro because it needs
 * the registers of the wrapper that uses it. __builtin_frame_address makes the compiler give the wrapper a frame
 * pointer, which points to the saved frame pointer of the caller. The next word is the return address. On aarch64 it is
 * not known where the caller's frame begins, so the walk follows the frame pointers there. */
#define XS_CALLER                                                                                                      \
    ((struct xs_caller){(uint64_t)(uintptr_t)__builtin_return_address(0),                                              \
                        (uint64_t)(uintptr_t)__builtin_frame_address(0) + 16,                                          \
                        *(const uint64_t *)__builtin_frame_address(0)})

/* True if events get call sites. */
XS_HOT bool xs_callsite_wanted(void) { return atomic_load_explicit(&xs_callsite_on, memory_order_relaxed); }

/* Runs in a forked child. Discards all data about the parent's trace and the parent's other threads. */
void xs_callsite_forget(void);

#endif
