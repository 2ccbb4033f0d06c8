/* Parses the options of a filter; see filter.h. */
#include "analyzer/findings/engine/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/scan.h"

enum {
    SINCE,
    UNTIL,
    SKIP_STEPS,
    STEPS,
    DIRECTION,
    MIN_SIZE,
    MAX_SIZE,
    STREAM,
    DEVICE,
    THREAD,
    SITE,
    NVTX,
    FINDING,
    OPTIONS
};
enum { KEYS = 0x2000, GROUP = 2 };
static const struct argp_option options[] = {
    {"since", KEYS + SINCE, "TIME", 0, "only at or after this time of the run: 1.5s, 200ms, 50%", GROUP},
    {"until", KEYS + UNTIL, "TIME", 0, "only before this time of the run", GROUP},
    {"skip-steps", KEYS + SKIP_STEPS, "N", 0, "leave out the first N steps (the warm-up)", GROUP},
    {"steps", KEYS + STEPS, "N", 0, "N steps of the run: the first ones, or those after --skip-steps", GROUP},
    {"direction", KEYS + DIRECTION, "LIST", 0,
     "h2d, d2h, d2d, peer, h2h. A LIST can have several parts, with commas between them", GROUP},
    {"min-size", KEYS + MIN_SIZE, "SIZE", 0, "transfers of at least SIZE bytes: 512, 64K, 1MiB", GROUP},
    {"max-size", KEYS + MAX_SIZE, "SIZE", 0, "transfers of at most SIZE bytes", GROUP},
    {"stream", KEYS + STREAM, "LIST", 0, "numbers that `report --by=stream' shows, or handles 0x...", GROUP},
    {"device", KEYS + DEVICE, "LIST", 0, "numbers of devices", GROUP},
    {"thread", KEYS + THREAD, "LIST", 0, "system numbers or names of threads", GROUP},
    {"site", KEYS + SITE, "PATTERN", 0,
     "called from this function, file or file:line, directly or through others, or calls of this entry point: a "
     "part of its name, or all of it with * for any text",
     GROUP},
    {"nvtx", KEYS + NVTX, "PATTERN", 0, "within an NVTX range", GROUP},
    {"finding", KEYS + FINDING, "ID", 0, "findings of one kind: noop-upload, duplicate-upload/freed", GROUP},
    {NULL, 0, NULL, 0, "Which transfers (findings are decided on the whole trace):", GROUP},
    {0}};

static void add_word(struct xs_filter_words *words, const char *word, size_t bytes) {
    words->items = xs_realloc(words->items, (words->count + 1) * sizeof *words->items);
    words->items[words->count] = xs_realloc(NULL, bytes + 1);
    memcpy(words->items[words->count], word, bytes);
    words->items[words->count++][bytes] = '\0';
}

static void free_words(struct xs_filter_words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
}

/* Sets the words of a list, which commas separate; no word may be empty. */
static char *set_words(struct xs_filter_words *words, const char *list, bool (*is_good)(const char *word),
                       const char *use) {
    for (const char *word = list;; word++) {
        size_t bytes = strcspn(word, ",");
        if (bytes)
            add_word(words, word, bytes);
        if (!bytes || (is_good && !is_good(words->items[words->count - 1])))
            return xs_text_format("use %s", use);
        word += bytes;
        if (!*word)
            return NULL;
    }
}

static bool is_number(const char *word) {
    char *end = NULL;
    errno = 0;
    long long number = strtoll(word + (*word == '#'), &end, 10);
    return !errno && end != word && !*end && number >= 0;
}

static bool is_stream(const char *word) {
    char *end = NULL;
    if (is_number(word))
        return true;
    errno = 0;
    (void)strtoull(word, &end, 16);
    return !strncmp(word, "0x", 2) && word[2] && !*end && !errno;
}

static char *set_moment(struct xs_moment *moment, const char *text) {
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"min", 60e9}};
    char *end = NULL;
    double number = strtod(text, &end);
    moment->given = true;
    if (end != text && number >= 0 && isfinite(number)) {
        moment->is_share = !strcmp(end, "%");
        moment->share = number / 100;
        if (moment->is_share)
            return number <= 100 ? NULL : xs_text_format("a share of the run is at most 100%%");
        for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
            moment->ns = number * units[i].ns < 9e18 ? (int64_t)(number * units[i].ns + 0.5) : INT64_MAX;
            if (!strcmp(end, units[i].unit))
                return NULL;
        }
    }
    return xs_text_format("use a time since the start of the run, as 1.5s, 200ms, 30us or 50%%");
}

