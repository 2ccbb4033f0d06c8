/* Reads the fingerprints of transfers, what the host read of downloads, and the argument sets of launches, and finds
 * them by number. */
#ifndef XFERSPY_ANALYZER_TRACE_CONTENTS_H
#define XFERSPY_ANALYZER_TRACE_CONTENTS_H

#include "analyzer/base/hash.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/trace_event.h"
#include "schema/read/trace.h"

/* Finds fingerprints, and what the host read, while a caller reads the transfers. The number of a fingerprint is its
 * row id. Numbers follow the order of the calls, so one statement reads the fingerprints in step with the transfers,
 * and a ring keeps the last few thousand fingerprints for transfers that come out of order. */
struct xs_contents {
    const struct xs_trace *trace;
    struct xs_scan forward, single, reads; /* forward and single read fingerprints; reads reads host_read */
    struct xs_content_row *ring;
    int64_t last; /* all fingerprints up to this number were read */
};

/* Call xs_contents_end even after an error. */
int xs_contents_begin(struct xs_contents *contents, const struct xs_trace *trace, char *message, uint64_t *damaged);

/* Sets the fields of a transfer that its fingerprint determines (`state`, the content, and `pre`, which becomes NONE,
 * MEASURED or UNKNOWN), and `host_read` if the transfer has a host_read_id. Returns 0 or a negative status with the
 * message set. */
int xs_contents_find(struct xs_contents *contents, struct xs_transfer_view *transfer);
int xs_contents_end(struct xs_contents *contents);

/* Holds all argument sets. The trace has equal sets only once, so memory use grows with the number of different
 * sets. */
struct xs_arguments {
    int64_t *allocations;
    struct xs_hash sets; /* maps the number of a set to one value, in which the set's first index in `allocations` and
                            the number of its allocations are encoded */
};
int xs_arguments_read(struct xs_arguments *arguments, const struct xs_trace *trace, char *message, uint64_t *damaged);

/* Sets the arguments of a launch. False: the set is not known. */
bool xs_arguments_find(const struct xs_arguments *arguments, int64_t set, struct xs_launch_view *launch);
void xs_arguments_free(struct xs_arguments *arguments);

#endif
