/* Checked reading of rows; see scan.h. */
#include "analyzer/trace/scan.h"

#include <sqlite3.h>
#include <stdio.h>

static void fail(struct xs_scan *scan, int code) {
    const char *text = sqlite3_errmsg(scan->trace->db);
    bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR || code == SQLITE_SCHEMA;
    scan->status = code == SQLITE_NOMEM ? XS_ERROR_MEMORY : damaged ? XS_ERROR_CORRUPT : XS_ERROR_SQLITE;
    snprintf(scan->message, XS_TRACE_MESSAGE_BYTES, "%s: %s%s", scan->trace->path, damaged ? "damaged: " : "", text);
}

void xs_scan_begin(struct xs_scan *scan, const struct xs_trace *trace, const char *sql, char *message,
                   uint64_t *damaged) {
    *scan = (struct xs_scan){.trace = trace, .message = message, .damaged = damaged};
    int code = sqlite3_prepare_v2(trace->db, sql, -1, &scan->statement, NULL);
    if (code != SQLITE_OK)
        fail(scan, code);
}

void xs_scan_table(struct xs_scan *scan, const struct xs_trace *trace, const char *table, const char *columns,
                   const char *order, bool plain, char *message, uint64_t *damaged) {
    char sql[1024];
    *scan = (struct xs_scan){.trace = trace, .message = message, .damaged = damaged};
    if (!order && !plain)
        scan->pages = xs_pages_begin(trace, table, columns);
    if (scan->pages) {
        scan->values = xs_pages_values(scan->pages);
        return;
    }
    snprintf(sql, sizeof sql, "SELECT %s FROM %s ORDER BY %s", columns, table, order ? order : "id");
    xs_scan_begin(scan, trace, sql, message, damaged);
}

bool xs_scan_row(struct xs_scan *scan) {
    if (scan->status < 0)
        return false;
    scan->row_damaged = false;
    if (scan->pages) {
        int row = xs_pages_row(scan->pages);
        if (row < 0) {
            scan->status = XS_SCAN_PLAIN;
            snprintf(scan->message, XS_TRACE_MESSAGE_BYTES, "%s: damaged", scan->trace->path);
        }
        return row > 0;
    }
    int code = sqlite3_step(scan->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail(scan, code);
    return code == SQLITE_ROW;
}

int xs_scan_end(struct xs_scan *scan) {
    sqlite3_finalize(scan->statement);
    scan->statement = NULL;
    xs_pages_end(scan->pages);
    scan->pages = NULL;
    scan->values = NULL;
    return scan->status;
}

static void damage(struct xs_scan *scan) {
    if (!scan->row_damaged && scan->damaged)
        ++*scan->damaged;
    scan->row_damaged = true;
}

bool xs_scan_sqlite_null(const struct xs_scan *scan, int column) {
    return sqlite3_column_type(scan->statement, column) == SQLITE_NULL;
}

/* Text and floating point are no integers here as they are none to the reader of pages: a trace says the same both ways. */
int64_t xs_scan_sqlite_int(const struct xs_scan *scan, int column) {
    bool is_integer = sqlite3_column_type(scan->statement, column) == SQLITE_INTEGER;
    return is_integer ? sqlite3_column_int64(scan->statement, column) : 0;
}

static bool is_integer(const struct xs_scan *scan, int column) {
    return scan->values ? scan->values->type[column] == XS_VALUE_INTEGER
                        : sqlite3_column_type(scan->statement, column) == SQLITE_INTEGER;
}

/* The type is asked for only where the value alone does not tell: each question costs, times columns, times rows. */
uint64_t xs_scan_count(struct xs_scan *scan, int column) {
    int64_t value = xs_scan_int(scan, column);
    if (value > 0 || (value == 0 && is_integer(scan, column)))
        return (uint64_t)value;
    damage(scan);
    return 0;
}

uint64_t xs_scan_count_or_null(struct xs_scan *scan, int column) {
    int64_t value = xs_scan_int(scan, column);
    if (value > 0)
        return (uint64_t)value;
    return xs_scan_null(scan, column) ? 0 : xs_scan_count(scan, column);
}

unsigned xs_scan_kind(struct xs_scan *scan, int column, unsigned limit) {
    uint64_t value = xs_scan_count_or_null(scan, column);
    if (value < limit)
        return (unsigned)value;
    damage(scan);
    return 0;
}

const char *xs_scan_text(const struct xs_scan *scan, int column) {
    const unsigned char *text = scan->values ? NULL : sqlite3_column_text(scan->statement, column);
    return text ? (const char *)text : "";
}

bool xs_scan_span(struct xs_scan *scan, int start_column, int end_column, uint64_t *ns) {
    int64_t start = xs_scan_int(scan, start_column), end = xs_scan_int(scan, end_column);
    *ns = 0;
    if ((start == 0 && xs_scan_null(scan, start_column)) || (end == 0 && xs_scan_null(scan, end_column)))
        return false;
    if (end < start || (start == 0 && !is_integer(scan, start_column))) {
        damage(scan);
        return false;
    }
    *ns = (uint64_t)end - (uint64_t)start;
    return true;
}
