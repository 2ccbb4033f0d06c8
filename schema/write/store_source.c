/* Stores source lines: finds the lines of Python code in the trace's stacks, and writes the rows with the text of
 * lines. */
#include "schema/source/library.h"
#include "schema/source/source_file.h"
#include "schema/write/store_internal.h"

struct asking {
    bool (*each)(void *data, const char *file, uint32_t line);
    void *data;
    bool goes_on;
};

/* Runs during a statement, because there can be any number of native frames between two rows of Python frames. */
static int on_progress(void *data) {
    struct asking *asking = data;
    asking->goes_on = asking->goes_on && asking->each(asking->data, NULL, 0);
    return !asking->goes_on;
}

/* Looks at the stacks with native frames, or at those without. */
static int ask_lines(struct xs_store *store, struct asking *asking, const char *sql) {
    enum { STACK, FILE_NAME, LINE };
    sqlite3_stmt *stmt = NULL;
    int64_t done = -1;
    int rc = sqlite3_prepare_v2(store->db, sql, -1, &stmt, NULL);
    while (rc == SQLITE_OK && asking->goes_on && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *file = (const char *)sqlite3_column_text(stmt, FILE_NAME);
        int64_t stack = sqlite3_column_int64(stmt, STACK), line = sqlite3_column_int64(stmt, LINE);
        bool wanted = stack != done && file && line <= INT32_MAX && !xs_library_python(file);
        done = wanted ? stack : done;
        asking->goes_on = asking->each(asking->data, wanted ? file : NULL, wanted ? (uint32_t)line : 0);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Finds, for each stack, the innermost frame that belongs to no library. A report names its line
 * (analyzer/trace/callsites.h). Samples of what threads did between their calls have no native frames. They come last,
 * because there may be more of them than `each` has room for. */
int xs_store_python_lines(struct xs_store *store, bool (*each)(void *data, const char *file, uint32_t line),
                          void *data) {
#define LINES_OF(stacks)                                                                                               \
    "SELECT f.stack, c.file, f.line FROM stack s CROSS JOIN stack_frame f ON f.id >= s.id * 4096 + 2048"               \
    " AND f.id < s.id * 4096 + 4096 JOIN python_code c ON c.id = f.code WHERE " stacks                                 \
    " AND f.line > 0 ORDER BY s.id, f.id"
    struct asking asking = {each, data, true};
    enum { STEPS = 10000 }; /* less than a millisecond */
    sqlite3_progress_handler(store->db, STEPS, on_progress, &asking);
    int rc = ask_lines(store, &asking, LINES_OF("s.native_frames > 0"));
    if (rc == SQLITE_OK)
        rc = ask_lines(store, &asking, LINES_OF("s.native_frames = 0"));
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    return xs_store_status(store, rc);
}

int xs_store_source_file(struct xs_store *store, const char *path, const struct xs_source_identity *identity,
                         int64_t *id) {
    struct xs_row row = xs_row_into(store, "INSERT INTO source_file(path, bytes, mtime_ns)");
    xs_put_text(&row, path);
    xs_put(&row, identity->bytes);
    xs_put(&row, identity->mtime_ns);
    int status = xs_row_insert(&row);
    *id = sqlite3_last_insert_rowid(store->db);
    return status;
}

int xs_store_source_line(struct xs_store *store, int64_t file, uint32_t line, const char *text, size_t bytes) {
    struct xs_row row = xs_row_into(store, "INSERT INTO source_line(file, line, text)");
    xs_put(&row, file);
    xs_put(&row, line);
    xs_put_bytes_as_text(&row, text, bytes);
    return xs_row_insert(&row);
}
