/* Defines the output of one launch of the fingerprint kernel, a slot in page-locked host memory. C files and CUDA files
 * include this file. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_RESULT_H
#define XFERSPY_PRELOAD_FINGERPRINT_RESULT_H

#include <stdint.h>

#define XS_RESULT_HAS_BEFORE 1u /* `before` and `changed_leaves` are valid, because the launch compared */
#define XS_RESULT_CONSTANT 2u   /* the region's content is one repeated 32-bit value, `constant_value` */
#define XS_RESULT_ALIGNED 4u    /* the kernel could read the region 16 bytes at a time (matters only for speed) */

/* A slot fills one cache line. The kernel writes all other fields, executes a system-wide fence, and then writes
 * `sequence`. A thread that has read the launch's sequence number with acquire order may read the other fields.
 * `leaves` counts all leaves, `changed_leaves` the changed ones. Without XS_RESULT_HAS_BEFORE the fields `before` and
 * `changed_leaves` are 0; without XS_RESULT_CONSTANT `constant_value` is 0. */
struct xs_fingerprint_result {
    uint64_t content[2]; /* low, high: the fingerprint of the region's bytes (hash_tree.h) */
    uint64_t before[2];  /* content at the previous launch of the same slot */
    uint32_t leaves, changed_leaves;
    uint32_t constant_value;
    uint32_t flags;  /* XS_RESULT_* */
    uint64_t length; /* bytes in the region */
    uint64_t sequence;
};

#endif
