/* Makes a timeline for Perfetto: tracks with slices and counters. Slices and values of counters are passed one by one
 * to the format that writes them (perfetto.c); only the tracks are kept in memory. Times are nanoseconds since the
 * start of capture. */
#ifndef XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_H
#define XFERSPY_ANALYZER_COMMANDS_EXPORT_TRACKS_H

#include "analyzer/commands/export/export.h"
#include "analyzer/commands/export/export_rows.h"

enum xs_track_kind {
    XS_TRACK_PROCESS, /* the program, which is the parent of its threads */
    XS_TRACK_GROUP,   /* a device, a context of a device, or memory; has no slices, but is the parent of other tracks */
    XS_TRACK_THREAD,  /* a host thread's calls */
    XS_TRACK_LANE,    /* slices that follow each other or are nested: the work of a stream, or the NVTX ranges of a
                         thread */
    XS_TRACK_BYTES,   /* a counter */
    XS_TRACK_RATE,    /* a counter of bytes per second */
};

struct xs_track {
    enum xs_track_kind kind;
    uint64_t id; /* counted from 1 */
    const struct xs_track *parent;
    const char *name; /* any bytes */
    int64_t number; /* the pid of the program, or the tid of a thread; other tracks have a number that no process has */
};

struct xs_slice {
    const struct xs_track *track;
    const char *name;       /* any bytes */
    const char *categories; /* plain ASCII, separated by commas: the kind of the call or work, then the kinds of its
                               findings. A kind is the name of a finding without a number such as "#2" */
    const char *findings;   /* names of the findings that the call or work belongs to, separated by spaces; "": none */
    int64_t start_ns, end_ns; /* never negative; the end is never before the start */
    uint64_t flow;            /* the same number for a call and the work that it started on the device; 0: none */
    const struct xs_cell *arguments;
    unsigned argument_count;
};

struct xs_track_sink {
    void *data;
    void (*track)(void *data, const struct xs_track *track); /* called before any other function gets this track */
    void (*slice)(void *data, const struct xs_slice *slice);
    /* The next two functions are for lanes with nested ranges. They are called in order of time; each `end` ends the
     * innermost open range. */
    void (*begin)(void *data, const struct xs_track *track, int64_t ns, const char *name, const char *category);
    void (*end)(void *data, const struct xs_track *track, int64_t ns);
    void (*counter)(void *data, const struct xs_track *track, int64_t ns, double value);
};

/* Calls the functions of `sink`. The slices of a track are passed in the order of their starts; if two start at the
 * same time, the longer one comes first. */
int xs_export_tracks(const struct xs_export *e, const struct xs_track_sink *sink);

#endif
