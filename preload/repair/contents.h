/* Is what lies on the device what lies on the host? Compared byte for byte: the device's bytes come through page-locked
 * buffers of the library's own, piece by piece, so that a difference is mostly found in the first piece. No kernel is
 * needed, so it works with any driver and without capture. Any thread. */
#ifndef XFERSPY_PRELOAD_REPAIR_CONTENTS_H
#define XFERSPY_PRELOAD_REPAIR_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

enum xs_contents { XS_CONTENTS_EQUAL, XS_CONTENTS_DIFFER, XS_CONTENTS_UNKNOWN };

/* Compares the copy's host side with as many bytes of device memory from `device` on, both as they are when everything
 * is done that the copy's stream was given before: for that it waits, as a blocking upload does. For an asynchronous
 * copy it waits two seconds at most. UNKNOWN: *why has the reason (a constant text of few words). Nothing captures
 * (xs_repair_unfit), and every repair has settled. */
enum xs_contents xs_contents_compare(const struct xs_repair_copy *copy, uint64_t device, const char **why);

/* Is the copy one that may be left out or replaced at all, with a plan or without? NULL: it is; else the reason. */
const char *xs_contents_untouchable(const struct xs_repair_copy *copy);

/* May an upload be left out if contents are equal, without a plan? NULL: yes; else the reason why not.
 *
 * - Its source is read before the call returns: it is pageable. The source of an asynchronous upload from page-locked
 *   memory may still change after the call; a blocking one is faster than any look.
 * - To wait for its stream is what the call does anyway, because it blocks, or the stream has nothing to do.
 * - Only memory is looked at whose allocation is known, of the calling thread's context, and that nobody else writes.
 * - It is large enough that a look can pay. A look is a copy back and a wait, 20 to 30 us on an H100, and reads the
 *   source once; a pageable upload of 256 KiB takes about as long, reads the source and writes it to another place. */
const char *xs_contents_unfit(const struct xs_repair_copy *copy);
enum { XS_CONTENTS_LEAST_BYTES = 256 * 1024 };

/* Mode verify: the plan says that `device` holds what this upload brings. Compares, and counts for the repair what came
 * out: a wrong line, or why nothing was found out. The upload has to be made in any case. */
void xs_contents_verify(enum xs_repair_id repair, const struct xs_repair_copy *copy, uint64_t device);

/* A call is about to go to the driver: the buffers' events are gone with a context. */
void xs_contents_saw(const struct xs_repair_call *call);

#endif
