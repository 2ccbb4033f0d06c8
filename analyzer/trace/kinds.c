/* Names of kinds, from the rows of schema/kinds.h. */
#include "analyzer/trace/kinds.h"

#define NAME_ROW(n, id, name) [n] = name,
const char *const xs_direction_names[] = {XS_DIRECTIONS(NAME_ROW)};
const char *const xs_memory_kind_names[] = {XS_MEMORY_KINDS(NAME_ROW)};
const char *const xs_copy_kind_names[] = {XS_COPY_KINDS(NAME_ROW)};
const char *const xs_migration_kind_names[] = {XS_MIGRATION_KINDS(NAME_ROW)};
const char *const xs_sync_scope_names[] = {XS_SYNC_SCOPES(NAME_ROW)};
const char *const xs_launch_kind_names[] = {XS_LAUNCH_KINDS(NAME_ROW)};
