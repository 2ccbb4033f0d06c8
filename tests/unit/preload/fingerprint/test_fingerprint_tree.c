/* The host's fingerprint is what hash_tree.h defines, for every length up to 20000 bytes and larger ones, at every
 * alignment, for boxes and for regions that repeat one value. The definition is put down here a second time, as plainly
 * as possible. */
#include "unit.h"

#include "preload/fingerprint/hash_tree.h"
#include "preload/fingerprint/kernel.h"

#include <sys/mman.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define BYTES ((9u << 20) + 64u)

static unsigned char *memory; /* BYTES of noise */

static size_t padded(const unsigned char *from, size_t bytes, unsigned char block[4096]) {
    size_t size = bytes == 0 ? 256 : (bytes + 255) / 256 * 256;
    memset(block, 0, 4096);
    if (bytes > 0)
        memcpy(block, from, bytes);
    return size;
}

static uint64_t avalanche(uint64_t x) {
    x ^= x >> 33;
    x *= 14029467366897019727u;
    x ^= x >> 29;
    x *= 1609587929392839161u;
    x ^= x >> 32;
    return x;
}

/* `digests` has room for all leaves and keeps those of level 0. */
static void define(const unsigned char *bytes, uint64_t length, uint64_t *digests, struct xs_hashed_content *out) {
    unsigned char block[4096];
    uint64_t leaves = length == 0 ? 1 : (length + 4095) / 4096, count = leaves;
    XXH128_hash_t root;
    for (uint64_t i = 0; i < leaves; i++) {
        size_t size = length - i * 4096 < 4096 ? (size_t)(length - i * 4096) : 4096;
        size = padded(bytes + i * 4096, size, block);
        digests[i] = XXH3_64bits(block, size);
        root = XXH3_128bits(block, size); /* this is the result if the block is the only one */
    }
    uint64_t *level = malloc(count * 8);
    assert_non_null(level);
    memcpy(level, digests, count * 8);
    while (count > 512) {
        uint64_t nodes = (count + 511) / 512;
        for (uint64_t i = 0; i < nodes; i++) {
            size_t children = count - i * 512 < 512 ? (size_t)(count - i * 512) : 512;
            size_t size = padded((const unsigned char *)(level + i * 512), children * 8, block);
            level[i] = XXH3_64bits(block, size);
        }
        count = nodes;
    }
    if (leaves > 1) {
        size_t size = padded((const unsigned char *)level, (size_t)count * 8, block);
        root = XXH3_128bits(block, size);
    }
    free(level);
    *out = (struct xs_hashed_content){.leaves = (uint32_t)leaves, .constant = length >= 8};
    out->low = root.low64 ^ avalanche(length * 0x9E3779B97F4A7C15u + 1);
    out->high = root.high64 + avalanche(length ^ 0xC2B2AE3D27D4EB4Fu);
    for (uint64_t i = 4; i < length && out->constant; i++)
        out->constant = bytes[i] == bytes[i % 4];
    if (out->constant)
        memcpy(&out->value, bytes, 4);
}

static void assert_same(const struct xs_hashed_content *is, const struct xs_hashed_content *wanted) {
    assert_int_equal(is->low, wanted->low);
    assert_int_equal(is->high, wanted->high);
    assert_int_equal(is->leaves, wanted->leaves);
    assert_int_equal(is->constant, wanted->constant);
    assert_int_equal(is->value, wanted->value);
}

static void assert_defined(const unsigned char *bytes, uint64_t length) {
    static uint64_t leaves[BYTES / 4096 + 1], wanted_leaves[BYTES / 4096 + 1];
    struct xs_hashed_content is, wanted;
    define(bytes, length, wanted_leaves, &wanted);
    memset(leaves, 0, wanted.leaves * sizeof(*leaves));
    xs_fingerprint_bytes(bytes, length, leaves, &is);
    assert_same(&is, &wanted);
    assert_memory_equal(leaves, wanted_leaves, wanted.leaves * sizeof(*leaves));
    xs_fingerprint_bytes(bytes, length, NULL, &is);
    assert_same(&is, &wanted);
}

