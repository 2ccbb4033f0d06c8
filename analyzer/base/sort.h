/* Sorts arrays. Rows of a trace come nearly in order, so many arrays consist of a few ascending runs, for example one
 * run for each table. Such runs are merged; for 2^n runs, this takes at most n comparisons for each item. */
#ifndef XFERSPY_ANALYZER_BASE_SORT_H
#define XFERSPY_ANALYZER_BASE_SORT_H

#include <stddef.h>

/* Sorts as qsort does. `items` may be NULL if `count` is 0, which qsort does not allow. If the array has at most 64
 * ascending runs, they are merged: then equal items stay in their order, and memory is needed for at most half of the
 * array. (The program ends if memory runs out.) Otherwise qsort sorts the array, and equal items may change their
 * order. */
void xs_sort(void *items, size_t count, size_t item_bytes, int (*compare)(const void *, const void *));

#endif
