/* Matches call sites in stages; see match_sites.h. */
#include "analyzer/commands/common/match_sites.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

const char *const xs_match_names[XS_MATCH_HOWS] = {"none", "text", "order", "edited", "call", "moved", "file", "entry"};

enum {
    PAIRS_LIMIT = 1 << 20, /* largest number of pairs in a group that are compared; in larger groups, items are matched
                              in order */
    VOTES_LIMIT = 1 << 14, /* largest number of pairs of lines that vote on how far a function's lines moved */
    ALIKE_BYTES = 256,     /* bytes of a text that are compared to find similar texts */
    TELLING_BYTES = 8,     /* smallest length of a text by which a place can be recognized without its function or
                              file */
    FARTHEST = 1 << 24,    /* largest distance, in lines or bytes of code, at which a moved line is searched */
    TEXT_VOTES = 4,        /* number of votes of two lines with the same text */
    /* Two texts are similar if Dice's coefficient of their pairs of letters is at least this fraction. */
    ALIKE_NUMERATOR = 1,
    ALIKE_DENOMINATOR = 2,
};

/* The fields that two places must have in common to be in the same group. */
enum field { ENTRY = 1, CATEGORY = 2, FUNCTION = 4, FILE_NAME = 8, TEXT = 16, FAMILY = 32 };

struct item {
    const struct xs_match_place *place;
    uint32_t index;
    bool after;
};

struct work {
    const struct xs_match_place *places[2]; /* the places of BEFORE and of AFTER */
    size_t counts[2];
    bool *file_stays[2]; /* by index: true if the other side has a file of the same name, too */
    struct xs_match *match;
    int64_t *moved; /* by index of BEFORE: how many lines the function of this place moved down */
    struct item *items;
    uint64_t *cells; /* the table for aligning one group */
    size_t cell_capacity;
};

/* --- texts --- */

static int order_of(const char *a, const char *b) { return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL); }

static bool same(const char *a, const char *b) { return !order_of(a, b); }

static size_t letters(const char *text, unsigned char *out) {
    size_t count = 0;
    for (; *text && count < ALIKE_BYTES; text++)
        if (*text != ' ')
            out[count++] = (unsigned char)*text;
    return count;
}

static int by_value(const void *a, const void *b) { return xs_compare(*(const uint16_t *)a, *(const uint16_t *)b); }

static size_t letter_pairs(const char *text, uint16_t *pairs) {
    unsigned char kept[ALIKE_BYTES];
    size_t count = letters(text, kept);
    for (size_t i = 0; i + 1 < count; i++)
        pairs[i] = (uint16_t)(kept[i] << 8 | kept[i + 1]);
    count = count ? count - 1 : 0;
    xs_sort(pairs, count, sizeof *pairs, by_value);
    return count;
}

static bool alike(const char *a, const char *b) {
    uint16_t x[ALIKE_BYTES], y[ALIKE_BYTES];
    size_t n = letter_pairs(a, x), m = letter_pairs(b, y), shared = 0;
    for (size_t i = 0, k = 0; i < n && k < m;) {
        shared += x[i] == y[k];
        size_t was = i;
        i += x[i] <= y[k];
        k += y[k] <= x[was];
    }
    return ALIKE_DENOMINATOR * 2 * shared >= ALIKE_NUMERATOR * (n + m) && shared;
}

static bool texts_known(const struct xs_match_place *a, const struct xs_match_place *b) { return a->text && b->text; }

/* --- what a stage accepts of a pair in its group --- */

static bool accept_any(const struct xs_match_place *a, const struct xs_match_place *b) {
    (void)a;
    (void)b;
    return true;
}

static bool accept_unknown(const struct xs_match_place *a, const struct xs_match_place *b) {
    return !texts_known(a, b) || same(a->text, b->text);
}

static bool accept_alike(const struct xs_match_place *a, const struct xs_match_place *b) {
    return texts_known(a, b) && alike(a->text, b->text);
}

/* Returns "HtoD" for cuMemcpyHtoDAsync_v2; NULL for an entry point that copies in any direction. */
static const char *direction_of(const char *entry_point) {
    static const char *const directions[] = {"HtoD", "DtoH", "DtoD", "HtoA", "AtoH", "AtoD", "DtoA", "AtoA", "Peer"};
    for (size_t i = 0; i < sizeof directions / sizeof *directions; i++)
        if (strstr(entry_point, directions[i]))
            return directions[i];
    return NULL;
}

