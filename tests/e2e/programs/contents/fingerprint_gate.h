/* In these programs the driver gets work before an upload, but the work runs only after the upload. The work waits in
 * another stream at a gate, which the program opens without a CUDA call. After the gate a kernel writes to the upload's
 * destination. */
#include "../cases/cases.h"

#include <atomic>
#include <cuda.h>

enum { BYTES = 50000 };

static cudaStream_t other;
static unsigned char *memory;

static void close_gate(); // from here on the stream `other` waits
static void tell_when_over();
static void open_gate(); // also waits until the kernel has ended, without a call that may write memory

int main() {
    unsigned char *x = case_pinned(BYTES), *changed = case_pinned(BYTES), *back = case_pinned(BYTES);
    unsigned char *reference = case_device(BYTES);
    cudaStream_t stream;

    memory = case_device(BYTES);
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    case_change(memory, BYTES, other); // loads the kernel now, because loading may wait for the device
    OK(cudaStreamSynchronize(other));
    case_fill(x, BYTES, 1);
    for (size_t i = 0; i < BYTES; i++)
        changed[i] = static_cast<unsigned char>(x[i] + 1);
    OK(cudaMemcpyAsync(reference, x, BYTES, cudaMemcpyHostToDevice, stream)); // copies 1, 2: to compare with
    OK(cudaMemcpyAsync(reference, changed, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(memory, x, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaStreamSynchronize(stream));

    close_gate();
    case_change(memory, BYTES, other);
    tell_when_over();
    OK(cudaMemcpyAsync(memory, x, BYTES, cudaMemcpyHostToDevice, stream)); // copy 4
    OK(cudaStreamSynchronize(stream));
    open_gate();
    OK(cudaMemcpyAsync(memory, x, BYTES, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyAsync(back, memory, BYTES, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    case_expect(back, BYTES, 1);

    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(other));
    OK(cudaFree(memory));
    OK(cudaFree(reference));
    OK(cudaFreeHost(x));
    OK(cudaFreeHost(changed));
    OK(cudaFreeHost(back));
    puts("data ok");
    return 0;
}
