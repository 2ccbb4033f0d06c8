/* Eight threads upload to buffers of their own, with both repairs that leave uploads out: what each downloads is what it
 * uploaded. Half of the uploads bring what is there already, some of the others what a buffer beside it has. In every
 * fourth round a thread is alone: what another one gives to the GPU may change what stay-on-device would copy from.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads,stay-on-device XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 2
 * stdout: data ok
 *
 * $ grep -c '"name":"drop-uploads","applied":[1-9].*"name":"stay-on-device","applied":[1-9]' $dir/log
 * 1
 */
#include <pthread.h>

#include "uploads.h"

enum { BYTES = 300000, ROUNDS = 30, THREADS = 8 };

static pthread_rwlock_t alone = PTHREAD_RWLOCK_INITIALIZER; /* the thread that writes it is */

static void *work(void *argument) {
    unsigned random = *static_cast<unsigned *>(argument), added = 0;
    unsigned char *x = case_device(BYTES), *y = case_device(BYTES);
    unsigned char *pageable = repair_pageable(BYTES, 0), *back = repair_pageable(BYTES, 0);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    for (int i = 0; i < ROUNDS; i++) {
        REQUIRE((i % 4 ? pthread_rwlock_rdlock : pthread_rwlock_wrlock)(&alone) == 0);
        random = random * 1664525u + 1013904223u;
        if (random >> 30 == 0)
            pageable[(random >> 8) % BYTES] ^= 1;
        if (random >> 29 & 1)
            repair_up_async(x, pageable, BYTES, stream);
        else
            case_up(x, pageable, BYTES);
        added = random >> 28 & 1;
        if (added)
            case_change(x, BYTES, stream);
        OK(cudaStreamSynchronize(stream));
        case_down(back, x, BYTES);
        for (size_t k = 0; k < BYTES; k++)
            REQUIRE(back[k] == static_cast<unsigned char>(pageable[k] + added));
        case_up(y, back, BYTES);
        case_down(back, y, BYTES);
        REQUIRE(back[random % BYTES] == static_cast<unsigned char>(pageable[random % BYTES] + added));
        REQUIRE(pthread_rwlock_unlock(&alone) == 0);
    }
    OK(cudaStreamDestroy(stream));
    return nullptr;
}

int main() {
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    OK(cudaFree(nullptr));
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        OK(pthread_create(&threads[i], nullptr, work, &seeds[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        OK(pthread_join(threads[i], nullptr));
    puts("data ok");
    return 0;
}
