/* Runs the fingerprint kernel, on a real GPU or the simulated one, and compares it with the host's function: every
 * length up to 20000 bytes, larger ones, alignments, boxes, constants, changes, many streams.
 *
 *   fingerprint [--big] [--time] [--ptx FILE] [--blocks N]
 *
 * --big      regions of up to 1 GiB too, whose tree has a level more
 * --time     measure instead (time.c)
 * --ptx      this text instead of the built-in one
 * --blocks   launch at most so many blocks
 *
 * Exit status: 0, or 1 when something differed; 77 when there is no GPU or no kernel. */
#include "gpu.h"

#include <string.h>

#define REGION ((16u << 20) + 4096u)

static unsigned lengths, mismatches;

/* The same bytes on both sides. */
struct memory {
    unsigned char *host;
    CUdeviceptr device;
};

static struct memory memory_new(size_t bytes) {
    struct memory memory;
    uint64_t x = 88172645463325252u;
    OK(cuMemHostAlloc((void **)&memory.host, bytes, 0));
    OK(cuMemAlloc(&memory.device, bytes));
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memcpy(memory.host + i, &x, 8);
    }
    OK(cuMemcpyHtoD(memory.device, memory.host, bytes));
    return memory;
}

static void memory_free(struct memory *memory) {
    OK(cuMemFree(memory->device));
    OK(cuMemFreeHost(memory->host));
}

static struct xs_fingerprint_region to_host(const struct memory *memory, struct xs_fingerprint_region region) {
    region.base = region.base - memory->device + (uint64_t)(uintptr_t)memory->host;
    return region;
}

static void mismatch(const char *what, const struct xs_fingerprint_region *region) {
    if (++mismatches <= 20)
        printf("%s differs: %llu bytes at %llu mod 16, rows of %llu, %llu of them, pitches %llu and %llu\n", what,
               (unsigned long long)region->length, (unsigned long long)(region->base % 16),
               (unsigned long long)region->width, (unsigned long long)region->height, (unsigned long long)region->pitch,
               (unsigned long long)region->slice_pitch);
}

static void check_result(const struct memory *memory, struct xs_fingerprint_region region,
                         const struct xs_fingerprint_result *result, unsigned index) {
    struct xs_hashed_content expected;
    struct xs_fingerprint_region on_host = to_host(memory, region);
    xs_fingerprint_host(&on_host, NULL, &expected);
    bool constant = (result->flags & XS_RESULT_CONSTANT) != 0;
    lengths++;
    if (result->sequence != index + 1u || result->length != region.length || result->leaves != expected.leaves)
        mismatch("sequence, length or leaves", &region);
    else if (result->content[0] != expected.low || result->content[1] != expected.high)
        mismatch("content", &region);
    else if (constant != expected.constant || result->constant_value != expected.value)
        mismatch("constant", &region);
}

/* ---- regions in batches: the launches of one share a slot, and so do all sizes ---- */

struct batch {
    const struct gpu *gpu;
    const struct memory *memory;
    struct slot slot;
    unsigned used;
    struct xs_fingerprint_region regions[BATCH];
};

static void batch_flush(struct batch *batch) {
    OK(cuStreamSynchronize(batch->gpu->stream));
    for (unsigned i = 0; i < batch->used; i++)
        check_result(batch->memory, batch->regions[i], &batch->gpu->results[i], i);
    batch->used = 0;
    memset(batch->gpu->results, 0xee, BATCH * sizeof(*batch->gpu->results));
}

static void batch_add(struct batch *batch, struct xs_fingerprint_region region) {
    batch->regions[batch->used] = region;
    fingerprint(batch->gpu, batch->gpu->stream, &batch->slot, region, 0, batch->used);
    if (++batch->used == BATCH)
        batch_flush(batch);
}

/* Each length at a 16-byte aligned base and at one of the 15 others, so that each of those meets each remainder of a
 * block. */
