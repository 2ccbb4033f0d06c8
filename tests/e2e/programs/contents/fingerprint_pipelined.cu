/* Uploads follow each other in a stream, and their fingerprints are taken beside them. All work that comes after the
 * copies also comes after their fingerprints, however it is ordered.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * 24 buffers go up again and again, each time twice (what they overwrite is measured the first time, and known the
 * second), to be changed as soon as they are there: one content a buffer.
 * > SELECT t.src_address - (SELECT min(src_address) FROM transfer WHERE bytes = 65536
 * > AND direction = 1), count(*), count(f.content),
 * >   count(DISTINCT f.content), count(f.before) FROM fingerprints f JOIN transfer t ON t.id = f.transfer
 * > WHERE f.bytes = 65536 AND f.direction = 'h2d' GROUP BY 1 HAVING NOT (count(*) = 24 AND count(f.content) = 24
 * >   AND count(DISTINCT f.content) = 1 AND count(f.before) = 24)
 *
 * > SELECT count(DISTINCT content), count(*) FROM fingerprints WHERE bytes = 65536 AND direction = 'h2d'
 * 24|576
 *
 * A download between two uploads to the same place has the content of the first one:
 * > SELECT count(*), sum(d.content = u.content) FROM transfer a JOIN fingerprints d ON d.transfer = a.id
 * > JOIN fingerprints u
 * >   ON u.transfer = a.id - 1 WHERE a.bytes = 65536 AND a.direction = 2
 * 24|24
 *
 * Three contents are uploaded in turn to the same place, 60 times. Each upload finds the previous content:
 * > SELECT count(*), count(DISTINCT f.content), sum(f.before = g.content), sum(f.changed_leaves = 25)
 * > FROM fingerprints f
 * > LEFT JOIN fingerprints g ON g.transfer = f.transfer - 1 AND g.bytes = 100000 WHERE f.bytes = 100000
 * 60|3|59|60
 *
 * needs: cupti
 * > SELECT host_failed, without_record, without_event FROM coverage
 * 0|0|0
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM device_kernel), (SELECT count(*) FROM launch WHERE kind = 0), (SELECT count(*)
 * > FROM launch
 * >   WHERE kind = 3), (SELECT count(*) FROM device_memset)
 * 10|10|1|1
 */
#include "../cases/cases.h"

#include <atomic>
#include <cuda.h>
#include <pthread.h>

enum { BYTES = 65536, BUFFERS = 24, ALL = BUFFERS * BYTES, PLACE = 100000 };

static unsigned char *host, *memory;
static cudaStream_t copies, other;
static cudaEvent_t event;

static void upload() {
    for (size_t i = 0; i < 2 * BUFFERS; i++) {
        size_t at = i % BUFFERS * BYTES;
        OK(cudaMemcpyAsync(memory + at, host + at, BYTES, cudaMemcpyHostToDevice, copies));
    }
}

static void in_the_same_stream() { case_change(memory, ALL, copies); }

static void behind_an_event() {
    OK(cudaEventRecord(event, copies));
    OK(cudaStreamWaitEvent(other, event, 0));
    case_change(memory, ALL, other);
}

static void *record(void *) {
    OK(cudaEventRecord(event, copies));
    return nullptr;
}

static void behind_an_event_of_another_thread() {
    pthread_t thread;
    OK(pthread_create(&thread, nullptr, record, nullptr));
    OK(pthread_join(thread, nullptr));
    OK(cudaStreamWaitEvent(other, event, 0));
    case_change(memory, ALL, other);
}

static void after_waiting_for_the_stream() {
    OK(cudaStreamSynchronize(copies));
    case_change(memory, ALL, other);
}

static void after_asking_the_stream() {
    while (cudaStreamQuery(copies) == cudaErrorNotReady)
        cudaGetLastError();
    case_change(memory, ALL, other);
}

static void after_asking_an_event() {
    OK(cudaEventRecord(event, copies));
    while (cudaEventQuery(event) == cudaErrorNotReady)
        cudaGetLastError();
    case_change(memory, ALL, other);
}

static void after_waiting_for_the_device() {
    OK(cudaDeviceSynchronize());
    case_change(memory, ALL, other);
}

static std::atomic<bool> reached;

static void tell(void *) { reached = true; }

static void after_a_host_function() {
    OK(cudaLaunchHostFunc(copies, tell, nullptr));
    while (!reached) {
    }
    case_change(memory, ALL, other);
}

static void within_the_device() { OK(cudaMemcpyAsync(memory, memory + ALL, ALL, cudaMemcpyDeviceToDevice, copies)); }

static void set() { OK(cudaMemsetAsync(memory, 7, ALL, copies)); }

static void play(void (*then)()) {
    upload();
    then();
    OK(cudaStreamSynchronize(copies));
    OK(cudaStreamSynchronize(other));
}

/* The default stream waits for the streams that are not told otherwise. */
static void by_the_default_stream() {
    cudaStream_t before = copies;
    OK(cudaStreamCreate(&copies));
    upload();
    case_change(memory, ALL);
    OK(cudaDeviceSynchronize());
    OK(cudaStreamDestroy(copies));
    copies = before;
}

static void down_between() {
    unsigned char *back = case_pinned(ALL);
    for (size_t i = 0; i < BUFFERS; i++) {
        OK(cudaMemcpyAsync(memory, host + i * BYTES, BYTES, cudaMemcpyHostToDevice, copies));
        OK(cudaMemcpyAsync(back + i * BYTES, memory, BYTES, cudaMemcpyDeviceToHost, copies));
    }
    OK(cudaStreamSynchronize(copies));
    for (unsigned i = 0; i < BUFFERS; i++)
        case_expect(back + i * BYTES, BYTES, i + 1);
    OK(cudaFreeHost(back));
}

static void in_turn() {
    for (unsigned i = 0; i < 60; i++)
        OK(cudaMemcpyAsync(memory, host + i % 3 * PLACE, PLACE, cudaMemcpyHostToDevice, copies));
    OK(cudaStreamSynchronize(copies));
}

int main() {
    host = case_pinned(ALL), memory = case_device(2 * ALL);
    OK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (unsigned i = 0; i < BUFFERS; i++)
        case_fill(host + i * BYTES, BYTES, i + 1);
    for (size_t i = 0; i < BUFFERS; i++)
        case_up(memory + i * BYTES, host + i * BYTES, BYTES); // to compare with
    case_change(memory, ALL, other);
    OK(cudaDeviceSynchronize());
    down_between();
    play(in_the_same_stream);
    play(behind_an_event);
    play(behind_an_event_of_another_thread);
    play(after_waiting_for_the_stream);
    play(after_asking_the_stream);
    play(after_asking_an_event);
    play(after_waiting_for_the_device);
    play(within_the_device);
    play(set);
    by_the_default_stream();
    in_turn();
    play(after_a_host_function); // last: from then on fingerprints are not told from the one before
    OK(cudaStreamDestroy(copies));
    OK(cudaStreamDestroy(other));
    OK(cudaEventDestroy(event));
    OK(cudaFree(memory));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
