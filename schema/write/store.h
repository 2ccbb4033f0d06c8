/* Writes a trace. A store has one SQLite connection and prepared statements, and writes each batch in one transaction.
 * The drain thread of the preloaded library uses a store, and so does recovery. Only one thread at a time may use a
 * store. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_H
#define XFERSPY_SCHEMA_WRITE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/clock.h"
#include "schema/error.h"
#include "schema/format/event.h"

#define XS_APPLICATION_ID 0x78667370 /* "xfsp"; PRAGMA application_id */
extern const int xs_schema_version;  /* the number in the first line of schema.sql */

/* Values of meta status. All values except XS_STATUS_RUNNING mean that the spool has no more events for the trace. */
#define XS_STATUS_RUNNING "running"
#define XS_STATUS_COMPLETE "complete"
#define XS_STATUS_STOPPED "stopped" /* capture ended before the process; a note tells why */
#define XS_STATUS_RECOVERED "recovered"

struct xs_store;

/* Creates the trace, with its tables, views and lookup rows, and with the rows schema_version and status of meta. If
 * the file or one of SQLite's files beside it exists already, fails with XS_ERROR_SYSTEM and errno EEXIST. The file is
 * in WAL mode until xs_store_close. */
int xs_store_create(const char *path, struct xs_store **store);

/* Opens an existing trace for writing, for recovery. The caller has verified that it is a trace. */
int xs_store_open(const char *path, struct xs_store **store);

/* Ends the WAL, so that the file alone is complete and in journal mode DELETE. Frees the store, even if there was an
 * error. */
int xs_store_close(struct xs_store *store);

/* Returns the text of the last SQLite error, which is valid until the next call. */
const char *xs_store_error(const struct xs_store *store);

/* A batch is one transaction. (But in a ledger a transaction lasts from one roll-up to the next: a commit only ends the
 * batch, and a rollback also undoes the batches since the last roll-up; store_ledger.h.) Outside of a batch, each call
 * is its own transaction. Errors are XS_ERROR_FULL if the disk is full, XS_ERROR_BUSY while another process writes the
 * trace, else XS_ERROR_SQLITE. After an error inside a batch, every call returns that error until the batch ends by
 * rollback, or by commit, which then rolls back and returns the error. */
int xs_store_begin(struct xs_store *store);
int xs_store_commit(struct xs_store *store);
void xs_store_rollback(struct xs_store *store);

int xs_store_meta_text(struct xs_store *store, const char *key, const char *value); /* value NULL: removes the key */
int xs_store_meta_int(struct xs_store *store, const char *key, int64_t value);
int xs_store_note(struct xs_store *store, int64_t at_ns, const char *topic, const char *text);
int xs_store_entry_point(struct xs_store *store, unsigned id, const char *name, enum xs_category category);
int xs_store_thread(struct xs_store *store, uint32_t id, int32_t tid,
                    const char *name); /* a second call updates the name */

/* Ends a trace, in the open batch or in its own transaction: sets meta status (XS_STATUS_*) and clears spool_progress.
 * From then on all content of the spool counts as being in the trace, so the spool can be deleted at any time. */
int xs_store_finish(struct xs_store *store, const char *status);

struct xs_device_row {
    int id; /* ordinal */
    const char *name, *uuid, *pci_bus_id, *compute_capability;
    int64_t memory_bytes;
    int link_generation, link_width; /* 0: unknown */
    int64_t link_peak_bytes_per_s;   /* 0: unknown */
    int simulated;
};
int xs_store_device(struct xs_store *store, const struct xs_device_row *row);

/* Records the device of a context handle. A context that was only seen in events has no device in the trace before this
 * call. */
int xs_store_context(struct xs_store *store, uint64_t handle, int device);

/* Stores an event of thread `thread`. A context or a stream gets its row when it is first seen. The event that frees an
 * allocation may be stored before the event of the allocation. */
int xs_store_event(struct xs_store *store, const struct xs_event *event, uint32_t thread, const struct xs_clock *clock);

/* Stores the fingerprint of an XS_EVENT_FINGERPRINT under its number. A second fingerprint with the same number is
 * ignored. */
int xs_store_fingerprint(struct xs_store *store, const struct xs_event_fingerprint *fingerprint);

/* Stores a definition. `data` contains a struct xs_define_* and the data after it; it may be damaged. A second
 * definition of the same number is ignored. XS_ERROR_INVALID: `data` is no valid definition. */
int xs_store_definition(struct xs_store *store, enum xs_definition what, uint32_t id, const uint8_t *data,
                        size_t bytes);

/* Stores a sample of what a thread did between its calls. */
struct xs_host_sample {
    uint32_t thread, stack;
    int64_t at_ns, ns;
    enum xs_sleep sleep;
};
int xs_store_host_sample(struct xs_store *store, const struct xs_host_sample *sample);

