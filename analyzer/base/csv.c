/* Writes CSV fields; see csv.h. */
#include "analyzer/base/csv.h"

#include <string.h>

/* True if a text begins like a formula. A formula may also begin with a tab or a carriage return, but these are escaped
 * before. */
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
