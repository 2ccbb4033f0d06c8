/* Copies with several threads. One atomic word hands out the pieces of a job. It contains the job's number, so a thread
 * that is about to take a piece of a finished job fails to do so. */
#define _GNU_SOURCE
#include "preload/repair/copiers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "preload/core/compiler.h"
#include "preload/core/futex.h"
#include "preload/core/own_thread.h"

#define JOBS 8u
#define HELPERS_MAX 11u
#define SPINS 1000u
#define SLEEP_MS 60000u
#define PIECE_BITS 20
#define PIECE_MASK ((UINT64_C(1) << PIECE_BITS) - 1)
#define NEXT_ONE (UINT64_C(1) << PIECE_BITS)
#define NUMBER_ONE (UINT64_C(1) << 2 * PIECE_BITS)

static struct xs_copy_job jobs[JOBS];
static _Atomic uint32_t bell, asleep;
static unsigned helpers;

static uint64_t next_of(uint64_t tickets) { return tickets >> PIECE_BITS & PIECE_MASK; }
static uint64_t limit_of(uint64_t tickets) { return tickets & PIECE_MASK; }

static void pause_here(void) {
#if defined(__SSE2__)
    _mm_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* Copies without using the cache for the destination: an ordinary store would first read the cache line that it
 * overwrites, and evict other lines. */
static void copy_streaming(char *to, const char *from, size_t bytes) {
#if defined(__SSE2__)
    size_t head = -(uintptr_t)to & 15;
    head = head < bytes ? head : bytes;
    memcpy(to, from, head);
    to += head, from += head, bytes -= head;
    for (; bytes >= 64; to += 64, from += 64, bytes -= 64) {
        __m128i a = _mm_loadu_si128((const __m128i_u *)(const void *)from);
        __m128i b = _mm_loadu_si128((const __m128i_u *)(const void *)(from + 16));
        __m128i c = _mm_loadu_si128((const __m128i_u *)(const void *)(from + 32));
        __m128i d = _mm_loadu_si128((const __m128i_u *)(const void *)(from + 48));
        _mm_stream_si128((__m128i *)(void *)to, a);
        _mm_stream_si128((__m128i *)(void *)(to + 16), b);
        _mm_stream_si128((__m128i *)(void *)(to + 32), c);
        _mm_stream_si128((__m128i *)(void *)(to + 48), d);
    }
    _mm_sfence(); /* makes these stores visible before later ones, because streaming stores have no order */
#endif
    memcpy(to, from, bytes);
}

bool xs_copy_help(struct xs_copy_job *job) {
    uint64_t tickets = atomic_load(&job->tickets);
    do {
        if (next_of(tickets) >= limit_of(tickets))
            return false;
    } while (!atomic_compare_exchange_weak(&job->tickets, &tickets, tickets + NEXT_ONE));
    unsigned piece = (unsigned)next_of(tickets);
    struct xs_copy_part *part = &job->parts[piece / job->pieces % XS_COPY_PARTS];
    size_t offset = piece % job->pieces * XS_PIECE_BYTES;
    if (offset < part->bytes) {
        size_t bytes = part->bytes - offset < XS_PIECE_BYTES ? part->bytes - offset : XS_PIECE_BYTES;
        if (job->is_streaming)
            copy_streaming(part->to + offset, part->from + offset, bytes);
        else
            memcpy(part->to + offset, part->from + offset, bytes);
    }
    atomic_fetch_sub_explicit(&part->left, 1, memory_order_release);
    atomic_fetch_add_explicit(&job->finished, 1, memory_order_release);
    return true;
}

static bool help_anyone(void) {
    bool helped = false;
    for (unsigned i = 0; i < JOBS; i++)
        helped |= xs_copy_help(&jobs[i]);
    return helped;
}

static void copier_main(void) {
    unsigned spins = 0;
    for (;;) {
        uint32_t heard = atomic_load(&bell);
        if (help_anyone()) {
            spins = 0;
        } else if (++spins < SPINS) {
            pause_here();
        } else {
            spins = 0;
            atomic_fetch_add(&asleep, 1);
            if (!help_anyone()) /* from here on, a thread that adds a part sees that it must wake a helper */
                xs_futex_wait(&bell, heard, SLEEP_MS);
            atomic_fetch_sub(&asleep, 1);
        }
    }
}

/* Starts the helpers. On the host of an H100 with 16 cores, an upload of 256 MiB reached 39 GB/s with 11 helpers and
 * the calling thread, and 33 GB/s with 6 helpers; the link itself reaches 54 GB/s. */
static void start_helpers(void) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    unsigned cores = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 0;
    unsigned wanted = cores > 4 ? cores * 3 / 4 - 1 : cores / 2;
    wanted = wanted < HELPERS_MAX ? wanted : HELPERS_MAX;
    while (helpers < wanted && xs_own_thread(copier_main) == 0)
        helpers++;
}

unsigned xs_copy_helpers(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_helpers);
    return helpers;
}

/* True if the program handles this signal. If it does not, a fault ends the process, whichever thread it happens in. */
static bool handles(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) != 0 || action.sa_handler != SIG_DFL; // NOLINT(*-union-access): either
}

struct xs_copy_job *xs_copy_begin(struct xs_copy_job *alone, size_t part_bytes, bool is_streaming) {
    struct xs_copy_job *job = alone;
    if (xs_copy_helpers() > 0 && !handles(SIGSEGV) && !handles(SIGBUS)) {
        for (unsigned i = 0; i < JOBS && job == alone; i++)
            if (!atomic_exchange(&jobs[i].is_taken, true))
                job = &jobs[i];
    }
    job->pieces = (unsigned)((part_bytes + XS_PIECE_BYTES - 1) / XS_PIECE_BYTES);
    job->is_streaming = is_streaming;
    job->added = 0;
    atomic_store_explicit(&job->finished, 0, memory_order_relaxed);
    atomic_store(&job->tickets, (atomic_load(&job->tickets) & ~(NUMBER_ONE - 1)) + NUMBER_ONE);
    return job;
}

void xs_copy_add(struct xs_copy_job *job, void *to, const void *from, size_t bytes) {
    struct xs_copy_part *part = &job->parts[job->added++ % XS_COPY_PARTS];
    part->to = to;
    part->from = from;
    part->bytes = bytes;
    atomic_store_explicit(&part->left, job->pieces, memory_order_relaxed);
    atomic_fetch_add(&job->tickets, job->pieces);
    if (atomic_load(&asleep)) {
        atomic_fetch_add(&bell, 1);
        xs_futex_wake(&bell);
    }
}

bool xs_copy_is_done(struct xs_copy_job *job, unsigned i) {
    return atomic_load_explicit(&job->parts[i % XS_COPY_PARTS].left, memory_order_acquire) == 0;
}

void xs_copy_rest(unsigned rests) {
    if (rests < SPINS)
        pause_here();
    else
        sched_yield(); /* the awaited thread may want this core */
}

void xs_copy_end(struct xs_copy_job *job) {
    uint64_t tickets = atomic_load(&job->tickets);
    while (!atomic_compare_exchange_weak(&job->tickets, &tickets, (tickets & ~PIECE_MASK) | next_of(tickets))) {
    }
    for (unsigned rests = 0; atomic_load_explicit(&job->finished, memory_order_acquire) != next_of(tickets); rests++)
        xs_copy_rest(rests);
    atomic_store_explicit(&job->is_taken, false, memory_order_release);
}
