/* Declarations shared by the files that make the tracks. No other file includes this header. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_INTERNAL_H

#include "analyzer/base/hash.h"
#include "analyzer/commands/export/tracks.h"
#include "analyzer/totals/timeline/timeline.h"

/* Linux never uses this number, or a higher one, as a pid or tid. */
enum { XS_NO_PROCESS = 1 << 22 };

struct xs_tracks {
    const struct xs_export *e;
    const struct xs_track_sink *sink;
    struct xs_track **tracks; /* all tracks; this struct owns them and their names */
    size_t track_count, track_capacity;
    const struct xs_track *process;
    struct xs_hash places; /* maps a site to the address of a text that describes the line of the program */
    struct xs_cell arguments[32];
    struct xs_string names, categories; /* names and categories of findings */
};

/* Adds a track and calls the sink for it. If `number` is 0, uses a number that no process has. `name` is a format. */
const struct xs_track *xs_tracks_add(struct xs_tracks *t, enum xs_track_kind kind, const struct xs_track *parent,
                                     int64_t number, const char *name, ...) __attribute__((format(printf, 5, 6)));

/* Fills in the slice of a call or of work, except its track, which the caller sets. The slice is valid until the next
 * call of this function. */
void xs_tracks_slice(struct xs_tracks *t, const struct xs_timeline_row *row, struct xs_slice *slice);

/* True if no write to the output has failed so far. If a write failed, closing the output prints a message. */
static inline bool xs_tracks_go_on(const struct xs_tracks *t) { return !ferror(t->e->out->file); }

int xs_tracks_host(struct xs_tracks *t);
int xs_tracks_device(struct xs_tracks *t);
int xs_tracks_memory(struct xs_tracks *t);

/* A counter of bytes per second for copies that may overlap. xs_rate_add must be called for the copies in the order of
 * their starts. */
struct xs_rate {
    const struct xs_track *track;
    struct xs_rate_copy {
        int64_t end_ns;
        double rate;
    } * under_way; /* the copies that have not ended; a heap, with the copy that ends first on top */
    size_t count, capacity;
    double sum;
};
void xs_rate_add(struct xs_tracks *t, struct xs_rate *rate, int64_t start_ns, int64_t end_ns, uint64_t bytes);
void xs_rate_end(struct xs_tracks *t, struct xs_rate *rate); /* writes the remaining values, and frees `rate` */

#endif
