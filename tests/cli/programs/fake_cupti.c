/* This libcupti has the version of FAKE_CUPTI_VERSION, for doctor. */
#include <stdint.h>
#include <stdlib.h>

int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version) {
    const char *wanted = getenv("FAKE_CUPTI_VERSION");
    *version = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : 0;
    return 0;
}