static int fill(void **state) {
    (void)state;
    uint64_t x = 88172645463325252u;
    memory = malloc(BYTES);
    for (size_t i = 0; memory != NULL && i < BYTES; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        memory[i] = (unsigned char)x;
    }
    return memory == NULL;
}

static int empty(void **state) {
    (void)state;
    free(memory);
    return 0;
}

/* Three alignments a length; 5 and 16 have no common factor, so each alignment meets each remainder of a block. */
static void every_length(void **state) {
    (void)state;
    for (unsigned length = 0; length <= 20000; length++)
        for (unsigned i = 0; i < 3; i++)
            assert_defined(memory + (length * 5 + length / 256 + i * 5) % 16, length);
}

static void larger_lengths(void **state) {
    (void)state;
    const uint64_t lengths[] = {65535,          65536,          65537,          1u << 20,          (2u << 20) - 4096,
                                (2u << 20) - 1, 2u << 20,       (2u << 20) + 1, (2u << 20) + 4096, (4u << 20) - 1,
                                4u << 20,       (4u << 20) + 1, (9u << 20) + 3, 9u << 20};
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (unsigned alignment = 0; alignment < 16; alignment += 5)
            assert_defined(memory + alignment, lengths[i]);
}

/* More than 512 * 512 leaves make one more level. All pages are the same page of zeros, except the last one. */
static void three_levels(void **state) {
    (void)state;
    const uint64_t length = (1u << 30) + 4097;
    unsigned char *big = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t *leaves = malloc(xs_fingerprint_leaves(length) * sizeof(*leaves));
    struct xs_hashed_content is, wanted;
    assert_true(big != MAP_FAILED);
    assert_non_null(leaves);
    big[length - 1] = 1;
    define(big, length, leaves, &wanted);
    xs_fingerprint_bytes(big, length, NULL, &is);
    assert_same(&is, &wanted);
    assert_false(is.constant);
    free(leaves);
    munmap(big, length);
}

/* Padding would hide zeros at the end if the length were not mixed in. */
static void length_counts(void **state) {
    (void)state;
    static const unsigned char zeros[512];
    struct xs_hashed_content one, other;
    for (unsigned length = 0; length < 512; length++) {
        xs_fingerprint_bytes(zeros, length, NULL, &one);
        xs_fingerprint_bytes(zeros, length + 1, NULL, &other);
        assert_int_not_equal(one.low, other.low);
        assert_int_not_equal(one.high, other.high);
    }
}

static void assert_box(uint64_t offset, uint64_t width, uint64_t height, uint64_t depth, uint64_t pitch,
                       uint64_t slice_pitch) {
    static uint64_t leaves[4096], wanted_leaves[4096];
    uint64_t length = width * height * depth;
    unsigned char *moved = malloc(length + 1), *at = moved;
    struct xs_hashed_content is, wanted;
    assert_non_null(moved);
    for (uint64_t z = 0; z < depth; z++)
        for (uint64_t y = 0; y < height; y++, at += width)
            memcpy(at, memory + offset + z * slice_pitch + y * pitch, width);
    define(moved, length, wanted_leaves, &wanted);
    struct xs_fingerprint_region region =
        xs_fingerprint_box((uint64_t)(uintptr_t)memory + offset, width, height, depth, pitch, slice_pitch);
    xs_fingerprint_host(&region, leaves, &is);
    assert_same(&is, &wanted);
    assert_memory_equal(leaves, wanted_leaves, wanted.leaves * sizeof(*leaves));
    free(moved);
}

static void boxes(void **state) {
    (void)state;
    const uint64_t widths[] = {0, 1, 3, 4, 16, 100, 4095, 4096, 5000}, heights[] = {0, 1, 2, 7, 40},
                   gaps[] = {0, 1, 16};
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t h = 0; h < COUNT_OF(heights); h++)
            for (uint64_t depth = 0; depth <= 3; depth++)
                for (size_t g = 0; g < COUNT_OF(gaps); g++) {
                    uint64_t pitch = widths[w] + gaps[g];
                    assert_box(w + h, widths[w], heights[h], depth, pitch, pitch * heights[h]);
                    assert_box(w + h, widths[w], heights[h], depth, pitch, pitch * (heights[h] + 1) + 3);
                }
    assert_box(0, 4096, 1000, 2, 4096, 4096 * 1001);
    assert_box(1, 3000, 700, 3, 3072, 3072 * 701);
}

