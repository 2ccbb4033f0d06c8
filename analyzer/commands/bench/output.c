/* Compares outputs of programs; see output.h. Only a hash of each line is kept, so long outputs of many runs take
 * little memory. */
#include "analyzer/commands/bench/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"

enum { MOST_LINES = 16 << 20, MOST_LINE_BYTES = 64 << 20, TEXT_BYTES = 1 << 20 };

const char *const xs_output_result_names[] = {"same", "differs", "varies", "too-long"};

double xs_time_unit_ns(const char *text, size_t bytes) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == bytes && !memcmp(units[i].name, text, bytes))
            return units[i].ns;
    return 0;
}

/* True if a line matches; lines may contain NULs. */
static bool matches(const regex_t *pattern, const char *line, size_t bytes, regmatch_t *groups, size_t group_count) {
    groups[0] = (regmatch_t){.rm_so = 0, .rm_eo = (regoff_t)bytes};
    return regexec(pattern, line, group_count, groups, REG_STARTEND) == 0;
}

static size_t letters(const char *text, size_t bytes) {
    size_t n = 0;
    while (n < bytes && ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z')))
        n++;
    return n;
}

/* Reads the time in a line. A negative number, or a number without a known unit, is no time. */
static bool read_time(const struct xs_bench_patterns *patterns, const char *line, size_t bytes,
                      struct xs_metric_value *loop) {
    regmatch_t groups[2];
    char number[64], *end;
    if (!patterns->has_loop_time || !matches(&patterns->loop_time, line, bytes, groups, 2))
        return false;
    size_t from = (size_t)groups[1].rm_so, to = (size_t)groups[1].rm_eo;
    if (groups[1].rm_so < 0 || to - from >= sizeof number)
        return true;
    memcpy(number, line + from, to - from);
    number[to - from] = '\0';
    double value = strtod(number, &end), unit = patterns->unit_ns;
    size_t unit_at = from + (size_t)(end - number);
    while (unit_at < bytes && line[unit_at] == ' ')
        unit_at++;
    if (unit <= 0)
        unit = xs_time_unit_ns(line + unit_at, letters(line + unit_at, bytes - unit_at));
    if (end != number && unit > 0 && value >= 0 && value * unit < 9e18)
        *loop = (struct xs_metric_value){.value = (uint64_t)(value * unit), .known = true};
    return true;
}

static bool is_ignored(const struct xs_bench_patterns *patterns, const char *line, size_t bytes) {
    regmatch_t whole[1];
    for (size_t i = 0; i < patterns->ignore_count; i++)
        if (matches(&patterns->ignore[i], line, bytes, whole, 1))
            return true;
    return false;
}

static void keep_line(struct xs_outputs *outputs, size_t number, const char *line, size_t bytes) {
    uint64_t hash = xs_hash_of_text(line, bytes);
    if (outputs->runs) { /* not the first output */
        if (number < outputs->count)
            outputs->varies[number] |= outputs->lines[number] != hash;
        return;
    }
    if (number == outputs->capacity) {
        outputs->capacity = outputs->capacity ? 2 * outputs->capacity : 256;
        outputs->lines = xs_realloc(outputs->lines, outputs->capacity * sizeof *outputs->lines);
        outputs->varies = xs_realloc(outputs->varies, outputs->capacity * sizeof *outputs->varies);
    }
    outputs->lines[number] = hash;
    outputs->varies[number] = false;
    outputs->count = number + 1;
    outputs->is_full |= outputs->text.length + bytes >= TEXT_BYTES;
    if (!outputs->is_full)
        xs_string_add(&outputs->text, line, bytes);
}

bool xs_outputs_add(struct xs_outputs *outputs, FILE *file, const struct xs_bench_patterns *patterns,
                    struct xs_metric_value *loop) {
    char *line = NULL;
    size_t capacity = 0, number = 0;
    rewind(file);
    for (ssize_t n; (n = getline(&line, &capacity, file)) > 0;) {
        size_t bytes = (size_t)n, without_end = bytes - (line[bytes - 1] == '\n');
        bool timed = read_time(patterns, line, without_end, loop);
        if (!outputs)
            continue;
        if (timed || is_ignored(patterns, line, without_end)) {
            outputs->ignored += !outputs->runs;
            continue;
        }
        if (number == MOST_LINES || bytes > MOST_LINE_BYTES) {
            outputs->too_long = true;
            break;
        }
        keep_line(outputs, number++, line, bytes);
    }
    if (outputs) {
        outputs->count_varies |= outputs->runs && number != outputs->count;
        outputs->runs++;
    }
    free(line);
    return !ferror(file);
}

void xs_outputs_free(struct xs_outputs *outputs) {
    free(outputs->lines);
    free(outputs->varies);
    xs_string_free(&outputs->text);
    *outputs = (struct xs_outputs){0};
}

/* Copies the line of that number, if it is kept. */
static void copy_line(const struct xs_outputs *outputs, size_t number, struct xs_string *copy) {
    const char *at = outputs->text.data, *end = at ? at + outputs->text.length : NULL;
    if (number >= outputs->count)
        return;
    for (size_t i = 0; at < end; i++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = next ? (size_t)(next - at) : (size_t)(end - at);
        if (i == number) {
            xs_string_add(copy, at, bytes);
            return;
        }
        at += bytes + (next != NULL);
    }
}

static void differs_at(const struct xs_outputs *before, const struct xs_outputs *after, size_t number,
                       struct xs_outputs_compared *compared) {
    compared->result = XS_OUTPUT_DIFFERS;
    compared->line = number + 1;
    copy_line(before, number, &compared->before);
    copy_line(after, number, &compared->after);
}

void xs_outputs_compare(const struct xs_outputs *before, const struct xs_outputs *after,
                        struct xs_outputs_compared *compared) {
    *compared =
        (struct xs_outputs_compared){.result = XS_OUTPUT_SAME, .lines = before->count, .ignored = before->ignored};
    if (!before->runs || !after->runs)
        return;
    for (size_t i = 0; i < before->count; i++)
        compared->varying += before->varies[i];
    if (before->too_long || after->too_long) {
        compared->result = XS_OUTPUT_TOO_LONG;
        return;
    }
    if (before->count_varies) {
        compared->result = XS_OUTPUT_VARIES;
        return;
    }
    size_t both = before->count < after->count ? before->count : after->count;
    for (size_t i = 0; i < both; i++) {
        if (!before->varies[i] && (after->varies[i] || before->lines[i] != after->lines[i])) {
            differs_at(before, after, i, compared);
            return;
        }
    }
    if (before->count != after->count || after->count_varies)
        differs_at(before, after, both, compared);
}

void xs_outputs_compared_free(struct xs_outputs_compared *compared) {
    xs_string_free(&compared->before);
    xs_string_free(&compared->after);
}
