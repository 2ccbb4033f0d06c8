/* The table of ranges. A range is a name, a domain and the range around it; each combination ever seen has a number,
 * for the life of the process. Any thread and any signal handler may call everything here: no lock, no allocation, one
 * mapping of bounded size, from which nothing is freed. */
#ifndef XFERSPY_PRELOAD_NVTX_NVTX_RANGES_H
#define XFERSPY_PRELOAD_NVTX_NVTX_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/core/thread.h"

/* The longest name that is kept. A longer name is cut to this length. */
#define XS_RANGE_NAME_BYTES 255u
/* The limits. If there are more ranges, further ranges inside a range count as one range "(others)" inside it. If there
 * are more domains, further domains count as the last domain, "(others)". */
#define XS_RANGES_MOST 131072u
#define XS_RANGE_NAMES_MOST 65536u
#define XS_RANGE_DOMAINS 128u

/* The number of a name; 0: the empty name. Domains have numbers as well; 0: the default domain. */
typedef uint32_t xs_range_name;

/* Must be called before anything else in this file; a second call does nothing. False: there is no memory. */
bool xs_ranges_prepare(void);

/* Returns the number of the name `text` (NULL: the empty name), or of "(others)" if there is no room for another name.
 */
xs_range_name xs_range_name_of(const char *text);

/* Converts a name to UTF-8, at most XS_RANGE_NAME_BYTES and cut between two characters. Returns `utf8`. */
const char *xs_range_utf8(const wchar_t *text, char utf8[XS_RANGE_NAME_BYTES + 1]);

/* Return the handle that an application gets for a name or a domain; only the default domain's handle is NULL. The
 * reverse functions return 0 for anything that is no such handle. */
void *xs_range_name_handle(xs_range_name name);
xs_range_name xs_range_name_by_handle(const void *handle);
void *xs_range_domain_handle(unsigned domain);
unsigned xs_range_domain_by_handle(const void *handle);

/* Returns the domain of this name. The same name always gives the same domain. */
unsigned xs_range_domain(const char *text);

/* Returns the number of the range inside `parent`; a parent of 0: no range is around it. Never 0. */
uint32_t xs_range_number(uint32_t parent, unsigned domain, xs_range_name name);
/* Returns the same number for a name as the application gives it. The name is not kept if there are too many ranges. */
uint32_t xs_range_number_of(uint32_t parent, unsigned domain, const char *text);

/* Returns the range with the domain and the name of `number`, but inside `parent`; 0 for number 0. */
uint32_t xs_range_inside(uint32_t parent, uint32_t number);

/* Tells the name, in any domain, of the ranges that the user asks for (core/asked_window.h). A # in it stands for all
 * digits of any number: "step 1" and "step 20" then are "step #", and are kept under that name. */
void xs_range_ask(const char *text);
extern _Atomic xs_range_name xs_range_asked; /* 0: the user asks for no ranges */

/* Does the user ask for the range of this number? No if it has the number of "(others)", because there are too many
 * ranges. */
bool xs_range_is_asked(uint32_t number);

/* Defines the range and the ranges around it (xs_define), unless that was done before. */
void xs_range_tell(struct xs_event **e, uint32_t number);

/* For tests: returns the number of bytes ever mapped. */
size_t xs_ranges_bytes(void);

#endif
