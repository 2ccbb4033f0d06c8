/* Declarations shared by the files of the import. All other files include import.h. */
#ifndef XFERSPY_ANALYZER_COMMANDS_IMPORT_IMPORT_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_IMPORT_IMPORT_INTERNAL_H

#include "analyzer/commands/import/import.h"
#include "schema/format/kinds.h"

/* What a device record says about the call with the same correlation number. */
enum xs_nsys_record_type { XS_NSYS_COPY, XS_NSYS_MEMSET, XS_NSYS_SYNC, XS_NSYS_EVENT };
struct xs_nsys_record {
    uint32_t next; /* index + 1 of another record of the same call */
    uint8_t type, kind, src_kind, dst_kind;
    int32_t device, src_device, dst_device; /* -1: not known */
    int32_t context, stream;                /* ids of rows of the trace; 0: not known */
    int64_t bytes, value;                   /* value: the value of a memset, or the number of an event */
};

/* A call of the CUDA API; names are replaced by row ids of the trace. */
struct xs_nsys_call {
    int64_t start_ns, end_ns; /* ns since the trace's time 0 */
    int32_t entry_point, thread, stack, range;
    int32_t result;
    uint32_t correlation;
    bool is_async;
};

/* One row of CUDA_GPU_MEMORY_USAGE_EVENTS, and its call if `has_call`. */
struct xs_nsys_memory_event {
    int64_t start_ns, address, bytes;
    uint32_t next; /* index + 1 of another event of the same call */
    uint32_t correlation;
    uint8_t kind;
    bool is_free, is_pool, is_static, has_call;
    int32_t device, context;
    struct xs_nsys_call call;
};

struct xs_nsys_ranges; /* import_ranges.c */
struct xs_nsys_stacks; /* import_stacks.c */

struct xs_nsys_importer {
    struct xs_nsys *nsys;
    const struct xs_nsys_process *process;
    bool only_process;
    sqlite3 *out;
    struct xs_hash into; /* maps the address of an INTO clause to its INSERT statement */
    int failure;         /* SQLite's code of the first insertion that failed */
    struct xs_nsys_counts *counts;
    int64_t last_ns; /* latest time of all rows, in ns since time 0 */

    struct xs_nsys_record *records;
    size_t record_count, record_capacity;
    struct xs_hash by_call; /* maps (correlation, 0) to index + 1 of the call's last record, and (correlation, 1) to
                               the call's kernel, packed in a number */
    struct xs_nsys_memory_event *memory;
    size_t memory_count, memory_capacity;
    struct xs_hash memory_by_call;
    struct xs_hash contexts, streams, threads, names, entry_points; /* these map ids of the export to row ids of the
                                                                       trace */
    struct xs_hash thread_names;                                    /* maps a globalTid to a kept text */
    struct xs_hash null_streams;                                    /* maps a context to the number of its default
                                                                       stream + 1 */
    struct xs_nsys_ranges *ranges;
    struct xs_nsys_stacks *stacks;
};

/* --- rows of the trace (import_rows.c) --- */

/* A value of a row that is being written. */
struct xs_nsys_value {
    const char *column; /* NULL marks the end of a row */
    bool known;         /* true: the value is `number`; false: the value is `text`, or SQL's NULL if `text` is NULL */
    int64_t number;
    const char *text;
};
static inline struct xs_nsys_value xs_if(const char *column, bool known, int64_t number) {
    return (struct xs_nsys_value){column, known, number, NULL};
}
static inline struct xs_nsys_value xs_int(const char *column, int64_t number) { return xs_if(column, true, number); }
/* Makes the value of an id, or of another number for which 0 is written as NULL. */
static inline struct xs_nsys_value xs_id(const char *column, int64_t id) { return xs_if(column, id != 0, id); }
static inline struct xs_nsys_value xs_text(const char *column, const char *text) {
    return (struct xs_nsys_value){column, false, 0, text};
}

#define XS_ROW(...) ((const struct xs_nsys_value[]){__VA_ARGS__, {0}})

/* Inserts a row. `into` is a constant such as "INTO thread"; the prepared statement is found again by the address of
 * this constant, so every row of a table has the same columns in the same order. */
void xs_nsys_insert(struct xs_nsys_importer *importer, const char *into, const struct xs_nsys_value *row);

void xs_nsys_meta_text(struct xs_nsys_importer *importer, const char *key, const char *value); /* if `value` is NULL, no
                                                                                                  row is written */
void xs_nsys_meta_int(struct xs_nsys_importer *importer, const char *key, int64_t value);
void xs_nsys_note(struct xs_nsys_importer *importer, const char *topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* These functions return the id of the trace's row for a context, stream, thread or kernel name of the export, and add
 * the row if it is new. They return 0 if the export does not have the context, stream, thread or name. */
int32_t xs_nsys_context(struct xs_nsys_importer *importer, int64_t context, int32_t device);
int32_t xs_nsys_stream(struct xs_nsys_importer *importer, int64_t context, int64_t stream, int32_t context_row);
int32_t xs_nsys_thread(struct xs_nsys_importer *importer, int64_t global);
int32_t xs_nsys_kernel_name(struct xs_nsys_importer *importer, const char *name);

/* --- reading (import.c) --- */

/* Returns the kind of memory for a CUDA_MEMOPR_MEMORY_KIND of the export. The device records of a trace have the
 * CUpti_ActivityMemoryKind instead, whose number is larger by 1. */
enum xs_memory_kind xs_nsys_memory_kind(int64_t kind);

bool xs_nsys_is_ours(const struct xs_nsys_importer *importer, sqlite3_stmt *rows, int column); /* true if the
                                                                                                  globalPid in this
                                                                                                  column belongs to
                                                                                                  the process that is
                                                                                                  imported */
int64_t xs_nsys_since(struct xs_nsys_importer *importer, int64_t ns); /* converts a time of the export to ns since time
                                                                         0; updates last_ns */
uint32_t xs_nsys_correlation(sqlite3_stmt *rows, int column);         /* 0: none */
int32_t xs_nsys_device(sqlite3_stmt *rows, int column);               /* the number of a device; -1: none */

void xs_nsys_take_device(struct xs_nsys_importer *importer); /* import_device.c: writes device copies, memsets, kernels,
                                                                waits and migrations */
void xs_nsys_take_memory(struct xs_nsys_importer *importer); /* import_memory.c: stores memory events until the calls
                                                                are read */
void xs_nsys_write_memory(struct xs_nsys_importer *importer);
void xs_nsys_take_calls(struct xs_nsys_importer *importer); /* import_calls.c */

/* import_ranges.c: xs_nsys_range_at returns the row id of the innermost NVTX range that is open on a thread at a time.
 * For each thread, calls must be in ascending order of time. */
void xs_nsys_ranges_begin(struct xs_nsys_importer *importer);
int32_t xs_nsys_range_at(struct xs_nsys_importer *importer, int64_t global_tid, int64_t ns);
void xs_nsys_ranges_end(struct xs_nsys_importer *importer);

/* import_stacks.c: xs_nsys_stack_of returns the row id of the stack for a call chain; 0: none. */
void xs_nsys_stacks_begin(struct xs_nsys_importer *importer);
int32_t xs_nsys_stack_of(struct xs_nsys_importer *importer, int64_t chain);
void xs_nsys_stacks_end(struct xs_nsys_importer *importer);

#endif
