/* Prints a part of the report: page migrations of managed memory, and allocations. */
#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"

static void print_migrations(const struct xs_summary *s, struct xs_out *out) {
    static const char *const labels[] = {
        "unknown",   "to the device", "to the host",     "faults on the host", "faults on the device",
        "thrashing", "throttling",    "remote mappings", "between devices"};
    _Static_assert(sizeof labels / sizeof *labels == XS_MIGRATION_KIND_COUNT, "a label for each migration");
    XS_SCOPED_TABLE *table = xs_table_new(2);
    static const char *const headers[] = {"managed memory", "count", "size", "time"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i > 0);
    for (unsigned i = 0; i < XS_MIGRATION_KIND_COUNT; i++) {
        const struct xs_count_time *t = &s->migrations[i];
        if (!t->count)
            continue;
        xs_table_cell(table, labels[i]);
        xs_table_cell(table, XS_COUNT_TEXT(t->count));
        xs_table_cell(table, t->bytes ? XS_BYTES_TEXT(t->bytes) : NULL);
        xs_table_cell(table, t->ns ? XS_NS_TEXT(t->ns) : NULL);
    }
    if (xs_table_rows(table)) {
        xs_out_heading(out, "Page migrations");
        xs_table_print(table, out);
    }
}
static void print_memory(const struct xs_summary *s, struct xs_out *out) {
    XS_SCOPED_TABLE *table = xs_table_new(2);
    static const char *const headers[] = {"memory",     "allocated", "size",       "peak",
                                          "time taken", "freed",     "time taken", "never freed"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        xs_table_column(table, headers[i], i > 0);
        if (i >= 4 && i <= 6) /* the times, and how many were freed */
            xs_table_optional(table);
    }
    for (unsigned kind = 0; kind < XS_MEMORY_KIND_COUNT; kind++) {
        const struct xs_allocation_totals *a = &s->allocations[kind];
        if (!a->count)
            continue;
        xs_table_cell(table, xs_memory_kind_names[kind]);
        xs_table_cell(table, XS_COUNT_TEXT(a->count));
        xs_table_cell(table, XS_BYTES_TEXT(a->bytes));
        xs_table_cell(table, XS_BYTES_TEXT(a->peak_bytes));
        xs_table_cell(table, XS_NS_TEXT(a->host_ns));
        xs_table_cell(table, XS_COUNT_TEXT(a->frees));
        xs_table_cell(table, a->frees ? XS_NS_TEXT(a->free_host_ns) : NULL);
        xs_table_cell(table, a->live_count ? XS_BYTES_TEXT(a->live_bytes) : NULL);
    }
    if (xs_table_rows(table)) {
        xs_out_heading(out, "Memory");
        xs_table_print(table, out);
    }
}

void xs_report_memory(const struct xs_summary *s, struct xs_out *out) {
    print_migrations(s, out);
    print_memory(s, out);
}
