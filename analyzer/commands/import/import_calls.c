/* Imports the calls of the host: the calls of CUDA's runtime and driver, in order of time, joined with their device
 * records. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/commands/import/import_internal.h"
#include "analyzer/trace/kind_words.h"

static const struct kind {
    const char *beginning;
    enum xs_category category;
    int detail;
} kinds[] = {
#define XS_NSYS_CALL(beginning, category, detail) {beginning, XS_CAT_##category, detail},
#include "analyzer/commands/import/import_calls.def"
#undef XS_NSYS_CALL
};

/* A function's name in the export, looked up once. */
struct function {
    const struct kind *kind; /* NULL: its calls are left out */
    int32_t entry_point;
    bool is_async, is_batch;
};

struct reading {
    struct xs_nsys_importer *importer;
    struct function *functions;
    size_t count, capacity;
    struct xs_hash by_name; /* to index + 1 */
};

enum { TAKEN = -1, NAME_BYTES = 128 };

static const struct kind *kind_of(const char *name) {
    size_t prefix = !strncmp(name, "cuda", 4) ? 4 : !strncmp(name, "cu", 2) ? 2 : 0;
    if (!prefix || !isupper((unsigned char)name[prefix]))
        return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(name + prefix, kinds[i].beginning, strlen(kinds[i].beginning)))
            return &kinds[i];
    return NULL;
}

/* Returns the length of a name without its version: "cudaMemcpy_v3020" is cudaMemcpy. The number is the version of the
 * runtime that introduced the function. */
static size_t plain_length(const char *name) {
    const char *mark = strrchr(name, '_');
    bool is_version =
        mark && mark[1] == 'v' && strlen(mark + 2) >= 4 && strspn(mark + 2, "0123456789") == strlen(mark + 2);
    return is_version ? (size_t)(mark - name) : strlen(name);
}

static struct function look_into(struct xs_nsys_importer *importer, const char *name) {
    struct function function = {.kind = name ? kind_of(name) : NULL};
    char plain[NAME_BYTES];
    size_t length = name ? plain_length(name) : 0;
    if (!function.kind || length >= sizeof plain)
        return (struct function){0};
    memcpy(plain, name, length);
    plain[length] = 0;
    function.is_async = strstr(plain, "Async") != NULL;
    function.is_batch = strstr(plain, "Batch") != NULL;
    const char *kept = xs_texts_keep(&importer->nsys->texts, plain);
    uint64_t *row = xs_hash_put(&importer->entry_points, (uint64_t)(uintptr_t)kept, 0);
    if (!*row) {
        *row = importer->entry_points.count;
        xs_nsys_insert(
            importer, "INTO entry_point",
            XS_ROW(xs_int("id", (int64_t)*row), xs_text("name", kept), xs_int("category", function.kind->category)));
    }
    function.entry_point = (int32_t)*row;
    return function;
}

static const struct function *function_of(struct reading *reading, sqlite3_stmt *rows, int column) {
    int64_t id;
    if (!xs_nsys_int(rows, column, &id))
        return NULL;
    uint64_t *slot = xs_hash_put(&reading->by_name, (uint64_t)id, 0);
    if (!*slot) {
        xs_grow(&reading->functions, reading->count, &reading->capacity, sizeof *reading->functions);
        reading->functions[reading->count++] =
            look_into(reading->importer, xs_nsys_string(reading->importer->nsys, rows, column));
        *slot = reading->count;
    }
    return &reading->functions[*slot - 1];
}

/* --- what the device recorded for a call --- */

/* Takes the records of a call out of the list; `*last` is the last record, or NULL if the call has none. False: an
 * earlier call has taken them. Of two nested calls only the first one gets them, because both have the same number. */
static bool take_records(struct xs_nsys_importer *importer, uint32_t correlation, struct xs_nsys_record **last) {
    uint64_t *slot = correlation ? xs_hash_find(&importer->by_call, correlation, 0) : NULL;
    *last = NULL;
    if (!slot)
        return true;
    if (*slot == (uint64_t)TAKEN)
        return false;
    *last = &importer->records[*slot - 1];
    *slot = (uint64_t)TAKEN;
    return true;
}

