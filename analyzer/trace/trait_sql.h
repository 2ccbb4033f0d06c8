/* Defines conditions in SQL on the traits of an entry point. In a statement, each condition must follow the name of a
 * column that has the id of an entry point. SQLite reads the names of the entry points once per statement, not once per
 * row. */
#ifndef XFERSPY_ANALYZER_TRACE_TRAIT_SQL_H
#define XFERSPY_ANALYZER_TRACE_TRAIT_SQL_H

#include "schema/format/entry_traits.h"

#define XS_HAS_TRAIT(number) " IN (SELECT id FROM entry_point WHERE xferspy_traits(name) & " number ")"
#define XS_RECORDS_EVENT XS_HAS_TRAIT("4")
#define XS_PREFETCHES XS_HAS_TRAIT("64")
#define XS_WAITS_FOR_EVENT XS_HAS_TRAIT("32768")
_Static_assert(XS_TRAIT_RECORDS_EVENT == 4 && XS_TRAIT_PREFETCHES == 64 && XS_TRAIT_WAITS_FOR_EVENT == 32768,
               "the numbers in the conditions");

#endif
