/* Writes source lines into the trace; see source_lines.h. Files are read and not mapped, because if a mapped file were
 * truncated meanwhile, a signal would be raised. */
#define _GNU_SOURCE
#include "preload/session/source_lines.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/notes.h"
#include "schema/source/source_file.h"

enum { LINES_MAX = 2000, TEXT_BYTES_MAX = 1 << 20, TIME_NS_MAX = 20000000, SLOTS = 4096 };

struct wanted {
    char *file;
    uint32_t line;
};

struct keeping {
    struct xs_store *store;
    uint64_t deadline_ns;
    int64_t start_unix_ns;
    char cwd[PATH_MAX];
    struct wanted *lines;
    uint16_t *slots; /* hash table by file and line: index into `lines`, plus 1 */
    unsigned count, refused;
    size_t text_bytes;
    bool all; /* no limit was reached */
    const char *first_refused, *why;
};

static bool in_time(struct keeping *k) {
    if (xs_monotonic_ns() < k->deadline_ns)
        return true;
    k->all = false;
    return false;
}

static uint32_t slot_of(const char *file, uint32_t line) {
    uint32_t h = 2166136261u ^ line;
    for (const char *p = file; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    return h;
}

static bool collect(void *data, const char *file, uint32_t line) {
    struct keeping *k = data;
    if (!in_time(k))
        return false;
    if (!file || *file == '<') /* <stdin>, <string> */
        return true;
    for (uint32_t i = slot_of(file, line);; i++) {
        uint16_t *slot = &k->slots[i % SLOTS];
        if (!*slot && k->count == LINES_MAX)
            return k->all = false;
        if (!*slot) {
            k->lines[k->count] = (struct wanted){strdup(file), line};
            if (!k->lines[k->count].file)
                return k->all = false;
            *slot = (uint16_t)++k->count;
            return true;
        }
        const struct wanted *known = &k->lines[*slot - 1];
        if (known->line == line && !strcmp(known->file, file))
            return true;
    }
}

static int by_file_and_line(const void *a, const void *b) {
    const struct wanted *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void refuse(struct keeping *k, const char *file, enum xs_source_status status) {
    const char *why = status == XS_SOURCE_CHANGED     ? "has changed since capture began"
                      : status == XS_SOURCE_TOO_LARGE ? "is larger than 8 MiB"
                      : status == XS_SOURCE_REFUSED   ? "is no plain text file of this user or of the system"
                                                      : NULL;
    if (why && !k->refused++) {
        k->first_refused = file;
        k->why = why;
    }
}

static int keep_lines(struct keeping *k, const struct xs_source_file *file, const struct wanted *lines,
                      unsigned count) {
    size_t at = 0, bytes = 0;
    uint32_t at_line = 1;
    int64_t id = 0;
    int status = xs_store_source_file(k->store, lines->file, &file->identity, &id);
    for (unsigned i = 0; i < count && status == XS_OK; i++) {
        const char *text = xs_source_file_line(file, lines[i].line, &at, &at_line, &bytes);
        if (!text)
            break;
        if (k->text_bytes + bytes > TEXT_BYTES_MAX) {
            k->all = false;
            break;
        }
        k->text_bytes += bytes;
        status = xs_store_source_line(k->store, id, lines[i].line, text, bytes);
    }
    return status;
}

/* Writes the lines from index `first` on that belong to the same file. Returns their number, or an error. */
static int keep_file(struct keeping *k, unsigned first) {
    struct xs_source_file file;
    char path[PATH_MAX];
    unsigned count = 1;
    const char *name = k->lines[first].file;
    while (first + count < k->count && !strcmp(k->lines[first + count].file, name))
        count++;
    int n = snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : k->cwd, *name == '/' ? "" : "/", name);
    if (n < 0 || (size_t)n >= sizeof path || *path != '/')
        return (int)count;
    enum xs_source_status read = xs_source_file_read(path, k->start_unix_ns, &file);
    if (read != XS_SOURCE_READ) {
        refuse(k, name, read);
        return (int)count;
    }
    int status = keep_lines(k, &file, k->lines + first, count);
    xs_source_file_free(&file);
    return status == XS_OK ? (int)count : status;
}

static void note(struct keeping *k) {
    if (!k->all) {
        xs_note("source",
                "the text of some lines is not in the trace: there are more than %d lines or %d KiB, or reading "
                "them took longer than %d ms",
                LINES_MAX, TEXT_BYTES_MAX >> 10, TIME_NS_MAX / 1000000);
    }
    if (k->refused) {
        xs_note("source", "the text of lines of %u file%s is not in the trace: %.200s %s", k->refused,
                k->refused == 1 ? "" : "s", k->first_refused, k->why);
    }
}

static void keep_all(struct keeping *k, const struct xs_clock *clock) {
    char start[32];
    if (xs_store_meta_read(k->store, "start_unix_ns", start, sizeof start))
        k->start_unix_ns = strtoll(start, NULL, 10);
    if (!xs_store_meta_read(k->store, "cwd", k->cwd, sizeof k->cwd))
        *k->cwd = '\0';
    int status = xs_store_begin(k->store);
    if (status == XS_OK)
        status = xs_store_python_lines(k->store, collect, k);
    qsort(k->lines, k->count, sizeof *k->lines, by_file_and_line);
    for (unsigned i = 0; i < k->count && status == XS_OK && in_time(k);) {
        int kept = keep_file(k, i);
        status = kept < 0 ? kept : XS_OK;
        i += kept < 0 ? 0 : (unsigned)kept;
    }
    note(k);
    status = status == XS_OK ? xs_notes_write(k->store, clock) : status;
    if (status == XS_OK)
        status = xs_store_commit(k->store);
    if (status != XS_OK)
        xs_store_rollback(k->store);
}

void xs_source_lines_write(struct xs_store *store, const struct xs_clock *clock) {
    struct keeping *k = calloc(1, sizeof *k);
    if (!k)
        return;
    *k = (struct keeping){.store = store, .all = true, .deadline_ns = xs_monotonic_ns() + TIME_NS_MAX};
    k->lines = calloc(LINES_MAX, sizeof *k->lines);
    k->slots = calloc(SLOTS, sizeof *k->slots);
    if (k->lines && k->slots)
        keep_all(k, clock);
    for (unsigned i = 0; k->lines && i < k->count; i++)
        free(k->lines[i].file);
    free(k->lines);
    free(k->slots);
    free(k);
}
