/* Defines what the tests of the store share: a new store for each test, events to write into it, and its rows as
 * text. */
#ifndef XFERSPY_TESTS_UNIT_SCHEMA_STORE_UNIT_H
#define XFERSPY_TESTS_UNIT_SCHEMA_STORE_UNIT_H

#include "support.h"

extern struct xs_store *store;
extern const char *store_path;

/* Set-up and tear-down for cmocka. */
int open_new(void **state);
int close_it(void **state);
#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, open_new, close_it)

/* Returns an event of this kind, in which the fields that all kinds have are set. */
struct xs_event event_of(enum xs_event_kind kind);
void put(const struct xs_event *event, uint32_t thread);

/* Requires that a query on the file returns these rows. */
void expect(const char *sql, const char *rows);

#endif
