/* Finds out which line releases the memory that is allocated again and again. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_RELEASED_AT_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_RELEASED_AT_H

#include "analyzer/savings/causes/diagnosis.h"

struct xs_plan;

/* Sets `released_at` of the findings about memory that could have been kept. */
void xs_released_at_find(struct xs_diagnosis *diagnosis, const struct xs_plan *plan);

#endif
