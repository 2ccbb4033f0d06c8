/* Reads and checks rows; see scan.h. */
#include "analyzer/trace/scan.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/shaped.h"
#include "schema/rows_read.h"

static void fail(struct xs_scan *scan, int code) {
    const char *text = xs_trace_why(scan->trace);
    bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR || code == SQLITE_SCHEMA ||
                   code == SQLITE_INTERRUPT || code == SQLITE_TOOBIG;
    scan->status = code == SQLITE_NOMEM ? XS_ERROR_MEMORY : damaged ? XS_ERROR_CORRUPT : XS_ERROR_SQLITE;
    snprintf(scan->message, XS_TRACE_MESSAGE_BYTES, "%s: %s%s", scan->trace->path, damaged ? "damaged: " : "", text);
}

/* Begins a snapshot. If this fails, the first read of a row reports the error. */
void xs_snapshot_begin(const struct xs_trace *trace) { sqlite3_exec(trace->db, "BEGIN", NULL, NULL, NULL); }

void xs_snapshot_end(const struct xs_trace *trace) { sqlite3_exec(trace->db, "COMMIT", NULL, NULL, NULL); }

void xs_scan_begin(struct xs_scan *scan, const struct xs_trace *trace, const char *sql, char *message,
                   uint64_t *damaged) {
    *scan = (struct xs_scan){.trace = trace, .message = message, .damaged = damaged};
    int code = sqlite3_prepare_v2(trace->db, sql, -1, &scan->statement, NULL);
    if (code != SQLITE_OK)
        fail(scan, code);
}

void xs_scan_vformat(struct xs_scan *scan, const struct xs_trace *trace, char *message, uint64_t *damaged,
                     const char *format, va_list arguments) {
    XS_SCOPED_STRING sql = {0};
    xs_string_vformat(&sql, format, arguments);
    xs_scan_begin(scan, trace, sql.data, message, damaged);
}

void xs_scan_format(struct xs_scan *scan, const struct xs_trace *trace, char *message, uint64_t *damaged,
                    const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    xs_scan_vformat(scan, trace, message, damaged, format, arguments);
    va_end(arguments);
}

void xs_scan_columns(struct xs_scan *scan, const struct xs_trace *trace, const char *table, const char *columns,
                     char *message, uint64_t *damaged) {
    sqlite3_stmt *statement;
    struct xs_shaped *shaped = xs_shaped_begin(trace, table, columns, &statement);
    if (shaped)
        *scan = (struct xs_scan){
            .trace = trace, .statement = statement, .shaped = shaped, .message = message, .damaged = damaged};
    else
        xs_scan_format(scan, trace, message, damaged, "SELECT %s FROM %s ORDER BY id", columns, table);
}

int xs_scan_one(const struct xs_trace *trace, const char *sql, int64_t *value, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, sql, message, NULL);
    *value = xs_scan_row(&scan) ? xs_scan_int(&scan, 0) : 0;
    return xs_scan_end(&scan);
}