static struct xs_nsys_record *next_record(struct xs_nsys_importer *importer, const struct xs_nsys_record *record) {
    return record->next ? &importer->records[record->next - 1] : NULL;
}

static struct xs_nsys_record *of_type(struct xs_nsys_importer *importer, struct xs_nsys_record *record,
                                      enum xs_nsys_record_type type) {
    while (record && record->type != type)
        record = next_record(importer, record);
    return record;
}

/* Returns the context for a call that has none in the export: the context of the process, if it has just one. */
static int32_t only_context(const struct xs_nsys_importer *importer) { return importer->contexts.count == 1 ? 1 : 0; }

/* --- rows --- */

/* Converts CUPTI's kind of memory to a trace's kind. `device`: this side of the copy can only be device memory. */
static enum xs_memory_kind memory_of(unsigned kind, bool device) {
    enum xs_memory_kind found = xs_nsys_memory_kind((int64_t)kind - 1);
    return found == XS_MEM_UNKNOWN && device ? XS_MEM_DEVICE : found;
}

/* Writes a transfer. `record` NULL: the call failed. */
static void put_transfer(struct xs_nsys_importer *importer, const struct xs_nsys_call *call,
                         const struct xs_nsys_record *record, int64_t bytes, int64_t batch_index) {
    static const struct xs_nsys_record none = {.device = -1, .src_device = -1, .dst_device = -1};
    const struct xs_nsys_record *r = record ? record : &none;
    unsigned direction = xs_direction_of_copy(r->kind);
    bool from_device = direction == XS_DIR_D2H || direction == XS_DIR_D2D || direction == XS_DIR_PEER;
    bool to_device = direction == XS_DIR_H2D || direction == XS_DIR_D2D || direction == XS_DIR_PEER;
    int32_t src = r->src_device >= 0 ? r->src_device : r->device, dst = r->dst_device >= 0 ? r->dst_device : r->device;
    xs_nsys_insert(
        importer, "INTO transfer",
        XS_ROW(xs_int("entry_point", call->entry_point), xs_int("thread", call->thread), xs_int("direction", direction),
               xs_int("bytes", bytes), xs_int("src_kind", memory_of(r->src_kind, from_device)),
               xs_int("dst_kind", memory_of(r->dst_kind, to_device)), xs_if("src_device", from_device && src >= 0, src),
               xs_if("dst_device", to_device && dst >= 0, dst), xs_id("context", r->context),
               xs_id("stream", r->stream), xs_int("is_async", call->is_async), xs_int("is_captured", 0),
               xs_int("result", call->result), xs_int("enter_ns", call->start_ns), xs_int("return_ns", call->end_ns),
               xs_id("correlation", call->correlation), xs_if("batch_index", batch_index >= 0, batch_index),
               xs_int("skip", record ? XS_SKIP_IMPORTED : XS_SKIP_FAILED), xs_id("stack", call->stack),
               xs_id("nvtx_range", call->range)));
    importer->counts->transfers++;
}

/* Writes the copies of a call. A batch call has one record per copy. Any other call may have several records: parts of
 * its one copy, or, for a peer copy without peer access, two records of the whole size. False: the call has no record.
 */
static bool put_copies(struct xs_nsys_importer *importer, const struct xs_nsys_call *call, bool is_batch,
                       struct xs_nsys_record *records) {
    struct xs_nsys_record *first = NULL;
    int64_t count = 0, bytes = 0;
    for (struct xs_nsys_record *r = records; (r = of_type(importer, r, XS_NSYS_COPY)); r = next_record(importer, r)) {
        int64_t sum;
        first = r; /* after the loop, the record that was recorded first */
        count++;
        if (xs_direction_of_copy(r->kind) == XS_DIR_PEER)
            bytes = r->bytes > bytes ? r->bytes : bytes;
        else
            bytes = __builtin_add_overflow(bytes, r->bytes, &sum) ? INT64_MAX : sum;
    }
    if (!first)
        return false;
    if (!is_batch || count == 1) {
        put_transfer(importer, call, first, bytes, -1);
        return true;
    }
    for (struct xs_nsys_record *r = records; (r = of_type(importer, r, XS_NSYS_COPY)); r = next_record(importer, r))
        put_transfer(importer, call, r, r->bytes, --count);
    return true;
}

