/* An Nsight Systems export as an xferspy trace, one process at a time. docs/use/import.md says what becomes of what. */
#ifndef XFERSPY_ANALYZER_IMPORT_IMPORT_H
#define XFERSPY_ANALYZER_IMPORT_IMPORT_H

#include "analyzer/commands/import/export.h"

struct xs_nsys_process {
    int64_t global; /* globalPid without its last 24 bits */
    int64_t pid, start_ns, end_ns;
    uint64_t calls, copies;
    const char *name; /* NULL: not known */
    bool in_order;    /* its calls lie in the order of their time */
};

struct xs_nsys_processes {
    struct xs_nsys_process *items;
    size_t count;
};

/* The processes with calls of CUDA or copies, in the order of their pid. To be freed; negative after a message. */
int xs_nsys_processes_read(struct xs_nsys *nsys, struct xs_nsys_processes *processes);
void xs_nsys_processes_free(struct xs_nsys_processes *processes);

/* What an import took over, and what it could not. */
struct xs_nsys_counts {
    uint64_t transfers, memsets, launches, waits, allocations, kernels, ranges, stacks, migrations;
    uint64_t copies_without_call; /* device records whose call is not in the export */
    uint64_t calls_without_copy;  /* calls for a copy or memset that have no device record */
    uint64_t frees_without_allocation;
};

/* Writes it into a new trace, in the transaction that is open in `out`. */
int xs_nsys_import(struct xs_nsys *nsys, const struct xs_nsys_process *process, bool only_process, sqlite3 *out,
                   struct xs_nsys_counts *counts);

#endif