/* Accepts another entry point for the same operation, but not an upload for a download. */
static bool accept_call(const struct xs_match_place *a, const struct xs_match_place *b) {
    const char *from = direction_of(a->entry_point), *to = direction_of(b->entry_point);
    if (from && to && strcmp(from, to) != 0)
        return false;
    return !texts_known(a, b) || alike(a->text, b->text);
}

static bool accept_telling(const struct xs_match_place *a, const struct xs_match_place *b) {
    (void)b;
    return strlen(a->text) >= TELLING_BYTES;
}

static bool accept_file(const struct xs_match_place *a, const struct xs_match_place *b) {
    return !same(a->file, b->file) && (!texts_known(a, b) || alike(a->text, b->text));
}

static bool accept_file_call(const struct xs_match_place *a, const struct xs_match_place *b) {
    return !same(a->file, b->file) && accept_call(a, b);
}

static const struct stage {
    enum xs_match_how how;
    unsigned fields; /* fields that are equal on both sides */
    unsigned known;  /* fields that must be known on both sides */
    unsigned unknown;
    bool files_gone; /* use only places in files that the other side does not have */
    bool (*accepts)(const struct xs_match_place *before, const struct xs_match_place *after);
} stages[] = {
    {XS_MATCH_TEXT, ENTRY | FUNCTION | FILE_NAME | TEXT, TEXT, 0, false, accept_any},
    {XS_MATCH_ORDER, ENTRY | FUNCTION | FILE_NAME, FILE_NAME, 0, false, accept_unknown},
    {XS_MATCH_EDITED, ENTRY | FUNCTION | FILE_NAME, TEXT, 0, false, accept_alike},
    {XS_MATCH_CALL, CATEGORY | FUNCTION | FILE_NAME | TEXT, TEXT, 0, false, accept_call},
    {XS_MATCH_CALL, FAMILY | FUNCTION | FILE_NAME, FUNCTION, 0, false, accept_call},
    {XS_MATCH_CALL, CATEGORY | FUNCTION | FILE_NAME, FUNCTION, 0, false, accept_call},
    {XS_MATCH_MOVED, ENTRY | FILE_NAME | TEXT, TEXT, 0, false, accept_telling},
    {XS_MATCH_MOVED, ENTRY | FUNCTION | TEXT, TEXT, 0, false, accept_any},
    {XS_MATCH_MOVED, ENTRY | TEXT, TEXT, 0, false, accept_telling},
    {XS_MATCH_FILE, ENTRY | FUNCTION, FUNCTION, 0, true, accept_file},
    {XS_MATCH_FILE, CATEGORY | FUNCTION, FUNCTION | TEXT, 0, true, accept_file_call},
    {XS_MATCH_ENTRY, ENTRY, 0, FUNCTION | FILE_NAME, false, accept_any},
    {XS_MATCH_CALL, FAMILY, 0, FUNCTION | FILE_NAME, false, accept_any},
};

/* --- groups --- */

static size_t without(const char *name, size_t length, const char *ending) {
    size_t ends = strlen(ending);
    return length > ends && !strncmp(name + length - ends, ending, ends) ? length - ends : length;
}

/* Returns the length of the part of a name that all versions and forms of an entry point share: "cuMemcpyHtoD" of
 * cuMemcpyHtoDAsync_v2_ptsz. */
static size_t family_length(const char *name) {
    size_t length = strlen(name);
    length = without(name, without(name, length, "_ptsz"), "_ptds");
    if (length > 3 && name[length - 1] >= '0' && name[length - 1] <= '9' && !strncmp(name + length - 3, "_v", 2))
        length -= 3;
    return without(name, length, "Async");
}

static int compare_families(const char *a, const char *b) {
    size_t n = family_length(a), m = family_length(b);
    return memcmp(a, b, n < m ? n : m) ?: xs_compare_uint64(n, m);
}

static int compare_fields(const struct xs_match_place *a, const struct xs_match_place *b, unsigned fields) {
    return (fields & ENTRY ? strcmp(a->entry_point, b->entry_point) : 0)
        ?: (fields & CATEGORY ? xs_compare(a->category, b->category) : 0)
        ?: (fields & FAMILY ? compare_families(a->entry_point, b->entry_point) : 0)
        ?: (fields & FUNCTION ? order_of(a->function, b->function) : 0)
        ?: (fields & FILE_NAME ? order_of(a->file, b->file) : 0)
        ?: (fields & TEXT ? order_of(a->text, b->text) : 0);
}

static int by_fields(const void *a, const void *b, void *data) {
    const struct item *x = a, *y = b;
    /* the index comes last, because a baseline file lists its places in another order than a trace */
    return compare_fields(x->place, y->place, *(const unsigned *)data) ?: xs_compare(x->after, y->after)
        ?: xs_compare_uint64(x->place->line, y->place->line) ?: strcmp(x->place->entry_point, y->place->entry_point)
        ?: xs_compare(x->index, y->index);
}

