/* A program with an SQLite of its own, its symbols visible to everyone, used hard by threads while they copy: neither
 * library takes the other's functions or files.
 *
 * link: cuda sqlite3
 * stdout: 4 threads inserted 2000 rows, sum 998000, library 1
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2000|2048000
 * h2d|2000|2048000
 */
#include <cuda.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

#include "../check.h"

enum { THREADS = 4, ROWS = 500 };

static CUcontext context;
static sqlite3 *db;

static void *work(void *number) {
    unsigned char host[1024], back[1024];
    sqlite3_stmt *insert;
    CUdeviceptr device;

    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, (unsigned)(unsigned long)number);
    OK(sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?1, ?2)", -1, &insert, NULL));
    for (int i = 0; i < ROWS; i++) {
        OK(cuMemcpyHtoD(device, host, sizeof host));
        OK(cuMemcpyDtoH(back, device, sizeof back));
        e2e_expect(back, sizeof back, (unsigned)(unsigned long)number);
        OK(sqlite3_bind_int(insert, 1, i));
        OK(sqlite3_bind_blob(insert, 2, back, sizeof back, SQLITE_STATIC));
        REQUIRE(sqlite3_step(insert) == SQLITE_DONE);
        OK(sqlite3_reset(insert));
    }
    OK(sqlite3_finalize(insert));
    OK(cuMemFree(device));
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    sqlite3_stmt *count;

    context = e2e_context();
    OK(sqlite3_open(":memory:", &db));
    OK(sqlite3_exec(db, "CREATE TABLE t (x INTEGER, y BLOB)", NULL, NULL, NULL));
    for (unsigned long i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], NULL, work, (void *)i));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    OK(sqlite3_prepare_v2(db, "SELECT count(*), sum(x * 2) FROM t WHERE length(y) = 1024", -1, &count, NULL));
    REQUIRE(sqlite3_step(count) == SQLITE_ROW);
    printf("%d threads inserted %d rows, sum %d, library %d\n", THREADS, sqlite3_column_int(count, 0),
           sqlite3_column_int(count, 1), strcmp(sqlite3_libversion(), SQLITE_VERSION) == 0);
    OK(sqlite3_finalize(count));
    OK(sqlite3_close(db));
    return 0;
}
