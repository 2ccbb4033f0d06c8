/* Compares device memory with host memory, byte for byte. The device's bytes come through page-locked buffers of the
 * library's own, piece by piece, so that the first piece mostly shows a difference. No kernel is needed, so it works
 * with any driver and without capture. Any thread. */
#ifndef XFERSPY_PRELOAD_REPAIR_COMPARE_H
#define XFERSPY_PRELOAD_REPAIR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

enum xs_contents { XS_CONTENTS_EQUAL, XS_CONTENTS_DIFFER, XS_CONTENTS_UNKNOWN };

/* Compares the copy's host side with as many bytes of device memory from `device` on, both as they are after all work
 * that the copy's stream was given before. Waits for that work, as a blocking upload does; for an asynchronous copy at
 * most two seconds. UNKNOWN: *why has the reason (a constant text of few words). No stream captures (xs_repair_unfit),
 * and every repair has settled. */
enum xs_contents xs_contents_compare(const struct xs_repair_copy *copy, uint64_t device, const char **why);

/* May the copy be left out or replaced at all, with a plan or without? NULL: yes; else the reason why not. */
const char *xs_contents_untouchable(const struct xs_repair_copy *copy);

/* May an upload be left out if contents are equal, without a plan? NULL: yes; else the reason why not.
 *
 * - The call reads its source before it returns: the source is pageable. The source of an asynchronous upload from
 *   page-locked memory may still change after the call; a blocking one is faster than any look.
 * - The call waits for its stream anyway, because it blocks, or the stream is idle.
 * - Its device memory belongs to a known allocation of the calling thread's context, and nobody else writes it.
 * - The upload is large enough that a look can pay. A look is a copy back and a wait, 20 to 30 us on an H100, and reads
 *   the source once; a pageable upload of 256 KiB takes about as long, reads the source and writes it to another place.
 */
const char *xs_contents_unfit(const struct xs_repair_copy *copy);
enum { XS_CONTENTS_LEAST_BYTES = 256 * 1024 };

/* Serves the mode verify, in which the plan says that `device` holds this upload's content. Compares, and counts the
 * outcome for the repair: whether the line is wrong, or why nothing was found out. The upload must be made in any case.
 */
void xs_contents_verify(enum xs_repair_id repair, const struct xs_repair_copy *copy, uint64_t device);

/* Called before a call goes to the driver: the buffers' events end with a context. */
void xs_contents_saw(const struct xs_repair_call *call);

#endif
