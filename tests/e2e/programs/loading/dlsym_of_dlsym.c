/* A program that looks dlsym up by dlsym, as the first and as the next one, and reaches the driver through what it got.
 *
 * stdout: data ok
 *
 * > SELECT entry_point, bytes FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|1024
 * cuMemcpyDtoH_v2|1024
 * cuMemcpyHtoD_v2|2048
 * cuMemcpyDtoH_v2|2048
 */
#define _GNU_SOURCE
#include "../driver_by_hand.h"

static void *library;
static void *(*looked_up)(void *, const char *);

static void *find(const char *symbol) {
    void *address = looked_up(library, symbol);
    REQUIRE(address != NULL);
    return address;
}

int main(void) {
    struct by_hand driver;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return E2E_SKIP;
    *(void **)&looked_up = dlsym(RTLD_DEFAULT, "dlsym");
    REQUIRE(looked_up != NULL);
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 1024);

    *(void **)&looked_up = dlsym(RTLD_NEXT, "dlsym");
    REQUIRE(looked_up != NULL);
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 2048);
    puts("data ok");
    return 0;
}
