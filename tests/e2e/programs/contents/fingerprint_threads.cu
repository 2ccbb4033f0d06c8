/* Eight threads, each with a stream, 2000 small copies up: blocking, asynchronous and far apart. All have content, none
 * too many, and each finds what the one before left.
 *
 * env: XFERSPY_FINGERPRINT=all XFERSPY_BUDGET=off
 * stdout: data ok
 *
 * > SELECT count(*), count(content), sum(before IS NOT NULL), group_concat(DISTINCT missing), group_concat(DISTINCT
 * > taken_on)
 * > FROM fingerprints WHERE direction = 'h2d'
 * 16000|16000|16000||device
 *
 * > SELECT count(*), sum(content IS NOT NULL) FROM fingerprints WHERE direction = 'd2h'
 * 8|8
 *
 * A thread's copies go into four places in turn, with another content each: that of the copy before into the same
 * place.
 * > SELECT count(*) > 10, sum(f.before <> (SELECT g.content FROM transfer u JOIN fingerprints g ON g.transfer = u.id
 * >   WHERE u.id = (SELECT max(id) FROM transfer WHERE thread = t.thread AND id < t.id
 * > AND dst_address = t.dst_address)))
 * > FROM transfer t JOIN fingerprints f ON f.transfer = t.id WHERE t.direction = 1 AND t.bytes = 1024
 * > AND t.id % 997 = 0
 * 1|0
 *
 * > SELECT (SELECT count(*) FROM fingerprint), (SELECT count(*) FROM fingerprint WHERE id NOT IN (SELECT fingerprint
 * > FROM transfer
 * >   WHERE fingerprint IS NOT NULL)), (SELECT count(*) FROM transfer WHERE fingerprint NOT IN (SELECT id
 * > FROM fingerprint))
 * 16008|0|0
 *
 * The trace has none of xferspy's own operations:
 * needs: cupti
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*) FROM device_kernel), (SELECT count(*)
 * > FROM device_memset), host_transfers,
 * >   host_failed, matched, without_record, without_event FROM coverage
 * 0|0|0|16008|0|16008|0|0
 *
 * > SELECT count(*) FROM kernel_name WHERE name LIKE '%xferspy%'
 * 0
 */
#include "../cases/cases.h"

#include <pthread.h>

enum { THREADS = 8, COPIES = 2000, BYTES = 1024, PLACES = 4 };

static void *work(void *argument) {
    unsigned number = *static_cast<unsigned *>(argument);
    unsigned char *host = case_pinned(COPIES * BYTES), *memory = case_device(PLACES * BYTES);
    unsigned char *back = case_pinned(PLACES * BYTES);
    cudaStream_t stream;

    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_fill(host, COPIES * BYTES, number + 1);
    for (size_t i = 0; i < COPIES; i++) {
        void *to = memory + i % PLACES * BYTES;
        if (i % 3 == 0) {
            OK(cudaStreamSynchronize(stream));
            case_up(to, host + i * BYTES, BYTES);
            OK(cudaStreamSynchronize(nullptr));
        } else {
            OK(cudaMemcpyAsync(to, host + i * BYTES, BYTES, cudaMemcpyHostToDevice, stream));
        }
    }
    OK(cudaStreamSynchronize(stream));
    case_down(back, memory, PLACES * BYTES);
    for (size_t i = 0; i < PLACES * BYTES; i++)
        REQUIRE(back[i] == host[(COPIES - PLACES) * BYTES + i]);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(memory));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
    return nullptr;
}

int main() {
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        OK(pthread_create(&threads[i], nullptr, work, &numbers[i]));
    }
    for (pthread_t thread : threads)
        OK(pthread_join(thread, nullptr));
    puts("data ok");
    return 0;
}
