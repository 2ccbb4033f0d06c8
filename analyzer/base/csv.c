/* Fields of CSV; see csv.h. */
#include "analyzer/base/csv.h"

#include <string.h>

/* Tab and carriage return, with which a formula can begin too, are escaped before they come here. */
static bool is_formula(const char *text) { return *text && strchr("=+-@\t\r", *text); }

void xs_csv_field(FILE *file, const char *escaped, bool formulas) {
    bool quoted = escaped[strcspn(escaped, "\",\r\n")] != 0;
    if (quoted)
        putc('"', file);
    if (!formulas && is_formula(escaped))
        putc('\'', file);
    for (const char *c = escaped; *c; c++) {
        if (*c == '"')
            putc('"', file);
        putc(*c, file);
    }
    if (quoted)
        putc('"', file);
}
