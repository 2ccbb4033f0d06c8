/* Reads the output of a bench; see bench_read.h. */
#include "analyzer/commands/bench/bench_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/commands/bench/bench_words.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/json_document.h"

static const char damaged[] = "is damaged; write it again with `xferspy bench --json'";
static const char *const sides[] = {"before", "after"};

/* Reads the times of one side. False: the file has something other than times at this key. */
static bool read_side(const struct xs_json_document *document, const char *key, const char *time,
                      struct xs_metric_value *times, size_t *count) {
    XS_SCOPED char *sql =
        xs_text_format("SELECT json_extract(value, '$.%s') FROM json_each(?1, '$.%s.runs')", time, key);
    XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
    bool good = row != NULL;
    int code = SQLITE_DONE;
    *count = 0;
    while (good && (code = sqlite3_step(row)) == SQLITE_ROW) {
        good = *count < XS_RUNS_LIMIT;
        if (good)
            times[(*count)++] = (struct xs_metric_value){.value = xs_json_document_count(row, 0, &good), .known = true};
    }
    return good && code == SQLITE_DONE && *count;
}

static bool read_times(const struct xs_json_document *document, struct xs_bench_times *times) {
    static const char *const names[] = {"loop_ns", "wall_ns"};
    for (size_t i = 0; i < 2; i++) { /* times of loops, if there are any */
        bool good = true;
        for (size_t side = 0; side < 2; side++)
            good = good && read_side(document, sides[side], names[i], times->times[side], &times->counts[side]);
        times->by_loop = i == 0;
        if (good)
            return true;
    }
    return false;
}

static void read_commands(const struct xs_json_document *document, struct xs_bench_times *times) {
    for (size_t side = 0; side < 2; side++) {
        struct xs_string *command = &times->commands[side];
        XS_SCOPED char *sql = xs_text_format("SELECT value FROM json_each(?1, '$.%s.command')", sides[side]);
        XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
        while (row && sqlite3_step(row) == SQLITE_ROW) {
            const char *word = (const char *)sqlite3_column_text(row, 0);
            xs_string_format(command, "%s%s", command->length ? " " : "", word ? word : "");
        }
    }
}

static bool says_failures(const struct xs_json_document *document, const char *path) {
    bool failed = false;
    for (size_t i = 0; i < 2 && !failed; i++) {
        char *sql =
            xs_text_format("SELECT count(*), sum(status IS NOT expected), min(expected) FROM"
                           " (SELECT json_extract(value, '$.exit_status') AS status,"
                           " json_extract(?1, '$.expected_status') AS expected FROM json_each(?1, '$.%s.runs'))",
                           sides[i]);
        XS_SCOPED_STATEMENT *row = xs_json_document_ask(document, sql);
        if (row && sqlite3_step(row) == SQLITE_ROW && sqlite3_column_int64(row, 1) > 0) {
            xs_complain("%s: nothing was measured: %lld of %lld runs of %s failed (the exit status is not %lld)", path,
                        (long long)sqlite3_column_int64(row, 1), (long long)sqlite3_column_int64(row, 0),
                        i ? "AFTER" : "BEFORE", (long long)sqlite3_column_int64(row, 2));
            failed = true;
        }
        free(sql);
    }
    return failed;
}

int xs_bench_read(const char *path, struct xs_bench_times *times) {
    struct xs_json_document document = {0};
    struct stat st;
    FILE *file = fopen(path, "re");
    const char *trouble = NULL;
    if (!file)
        trouble = strerror(errno);
    else if (fstat(fileno(file), &st) == 0 && !S_ISREG(st.st_mode))
        trouble = XS_NO_REGULAR_FILE;
    else
        trouble = xs_json_document_read(file, &document);
    if (!trouble)
        trouble = xs_json_document_is(&document, XS_BENCH_FORMAT, XS_BENCH_JSON_VERSION,
                                      "is no bench; `xferspy bench --json' makes one", damaged);
    if (!trouble && !read_times(&document, times))
        trouble = damaged;
    if (!trouble)
        read_commands(&document, times);
    bool failed = !trouble && says_failures(&document, path);
    xs_json_document_free(&document);
    if (file)
        fclose(file);
    if (trouble)
        xs_complain("%s: %s", path, trouble);
    return trouble || failed ? XS_EXIT_ERROR : XS_EXIT_OK;
}

void xs_bench_times_free(struct xs_bench_times *times) {
    xs_string_free(&times->commands[0]);
    xs_string_free(&times->commands[1]);
}
