/* Sorts arrays. Rows of a trace come nearly in order, so many arrays consist of a few ascending runs, for instance one
 * for each table; these are merged, which takes one comparison for each item and each doubling of the runs. */
#ifndef XFERSPY_ANALYZER_BASE_SORT_H
#define XFERSPY_ANALYZER_BASE_SORT_H

#include <stddef.h>

/* Sorts as qsort does. `items` may be NULL if `count` is 0, which qsort does not allow. Equal items stay in their order
 * if there are few runs. Memory: at most half of the array. */
void xs_sort(void *items, size_t count, size_t item_bytes, int (*compare)(const void *, const void *));

#endif
