/* Makes a trace by SQL, and computes its summary. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_SUMMARY_LOADED_H
#define XFERSPY_TESTS_UNIT_ANALYZER_SUMMARY_LOADED_H

#include <sqlite3.h>

#include "analyzer/totals/summary/summary.h"
#include "schema/write/store.h"
#include "unit.h"

/* SQL for rows. Columns that these tests do not use get fixed values. */
#define TRANSFER(id, direction, bytes, src, dst, async, enter, leave, correlation)                                     \
    "INSERT INTO transfer "                                                                                            \
    "(id,entry_point,thread,direction,bytes,src_kind,dst_kind,is_async,is_captured,result,enter_ns,"                   \
    "return_ns,correlation) VALUES (" #id ",1,1," #direction "," #bytes "," #src "," #dst "," #async ",0,0," #enter    \
    "," #leave "," #correlation ");"
#define COPY(correlation, bytes, start, end, device)                                                                   \
    "INSERT INTO device_copy (correlation,kind,bytes,start_ns,end_ns,device,copies) VALUES (" #correlation             \
    ",1," #bytes "," #start "," #end "," #device ",1);"
#define KERNEL(start, end, device)                                                                                     \
    "INSERT INTO device_kernel (correlation,name,start_ns,end_ns,device) VALUES (1,1," #start "," #end "," #device ")" \
    ";"
enum { H2D = XS_DIR_H2D, PAGEABLE = XS_MEM_PAGEABLE, PINNED = XS_MEM_PINNED, DEVICE = XS_MEM_DEVICE };

struct case_ {
    char folder[64], path[128];
    struct xs_trace trace;
    struct xs_summary summary;
};

static inline void load(struct case_ *c, const char *sql) {
    struct xs_store *store;
    sqlite3 *db;
    char message[XS_TRACE_MESSAGE_BYTES], *error = NULL;
    strcpy(c->folder, "/tmp/xferspy-unit.XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->path, sizeof c->path, "%s/trace.db", c->folder);
    assert_int_equal(xs_store_create(c->path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open(c->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s", error);
    sqlite3_close(db);
    if (xs_trace_open(c->path, &c->trace, message) < 0)
        fail_msg("%s", message);
    if (xs_summary_compute(&c->trace, NULL, &c->summary, message) < 0)
        fail_msg("%s", message);
}

static inline void drop(struct case_ *c) {
    xs_summary_free(&c->summary);
    xs_trace_close(&c->trace);
    unlink(c->path);
    rmdir(c->folder);
}

#endif
