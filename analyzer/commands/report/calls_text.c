/* Prints a part of the report: waits, launches and memsets. */

#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/saving_words.h"

/* Adds a row. The name is in the plural, for counts: "stream waits". */
static void call_row(struct xs_table *table, const struct xs_summary *s, const char *what,
                     const struct xs_count_time *t) {
    if (!t->count)
        return;
    xs_table_cell(table, what);
    xs_table_cell(table, XS_COUNT_TEXT(t->count));
    xs_table_cell(table, t->bytes ? XS_BYTES_TEXT(t->bytes) : NULL);
    xs_table_cell(table, t->ns ? XS_NS_TEXT(t->ns) : NULL); /* kernel launches are counted, not timed */
    xs_table_cell(table, t->ns ? XS_SHARE_TEXT(t->ns, s->totals.ns) : NULL);
    if (t->device_ns)
        xs_table_format(table, "%s%s", xs_modelled_mark(t->modelled), XS_NS_TEXT(t->device_ns));
    else
        xs_table_cell(table, NULL);
}

void xs_report_calls(const struct xs_summary *s, struct xs_out *out) {
    static const char *const waits[] = {"wait for the context", "wait for a stream", "wait for an event"};
    static const char *const launches[] = {"launch a kernel", "launch, cooperative", "launch a graph",
                                           "launch a host function"};
    _Static_assert(sizeof waits / sizeof *waits == XS_SYNC_SCOPE_COUNT, "a label for each scope");
    _Static_assert(sizeof launches / sizeof *launches == XS_LAUNCH_KIND_COUNT, "a label for each kind");
    XS_SCOPED_TABLE *table = xs_table_new(2);
    const char *const headers[] = {"call", "count", "size", "host time", xs_share_column(&s->totals), "device time"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        xs_table_column(table, headers[i], i > 0);
        if (i == 2 || i == 4) /* the columns of the size, which most rows lack, and of the share */
            xs_table_optional(table);
    }
    for (unsigned i = 0; i < XS_SYNC_SCOPE_COUNT; i++)
        call_row(table, s, waits[i], &s->syncs[i]);
    for (unsigned i = 0; i < XS_LAUNCH_KIND_COUNT; i++)
        call_row(table, s, launches[i], &s->launches[i]);
    call_row(table, s, "memset", &s->memsets);
    if (xs_table_rows(table)) {
        xs_out_heading(out, XS_WAITING_HEADING);
        xs_table_print(table, out);
    }
}
