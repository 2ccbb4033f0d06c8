/* The program of both malloc_interposer tests. The interposer is also preloaded in the run without xferspy. */
#define _GNU_SOURCE
#include <stdatomic.h>

#include "../driver_by_hand.h"

static void *library;

static void *find(const char *symbol) { return dlsym(library, symbol); }

int main(void) {
    struct by_hand driver;
    atomic_long *calls = dlsym(RTLD_DEFAULT, "malloc_counter_calls");
    REQUIRE(calls != NULL);
    long before = *calls;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return E2E_SKIP;
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 4096);
    puts(*calls - before >= 2 ? "interposer counted the program's calls" : "interposer was passed by");
    puts("data ok");
    return 0;
}
