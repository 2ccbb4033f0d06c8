// wasteful.cu, repaired: the loop over the field is a kernel, too. Both arrays are sent to the device in one go before
// the first step, and the field is fetched back after the last.
#include "../example.cuh"

const int kSteps = 20 * repeats();

int main(int argc, char **argv) {
    const size_t n = floats_of_mib(argument(argc, argv, 1, 64)), bytes = n * sizeof(float);
    const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    float *field, *source;
    CHECK(cudaMallocManaged(&field, bytes));
    CHECK(cudaMallocManaged(&source, bytes));
    load(field, n, 0);
    load(source, n, 1);
    const LoopTime loop;
    CHECK(cudaMemPrefetchAsync(field, bytes, device, 0, 0));
    CHECK(cudaMemPrefetchAsync(source, bytes, device, 0, 0));
    for (int step = 0; step < kSteps; step++) {
        xs_axpy<<<256, 256>>>(field, source, 0.1f, n);
        xs_scale<<<256, 256>>>(field, 0.5f, n);
    }
    CHECK(cudaMemPrefetchAsync(field, bytes, host, 0, 0));
    CHECK(cudaDeviceSynchronize());
    loop.print();

    std::printf("result %.3f\n", field[n - 1]);
    CHECK(cudaFree(field));
    CHECK(cudaFree(source));
    return 0;
}
