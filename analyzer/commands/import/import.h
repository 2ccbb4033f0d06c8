/* Converts an Nsight Systems export to xferspy traces, one per process. docs/use/import.md describes the mapping. */
#ifndef XFERSPY_ANALYZER_COMMANDS_IMPORT_IMPORT_H
#define XFERSPY_ANALYZER_COMMANDS_IMPORT_IMPORT_H

#include "analyzer/commands/import/nsys_export.h"

struct xs_nsys_process {
    int64_t global; /* globalPid without its last 24 bits */
    int64_t pid, start_ns, end_ns;
    const char *name; /* NULL: not known */
    bool in_order;    /* its calls are stored in order of time */
};

struct xs_nsys_processes {
    struct xs_nsys_process *items;
    size_t count;
};

/* Reads the processes that have CUDA calls or copies, sorted by pid. The caller frees `processes`. Negative status: a
 * message was printed. */
int xs_nsys_processes_read(struct xs_nsys *nsys, struct xs_nsys_processes *processes);
void xs_nsys_processes_free(struct xs_nsys_processes *processes);

/* Counts what an import has written, and what it could not convert. */
struct xs_nsys_counts {
    uint64_t transfers, memsets, waits, allocations, kernels, migrations;
    uint64_t calls_without_copy; /* calls for a copy or memset that have no device record */
    uint64_t frees_without_allocation;
};

/* Writes a process into a new trace, in the transaction that is open in `out`. */
int xs_nsys_import(struct xs_nsys *nsys, const struct xs_nsys_process *process, bool only_process, sqlite3 *out,
                   struct xs_nsys_counts *counts);

#endif
