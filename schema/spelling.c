/* Finds the name that is nearest in spelling; see spelling.h. */
#include "schema/spelling.h"

#include <stdint.h>
#include <string.h>

enum { LIMIT = 40, MOST_EDITS = 5, FAR = LIMIT + 1 };

/* Returns the edit distance. It needs little stack, because only three rows of the table exist at a time; the preloaded
 * library calls this, too. */
static size_t edits_between(const char *a, size_t n, const char *b, size_t m) {
    uint8_t rows[3][LIMIT + 1];
    uint8_t *before = rows[0], *last = rows[1], *row = rows[2];
    if (n > LIMIT || m > LIMIT)
        return FAR;
    for (size_t j = 0; j <= m; j++)
        row[j] = (uint8_t)j;
    for (size_t i = 1; i <= n; i++) {
        uint8_t *reused = before;
        before = last;
        last = row;
        row = reused;
        row[0] = (uint8_t)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U);
            best = last[j] + 1U < best ? last[j] + 1U : best;
            best = row[j - 1] + 1U < best ? row[j - 1] + 1U : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1U < best)
                best = before[j - 2] + 1U;
            row[j] = (uint8_t)best;
        }
    }
    return row[m];
}

void xs_nearest_begin(struct xs_nearest *nearest, const char *word, size_t bytes) {
    *nearest = (struct xs_nearest){.word = word, .bytes = bytes, .edits = MOST_EDITS + 1};
}

void xs_nearest_try(struct xs_nearest *nearest, const char *name) {
    size_t length = strlen(name);
    if (length >= sizeof nearest->name)
        return;
    size_t edits = edits_between(nearest->word, nearest->bytes, name, length);
    if (nearest->bytes >= 2 && nearest->bytes < length && !strncmp(nearest->word, name, nearest->bytes))
        edits = edits < 1 ? edits : 1; /* the beginning of a name */
    if (edits >= nearest->edits || edits * 2 > length)
        return;
    nearest->edits = edits;
    memcpy(nearest->name, name, length + 1);
}

const char *xs_nearest_name(const struct xs_nearest *nearest) { return *nearest->name ? nearest->name : NULL; }