bool xs_scan_row(struct xs_scan *scan) {
    if (scan->status < 0)
        return false;
    scan->row_damaged = false;
    int code = sqlite3_step(scan->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail(scan, code);
    if (code == SQLITE_ROW)
        xs_row_read();
    return code == SQLITE_ROW;
}

int xs_scan_end(struct xs_scan *scan) {
    sqlite3_finalize(scan->statement);
    xs_shaped_end(scan->shaped);
    scan->statement = NULL;
    scan->shaped = NULL;
    return scan->status;
}

static void damage(struct xs_scan *scan) {
    if (!scan->row_damaged && scan->damaged)
        ++*scan->damaged;
    scan->row_damaged = true;
}

/* A value and its type are read only once, because this is done for every column of every row. */
static inline struct xs_cell number_of(const struct xs_scan *scan, int column) {
    return scan->shaped ? xs_shaped_cell(scan->shaped, column)
                        : xs_cell_of(sqlite3_column_value(scan->statement, column));
}

bool xs_scan_null(const struct xs_scan *scan, int column) {
    return scan->shaped ? xs_shaped_cell(scan->shaped, column).type == SQLITE_NULL
                        : sqlite3_column_type(scan->statement, column) == SQLITE_NULL;
}

bool xs_scan_is_zero(const struct xs_scan *scan, int column) {
    struct xs_cell cell = number_of(scan, column);
    return cell.type == SQLITE_INTEGER && cell.value == 0;
}

bool xs_scan_is_zero_or_null(const struct xs_scan *scan, int column) {
    struct xs_cell cell = number_of(scan, column);
    return cell.type == SQLITE_NULL || (cell.type == SQLITE_INTEGER && cell.value == 0);
}

int64_t xs_scan_int(const struct xs_scan *scan, int column) { return number_of(scan, column).value; }

static uint64_t count_of(struct xs_scan *scan, struct xs_cell number, bool null_is_none) {
    if (number.value < 0 || (number.type != SQLITE_INTEGER && !(null_is_none && number.type == SQLITE_NULL)))
        damage(scan);
    return number.value < 0 ? 0 : (uint64_t)number.value;
}

uint64_t xs_scan_count(struct xs_scan *scan, int column) { return count_of(scan, number_of(scan, column), false); }

uint64_t xs_scan_count_or_null(struct xs_scan *scan, int column) {
    return count_of(scan, number_of(scan, column), true);
}

unsigned xs_scan_kind(struct xs_scan *scan, int column, unsigned limit) {
    uint64_t value = xs_scan_count_or_null(scan, column);
    if (value < limit)
        return (unsigned)value;
    damage(scan);
    return 0;
}

uint32_t xs_scan_correlation(const struct xs_scan *scan, int column) {
    int64_t number = xs_scan_int(scan, column);
    return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

int32_t xs_scan_entry_point(const struct xs_scan *scan, int column) {
    struct xs_cell number = number_of(scan, column);
    bool is_id = number.type == SQLITE_INTEGER && number.value >= 0 && number.value < XS_NO_ENTRY_POINT;
    return is_id ? (int32_t)number.value : XS_NO_ENTRY_POINT;
}

const char *xs_scan_text(const struct xs_scan *scan, int column) {
    const unsigned char *text = sqlite3_column_text(scan->statement, column);
    return text ? (const char *)text : "";
}

char *xs_scan_name(const struct xs_scan *scan, int column) {
    enum { NAME_BYTES = 4095 };
    const char *text = xs_scan_text(scan, column);
    size_t bytes = strnlen(text, NAME_BYTES + 1);
    if (bytes <= NAME_BYTES)
        return xs_strdup(text);
    for (bytes = NAME_BYTES; bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80;)
        bytes--; /* do not cut within a character */
    struct xs_string name = {0};
    xs_string_add(&name, text, bytes);
    xs_string_add(&name, "...", 3);
    return name.data;
}

bool xs_scan_span(struct xs_scan *scan, int start_column, int end_column, uint64_t *ns) {
    struct xs_cell start = number_of(scan, start_column), end = number_of(scan, end_column);
    *ns = 0;
    if (start.type == SQLITE_NULL || end.type == SQLITE_NULL)
        return false;
    if (end.value < start.value || start.type != SQLITE_INTEGER) {
        damage(scan);
        return false;
    }
    *ns = (uint64_t)end.value - (uint64_t)start.value;
    return true;
}

bool xs_scan_times(struct xs_scan *scan, int start_column, int end_column, int64_t *start_ns, int64_t *end_ns) {
    struct xs_cell start = number_of(scan, start_column), end = number_of(scan, end_column);
    if (start.type == SQLITE_NULL)
        return false;
    if (end.type == SQLITE_NULL)
        end = start;
    *start_ns = start.value;
    *end_ns = end.value;
    bool is_true = start.type == SQLITE_INTEGER && end.type == SQLITE_INTEGER && start.value >= 0 &&
                   start.value <= end.value && end.value <= XS_SCAN_LATEST_NS;
    if (!is_true)
        damage(scan);
    return is_true;
}
