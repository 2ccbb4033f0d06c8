/* A text as a field of CSV (RFC 4180), as all commands write it. */
#ifndef XFERSPY_ANALYZER_BASE_CSV_H
#define XFERSPY_ANALYZER_BASE_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* `escaped` (xs_string_escape) is one line. Unless `formulas` is true, a text that a spreadsheet would take for a
 * formula gets an apostrophe before it, which the spreadsheet does not show. Numbers are no texts and not to be given
 * to this. */
void xs_csv_field(FILE *file, const char *escaped, bool formulas);

#endif
