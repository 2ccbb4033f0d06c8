/* Includes cmocka, and before it the headers that cmocka needs. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_UNIT_H
#define XFERSPY_TESTS_UNIT_ANALYZER_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/base/out.h"

/* Returns what `print` writes, as a string that the caller must free. */
static inline char *captured(void (*print)(struct xs_out *out, void *data), void *data, int columns, bool utf8) {
    char *text = NULL;
    size_t bytes = 0;
    struct xs_out out = {.file = open_memstream(&text, &bytes), .columns = columns, .utf8 = utf8};
    print(&out, data);
    fclose(out.file);
    return text;
}

#endif
