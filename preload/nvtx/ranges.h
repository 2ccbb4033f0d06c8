/* Which ranges there are: each name, domain and enclosing range that was ever seen together is one, with a number for
 * the life of the process. Any thread, any signal handler: no lock, no allocation, one mapping of bounded size, of
 * which nothing is freed. */
#ifndef XFERSPY_PRELOAD_NVTX_RANGES_H
#define XFERSPY_PRELOAD_NVTX_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "preload/core/thread.h"

/* The longest name that is kept; of a longer one its beginning. */
#define XS_RANGE_NAME_BYTES 255u
/* Beyond these there is a range "(others)" inside every range that has others, and a last domain "(others)". */
#define XS_RANGES_MOST 131072u
#define XS_RANGE_NAMES_MOST 65536u
#define XS_RANGE_DOMAINS 128u

/* Numbers of names and of domains; 0: none, the empty one, the default domain. */
typedef uint32_t xs_range_name;

/* Before anything else here; as often as wanted. False: no memory. */
bool xs_ranges_prepare(void);

/* The name `text`, NULL: the empty one. That of "(others)" where there is no room for more. */
xs_range_name xs_range_name_of(const char *text);

/* As a UTF-8 string of at most XS_RANGE_NAME_BYTES, cut between two characters. */
const char *xs_range_utf8(const wchar_t *text, char utf8[XS_RANGE_NAME_BYTES + 1]);

/* What applications get for a name or a domain: never NULL but for the default domain. Back from it: of whatever is
 * none, 0. */
void *xs_range_name_handle(xs_range_name name);
xs_range_name xs_range_name_by_handle(const void *handle);
void *xs_range_domain_handle(unsigned domain);
unsigned xs_range_domain_by_handle(const void *handle);

/* The domain of this name, the same for the same name. */
unsigned xs_range_domain(const char *text);

/* The range inside `parent` (0: inside none). Never 0. */
uint32_t xs_range_number(uint32_t parent, unsigned domain, xs_range_name name);
/* The same with a name as the application gives it, which is not kept where the range is one of too many. */
uint32_t xs_range_number_of(uint32_t parent, unsigned domain, const char *text);

/* The range of the same domain and name inside `parent`; 0 of 0. */
uint32_t xs_range_inside(uint32_t parent, uint32_t number);

/* Defines the range and those around it unless that is done (xs_define). */
void xs_range_tell(struct xs_event **e, uint32_t number);

/* For tests: of all that was ever mapped. */
size_t xs_ranges_bytes(void);

#endif
