/* SipHash-2-4; see siphash.h. Written after the description in the paper. */
#include "schema/source/siphash.h"

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotated(uint64_t x, unsigned bits) { return x << bits | x >> (64 - bits); }

static uint64_t little_endian(const uint8_t *p, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static void rounds(struct state *s, int count) {
    for (int i = 0; i < count; i++) {
        s->v0 += s->v1;
        s->v1 = rotated(s->v1, 13) ^ s->v0;
        s->v0 = rotated(s->v0, 32);
        s->v2 += s->v3;
        s->v3 = rotated(s->v3, 16) ^ s->v2;
        s->v0 += s->v3;
        s->v3 = rotated(s->v3, 21) ^ s->v0;
        s->v2 += s->v1;
        s->v1 = rotated(s->v1, 17) ^ s->v2;
        s->v2 = rotated(s->v2, 32);
    }
}

static void take(struct state *s, uint64_t word) {
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

void xs_siphash(const uint8_t key[XS_SIPHASH_KEY_BYTES], const void *data, size_t bytes, uint64_t hash[2]) {
    uint64_t k0 = little_endian(key, 8), k1 = little_endian(key + 8, 8);
    const uint8_t *p = data;
    struct state s = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
                      k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    size_t left = bytes;
    for (; left >= 8; left -= 8, p += 8)
        take(&s, little_endian(p, 8));
    take(&s, (uint64_t)bytes << 56 | little_endian(p, left));
    s.v2 ^= 0xee;
    rounds(&s, 4);
    hash[0] = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
    s.v1 ^= 0xdd;
    rounds(&s, 4);
    hash[1] = s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