static unsigned known_fields(const struct xs_match_place *place) {
    return ENTRY | CATEGORY | (place->function ? FUNCTION : 0) | (place->file ? FILE_NAME : 0) |
           (place->text ? TEXT : 0);
}

static size_t collect(struct work *w, const struct stage *stage) {
    size_t count = 0;
    for (int side = 0; side < 2; side++) {
        const uint32_t *other = side ? w->match->before_of : w->match->after_of;
        for (size_t i = 0; i < w->counts[side]; i++) {
            unsigned known = known_fields(&w->places[side][i]);
            if (other[i] == XS_UNMATCHED && (known & stage->known) == stage->known && !(known & stage->unknown) &&
                !(stage->files_gone && w->file_stays[side][i]))
                w->items[count++] = (struct item){&w->places[side][i], (uint32_t)i, side != 0};
        }
    }
    return count;
}

/* Finds a group: items with equal fields, those of `before` first, each side sorted by line. Sets `*middle` to the
 * index of the first item of `after`. Returns the index at which the next group begins. */
static size_t next_group(const struct item *items, size_t count, size_t first, unsigned fields, size_t *middle) {
    size_t end = first;
    *middle = first;
    while (end < count && !compare_fields(items[first].place, items[end].place, fields)) {
        *middle += !items[end].after;
        end++;
    }
    return end;
}

/* --- how far the lines of a function moved --- */

/* Returns the distance with most votes; of several with the same number of votes, the smallest. */
static int64_t most_frequent(int64_t *votes, size_t count) {
    int64_t best = 0;
    size_t most = 0;
    xs_sort(votes, count, sizeof *votes, xs_ascending_int64);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && votes[end] == votes[i]; end++)
            ;
        if (end - i > most || (end - i == most && llabs(votes[i]) < llabs(best))) {
            most = end - i;
            best = votes[i];
        }
    }
    return best;
}

static int64_t way_of(const struct item *items, size_t befores, size_t afters, int64_t *votes) {
    size_t count = 0;
    for (size_t i = 0; i < befores; i++) {
        for (size_t k = befores; k < befores + afters; k++) {
            const struct xs_match_place *a = items[i].place, *b = items[k].place;
            if (strcmp(a->entry_point, b->entry_point) != 0 || (texts_known(a, b) && !same(a->text, b->text)))
                continue;
            int64_t way = (int64_t)(b->line - a->line);
            if (way > FARTHEST || way < -FARTHEST)
                continue;
            for (int vote = texts_known(a, b) ? TEXT_VOTES : 1; vote > 0 && count < VOTES_LIMIT; vote--)
                votes[count++] = way;
        }
    }
    return most_frequent(votes, count);
}

static void measure_ways(struct work *w) {
    static const struct stage functions = {XS_MATCH_NONE, FUNCTION | FILE_NAME, FILE_NAME, 0, false, accept_any};
    unsigned fields = functions.fields;
    XS_SCOPED int64_t *votes = xs_realloc(NULL, VOTES_LIMIT * sizeof *votes);
    size_t count = collect(w, &functions), middle;
    qsort_r(w->items, count, sizeof *w->items, by_fields, &fields);
    for (size_t first = 0, end; first < count; first = end) {
        end = next_group(w->items, count, first, fields, &middle);
        size_t befores = middle - first, afters = end - middle;
        int64_t way = 0;
        if (befores && afters && befores <= VOTES_LIMIT / afters)
            way = way_of(w->items + first, befores, afters, votes);
        for (size_t i = first; i < middle; i++)
            w->moved[w->items[i].index] = way;
    }
}

/* --- files that both sides have --- */

static void look_for_files(struct work *w) {
    static const struct stage files = {XS_MATCH_NONE, FILE_NAME, FILE_NAME, 0, false, accept_any};
    unsigned fields = files.fields;
    size_t count = collect(w, &files), middle;
    qsort_r(w->items, count, sizeof *w->items, by_fields, &fields);
    for (size_t first = 0, end; first < count; first = end) {
        end = next_group(w->items, count, first, fields, &middle);
        bool both = middle > first && end > middle;
        for (size_t i = first; i < end; i++)
            w->file_stays[w->items[i].after][w->items[i].index] = both;
    }
}

/* --- pairs of a group --- */

static void pair(struct work *w, const struct item *before, const struct item *after, enum xs_match_how how) {
    w->match->after_of[before->index] = after->index;
    w->match->before_of[after->index] = before->index;
    w->match->how[before->index] = (uint8_t)how;
}

