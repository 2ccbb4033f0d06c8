/* A program that uses CUPTI itself, as torch.profiler does, when xferspy already holds the one place there is: xferspy
 * steps aside for it, the program gets all its records, and the trace says what happened.
 *
 * stdout: own records: 3 copies, 3072 bytes
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|2|2048
 * h2d|4|4096
 *
 * The copies before are matched, those of the program's own profiling are not:
 * needs: cupti
 * > SELECT count(*), sum(device_ns > 0) FROM transfers WHERE id <= 2
 * 2|2
 *
 * > SELECT count(*), count(device_ns) FROM transfers WHERE id BETWEEN 3 AND 5
 * 3|0
 *
 * needs: cupti
 * > SELECT value FROM meta WHERE key = 'cupti.status'
 * stepped aside
 */
#include "../own_cupti.h"
#include "../driver_by_hand.h"

static void *library;
static unsigned copies;
static unsigned long bytes_copied;

static void *find(const char *symbol) { return dlsym(library, symbol); }

static void own_cupti_got(const CUpti_Activity *record) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        copies++;
        bytes_copied += ((const CUpti_ActivityMemcpy6 *)record)->bytes;
    }
}

int main(void) {
    struct by_hand driver;
    unsigned char host[1024] = {0};
    CUcontext context;
    CUdeviceptr device;

    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == NULL || !own_cupti_open())
        return E2E_SKIP;
    own_cupti_find();

    by_hand_load(&driver, find);
    OK(driver.init(0));
    OK(driver.retain(&context, 0));
    OK(driver.set_current(context));
    OK(driver.alloc(&device, sizeof host));
    OK(driver.up(device, host, sizeof host));
    OK(driver.down(host, device, sizeof host)); /* waits: a record is there only when its copy is over */

    own_cupti_subscribe();
    OK(own_cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(driver.up(device, host, sizeof host));
    OK(driver.up(device, host, sizeof host));
    OK(driver.down(host, device, sizeof host));
    OK(own_cupti.flush_all(1));
    OK(own_cupti.disable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(own_cupti.unsubscribe(own_cupti.subscriber));
    OK(driver.up(device, host, sizeof host));
    printf("own records: %u copies, %lu bytes\n", copies, bytes_copied);
    return 0;
}
