/* Case 1, nothing to find: each batch goes up once, from pinned memory, while the kernel of the batch before runs in
 * another stream, and the result comes down once.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Eight uploads with contents of their own into two regions, each read by a kernel before it is overwritten. No wait
 * follows a copy directly. What little time there is to gain (eight copies of 32 KiB) is under the floor of no-overlap.
 * !
 *
 * > SELECT direction, count(*), sum(bytes), sum(is_async) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|32768|0
 * h2d|8|262144|8
 */
#include "cases.h"

enum { BATCHES = 8, FLOATS = 8192, BYTES = 4 * FLOATS };

static float value(int batch, size_t i) { return static_cast<float>(case_byte(static_cast<unsigned>(batch), i)); }

int main() {
    float *batches = reinterpret_cast<float *>(case_pinned(BATCHES * BYTES));
    float *result = reinterpret_cast<float *>(case_pinned(BYTES));
    float *sum = reinterpret_cast<float *>(case_device(BYTES)), *buffer[2];
    cudaStream_t copy, compute;
    cudaEvent_t loaded[2], used[2];

    OK(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) {
        buffer[i] = reinterpret_cast<float *>(case_device(BYTES));
        OK(cudaEventCreateWithFlags(&loaded[i], cudaEventDisableTiming));
        OK(cudaEventCreateWithFlags(&used[i], cudaEventDisableTiming));
    }
    for (int b = 0; b < BATCHES; b++)
        for (size_t i = 0; i < FLOATS; i++)
            batches[b * FLOATS + i] = value(b, i);
    xs_fill<<<8, 256, 0, compute>>>(sum, 0, FLOATS);
    for (int b = 0; b < BATCHES; b++) {
        int turn = b % 2;
        if (b >= 2)
            OK(cudaStreamWaitEvent(copy, used[turn], 0));
        OK(cudaMemcpyAsync(buffer[turn], batches + b * FLOATS, BYTES, cudaMemcpyHostToDevice, copy));
        OK(cudaEventRecord(loaded[turn], copy));
        OK(cudaStreamWaitEvent(compute, loaded[turn], 0));
        xs_axpy<<<8, 256, 0, compute>>>(sum, buffer[turn], 1, FLOATS);
        OK(cudaGetLastError());
        OK(cudaEventRecord(used[turn], compute));
    }
    OK(cudaStreamSynchronize(compute));
    case_down(result, sum, BYTES);
    for (size_t i = 0; i < FLOATS; i++) {
        float expected = 0;
        for (int b = 0; b < BATCHES; b++)
            expected += value(b, i);
        REQUIRE(result[i] == expected);
    }
    for (int i = 0; i < 2; i++) {
        OK(cudaEventDestroy(loaded[i]));
        OK(cudaEventDestroy(used[i]));
        OK(cudaFree(buffer[i]));
    }
    OK(cudaStreamDestroy(copy));
    OK(cudaStreamDestroy(compute));
    OK(cudaFree(sum));
    OK(cudaFreeHost(batches));
    OK(cudaFreeHost(result));
    puts("data ok");
    return 0;
}
