/* What the tests of the store share: a new one for each test, events to write into it, its rows as text. */
#ifndef XFERSPY_TESTS_UNIT_SCHEMA_STORE_UNIT_H
#define XFERSPY_TESTS_UNIT_SCHEMA_STORE_UNIT_H

#include "support.h"

extern struct xs_store *store;
extern const char *store_path;

/* cmocka set-up and tear-down. */
int open_new(void **state);
int close_it(void **state);
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_new, close_it)

/* An event of that kind with everything in it that all kinds have. */
struct xs_event event_of(enum xs_event_kind kind);
void put(const struct xs_event *event, uint32_t thread);

/* What a query on the file gives. */
void expect(const char *sql, const char *rows);

#endif
