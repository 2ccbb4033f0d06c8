/* Reads a log of repairs; see repair_log.h. */
#include "analyzer/commands/try/repair_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/commands/common/json_document.h"
#include "analyzer/trace/scan.h"

static const char damaged[] = "the library's log of its repairs is damaged";

static bool read_totals(const struct xs_json_document *document, struct xs_repair_log *log) {
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(
        document, "SELECT ?1 ->> 'version', ?1 ->> 'differs_from_plan', coalesce(sum(value ->> 'applied'), 0), "
                  "coalesce(sum(value ->> 'bytes'), 0), coalesce(sum(value ->> 'wrong'), 0), "
                  "coalesce(sum(value ->> 'checked'), 0), coalesce(sum(value ->> 'accessed'), 0), "
                  "coalesce(sum(value ->> 'unsure'), 0) FROM json_each(?1, '$.repairs')");
    bool good = row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int64(row, 0) == 1;
    if (good) {
        uint64_t applied = xs_json_document_count(row, 2, &good), bytes = xs_json_document_count(row, 3, &good);
        log->differs = xs_sum(log->differs, xs_json_document_count(row, 1, &good));
        log->wrong = xs_sum(log->wrong, xs_json_document_count(row, 4, &good));
        log->checked = xs_sum(log->checked, xs_json_document_count(row, 5, &good));
        log->accessed = xs_sum(log->accessed, xs_json_document_count(row, 6, &good));
        log->unsure = xs_sum(log->unsure, xs_json_document_count(row, 7, &good));
        if (!log->runs || applied < log->applied) {
            log->applied = applied;
            log->bytes = bytes;
        }
    }
    return good;
}

static bool read_refused(const struct xs_json_document *document, struct xs_repair_log *log) {
    enum { MOST = 8, COLUMNS = 60 };
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(
        document, "SELECT reason.key, sum(reason.value) FROM json_each(?1, '$.repairs') AS repair, "
                  "json_each(repair.value, '$.refused') AS reason GROUP BY reason.key HAVING sum(reason.value) > 0 "
                  "ORDER BY sum(reason.value) DESC, reason.key");
    size_t count = 0;
    int code = SQLITE_ERROR;
    xs_string_free(&log->refused);
    while (row && (code = sqlite3_step(row)) == SQLITE_ROW) {
        if (count++ == MOST)
            continue;
        const char *reason = (const char *)sqlite3_column_text(row, 0);
        xs_string_format(&log->refused, "%s", log->refused.length ? ", " : "");
        xs_string_add_cut(&log->refused, reason, COLUMNS);
        xs_string_format(&log->refused, " %" PRId64, (int64_t)sqlite3_column_int64(row, 1));
    }
    return code == SQLITE_DONE;
}

/* Reads a repair that could not start: it has only a name and a reason. */
static bool read_off(const struct xs_json_document *document, struct xs_repair_log *log) {
    enum { NAME_COLUMNS = 30, WHY_COLUMNS = 100 };
    sqlite3_stmt *row =
        xs_json_document_ask(document, "SELECT value ->> 'name', value ->> 'off' FROM json_each(?1, '$.repairs') "
                                       "WHERE json_type(value, '$.off') = 'text' LIMIT 1");
    int code = row ? sqlite3_step(row) : SQLITE_ERROR;
    if (code == SQLITE_ROW && !log->off.length) {
        xs_string_add_cut(&log->off, (const char *)sqlite3_column_text(row, 0), NAME_COLUMNS);
        xs_string_format(&log->off, " is off: ");
        xs_string_add_cut(&log->off, (const char *)sqlite3_column_text(row, 1), WHY_COLUMNS);
    }
    sqlite3_finalize(row);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

/* Removes the log of a second process, under the name that the library gives it. */
static bool remove_second(const char *path) {
    XS_SCOPED_STRING second = {0};
    xs_string_format(&second, "%s.2", path);
    return unlink(second.data) == 0;
}

const char *xs_repair_log_take(struct xs_repair_log *log, const char *path) {
    struct xs_json_document document = {0};
    struct stat st;
    if (remove_second(path)) {
        unlink(path);
        return "several processes of the program use CUDA";
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? "the program left no log of its repairs: it used no CUDA, ended without its exit "
                                 "handlers, or this libxferspy.so has no repairs"
                               : damaged;
    FILE *file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
    const char *trouble = file ? xs_json_document_read(file, &document) : damaged;
    if (!trouble && (!read_totals(&document, log) || !read_refused(&document, log) || !read_off(&document, log)))
        trouble = damaged;
    log->runs += !trouble;
    xs_json_document_free(&document);
    if (file)
        fclose(file);
    else
        close(fd);
    unlink(path);
    return trouble ? damaged : NULL;
}

void xs_repair_log_free(struct xs_repair_log *log) {
    xs_string_free(&log->refused);
    xs_string_free(&log->off);
}
