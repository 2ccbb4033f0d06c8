/* A program built with ThreadSanitizer, which knows one table of descriptors a process, by number. The drain thread has
 * a table of its own, in which it opens and closes files of the same numbers: none of that is a race with the program's
 * use of its pipes, and the pipes still order what the program's threads do.
 *
 * link: cuda tsan
 * only: unsanitized
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes), sum(result) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096|0
 * h2d|101|413696|0
 */
#include <cuda.h>
#include <pthread.h>
#include <unistd.h>

#include "../check.h"

enum { PIPES = 8, TURNS = 100, BYTES = 4096 };

static int pipes[PIPES][2], answers[PIPES][2];
static unsigned char told[BYTES]; /* what the two threads hand to and fro, ordered by the pipes alone */

static void *answer(void *unused) {
    char byte;
    for (int i = 0; i < TURNS; i++) {
        OK(read(pipes[i % PIPES][0], &byte, 1) != 1);
        e2e_expect(told, BYTES, (unsigned)i);
        e2e_fill(told, BYTES, (unsigned)i + 1);
        OK(write(answers[i % PIPES][1], &byte, 1) != 1);
    }
    return unused;
}

int main(void) {
    unsigned char back[BYTES];
    pthread_t thread;
    CUdeviceptr device;
    char byte = 0;
    for (int i = 0; i < PIPES; i++) { /* before the drain thread is there, so that it has these numbers, too */
        OK(pipe(pipes[i]));
        OK(pipe(answers[i]));
    }
    OK(pthread_create(&thread, NULL, answer, NULL));
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    e2e_fill(told, BYTES, 0);
    OK(cuMemcpyHtoD(device, told, BYTES)); /* the drain thread is there, and has opened its files */
    for (int i = 0; i < TURNS; i++) {
        OK(write(pipes[i % PIPES][1], &byte, 1) != 1);
        OK(read(answers[i % PIPES][0], &byte, 1) != 1);
        e2e_expect(told, BYTES, (unsigned)i + 1);
        OK(cuMemcpyHtoD(device, told, BYTES));
    }
    OK(pthread_join(thread, NULL));
    OK(cuMemcpyDtoH(back, device, BYTES));
    e2e_expect(back, BYTES, TURNS);
    for (int i = 0; i < PIPES; i++)
        OK(close(pipes[i][0]) | close(pipes[i][1]) | close(answers[i][0]) | close(answers[i][1]));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
