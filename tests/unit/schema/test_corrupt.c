/* Tests that with any bytes in a spool or a trace nothing crashes, nothing outside is read, and no file is changed that
 * is not a sound trace. */
#include "support.h"

#include <unistd.h>

static const char *path, *spool_path;

static void name_files(void) {
    path = in_scratch("t.db");
    spool_path = in_scratch("t.db.spool");
}

/* Returns a random position. Most of them are where bytes have a meaning: in the header page and the chunks' headers.
 */
static size_t random_offset(size_t bytes) {
    size_t chunk = (size_t)next_random() % ((bytes - XS_SPOOL_HEADER_BYTES) / XS_SPOOL_CHUNK_BYTES);
    size_t at = XS_SPOOL_HEADER_BYTES + chunk * XS_SPOOL_CHUNK_BYTES;
    switch (next_random() % 4) {
    case 0:
        return (size_t)next_random() % sizeof(struct xs_spool_header);
    case 1:
        return at + (size_t)next_random() % sizeof(struct xs_chunk_header);
    case 2:
        return at + (size_t)next_random() % 2048;
    default:
        return (size_t)next_random() % bytes;
    }
}

static int read_everything(const struct xs_trace *trace) {
    static const char *const queries[] = {"SELECT total(bytes), max(enter_ns), min(return_ns) FROM transfer",
                                          "SELECT sum(length(name)) FROM thread",
                                          "SELECT count(*) FROM stream, context",
                                          "SELECT count(*), max(bytes) FROM allocation",
                                          "SELECT count(*), max(bytes) FROM api_call",
                                          "SELECT count(*) FROM transfers"};
    int failed = 0;
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        failed += strncmp(rows_of(trace->db, queries[i]), "error:", 6) == 0;
    return failed;
}

static void damaged_spools_never_crash(void **state) {
    (void)state;
    seed_random(7);
    name_files();
    make_killed_trace(path, 1200, 300);
    size_t db_bytes, wal_bytes, bytes;
    unsigned char *db = read_all(path, &db_bytes), *wal = read_all(in_scratch("t.db-wal"), &wal_bytes);
    unsigned char *good = read_all(spool_path, &bytes);
    unsigned char *bad = malloc(bytes);
    int opened = 0, warned = 0, short_of_events = 0;
    for (int round = 0; round < 400; round++) {
        write_all(path, db, db_bytes);
        write_all(in_scratch("t.db-wal"), wal, wal_bytes);
        unlink(in_scratch("t.db-shm"));
        memcpy(bad, good, bytes);
        size_t length = round % 5 == 4 ? (size_t)next_random() % bytes : bytes;
        for (unsigned flips = 1 + next_random() % 8; flips > 0; flips--)
            bad[random_offset(bytes)] ^= (unsigned char)(1u << next_random() % 8);
        if (round % 7 == 0) { /* a stretch of noise */
            size_t at = random_offset(bytes);
            for (size_t i = at; i < bytes && i < at + 300; i++)
                bad[i] = (unsigned char)next_random();
        }
        write_all(spool_path, bad, length);
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES];
        int status = xs_trace_open(path, &trace, message);
        assert_int_equal(status, 0); /* a damaged spool costs its own events only */
        assert_int_equal(read_everything(&trace), 0);
        int64_t rows = number_of(trace.db, "SELECT (SELECT count(*) FROM transfer) + (SELECT count(*) FROM memset)");
        assert_true(rows >= 300 || trace.recovered_events >= 0);
        opened++;
        warned += trace.warning[0] != 0;
        short_of_events += rows < 1200;
        xs_trace_close(&trace);
        unlink(spool_path);
    }
    print_message("%d opened, %d with a warning, %d short of events\n", opened, warned, short_of_events);
    assert_true(warned > 20);
    free(db);
    free(wal);
    free(good);
    free(bad);
}

static void spool_of_only(const void *data, size_t bytes, int expected) {
    write_all(spool_path, data, bytes);
    struct xs_spool spool;
    int status = xs_spool_open(spool_path, &spool);
    assert_int_equal(status, expected);
    if (status == 0)
        xs_spool_unmap(&spool);
}

