/* Declares, for most lists of kinds in schema/format/kinds.h, such as the directions of copies, the number of the kinds
 * and their printed names. */
#ifndef XFERSPY_ANALYZER_TRACE_KIND_WORDS_H
#define XFERSPY_ANALYZER_TRACE_KIND_WORDS_H

#include <stdbool.h>
#include <stdint.h>

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

/* These arrays have the name of each kind, by the number of the kind. The names are static texts. */
extern const char *const xs_direction_names[];
extern const char *const xs_memory_kind_names[];
extern const char *const xs_copy_kind_names[];
extern const char *const xs_migration_kind_names[];
extern const char *const xs_sync_scope_names[];
extern const char *const xs_launch_kind_names[];
extern const char *const xs_category_names[];

/* The driver stages a copy between two devices in host memory if neither may access the other. Such a copy has two
 * device records, a download and an upload of all bytes, and both have device memory on both sides (measured with CUPTI
 * 13.0.1). These macros are SQL conditions on a row of device_copy or device_copy_shape. The argument `t` is the prefix
 * of the row's columns, such as "s.". XS_IS_STAGED_LEG is true if the row is one of the two records of such a copy, and
 * XS_IS_SECOND_LEG is true if the row is the upload. */
#define XS_IS_STAGED_LEG(t) "(" t "kind IN (1, 2) AND " t "src_kind = 3 AND " t "dst_kind = 3)"
#define XS_IS_SECOND_LEG(t) "(" t "kind = 1 AND " t "src_kind = 3 AND " t "dst_kind = 3)"

/* SQL for the bytes of a row. The result is 0 for the upload of a staged copy, because the download has the same bytes,
 * and they must be counted only once. */
#define XS_BYTES_OF_COPY(t) "CASE WHEN " XS_IS_SECOND_LEG(t) " THEN 0 ELSE " t "bytes END"

/* SQL for the kind of a row, as a number of XS_COPY_KINDS. Both records of a staged copy get the kind of a copy between
 * devices. */
#define XS_KIND_OF_COPY(t) "CASE WHEN " XS_IS_STAGED_LEG(t) " THEN 10 ELSE " t "kind END"

/* These functions compute in C, from the values of a row, what XS_IS_SECOND_LEG and XS_KIND_OF_COPY compute in SQL. */
bool xs_is_second_leg(int64_t kind, int64_t src_kind, int64_t dst_kind);
int64_t xs_kind_of_copy(int64_t kind, int64_t src_kind, int64_t dst_kind);

/* Returns the direction of a kind of copy, as a number of XS_DIRECTIONS; "unknown" for an unknown kind. */
unsigned xs_direction_of_copy(unsigned kind);

#endif
