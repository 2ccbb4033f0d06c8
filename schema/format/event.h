/* An event describes one thing that a thread of the host did, such as a copy or a launch, or completes such a
 * description (fingerprints, arguments and definitions). The threads of the program write events into the spool. An
 * event has a fixed size and no pointers, so another process can read it after the writer was killed. Ticks are read
 * from the clock in the spool's header. */
#ifndef XFERSPY_SCHEMA_FORMAT_EVENT_H
#define XFERSPY_SCHEMA_FORMAT_EVENT_H

#include <stdint.h>

#include "schema/format/kinds.h"

enum xs_event_kind {
    XS_EVENT_TRANSFER = 1,
    XS_EVENT_MEMSET,
    XS_EVENT_ALLOC,
    XS_EVENT_FREE,
    XS_EVENT_LAUNCH,
    XS_EVENT_SYNC,
    XS_EVENT_API,
    XS_EVENT_FINGERPRINT, /* the content of a transfer */
    XS_EVENT_ARGUMENTS,   /* allocations that the arguments of launches point to */
    XS_EVENT_DEFINITION,  /* a part of a definition: struct xs_definition_part */
};

/* Values of xs_event.flags. */
#define XS_FLAG_ASYNC 0x01u      /* the function is asynchronous according to its documentation */
#define XS_FLAG_CAPTURED 0x02u   /* the stream was capturing: the work became part of a graph and did not run */
#define XS_FLAG_PER_THREAD 0x04u /* stream is the calling thread's default stream */
#define XS_FLAG_HAS_STREAM 0x08u /* stream is meaningful */
#define XS_FLAG_BATCH 0x10u      /* one copy of a batch call; batch_index is meaningful */
#define XS_FLAG_BOX 0x20u        /* 2D or 3D: height, depth and pitches are meaningful */
#define XS_FLAG_IMPLICIT 0x40u   /* no call freed this memory; its context was destroyed or reset */
#define XS_FLAG_WATCHED 0x80u    /* a download that was or should be watched, and is no box: host_read is meaningful */

struct xs_event_transfer {
    uint64_t dst, src;       /* addresses; for a CUDA array, the array's handle */
    uint64_t bytes;          /* bytes moved, without the pitch's padding */
    uint32_t dst_allocation; /* allocation.id; 0: no allocation is known */
    uint32_t src_allocation;
    uint8_t dst_kind, src_kind;    /* enum xs_memory_kind */
    int8_t dst_device, src_device; /* ordinal, -1: host or unknown */
    uint8_t direction;             /* enum xs_direction */
    uint8_t skip;                  /* enum xs_fingerprint_skip */
    uint8_t reserved[2];
    union {
        uint32_t height;    /* of a box (XS_FLAG_BOX); its width is bytes / (height * depth) */
        uint32_t host_read; /* of a watched download (XS_FLAG_WATCHED): number of the watch, which is host_read.id in
                             * the trace */
    };
    uint32_t depth;
    uint32_t dst_pitch, src_pitch; /* bytes between rows, 0: packed or not given */
    uint32_t dst_slice_rows, src_slice_rows;
};

struct xs_event_memset {
    uint64_t address;
    uint64_t bytes;
    uint32_t allocation;
    uint32_t value;
    uint32_t height; /* only for a 2D memset */
    uint32_t pitch;
    uint8_t element_bytes;
    uint8_t kind; /* enum xs_memory_kind */
    int8_t device;
    uint8_t reserved[5];
};

struct xs_event_alloc { /* also used for the event of a free, which has only `id` */
    uint64_t address;
    uint64_t bytes;
    uint32_t id;    /* from 1, unique in the process */
    uint8_t kind;   /* enum xs_memory_kind */
    uint8_t origin; /* enum xs_origin */
    int8_t device;
    uint8_t reserved;
};

struct xs_event_launch {
    uint64_t function;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    uint8_t kind; /* enum xs_launch_kind */
    uint8_t reserved[3];
};

struct xs_event_sync {
    uint64_t object;
    uint8_t scope; /* enum xs_sync_scope */
    uint8_t reserved[7];
};

struct xs_event_api { /* docs/rules/trace-format.md explains what the fields mean for each entry point */
    uint64_t object, address, bytes, argument;
};

/* preload/fingerprint/hash_tree.h defines fingerprints. */
#define XS_FINGERPRINT_BEFORE 0x01u   /* `before` is meaningful: fingerprint of what the upload overwrote */
#define XS_FINGERPRINT_CHANGED 0x02u  /* changed_leaves is meaningful */
#define XS_FINGERPRINT_CONSTANT 0x04u /* the whole content repeats constant_value */
#define XS_FINGERPRINT_DEVICE 0x08u   /* computed on the device, else on the host */
struct xs_event_fingerprint {
    uint64_t content[2], before[2]; /* low, high */
    uint32_t id;                    /* xs_event.fingerprint_id of its transfer */
    uint32_t leaves, changed_leaves;
    uint32_t constant_value;
    uint8_t flags; /* XS_FINGERPRINT_* */
    uint8_t reserved[15];
};

/* A set of allocations is written as several events if it is too large for one. An empty set is one event with count 0.
 */
