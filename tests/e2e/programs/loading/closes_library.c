/* A library that uses CUDA is opened, used and closed, three times: its copies are all there, and nothing of it is
 * touched after it has gone.
 *
 * stdout: data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|3|3072
 * h2d|3|3072
 *
 * > SELECT count(*), sum(free_enter_ns IS NOT NULL) FROM allocation
 * 3|3
 */
#include <dlfcn.h>

#include "../check.h"

int main(void) {
    const char *folder = getenv("XFERSPY_TEST_LIB");
    char path[4096];
    REQUIRE(folder != NULL);
    snprintf(path, sizeof path, "%s/libround_trip.so", folder);
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        int (*round_trip)(unsigned);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 99;
        }
        *(void **)&round_trip = dlsym(library, "round_trip");
        REQUIRE(round_trip != NULL);
        OK(round_trip((unsigned)i));
        REQUIRE(dlclose(library) == 0);
    }
    puts("data ok");
    return 0;
}
