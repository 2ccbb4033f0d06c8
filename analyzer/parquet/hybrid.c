/* Writes and reads run lengths and packed bits; see hybrid.h. */
#include "analyzer/parquet/hybrid.h"

#include "analyzer/parquet/thrift.h"

enum { PACKED = 8 /* numbers are packed in groups of eight */ };

unsigned xs_bits_of(uint64_t most) {
    unsigned bits = 0;
    for (; most; most >>= 1)
        bits++;
    return bits;
}

static bool are_equal(const uint32_t *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

static void pack(struct xs_string *out, const uint32_t *values, size_t count, unsigned bits) {
    size_t groups = (count + PACKED - 1) / PACKED;
    uint64_t pending = 0;
    unsigned pending_bits = 0;
    xs_varint_add(out, (uint64_t)groups << 1 | 1);
    for (size_t i = 0; i < groups * PACKED; i++) {
        pending |= (uint64_t)(i < count ? values[i] : 0) << pending_bits;
        for (pending_bits += bits; pending_bits >= 8; pending_bits -= 8, pending >>= 8)
            xs_string_add(out, (const char[]){(char)(pending & 0xff)}, 1);
    }
}

void xs_hybrid_add(struct xs_string *out, const uint32_t *values, size_t count, unsigned bits) {
    if (!count)
        return;
    if (!are_equal(values, count)) {
        pack(out, values, count, bits);
        return;
    }
    xs_varint_add(out, (uint64_t)count << 1);
    for (unsigned i = 0; i < (bits + 7) / 8; i++)
        xs_string_add(out, (const char[]){(char)(values[0] >> 8 * i & 0xff)}, 1);
}

/* Reads packed groups; numbers after the last wanted one are filling. */
static size_t unpack(struct xs_thrift_reader *r, uint64_t groups, unsigned bits, uint32_t *values, size_t wanted) {
    uint64_t pending = 0, mask = (UINT64_C(1) << bits) - 1;
    unsigned pending_bits = 0;
    if (bits && groups > (uint64_t)(r->end - r->at) / bits) /* some writers leave the last filling out */
        groups = (uint64_t)(r->end - r->at) / bits + 1;
    size_t count = groups < wanted / PACKED ? (size_t)groups * PACKED : wanted;
    const uint8_t *from = r->at;
    for (size_t i = 0; i < count; i++) {
        for (; pending_bits < bits; pending_bits += 8) {
            if (r->at == r->end)
                return 0;
            pending |= (uint64_t)*r->at++ << pending_bits;
        }
        values[i] = (uint32_t)(pending & mask);
        pending >>= bits;
        pending_bits -= bits;
    }
    uint64_t bytes = groups * bits; /* eight numbers of so many bits */
    r->at = bytes < (uint64_t)(r->end - from) ? from + bytes : r->end;
    return count;
}

bool xs_hybrid_read(const uint8_t *bytes, size_t length, unsigned bits, uint32_t *values, size_t count) {
    struct xs_thrift_reader r = {.at = bytes, .end = bytes + length};
    size_t done = 0;
    if (bits > 32)
        return false;
    while (done < count) {
        uint64_t head = xs_varint_read(&r), run = head >> 1;
        if (r.failed || !run)
            return false;
        if (head & 1) {
            size_t more = unpack(&r, run, bits, values + done, count - done);
            if (!more)
                return false;
            done += more;
            continue;
        }
        uint32_t value = 0;
        for (unsigned i = 0; i < (bits + 7) / 8; i++) {
            if (r.at == r.end)
                return false;
            value |= (uint32_t)*r.at++ << 8 * i;
        }
        for (; run && done < count; run--)
            values[done++] = value;
    }
    return true;
}
