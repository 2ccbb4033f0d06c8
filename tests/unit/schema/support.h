/* What the tests of schema/ share: a scratch folder, events to write, rows as text. */
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

/* A fresh folder for each test, deleted afterwards; cmocka set-up and tear-down. */
extern char scratch[128];
int make_scratch(void **state);
int delete_scratch(void **state);
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, make_scratch, delete_scratch)

/* Path of a file in the scratch folder; valid for the rest of the test, the same for the same name. */
const char *in_scratch(const char *name);
bool exists(const char *path);

/* Whole contents of a file, malloc'ed. */
unsigned char *read_all(const char *path, size_t *bytes);
void write_all(const char *path, const void *data, size_t bytes);

/* Result of a query on a connection: columns joined by '|', rows by newlines, NULL as "NULL". The _file forms open the
 * database read-only for it. Static storage, the last call's is valid. */
const char *rows_of(sqlite3 *db, const char *sql);
const char *rows_of_file(const char *path, const char *sql);
int64_t number_of(sqlite3 *db, const char *sql);

/* Pseudo-random numbers, the same in every run that starts with the same seed. */
void seed_random(uint64_t seed);
uint32_t next_random(void);

/* Ticks are nanoseconds. */
extern const struct xs_clock plain_clock;

/* A transfer that carries `serial` as its bytes and returns at tick 10 * serial. */
struct xs_event transfer_event(uint64_t serial);

/* Writes one event into a thread's chunk, taking a new one where needed. False while no chunk is free. */
struct producer {
    struct xs_spool *spool;
    struct xs_chunk *chunk;
    unsigned hint;
    uint32_t thread;
};
bool produce(struct producer *producer, const struct xs_event *event);

/* The child ends with status 0. With 77 the machine lacks something, and the test is skipped. */
void expect_child(pid_t child);

/* Of a child process: writes `events` transfers, serials from 1, takes over into the trace what is there when `drained`
 * of them are written (0: nothing), and kills itself. */
void write_and_die(struct xs_spool *spool, struct xs_store *store, uint64_t events, uint64_t drained);

/* A trace and a spool as a process leaves them that was killed after `events` transfers, serials from 1, of which
 * `drained` were taken over. Made by a child process, so the writer is gone. */
void make_killed_trace(const char *path, uint64_t events, uint64_t drained);

/* A finished trace with that many transfers. */
void make_finished_trace(const char *path, uint64_t events);

#endif
