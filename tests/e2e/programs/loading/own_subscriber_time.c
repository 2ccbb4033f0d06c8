/* A program that asks for CUPTI's time by the global function, which CUPTI refuses where subscribers share it. Alone it
 * gets the time, so xferspy steps aside for it.
 *
 * link: cuda
 * env: XFERSPY_SIM_CUPTI_VERSION=130301 XFERSPY_SIM_DRIVER_VERSION=13030
 * stdout: data ok
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.text'
 * for cuptiGetTimestamp
 */
#include "../own_subscriber.h"

int main(void) {
    uint64_t stamp = 0;
    e2e_context();
    if (!own_subscriber_open())
        return E2E_SKIP;
    OK(OWN(cuptiGetTimestamp)(&stamp));
    REQUIRE(stamp != 0);
    puts("data ok");
    return 0;
}