enum { XS_ARGUMENTS_EVENT_COUNT = 14 };
struct xs_event_arguments {
    uint32_t set; /* xs_event.argument_set of its launches */
    uint8_t count;
    uint8_t reserved[3];
    uint32_t allocations[XS_ARGUMENTS_EVENT_COUNT]; /* allocation.id */
};

struct xs_event {
    uint8_t kind;   /* enum xs_event_kind */
    uint8_t flags;  /* XS_FLAG_* */
    uint16_t entry; /* row of the entry-point table, entry_point.id */
    int32_t result; /* CUresult */
    uint64_t enter_tick;
    uint64_t return_tick;     /* 0 for a kernel launch, because it is not read */
    uint64_t context, stream; /* driver handles */
    uint32_t correlation;     /* CUPTI's correlation ID, 0: none */
    uint32_t batch_index;
    union {
        struct xs_event_transfer transfer;
        struct xs_event_memset memset;
        struct xs_event_alloc alloc;
        struct xs_event_launch launch;
        struct xs_event_sync sync;
        struct xs_event_api api;
        struct xs_event_fingerprint fingerprint;
        struct xs_event_arguments arguments;
    };
    uint32_t fingerprint_id; /* number of a transfer's fingerprint; 0: none, for the reason in transfer.skip */
    uint32_t argument_set;   /* set of allocations that a launch's arguments point to; 0: not known */
    uint32_t stack;          /* call stack's number, 0: not known */
    uint32_t range;          /* innermost open NVTX range, 0: none */
};

/* XS_ENTRY_UNKNOWN is the entry point of an XS_EVENT_API event that represents work which the library does not know.
 * The unknown work ran after the events that precede this event, and before the events that follow it. The event's
 * api.argument is XS_UNKNOWN_ONCE or XS_UNKNOWN_FOR_GOOD. */
enum { XS_UNKNOWN_ONCE = 1, XS_UNKNOWN_FOR_GOOD = 2 /* the work may run again at any time, without a call */ };
#define XS_ENTRY_UNKNOWN 65535u
#define XS_ENTRY_UNKNOWN_NAME "cuUnknownFunction"

/* A definition tells what a number in events means. Each number has one definition, which is written before or after
 * the number's first use. A definition consists of the bytes of a struct xs_define_* and the data after them, in as
 * many parts as needed. The parts are adjacent in one chunk and are committed together. */
enum xs_definition {
    XS_DEFINE_MODULE = 1, /* a mapped executable or library */
    XS_DEFINE_STACK,      /* the frames of a call */
    XS_DEFINE_CODE,       /* a Python code object */
    XS_DEFINE_RANGE,      /* an NVTX range */
};
enum { XS_DEFINITION_PART_BYTES = 120, XS_DEFINITION_BYTES_MAX = 400 * XS_DEFINITION_PART_BYTES };
struct xs_definition_part { /* has the same size as an event, and is stored like one */
    uint8_t kind;           /* XS_EVENT_DEFINITION */
    uint8_t what;           /* enum xs_definition */
    uint8_t bytes;          /* number of bytes in data; all parts but the last are full */
    uint8_t is_first : 1, is_last : 1;
    uint32_t id; /* begins at 1 for each kind of definition */
    uint8_t data[XS_DEFINITION_PART_BYTES];
};

struct xs_define_module { /* followed by build_id_bytes, then the path, without a terminator */
    uint64_t start, end;  /* addresses of its executable part */
    uint64_t bias;        /* an address in memory minus the address in the file */
    uint32_t build_id_bytes, path_bytes;
};
struct xs_define_frame { /* native frame; `address` is the return address */
    uint64_t address;
    uint32_t module; /* 0: in no module */
    uint32_t reserved;
};
struct xs_define_python_frame {
    uint32_t code;
    uint32_t line : 31;    /* 0: not known */
    uint32_t is_entry : 1; /* the interpreter's C function was entered with this frame; the next frame belongs to
                              another call of that function */
};
enum xs_sleep { XS_AWAKE, XS_ASLEEP, XS_SLEEP_UNKNOWN /* the kernel could not be asked */, XS_SLEEPS };
struct xs_define_stack { /* followed by `native` xs_define_frame, then `python` xs_define_python_frame, innermost first
                          */
    uint32_t native, python;
    uint16_t is_cut;        /* outer frames are missing */
    uint16_t sleep;         /* enum xs_sleep: of python_thread */
    uint32_t python_thread; /* thread.id of the thread whose Python frames these are; 0: the calling thread */
};
struct xs_define_code { /* followed by the file name and the function name, UTF-8, without terminators */
    uint32_t first_line, file_bytes, function_bytes;
};
struct xs_define_range { /* followed by the domain's and the range's name */
    uint32_t parent;     /* enclosing range, 0: none */
    uint32_t domain_bytes, name_bytes;
};

_Static_assert(sizeof(struct xs_event_transfer) == 64, "the largest payload");
_Static_assert(sizeof(struct xs_event_fingerprint) == 64, "as large");
_Static_assert(sizeof(struct xs_event_arguments) == 64, "as large");
_Static_assert(sizeof(struct xs_event) == 128, "two cache lines");
_Static_assert(sizeof(struct xs_definition_part) == sizeof(struct xs_event), "in its place");

#endif
