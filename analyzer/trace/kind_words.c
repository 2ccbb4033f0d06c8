/* Defines the names of kinds, from the rows of schema/format/kinds.h, and computes kinds and directions of copies; see
 * kind_words.h. */
#include "analyzer/trace/kind_words.h"

#define NAME_ROW(n, id, name) [n] = name,
const char *const xs_direction_names[] = {XS_DIRECTIONS(NAME_ROW)};
const char *const xs_memory_kind_names[] = {XS_MEMORY_KINDS(NAME_ROW)};
const char *const xs_copy_kind_names[] = {XS_COPY_KINDS(NAME_ROW)};
const char *const xs_migration_kind_names[] = {XS_MIGRATION_KINDS(NAME_ROW)};
const char *const xs_sync_scope_names[] = {XS_SYNC_SCOPES(NAME_ROW)};
const char *const xs_launch_kind_names[] = {XS_LAUNCH_KINDS(NAME_ROW)};
const char *const xs_category_names[] = {XS_CATEGORIES(NAME_ROW)};

enum { H2D = 1, D2H = 2, DEVICE = 3, PEER = 10 }; /* CUPTI's numbers */

bool xs_is_second_leg(int64_t kind, int64_t src_kind, int64_t dst_kind) {
    return kind == H2D && src_kind == DEVICE && dst_kind == DEVICE;
}

int64_t xs_kind_of_copy(int64_t kind, int64_t src_kind, int64_t dst_kind) {
    return (kind == H2D || kind == D2H) && src_kind == DEVICE && dst_kind == DEVICE ? PEER : kind;
}

unsigned xs_direction_of_copy(unsigned kind) {
    static const uint8_t directions[XS_COPY_KIND_COUNT] = {XS_DIR_UNKNOWN, XS_DIR_H2D, XS_DIR_D2H, XS_DIR_H2D,
                                                           XS_DIR_D2H,     XS_DIR_D2D, XS_DIR_D2D, XS_DIR_D2D,
                                                           XS_DIR_D2D,     XS_DIR_H2H, XS_DIR_PEER};
    return directions[kind < XS_COPY_KIND_COUNT ? kind : 0];
}
