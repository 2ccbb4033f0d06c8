/* Tests what the arguments of launches point to in programs that nvcc builds: plain pointers, pointers into the middle
 * of allocations and within structures, host memory that the device sees, no pointers, and numbers that look like
 * addresses.
 *
 * stdout: data ok
 *
 * Allocations are shown by their sizes:
 * > SELECT l.id, l.arguments IS NOT NULL, (SELECT group_concat(bytes) FROM (SELECT a.bytes FROM argument g
 * > JOIN allocation a ON a.id = g.allocation WHERE g.argument_set = l.arguments ORDER BY a.bytes)) FROM launch l
 * > ORDER BY l.id
 * 1|1|4096,8192
 * 2|1|4096,8192
 * 3|1|4096,8192
 * 4|1|8192
 * 5|1|
 * 6|1|
 * 7|1|
 * 8|1|4096,12288
 * 9|1|4096,8192,16384
 * 10|1|20480
 *
 * The same allocations have the same number with any kernel:
 * > SELECT group_concat(id) FROM (SELECT id FROM launch WHERE arguments = (SELECT arguments FROM launch WHERE id = 1)
 * > ORDER BY id)
 * 1,2,3
 * > SELECT group_concat(id) FROM (SELECT id FROM launch WHERE arguments = (SELECT arguments FROM launch WHERE id = 5)
 * > ORDER BY id)
 * 5,6,7
 * > SELECT count(*), count(DISTINCT id) FROM argument_set
 * 6|6
 * > SELECT count(*) FROM argument WHERE argument_set NOT IN (SELECT id FROM argument_set) OR allocation NOT IN
 * > (SELECT id FROM allocation)
 * 0
 */
#include "tests/sim/kernels.cuh"

#include "../check.h"

int main() {
    const size_t n = 256;
    float *x, *y, *managed, *pinned, *device_pinned, *registered, *device_registered;

    OK(cudaMalloc(&x, 4096));
    OK(cudaMalloc(&y, 8192));
    OK(cudaMallocManaged(&managed, 12288));
    OK(cudaMallocHost(&pinned, 16384));
    REQUIRE(posix_memalign((void **)&registered, 4096, 20480) == 0);
    OK(cudaHostRegister(registered, 20480, cudaHostRegisterMapped));
    OK(cudaHostGetDevicePointer((void **)&device_pinned, pinned, 0));
    OK(cudaHostGetDevicePointer((void **)&device_registered, registered, 0));
    if (device_registered != registered)
        return E2E_SKIP; /* a system on which the device sees registered memory elsewhere */
    OK(cudaMemset(x, 0, 4096));
    OK(cudaMemset(y, 0, 8192));

    xs_axpy<<<1, 64>>>(y, x, 1, n);
    xs_copy<<<1, 64>>>(y + n, x + n, n);
    struct xs_axpy_arguments box = {y + 5, x, n, 1};
    xs_axpy_struct<<<1, 64>>>(box);
    xs_fill<<<1, 64>>>(y + 8192 / sizeof(float) - 1, 3, 1);
    xs_noop<<<1, 1>>>();
    xs_spin<<<1, 1>>>(1000);       /* a small number */
    xs_read<<<1, 1>>>(nullptr, 0); /* a null pointer */
    xs_copy<<<1, 64>>>(managed, x, n);
    xs_many_pointers many = {};
    many.x[0] = y, many.x[17] = x + n, many.x[39] = device_pinned, many.x[3] = y + n, many.n = 0;
    xs_add_one_many<<<1, 64>>>(many);
    xs_fill<<<1, 64>>>(device_registered, 7, n);
    OK(cudaDeviceSynchronize());

    REQUIRE(registered[0] == 7 && registered[n - 1] == 7);
    OK(cudaFree(x));
    OK(cudaFree(y));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    OK(cudaHostUnregister(registered));
    free(registered);
    puts("data ok");
    return 0;
}