static void test_every_length(struct batch *batch) {
    for (uint64_t length = 0; length <= 20000; length++) {
        batch_add(batch, xs_fingerprint_linear(batch->memory->device, length));
        batch_add(batch, xs_fingerprint_linear(batch->memory->device + 1 + length % 15, length));
    }
    batch_flush(batch);
}

static void test_larger(struct batch *batch) {
    static const uint64_t larger[] = {32768,      65535,          65536,          65537,          262144 + 8,
                                      1u << 20,   (2u << 20) - 1, 2u << 20,       (2u << 20) + 1, (2u << 20) + 4096,
                                      (4u << 20), (4u << 20) + 1, (9u << 20) + 3, 16u << 20};
    for (size_t i = 0; i < sizeof(larger) / sizeof(larger[0]); i++)
        for (unsigned alignment = 0; alignment < 17; alignment += alignment < 4 ? 1 : 4)
            batch_add(batch, xs_fingerprint_linear(batch->memory->device + alignment, larger[i]));
    batch_flush(batch);
}

static void test_boxes(struct batch *batch) {
    static const uint64_t widths[] = {1, 3, 4, 8, 12, 16, 20, 48, 100, 512, 4096, 5000}, heights[] = {1, 2, 7, 33};
    static const uint64_t gaps[] = {0, 1, 4, 16}, alignments[] = {0, 1, 4, 16};
    for (unsigned w = 0; w < 12; w++)
        for (unsigned h = 0; h < 4; h++)
            for (uint64_t depth = 1; depth <= 3; depth++)
                for (unsigned g = 0; g < 4; g++)
                    for (unsigned a = 0; a < 4; a++) {
                        uint64_t pitch = widths[w] + gaps[g], slice = pitch * (heights[h] + g % 2) + gaps[g];
                        batch_add(batch, xs_fingerprint_box(batch->memory->device + alignments[a], widths[w],
                                                            heights[h], depth, pitch, slice));
                    }
    batch_add(batch, xs_fingerprint_box(batch->memory->device, 3000, 1000, 5, 3072, 3072 * 1001));
    batch_add(batch, xs_fingerprint_box(batch->memory->device, 2048, 1000, 5, 3072, 3072 * 1001));
    batch_add(batch, xs_fingerprint_box(batch->memory->device + 2, 4, 100000, 1, 12, 0));
    batch_flush(batch);
}

/* ---- what one slot remembers ---- */

static void set_byte(const struct memory *memory, uint64_t at, unsigned char value) {
    memory->host[at] = value;
    OK(cuMemsetD8(memory->device + at, value, 1));
    OK(cuCtxSynchronize());
}

static void check_leaves(const struct slot *slot, const struct memory *memory, struct xs_fingerprint_region region) {
    struct xs_fingerprint_region on_host = to_host(memory, region);
    struct xs_hashed_content expected;
    size_t bytes = xs_fingerprint_leaves(region.length) * XS_DIGEST_BYTES;
    uint64_t *digests = malloc(bytes), *leaves = malloc(bytes);
    unsigned char *zeroed = malloc(slot->layout.zero_bytes);
    REQUIRE(digests != NULL && leaves != NULL && zeroed != NULL);
    xs_fingerprint_host(&on_host, digests, &expected);
    OK(cuMemcpyDtoH(leaves, slot->memory + slot->layout.leaves_at, bytes));
    if (memcmp(leaves, digests, bytes) != 0)
        mismatch("a leaf", &region);
    OK(cuMemcpyDtoH(zeroed, slot->memory, slot->layout.zero_bytes));
    if (memcmp(zeroed, (uint64_t[]){expected.low, expected.high}, 16) != 0)
        mismatch("the slot's root", &region);
    for (uint64_t i = slot->layout.tickets_at; i < slot->layout.zero_bytes; i++)
        if (zeroed[i] != 0) {
            mismatch("a ticket", &region);
            break;
        }
    free(digests);
    free(leaves);
    free(zeroed);
}

