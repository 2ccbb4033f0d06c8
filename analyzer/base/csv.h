/* All commands write texts as CSV fields (RFC 4180) with this function. */
#ifndef XFERSPY_ANALYZER_BASE_CSV_H
#define XFERSPY_ANALYZER_BASE_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* Writes `escaped`, a text of one line that xs_string_escape made. Unless `formulas` is true, a text that a spreadsheet
 * would read as a formula gets a leading apostrophe, so that the spreadsheet does not run it. Never pass numbers,
 * because a negative number would get an apostrophe. */
void xs_csv_field(FILE *file, const char *escaped, bool formulas);

#endif
