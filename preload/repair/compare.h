/* Compares device memory with host memory, byte for byte. The device's bytes are copied piece by piece to the library's
 * page-locked buffers and compared there: if the contents differ, usually the first piece already shows this. No kernel
 * is needed, so the comparison works with any driver, and also while capture is off. Any thread. */
#ifndef XFERSPY_PRELOAD_REPAIR_COMPARE_H
#define XFERSPY_PRELOAD_REPAIR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/back_off.h"
#include "preload/repair/repair_hooks.h"

/* Checks the conditions that apply with and without a plan. Returns NULL if the copy may be left out or replaced; else
 * the reason why not. */
const char *xs_contents_untouchable(const struct xs_repair_copy *copy);

/* Returns NULL if, without a plan, the upload may be left out when the contents are equal; else the reason why not. The
 * conditions are:
 *
 * - The source is pageable, so the driver has read the source when the call returns. The source of an asynchronous
 *   upload from page-locked memory may still change after the call, and a blocking upload from page-locked memory is
 *   faster than a comparison.
 * - The comparison adds no wait: either the call is blocking and so waits for its stream anyway, or its stream is idle.
 *   The legacy default stream never counts as idle once the program has used several streams.
 * - The destination belongs to a known allocation of the calling thread's context. It is certain that no work of the
 *   device waits for the program. The processor can read the source fast.
 * - The upload is so large that a comparison can save time. A comparison copies from the device and waits, which takes
 *   20 to 30 us on an H100, and reads the source once. A pageable upload of 256 KiB takes about as long, because it
 *   reads the source and writes it to a buffer. */
const char *xs_contents_unfit(const struct xs_repair_copy *copy);
enum { XS_CONTENTS_LEAST_BYTES = 256 * 1024 };

/* Compares the upload's source with the same number of bytes of device memory that begin at `device`. The bytes of the
 * device are read after all earlier work of the upload's stream. Does not compare if the contents at this destination
 * differed too often before (back_off.h). Returns NULL if the contents are equal; else the reason why they are not
 * equal, or why this is not known. The caller has checked the conditions with xs_contents_unfit. */
const char *xs_contents_differ(struct xs_back_off *back_off, const struct xs_repair_copy *copy, uint64_t device);

/* Runs in the mode verify if the plan says that the memory at `device` has this upload's content. Compares this
 * memory with the upload's source. Counts for the repair that the plan's line is right or wrong, or why the contents
 * could not be compared. The caller must make the upload in any case. */
void xs_contents_verify(enum xs_repair_id repair, const struct xs_repair_copy *copy, uint64_t device);

/* Runs before a call goes to the driver. If the call may destroy a context, the CUDA events that the buffers have now
 * are never used again, because they may be destroyed with the context. */
void xs_contents_saw(const struct xs_repair_call *call);

#endif