/* Returns the distance, in lines, between the expected line and the line of `after`; at most FARTHEST, so that the sum
 * of all distances is less than `a_pair` of align(). */
static uint64_t distance(const struct work *w, const struct item *before, const struct item *after) {
    int64_t lines;
    if (__builtin_sub_overflow((int64_t)(after->place->line - before->place->line), w->moved[before->index], &lines))
        return FARTHEST;
    return lines > -FARTHEST && lines < FARTHEST ? (uint64_t)llabs(lines) : FARTHEST;
}

/* Matches as many pairs as possible in the order of the lines; if there are several ways, takes the one with the
 * smallest distances. A cell has the cost of the best way for the first i and the first k items: each pair lowers it,
 * and distances raise it. */
static void align(struct work *w, const struct stage *stage, const struct item *before, size_t n,
                  const struct item *after, size_t m) {
    const uint64_t a_pair = (uint64_t)1 << 45; /* more than the distances of all pairs that fit into PAIRS_LIMIT */
    size_t width = m + 1;
    if ((n + 1) * width > w->cell_capacity) {
        w->cell_capacity = (n + 1) * width;
        w->cells = xs_realloc(w->cells, w->cell_capacity * sizeof *w->cells);
    }
    uint64_t *cells = w->cells, none = (uint64_t)1 << 63;
    for (size_t i = 0; i <= n; i++) {
        for (size_t k = 0; k <= m; k++) {
            uint64_t best = none;
            if (i && cells[(i - 1) * width + k] < best)
                best = cells[(i - 1) * width + k];
            if (k && cells[i * width + k - 1] < best)
                best = cells[i * width + k - 1];
            if (i && k && stage->accepts(before[i - 1].place, after[k - 1].place)) {
                uint64_t with = cells[(i - 1) * width + k - 1] - a_pair + distance(w, &before[i - 1], &after[k - 1]);
                best = with < best ? with : best;
            }
            cells[i * width + k] = best;
        }
    }
    for (size_t i = n, k = m; i && k;)
        if (cells[i * width + k] == cells[(i - 1) * width + k])
            i--;
        else if (cells[i * width + k] == cells[i * width + k - 1])
            k--;
        else
            pair(w, &before[--i], &after[--k], stage->how);
}

static void in_order(struct work *w, const struct stage *stage, const struct item *before, size_t n,
                     const struct item *after, size_t m) {
    for (size_t i = 0; i < n && i < m; i++)
        if (stage->accepts(before[i].place, after[i].place))
            pair(w, &before[i], &after[i], stage->how);
}

static void run_stage(struct work *w, const struct stage *stage) {
    unsigned fields = stage->fields;
    size_t count = collect(w, stage), middle;
    qsort_r(w->items, count, sizeof *w->items, by_fields, &fields);
    for (size_t first = 0, end; first < count; first = end) {
        end = next_group(w->items, count, first, fields, &middle);
        size_t n = middle - first, m = end - middle;
        const struct item *before = w->items + first, *after = w->items + middle;
        if (n && m && n <= PAIRS_LIMIT / m)
            align(w, stage, before, n, after, m);
        else if (n && m)
            in_order(w, stage, before, n, after, m);
    }
}

void xs_match_places(const struct xs_match_place *before, size_t before_count, const struct xs_match_place *after,
                     size_t after_count, struct xs_match *match) {
    struct work w = {.places = {before, after},
                     .counts = {before_count, after_count},
                     .file_stays = {xs_zeroed(before_count, sizeof(bool)), xs_zeroed(after_count, sizeof(bool))},
                     .match = match,
                     .moved = xs_zeroed(before_count, sizeof *w.moved),
                     .items = xs_realloc(NULL, (before_count + after_count) * sizeof *w.items)};
    match->after_of = xs_realloc(NULL, before_count * sizeof *match->after_of);
    match->before_of = xs_realloc(NULL, after_count * sizeof *match->before_of);
    match->how = xs_zeroed(before_count, sizeof *match->how);
    memset(match->after_of, 0xff, before_count * sizeof *match->after_of);
    memset(match->before_of, 0xff, after_count * sizeof *match->before_of);
    measure_ways(&w);
    look_for_files(&w);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        run_stage(&w, &stages[i]);
    free(w.moved);
    free(w.file_stays[0]);
    free(w.file_stays[1]);
    free(w.items);
    free(w.cells);
}

void xs_match_free(struct xs_match *match) {
    free(match->after_of);
    free(match->before_of);
    free(match->how);
    *match = (struct xs_match){0};
}