/* What became of a watch of a download. xs_store_host_read stores it. */
struct xs_host_read {
    /* transfer.host_read of the download's event. */
    uint32_t id;
    uint64_t watched_bytes; /* size of the watched pages; 0: the download could not be watched */
    uint64_t read_bytes;    /* `read_bytes`, `pieces` and `read_pieces` are stored only if there is no doubt */
    unsigned pieces;
    uint32_t read_pieces; /* bit i: something was read of piece i */
    enum xs_host_reads_doubt doubt;
    uint64_t edge_read_bytes; /* the part of read_bytes that lies in the pages at both ends that may have other data */
};
int xs_store_host_read(struct xs_store *store, const struct xs_host_read *read);

/* Reads a value of meta as text; false: the value is missing or too long. */
bool xs_store_meta_read(struct xs_store *store, const char *key, char *text, size_t bytes);

/* For each stack with Python code of the user, calls `each` with the source line that a report would name. Stops when
 * `each` returns false. Stacks of calls come first, then stacks of samples. Also calls `each` with NULL for other
 * frames and while SQLite works, so that a caller which limits the time can stop the function. */
int xs_store_python_lines(struct xs_store *store, bool (*each)(void *data, const char *file, uint32_t line),
                          void *data);

/* These functions store a source file from which lines were read, and one of its lines. */
struct xs_source_identity;
int xs_store_source_file(struct xs_store *store, const char *path, const struct xs_source_identity *identity,
                         int64_t *id);
int xs_store_source_line(struct xs_store *store, int64_t file, uint32_t line, const char *text, size_t bytes);

/* Writes where a stack's call was made, as a text: up to six frames, the innermost first, with " < " between them.
 * Frames of Python ("train.py:12 in step") come before native ones ("train+0x4f21", an address in the file), and frames
 * of the program before those of libraries: the first kind that the stack has is written. "": the trace does not have
 * the stack. */
void xs_store_place(struct xs_store *store, uint32_t stack, char *text, size_t bytes);

/* Looks for an upload of exactly the bytes that its destination held, as was measured. The caller keeps `seen`, which
 * is 0 at first, so that each call looks only at new results. */
struct xs_store_upload {
    int64_t seen;   /* number of the latest fingerprint that was looked at */
    unsigned looks; /* calls since it was the latest */
    unsigned entry_point;
    int64_t bytes;
    uint32_t stack;
};
bool xs_store_same_upload(struct xs_store *store, struct xs_store_upload *upload);

/* These functions write and read the table spool_progress. For a chunk without a row, xs_store_progress_get
 * returns generation 0 and 0 bytes. */
int xs_store_progress_set(struct xs_store *store, unsigned chunk, uint32_t generation, uint32_t drained_bytes);
int xs_store_progress_get(struct xs_store *store, unsigned chunk, uint32_t *generation, uint32_t *drained_bytes);

/* The times of device records are in nanoseconds since the trace's time 0; if both are 0, they are unknown. Device -1:
 * unknown; graph_node 0: not from a graph. The records of a simulated device have no mark; only the row of the device
 * tells that the device is simulated. */
struct xs_device_copy {
    uint32_t correlation, copies;
    uint8_t kind, src_kind, dst_kind, is_async; /* CUPTI's numbers, schema/format/kinds.h */
    int32_t device, src_device, dst_device;
    uint32_t context, stream, graph;
    uint64_t bytes, graph_node;
    int64_t start_ns, end_ns;
};
struct xs_device_memset {
    uint32_t correlation, value;
    uint8_t memory_kind;
    int32_t device;
    uint32_t context, stream, graph;
    uint64_t bytes, graph_node;
    int64_t start_ns, end_ns;
};
struct xs_device_kernel {
    uint32_t correlation;
    const char *name; /* mangled; interned by the store */
    int32_t device;
    uint32_t context, stream, graph;
    int32_t grid[3], block[3];
    uint64_t graph_node;
    int64_t start_ns, end_ns;
};
struct xs_device_sync {
    uint32_t correlation, kind, context, stream, event;
    int64_t start_ns, end_ns;
};
struct xs_device_migration {
    uint8_t kind;
    uint64_t address, bytes;
    int32_t src_device, dst_device; /* -1: the host */
    uint32_t stream, process;
    int64_t start_ns, end_ns;
};
int xs_store_device_copy(struct xs_store *store, const struct xs_device_copy *row);
int xs_store_device_memset(struct xs_store *store, const struct xs_device_memset *row);
int xs_store_device_kernel(struct xs_store *store, const struct xs_device_kernel *row);
int xs_store_device_sync(struct xs_store *store, const struct xs_device_sync *row);
int xs_store_device_migration(struct xs_store *store, const struct xs_device_migration *row);

#endif
