/* Launches from several threads while sets are forgotten and modules are unloaded. A set has one number at a time,
 * every number in a launch was written with the right allocations, and a layout never belongs to another function. */
#include "arguments_unit.h"

#include <pthread.h>

#define BASE UINT64_C(0x7f0000000000)
#define THREADS 3u
#define ALLOCATIONS 64u
#define LAUNCHES 4000u
#define FUNCTIONS 8u

static struct fake_function *functions[FUNCTIONS]; /* with 1, 2, ... parameters */
static _Atomic unsigned wrong, under_way;

static void *launch_all(void *arg) {
    uint64_t seed = 99 + (uint64_t)(uintptr_t)arg;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        uint64_t pointers[FUNCTIONS];
        void *params[FUNCTIONS + 1];
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned count = 1 + (unsigned)(seed >> 33) % FUNCTIONS;
        memset(params, 0, sizeof params); /* one parameter too many would be a crash */
        for (unsigned k = 0; k < count; k++) {
            pointers[k] = BASE + (seed >> (8 + 6 * k)) % ALLOCATIONS * 0x1000;
            params[k] = &pointers[k];
        }
        wrong += launch(functions[count - 1], params, NULL, CUDA_SUCCESS) == 0;
    }
    under_way--;
    return NULL;
}

static void every_number_is_written(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (uint32_t id = 1; id <= ALLOCATIONS; id++)
        allocated(id, BASE + (id - 1) * 0x1000, 0x1000, XS_MEM_DEVICE);
    for (unsigned f = 0; f < FUNCTIONS; f++) {
        functions[f] = calloc(1, sizeof *functions[f]);
        functions[f]->count = f + 1;
        for (unsigned k = 0; k <= f; k++) {
            functions[f]->parameters[k].offset = k * 8;
            functions[f]->parameters[k].bytes = 8;
        }
    }
    under_way = THREADS;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, launch_all, (void *)(uintptr_t)i), 0);
    while (under_way > 0)
        xs_arguments_functions_go();
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(events_of(XS_EVENT_LAUNCH), THREADS * LAUNCHES);
    assert_int_equal(check_sets(), 0);
    for (unsigned f = 0; f < FUNCTIONS; f++)
        free(functions[f]);
}

static int open_large_spool(void **state) {
    spool_chunks = 80;
    return open_spool(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_number_is_written, open_large_spool, close_spool),
    };
    return cmocka_run_group_tests_name("arguments_threads", tests, NULL, NULL);
}
