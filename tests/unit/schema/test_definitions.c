/* Tests that the parts of a definition in the spool become rows, complete or not at all, and that hostile bytes become
 * nothing. */
#include "support.h"

static struct xs_spool spool;
static struct xs_store *store;
static const char *path;
static struct xs_chunk *chunk;

static void begin(void) {
    unsigned hint = 0;
    path = in_scratch("t.db");
    assert_int_equal(xs_store_create(path, &store), 0);
    size_t bytes = XS_SPOOL_HEADER_BYTES + 4 * XS_SPOOL_CHUNK_BYTES;
    assert_int_equal(xs_spool_create(in_scratch("t.db.spool"), bytes, 2, &spool), 0);
    chunk = xs_spool_take(&spool, &hint, 1, 1, "writer");
}

static void end(void) {
    xs_spool_unmap(&spool);
    assert_int_equal(xs_store_close(store), 0);
}

static int64_t drain(int64_t limit) {
    xs_clock_sync(&spool.header->clock);
    return xs_spool_drain(&spool, store, limit, false);
}

static void expect(const char *sql, const char *rows) { assert_string_equal(rows_of_file(path, sql), rows); }

/* Writes a definition as xs_define does. Returns the number of parts. */
static unsigned define(enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    unsigned parts = 0;
    struct xs_event *slot = xs_chunk_slot(chunk);
    for (size_t done = 0; done < bytes || parts == 0; parts++) {
        size_t now = bytes - done < XS_DEFINITION_PART_BYTES ? bytes - done : XS_DEFINITION_PART_BYTES;
        struct xs_definition_part part = {
            XS_EVENT_DEFINITION, (uint8_t)what, (uint8_t)now, parts == 0, done + now == bytes, id, {0}};
        memcpy(part.data, (const char *)data + done, now);
        memcpy(&slot[parts], &part, sizeof part);
        done += now;
    }
    xs_chunk_commit(chunk, slot + parts);
    return parts;
}

static size_t stack_bytes(uint8_t *to, uint32_t native, uint32_t python) {
    struct xs_define_stack stack = {native, python, 1, 1, native ? 0 : 9};
    size_t n = sizeof stack;
    memcpy(to, &stack, n);
    for (uint32_t i = 0; i < native; i++, n += sizeof(struct xs_define_frame))
        memcpy(to + n, &(struct xs_define_frame){0x1000 + i, i % 2, 0}, sizeof(struct xs_define_frame));
    for (uint32_t i = 0; i < python; i++, n += sizeof(struct xs_define_python_frame)) {
        memcpy(to + n, &(struct xs_define_python_frame){7 + i, 70 * (i & 1), i == 1},
               sizeof(struct xs_define_python_frame));
    }
    return n;
}

static void every_kind_becomes_a_row(void **state) {
    (void)state;
    begin();
    uint8_t bytes[4096] = {0};
    struct xs_define_module module = {0x400000, 0x500000, 0x3ff000, 3, 9};
    memcpy(bytes, &module, sizeof module);
    memcpy(bytes + sizeof module, "\xab\x01\xff/lib/a.so", sizeof "\xab\x01\xff/lib/a.so");
    define(XS_DEFINE_MODULE, 1, bytes, sizeof module + 12);
    struct xs_define_code code = {12, 4, 6};
    memcpy(bytes, &code, sizeof code);
    memcpy(bytes + sizeof code, "a.pyT.step", sizeof "a.pyT.step");
    define(XS_DEFINE_CODE, 2, bytes, sizeof code + 10);
    struct xs_define_range range = {5, 0, 5};
    memcpy(bytes, &range, sizeof range);
    memcpy(bytes + sizeof range, "epoch", sizeof "epoch");
    define(XS_DEFINE_RANGE, 6, bytes, sizeof range + 5);
    define(XS_DEFINE_STACK, 3, bytes, stack_bytes(bytes, 2, 2));
    define(XS_DEFINE_STACK, 3, bytes, stack_bytes(bytes, 1, 0)); /* the first one holds */
    assert_true(drain(0) > 4);
    expect("SELECT * FROM module", "1|/lib/a.so|ab01ff|4194304|5242880|4190208");
    expect("SELECT * FROM python_code", "2|a.py|T.step|12");
    expect("SELECT * FROM nvtx_range", "6|5|NULL|epoch");
    define(XS_DEFINE_STACK, 4, bytes, stack_bytes(bytes, 0, 1));
    size_t length = stack_bytes(bytes, 0, 0);
    memcpy(bytes + offsetof(struct xs_define_stack, sleep), &(uint16_t){XS_SLEEP_UNKNOWN}, sizeof(uint16_t));
    define(XS_DEFINE_STACK, 5, bytes, length);
    assert_true(drain(0) > 0);
    expect("SELECT * FROM stack", "3|2|2|1|NULL|NULL\n4|0|1|1|9|1\n5|0|0|1|9|NULL");
    expect("SELECT * FROM stack_frame", "12288|3|0|4096|NULL|NULL|NULL|NULL\n12289|3|1|4097|1|NULL|NULL|NULL\n"
                                        "14336|3|0|NULL|NULL|7|NULL|0\n14337|3|1|NULL|NULL|8|70|1\n"
                                        "18432|4|0|NULL|NULL|7|NULL|0");
    end();
}

