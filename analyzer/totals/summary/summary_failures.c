/* Reads the calls that failed; see summary_failures.h. */
#include "analyzer/totals/summary/summary_failures.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/hash.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/cuda_errors.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/shaped.h"
#include "schema/format/kinds.h"

/* True if harmless.def lists this failure. */
static bool is_harmless(int32_t result, unsigned category) {
    enum { XS_CAT_ANY = 255 };
#define XS_HARMLESS(of, error)                                                                                         \
    if (result == (int32_t)XS_CUDA_##error &&                                                                          \
        ((int)XS_CAT_##of == (int)XS_CAT_ANY || category == (unsigned)XS_CAT_##of))                                    \
        return true;
#include "analyzer/totals/summary/harmless.def"
#undef XS_HARMLESS
    return false;
}

/* True if every later call in the context fails after this result. */
static bool is_fatal(int32_t result) {
    static const enum xs_cuda_error fatal[] = {
        XS_CUDA_ECC_UNCORRECTABLE,     XS_CUDA_NVLINK_UNCORRECTABLE, XS_CUDA_CONTAINED,
        XS_CUDA_ILLEGAL_ADDRESS,       XS_CUDA_LAUNCH_TIMEOUT,       XS_CUDA_ASSERT,
        XS_CUDA_HARDWARE_STACK_ERROR,  XS_CUDA_ILLEGAL_INSTRUCTION,  XS_CUDA_MISALIGNED_ADDRESS,
        XS_CUDA_INVALID_ADDRESS_SPACE, XS_CUDA_INVALID_PC,           XS_CUDA_LAUNCH_FAILED};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (result == (int32_t)fatal[i])
            return true;
    return false;
}

static struct xs_failure *failure_of(struct xs_failures *failures, int32_t result) {
    for (size_t i = 0; i < failures->count; i++)
        if (failures->items[i].result == result)
            return &failures->items[i];
    if (failures->count == XS_FAILURE_KINDS)
        return NULL;
    failures->items = xs_realloc(failures->items, (failures->count + 1) * sizeof *failures->items);
    struct xs_failure *failure = &failures->items[failures->count++];
    *failure = (struct xs_failure){.result = result, .is_fatal = is_fatal(result), .first_ns = INT64_MAX};
    return failure;
}

enum { RESULT, CATEGORY, CALLS, FIRST, ENTRY_POINT, NAME, STACK };

static void take(struct xs_failures *failures, struct xs_scan *scan) {
    int64_t result = xs_scan_int(scan, RESULT), first_ns = xs_scan_int(scan, FIRST);
    uint64_t calls = xs_scan_count(scan, CALLS);
    if (result <= 0 || result > INT32_MAX)
        return;
    int64_t category = xs_scan_int(scan, CATEGORY);
    if (is_harmless((int32_t)result, category < 0 ? 255 : (unsigned)category)) {
        failures->harmless = xs_sum(failures->harmless, calls);
        return;
    }
    struct xs_failure *failure = failure_of(failures, (int32_t)result);
    failures->calls = xs_sum(failures->calls, calls);
    if (!failure)
        return;
    failure->calls = xs_sum(failure->calls, calls);
    if (first_ns >= failure->first_ns)
        return;
    failure->first_ns = first_ns;
    failure->entry_point = xs_scan_int(scan, ENTRY_POINT);
    failure->stack = xs_scan_int(scan, STACK);
    free(failure->name);
    failure->name = xs_scan_name(scan, NAME);
}

/* The copies of a batch call are one call. If a query has min(), SQLite takes the other columns from the row with the
 * minimum. */
static const struct {
    const char *table, *stack, *also;
} tables[] = {{"transfer", "x.stack", " AND coalesce(x.batch_index, 0) = 0"},
              {"memset", "x.stack", ""},
              {"launch", "NULL", ""},
              {"sync", "x.stack", ""},
              {"api_call", "NULL", ""}};

static int read_table(struct xs_failures *failures, const struct xs_trace *trace, size_t table, char *message) {
    struct xs_scan scan;
    if (!xs_shaped_any(trace, tables[table].table, "result <> 0"))
        return XS_OK;
    xs_scan_format(
        &scan, trace, message, NULL,
        "SELECT x.result, e.category, count(*), min(x.enter_ns), x.entry_point, e.name, %s FROM %s x"
        " LEFT JOIN entry_point e ON e.id = x.entry_point WHERE x.result <> 0%s GROUP BY x.result, x.entry_point",
        tables[table].stack, tables[table].table, tables[table].also);
    while (xs_scan_row(&scan))
        take(failures, &scan);
    return xs_scan_end(&scan);
}

/* Does not count refused allocations after which the thread later got at least as much memory, because an allocator
 * frees memory after a refusal and then tries again. */
static int forgive_refusals(struct xs_failures *failures, const struct xs_trace *trace, char *message) {
    enum { THREAD, BYTES, REFUSED };
    struct xs_failure *refused = NULL;
    struct xs_hash given = {0}; /* from thread.id to the largest number of bytes that the thread got later, plus 1 */
    struct xs_scan scan;
    for (size_t i = 0; i < failures->count; i++)
        if (failures->items[i].result == XS_CUDA_OUT_OF_MEMORY)
            refused = &failures->items[i];
    if (!refused)
        return XS_OK;
    xs_scan_format(&scan, trace, message, NULL,
                   "SELECT thread, bytes, 0, enter_ns FROM allocation UNION ALL SELECT x.thread, x.bytes, 1, x.enter_ns"
                   " FROM api_call x JOIN entry_point e ON e.id = x.entry_point WHERE x.result = %d AND e.category = %d"
                   " ORDER BY enter_ns DESC",
                   (int)XS_CUDA_OUT_OF_MEMORY, (int)XS_CAT_ALLOCATE);
    while (xs_scan_row(&scan)) {
        uint64_t bytes = xs_scan_count_or_null(&scan, BYTES);
        uint64_t *most = xs_hash_put(&given, (uint64_t)xs_scan_int(&scan, THREAD), 0);
        *most = *most ? *most : 1;
        if (!xs_scan_int(&scan, REFUSED)) {
            *most = bytes >= *most ? bytes + 1 : *most;
        } else if (*most > bytes && refused->calls) {
            refused->calls--;
            failures->calls--;
            failures->harmless++;
        }
    }
    xs_hash_free(&given);
    return xs_scan_end(&scan);
}

static int compare(const void *a, const void *b) {
    const struct xs_failure *x = a, *y = b;
    return xs_compare(y->is_fatal, x->is_fatal) ?: xs_compare_uint64(y->calls, x->calls)
        ?: xs_compare(x->result, y->result);
}

static void read_device_failure(const struct xs_trace *trace, struct xs_first_failure *failure) {
    char cupti[16];
    int64_t result = xs_trace_meta_int(trace, "failure.result", 0);
    *failure = (struct xs_first_failure){.result = result > 0 && result <= INT32_MAX ? (int32_t)result : 0,
                                         .at_ns = xs_trace_meta_int(trace, "failure.at_ns", 0)};
    failure->cupti_attached =
        failure->result && !strcmp(xs_trace_meta_text(trace, "failure.cupti", cupti, sizeof cupti, ""), "attached");
    xs_trace_meta_text(trace, "failure.entry_point", failure->entry_point, sizeof failure->entry_point, "");
}

int xs_failures_read(const struct xs_trace *trace, struct xs_failures *failures, char *message) {
    int status = XS_OK;
    *failures = (struct xs_failures){0};
    read_device_failure(trace, &failures->device);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status >= 0; i++)
        status = read_table(failures, trace, i, message);
    if (status >= 0)
        status = forgive_refusals(failures, trace, message);
    xs_sort(failures->items, failures->count, sizeof *failures->items, compare);
    while (failures->count && !failures->items[failures->count - 1].calls) /* all calls with this error were forgiven
                                                                              refusals */
        free(failures->items[--failures->count].name);
    if (status < 0)
        xs_failures_free(failures);
    return status;
}

void xs_failures_free(struct xs_failures *failures) {
    for (size_t i = 0; i < failures->count; i++)
        free(failures->items[i].name);
    free(failures->items);
    *failures = (struct xs_failures){0};
}
