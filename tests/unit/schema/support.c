/* Shared by the tests of schema/. */
#include "support.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char scratch[128];
const struct xs_clock plain_clock = {.source = XS_CLOCK_MONOTONIC};

int make_scratch(void **state) {
    (void)state;
    snprintf(scratch, sizeof scratch, "%s/xs-schema-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    return mkdtemp(scratch) ? 0 : -1;
}

static int delete_one(const char *path, const struct stat *st, int kind, struct FTW *place) {
    (void)st;
    (void)kind;
    (void)place;
    return remove(path);
}

int delete_scratch(void **state) {
    (void)state;
    chmod(scratch, 0755);
    return nftw(scratch, delete_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *in_scratch(const char *name) {
    static char paths[64][256], folder[sizeof scratch];
    static unsigned count;
    if (strcmp(folder, scratch) != 0) {
        memcpy(folder, scratch, sizeof folder);
        count = 0;
    }
    char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(paths[i], path) == 0)
            return paths[i];
    assert_true(count < 64);
    memcpy(paths[count], path, sizeof path);
    return paths[count++];
}

bool exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

unsigned char *read_all(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

void write_all(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

const char *rows_of(sqlite3 *db, const char *sql) {
    static char text[8192];
    size_t n = 0;
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);
    if (rc != SQLITE_OK) {
        snprintf(text, sizeof text, "error: %s", sqlite3_errmsg(db));
        return text;
    }
    text[0] = 0;
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *value = (const char *)sqlite3_column_text(stmt, i);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "|" : n ? "\n" : "", value ? value : "NULL");
            assert_true(n < sizeof text);
        }
    }
    if (rc != SQLITE_DONE)
        snprintf(text, sizeof text, "error: %s", sqlite3_errmsg(db));
    sqlite3_finalize(stmt);
    return text;
}

const char *rows_of_file(const char *path, const char *sql) {
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    const char *text = rows_of(db, sql);
    sqlite3_close(db);
    return text;
}

int64_t number_of(sqlite3 *db, const char *sql) { return strtoll(rows_of(db, sql), NULL, 10); }

static uint64_t random_state = 1;

void seed_random(uint64_t seed) { random_state = seed; }

uint32_t next_random(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}

struct xs_event transfer_event(uint64_t serial) {
    struct xs_event event = {.kind = XS_EVENT_TRANSFER,
                             .flags = XS_FLAG_HAS_STREAM,
                             .entry = 1,
                             .enter_tick = 10 * serial - 5,
                             .return_tick = 10 * serial,
                             .context = 0xc0,
                             .stream = 0x50};
    event.transfer.bytes = serial;
    event.transfer.dst_device = -1;
    event.transfer.src_device = -1;
    return event;
}

bool produce(struct producer *producer, const struct xs_event *event) {
    struct xs_event *slot = producer->chunk ? xs_chunk_slot(producer->chunk) : NULL;
    if (!slot) {
        if (producer->chunk)
            xs_chunk_finish(producer->spool, producer->chunk);
        producer->chunk =
            xs_spool_take(producer->spool, &producer->hint, producer->thread, (int32_t)producer->thread, "producer");
        if (!producer->chunk)
            return false;
        slot = xs_chunk_slot(producer->chunk);
    }
    *slot = *event;
    xs_chunk_commit(producer->chunk, slot + 1);
    return true;
}

void expect_child(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

void write_and_die(struct xs_spool *spool, struct xs_store *store, uint64_t events, uint64_t drained) {
    struct producer producer = {.spool = spool, .thread = 1};
    for (uint64_t serial = 1; serial <= events; serial++) {
        struct xs_event event = transfer_event(serial);
        if (!produce(&producer, &event))
            _exit(2);
        if (serial == drained && xs_spool_drain(spool, store, 0, false) < 0)
            _exit(3);
    }
    kill(getpid(), SIGKILL);
}

void make_killed_trace(const char *path, uint64_t events, uint64_t drained) {
    char spool_path[300];
    snprintf(spool_path, sizeof spool_path, "%s.spool", path);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct xs_spool spool;
        struct xs_store *store;
        if (xs_spool_create(spool_path, 8 << 20, 64, &spool) != 0 || xs_store_create(path, &store) != 0)
            _exit(1);
        xs_store_entry_point(store, 1, "cuMemcpyHtoD_v2", XS_CAT_TRANSFER);
        write_and_die(&spool, store, events, drained);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

void make_finished_trace(const char *path, uint64_t events) {
    struct xs_store *store;
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_store_begin(store), 0);
    assert_int_equal(xs_store_entry_point(store, 1, "cuMemcpyHtoD_v2", XS_CAT_TRANSFER), 0);
    assert_int_equal(xs_store_thread(store, 1, 100, "main"), 0);
    for (uint64_t serial = 1; serial <= events; serial++) {
        struct xs_event event = transfer_event(serial);
        assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), 0);
    }
    assert_int_equal(xs_store_finish(store, XS_STATUS_COMPLETE), 0);
    assert_int_equal(xs_store_commit(store), 0);
    assert_int_equal(xs_store_close(store), 0);
}
