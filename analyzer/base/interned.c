/* Keeps each text once; see interned.h. */
#include "analyzer/base/interned.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { TEXT_BYTES = 4096, BLOCK_BYTES = 1 << 16 };

static char *store(struct xs_texts *texts, const char *text, size_t length) {
    if (!texts->block || texts->bytes - texts->used < length + 1) {
        char *block = xs_realloc(NULL, BLOCK_BYTES);
        memcpy(block, &texts->block, sizeof texts->block);
        texts->block = block;
        texts->used = sizeof texts->block;
        texts->bytes = BLOCK_BYTES;
    }
    char *copy = memcpy(texts->block + texts->used, text, length);
    copy[length] = 0;
    texts->used += length + 1;
    return copy;
}

const char *xs_texts_keep(struct xs_texts *texts, const char *text) {
    if (!text)
        return NULL;
    size_t length = strnlen(text, TEXT_BYTES - 1);
    uint64_t hash = xs_hash_of_text(text, length);
    /* A crafted file can contain texts with equal hashes; `high` numbers them. */
    for (uint64_t high = 0;; high++) {
        uint64_t *value = xs_hash_put(&texts->known, hash, high);
        if (!*value)
            *value = (uint64_t)(uintptr_t)store(texts, text, length);
        const char *kept = (const char *)(uintptr_t)*value;
        if (!strncmp(kept, text, length) && !kept[length])
            return kept;
    }
}

void xs_texts_free(struct xs_texts *texts) {
    while (texts->block) {
        char *before;
        memcpy(&before, texts->block, sizeof before);
        free(texts->block);
        texts->block = before;
    }
    xs_hash_free(&texts->known);
    *texts = (struct xs_texts){0};
}
