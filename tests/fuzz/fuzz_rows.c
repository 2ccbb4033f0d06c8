/* A sound trace with any rows: what the analysis meets when values contradict each other, run against its rules.
 *
 * The input is a list of rows. A row is a byte that chooses the table, then for each column a byte that says what kind
 * of value follows (enum below), which makes sense of most inputs: mutated ones still have times that go on and ids
 * that exist. */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read_all.h"
#include "schema/write/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NEXT_TIME, SMALL, SMALL_TOO, REFERENCE, ADDRESS, NOTHING, LARGE, TEXT, REAL, KINDS };
enum { ROWS = 400, BASE_TIME_NS = 1000 };

struct input {
    const uint8_t *at, *end;
    int64_t now_ns;
};

static const char *const tables[] = {
    "transfer",         "transfer",          "transfer",    "device_copy",  "device_kernel",  "launch",
    "argument",         "argument_set",      "memset",      "allocation",   "allocation",     "sync",
    "device_memset",    "fingerprint",       "api_call",    "device_sync",  "stack",          "stack_frame",
    "module",           "python_code",       "nvtx_range",  "symbol",       "entry_point",    "thread",
    "device",           "context",           "stream",      "meta",         "note",           "kernel_name",
    "device_migration", "source_file",       "source_line", "transfer_row", "transfer_shape", "launch_row",
    "device_copy_row",  "device_kernel_row", "thinned",     "host_sample",  "host_read"};
enum { TABLES = sizeof tables / sizeof *tables };

static uint8_t take(struct input *input) { return input->at < input->end ? *input->at++ : 0; }

static int64_t take_large(struct input *input) {
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | take(input);
    return (int64_t)number;
}

static void bind(struct input *input, sqlite3_stmt *insert, int column) {
    size_t length = 0;
    switch (take(input) % KINDS) {
    case NEXT_TIME:
        input->now_ns += (int64_t)take(input) * 1000;
        sqlite3_bind_int64(insert, column, input->now_ns);
        return;
    case SMALL:
    case SMALL_TOO:
        sqlite3_bind_int64(insert, column, take(input) % 8);
        return;
    case REFERENCE:
        sqlite3_bind_int64(insert, column, take(input));
        return;
    case ADDRESS:
        sqlite3_bind_int64(insert, column, INT64_C(0x7f0000000000) + take(input) * INT64_C(4096));
        return;
    case LARGE:
        sqlite3_bind_int64(insert, column, take_large(input));
        return;
    case TEXT:
        length = take(input) % 32;
        length = length < (size_t)(input->end - input->at) ? length : (size_t)(input->end - input->at);
        sqlite3_bind_text(insert, column, (const char *)input->at, (int)length, SQLITE_TRANSIENT);
        input->at += length;
        return;
    case REAL:
        sqlite3_bind_double(insert, column, (double)(int8_t)take(input) * 1e17);
        return;
    default:
        sqlite3_bind_null(insert, column);
    }
}

/* INSERT INTO table VALUES (?, ?, ...) for each table. */
static void prepare(sqlite3 *db, sqlite3_stmt **inserts) {
    for (int i = 0; i < TABLES; i++) {
        char sql[512];
        sqlite3_stmt *columns = NULL;
        snprintf(sql, sizeof sql, "SELECT * FROM %s", tables[i]);
        if (sqlite3_prepare_v2(db, sql, -1, &columns, NULL) != SQLITE_OK)
            abort();
        int used = snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO %s VALUES (?", tables[i]);
        for (int k = 1; k < sqlite3_column_count(columns); k++)
            used += snprintf(sql + used, sizeof sql - (size_t)used, ",?");
        snprintf(sql + used, sizeof sql - (size_t)used, ")");
        sqlite3_finalize(columns);
        if (sqlite3_prepare_v2(db, sql, -1, &inserts[i], NULL) != SQLITE_OK)
            abort();
    }
}

static void insert_rows(sqlite3 *db, struct input *input) {
    sqlite3_stmt *inserts[TABLES];
    prepare(db, inserts);
    for (int row = 0; row < ROWS && input->at < input->end; row++) {
        sqlite3_stmt *insert = inserts[take(input) % TABLES];
        for (int column = 1; column <= sqlite3_bind_parameter_count(insert); column++)
            bind(input, insert, column);
        sqlite3_step(insert); /* what a constraint refuses is no row */
        sqlite3_reset(insert);
    }
    for (int i = 0; i < TABLES; i++)
        sqlite3_finalize(inserts[i]);
}

/* An empty trace, made once. */
static unsigned char *empty_trace(size_t *bytes) {
    static unsigned char *kept;
    static size_t count;
    struct xs_store *store;
    if (!kept) {
        const char *path = fuzz_trace_path();
        if (xs_store_create(path, &store) < 0 || xs_store_close(store) < 0)
            abort();
        FILE *file = fopen(path, "rb");
        if (!file || fseek(file, 0, SEEK_END) != 0)
            abort();
        count = (size_t)ftell(file);
        kept = malloc(count);
        rewind(file);
        if (!kept || fread(kept, 1, count, file) != count)
            abort();
        fclose(file);
    }
    *bytes = count;
    return kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {.at = data, .end = data + size, .now_ns = BASE_TIME_NS};
    const char *path = fuzz_trace_path();
    size_t bytes;
    sqlite3 *db;
    unsigned char *empty = empty_trace(&bytes);
    fuzz_write(path, empty, bytes);
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA journal_mode = off; PRAGMA synchronous = off; BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    insert_rows(db, &input);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    fuzz_read_all(path);
    return 0;
}
