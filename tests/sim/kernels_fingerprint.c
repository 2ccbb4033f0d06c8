/* The twin of libxferspy's fingerprint kernel (preload/fingerprint): the definition of hash_tree.h put down level by
 * level with xxHash's one-call functions, so that it, the host's running hash and the kernel check each other. */
#include "kernels.h"

#include "preload/fingerprint/kernel.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const unsigned char *byte_of(const struct xs_fingerprint_region *region, uint64_t offset) {
    const unsigned char *base = (const unsigned char *)(uintptr_t)region->base;
    if (region->width == 0)
        return base + offset;
    uint64_t row = offset / region->width;
    return base + row / region->height * region->slice_pitch + row % region->height * region->pitch +
           offset % region->width;
}

/* The block of `bytes` bytes, zeros behind it up to a multiple of 256; returns its padded length. */
static size_t pad(unsigned char block[4096], size_t bytes) {
    size_t padded = bytes == 0 ? 256 : (bytes + 255) & ~(size_t)255;
    memset(block + bytes, 0, padded - bytes);
    return padded;
}

static size_t read_leaf(const struct xs_fingerprint_region *region, uint64_t index, unsigned char block[4096]) {
    uint64_t offset = index * 4096;
    size_t bytes = region->length - offset < 4096 ? (size_t)(region->length - offset) : 4096;
    if (region->width == 0 && bytes > 0)
        memcpy(block, byte_of(region, offset), bytes);
    for (size_t i = 0; region->width > 0 && i < bytes; i++)
        block[i] = *byte_of(region, offset + i);
    return bytes;
}

struct leaves {
    uint64_t *digests; /* digests of the current level, computed in place */
    uint64_t count, changed;
    bool constant;
    uint32_t value;
    unsigned char block[4096]; /* the last one read */
    size_t bytes;
};

/* The slot's leaves are compared and overwritten. */
static void hash_leaves(const struct xs_fingerprint_parameters *p, struct leaves *leaves) {
    uint64_t *old = (uint64_t *)(uintptr_t)p->leaves;
    unsigned char first[4] = {0};
    leaves->constant = p->region.length >= 8;
    for (uint64_t i = 0; i < leaves->count; i++) {
        leaves->bytes = read_leaf(&p->region, i, leaves->block);
        if (i == 0 && leaves->constant)
            memcpy(first, leaves->block, sizeof(first));
        for (size_t b = 0; leaves->constant && b < leaves->bytes; b++)
            leaves->constant = leaves->block[b] == first[b % 4];
        uint64_t digest = XXH3_64bits(leaves->block, pad(leaves->block, leaves->bytes));
        leaves->changed += (p->mode & XS_FINGERPRINT_COMPARE) != 0 && old[i] != digest;
        leaves->digests[i] = old[i] = digest;
    }
    if (leaves->constant)
        memcpy(&leaves->value, first, sizeof(first));
}

static XXH128_hash_t hash_levels(struct leaves *leaves) {
    uint64_t count = leaves->count;
    while (count > 512) {
        uint64_t nodes = (count + 511) / 512;
        for (uint64_t i = 0; i < nodes; i++) {
            uint64_t children = count - i * 512 < 512 ? count - i * 512 : 512;
            leaves->bytes = (size_t)children * 8;
            memcpy(leaves->block, leaves->digests + i * 512, leaves->bytes);
            leaves->digests[i] = XXH3_64bits(leaves->block, pad(leaves->block, leaves->bytes));
        }
        count = nodes;
    }
    if (leaves->count > 1) {
        leaves->bytes = (size_t)count * 8;
        memcpy(leaves->block, leaves->digests, leaves->bytes);
    }
    return XXH3_128bits(leaves->block, pad(leaves->block, leaves->bytes));
}

static uint64_t avalanche(uint64_t x) {
    x ^= x >> 33;
    x *= 0xC2B2AE3D27D4EB4Fu;
    x ^= x >> 29;
    x *= 0x165667B19E3779F9u;
    return x ^ x >> 32;
}

void xs_kernel_fingerprint(const struct xs_launch *launch, void **args) {
    const struct xs_fingerprint_parameters *p = args[0];
    const uint64_t length = p->region.length;
    struct leaves leaves = {.count = length == 0 ? 1 : (length + 4095) / 4096};
    leaves.digests = malloc(leaves.count * sizeof(*leaves.digests));
    if (leaves.digests == NULL || launch->block[0] != XS_FINGERPRINT_THREADS) {
        free(leaves.digests);
        return; /* the real kernel does not work with another number of threads either */
    }
    hash_leaves(p, &leaves);
    XXH128_hash_t root = hash_levels(&leaves);
    free(leaves.digests);
    uint64_t *slot_root = (uint64_t *)(uintptr_t)p->root;
    uint64_t before[2] = {slot_root[0], slot_root[1]};
    slot_root[0] = root.low64 ^ avalanche(length * 0x9E3779B97F4A7C15u + 1);
    slot_root[1] = root.high64 + avalanche(length ^ 0xC2B2AE3D27D4EB4Fu);
    if (p->mode & XS_FINGERPRINT_MEASURE_ONLY)
        return;
    bool compare = (p->mode & XS_FINGERPRINT_COMPARE) != 0;
    const struct xs_fingerprint_region *r = &p->region;
    bool aligned = ((r->base | r->width | r->pitch | r->slice_pitch) & 15) == 0;
    struct xs_fingerprint_result *result = (struct xs_fingerprint_result *)(uintptr_t)p->result;
    memcpy(result->content, slot_root, sizeof(result->content));
    result->before[0] = compare ? before[0] : 0;
    result->before[1] = compare ? before[1] : 0;
    result->leaves = (uint32_t)leaves.count;
    result->changed_leaves = (uint32_t)leaves.changed;
    result->constant_value = leaves.value;
    result->flags = (compare ? XS_RESULT_HAS_BEFORE : 0) | (leaves.constant ? XS_RESULT_CONSTANT : 0) |
                    (aligned ? XS_RESULT_ALIGNED : 0);
    result->length = length;
    __atomic_store_n(&result->sequence, p->sequence, __ATOMIC_RELEASE);
}