static char *set_bytes(bool *given, uint64_t *bytes, const char *text) {
    static const char *const prefixes = "KMGT";
    char *end = NULL;
    double number = strtod(text, &end), factor = 1;
    if (end != text && *end && strchr(prefixes, *end)) {
        factor = ldexp(1, 10 * (int)(strchr(prefixes, *end) - prefixes + 1));
        end += !strcmp(end + 1, "iB") || !strcmp(end + 1, "i") ? strlen(end) : 1;
    }
    end += *end == 'B' && !end[1];
    *given = true;
    if (end == text || *end || !(number >= 0) || !(number * factor < 9e18))
        return xs_text_format("use a size in bytes, as 512, 64K or 1MiB");
    *bytes = (uint64_t)(number * factor + 0.5);
    return NULL;
}

static char *set_steps(uint64_t *steps, uint64_t least, const char *text) {
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *steps = number;
    bool is_number = *text >= '0' && *text <= '9' && !*end && !errno;
    return is_number && number >= least ? NULL : xs_text_format("use a number of steps");
}

#define DIRECTIONS "h2d, d2h, d2d, peer or h2h"
static char *set_directions(unsigned *directions, const char *list) {
    struct xs_filter_words words = {0};
    char *wrong = set_words(&words, list, NULL, DIRECTIONS);
    for (size_t i = 0; i < words.count && !wrong; i++) {
        unsigned direction = 1;
        while (direction < XS_DIRECTION_COUNT && strcmp(words.items[i], xs_direction_names[direction]) != 0)
            direction++;
        if (direction == XS_DIRECTION_COUNT)
            wrong = xs_text_format("use " DIRECTIONS);
        else
            *directions |= 1u << direction;
    }
    free_words(&words);
    return wrong;
}

static char *all_verdicts(const struct xs_detector *detector) {
    struct xs_string text = {0};
    xs_string_format(&text, "use %s", detector->id);
    for (unsigned i = 0; i < XS_VERDICTS; i++)
        if (detector->verdicts[i].name)
            xs_string_format(&text, ", %s/%s", detector->id, detector->verdicts[i].name);
    return text.data;
}

static char *set_finding(struct xs_filter *filter, const char *text) {
    size_t bytes = strcspn(text, "/#");
    filter->detector = filter->verdict = 0;
    for (size_t i = 0; i < xs_detector_count; i++)
        if (strlen(xs_detectors[i]->id) == bytes && !strncmp(xs_detectors[i]->id, text, bytes))
            filter->detector = (long)i + 1;
    if (!filter->detector) {
        struct xs_string ids = {0};
        for (size_t i = 0; i < xs_detector_count; i++)
            xs_string_format(&ids, "%s%s", i ? ", " : "use one of ", xs_detectors[i]->id);
        return ids.data;
    }
    const struct xs_detector *detector = xs_detectors[filter->detector - 1];
    for (unsigned i = 0; i < XS_VERDICTS && text[bytes] == '/'; i++)
        if (detector->verdicts[i].name && !strcmp(detector->verdicts[i].name, text + bytes + 1))
            filter->verdict = (long)i + 1;
    if (text[bytes] == '#')
        return xs_text_format("use the name without its number; --site chooses a place");
    return text[bytes] && !filter->verdict ? all_verdicts(detector) : NULL;
}

static char *set(struct xs_filter *filter, int option, const char *value) {
    switch (option) {
    case SINCE:
        return set_moment(&filter->since, value);
    case UNTIL:
        return set_moment(&filter->until, value);
    case SKIP_STEPS:
        return set_steps(&filter->skip_steps, 0, value);
    case STEPS:
        return set_steps(&filter->steps, 1, value);
    case DIRECTION:
        return set_directions(&filter->directions, value);
    case MIN_SIZE:
        return set_bytes(&filter->has_min_bytes, &filter->min_bytes, value);
    case MAX_SIZE:
        return set_bytes(&filter->has_max_bytes, &filter->max_bytes, value);
    case STREAM:
        return set_words(&filter->streams, value, is_stream,
                         "numbers that `report --by=stream' shows, or handles, as 0x7f00");
    case DEVICE:
        return set_words(&filter->devices, value, is_number, "the numbers of devices, as 0,1");
    case THREAD:
        return set_words(&filter->threads, value, NULL, "numbers or names of threads");
    case SITE: /* this word is not split at commas, because a function's name may have arguments with commas */
        if (*value)
            add_word(&filter->sites, value, strlen(value));
        return *value ? NULL : xs_text_format("use a part of a function's or a file's name");
    case NVTX:
        if (*value)
            add_word(&filter->ranges, value, strlen(value));
        return *value ? NULL : xs_text_format("use a part of a range's name");
    default:
        return set_finding(filter, value);
    }
}

char *xs_filter_set(struct xs_filter *filter, const char *option, const char *value) {
    for (int i = 0; i < OPTIONS; i++)
        if (!strcmp(options[i].name, option))
            return set(filter, i, value);
    return xs_text_format("there is no such option");
}

void xs_filter_free(struct xs_filter *filter) {
    free_words(&filter->streams);
    free_words(&filter->devices);
    free_words(&filter->threads);
    free_words(&filter->sites);
    free_words(&filter->ranges);
    *filter = (struct xs_filter){0};
}

