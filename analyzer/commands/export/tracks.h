/* Makes a timeline for Perfetto: tracks with slices and counters, handed one by one to the format that writes them
 * (perfetto.c). Only the tracks are kept. Times are nanoseconds since the start of capture. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_H

#include "analyzer/commands/export/export.h"
#include "analyzer/commands/export/export_rows.h"

enum xs_track_kind {
    XS_TRACK_PROCESS, /* the program; parent of its threads */
    XS_TRACK_GROUP,   /* a device, a context on it, memory; no slices of its own */
    XS_TRACK_THREAD,  /* a host thread's calls */
    XS_TRACK_LANE,    /* slices that nest or follow each other: a stream, a thread's NVTX ranges */
    XS_TRACK_BYTES,   /* a counter */
    XS_TRACK_RATE,    /* a counter of bytes a second */
};

struct xs_track {
    enum xs_track_kind kind;
    uint64_t id; /* from 1 */
    const struct xs_track *parent;
    const char *name; /* any bytes */
    int64_t number;   /* for the program and its threads: pid and tid, or a number that no process has */
};

struct xs_slice {
    const struct xs_track *track;
    const char *name;         /* any bytes */
    const char *categories;   /* plain ASCII, a comma between two: the kind, then its findings without "#2" */
    const char *findings;     /* names of its findings, a space between two; "" for none */
    int64_t start_ns, end_ns; /* never negative; end not before start */
    uint64_t flow;            /* shared by a call and what the device did for it; 0: none */
    const struct xs_cell *arguments;
    unsigned argument_count;
};

struct xs_track_sink {
    void *data;
    void (*track)(void *data, const struct xs_track *track); /* called before anything on the track */
    void (*slice)(void *data, const struct xs_slice *slice);
    /* For lanes with nested ranges: called in the order of time, each end for the innermost open range. */
    void (*begin)(void *data, const struct xs_track *track, int64_t ns, const char *name, const char *category);
    void (*end)(void *data, const struct xs_track *track, int64_t ns);
    void (*counter)(void *data, const struct xs_track *track, int64_t ns, double value);
};

/* Slices of a track come in the order of their starts; of two that start together the longer comes first. */
int xs_export_tracks(const struct xs_export *e, const struct xs_track_sink *sink);

#endif
