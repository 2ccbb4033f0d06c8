/* Counts the rows that are read; see rows_read.h. */
#include "schema/rows_read.h"

_Atomic uint64_t xs_rows_read;
_Thread_local bool xs_rows_uncounted;
_Thread_local uint64_t xs_rows_read_beside;