bool xs_filter_is_of_transfers(const struct xs_filter *f) {
    return f->directions || f->has_min_bytes || f->has_max_bytes;
}

bool xs_filter_chooses_rows(const struct xs_filter *f) {
    return xs_filter_is_of_transfers(f) || xs_filter_chooses_steps(f) || f->since.given || f->until.given ||
           f->streams.count || f->devices.count || f->threads.count || f->sites.count || f->ranges.count;
}

bool xs_filter_is_empty(const struct xs_filter *f) { return !xs_filter_chooses_rows(f) && !f->detector; }

static bool is_pattern(const char *word) { return word[strcspn(word, "*?[")] != '\0'; }

bool xs_filter_fits(const char *word, const char *text) {
    size_t bytes = strlen(word);
    if (!text)
        return false;
    if (is_pattern(word))
        return fnmatch(word, text, 0) == 0;
    bool number = bytes && word[bytes - 1] >= '0' && word[bytes - 1] <= '9';
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if (!number || at[bytes] < '0' || at[bytes] > '9')
            return true;
    return false;
}

/* --- in words --- */

static void add_words(struct xs_string *text, const char *what, const struct xs_filter_words *words) {
    for (size_t i = 0; i < words->count; i++)
        xs_string_format(text, "%s%s%s", i ? " or " : text->length ? ", " : "", i ? "" : what, words->items[i]);
}

static void add_moment(struct xs_string *text, const char *what, const struct xs_moment *moment) {
    char buffer[XS_UNIT_BYTES];
    if (moment->given && moment->is_share)
        xs_string_format(text, "%s%s %g %% of the run", text->length ? ", " : "", what, moment->share * 100);
    else if (moment->given)
        xs_string_format(text, "%s%s %s", text->length ? ", " : "", what, xs_format_ns(buffer, (uint64_t)moment->ns));
}

static void add_bytes(struct xs_string *text, const char *what, bool given, uint64_t bytes) {
    char buffer[XS_UNIT_BYTES];
    if (given)
        xs_string_format(text, "%s%s %s", text->length ? ", " : "", what, xs_format_bytes(buffer, bytes));
}

static void add_steps(struct xs_string *text, const struct xs_filter *filter) {
    uint64_t first = filter->skip_steps + 1;
    if (!xs_filter_chooses_steps(filter))
        return;
    xs_string_format(text, "%s%s %" PRIu64, text->length ? ", " : "", filter->steps == 1 ? "step" : "steps", first);
    if (filter->steps > 1)
        xs_string_format(text, " to %" PRIu64, xs_sum(filter->skip_steps, filter->steps));
    else if (!filter->steps)
        xs_string_format(text, " and later");
}

void xs_filter_text(struct xs_string *text, const struct xs_filter *filter) {
    const char *before = "direction ";
    for (unsigned i = 1; i < XS_DIRECTION_COUNT; i++) {
        if (!(filter->directions >> i & 1))
            continue;
        xs_string_format(text, "%s%s", before, xs_direction_names[i]);
        before = " or ";
    }
    add_bytes(text, "at least", filter->has_min_bytes, filter->min_bytes);
    add_bytes(text, "at most", filter->has_max_bytes, filter->max_bytes);
    add_moment(text, "from", &filter->since);
    add_moment(text, "before", &filter->until);
    add_steps(text, filter);
    add_words(text, "stream ", &filter->streams);
    add_words(text, "device ", &filter->devices);
    add_words(text, "thread ", &filter->threads);
    add_words(text, "called from ", &filter->sites);
    add_words(text, "in range ", &filter->ranges);
    if (filter->detector) {
        const struct xs_detector *detector = xs_detectors[filter->detector - 1];
        xs_string_format(text, "%sfinding %s", text->length ? ", " : "", detector->id);
        if (filter->verdict)
            xs_string_format(text, "/%s", detector->verdicts[filter->verdict - 1].name);
    }
}

/* --- on the command line --- */

static void check_range(const struct xs_filter *f, struct argp_state *state) {
    if (f->has_min_bytes && f->has_max_bytes && f->min_bytes > f->max_bytes)
        argp_error(state, "--min-size is more than --max-size");
    if (f->since.given && f->until.given && f->since.is_share == f->until.is_share &&
        (f->since.is_share ? f->since.share >= f->until.share : f->since.ns >= f->until.ns))
        argp_error(state, "--until has to come after --since");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct xs_filter *filter = state->input;
    if (key == ARGP_KEY_END) {
        check_range(filter, state);
        return 0;
    }
    if (key < KEYS || key >= KEYS + OPTIONS)
        return ARGP_ERR_UNKNOWN;
    char *wrong = set(filter, key - KEYS, argument);
    if (!wrong)
        return 0;
    argp_error(state, "--%s=%s: %s", options[key - KEYS].name, argument, wrong);
    free(wrong);
    return EINVAL;
}
const struct argp xs_filter_argp = {.options = options, .parser = parse};
