/* Imports NVTX ranges: the nested ranges of each thread, from nvtxRangePush and Pop. Calls look their range up in order
 * of time. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/import/import_internal.h"

enum { PUSH_POP = 59, DOMAIN_CREATE = 75, NESTING = 64 };

struct range {
    int64_t thread, start, end;
    const char *name, *domain; /* domain NULL: the default domain */
    size_t order;
};

/* A thread's ranges, and the position in time of its latest call. */
struct thread {
    size_t next, last; /* indices in `ranges`: the next one to begin, and the end */
    unsigned depth;
    struct {
        int64_t end;
        int32_t row;
    } open[NESTING];
};

struct xs_nsys_ranges {
    struct range *ranges;
    size_t count, capacity;
    struct thread *threads;
    size_t thread_count;
    struct xs_hash by_thread; /* by globalTid: index + 1 */
    struct xs_hash names;     /* from name and domain to a number */
    struct xs_hash rows;      /* from this number and the parent to the row id */
};

static int by_thread_and_start(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    return xs_compare(x->thread, y->thread) ?: xs_compare(x->start, y->start)
        ?: xs_compare(y->end, x->end) /* the outer one comes first */ ?: xs_compare_uint64(x->order, y->order);
}

static void read_domains(struct xs_nsys *nsys, struct xs_hash *domains) {
    enum { TYPE, DOMAIN, TEXT, TEXT_ID };
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(nsys, "NVTX_EVENTS", "eventType, domainId, text, textId", NULL);
    while (xs_nsys_row(nsys, rows)) {
        int64_t domain;
        if (xs_nsys_int_or(rows, TYPE, 0) != DOMAIN_CREATE || !xs_nsys_int(rows, DOMAIN, &domain))
            continue;
        const char *name = xs_nsys_text(nsys, rows, TEXT);
        name = name ? name : xs_nsys_string(nsys, rows, TEXT_ID);
        if (name && *name)
            *xs_hash_put(domains, (uint64_t)domain, 0) = (uint64_t)(uintptr_t)name;
    }
}

static void read_ranges(struct xs_nsys_importer *importer, const struct xs_hash *domains) {
    enum { START, END, TYPE, TID, DOMAIN, TEXT, TEXT_ID };
    struct xs_nsys_ranges *all = importer->ranges;
    struct xs_nsys *nsys = importer->nsys;
    sqlite3_stmt *rows =
        xs_nsys_select(nsys, "NVTX_EVENTS", "start, end, eventType, globalTid, domainId, text, textId", NULL);
    while (xs_nsys_row(nsys, rows)) {
        struct range range = {.thread = xs_nsys_int_or(rows, TID, 0), .order = all->count};
        if (xs_nsys_int_or(rows, TYPE, 0) != PUSH_POP || range.thread >> 24 != importer->process->global)
            continue;
        range.name = xs_nsys_text(nsys, rows, TEXT);
        range.name = range.name && *range.name ? range.name : xs_nsys_string(nsys, rows, TEXT_ID);
        const uint64_t *domain = xs_hash_find(domains, (uint64_t)xs_nsys_int_or(rows, DOMAIN, 0), 0);
        range.domain = domain ? (const char *)(uintptr_t)*domain : NULL;
        if (sqlite3_column_type(rows, END) == SQLITE_NULL && xs_nsys_int(rows, START, &range.start)) {
            range.end = INT64_MAX; /* never popped */
        } else if (!xs_nsys_span(rows, START, &range.start, &range.end)) {
            nsys->skipped++;
            continue;
        }
        if (!range.name)
            continue;
        xs_grow(&all->ranges, all->count, &all->capacity, sizeof *all->ranges);
        all->ranges[all->count++] = range;
    }
    sqlite3_finalize(rows);
}

void xs_nsys_ranges_begin(struct xs_nsys_importer *importer) {
    struct xs_nsys_ranges *all = xs_realloc(NULL, sizeof *all);
    XS_SCOPED_HASH domains = {0};
    *all = (struct xs_nsys_ranges){0};
    importer->ranges = all;
    read_domains(importer->nsys, &domains);
    read_ranges(importer, &domains);
    xs_sort(all->ranges, all->count, sizeof *all->ranges, by_thread_and_start);
    for (size_t i = 0; i < all->count; i++) {
        if (!i || all->ranges[i].thread != all->ranges[i - 1].thread) {
            all->threads = xs_realloc(all->threads, (all->thread_count + 1) * sizeof *all->threads);
            all->threads[all->thread_count++] = (struct thread){.next = i};
            *xs_hash_put(&all->by_thread, (uint64_t)all->ranges[i].thread, 0) = all->thread_count;
        }
        all->threads[all->thread_count - 1].last = i + 1;
    }
}

/* Returns the row of a range. Ranges with the same name and the same parent have the same row. Texts are kept once, so
 * equal texts have equal addresses. */
static int32_t row_of(struct xs_nsys_importer *importer, const struct range *range, int32_t parent) {
    struct xs_hash *rows = &importer->ranges->rows, *names = &importer->ranges->names;
    uint64_t *name = xs_hash_put(names, (uint64_t)(uintptr_t)range->name, (uint64_t)(uintptr_t)range->domain);
    if (!*name)
        *name = names->count;
    uint64_t *slot = xs_hash_put(rows, *name, (uint64_t)parent);
    if (!*slot) {
        *slot = rows->count;
        xs_nsys_insert(importer, "INTO nvtx_range",
                       XS_ROW(xs_int("id", (int64_t)*slot), xs_id("parent", parent), xs_text("domain", range->domain),
                              xs_text("name", range->name)));
    }
    return (int32_t)*slot;
}

int32_t xs_nsys_range_at(struct xs_nsys_importer *importer, int64_t global_tid, int64_t ns) {
    struct xs_nsys_ranges *all = importer->ranges;
    const uint64_t *slot = xs_hash_find(&all->by_thread, (uint64_t)global_tid, 0);
    if (!slot)
        return 0;
    struct thread *thread = &all->threads[*slot - 1];
    for (;;) {
        const struct range *range = thread->next < thread->last ? &all->ranges[thread->next] : NULL;
        int64_t until = range && range->start <= ns ? range->start : ns;
        while (thread->depth && thread->open[thread->depth - 1].end <= until)
            thread->depth--;
        if (!range || range->start > ns)
            break;
        thread->next++;
        if (thread->depth < NESTING && range->end > ns) {
            int32_t parent = thread->depth ? thread->open[thread->depth - 1].row : 0;
            thread->open[thread->depth].end = range->end;
            thread->open[thread->depth++].row = row_of(importer, range, parent);
        }
    }
    return thread->depth ? thread->open[thread->depth - 1].row : 0;
}

void xs_nsys_ranges_end(struct xs_nsys_importer *importer) {
    struct xs_nsys_ranges *all = importer->ranges;
    if (!all)
        return;
    free(all->ranges);
    free(all->threads);
    xs_hash_free(&all->by_thread);
    xs_hash_free(&all->names);
    xs_hash_free(&all->rows);
    free(all);
    importer->ranges = NULL;
}