static void header_checks(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 10, 0);
    size_t bytes;
    unsigned char *data = read_all(spool_path, &bytes);
    struct xs_spool_header *header = (struct xs_spool_header *)(void *)data;
    struct xs_spool_header good = *header;
    spool_of_only(data, bytes, 0);
    spool_of_only(data, 0, XS_ERROR_CORRUPT);
    spool_of_only(data, XS_SPOOL_HEADER_BYTES - 1, XS_ERROR_CORRUPT);
    spool_of_only(data, bytes - 1, XS_ERROR_CORRUPT);
    header->magic++;
    spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    *header = good;
    header->event_bytes = 64;
    spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    *header = good;
    header->chunk_bytes *= 2;
    spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    *header = good;
    header->chunk_count = UINT32_MAX;
    header->chunk_limit = UINT32_MAX;
    spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    *header = good;
    header->chunk_limit = atomic_load(&header->chunk_count) - 1;
    spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    const struct {
        char *text;
        size_t bytes;
    } texts[] = {{header->boot_id, sizeof header->boot_id}, {header->host, sizeof header->host},
                 {header->stopped, sizeof header->stopped}, {header->id, sizeof header->id},
                 {header->folder, sizeof header->folder},   {header->trace, sizeof header->trace}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *header = good;
        memset(texts[i].text, 'x', texts[i].bytes);
        spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    }
    *header = good;
    header->clock.source = XS_CLOCK_COUNTER;
    header->clock.maps[0].count = 0;
    spool_of_only(data, bytes, XS_ERROR_CORRUPT);
    free(data);
    assert_int_equal(xs_spool_open(scratch, &(struct xs_spool){0}), XS_ERROR_CORRUPT);
}

/* A chunk claims more bytes than it can hold, and a row of spool_progress lies beyond it. */
static void impossible_sizes_are_cut(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 600, 0);
    size_t bytes;
    unsigned char *data = read_all(spool_path, &bytes);
    struct xs_chunk *chunk = (struct xs_chunk *)(void *)(data + XS_SPOOL_HEADER_BYTES);
    chunk->header.committed_bytes = UINT32_MAX;
    chunk->header.state = 99;
    chunk = (struct xs_chunk *)(void *)(data + XS_SPOOL_HEADER_BYTES + XS_SPOOL_CHUNK_BYTES);
    chunk->header.committed_bytes = 89 * 128 + 5;
    write_all(spool_path, data, bytes);
    free(data);
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(trace.recovered_events, 600);
    xs_trace_close(&trace);
}

/* Finished traces have flipped bytes. They are opened or refused, but never changed, and nothing is left beside them.
 */
static void damaged_traces_are_never_changed(void **state) {
    (void)state;
    seed_random(11);
    name_files();
    make_finished_trace(path, 3000);
    size_t bytes, after_bytes;
    unsigned char *good = read_all(path, &bytes);
    unsigned char *bad = malloc(bytes);
    int refused = 0, failing_reads = 0;
    for (int round = 0; round < 300; round++) {
        memcpy(bad, good, bytes);
        size_t length = round % 4 == 3 ? 1 + (size_t)next_random() % (bytes - 1) : bytes;
        for (unsigned flips = 1 + next_random() % 6; flips > 0; flips--) {
            size_t limit = next_random() % 2 ? bytes : next_random() % 2 ? 110 : 4096;
            bad[(size_t)next_random() % limit] ^= (unsigned char)(1u << next_random() % 8);
        }
        write_all(path, bad, length);
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES];
        int status = xs_trace_open(path, &trace, message);
        if (status == 0) {
            failing_reads += read_everything(&trace) != 0;
            xs_trace_close(&trace);
        } else {
            refused++;
            if (!strstr(message, "t.db: "))
                fail_msg("%d: %s", status, message);
            assert_null(strchr(message, '\n'));
        }
        unsigned char *after = read_all(path, &after_bytes);
        assert_int_equal(after_bytes, length);
        assert_memory_equal(after, bad, length);
        free(after);
        assert_false(exists(in_scratch("t.db-wal")));
        assert_false(exists(in_scratch("t.db-shm")));
        assert_false(exists(in_scratch("t.db-journal")));
    }
    print_message("%d refused, %d with reads that fail\n", refused, failing_reads);
    assert_true(refused > 50);
    free(good);
    free(bad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(damaged_spools_never_crash),
        IN_SCRATCH(header_checks),
        IN_SCRATCH(impossible_sizes_are_cut),
        IN_SCRATCH(damaged_traces_are_never_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
