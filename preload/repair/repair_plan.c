/* Reads a plan, and finds the line of a call. */
#include "preload/repair/repair_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_MEMORY "there is no memory for %.150s"
#define LARGEST_BYTES (64 << 20) /* about two million lines */

enum xs_plan_mode xs_plan_mode;
static _Atomic uint64_t differences;

/* The lines are sorted by thread and first ordinal; lines for any thread or any ordinal come first. */
static struct lines {
    struct xs_plan_line *at;
    unsigned count, room;
} lines[XS_REPAIR_COUNT];

static const char *const names[XS_REPAIR_COUNT] = {
#define XS_REPAIR(id, symbol, name, what) name,
#include "schema/repairs.def"
#undef XS_REPAIR
};

/* Reads a number, or "*", which sets *any. False: it is neither. */
static bool read_number(const char *word, uint64_t *number, bool *any) {
    char *end;
    *any = strcmp(word, "*") == 0;
    *number = 0;
    if (*any)
        return true;
    errno = 0;
    *number = strtoull(word, &end, 10);
    return word[0] >= '0' && word[0] <= '9' && !*end && errno == 0;
}

/* Reads "12", "13-211" or "*". */
static bool read_ordinals(char *word, struct xs_plan_line *line) {
    char *dash = strchr(word, '-');
    bool any_last = false;
    if (dash)
        *dash = 0;
    if (!read_number(word, &line->first, &line->any_ordinal))
        return false;
    line->last = line->first;
    return !dash || (!line->any_ordinal && read_number(dash + 1, &line->last, &any_last) && !any_last &&
                     line->last >= line->first);
}

static bool read_id(char *thread, char *ordinal, struct xs_copy_id *id) {
    uint64_t number;
    bool any;
    if (!read_number(thread, &number, &any) || any || number > UINT32_MAX)
        return false;
    id->thread = (uint32_t)number;
    return read_number(ordinal, &id->ordinal, &any) && !any;
}

static bool add_line(const struct xs_plan_line *line) {
    struct lines *to = &lines[line->repair];
    if (to->count == to->room) {
        unsigned room = to->room ? 2 * to->room : 64;
        struct xs_plan_line *at = realloc(to->at, room * sizeof *at);
        if (!at)
            return false;
        to->at = at;
        to->room = room;
    }
    to->at[to->count++] = *line;
    return true;
}

/* Reads the words of a plan's line: REPAIR THREAD ORDINALS BYTES [from THREAD ORDINAL]. */
static bool read_line(char *words[8], unsigned count, struct xs_plan_line *line) {
    uint64_t thread;
    bool is_known = false;
    *line = (struct xs_plan_line){.has_from = count == 7};
    for (unsigned i = 0; i < XS_REPAIR_COUNT && count; i++) {
        if (strcmp(words[0], names[i]) == 0) {
            line->repair = (enum xs_repair_id)i;
            is_known = true;
        }
    }
    if (!is_known || (count != 4 && count != 7) || !read_number(words[1], &thread, &line->any_thread) ||
        thread > UINT32_MAX || !read_ordinals(words[2], line) || !read_number(words[3], &line->bytes, &line->any_bytes))
        return false;
    line->thread = (uint32_t)thread;
    return count == 4 || (strcmp(words[4], "from") == 0 && read_id(words[5], words[6], &line->from));
}

static unsigned split(char *text, char *words[8]) {
    unsigned count = 0;
    char *rest = NULL;
    for (char *w = strtok_r(text, " \t\r\n", &rest); w && w[0] != '#' && count < 8;
         w = strtok_r(NULL, " \t\r\n", &rest))
        words[count++] = w;
    return count;
}

