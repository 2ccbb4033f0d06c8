/* Defines what the tests of schema/ share: a scratch folder, events to write, and rows as text. */
#ifndef XFERSPY_TESTS_UNIT_SCHEMA_SUPPORT_H
#define XFERSPY_TESTS_UNIT_SCHEMA_SUPPORT_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "schema/read/trace.h"
#include "schema/spool/spool.h"
#include "schema/write/store.h"

/* Set-up and tear-down for cmocka: each test gets a new folder, which is deleted afterwards. */
extern char scratch[128];
int make_scratch(void **state);
int delete_scratch(void **state);
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, delete_scratch)

/* Returns the path of a file in the scratch folder; valid for the rest of the test. The same name always gives the same
 * pointer. */
const char *in_scratch(const char *name);
bool exists(const char *path);

/* Returns the whole content of a file; the caller must free it. */
unsigned char *read_all(const char *path, size_t *bytes);
void write_all(const char *path, const void *data, size_t bytes);

/* Returns the result of a query on a connection: columns joined by '|', rows by newlines, NULL as "NULL". The function
 * with _file opens the database read-only. Static storage; valid until the next call. */
const char *rows_of(sqlite3 *db, const char *sql);
const char *rows_of_file(const char *path, const char *sql);
int64_t number_of(sqlite3 *db, const char *sql);

/* Pseudo-random numbers, which are the same in every run with the same seed. */
void seed_random(uint64_t seed);
uint32_t next_random(void);

/* A clock whose ticks are nanoseconds. */
extern const struct xs_clock plain_clock;

/* Returns a transfer of `serial` bytes that returns at tick 10 * serial. */
struct xs_event transfer_event(uint64_t serial);

/* Writes one event into a thread's chunk, and takes a new chunk if necessary. False: no chunk is free. */
struct producer {
    struct xs_spool *spool;
    struct xs_chunk *chunk;
    unsigned hint;
    uint32_t thread;
};
bool produce(struct producer *producer, const struct xs_event *event);

/* Requires that the child ends with status 0. Status 77 means that the machine lacks something; the test is then
 * skipped. */
void expect_child(pid_t child);

/* Called in a child process. Writes `events` transfers with the serials 1, 2 and so on; drains the spool into the trace
 * when `drained` of them are written (0: never); and then kills the process. */
void write_and_die(struct xs_spool *spool, struct xs_store *store, uint64_t events, uint64_t drained);

/* Makes a trace and a spool as a process leaves them that is killed after `events` transfers, with the serials 1, 2 and
 * so on. It drained the first `drained` transfers. A child process makes them, so the writer no longer exists. */
void make_killed_trace(const char *path, uint64_t events, uint64_t drained);

/* Makes a finished trace with this number of transfers. */
void make_finished_trace(const char *path, uint64_t events);

#endif