static bool put_memset(struct xs_nsys_importer *importer, const struct xs_nsys_call *call,
                       const struct xs_nsys_record *r) {
    if (!r)
        return false;
    xs_nsys_insert(importer, "INTO memset",
                   XS_ROW(xs_int("entry_point", call->entry_point), xs_int("thread", call->thread),
                          xs_int("address", 0), xs_int("bytes", r->bytes), xs_int("value", r->value),
                          xs_int("element_bytes", 1), xs_int("kind", memory_of(r->dst_kind, true)),
                          xs_if("device", r->device >= 0, r->device), xs_id("context", r->context),
                          xs_id("stream", r->stream), xs_int("is_async", call->is_async), xs_int("is_captured", 0),
                          xs_int("result", call->result), xs_int("enter_ns", call->start_ns),
                          xs_int("return_ns", call->end_ns), xs_id("correlation", call->correlation),
                          xs_id("stack", call->stack), xs_id("nvtx_range", call->range)));
    importer->counts->memsets++;
    return true;
}

static void put_launch(struct xs_nsys_importer *importer, const struct xs_nsys_call *call, int kind) {
    static const uint64_t launched = (uint64_t)1 << 63;
    uint64_t *kernel = call->correlation ? xs_hash_find(&importer->by_call, call->correlation, 1) : NULL;
    if (kernel && *kernel & launched) /* this is the call of the driver inside the call of the runtime */
        return;
    int64_t context = kernel ? (int64_t)(*kernel >> 31 & INT32_MAX) : only_context(importer);
    int64_t stream = kernel ? (int64_t)(*kernel & INT32_MAX) : 0;
    if (kernel)
        *kernel |= launched;
    xs_nsys_insert(importer, "INTO launch",
                   XS_ROW(xs_int("entry_point", call->entry_point), xs_int("thread", call->thread),
                          xs_int("kind", kind), xs_id("context", context), xs_id("stream", stream),
                          xs_int("is_captured", 0), xs_int("result", call->result), xs_int("enter_ns", call->start_ns),
                          xs_int("return_ns", call->end_ns), xs_id("correlation", call->correlation)));
}

static void put_wait(struct xs_nsys_importer *importer, const struct xs_nsys_call *call, int scope,
                     const struct xs_nsys_record *r) {
    int32_t context = r && r->context ? r->context : only_context(importer);
    xs_nsys_insert(
        importer, "INTO sync",
        XS_ROW(xs_int("entry_point", call->entry_point), xs_int("thread", call->thread), xs_int("scope", scope),
               xs_if("object", scope == XS_SYNC_EVENT && r && r->value, r ? r->value : 0), xs_id("context", context),
               xs_if("stream", r && r->stream, r ? r->stream : 0), xs_int("result", call->result),
               xs_int("enter_ns", call->start_ns), xs_int("return_ns", call->end_ns), xs_id("stack", call->stack),
               xs_id("nvtx_range", call->range)));
    importer->counts->waits++;
}

static void put_other(struct xs_nsys_importer *importer, const struct xs_nsys_call *call,
                      const struct xs_nsys_record *r) {
    int32_t context = r && r->context ? r->context : only_context(importer);
    xs_nsys_insert(importer, "INTO api_call",
                   XS_ROW(xs_int("entry_point", call->entry_point), xs_int("thread", call->thread),
                          xs_if("object", r && r->value, r ? r->value : 0), xs_id("context", context),
                          xs_if("stream", r && r->stream, r ? r->stream : 0), xs_int("is_captured", 0),
                          xs_int("result", call->result), xs_int("enter_ns", call->start_ns),
                          xs_int("return_ns", call->end_ns), xs_id("correlation", call->correlation)));
}