static int compare(const void *a, const void *b) {
    const struct xs_plan_line *x = a, *y = b;
    bool x_any = x->any_thread || x->any_ordinal, y_any = y->any_thread || y->any_ordinal;
    if (x_any != y_any)
        return x_any ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

#define TOO_LARGE "%.150s has more than %d MiB, so it is no plan"

/* Reads all lines of a plan. False: `why` has the reason. */
static bool read_all(FILE *from, const char *path, char why[256]) {
    char text[512], *words[8];
    bool has_head = false;
    size_t bytes = 0;
    for (unsigned number = 1; fgets(text, sizeof text, from); number++) {
        struct xs_plan_line line;
        bytes += strlen(text) + 1; /* a file may grow while it is read */
        if (bytes > LARGEST_BYTES) {
            snprintf(why, 256, TOO_LARGE, path, LARGEST_BYTES >> 20);
            return false;
        }
        unsigned count = split(text, words);
        if (count == 0)
            continue;
        if (!has_head) {
            has_head = count == 2 && strcmp(words[0], "xferspy-plan") == 0 && strcmp(words[1], "1") == 0;
            if (!has_head) {
                snprintf(why, 256, "%.150s is no plan of this version: it does not begin with 'xferspy-plan 1'", path);
                return false;
            }
        } else if (count == 2 && strcmp(words[0], "mode") == 0 &&
                   (strcmp(words[1], "apply") == 0 || strcmp(words[1], "verify") == 0)) {
            xs_plan_mode = words[1][0] == 'v' ? XS_PLAN_VERIFY : XS_PLAN_APPLY;
        } else if (!read_line(words, count, &line)) {
            snprintf(why, 256, "%.150s:%u is no line of a plan", path, number);
            return false;
        } else if (!add_line(&line)) {
            snprintf(why, 256, NO_MEMORY, path);
            return false;
        }
    }
    if (!has_head || ferror(from)) {
        snprintf(why, 256, "%.150s is empty or cannot be read", path);
        return false;
    }
    return true;
}

/* Opens the file if it is a regular one; a FIFO or an endless device could stop the program. NULL: `why` has the
 * reason. */
static FILE *open_file(const char *path, char why[256]) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0) {
        snprintf(why, 256, "%.150s cannot be opened", path);
    } else if (!S_ISREG(st.st_mode)) {
        snprintf(why, 256, "%.150s is no regular file", path);
    } else if (st.st_size > LARGEST_BYTES) {
        snprintf(why, 256, TOO_LARGE, path, LARGEST_BYTES >> 20);
    } else {
        FILE *from = fdopen(fd, "re");
        if (from)
            return from;
        snprintf(why, 256, NO_MEMORY, path);
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

bool xs_plan_read(const char *path, char why[256]) {
    FILE *from = open_file(path, why);
    if (!from)
        return false;
    for (unsigned i = 0; i < XS_REPAIR_COUNT; i++)
        lines[i].count = 0;
    xs_plan_mode = XS_PLAN_APPLY;
    bool is_read = read_all(from, path, why);
    fclose(from);
    for (unsigned i = 0; i < XS_REPAIR_COUNT && is_read; i++)
        if (lines[i].count)
            qsort(lines[i].at, lines[i].count, sizeof *lines[i].at, compare);
    if (!is_read)
        xs_plan_mode = XS_PLAN_ABSENT;
    return is_read;
}

/* Finds the line for a copy: the last of the sorted lines that begins at or before the copy, if it includes the copy,
 * else the first line for any thread or any ordinal that fits. In a sensible plan, the ordinals of one thread's lines
 * do not overlap. */
static const struct xs_plan_line *find(const struct lines *in, const struct xs_copy_id *id, uint64_t bytes) {
    unsigned low = 0, high = in->count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        const struct xs_plan_line *l = &in->at[middle];
        bool is_before = l->any_thread || l->any_ordinal || l->thread < id->thread ||
                         (l->thread == id->thread && l->first <= id->ordinal);
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    if (low > 0) {
        const struct xs_plan_line *l = &in->at[low - 1];
        if (!l->any_thread && !l->any_ordinal && l->thread == id->thread && id->ordinal <= l->last)
            return l;
    }
    for (unsigned i = 0; i < in->count && (in->at[i].any_thread || in->at[i].any_ordinal); i++) {
        const struct xs_plan_line *l = &in->at[i];
        if ((l->any_thread || l->thread == id->thread) && (l->any_bytes || l->bytes == bytes) &&
            (l->any_ordinal || (id->ordinal >= l->first && id->ordinal <= l->last)))
            return l;
    }
    return NULL;
}

const struct xs_plan_line *xs_plan_of_copy(enum xs_repair_id repair, const struct xs_repair_copy *copy) {
    const struct xs_plan_line *line = find(&lines[repair], &copy->id, copy->bytes);
    if (line && !line->any_bytes && line->bytes != copy->bytes) {
        atomic_fetch_add_explicit(&differences, 1, memory_order_relaxed);
        return NULL;
    }
    return line;
}

bool xs_plan_has_size(enum xs_repair_id repair, uint64_t bytes) {
    for (unsigned i = 0; i < lines[repair].count; i++)
        if (lines[repair].at[i].any_bytes || lines[repair].at[i].bytes == bytes)
            return true;
    return xs_plan_mode == XS_PLAN_ABSENT;
}

const struct xs_plan_line *xs_plan_lines(enum xs_repair_id repair, unsigned *count) {
    *count = lines[repair].count;
    return lines[repair].at;
}

uint64_t xs_plan_differences(void) { return atomic_load_explicit(&differences, memory_order_relaxed); }
