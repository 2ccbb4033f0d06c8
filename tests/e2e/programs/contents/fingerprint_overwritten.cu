/* A blocking upload, and at once a kernel in a stream that waits for nothing, which overwrites it: its content is what
 * was uploaded.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Each content goes up twice, to be overwritten and not: twice the same.
 * > SELECT (transfer - 1) / 101, bytes, count(*), count(content), count(DISTINCT content), group_concat(DISTINCT
 * > taken_on),
 * >   count(before) FROM fingerprints WHERE direction = 'h2d' GROUP BY 1 ORDER BY 1
 * 0|100|100|100|50|device|100
 * 1|4096|100|100|50|device|100
 * 2|70000|100|100|50|device|100
 * 3|1048577|100|100|50|device|100
 *
 * > SELECT count(*) FROM fingerprints a JOIN fingerprints b ON b.transfer = a.transfer + 1
 * > WHERE (a.transfer - 1) % 101 % 2 = 0
 * > AND a.direction = 'h2d' AND a.content <> b.content
 * 0
 *
 * needs: cupti
 * > SELECT (SELECT count(*) FROM launch), (SELECT count(*)
 * > FROM device_kernel), host_failed, without_record, without_event FROM coverage
 * 201|201|0|0|0
 */
#include "../cases/cases.h"

static void play(size_t bytes, unsigned seed, cudaStream_t stream) {
    unsigned char *host = case_pinned(bytes), *memory = case_device(bytes), *kept = case_device(bytes);
    for (unsigned i = 0; i < 50; i++) {
        case_fill(host, bytes < 4096 ? bytes : 4096, seed + i);
        case_up(memory, host, bytes);
        case_change(memory, bytes, stream);
        case_up(kept, host, bytes);
        OK(cudaStreamSynchronize(stream));
    }
    unsigned char *back = case_pinned(bytes);
    case_down(back, memory, bytes);
    case_expect(back, bytes < 4096 ? bytes : 4096, seed + 49, 1);
    OK(cudaFree(memory));
    OK(cudaFree(kept));
    OK(cudaFreeHost(host));
    OK(cudaFreeHost(back));
}

int main() {
    cudaStream_t stream;
    unsigned char *memory = case_device(64);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    case_change(memory, 64, stream); // loaded now, so that the first one, too, comes at once
    OK(cudaStreamSynchronize(stream));
    OK(cudaFree(memory));
    const size_t sizes[] = {100, 4096, 70000, (1 << 20) + 1};
    for (unsigned i = 0; i < 4; i++)
        play(sizes[i], 1000 * (i + 1), stream);
    OK(cudaStreamDestroy(stream));
    puts("data ok");
    return 0;
}
