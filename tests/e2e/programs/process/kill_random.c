/* The program is killed by SIGKILL at twenty random moments. After recovery, no copy is missing that had returned to
 * the program, and none is there twice. Recovering again changes nothing.
 *
 * link: cuda
 * status: recovered
 * traces: 20
 * stdout: 20 rounds
 *
 * Each round: copies known to have returned, and whether the trace has as many or one more, with unique numbers.
 * $ while read -r pid returned; do
 * $     t="$dir/kill_random.$pid.db"
 * $     q "$t" "SELECT CASE WHEN count(*) BETWEEN $returned AND $returned + 1 AND count(DISTINCT bytes) = count(*)
 * $         AND sum(result) = 0 AND max(bytes) = count(*) THEN 'ok' ELSE 'pid $pid: $returned returned, trace has '
 * $         || count(*) || ', largest ' || max(bytes) END FROM transfer WHERE direction = 1"
 * $     n=$(q "$t" "SELECT count(*) FROM transfer"); m=$(q "$t" "SELECT count(*) FROM transfer")
 * $     [ "$n" = "$m" ] || echo "pid $pid: recovered again, $n became $m"
 * $     q "$t" "SELECT 'status ' || value FROM meta WHERE key = 'status' AND value <> 'recovered'"
 * $ done < "$XFERSPY_TEST_DIR/rounds" | uniq -c | awk '{$1 = $1; print}'
 * 20 ok
 */
#include <cuda.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

enum { ROUNDS = 20, MOST = 60000 };

/* Copy number n moves n bytes, so the trace tells which copies it has. */
static void copy_on(atomic_uint *returned) {
    unsigned char *host = calloc(1, MOST);
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, MOST));
    for (unsigned n = 1; n < MOST; n++) {
        OK(cuMemcpyHtoD(device, host, n));
        atomic_store_explicit(returned, n, memory_order_release);
    }
    pause();
}

int main(void) {
    const char *folder = getenv("XFERSPY_TEST_DIR");
    char path[4096];
    atomic_uint *returned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    REQUIRE(folder != NULL && returned != MAP_FAILED);
    snprintf(path, sizeof path, "%s/rounds", folder);
    FILE *rounds = fopen(path, "w");
    REQUIRE(rounds != NULL);
    const char *seed = getenv("XFERSPY_TEST_SEED"); /* of `make torture` */
    unsigned random = seed ? (unsigned)strtoul(seed, NULL, 10) : (unsigned)time(NULL) ^ ((unsigned)getpid() << 16);
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(returned, 0);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            copy_on(returned);
            _exit(0);
        }
        while (atomic_load(returned) < 3) { /* until it copies; then a random while, up to 40 ms */
            REQUIRE(waitpid(child, NULL, WNOHANG) == 0);
            usleep(100);
        }
        random = random * 1664525u + 1013904223u;
        usleep((random >> 8) % 40000);
        kill(child, SIGKILL);
        int status;
        REQUIRE(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        fprintf(rounds, "%d %u\n", (int)child, atomic_load(returned));
    }
    fclose(rounds);
    printf("%d rounds\n", ROUNDS);
    return 0;
}
