/* Writes the rows of an import, and finds the row ids of its contexts, streams, threads and names. */
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/import/import_internal.h"

/* Makes the statement "INSERT INTO table (column, ...) VALUES (?, ...)". */
static sqlite3_stmt *prepare(struct xs_nsys_importer *importer, const char *into, const struct xs_nsys_value *row) {
    XS_SCOPED_STRING sql = {0}, marks = {0};
    sqlite3_stmt *statement = NULL;
    xs_string_format(&sql, "INSERT %s (", into);
    for (int i = 0; row[i].column; i++) {
        xs_string_format(&sql, "%s%s", i ? "," : "", row[i].column);
        xs_string_format(&marks, "%s", i ? ",?" : "?");
    }
    xs_string_format(&sql, ") VALUES (%s)", marks.data);
    importer->failure = sqlite3_prepare_v3(importer->out, sql.data, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return statement;
}

void xs_nsys_insert(struct xs_nsys_importer *importer, const char *into, const struct xs_nsys_value *row) {
    uint64_t *known = xs_hash_put(&importer->into, (uint64_t)(uintptr_t)into, 0);
    if (!*known && !importer->failure)
        *known = (uint64_t)(uintptr_t)prepare(importer, into, row);
    sqlite3_stmt *statement = (sqlite3_stmt *)(uintptr_t)*known;
    if (!statement)
        return;
    for (int i = 0; row[i].column; i++)
        if (row[i].known)
            sqlite3_bind_int64(statement, i + 1, row[i].number);
        else
            sqlite3_bind_text(statement, i + 1, row[i].text, -1, SQLITE_STATIC); /* NULL where there is no text */
    sqlite3_step(statement);
    int rc = sqlite3_reset(statement);
    if (rc != SQLITE_OK && !importer->failure)
        importer->failure = rc;
}

static const char into_meta[] = "OR REPLACE INTO meta";

void xs_nsys_meta_text(struct xs_nsys_importer *importer, const char *key, const char *value) {
    if (value)
        xs_nsys_insert(importer, into_meta, XS_ROW(xs_text("key", key), xs_text("value", value)));
}

void xs_nsys_meta_int(struct xs_nsys_importer *importer, const char *key, int64_t value) {
    xs_nsys_insert(importer, into_meta, XS_ROW(xs_text("key", key), xs_int("value", value)));
}

void xs_nsys_note(struct xs_nsys_importer *importer, const char *topic, const char *format, ...) {
    XS_SCOPED_STRING text = {0};
    va_list arguments;
    va_start(arguments, format);
    xs_string_vformat(&text, format, arguments);
    va_end(arguments);
    xs_nsys_insert(importer, "INTO note", XS_ROW(xs_text("topic", topic), xs_text("text", text.data)));
}

/* True if a number is valid. CUPTI uses 2^32 - 1 for "none"; contexts and devices are counted from 0 or 1. */
static bool is_number(int64_t value) { return value >= 0 && value < UINT32_MAX; }

int32_t xs_nsys_context(struct xs_nsys_importer *importer, int64_t context, int32_t device) {
    if (!is_number(context) || importer->contexts.count >= INT32_MAX)
        return 0;
    uint64_t *row = xs_hash_put(&importer->contexts, (uint64_t)context, 0);
    if (!*row) {
        *row = importer->contexts.count;
        xs_nsys_insert(
            importer, "INTO context",
            XS_ROW(xs_int("id", (int64_t)*row), xs_int("handle", context), xs_if("device", device >= 0, device)));
    }
    return (int32_t)*row;
}

/* Returns the row of a stream. The export has numbers but no handles. A trace's handle 0 is the default stream, 1 and 2
 * are the other default streams. */
int32_t xs_nsys_stream(struct xs_nsys_importer *importer, int64_t context, int64_t stream, int32_t context_row) {
    if (!is_number(stream) || importer->streams.count >= INT32_MAX)
        return 0;
    uint64_t *row = xs_hash_put(&importer->streams, (uint64_t)stream, (uint64_t)context_row);
    if (!*row) {
        *row = importer->streams.count;
        const uint64_t *null_stream = xs_hash_find(&importer->null_streams, (uint64_t)context, 0);
        bool is_null = null_stream && *null_stream == (uint64_t)stream + 1;
        xs_nsys_insert(importer, "INTO stream",
                       XS_ROW(xs_int("id", (int64_t)*row),
                              xs_int("handle", is_null      ? 0
                                               : stream > 2 ? stream
                                                            : stream + (INT64_C(1) << 32)),
                              xs_id("context", context_row)));
    }
    return (int32_t)*row;
}

int32_t xs_nsys_thread(struct xs_nsys_importer *importer, int64_t global) {
    uint64_t *row = xs_hash_put(&importer->threads, (uint64_t)global, 0);
    if (!*row) {
        *row = importer->threads.count;
        const uint64_t *name = xs_hash_find(&importer->thread_names, (uint64_t)global, 0);
        xs_nsys_insert(importer, "INTO thread",
                       XS_ROW(xs_int("id", (int64_t)*row), xs_int("tid", xs_nsys_tid(global)),
                              xs_text("name", name ? (const char *)(uintptr_t)*name : NULL)));
    }
    return (int32_t)*row;
}

/* Texts are kept once, so equal texts have equal addresses. */
int32_t xs_nsys_kernel_name(struct xs_nsys_importer *importer, const char *name) {
    uint64_t *row = xs_hash_put(&importer->names, (uint64_t)(uintptr_t)name, 0);
    if (!*row) {
        *row = importer->names.count;
        xs_nsys_insert(importer, "INTO kernel_name", XS_ROW(xs_int("id", (int64_t)*row), xs_text("name", name)));
    }
    return (int32_t)*row;
}