static void test_compare_length(const struct gpu *gpu, const struct memory *memory, uint64_t length) {
    struct slot slot = slot_new(length + 4096);
    struct xs_fingerprint_region region = xs_fingerprint_linear(memory->device + 4096, length);
    struct xs_fingerprint_region on_host = to_host(memory, region);
    struct xs_fingerprint_result *result = &gpu->results[0];
    struct xs_hashed_content before;
    uint64_t leaves = xs_fingerprint_leaves(length), last = length - 1;
    for (unsigned round = 0; round < 3; round++) {
        xs_fingerprint_host(&on_host, NULL, &before);
        memset(result, 0xee, sizeof(*result));
        fingerprint(gpu, gpu->stream, &slot, region, XS_FINGERPRINT_MEASURE_ONLY, 0);
        OK(cuStreamSynchronize(gpu->stream));
        if (result->sequence != 0xeeeeeeeeeeeeeeeeu || result->flags != 0xeeeeeeeeu)
            mismatch("a result that nobody asked for", &region);
        check_leaves(&slot, memory, region);
        uint64_t changes = round == 0 ? 0 : round == 1 || leaves == 1 ? 1 : 2;
        if (round > 0)
            set_byte(memory, 4096 + last, (unsigned char)~memory->host[4096 + last]);
        if (round > 1)
            set_byte(memory, 4096, (unsigned char)~memory->host[4096]);
        fingerprint(gpu, gpu->stream, &slot, region, XS_FINGERPRINT_COMPARE, 0);
        OK(cuStreamSynchronize(gpu->stream));
        check_result(memory, region, result, 0);
        if ((result->flags & XS_RESULT_HAS_BEFORE) == 0 || result->before[0] != before.low ||
            result->before[1] != before.high || result->changed_leaves != changes)
            mismatch("before or changed leaves", &region);
        check_leaves(&slot, memory, region);
    }
    slot_free(&slot);
}

static void test_constants(const struct gpu *gpu, const struct memory *memory) {
    static const uint64_t sizes[] = {4, 7, 8, 9, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 65536, 4200000, 4300001};
    static const unsigned words[] = {0, 0x07070707, 0x3f800000};
    struct slot slot = slot_new(REGION);
    for (size_t w = 0; w < 3; w++) {
        for (size_t i = 0; i < REGION; i++)
            memory->host[i] = (unsigned char)(words[w] >> i % 4 * 8);
        OK(cuMemsetD32(memory->device, words[w], REGION / 4));
        OK(cuCtxSynchronize());
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
            for (unsigned round = 0; round < 9; round++) {
                struct xs_fingerprint_region region = xs_fingerprint_linear(memory->device + round % 3 * 7, sizes[i]);
                uint64_t at = round % 3 * 7 + (round / 3 == 1 ? 0 : sizes[i] - 1);
                unsigned char old = memory->host[at];
                if (round >= 3) /* the first or the last byte is another */
                    set_byte(memory, at, (unsigned char)(old ^ 0x10));
                fingerprint(gpu, gpu->stream, &slot, region, 0, 0);
                OK(cuStreamSynchronize(gpu->stream));
                check_result(memory, region, &gpu->results[0], 0);
                set_byte(memory, at, old);
            }
    }
    slot_free(&slot);
}

