/* All commands write texts as CSV fields (RFC 4180) with this function. */
#ifndef XFERSPY_ANALYZER_BASE_CSV_H
#define XFERSPY_ANALYZER_BASE_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* Writes `escaped`, a text of one line that xs_string_escape made. Unless `formulas` is true, a text that a spreadsheet
 * would read as a formula gets a leading apostrophe, which the spreadsheet does not show. Never pass numbers: they are
 * not texts. */
void xs_csv_field(FILE *file, const char *escaped, bool formulas);

#endif
