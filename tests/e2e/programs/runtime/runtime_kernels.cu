/* A program as nvcc builds it, on the shared runtime: kernels, a host function, events, a second stream.
 *
 * stdout: sum 2560
 *
 * needs: cupti
 * > SELECT direction, count(*), sum(bytes), sum(device_ns > 0) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4|1
 * h2d|2|8192|2
 *
 * needs: cupti
 * > SELECT name, launches, device_ns > 0 FROM summary_by_kernel ORDER BY 1
 * xs_axpy|4|1
 * xs_scale|1|1
 * xs_sum|1|1
 *
 * > SELECT k.name, count(*), sum(l.result) FROM launch l JOIN launch_kind k ON k.id = l.kind GROUP BY 1 ORDER BY 1
 * host function|1|0
 * kernel|6|0
 *
 * needs: cupti
 * > SELECT count(*) FROM launch l JOIN device_kernel k ON k.correlation = l.correlation
 * 6
 *
 * > SELECT scope, count(*) FROM syncs GROUP BY 1 ORDER BY 1
 * event|1
 *
 * Kernels of one stream do not overlap, and none begins before it is launched:
 * > SELECT count(*) FROM device_kernel a JOIN device_kernel b ON b.cupti_stream = a.cupti_stream AND b.id <> a.id
 * > WHERE b.start_ns >= a.start_ns AND b.start_ns < a.end_ns
 * 0
 *
 * > SELECT count(*) FROM launch l JOIN device_kernel k ON k.correlation = l.correlation
 * > WHERE k.start_ns < l.enter_ns - 1000000
 * 0
 */
#include "tests/sim/kernels.cuh"

#include "../check.h"

static void count_run(void *data) { ++*static_cast<int *>(data); }

int main() {
    const size_t n = 1024, bytes = n * sizeof(float);
    float *x, *y, *out, sum = 0, ones[n];
    int host_runs = 0;
    cudaStream_t stream;
    cudaEvent_t done;

    for (float &f : ones)
        f = 1;
    OK(cudaMalloc(&x, bytes));
    OK(cudaMalloc(&y, bytes));
    OK(cudaMalloc(&out, sizeof(float)));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&done));
    OK(cudaMemcpy(x, ones, bytes, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(y, ones, bytes, cudaMemcpyHostToDevice));
    xs_scale<<<4, 256, 0, stream>>>(y, 0.5f, n);
    for (int i = 0; i < 4; i++)
        xs_axpy<<<4, 256, 0, stream>>>(y, x, 0.5f, n);
    OK(cudaLaunchHostFunc(stream, count_run, &host_runs));
    xs_sum<<<1, 1, 0, stream>>>(y, out, n);
    OK(cudaGetLastError());
    OK(cudaEventRecord(done, stream));
    OK(cudaEventSynchronize(done));
    OK(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost));
    REQUIRE(host_runs == 1);
    printf("sum %g\n", sum);
    OK(cudaEventDestroy(done));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(x));
    OK(cudaFree(y));
    OK(cudaFree(out));
    return 0;
}
