// A library copies all of its matrices by cudaMemcpy, those on the host too. A copy from host to host waits for the
// device, so the host's own work cannot run beside the kernels. This kind was reported in CompFUSE/DCA issue 40. The
// repair copies by memcpy where both sides are on the host.
#include "case.cuh"

#include <cstring>

constexpr int SIDE = 128, MATRICES = 24, STEPS = 1200, SPIN = 400000;
constexpr size_t WORDS = size_t(SIDE) * SIDE, BYTES = WORDS * sizeof(double);

__global__ void walk(float *state) {
    float value = state[blockIdx.x * blockDim.x + threadIdx.x];
    for (int i = 0; i < SPIN; i++)
        value = value * 0.999f + 0.0005f;
    state[blockIdx.x * blockDim.x + threadIdx.x] = value + (blockIdx.x % 7) * 1e-3f;
}

static void copy(std::vector<double> &to, const std::vector<double> &from) {
    CHECK(cudaMemcpy(to.data(), from.data(), BYTES, cudaMemcpyDefault)); // <-- here
}

static double update(std::vector<double> &matrix, double by) {
    double trace = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int row = 0; row < SIDE; row++)
            for (int column = 0; column < SIDE; column++)
                matrix[row * SIDE + column] = 0.999 * matrix[row * SIDE + column] + by * (row - column) * 1e-6;
    for (int row = 0; row < SIDE; row++)
        trace += matrix[row * SIDE + row];
    return trace;
}

int main() {
    std::vector<std::vector<double>> current(MATRICES, std::vector<double>(WORDS)), trial = current;
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (size_t i = 0; i < WORDS; i++)
            current[matrix][i] = (i * 31 + matrix * 17) % 1000 / 1000.0;
    float *state;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&state, sizeof(float) * 132 * 256));
    CHECK(cudaMemset(state, 0, sizeof(float) * 132 * 256));
    walk<<<132, 256, 0, stream>>>(state);
    CHECK(cudaStreamSynchronize(stream));

    double total = 0;
    const LoopTime loop;
    for (int step = 0; step < STEPS; step++) {
        walk<<<132, 256, 0, stream>>>(state); // about 1 ms; the host's part below is meant to run beside it
        for (int matrix = 0; matrix < MATRICES; matrix++) {
            copy(trial[matrix], current[matrix]);
            total += update(trial[matrix], step + matrix);
            if ((step + matrix) % 3 == 0)
                copy(current[matrix], trial[matrix]);
        }
        CHECK(cudaStreamSynchronize(stream));
    }
    double seconds = loop.seconds();

    std::vector<float> last(132 * 256);
    CHECK(cudaMemcpy(last.data(), state, sizeof(float) * last.size(), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float value : last)
        sum += value;
    std::printf("checksum %.5f %.5f\nloop %.3f\n", total, sum, seconds);
    return 0;
}
