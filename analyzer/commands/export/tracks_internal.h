/* Shared by the files that make the tracks; for nobody else. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_INTERNAL_H

#include "analyzer/base/hash.h"
#include "analyzer/commands/export/tracks.h"
#include "analyzer/totals/timeline/timeline.h"

/* Linux never gives this pid or tid, nor a higher one. */
enum { XS_NO_PROCESS = 1 << 22 };

struct xs_tracks {
    const struct xs_export *e;
    const struct xs_track_sink *sink;
    struct xs_track **tracks; /* all tracks; owned, with their names */
    size_t track_count, track_capacity;
    const struct xs_track *process;
    struct xs_hash places; /* site to the address of a text: where in the program */
    struct xs_cell arguments[32];
    struct xs_string names, categories; /* names and categories of findings */
};

/* Adds a track and tells the sink; number 0: takes one that no process has. Copies the name. */
const struct xs_track *xs_tracks_add(struct xs_tracks *t, enum xs_track_kind kind, const struct xs_track *parent,
                                     const char *name, int64_t number);

/* Fills in a slice of a call or of work; the track is the caller's. Valid until the next call. */
void xs_tracks_slice(struct xs_tracks *t, const struct xs_timeline_row *row, struct xs_slice *slice);

/* Says whether output still arrives; if not, closing it says so. */
static inline bool xs_tracks_go_on(const struct xs_tracks *t) { return !ferror(t->e->out->file); }

int xs_tracks_host(struct xs_tracks *t);
int xs_tracks_device(struct xs_tracks *t);
int xs_tracks_memory(struct xs_tracks *t);

/* A counter of bytes a second for copies that may overlap: xs_rate_add takes them in the order of their starts. */
struct xs_rate {
    const struct xs_track *track;
    struct xs_rate_copy {
        int64_t end_ns;
        double rate;
    } * under_way; /* a heap, the first to end on top */
    size_t count, capacity;
    double sum;
};
void xs_rate_add(struct xs_tracks *t, struct xs_rate *rate, int64_t start_ns, int64_t end_ns, uint64_t bytes);
void xs_rate_end(struct xs_tracks *t, struct xs_rate *rate); /* also frees it */

#endif
