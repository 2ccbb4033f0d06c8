/* Gives a trace of any bytes to SQLite and to everything that reads a trace. */
#include <stdint.h>

#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_write(fuzz_trace_path(), data, size);
    fuzz_read_all(fuzz_trace_path());
    return 0;
}
