/* Which ranges there are. A range is a name, a domain and the range around it; each combination that was ever seen
 * has a number, for the life of the process. Any thread and any signal handler may call everything here: no lock, no
 * allocation, one mapping of bounded size, from which nothing is freed. */
#ifndef XFERSPY_PRELOAD_NVTX_RANGES_H
#define XFERSPY_PRELOAD_NVTX_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/core/thread.h"

/* The longest name that is kept. Of a longer one the beginning is kept. */
#define XS_RANGE_NAME_BYTES 255u
/* The limits. When there are more ranges, further ones inside a range are counted as one range "(others)" inside it.
 * When there are more domains, further ones are the last domain, "(others)". */
#define XS_RANGES_MOST 131072u
#define XS_RANGE_NAMES_MOST 65536u
#define XS_RANGE_DOMAINS 128u

/* The number of a name or of a domain. 0: the empty name, or the default domain. */
typedef uint32_t xs_range_name;

/* Call this before anything else in this file; calling it again does nothing. False: there is no memory. */
bool xs_ranges_prepare(void);

/* The number of the name `text`; NULL is the empty name. The number of "(others)" where there is no room for another
 * name. */
xs_range_name xs_range_name_of(const char *text);

/* Converts a name to UTF-8, at most XS_RANGE_NAME_BYTES and cut between two characters. Returns `utf8`. */
const char *xs_range_utf8(const wchar_t *text, char utf8[XS_RANGE_NAME_BYTES + 1]);

/* The handle that an application gets for a name or a domain. Only the default domain's is NULL. The way back gives
 * 0 for anything that is no such handle. */
void *xs_range_name_handle(xs_range_name name);
xs_range_name xs_range_name_by_handle(const void *handle);
void *xs_range_domain_handle(unsigned domain);
unsigned xs_range_domain_by_handle(const void *handle);

/* The domain of this name. The same name always gives the same domain. */
unsigned xs_range_domain(const char *text);

/* The number of the range inside `parent`; a parent of 0 means that nothing is around it. Never 0. */
uint32_t xs_range_number(uint32_t parent, unsigned domain, xs_range_name name);
/* The same for a name as the application gives it. The name is not kept if the range is one of too many. */
uint32_t xs_range_number_of(uint32_t parent, unsigned domain, const char *text);

/* The range with the domain and the name of `number`, but inside `parent`. Of number 0 it is 0. */
uint32_t xs_range_inside(uint32_t parent, uint32_t number);

/* Ranges of this name, in any domain, are those that the user asks for (core/asked_window.h). A # in it is any number,
 * all of its digits: "step 1" and "step 20" are "step #" then, and are kept under that name. */
void xs_range_ask(const char *text);
extern _Atomic xs_range_name xs_range_asked; /* 0: of none */

/* Is the range of this number one of them? Not where it is one of too many and its number is that of "(others)". */
bool xs_range_is_asked(uint32_t number);

/* Defines the range and those around it (xs_define), unless that was done before. */
void xs_range_tell(struct xs_event **e, uint32_t number);

/* For tests: how many bytes were ever mapped. */
size_t xs_ranges_bytes(void);

#endif
