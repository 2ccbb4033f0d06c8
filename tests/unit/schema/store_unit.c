/* Shared by the tests of the store. */
#include "store_unit.h"

struct xs_store *store;
const char *store_path;

int open_new(void **state) {
    if (make_scratch(state))
        return -1;
    store_path = in_scratch("t.db");
    return xs_store_create(store_path, &store);
}

int close_it(void **state) {
    xs_store_close(store);
    store = NULL;
    return delete_scratch(state);
}

void put(const struct xs_event *event, uint32_t thread) {
    assert_int_equal(xs_store_event(store, event, thread, &plain_clock), 0);
}

void expect(const char *sql, const char *rows) { assert_string_equal(rows_of_file(store_path, sql), rows); }

struct xs_event event_of(enum xs_event_kind kind) {
    return (struct xs_event){.kind = (uint8_t)kind,
                             .flags = XS_FLAG_HAS_STREAM | XS_FLAG_ASYNC,
                             .entry = 7,
                             .result = 0,
                             .enter_tick = 1000,
                             .return_tick = 1500,
                             .context = 0xc1,
                             .stream = 0x51,
                             .correlation = 99,
                             .stack = 61,
                             .range = 62};
}
