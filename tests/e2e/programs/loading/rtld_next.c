/* A library that wraps a function of the C library by dlsym(RTLD_NEXT), as many do: "next" is counted from the caller,
 * so an overriding dlsym must not come between. A wrong caller would find the wrapper itself and never return.
 *
 * link: next
 * stdout: wrapped toupper: A, calls 1
 * stdout: next of a symbol that has none: no
 * stdout: data ok
 *
 * > SELECT entry_point, bytes FROM transfers ORDER BY id
 * cuMemcpyHtoD_v2|256
 * cuMemcpyDtoH_v2|256
 */
#define _GNU_SOURCE
#include "../driver_by_hand.h"

int toupper(int c);
extern int next_calls;
int next_has_none(void);

static void *library;

static void *find(const char *symbol) { return dlsym(library, symbol); }

int main(void) {
    struct by_hand driver;
    volatile int letter = 'a';
    int wrapped = toupper(letter);
    printf("wrapped toupper: %c, calls %d\n", wrapped, next_calls);
    printf("next of a symbol that has none: %s\n", next_has_none() ? "no" : "yes");
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return E2E_SKIP;
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, 256);
    puts("data ok");
    return 0;
}
