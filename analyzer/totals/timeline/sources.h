/* Defines the SQL statements that read a timeline. Only timeline.c uses them. */
#ifndef XFERSPY_ANALYZER_TOTALS_TIMELINE_SOURCES_H
#define XFERSPY_ANALYZER_TOTALS_TIMELINE_SOURCES_H

#include "analyzer/totals/timeline/timeline.h"

/* The columns of a statement. Every statement has first the common columns, then either the columns of calls or the
 * columns of work. */
enum {
    XS_SOURCE_START,
    XS_SOURCE_END,
    XS_SOURCE_ID,
    XS_SOURCE_CORRELATION,
    XS_SOURCE_BYTES,
    XS_COLUMNS_OF_BOTH,

    XS_SOURCE_ENTRY = XS_COLUMNS_OF_BOTH,
    XS_SOURCE_STACK,
    XS_SOURCE_THREAD,
    XS_SOURCE_STREAM,
    XS_SOURCE_DIRECTION,
    XS_SOURCE_SRC_KIND,
    XS_SOURCE_DST_KIND,
    XS_SOURCE_BATCH,
    XS_SOURCE_ASYNC,
    XS_SOURCE_SKIP,
    XS_COLUMNS_OF_CALLS,

    XS_SOURCE_DEVICE = XS_COLUMNS_OF_BOTH,
    XS_SOURCE_CONTEXT,
    XS_SOURCE_QUEUE,
    XS_SOURCE_NODE,
    XS_SOURCE_WHAT, /* kind of a copy, name of a kernel */
    XS_SOURCE_COPIES,
    XS_COLUMNS_OF_WORK,

    /* The columns that xs_timeline_merge adds. The columns of arguments follow these columns. */
    XS_NAMED_RAN = XS_COLUMNS_OF_CALLS,
    XS_NAMED_CALL,
    XS_NAMED_EVIDENCE_ROWS,
    XS_NAMED_RANGE,
    XS_NAMED_CALL_ARGUMENTS,

    XS_NAMED_WORK = XS_COLUMNS_OF_WORK,
    XS_NAMED_OF_ROW, /* id of the first row of the work's call */
    XS_NAMED_OF_ROWS,
    XS_NAMED_OF_ENTRY,
    XS_NAMED_OF_STACK,
    XS_NAMED_HANDLE,
    XS_NAMED_WORK_ARGUMENTS,
};

struct xs_timeline_source {
    const char *category;
    int evidence;
    const char *table;   /* named t in the following texts */
    const char *columns; /* the columns above, from XS_SOURCE_START on */
    const char *ran;     /* for calls: the condition that a call ran */
    const char *named;   /* the columns that xs_timeline_merge adds, except RAN, then the columns of arguments */
    const char *joins;   /* joins that `named` needs */
    const char *where;   /* condition for the rows that xs_timeline_merge reads; NULL: it reads all rows */
    const char *group;   /* GROUP BY expression that joins several rows; the joined row has the columns of the row with
                            min(t.id); NULL: rows are not joined */
};
extern const struct xs_timeline_source xs_timeline_sources[XS_TIMELINE_KINDS];

#endif
