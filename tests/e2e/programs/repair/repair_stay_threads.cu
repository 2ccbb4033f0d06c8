/* Eight threads upload without waiting, in one stream first and then in streams of their own, with a plan that says of
 * every second upload that it is what the thread's upload before it brought. What each downloads is what it uploaded,
 * although each changes the origin directly after the upload.
 *
 * In their turns all of them are copies on the device; later other threads give work in between.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=stay-on-device XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -o '"applied":[0-9]*' $dir/log | awk -F : '{ print ($2 >= 8 ? "8 or more" : $2) }'
 * 8 or more
 */
#include <pthread.h>

#include "uploads.h"

enum { BYTES = 100000, THREADS = 8, TOGETHER = 20, APART = 10, ROUNDS = 1 + TOGETHER + APART };

static pthread_barrier_t barrier;
static cudaStream_t shared;

/* A thread's copies are numbered from 0, and so are the threads by their first copy; main makes none. */
static void plan() {
    static char lines[THREADS * ROUNDS * 64];
    size_t length = static_cast<size_t>(sprintf(lines, "mode apply\n"));
    for (int thread = 0; thread < THREADS; thread++)
        for (int round = 0; round < ROUNDS; round++)
            length += static_cast<size_t>(sprintf(lines + length, "stay-on-device %d %d %d from %d %d\n", thread,
                                                  3 * round + 1, BYTES, thread, 3 * round));
    repair_plan(lines);
}

struct buffers {
    unsigned char *x, *y, *up, *down;
};

static void round_of(const struct buffers *b, unsigned seed, cudaStream_t stream) {
    case_fill(b->up, BYTES, seed);
    repair_up_async(b->x, b->up, BYTES, stream);
    repair_up_async(b->y, b->up, BYTES, stream);
    case_change(b->x, BYTES, stream);
    OK(cudaMemcpyAsync(b->down, b->y, BYTES, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    case_expect(b->down, BYTES, seed);
}

static void *work(void *argument) {
    const unsigned me = *static_cast<unsigned *>(argument);
    const struct buffers b = {case_device(BYTES), case_device(BYTES), case_pinned(BYTES), case_pinned(BYTES)};
    unsigned seed = me * 1000;
    for (unsigned turn = 0; turn < THREADS; turn++) {
        pthread_barrier_wait(&barrier);
        if (turn == me)
            round_of(&b, seed++, shared);
    }
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < TOGETHER; i++)
        round_of(&b, seed++, shared);
    cudaStream_t own;
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    for (unsigned i = 0; i < APART; i++)
        round_of(&b, seed++, own);
    OK(cudaStreamDestroy(own));
    return nullptr;
}

int main() {
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    plan();
    OK(pthread_barrier_init(&barrier, nullptr, THREADS));
    OK(cudaStreamCreate(&shared));
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        OK(pthread_create(&threads[i], nullptr, work, &numbers[i]));
    }
    for (unsigned i = 0; i < THREADS; i++)
        OK(pthread_join(threads[i], nullptr));
    puts("data ok");
    return 0;
}
