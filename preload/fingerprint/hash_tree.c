/* Computes the content fingerprint on the host. The hash tree is computed in one pass, because each level above the
 * leaves has its own running XXH3 state. */
#include "preload/fingerprint/hash_tree.h"

#include <string.h>

/* libxxhash is inlined, so that none of its symbols can conflict with symbols of the application, and nothing is
 * linked. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct level {
    XXH3_state_t state;
    uint32_t digests; /* number of digests in the block that is being filled */
};

struct tree {
    struct level *top;
    struct level levels[XS_TREE_LEVELS]; /* the first level gets the digests of the leaves */
};

/* Points to the next byte of a box. */
struct cursor {
    const struct xs_fingerprint_region *region;
    const unsigned char *slice, *row;
    uint64_t rows_left, bytes_left; /* rows left in the slice, bytes left in the row */
};

static void pad(struct level *level) {
    static const unsigned char zeros[XS_PAD_BYTES];
    uint32_t bytes = level->digests * XS_DIGEST_BYTES;
    XXH3_64bits_update(&level->state, zeros, xs_fingerprint_padded(bytes) - bytes);
}

static void push(struct level *level, uint64_t digest) {
    unsigned char bytes[XS_DIGEST_BYTES];
    if (level->digests == 0)
        XXH3_64bits_reset(&level->state);
    for (unsigned i = 0; i < XS_DIGEST_BYTES; i++)
        bytes[i] = (unsigned char)(digest >> 8 * i);
    XXH3_64bits_update(&level->state, bytes, sizeof(bytes));
    level->digests++;
}

static uint64_t close_block(struct level *level) {
    pad(level);
    level->digests = 0;
    return XXH3_64bits_digest(&level->state);
}

static void start_tree(struct tree *tree, uint64_t leaves) {
    tree->top = tree->levels;
    for (uint64_t count = leaves; count > XS_GROUP; count = xs_fingerprint_parents(count))
        tree->top++;
    for (struct level *level = tree->levels; level <= tree->top; level++)
        level->digests = 0;
}

static void add_leaf(struct tree *tree, uint64_t digest) {
    struct level *level = tree->levels;
    push(level, digest);
    for (; level != tree->top && level->digests == XS_GROUP; level++)
        push(level + 1, close_block(level));
}

static XXH128_hash_t root_of(struct tree *tree) {
    struct level *level = tree->levels;
    for (; level != tree->top; level++)
        if (level->digests > 0)
            push(level + 1, close_block(level));
    pad(level);
    return XXH3_128bits_digest(&level->state);
}

static struct cursor start_of(const struct xs_fingerprint_region *region) {
    const unsigned char *base = (const unsigned char *)(uintptr_t)region->base;
    return (struct cursor){region, base, base, region->height, region->width};
}

static void gather(struct cursor *at, unsigned char *out, uint64_t bytes) {
    const struct xs_fingerprint_region *region = at->region;
    for (;;) {
        uint64_t run = bytes < at->bytes_left ? bytes : at->bytes_left;
        memcpy(out, at->row + (region->width - at->bytes_left), run);
        at->bytes_left -= run;
        out += run;
        bytes -= run;
        if (bytes == 0)
            return;
        at->bytes_left = region->width;
        at->row += region->pitch;
        if (--at->rows_left == 0) {
            at->rows_left = region->height;
            at->slice += region->slice_pitch;
            at->row = at->slice;
        }
    }
}

/* True if the bytes repeat the four bytes of `value`, beginning with the first of them. The comparison ends at the
 * first difference. */
static bool repeats(const unsigned char *leaf, uint64_t bytes, const unsigned char value[4]) {
    if (bytes <= 4)
        return memcmp(leaf, value, bytes) == 0;
    return memcmp(leaf, value, 4) == 0 && memcmp(leaf, leaf + 4, bytes - 4) == 0;
}

static void finish(struct xs_hashed_content *out, XXH128_hash_t root, uint64_t length, const unsigned char value[4]) {
    out->low = root.low64;
    out->high = root.high64;
    xs_fingerprint_mix_length(&out->low, &out->high, length);
    out->leaves = (uint32_t)xs_fingerprint_leaves(length);
    out->value = 0;
    for (unsigned i = 0; out->constant && i < 4; i++)
        out->value |= (uint32_t)value[i] << 8 * i;
}

/* Working memory, at the first aligned address in the caller's memory. The states are aligned for the widest registers.
 */
struct work {
    struct tree tree;
    unsigned char buffer[XS_LEAF_BYTES];
};
_Static_assert(sizeof(struct work) + _Alignof(struct work) <= XS_TREE_WORK_BYTES, "it fits at any address");

void xs_fingerprint_host_in(void *memory, const struct xs_fingerprint_region *region, uint64_t *leaf_digests,
                            struct xs_hashed_content *out) {
    const uintptr_t align = _Alignof(struct work);
    struct work *work = (struct work *)(void *)((char *)memory + (align - (uintptr_t)memory % align) % align);
    struct tree *tree = &work->tree;
    unsigned char *buffer = work->buffer, value[4] = {0};
    struct cursor at = start_of(region);
    uint64_t leaves = xs_fingerprint_leaves(region->length), left = region->length;
    XXH128_hash_t root = {0};
    start_tree(tree, leaves);
    out->constant = left >= 8;
    for (uint64_t i = 0; i < leaves; i++) {
        uint32_t bytes = left < XS_LEAF_BYTES ? (uint32_t)left : XS_LEAF_BYTES, padded = xs_fingerprint_padded(bytes);
        const unsigned char *leaf = buffer;
        left -= bytes;
        if (region->width > 0)
            gather(&at, buffer, bytes);
        else if (bytes == padded)
            leaf = at.row + i * XS_LEAF_BYTES;
        else if (bytes > 0)
            memcpy(buffer, at.row + i * XS_LEAF_BYTES, bytes);
        if (leaf == buffer)
            memset(buffer + bytes, 0, padded - bytes);
        if (i == 0)
            memcpy(value, leaf, sizeof(value));
        out->constant = out->constant && repeats(leaf, bytes, value);
        /* For long inputs, the low half of the 128-bit digest is the 64-bit digest. */
        if (leaves == 1)
            root = XXH3_128bits(leaf, padded);
        uint64_t digest = leaves == 1 ? root.low64 : XXH3_64bits(leaf, padded);
        if (leaf_digests != NULL)
            leaf_digests[i] = digest;
        if (leaves > 1)
            add_leaf(tree, digest);
    }
    finish(out, leaves == 1 ? root : root_of(tree), region->length, value);
}

void xs_fingerprint_host(const struct xs_fingerprint_region *region, uint64_t *leaf_digests,
                         struct xs_hashed_content *out) {
    unsigned char work[XS_TREE_WORK_BYTES];
    xs_fingerprint_host_in(work, region, leaf_digests, out);
}

void xs_fingerprint_bytes(const void *base, uint64_t length, uint64_t *leaf_digests, struct xs_hashed_content *out) {
    struct xs_fingerprint_region region = xs_fingerprint_linear((uint64_t)(uintptr_t)base, length);
    xs_fingerprint_host(&region, leaf_digests, out);
}