/* Contiguous boxes are linear regions, which are faster. */
static void boxes_are_flattened(void **state) {
    (void)state;
    assert_int_equal(xs_fingerprint_box(64, 10, 20, 3, 10, 200).width, 0);
    assert_int_equal(xs_fingerprint_box(64, 10, 1, 1, 99, 99).width, 0);
    assert_int_equal(xs_fingerprint_box(64, 10, 20, 1, 10, 0).width, 0);
    assert_int_equal(xs_fingerprint_box(64, 10, 20, 3, 10, 256).width, 200);
    assert_int_equal(xs_fingerprint_box(64, 10, 20, 3, 16, 320).height, 60);
    assert_int_equal(xs_fingerprint_box(64, 10, 20, 3, 16, 400).slice_pitch, 400);
    assert_int_equal(xs_fingerprint_box(64, 0, 20, 3, 16, 400).width, 0);
}

static void constants(void **state) {
    (void)state;
    const uint64_t lengths[] = {0, 4, 7, 8, 9, 15, 255, 256, 257, 4095, 4096, 4097, 4099, 12288, (2u << 20) + 6};
    const unsigned char word[4] = {0, 0, 0x80, 0x3f};
    unsigned char *bytes = malloc((2u << 20) + 64);
    assert_non_null(bytes);
    for (size_t i = 0; i < (2u << 20) + 64; i++)
        bytes[i] = word[i % 4];
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        struct xs_hashed_content print;
        xs_fingerprint_bytes(bytes, lengths[i], NULL, &print);
        assert_int_equal(print.constant, lengths[i] >= 8);
        assert_int_equal(print.value, lengths[i] >= 8 ? 0x3f800000 : 0);
        assert_defined(bytes + 3, lengths[i]);
        const uint64_t places[] = {0, lengths[i] / 2, lengths[i] - 1};
        for (unsigned p = 0; p < COUNT_OF(places) && lengths[i] > 0; p++) { /* near to constant */
            bytes[places[p]] ^= 1;
            xs_fingerprint_bytes(bytes, lengths[i], NULL, &print);
            assert_false(print.constant);
            assert_int_equal(print.value, 0);
            assert_defined(bytes, lengths[i]);
            bytes[places[p]] ^= 1;
        }
    }
    free(bytes);
}

/* The parts of a slot do not overlap, and hold what a region of its capacity needs. */
static void slot_layout(void **state) {
    (void)state;
    const uint64_t capacities[] = {0, 1, 4096, 2u << 20, (2u << 20) + 1, 1u << 30, (1u << 30) + 1, 1ull << 40};
    for (size_t i = 0; i < COUNT_OF(capacities); i++) {
        struct xs_fingerprint_slot slot = xs_fingerprint_slot_of(capacities[i]);
        uint64_t leaves = xs_fingerprint_leaves(capacities[i]), nodes = 0, levels = 0;
        for (uint64_t count = leaves; count > 512; levels++)
            nodes += count = (count + 511) / 512;
        assert_true(levels < XS_TREE_LEVELS);
        assert_true(slot.tickets_at >= slot.root_at + 16);
        assert_true(slot.zero_bytes >= slot.tickets_at + (nodes + 1) * 8);
        assert_true(slot.nodes_at >= slot.zero_bytes && slot.nodes_at % 16 == 0);
        assert_true(slot.leaves_at >= slot.nodes_at + (nodes + levels) * 8 && slot.leaves_at % 16 == 0);
        assert_true(slot.bytes >= slot.leaves_at + leaves * 8);
    }
    assert_int_equal(sizeof(struct xs_fingerprint_result), 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),  cmocka_unit_test(larger_lengths), cmocka_unit_test(three_levels),
        cmocka_unit_test(length_counts), cmocka_unit_test(boxes),          cmocka_unit_test(boxes_are_flattened),
        cmocka_unit_test(constants),     cmocka_unit_test(slot_layout),
    };
    return cmocka_run_group_tests_name("fingerprint_tree", tests, fill, empty);
}
