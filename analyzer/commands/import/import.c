/* Imports one process: calls the parts of the import in order, and writes the data that describe the run; see import.h.
 */
#include "analyzer/commands/import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/out.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/import/import_internal.h"
#include "analyzer/words/saving_words.h"
#include "schema/write/store.h"

enum { PROCESSES_MAX = 65536 };

/* --- processes --- */

static struct xs_nsys_process *process_of(struct xs_nsys_processes *all, struct xs_hash *by_global, int64_t global) {
    uint64_t *slot = xs_hash_put(by_global, (uint64_t)global, 0);
    if (!*slot) {
        if (all->count == PROCESSES_MAX) {
            *slot = 1; /* only a damaged file has so many processes */
            return &all->items[0];
        }
        all->items = xs_realloc(all->items, (all->count + 1) * sizeof *all->items);
        all->items[all->count++] = (struct xs_nsys_process){
            .global = global, .pid = global & 0xffffff, .start_ns = INT64_MAX, .end_ns = INT64_MIN, .in_order = true};
        *slot = all->count;
    }
    return &all->items[*slot - 1];
}

static void read_events(struct xs_nsys *nsys, struct xs_nsys_processes *all, struct xs_hash *by_global,
                        const char *table, const char *columns, bool calls) {
    enum { START, END, ID };
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(nsys, table, columns, NULL);
    int64_t last = INT64_MIN;
    while (xs_nsys_row(nsys, rows)) {
        int64_t start, end, id;
        if (!xs_nsys_int(rows, ID, &id)) {
            if (!calls) /* the copy belongs to the process that made the call */
                continue;
            id = 0;
        }
        if (!xs_nsys_span(rows, START, &start, &end))
            continue;
        struct xs_nsys_process *process = process_of(all, by_global, id >> 24);
        process->start_ns = start < process->start_ns ? start : process->start_ns;
        process->end_ns = end > process->end_ns ? end : process->end_ns;
        if (calls && start < last)
            for (size_t i = 0; i < all->count; i++)
                all->items[i].in_order = false;
        last = start > last ? start : last;
    }
}

static int by_pid(const void *a, const void *b) {
    const struct xs_nsys_process *x = a, *y = b;
    return xs_compare(x->pid, y->pid) ?: xs_compare(x->global, y->global);
}

/* Reads the processes' names from PROCESSES; in older exports this table has other columns, or does not exist. */
static void read_names(struct xs_nsys *nsys, struct xs_nsys_processes *all) {
    enum { ID, NAME, NAME_ID };
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(nsys, "PROCESSES", "globalPid, name, nameId", NULL);
    while (xs_nsys_row(nsys, rows)) {
        int64_t id;
        if (!xs_nsys_int(rows, ID, &id))
            continue;
        const char *name = xs_nsys_text(nsys, rows, NAME);
        name = name ? name : xs_nsys_string(nsys, rows, NAME_ID);
        for (size_t i = 0; i < all->count; i++)
            if (all->items[i].global == id >> 24)
                all->items[i].name = name;
    }
}

int xs_nsys_processes_read(struct xs_nsys *nsys, struct xs_nsys_processes *processes) {
    XS_SCOPED_HASH by_global = {0};
    *processes = (struct xs_nsys_processes){0};
    read_events(nsys, processes, &by_global, "CUPTI_ACTIVITY_KIND_RUNTIME", "start, end, globalTid", true);
    read_events(nsys, processes, &by_global, "CUPTI_ACTIVITY_KIND_MEMCPY", "start, end, globalPid", false);
    xs_sort(processes->items, processes->count, sizeof *processes->items, by_pid);
    read_names(nsys, processes);
    return nsys->status;
}

void xs_nsys_processes_free(struct xs_nsys_processes *processes) {
    free(processes->items);
    *processes = (struct xs_nsys_processes){0};
}

/* --- reading --- */

/* True if a device record belongs to this process. Older exports do not say which process it belongs to; it then
 * belongs to this one only if there is just one process. */
