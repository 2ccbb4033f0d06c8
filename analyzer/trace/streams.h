/* Finds out which rows of the table `stream` are about the same stream. The legacy default stream of a context has two
 * handles, and so two rows. */
#ifndef XFERSPY_ANALYZER_TRACE_STREAMS_H
#define XFERSPY_ANALYZER_TRACE_STREAMS_H

#include "analyzer/base/hash.h"
#include "schema/read/trace.h"

struct xs_streams {
    struct xs_hash legacy; /* maps stream.id of a context's legacy default stream to context.id */
};

/* Negative status: the message is set. Call xs_streams_free even then. */
int xs_streams_read(struct xs_streams *streams, const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_streams_free(struct xs_streams *streams);

/* Returns a number that identifies the stream of a row: rows of the same stream have the same number. 0: the stream is
 * unknown; two unknown streams may be different streams. */
static inline int64_t xs_stream_identity(const struct xs_streams *streams, int64_t stream) {
    const uint64_t *context = xs_hash_find(&streams->legacy, (uint64_t)stream, 0);
    return context ? -(int64_t)*context : stream;
}

#endif
