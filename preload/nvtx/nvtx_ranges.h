/* Manages the table of NVTX ranges. A range consists of a name, a domain and the range around it. Each combination of
 * the three gets a number that is valid for the life of the process. Any thread and any signal handler may call these
 * functions: they take no lock and allocate no memory. All data lies in one mapping of limited size, from which nothing
 * is freed. */
#ifndef XFERSPY_PRELOAD_NVTX_NVTX_RANGES_H
#define XFERSPY_PRELOAD_NVTX_NVTX_RANGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/core/thread.h"

/* The maximal length of a name. A longer name is cut to this length. */
#define XS_RANGE_NAME_BYTES 255u
/* The limits. If there are too many ranges, all new ranges inside a range count as one range "(others)" inside that
 * range. If there are too many domains, all new domains count as the last domain, "(others)". */
#define XS_RANGES_MOST 131072u
#define XS_RANGE_NAMES_MOST 65536u
#define XS_RANGE_DOMAINS 128u

/* The number of a name; 0: the empty name. A domain also has a number, of type unsigned; 0: the default domain. */
typedef uint32_t xs_range_name;

/* Must be called before all other functions of this file; a second call does nothing. False: there is no memory. */
bool xs_ranges_prepare(void);

/* Returns the number of the name `text` (NULL: the empty name), or of "(others)" if there is no space for another
 * name. */
xs_range_name xs_range_name_of(const char *text);

/* Converts a name to UTF-8. A result longer than XS_RANGE_NAME_BYTES is cut between two characters. Returns `utf8`. */
const char *xs_range_utf8(const wchar_t *text, char utf8[XS_RANGE_NAME_BYTES + 1]);

/* xs_range_name_handle and xs_range_domain_handle return the handle that an application gets for a name or a domain;
 * only the default domain has the handle NULL. The other two functions return the number for a handle; 0: the handle is
 * not valid, or belongs to the empty name or the default domain. */
void *xs_range_name_handle(xs_range_name name);
xs_range_name xs_range_name_by_handle(const void *handle);
void *xs_range_domain_handle(unsigned domain);
unsigned xs_range_domain_by_handle(const void *handle);

/* Returns the number of the domain with this name. The same name always gives the same domain. */
unsigned xs_range_domain(const char *text);

/* Returns the number of the range with this domain and name inside the range `parent`, never 0. `parent` is 0 if the
 * range is not inside another one. */
uint32_t xs_range_number(uint32_t parent, unsigned domain, xs_range_name name);
/* Does the same as xs_range_number for a name that is given as a text. If there are too many ranges, does not store the
 * name. */
uint32_t xs_range_number_of(uint32_t parent, unsigned domain, const char *text);

/* Returns the number of the range that has the domain and the name of the range `number` but lies inside `parent`; 0 if
 * `number` is 0. */
uint32_t xs_range_inside(uint32_t parent, uint32_t number);

/* Sets the name of the ranges that the user requests (core/asked_window.h), in any domain. A # in the name matches any
 * number: with the name "step #" the ranges "step 1" and "step 20" match, and are stored as "step #". */
void xs_range_ask(const char *text);
extern _Atomic xs_range_name xs_range_asked; /* the requested name; 0: none */

/* True if the user requests the range with this number. False if there are too many ranges, so that the range counts as
 * "(others)". */
bool xs_range_is_asked(uint32_t number);

/* Defines the range and the ranges around it in the trace (xs_define), unless they are defined already. */
void xs_range_tell(struct xs_event **e, uint32_t number);

/* Returns the number of bytes ever mapped. Only tests call this function. */
size_t xs_ranges_bytes(void);

#endif
