/* libxferspy.so exports the driver's symbols, yet a program that asks whether there is a driver must get the true
 * answer: no while none is loaded, yes once one is loaded globally.
 *
 * stdout: before: no, after: yes
 * stdout: data ok
 *
 * > SELECT entry_point, bytes FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|512
 * cuMemcpyDtoH_v2|512
 */
#define _GNU_SOURCE
#include "../driver_by_hand.h"

static void *find(const char *symbol) {
    void *address = dlsym(RTLD_DEFAULT, symbol);
    REQUIRE(address != NULL);
    return address;
}

int main(void) {
    struct by_hand driver;
    const char *before = dlsym(RTLD_DEFAULT, "cuInit") ? "yes" : "no";
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL)
        return E2E_SKIP;
    printf("before: %s, after: %s\n", before, dlsym(RTLD_DEFAULT, "cuInit") ? "yes" : "no");
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 512);
    puts("data ok");
    return 0; /* cppcheck-suppress resourceLeak ; a driver is never closed */
}
