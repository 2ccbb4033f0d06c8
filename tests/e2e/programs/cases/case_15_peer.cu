/* Case 15 with two devices: what goes up to one, across by every form of peer copy, and down from the other.
 *
 * env: XFERSPY_FINGERPRINT=all XFERSPY_SIM_DEVICES=2
 * stdout: data ok
 *
 * A peer copy is neither upload nor download, reads what was uploaded, and brings the other device what nothing
 * uploaded there. Without access to each other's memory the copy goes through the host, and has two records.
 * !
 *
 * > SELECT direction, bytes, src_device, dst_device, is_async, result FROM transfers ORDER BY id
 * h2d|32768||0|0|0
 * peer|32768|0|1|0|0
 * peer|16384|1|0|1|0
 * d2h|32768|1||0|0
 * d2h|16384|0||0|0
 *
 * needs: cupti
 * > SELECT without_record, without_event, host_failed FROM coverage
 * 0|0|0
 *
 * > SELECT d.kind, d.src_kind, d.dst_kind, d.bytes, d.device, d.src_device, d.dst_device, d.is_async FROM device_copy d
 * > JOIN transfer t ON t.correlation = d.correlation WHERE t.direction = 4 ORDER BY d.start_ns
 * 2|3|3|32768|0|||0
 * 1|3|3|32768|1|||0
 * 10|3|3|16384|1|1|0|1
 */
#include "cases.h"

enum { BYTES = 32768, HALF = BYTES / 2 };

int main() {
    int devices, can = 0;
    OK(cudaGetDeviceCount(&devices));
    if (devices < 2)
        return E2E_SKIP;
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (!can)
        return E2E_SKIP;
    unsigned char *host = case_pinned(BYTES), *memory[2];
    cudaStream_t stream;
    for (int i = 0; i < 2; i++) {
        OK(cudaSetDevice(i));
        memory[i] = case_device(BYTES);
    }
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    OK(cudaSetDevice(0));
    case_fill(host, BYTES, 1);
    case_up(memory[0], host, BYTES);
    OK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, BYTES));
    OK(cudaDeviceSynchronize());

    OK(cudaSetDevice(1));
    OK(cudaDeviceEnablePeerAccess(0, 0));
    case_change(memory[1], BYTES, stream);
    OK(cudaMemcpyPeerAsync(memory[0], 0, memory[1], 1, HALF, stream));
    OK(cudaStreamSynchronize(stream));
    case_down(host, memory[1], BYTES);
    case_expect(host, BYTES, 1, 1);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(memory[1]));

    OK(cudaSetDevice(0));
    case_down(host, memory[0], HALF);
    case_expect(host, HALF, 1, 1);
    OK(cudaFree(memory[0]));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