/* Stores a call in its memory events, which are written at the end. False: the call has no memory events, or they
 * belong to another call already. */
static bool give_to_memory(struct xs_nsys_importer *importer, const struct xs_nsys_call *call) {
    uint64_t *slot = call->correlation ? xs_hash_find(&importer->memory_by_call, call->correlation, 0) : NULL;
    if (!slot || *slot == (uint64_t)TAKEN)
        return false;
    for (uint64_t i = *slot; i; i = importer->memory[i - 1].next) {
        importer->memory[i - 1].has_call = true;
        importer->memory[i - 1].call = *call;
    }
    *slot = (uint64_t)TAKEN;
    return true;
}

static void put_call(struct xs_nsys_importer *importer, const struct xs_nsys_call *call,
                     const struct function *function) {
    const struct kind *kind = function->kind;
    struct xs_nsys_record *records;
    if (!take_records(importer, call->correlation, &records))
        return;
    bool failed = call->result != 0;
    switch (kind->category) {
    case XS_CAT_TRANSFER:
        if (put_copies(importer, call, function->is_batch, records))
            return;
        if (failed) {
            put_transfer(importer, call, NULL, 0, -1);
            return;
        }
        importer->counts->calls_without_copy++;
        break;
    case XS_CAT_MEMSET:
        if (put_memset(importer, call, of_type(importer, records, XS_NSYS_MEMSET)))
            return;
        importer->counts->calls_without_copy += !failed;
        break;
    case XS_CAT_LAUNCH:
        put_launch(importer, call, kind->detail);
        return;
    case XS_CAT_SYNC:
        put_wait(importer, call, kind->detail, of_type(importer, records, XS_NSYS_SYNC));
        return;
    case XS_CAT_ALLOCATE:
    case XS_CAT_FREE:
        if (give_to_memory(importer, call))
            return;
        break;
    default:
        break;
    }
    struct xs_nsys_record *event = of_type(importer, records, XS_NSYS_EVENT);
    put_other(importer, call, event ? event : of_type(importer, records, XS_NSYS_SYNC));
}

void xs_nsys_take_calls(struct xs_nsys_importer *importer) {
    enum { START, END, TID, CORRELATION, NAME, RESULT, CHAIN };
    struct reading reading = {.importer = importer};
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(importer->nsys, "CUPTI_ACTIVITY_KIND_RUNTIME",
                                               "start, end, globalTid, correlationId, nameId, returnValue, callchainId",
                                               importer->process->in_order ? NULL : "start");
    while (xs_nsys_row(importer->nsys, rows) && !importer->failure) {
        int64_t start, end, tid = xs_nsys_int_or(rows, TID, 0);
        if (tid >> 24 != importer->process->global)
            continue;
        if (!xs_nsys_span(rows, START, &start, &end)) {
            importer->nsys->skipped++;
            continue;
        }
        const struct function *function = function_of(&reading, rows, NAME);
        if (!function || !function->kind)
            continue;
        int64_t result = xs_nsys_int_or(rows, RESULT, 0);
        struct xs_nsys_call call = {.start_ns = xs_nsys_since(importer, start),
                                    .end_ns = xs_nsys_since(importer, end),
                                    .entry_point = function->entry_point,
                                    .thread = xs_nsys_thread(importer, tid),
                                    .range = xs_nsys_range_at(importer, tid, start),
                                    .stack = xs_nsys_stack_of(importer, xs_nsys_int_or(rows, CHAIN, 0)),
                                    .result = result >= 0 && result <= INT32_MAX ? (int32_t)result : -1,
                                    .correlation = xs_nsys_correlation(rows, CORRELATION),
                                    .is_async = function->is_async};
        put_call(importer, &call, function);
    }
    free(reading.functions);
    xs_hash_free(&reading.by_name);
}
