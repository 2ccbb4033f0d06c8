/* A program that dlopens libcuda and looks its entry points up one by one.
 *
 * stdout: data ok
 *
 * > SELECT entry_point, direction, bytes, result FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|h2d|4096|0
 * cuMemcpyDtoH_v2|d2h|4096|0
 *
 * > SELECT entry_point, bytes, free_entry_point FROM allocations
 * cuMemAlloc_v2|4096|cuMemFree_v2
 */
#include "../driver_by_hand.h"

static void *library;

static void *find(const char *symbol) {
    void *address = dlsym(library, symbol);
    REQUIRE(address != NULL);
    return address;
}

int main(void) {
    struct by_hand driver;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return E2E_SKIP;
    REQUIRE(dlsym(library, "cuThereIsNoSuchFunction") == NULL && dlerror() != NULL);
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 4096);
    puts("data ok");
    return 0;
}