static void a_batch_ends_behind_a_definition(void **state) {
    (void)state;
    begin();
    uint8_t bytes[XS_DEFINITION_BYTES_MAX];
    struct xs_event event = transfer_event(1);
    struct xs_event *slot = xs_chunk_slot(chunk);
    *slot = event;
    xs_chunk_commit(chunk, slot + 1);
    unsigned parts = define(XS_DEFINE_STACK, 1, bytes, stack_bytes(bytes, 200, 10));
    assert_int_equal(parts, 28);
    assert_int_equal(drain(5), 2);
    expect("SELECT native_frames FROM stack", "200");
    expect("SELECT count(*) FROM stack_frame", "210");
    assert_int_equal(drain(5), 0);
    end();
}

static void what_makes_no_sense_is_skipped(void **state) {
    (void)state;
    begin();
    uint8_t bytes[4096] = {0};
    size_t whole = stack_bytes(bytes, 20, 0);
    define(XS_DEFINE_STACK, 1, bytes, whole - 1);
    define(XS_DEFINE_STACK, 0, bytes, whole);
    define(XS_DEFINE_MODULE, 1, bytes, 0);
    define((enum xs_definition)77, 1, bytes, 10);
    struct xs_define_module module = {.build_id_bytes = 65, .path_bytes = 1};
    memcpy(bytes, &module, sizeof module);
    define(XS_DEFINE_MODULE, 1, bytes, 200);
    struct xs_define_code code = {.file_bytes = UINT32_MAX, .function_bytes = 2};
    memcpy(bytes, &code, sizeof code);
    define(XS_DEFINE_CODE, 1, bytes, 100);
    struct xs_define_stack stack = {.native = UINT32_MAX / 16 + 1};
    memcpy(bytes, &stack, sizeof stack);
    define(XS_DEFINE_STACK, 1, bytes, sizeof stack);
    /* a last part without the first, and the first of one without the rest */
    whole = stack_bytes(bytes, 20, 0);
    struct xs_event *slot = xs_chunk_slot(chunk);
    define(XS_DEFINE_STACK, 1, bytes, whole);
    slot[0] = transfer_event(9);
    slot = xs_chunk_slot(chunk);
    define(XS_DEFINE_STACK, 1, bytes, whole);
    slot[2] = transfer_event(10);
    define(XS_DEFINE_STACK, 2, bytes, whole);
    assert_true(drain(0) > 0);
    expect("SELECT id FROM stack", "2");
    expect("SELECT count(*) FROM transfer", "2");
    expect("SELECT (SELECT count(*) FROM module) + (SELECT count(*) FROM python_code)", "0");
    expect("SELECT value > 6 FROM meta WHERE key = 'skipped_events'", "1");
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(every_kind_becomes_a_row),
        IN_SCRATCH(a_batch_ends_behind_a_definition),
        IN_SCRATCH(what_makes_no_sense_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
