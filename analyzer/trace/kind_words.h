/* Has the number of kinds that each list of schema/format/kinds.h defines, for instance how many directions of copies
 * there are, and the printed names of the kinds. */
#ifndef XFERSPY_ANALYZER_TRACE_KIND_WORDS_H
#define XFERSPY_ANALYZER_TRACE_KIND_WORDS_H

#include "schema/format/kinds.h"

#define XS_COUNT_ROW(n, id, name) +1
enum {
    XS_DIRECTION_COUNT = 0 XS_DIRECTIONS(XS_COUNT_ROW),
    XS_MEMORY_KIND_COUNT = 0 XS_MEMORY_KINDS(XS_COUNT_ROW),
    XS_COPY_KIND_COUNT = 0 XS_COPY_KINDS(XS_COUNT_ROW),
    XS_MIGRATION_KIND_COUNT = 0 XS_MIGRATION_KINDS(XS_COUNT_ROW),
    XS_SYNC_SCOPE_COUNT = 0 XS_SYNC_SCOPES(XS_COUNT_ROW),
    XS_LAUNCH_KIND_COUNT = 0 XS_LAUNCH_KINDS(XS_COUNT_ROW),
    XS_CATEGORY_COUNT = 0 XS_CATEGORIES(XS_COUNT_ROW),
};
#undef XS_COUNT_ROW

/* Names by number; static texts. */
extern const char *const xs_direction_names[];
extern const char *const xs_memory_kind_names[];
extern const char *const xs_copy_kind_names[];
extern const char *const xs_migration_kind_names[];
extern const char *const xs_sync_scope_names[];
extern const char *const xs_launch_kind_names[];
extern const char *const xs_category_names[];

/* Returns the direction of a kind of copy, as a number of XS_DIRECTIONS; "unknown" for an unknown kind. */
unsigned xs_direction_of_copy(unsigned kind);

#endif