bool xs_nsys_is_ours(const struct xs_nsys_importer *importer, sqlite3_stmt *rows, int column) {
    int64_t id;
    return xs_nsys_int(rows, column, &id) ? id >> 24 == importer->process->global : importer->only_process;
}

int64_t xs_nsys_since(struct xs_nsys_importer *importer, int64_t ns) {
    int64_t since = ns - importer->process->start_ns; /* both are below 2^62 */
    importer->last_ns = since > importer->last_ns ? since : importer->last_ns;
    return since;
}

int32_t xs_nsys_device(sqlite3_stmt *rows, int column) {
    int64_t device = xs_nsys_int_or(rows, column, -1);
    return device >= 0 && device < 4096 ? (int32_t)device : -1;
}

uint32_t xs_nsys_correlation(sqlite3_stmt *rows, int column) {
    int64_t value = xs_nsys_int_or(rows, column, 0);
    return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* --- what describes the run --- */

/* Reads the default stream of each context. */
static void read_contexts(struct xs_nsys_importer *importer) {
    enum { PID, CONTEXT, STREAM };
    sqlite3_stmt *rows =
        xs_nsys_select(importer->nsys, "TARGET_INFO_CUDA_CONTEXT_INFO", "processId, contextId, nullStreamId", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        int64_t context, stream;
        if (xs_nsys_int_or(rows, PID, importer->process->pid) != importer->process->pid ||
            !xs_nsys_int(rows, CONTEXT, &context) || !xs_nsys_int(rows, STREAM, &stream) || stream < 0)
            continue;
        *xs_hash_put(&importer->null_streams, (uint64_t)context, 0) = (uint64_t)stream + 1;
    }
    sqlite3_finalize(rows);
}

static void put_device(struct xs_nsys_importer *importer, int64_t ordinal, sqlite3_stmt *gpu) {
    enum { ID, CUDA, NAME, UUID, BUS, MEMORY, MAJOR, MINOR };
    char capability[48] = "";
    int64_t memory = xs_nsys_int_or(gpu, MEMORY, 0), major, minor;
    if (ordinal < 0 || ordinal >= 4096)
        return;
    if (xs_nsys_int(gpu, MAJOR, &major) && xs_nsys_int(gpu, MINOR, &minor))
        snprintf(capability, sizeof capability, "%" PRId64 ".%" PRId64, major, minor);
    xs_nsys_insert(importer, "OR IGNORE INTO device",
                   XS_ROW(xs_int("id", ordinal), xs_text("name", xs_nsys_text(importer->nsys, gpu, NAME)),
                          xs_text("uuid", xs_nsys_text(importer->nsys, gpu, UUID)),
                          xs_text("pci_bus_id", xs_nsys_text(importer->nsys, gpu, BUS)),
                          xs_text("compute_capability", *capability ? capability : NULL),
                          xs_if("memory_bytes", memory > 0, memory)));
}

/* Reads the process's GPUs. The process has its own numbers for the GPUs. */
static void read_devices(struct xs_nsys_importer *importer) {
    enum { GPU, ORDINAL, PID };
    struct xs_nsys *nsys = importer->nsys;
    XS_SCOPED_HASH ordinals = {0};
    bool mapped = false;
    sqlite3_stmt *rows = xs_nsys_select(nsys, "TARGET_INFO_CUDA_DEVICE", "gpuId, cudaId, pid", NULL);
    while (xs_nsys_row(nsys, rows)) {
        int64_t gpu, ordinal;
        if (xs_nsys_int_or(rows, PID, importer->process->pid) != importer->process->pid ||
            !xs_nsys_int(rows, GPU, &gpu) || !xs_nsys_int(rows, ORDINAL, &ordinal) || ordinal < 0)
            continue;
        *xs_hash_put(&ordinals, (uint64_t)gpu, 0) = (uint64_t)ordinal + 1;
        mapped = true;
    }
    sqlite3_finalize(rows);
    const char *table = xs_nsys_has_table(nsys, "TARGET_INFO_GPU") ? "TARGET_INFO_GPU" : "TARGET_INFO_CUDA_GPU";
    rows = xs_nsys_select(nsys, table, "id, cuDevice, name, uuid, busLocation, totalMemory, computeMajor, computeMinor",
                          NULL);
    while (xs_nsys_row(nsys, rows)) {
        int64_t id;
        if (!xs_nsys_int(rows, 0, &id))
            continue;
        const uint64_t *ordinal = xs_hash_find(&ordinals, (uint64_t)id, 0);
        if (ordinal)
            put_device(importer, (int64_t)*ordinal - 1, rows);
        else if (!mapped)
            put_device(importer, xs_nsys_int_or(rows, 1, id), rows);
    }
    sqlite3_finalize(rows);
}

static void read_thread_names(struct xs_nsys_importer *importer) {
    enum { TID, NAME_ID };
    XS_SCOPED_STATEMENT *rows = xs_nsys_select(importer->nsys, "ThreadNames", "globalTid, nameId", NULL);
    while (xs_nsys_row(importer->nsys, rows)) {
        int64_t id;
        const char *name = xs_nsys_string(importer->nsys, rows, NAME_ID);
        if (name && xs_nsys_int(rows, TID, &id))
            *xs_hash_put(&importer->thread_names, (uint64_t)id, 0) = (uint64_t)(uintptr_t)name;
    }
}

static int64_t start_of_session(struct xs_nsys *nsys) {
    sqlite3_stmt *rows = xs_nsys_select(nsys, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", NULL);
    int64_t epoch = xs_nsys_row(nsys, rows) ? xs_nsys_int_or(rows, 0, 0) : 0;
    sqlite3_finalize(rows);
    return epoch > 0 && epoch <= INT64_C(1) << 62 ? epoch : 0;
}

static const char *first_property(struct xs_nsys *nsys, const char *const names[][2]) {
    for (size_t i = 0; names[i][0]; i++) {
        const char *found = xs_nsys_property(nsys, names[i][0], names[i][1]);
        if (found && *found)
            return found;
    }
    return NULL;
}

static void describe(struct xs_nsys_importer *importer) {
    static const char *const version[][2] = {
        {"META_DATA_EXPORT", "EXPORT_PRODUCT_VERSION"}, {"META_DATA_CAPTURE", "CAPTURE_PRODUCT_VERSION"}, {NULL, NULL}};
    struct xs_nsys *nsys = importer->nsys;
    int64_t session = start_of_session(nsys);
    xs_nsys_meta_text(importer, "status", XS_STATUS_COMPLETE);
    xs_nsys_meta_text(importer, "importer", "nsys");
    xs_nsys_meta_text(importer, "import.source", nsys->path);
    xs_nsys_meta_text(importer, "import.nsys_version", first_property(nsys, version));
    xs_nsys_meta_text(importer, "import.nsys_schema",
                      xs_nsys_property(nsys, "META_DATA_EXPORT", "EXPORT_SCHEMA_VERSION"));
    xs_nsys_meta_text(importer, "import.unknown", "contents, launch arguments, addresses of copies");
    xs_nsys_meta_text(importer, "command", importer->process->name);
    xs_nsys_meta_text(importer, "executable", importer->process->name);
    xs_nsys_meta_text(importer, "host", xs_nsys_property(nsys, "TARGET_INFO_SYSTEM_ENV", "Hostname"));
    xs_nsys_meta_text(importer, "clock", "nsys");
    xs_nsys_meta_text(importer, "option.fingerprint", "off");
    xs_nsys_meta_text(importer, "cupti.status", "active");
    xs_nsys_meta_int(importer, "cupti.kernels",
                     xs_nsys_has_table(nsys, "CUPTI_ACTIVITY_KIND_KERNEL") || importer->counts->kernels);
    xs_nsys_meta_int(importer, "pid", importer->process->pid);
    if (session && importer->process->start_ns != INT64_MAX)
        xs_nsys_meta_int(importer, "start_unix_ns", session + importer->process->start_ns);
    xs_nsys_meta_int(importer, "duration_ns", importer->last_ns);
    const char *driver = xs_nsys_property(nsys, "TARGET_INFO_SYSTEM_ENV", "CudaDriverVersion");
    int64_t number = driver ? strtoll(driver, NULL, 10) : 0;
    if (number >= 1000 && number < 1000000)
        xs_nsys_meta_int(importer, "driver_version", number);
    xs_nsys_meta_int(importer, "import.skipped_rows", (int64_t)nsys->skipped);
}

static void note_what_is_missing(struct xs_nsys_importer *importer) {
    const struct xs_nsys_counts *c = importer->counts;
    if (importer->nsys->skipped)
        xs_nsys_note(importer, "import",
                     "%" PRIu64 " rows of the export hold values that cannot be true; they were left out",
                     importer->nsys->skipped);
    if (c->calls_without_copy)
        xs_nsys_note(importer, "import",
                     "%" PRIu64
                     " calls for copies or memsets have no device record (captured into graphs, of 0 bytes, or"
                     " lost), so that their sizes are not known; they are no transfers here",
                     c->calls_without_copy);
    if (c->frees_without_allocation)
        xs_nsys_note(importer, "import", "%" PRIu64 " frees of memory that was allocated before the profile began",
                     c->frees_without_allocation);
    if (!xs_nsys_has_table(importer->nsys, "CUDA_GPU_MEMORY_USAGE_EVENTS"))
        xs_nsys_note(importer, "import",
                     "allocations are not known: profile with --cuda-memory-usage=true for findings about them");
    if (!xs_nsys_has_table(importer->nsys, "CUDA_CALLCHAINS"))
        xs_nsys_note(importer, "import", "call sites are not known: profile with --cudabacktrace=all to have them");
    if (!xs_nsys_has_table(importer->nsys, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"))
        xs_nsys_note(importer, "import",
                     "which stream or event a wait was for is not known: findings about waits may be"
                     " missing");
}

static void end(struct xs_nsys_importer *importer) {
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&importer->into, entry));)
        sqlite3_finalize((sqlite3_stmt *)(uintptr_t)entry->value);
    xs_nsys_ranges_end(importer);
    xs_nsys_stacks_end(importer);
    free(importer->records);
    free(importer->memory);
    struct xs_hash *const tables[] = {&importer->into,           &importer->thread_names, &importer->by_call,
                                      &importer->memory_by_call, &importer->contexts,     &importer->streams,
                                      &importer->threads,        &importer->names,        &importer->entry_points,
                                      &importer->null_streams};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        xs_hash_free(tables[i]);
}

int xs_nsys_import(struct xs_nsys *nsys, const struct xs_nsys_process *process, bool only_process, sqlite3 *out,
                   struct xs_nsys_counts *counts) {
    struct xs_nsys_importer importer = {
        .nsys = nsys, .process = process, .only_process = only_process, .out = out, .counts = counts};
    *counts = (struct xs_nsys_counts){0};
    nsys->skipped = 0;
    read_contexts(&importer);
    read_devices(&importer);
    read_thread_names(&importer);
    xs_nsys_stacks_begin(&importer);
    xs_nsys_ranges_begin(&importer);
    xs_nsys_take_device(&importer);
    xs_nsys_take_memory(&importer);
    xs_nsys_take_calls(&importer);
    xs_nsys_write_memory(&importer);
    describe(&importer);
    note_what_is_missing(&importer);
    end(&importer);
    if (importer.failure && nsys->status >= 0) {
        xs_complain("the trace cannot be written: %s", sqlite3_errstr(importer.failure));
        return XS_ERROR_SQLITE;
    }
    return nsys->status;
}