/* Launches that overlap, each stream with a slot of its own, over and over: what a missing fence would spoil. */
static void test_streams(const struct gpu *gpu, const struct memory *memory) {
    enum { STREAMS = 5, ROUNDS = BATCH / STREAMS };
    CUstream streams[STREAMS];
    struct slot slots[STREAMS];
    struct xs_fingerprint_region regions[STREAMS];
    struct xs_hashed_content expected;
    for (unsigned s = 0; s < STREAMS; s++) {
        regions[s] = xs_fingerprint_linear(memory->device + s * 16, (s + 1) * 700000u);
        OK(cuStreamCreate(&streams[s], CU_STREAM_NON_BLOCKING));
        slots[s] = slot_new(regions[s].length);
    }
    unsigned rounds = gpu->simulated ? 5 : ROUNDS;
    for (unsigned repeat = 0; repeat < (gpu->simulated ? 1u : 10u); repeat++) {
        memset(gpu->results, 0xee, BATCH * sizeof(*gpu->results));
        for (unsigned i = 0; i < rounds * STREAMS; i++)
            fingerprint(gpu, streams[i % STREAMS], &slots[i % STREAMS], regions[i % STREAMS], XS_FINGERPRINT_COMPARE,
                        i);
        OK(cuCtxSynchronize());
        for (unsigned s = 0; s < STREAMS; s++) {
            struct xs_fingerprint_region on_host = to_host(memory, regions[s]);
            xs_fingerprint_host(&on_host, NULL, &expected);
            for (unsigned i = s; i < rounds * STREAMS; i += STREAMS, lengths++) {
                const struct xs_fingerprint_result *result = &gpu->results[i];
                if (result->content[0] != expected.low || result->content[1] != expected.high ||
                    result->sequence != i + 1)
                    mismatch("content, among other streams,", &regions[s]);
                else if ((i >= STREAMS || repeat > 0) && result->changed_leaves != 0)
                    mismatch("an unchanged leaf", &regions[s]);
            }
        }
    }
    for (unsigned s = 0; s < STREAMS; s++) {
        OK(cuStreamDestroy(streams[s]));
        slot_free(&slots[s]);
    }
}

static void test_big(const struct gpu *gpu) {
    static const uint64_t sizes[] = {300u << 20, (1u << 30) - 1, 1u << 30, (1u << 30) + 1, (1u << 30) + (9u << 20) + 5};
    struct memory memory = memory_new((1u << 30) + (10u << 20));
    struct slot slot = slot_new((1u << 30) + (10u << 20));
    for (size_t i = 0; i < 5; i++)
        for (unsigned alignment = 0; alignment < 4; alignment += 3) {
            struct xs_fingerprint_region region = xs_fingerprint_linear(memory.device + alignment, sizes[i]);
            fingerprint(gpu, gpu->stream, &slot, region, 0, 0);
            OK(cuStreamSynchronize(gpu->stream));
            check_result(&memory, region, &gpu->results[0], 0);
            check_leaves(&slot, &memory, region);
        }
    slot_free(&slot);
    memory_free(&memory);
}

static void test_all(const struct gpu *gpu, bool big) {
    static struct batch batch;
    struct memory memory = memory_new(REGION);
    batch = (struct batch){.gpu = gpu, .memory = &memory, .slot = slot_new(REGION)};
    test_every_length(&batch);
    test_larger(&batch);
    test_boxes(&batch);
    slot_free(&batch.slot);
    static const uint64_t compared[] = {2, 100, 4096, 4097, 32768, 40000, 1u << 20, (2u << 20) + 5, 7u << 20};
    for (size_t i = 0; i < sizeof(compared) / sizeof(compared[0]); i++)
        test_compare_length(gpu, &memory, compared[i]);
    test_streams(gpu, &memory);
    test_constants(gpu, &memory);
    memory_free(&memory);
    if (big)
        test_big(gpu);
}

int main(int argc, char **argv) {
    struct gpu gpu;
    const char *ptx_file = NULL;
    uint32_t max_blocks = 0;
    bool big = false, timing = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--big") == 0)
            big = true;
        else if (strcmp(argv[i], "--time") == 0)
            timing = true;
        else if (strcmp(argv[i], "--ptx") == 0 && i + 1 < argc)
            ptx_file = argv[++i];
        else if (strcmp(argv[i], "--blocks") == 0 && i + 1 < argc)
            max_blocks = (uint32_t)strtoul(argv[++i], NULL, 10);
        else
            return fprintf(stderr, "usage: fingerprint [--big] [--time] [--ptx FILE] [--blocks N]\n"), 2;
    gpu_open(&gpu, ptx_file);
    gpu.max_blocks = max_blocks;
    if (timing) {
        measure(&gpu);
    } else {
        test_all(&gpu, big);
        printf("fingerprint: %u lengths, %u mismatches\n", lengths, mismatches);
    }
    gpu_close(&gpu);
    return mismatches != 0;
}
