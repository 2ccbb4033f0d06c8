/* C++: the line is that of the innermost function although it was inlined, and functions of templates have their names
 * as people read them.
 *
 * link: cuda
 * build: -Xcompiler=-g,-O2
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * $ frames $traces 'SELECT stack FROM transfer WHERE bytes = 4 ORDER BY id LIMIT 1'
 * app::Buffer<int>::put|OK(cuMemcpyHtoD(device, &value, sizeof value));
 * app::put_thrice<int>|buffer.put(value);
 * main|app::put_thrice(whole, 1);
 *
 * $ frames $traces 'SELECT stack FROM transfer WHERE bytes = 8 ORDER BY id LIMIT 1'
 * app::Buffer<double>::put|OK(cuMemcpyHtoD(device, &value, sizeof value));
 * app::put_thrice<double>|buffer.put(value);
 * main|app::put_thrice(real, 2.0);
 *
 * put was inlined into put_thrice, which is a function:
 * > SELECT count(DISTINCT function), min(inline_depth), max(inline_depth) FROM symbol
 * > WHERE function LIKE 'app::Buffer<%>::put'
 * 2|0|0
 * > SELECT DISTINCT function, inline_depth FROM symbol WHERE function LIKE 'app::put_thrice<%>' ORDER BY 1
 * app::put_thrice<double>|1
 * app::put_thrice<int>|1
 *
 * The three copies of put are one place, of each instance; the first upload is no finding:
 * $ places noop-upload $traces
 * 2|app::Buffer<double>::put|OK(cuMemcpyHtoD(device, &value, sizeof value));
 * 2|app::Buffer<int>::put|OK(cuMemcpyHtoD(device, &value, sizeof value));
 */
#include <cuda.h>

#include "../check.h"

namespace app {
template <typename T> struct Buffer {
    CUdeviceptr device;
    int puts = 0;
    Buffer() { OK(cuMemAlloc(&device, sizeof(T))); }
    ~Buffer() { OK(cuMemFree(device)); }
    __attribute__((always_inline)) void put(T value) {
        OK(cuMemcpyHtoD(device, &value, sizeof value));
        puts++;
    }
};

template <typename T> __attribute__((noinline)) void put_thrice(Buffer<T> &buffer, T value) {
    buffer.put(value);
    buffer.put(value);
    buffer.put(value);
}
} // namespace app

int main() {
    e2e_context();
    {
        app::Buffer<int> whole;
        app::Buffer<double> real;
        app::put_thrice(whole, 1);
        app::put_thrice(real, 2.0);
    }
    puts("data ok");
    return 0;
}
